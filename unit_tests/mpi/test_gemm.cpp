// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::mpi::gemm: on every rank the bits that acc::gemm by exact gives on the host for the whole
// matrices.
#include "ranks.hpp"

#include <acc/mpi.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>

namespace acc_test {
namespace {

template <class T, class Space = Device>
using Left = Kokkos::View<T**, Kokkos::LayoutLeft, Space>;
template <class T, class Space = Device>
using Right = Kokkos::View<T**, Kokkos::LayoutRight, Space>;

template <class T>
T element(Data data, std::uint64_t seed) {
  if constexpr (std::is_floating_point_v<T>) {
    return make<T>(data, 1, seed)[0];
  } else {
    using R = typename T::value_type;
    return T(make<R>(data, 1, seed)[0], make<R>(data, 1, seed + 7)[0]);
  }
}

/// k x columns of numbers that all ranks know; this rank's rows of it.
template <class T>
struct Distributed {
  std::vector<std::vector<T>> rows;

  Distributed(std::size_t k, std::size_t columns, Data data, std::uint64_t seed)
      : rows(k, std::vector<T>(columns)) {
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < columns; ++j)
        rows[l][j] = element<T>(data, seed + l * columns + j);
  }
  template <class Space = Device>
  Left<T, Space> of(const std::vector<std::size_t>& which) const {
    const Left<T, Space> d("d", which.size(), rows.empty() ? 0 : rows[0].size());
    const auto h = Kokkos::create_mirror_view(d);
    for (std::size_t l = 0; l < which.size(); ++l)
      for (std::size_t j = 0; j < d.extent(1); ++j) h(l, j) = rows[which[l]][j];
    Kokkos::deep_copy(d, h);
    return d;
  }
};

template <class C, class D>
void expect_same(const C& got, const D& want, const std::string& text) {
  static_assert(std::is_same_v<typename C::value_type, typename D::value_type>);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), want);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t j = 0; j < x.extent(1); ++j)
      ASSERT_EQ(std::memcmp(&x(i, j), &y(i, j), sizeof(x(i, j))), 0)
          << text << ": " << i << ", " << j;
}

template <class T>
class MpiGemm : public testing::Test {};
using Elements = testing::Types<double, float, Kokkos::complex<double>, Kokkos::complex<float>>;
TYPED_TEST_SUITE(MpiGemm, Elements);

TYPED_TEST(MpiGemm, TheBitsOfOneRankForAnyDistribution) {
  using T = TypeParam;
  const Device exec;
  const std::size_t m = 5, n = 6, k = 41;
  std::vector<std::size_t> all(k);
  std::iota(all.begin(), all.end(), 0);
  for (const Data data : {Data::uniform, Data::all_exponents, Data::massive_cancellation}) {
    const Distributed<T> a(k, m, data, 1), b(k, n, Data::wide, 1000), before(m, n, data, 2000);
    std::vector<std::size_t> c_rows(m);
    std::iota(c_rows.begin(), c_rows.end(), 0);
    for (const Split split : all_splits) {
      const auto mine = share(all, split, 3);
      for (const T beta : {T(0), T(-0.75)}) {
        const auto got = before.of(c_rows);
        const auto want = before.template of<Host>(c_rows);
        const T alpha = beta == T(0) ? T(1) : T(0.1);
        acc::gemm(Host(), "T", "N", alpha, a.template of<Host>(all), b.template of<Host>(all), beta,
                  want, acc::exact{});
        acc::mpi::gemm(MPI_COMM_WORLD, exec, "T", "N", alpha, a.of(mine), b.of(mine), beta, got);
        expect_same(got, want, std::to_string(int(data)) + ", split " + std::to_string(int(split)));
      }
    }
  }
}

/// More entries than a block has, by rows, into another type.
TEST(MpiGemm, SeveralBlocks) {
  const std::size_t n = 300, k = 3;
  std::vector<std::size_t> all(k);
  std::iota(all.begin(), all.end(), 0);
  const Distributed<float> a(k, n, Data::uniform, 1), b(k, n, Data::wide, 5000);
  const auto mine = share(all, Split::cyclic, 3);
  const Right<double> got("got", n, n);
  const Right<double, Host> want("want", n, n);
  acc::gemm(Host(), "T", "N", 1.0, a.of<Host>(all), b.of<Host>(all), 0.0, want, acc::exact{});
  acc::mpi::gemm(MPI_COMM_WORLD, "T", "N", 1.0, a.of(mine), b.of(mine), 0.0, got);
  expect_same(got, want, "blocks");
}

/// Without depth on any rank, or without alpha, it is beta C.
TEST(MpiGemm, WithoutProducts) {
  const Left<double> empty_a("a", 2, 0), empty_b("b", 0, 3), c("c", 2, 3), half("half", 2, 3);
  Kokkos::deep_copy(c, 1.0);
  Kokkos::deep_copy(half, 0.5);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  acc::mpi::gemm(MPI_COMM_WORLD, "N", "N", nan, empty_a, empty_b, 0.5, c);
  expect_same(c, half, "no depth");
  const Left<double> a("a", 2, 1), b("b", 1, 3);
  Kokkos::deep_copy(a, nan);
  Kokkos::deep_copy(c, 1.0);
  acc::mpi::gemm(MPI_COMM_WORLD, "N", "N", 0.0, a, b, 0.5, c);
  expect_same(c, half, "alpha = 0");
}

TEST(MpiGemm, RefusesMatricesOfDifferentExtents) {
  const std::size_t m = rank() == ranks() - 1 && ranks() > 1 ? 3 : 2;
  const Left<double> a("a", m, 1), b("b", 1, 2), c("c", m, 2);
  try {
    acc::mpi::gemm(MPI_COMM_WORLD, "N", "N", 1.0, a, b, 0.0, c);
    EXPECT_EQ(ranks(), 1) << "2 and 3 rows were accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()),
              "acc::mpi::gemm: C is " + std::to_string(m) +
                  " x 2 on this rank, but the ranks' have 2 to 3 rows and 2 columns");
  }
}

/// On all ranks: those with another alpha would wait for the others' sums.
TEST(MpiGemm, RefusesAnAlphaThatIsZeroOnSomeRanks) {
  const Left<double> a("a", 2, 1), b("b", 1, 2), c("c", 2, 2);
  const double alpha = rank() == 0 ? 0.0 : 1.0;
  try {
    acc::mpi::gemm(MPI_COMM_WORLD, "N", "N", alpha, a, b, 0.0, c);
    EXPECT_EQ(ranks(), 1) << "0 and 1 were accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()), "acc::mpi::gemm: alpha is 0 on some ranks and not on others");
  }
}

}  // namespace
}  // namespace acc_test
