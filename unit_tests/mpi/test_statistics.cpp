// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics of all ranks: on every rank the bits of the statistics of all numbers at once.
#include "ranks.hpp"
#include "rational.hpp"

#include <acc/mpi.hpp>
#include <acc/statistics.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

template <class T>
acc::statistics<T> of(const std::vector<T>& x) {
  acc::statistics<T> s;
  for (const T v : x) s.add(v);
  return s;
}
template <class T>
acc::joint_statistics<T> of_pairs(const std::vector<std::pair<T, T>>& x) {
  acc::joint_statistics<T> s;
  for (const auto& [a, b] : x) s.add(a, b);
  return s;
}
template <class T>
void expect_same(const acc::statistics<T>& a, const acc::statistics<T>& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(bits_of(a.mean()), bits_of(b.mean()));
  for (const int ddof : {0, 1}) EXPECT_EQ(bits_of(a.variance(ddof)), bits_of(b.variance(ddof)));
}

template <class T>
class MpiStatistics : public testing::Test {};
using StatisticTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(MpiStatistics, StatisticTypes);

TYPED_TEST(MpiStatistics, HaveTheBitsOfAllNumbersAtOnce) {
  using T = TypeParam;
  for (const Data data : {Data::uniform, Data::wide, Data::all_exponents, Data::subnormal})
    for (const std::size_t n : {0, 1, 2, 3000})
      for (const Split split : all_splits) {
        const auto x = make<T>(data, n, 7), y = make<T>(Data::uniform, n, 8);
        auto one = of(share(x, split, 70));
        acc::mpi::all_reduce(MPI_COMM_WORLD, one);
        expect_same(one, of(x));
        std::vector<std::pair<T, T>> pairs(n);
        for (std::size_t i = 0; i < n; ++i) pairs[i] = {x[i], y[i]};
        auto both = of_pairs(share(pairs, split, 70));
        acc::mpi::all_reduce(MPI_COMM_WORLD, both);
        const auto want = of_pairs(pairs);
        EXPECT_EQ(both.count, want.count);
        EXPECT_EQ(bits_of(both.covariance(1)), bits_of(want.covariance(1)));
      }
}

/// Of this rank's part, against rational arithmetic on all numbers.
TYPED_TEST(MpiStatistics, OfViewsAreCorrectlyRounded) {
  using T = TypeParam;
  const Device exec;
  for (const Data data : {Data::uniform, Data::all_exponents, Data::massive_cancellation})
    for (const std::size_t n : {2, 3000})
      for (const Split split : all_splits) {
        const auto x = make<T>(data, n, 7), y = make<T>(Data::wide, n, 8);
        const Exact sum_x = exact_sum<T>(x), sum_y = exact_sum<T>(y);
        const Exact count = Exact(double(n)), less = Exact(double(n - 1));
        const auto moment = [&](const std::vector<T>& a, const std::vector<T>& b, const Exact& sums,
                                const Exact& over) {
          return bits_of(rounded_quotient<T>(count * exact_dot<T>(a, b) - sums, count * over));
        };
        const auto my_x = view_of(share(x, split, 70)), my_y = view_of(share(y, split, 70));
        EXPECT_EQ(bits_of(acc::mpi::mean(MPI_COMM_WORLD, exec, my_x)),
                  bits_of(rounded_quotient<T>(sum_x, count)));
        EXPECT_EQ(bits_of(acc::mpi::variance(MPI_COMM_WORLD, exec, my_x)),
                  moment(x, x, sum_x * sum_x, count));
        EXPECT_EQ(bits_of(acc::mpi::variance(MPI_COMM_WORLD, my_x, 1)),
                  moment(x, x, sum_x * sum_x, less));
        EXPECT_EQ(bits_of(acc::mpi::covariance(MPI_COMM_WORLD, exec, my_x, my_y)),
                  moment(x, y, sum_x * sum_y, count));
        EXPECT_EQ(bits_of(acc::mpi::covariance(MPI_COMM_WORLD, my_x, my_y, 1)),
                  moment(x, y, sum_x * sum_y, less));
        const Exact products = exact_dot<T>(x, y);
        EXPECT_EQ(bits_of(acc::mpi::weighted_mean(MPI_COMM_WORLD, exec, my_x, my_y)),
                  bits_of(sum_y.sign() < 0 ? rounded_quotient<T>(-products, -sum_y)
                                           : rounded_quotient<T>(products, sum_y)));
      }
  const Kokkos::View<T**> none("none", 0, 3);
  EXPECT_NE(acc::mpi::mean(MPI_COMM_WORLD, none), acc::mpi::mean(MPI_COMM_WORLD, none));
}

/// Counts of more than 32 bits.
TEST(MpiStatistics, LargeCountsAdd) {
  std::array<acc::statistics<double>, 2> s, at_root;
  const std::int64_t count = (std::int64_t(1) << 40) + 0xfffffff0;
  for (auto& one : s) one.count = count + rank();
  at_root = s;
  acc::mpi::all_reduce(MPI_COMM_WORLD, s);
  acc::mpi::reduce(MPI_COMM_WORLD, 0, at_root);
  const std::int64_t all = count * ranks() + std::int64_t(ranks()) * (ranks() - 1) / 2;
  for (const auto& one : s) EXPECT_EQ(one.count, all);
  if (rank() == 0) {
    EXPECT_EQ(at_root[1].count, all);
  }
}

TYPED_TEST(MpiStatistics, OfManyFieldsAreThoseOfEach) {
  using T = TypeParam;
  constexpr std::size_t fields = 700;  // more than a message on the stack has
  std::vector<acc::statistics<T>> mine, want;
  for (std::size_t f = 0; f < fields; ++f) {
    // Some sums of squares that a short message does not hold, among those that it does.
    const auto x = make<T>(f % 9 == 0 ? Data::all_exponents : Data::wide, f % 40, f);
    mine.push_back(of(share(x, Split::random, f)));
    want.push_back(of(x));
  }
  auto at_root = mine;
  acc::mpi::all_reduce(MPI_COMM_WORLD, std::span(mine));
  for (std::size_t f = 0; f < fields; ++f) expect_same(mine[f], want[f]);
  const auto before = at_root;
  const int root = ranks() - 1;
  acc::mpi::reduce(MPI_COMM_WORLD, root, std::span(at_root));
  for (std::size_t f = 0; f < fields; ++f)
    expect_same(at_root[f], rank() == root ? want[f] : before[f]);
}

TYPED_TEST(MpiStatistics, OfAFixedNumberOfFields) {
  using T = TypeParam;
  std::array<acc::statistics<T>, 2> mine, want;
  for (std::size_t f = 0; f < 2; ++f) {
    const auto x = make<T>(Data::wide, 20 + f, f);
    mine[f] = of(share(x, Split::random, f));
    want[f] = of(x);
  }
  auto by_span = mine, at_root = mine, by_span_at_root = mine;
  using Span = std::span<acc::statistics<T>, 2>;
  const int root = ranks() - 1;
  acc::mpi::all_reduce(MPI_COMM_WORLD, mine);
  acc::mpi::all_reduce(MPI_COMM_WORLD, Span(by_span));
  acc::mpi::reduce(MPI_COMM_WORLD, root, at_root);
  acc::mpi::reduce(MPI_COMM_WORLD, root, Span(by_span_at_root));
  for (std::size_t f = 0; f < 2; ++f) {
    expect_same(mine[f], want[f]);
    expect_same(by_span[f], want[f]);
    if (rank() != root) continue;
    expect_same(at_root[f], want[f]);
    expect_same(by_span_at_root[f], want[f]);
  }
}

TYPED_TEST(MpiStatistics, NotFiniteNumbersOfOneRankReachAll) {
  using T = TypeParam;
  acc::statistics<T> s;
  s.add(T(1));
  if (rank() == 0) s.add(std::numeric_limits<T>::infinity());
  acc::mpi::all_reduce(MPI_COMM_WORLD, s);
  EXPECT_EQ(s.count, ranks() + 1);
  EXPECT_EQ(s.mean(), std::numeric_limits<T>::infinity());
  EXPECT_NE(s.variance(), s.variance());
}

TEST(MpiStatistics, RejectRootsThatAreNone) {
  acc::statistics<double> s;
  EXPECT_THROW(acc::mpi::reduce(MPI_COMM_WORLD, -1, s), std::invalid_argument);
  EXPECT_THROW(acc::mpi::reduce(MPI_COMM_WORLD, ranks(), s), std::invalid_argument);
  EXPECT_THROW(acc::mpi::all_reduce(MPI_COMM_NULL, s), std::invalid_argument);
}

}  // namespace
}  // namespace acc_test
