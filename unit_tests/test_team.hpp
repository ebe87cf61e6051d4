// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::team_sum and acc::team_dot inside a user's kernel give acc::sum's and acc::dot's bits.
#pragma once

#include "device.hpp"

#include <acc/dot.hpp>
#include <acc/sum.hpp>
#include <acc/team.hpp>

#include <cstddef>

namespace acc_test {
namespace {

/// Team k sums row k of a matrix and multiplies it with row k of another.
template <class T, class Method, class X, class Y>
struct RowKernel {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  X x;
  Y y;
  Kokkos::View<T*, Exec> sums, dots;
  Kokkos::View<int, Exec> disagreements;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int k = team.league_rank();
    const acc::team_scratch<T, Method> scratch(team);
    const auto row_of_x = Kokkos::subview(x, k, Kokkos::ALL);
    const auto row_of_y = Kokkos::subview(y, k, Kokkos::ALL);
    const T sum = acc::team_sum(team, scratch, row_of_x);
    const T dot = acc::team_dot(team, scratch, row_of_x, row_of_y);
    const T again = acc::team_sum(team, scratch, row_of_x);  // the scratch is reusable at once
    if (team.team_rank() == 0) {
      sums(k) = sum;
      dots(k) = dot;
    }
    team.team_barrier();
    // All threads get the result.
    if (sums(k) != sum || dots(k) != dot || again != sum) Kokkos::atomic_inc(&disagreements());
  }
};

template <class C>
class Team : public testing::Test {};
using TeamCases =
    testing::Types<Case<acc::compensated, double>, Case<acc::plain, float>,
                   Case<acc::double_word, float>, Case<acc::fold<4>, double>,
                   Case<acc::compensated, Kokkos::complex<double>>,
                   Case<acc::fold<3>, Kokkos::complex<float>>, Case<acc::widened, float>>;
TYPED_TEST_SUITE(Team, TeamCases);

TYPED_TEST(Team, BitsAreThoseOfTheWholeVectorCalls) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  using Left = Kokkos::View<T**, Kokkos::LayoutLeft, Exec>;
  using Right = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  constexpr int rows = 3;
  for (const std::size_t n :
       {std::size_t(0), std::size_t(1), row<T> + 3, leaf<T>, 3 * leaf<T> + 5}) {
    const Left x("x", rows, n);   // rows strided
    const Right y("y", rows, n);  // rows contiguous
    for (int k = 0; k < rows; ++k) {
      Kokkos::deep_copy(
          Kokkos::subview(x, k, Kokkos::ALL),
          on_device(elements<T>(Data::wide, n, 10 * n + static_cast<std::size_t>(k))));
      Kokkos::deep_copy(
          Kokkos::subview(y, k, Kokkos::ALL),
          on_device(elements<T>(Data::uniform, n, 20 * n + static_cast<std::size_t>(k))));
    }
    const Kokkos::View<T*, Exec> sums("sums", rows), dots("dots", rows);
    const Kokkos::View<int, Exec> disagreements("disagreements");
    const RowKernel<T, M, Left, Right> kernel{x, y, sums, dots, disagreements};
    Kokkos::TeamPolicy<Exec> policy(rows, Kokkos::AUTO);
    policy.set_scratch_size(0, Kokkos::PerTeam(acc::team_scratch_size<T>(M{})));
    Kokkos::parallel_for("rows", policy, kernel);
    EXPECT_EQ(on_host(disagreements), 0);
    for (int k = 0; k < rows; ++k) {
      const auto rx = Kokkos::subview(x, k, Kokkos::ALL);
      const auto ry = Kokkos::subview(y, k, Kokkos::ALL);
      EXPECT_EQ(bits(on_host(Kokkos::subview(sums, k))), bits(acc::sum(Exec{}, rx, M{})))
          << "n = " << n << ", row " << k;
      EXPECT_EQ(bits(on_host(Kokkos::subview(dots, k))), bits(acc::dot(Exec{}, rx, ry, M{})))
          << "n = " << n << ", row " << k;
    }
  }
}

/// A team whose policy has reserved no scratch memory. (Kokkos's own have some that nobody asked
/// for, as much as the number of threads makes it.)
struct TeamWithoutScratch {
  struct Scratch {
    KOKKOS_FUNCTION void* get_shmem_aligned(std::ptrdiff_t, std::ptrdiff_t) const {
      return nullptr;
    }
  };
  KOKKOS_FUNCTION Scratch team_scratch(int) const { return {}; }
};

TEST(TeamDeathTest, APolicyThatReservesTooLittleEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH((void)acc::team_scratch<double>(TeamWithoutScratch()),
               "acc::team_scratch: the policy must reserve acc::team_scratch_size bytes of level-0 "
               "scratch");
}

TYPED_TEST(Team, TeamSizeChangesNoBits) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  const std::size_t n = 2 * leaf<T> + row<T> + 1;
  const Matrix x("x", 1, n), y("y", 1, n);
  const auto rx = Kokkos::subview(x, 0, Kokkos::ALL);
  const auto ry = Kokkos::subview(y, 0, Kokkos::ALL);
  Kokkos::deep_copy(rx, on_device(elements<T>(Data::wide, n, 1)));
  Kokkos::deep_copy(ry, on_device(elements<T>(Data::uniform, n, 2)));
  const Kokkos::View<T*, Exec> sums("sums", 1), dots("dots", 1);
  const Kokkos::View<int, Exec> disagreements("disagreements");
  const RowKernel<T, M, Matrix, Matrix> kernel{x, y, sums, dots, disagreements};
  const std::string want = bits(acc::sum(Exec{}, rx, M{}));
  for (int size = 1;; size *= 2) {
    Kokkos::TeamPolicy<Exec> policy(1, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(acc::team_scratch_size<T>(M{})));
    if (size > std::min(512, policy.team_size_max(kernel, Kokkos::ParallelForTag{}))) break;
    Kokkos::TeamPolicy<Exec> sized(1, size);
    sized.set_scratch_size(0, Kokkos::PerTeam(acc::team_scratch_size<T>(M{})));
    Kokkos::parallel_for("row", sized, kernel);
    EXPECT_EQ(bits(on_host(Kokkos::subview(sums, 0))), want) << "team size " << size;
    EXPECT_EQ(on_host(disagreements), 0) << "team size " << size;
  }
}

}  // namespace
}  // namespace acc_test
