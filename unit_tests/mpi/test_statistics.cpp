// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics of all ranks: on every rank the bits of the statistics of all numbers at once.
#include "ranks.hpp"

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

TYPED_TEST(MpiStatistics, OfManyFieldsAreThoseOfEach) {
  using T = TypeParam;
  constexpr std::size_t fields = 700;  // more than a message on the stack has
  std::vector<acc::statistics<T>> mine, want;
  for (std::size_t f = 0; f < fields; ++f) {
    const auto x = make<T>(Data::wide, f % 40, f);
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
