// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// all_reduce and reduce: the state of one accumulator with all elements, on every rank, for any
// number of ranks and any distribution. EXPECT, never ASSERT: a rank that leaves a test early
// leaves the others waiting.
#include "ranks.hpp"

#include <acc/mpi.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace acc_test {
namespace {

template <class Sum>
class AllReduce : public testing::Test {};
using Sums = testing::Types<acc::superaccumulator<double>, acc::superaccumulator<float>,
                            acc::binned<double, 2>, acc::binned<double, 3>, acc::binned<double, 8>,
                            acc::binned<float, 2>, acc::binned<float, 3>>;
TYPED_TEST_SUITE(AllReduce, Sums);

/// Massive cancellation, ties, subnormals, overflow on the way, infinities, NaN, zeros of both
/// signs; numbers and products.
TYPED_TEST(AllReduce, RandomTermsOnAnyRanks) {
  using Sum = TypeParam;
  using T = typename Sum::scalar_type;
  Random random(40);
  for (int k = 0; k < 1000; ++k) {
    const auto terms = random_terms<T>(random);
    const Sum expected = sum_of<Sum>(terms);
    const Split split = all_splits[random.below(std::size(all_splits))];
    Sum sum = sum_of<Sum>(share(terms, split, random.bits()));
    acc::mpi::all_reduce(MPI_COMM_WORLD, sum);
    EXPECT_TRUE(identical(sum, expected)) << text(terms);
    EXPECT_EQ(bits_of(sum.value()), bits_of(expected.value())) << text(terms);
  }
}

TYPED_TEST(AllReduce, EveryFamilyAndDistribution) {
  using Sum = TypeParam;
  using T = typename Sum::scalar_type;
  for (const Data data : all_data) {
    const auto x = make<T>(data, 5000, 7);
    Sum expected;
    expected.add(x.data(), std::int64_t(x.size()));
    for (const Split split : all_splits) {
      const auto mine = share(x, split, 8);
      Sum sum;
      sum.add(mine.data(), std::int64_t(mine.size()));
      acc::mpi::all_reduce(MPI_COMM_WORLD, sum);
      EXPECT_TRUE(identical(sum, expected)) << name(data);
      if constexpr (acc::mpi::impl::wire_is_summable<Sum>) {
        EXPECT_EQ(bits_of(sum.value()), bits_of(round_to<T>(exact_sum<T>(x)))) << name(data);
      }
    }
  }
}

TYPED_TEST(AllReduce, NobodyHasAnything) {
  using Sum = TypeParam;
  Sum sum;
  acc::mpi::all_reduce(MPI_COMM_WORLD, sum);
  EXPECT_TRUE(identical(sum, Sum()));
  EXPECT_EQ(bits_of(sum.value()), bits_of(typename Sum::scalar_type(0)));
}

/// What came out goes in again, negative and not normalised too.
TYPED_TEST(AllReduce, AgainAndAgain) {
  using Sum = TypeParam;
  using T = typename Sum::scalar_type;
  Sum sum(T(rank() + 1)), expected;
  for (int r = 0; r < ranks(); ++r) expected.add(T(r + 1));
  acc::mpi::all_reduce(MPI_COMM_WORLD, sum);
  EXPECT_TRUE(identical(sum, expected));
  for (int k = 0; k < 20; ++k) {
    sum.negate();
    sum.add_product(T(3), T(0.3));
    acc::mpi::all_reduce(MPI_COMM_WORLD, sum);
    expected.negate();
    expected.add_product(T(3), T(0.3));
    const Sum one = expected;
    for (int r = 1; r < ranks(); ++r) expected.merge(one);
    EXPECT_TRUE(identical(sum, expected)) << k;
  }
}

/// Many in one message, from the stack and from the heap, and in several messages.
TYPED_TEST(AllReduce, Many) {
  using Sum = TypeParam;
  using T = typename Sum::scalar_type;
  for (const int n : {0, 1, 2, 31, 32, 33, 200}) {
    Random random(static_cast<std::uint64_t>(n));
    std::vector<Sum> sums, expected;
    for (int i = 0; i < n; ++i) {
      const auto terms = random_terms<T>(random);
      expected.push_back(sum_of<Sum>(terms));
      sums.push_back(sum_of<Sum>(share(terms, Split::random, random.bits())));
    }
    auto again = sums, at_root = sums;
    const int root = ranks() - 1;
    acc::mpi::all_reduce(MPI_COMM_WORLD, std::span(sums));
    acc::mpi::impl::reduce_sums<16>("test", MPI_COMM_WORLD, -1, again.data(), n);
    acc::mpi::reduce(MPI_COMM_WORLD, root, std::span(at_root));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_TRUE(identical(sums[i], expected[i])) << n << ", " << i;
      EXPECT_TRUE(identical(again[i], expected[i])) << n << ", " << i;
      EXPECT_TRUE(rank() != root || identical(at_root[i], expected[i])) << n << ", " << i;
    }
  }
}

/// std::array, and spans whose number is part of the type: as spans of any number.
TYPED_TEST(AllReduce, FixedNumbers) {
  using Sum = TypeParam;
  using T = typename Sum::scalar_type;
  constexpr std::size_t n = 3;
  std::array<Sum, n> sums, expected;
  Random random(7);
  for (std::size_t i = 0; i < n; ++i) {
    const auto terms = random_terms<T>(random);
    expected[i] = sum_of<Sum>(terms);
    sums[i] = sum_of<Sum>(share(terms, Split::random, i));
  }
  auto by_span = sums, at_root = sums, by_span_at_root = sums;
  const int root = ranks() - 1;
  acc::mpi::all_reduce(MPI_COMM_WORLD, sums);
  acc::mpi::all_reduce(MPI_COMM_WORLD, std::span<Sum, n>(by_span));
  acc::mpi::reduce(MPI_COMM_WORLD, root, at_root);
  acc::mpi::reduce(MPI_COMM_WORLD, root, std::span<Sum, n>(by_span_at_root));
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_TRUE(identical(sums[i], expected[i])) << i;
    EXPECT_TRUE(identical(by_span[i], expected[i])) << i;
    EXPECT_TRUE(rank() != root || identical(at_root[i], expected[i])) << i;
    EXPECT_TRUE(rank() != root || identical(by_span_at_root[i], expected[i])) << i;
  }
  EXPECT_THROW(acc::mpi::reduce(MPI_COMM_WORLD, -1, sums), std::invalid_argument);
}

TYPED_TEST(AllReduce, ReduceGivesItToTheRootAlone) {
  using Sum = TypeParam;
  using T = typename Sum::scalar_type;
  const auto x = make<T>(Data::wide, 1000, 9);
  Sum expected;
  expected.add(x.data(), std::int64_t(x.size()));
  for (int root = 0; root < ranks(); ++root) {
    const auto mine = share(x, Split::random, 10);
    Sum sum;
    sum.add(mine.data(), std::int64_t(mine.size()));
    const Sum before = sum;
    acc::mpi::reduce(MPI_COMM_WORLD, root, sum);
    EXPECT_TRUE(identical(sum, rank() == root ? expected : before));
  }
}

template <class Sum>
class AllReduceComplex : public testing::Test {};
using ComplexSums =
    testing::Types<acc::superaccumulator<Kokkos::complex<double>>,
                   acc::superaccumulator<Kokkos::complex<float>>,
                   acc::binned<Kokkos::complex<double>, 3>, acc::binned<Kokkos::complex<float>, 2>>;
TYPED_TEST_SUITE(AllReduceComplex, ComplexSums);

TYPED_TEST(AllReduceComplex, OneAndMany) {
  using Sum = TypeParam;
  using Z = typename Sum::scalar_type;
  using T = typename Sum::real_type;
  std::vector<Sum> sums(40), expected(40);
  Random random(50);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::vector<Z> x, y;
    for (int k = 0; k < 20; ++k) {
      x.push_back({random.any_finite<T>(), random.symmetric<T>()});
      y.push_back({random.symmetric<T>(), random.symmetric<T>()});
    }
    const std::uint64_t seed = random.bits();
    const auto xs = share(x, Split::random, seed), ys = share(y, Split::random, seed);
    sums[i].add_products(xs.data(), ys.data(), std::int64_t(xs.size()));
    expected[i].add_products(x.data(), y.data(), std::int64_t(x.size()));
  }
  Sum at_root = sums[0];
  acc::mpi::reduce(MPI_COMM_WORLD, 0, at_root);
  EXPECT_TRUE(rank() != 0 || identical(at_root, expected[0]));
  acc::mpi::all_reduce(MPI_COMM_WORLD, sums[0]);
  acc::mpi::all_reduce(MPI_COMM_WORLD, std::span(sums).subspan(1));
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_TRUE(identical(sums[i], expected[i])) << i;
}

/// sums(i) = mine (i + 1), by kernels.
template <class Sum>
struct SetMultiples {
  using T = typename Sum::scalar_type;
  Kokkos::View<Sum*, Device> sums;
  T mine;
  KOKKOS_FUNCTION void operator()(int i) const { sums(i) = Sum(mine * T(i + 1)); }
};

/// Views in the memory of the default execution space: of rank 0, contiguous, strided.
TYPED_TEST(AllReduce, Views) {
  using Sum = TypeParam;
  using T = typename Sum::scalar_type;
  const Device exec;
  const auto deposit_ranks = [&](const Kokkos::View<Sum*>& sums) {
    Kokkos::parallel_for(Kokkos::RangePolicy<Device>(exec, 0, sums.extent(0)),
                         SetMultiples<Sum>{sums, T(rank() + 1)});
  };
  const T total = T(ranks() * (ranks() + 1) / 2);
  Kokkos::View<Sum*> sums("sums", 10);
  deposit_ranks(sums);
  acc::mpi::all_reduce(MPI_COMM_WORLD, exec, sums);
  auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(host(i).value(), total * T(i + 1));

  Kokkos::View<Sum> one("one");
  Kokkos::deep_copy(one, Sum(T(1)));
  acc::mpi::all_reduce(MPI_COMM_WORLD, one);
  auto host_one = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), one);
  EXPECT_EQ(host_one().value(), T(ranks()));

  Kokkos::View<Sum*, Kokkos::LayoutStride> every_other(sums.data(), Kokkos::LayoutStride(5, 2));
  deposit_ranks(sums);
  acc::mpi::all_reduce(MPI_COMM_WORLD, exec, every_other);
  host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(host(i).value(), (i % 2 == 0 ? total : T(rank() + 1)) * T(i + 1));
  deposit_ranks(sums);
  acc::mpi::reduce(MPI_COMM_WORLD, 0, exec, sums);
  host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(host(i).value(), (rank() == 0 ? total : T(rank() + 1)) * T(i + 1));
}

/// Numbers for a sum: of one magnitude, or, wide, of any, so that no compact form holds them.
template <class S>
std::vector<S> numbers(Random& random, bool wide) {
  std::vector<S> x;
  for (int k = 0; k < 8; ++k) {
    if constexpr (std::is_floating_point_v<S>) {
      x.push_back(wide ? random.any_finite<S>() : random.symmetric<S>());
    } else {
      using T = typename S::value_type;
      x.push_back(wide ? S(random.any_finite<T>(), random.any_finite<T>())
                       : S(random.symmetric<T>(), random.symmetric<T>()));
    }
  }
  return x;
}

template <class Sum>
class AllReduceViews : public testing::Test {};
using ViewedSums =
    testing::Types<acc::superaccumulator<double>, acc::superaccumulator<float>,
                   acc::binned<double, 3>, acc::superaccumulator<Kokkos::complex<double>>,
                   acc::binned<Kokkos::complex<float>, 2>>;
TYPED_TEST_SUITE(AllReduceViews, ViewedSums);

/// More sums than are copied from a device: contiguous and every other; in one message and by
/// kernels in several, with wide sums and without, the last one shorter.
TYPED_TEST(AllReduceViews, ManyHaveTheBitsOfTheHosts) {
  using Sum = TypeParam;
  using S = typename Sum::scalar_type;
  const Device exec;
  constexpr std::size_t n = 203;
  Random random(60);
  std::vector<Sum> mine(n), want(n), twice_mine(2 * n), some_want(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = numbers<S>(random, i >= 100 && i < 120);
    for (const S v : x) want[i].add(v);
    for (const S v : share(x, Split::random, i)) mine[i].add(v);
    twice_mine[2 * i] = twice_mine[2 * i + 1] = some_want[2 * i + 1] = mine[i];
    some_want[2 * i] = want[i];
  }
  const auto expect_sums = [](const auto& sums, const std::vector<Sum>& expected) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(identical(host(i), expected[i])) << i;
  };
  const auto every_other = [](const Kokkos::View<Sum*, Device>& sums) {
    return Kokkos::View<Sum*, Kokkos::LayoutStride, Device>(sums.data(),
                                                            Kokkos::LayoutStride(n, 2));
  };
  const auto a = view_of(mine), b = view_of(twice_mine), c = view_of(mine), d = view_of(twice_mine);
  acc::mpi::all_reduce(MPI_COMM_WORLD, exec, a);
  expect_sums(a, want);
  acc::mpi::all_reduce(MPI_COMM_WORLD, exec, every_other(b));
  expect_sums(b, some_want);
  acc::mpi::impl::all_reduce_by_kernels<16>("test", MPI_COMM_WORLD, exec, c);
  expect_sums(c, want);
  acc::mpi::impl::all_reduce_by_kernels<16>("test", MPI_COMM_WORLD, exec, every_other(d));
  expect_sums(d, some_want);
  const auto e = view_of(twice_mine);
  acc::mpi::reduce(MPI_COMM_WORLD, 0, exec, every_other(e));
  expect_sums(e, rank() == 0 ? some_want : twice_mine);
}

/// Of a part of the ranks, numbered backwards; and of two groups at the same time.
TYPED_TEST(AllReduce, OtherCommunicators) {
  using Sum = TypeParam;
  using T = typename Sum::scalar_type;
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &comm);
  Sum sum(T(rank() + 1)), expected;
  for (int r = rank() % 2; r < ranks(); r += 2) expected.add(T(r + 1));
  acc::mpi::all_reduce(comm, sum);
  EXPECT_TRUE(identical(sum, expected));
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace acc_test
