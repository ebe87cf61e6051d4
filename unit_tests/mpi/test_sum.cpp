// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::mpi::sum, dot, dotu, asum and nrm2: on every rank the bits that acc's functions give on the
// host for all of it.
#include "ranks.hpp"

#include <acc/asum.hpp>
#include <acc/mpi.hpp>
#include <acc/nrm2.hpp>
#include <acc/sum.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace acc_test {
namespace {

template <class E>
std::pair<std::uint64_t, std::uint64_t> all_bits_of(E z) {
  if constexpr (std::is_floating_point_v<E>) {
    return {bits_of(z), 0};
  } else {
    return {bits_of(z.real()), bits_of(z.imag())};
  }
}

template <class E>
std::vector<E> elements(Data data, std::size_t n, std::uint64_t seed) {
  if constexpr (std::is_floating_point_v<E>) {
    return make<E>(data, n, seed);
  } else {
    using T = typename E::value_type;
    const auto re = make<T>(data, n, seed), im = make<T>(data, n, seed + 1);
    std::vector<E> z(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = E(re[i], im[i]);
    return z;
  }
}

template <class E>
class MpiSum : public testing::Test {
 public:
  template <class Method>
  void check(const std::vector<E>& x, const std::vector<E>& y, Split split, Method method) {
    const Device exec;
    const Host host;
    const auto xs = view_of(share(x, split, 70)), ys = view_of(share(y, split, 70));
    const auto all_x = view_of<Host>(x), all_y = view_of<Host>(y);
    EXPECT_EQ(all_bits_of(acc::mpi::sum(MPI_COMM_WORLD, exec, xs, method)),
              all_bits_of(acc::sum(host, all_x, method)));
    EXPECT_EQ(all_bits_of(acc::mpi::dot(MPI_COMM_WORLD, exec, xs, ys, method)),
              all_bits_of(acc::dot(host, all_x, all_y, method)));
  }
  template <class Method>
  void check_others(const std::vector<E>& x, const std::vector<E>& y, Split split, Method method) {
    const Device exec;
    const Host host;
    const auto xs = view_of(share(x, split, 70)), ys = view_of(share(y, split, 70));
    const auto all_x = view_of<Host>(x), all_y = view_of<Host>(y);
    EXPECT_EQ(all_bits_of(acc::mpi::dotu(MPI_COMM_WORLD, exec, xs, ys, method)),
              all_bits_of(acc::dotu(host, all_x, all_y, method)));
    EXPECT_EQ(all_bits_of(acc::mpi::asum(MPI_COMM_WORLD, exec, xs, method)),
              all_bits_of(acc::asum(host, all_x, method)));
    EXPECT_EQ(all_bits_of(acc::mpi::nrm2(MPI_COMM_WORLD, xs)),
              all_bits_of(acc::nrm2(host, all_x, acc::exact{})));
  }
};
using Elements = testing::Types<double, float, Kokkos::complex<double>, Kokkos::complex<float>>;
TYPED_TEST_SUITE(MpiSum, Elements);

TYPED_TEST(MpiSum, TheBitsOfOneRankForAnyDistribution) {
  using E = TypeParam;
  for (const Data data : all_data) {
    const auto x = elements<E>(data, 3001, 71), y = elements<E>(Data::wide, 3001, 72);
    for (const Split split : all_splits) {
      this->check(x, y, split, acc::exact{});
      this->check(x, y, split, acc::reproducible<3>{});
      this->check(x, y, split, acc::reproducible<2>{});
      this->check_others(x, y, split, acc::exact{});
      this->check_others(x, y, split, acc::reproducible<3>{});
    }
  }
}

TYPED_TEST(MpiSum, AgainstTheOracle) {
  using E = TypeParam;
  for (const Data data : all_data) {
    const auto x = elements<E>(data, 2000, 73), y = elements<E>(Data::wide, 2000, 74);
    const auto xs = view_of(share(x, Split::random, 75)), ys = view_of(share(y, Split::random, 75));
    const E sum = acc::mpi::sum(MPI_COMM_WORLD, xs), dot = acc::mpi::dot(MPI_COMM_WORLD, xs, ys);
    const E dotu = acc::mpi::dotu(MPI_COMM_WORLD, xs, ys);
    const auto asum = acc::mpi::asum(MPI_COMM_WORLD, xs);
    if constexpr (std::is_floating_point_v<E>) {
      EXPECT_EQ(sum, round_to<E>(exact_sum<E>(x))) << name(data);
      EXPECT_EQ(dot, round_to<E>(exact_dot<E>(x, y))) << name(data);
      EXPECT_EQ(dotu, dot) << name(data);
      std::vector<E> magnitudes;
      for (const E v : x) magnitudes.push_back(std::abs(v));
      EXPECT_EQ(asum, round_to<E>(exact_sum<E>(magnitudes))) << name(data);
    } else {
      using T = typename E::value_type;
      Exact re, im, dot_re, dot_im, dotu_re, dotu_im, magnitudes;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const Exact a(x[i].real()), b(x[i].imag()), c(y[i].real()), d(y[i].imag());
        re += a;
        im += b;
        dot_re += a * c + b * d;
        dot_im += a * d - b * c;
        dotu_re += a * c - b * d;
        dotu_im += a * d + b * c;
        magnitudes += Exact(std::abs(x[i].real())) + Exact(std::abs(x[i].imag()));
      }
      EXPECT_EQ(dotu, E(round_to<T>(dotu_re), round_to<T>(dotu_im))) << name(data);
      EXPECT_EQ(asum, round_to<T>(magnitudes)) << name(data);
      EXPECT_EQ(sum, E(round_to<T>(re), round_to<T>(im))) << name(data);
      EXPECT_EQ(dot, E(round_to<T>(dot_re), round_to<T>(dot_im))) << name(data);
    }
  }
}

TYPED_TEST(MpiSum, NothingZerosInfinitiesAndNaN) {
  using E = TypeParam;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& values : {std::vector<double>{},
                             {-0.0, -0.0, -0.0},
                             {-0.0, 0.0},
                             {1, infinity},
                             {infinity, 2, -infinity},
                             {std::nan(""), 1, 2, 3},
                             {-0.0, 1, -1}}) {
    std::vector<E> x, ones;
    for (const double v : values) x.push_back(E(v)), ones.push_back(E(1));
    for (const Split split : all_splits) {
      this->check(x, ones, split, acc::exact{});
      this->check(x, ones, split, acc::reproducible<>{});
      this->check_others(x, ones, split, acc::exact{});
      this->check_others(x, ones, split, acc::reproducible<3>{});
    }
  }
}

/// Of an array, in whichever layout each rank has its part.
TEST(MpiArrays, HaveTheBitsOfAllElements) {
  const std::size_t columns = 7;
  const auto x = make<double>(Data::all_exponents, 300 * columns, 76);
  const auto all = view_of<Host>(x);
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < 300; ++i)
    rows.emplace_back(x.begin() + std::ptrdiff_t(i * columns),
                      x.begin() + std::ptrdiff_t((i + 1) * columns));
  for (const Split split : all_splits) {
    const auto mine = share(rows, split, 77);
    const Kokkos::View<double**, Kokkos::LayoutLeft, Host> part("part", mine.size(), columns);
    for (std::size_t i = 0; i < mine.size(); ++i)
      for (std::size_t j = 0; j < columns; ++j) part(i, j) = mine[i][j];
    const Host host;
    EXPECT_EQ(bits_of(acc::mpi::sum(MPI_COMM_WORLD, part)),
              bits_of(acc::sum(host, all, acc::exact{})));
    EXPECT_EQ(bits_of(acc::mpi::asum(MPI_COMM_WORLD, part)),
              bits_of(acc::asum(host, all, acc::exact{})));
    EXPECT_EQ(bits_of(acc::mpi::nrm2(MPI_COMM_WORLD, part)),
              bits_of(acc::nrm2(host, all, acc::exact{})));
  }
}

}  // namespace
}  // namespace acc_test
