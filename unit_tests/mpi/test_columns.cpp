// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::mpi::sum, dot, dotu, asum and nrm2 of columns, and sum_by_index: on every rank the bits that
// acc's functions by exact and reproducible give on the host for all rows and numbers.
#include "ranks.hpp"

#include <acc/asum.hpp>
#include <acc/mpi.hpp>
#include <acc/nrm2.hpp>
#include <acc/scatter_sum.hpp>
#include <acc/sum.hpp>
#include <acc/sum_by_index.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace acc_test {
namespace {

template <class T>
T number(Data data, std::uint64_t seed) {
  if constexpr (std::is_floating_point_v<T>) {
    return make<T>(data, 1, seed)[0];
  } else {
    using R = typename T::value_type;
    return T(make<R>(data, 1, seed)[0], make<R>(data, 1, seed + 7)[0]);
  }
}

/// n indexes below m.
std::vector<int> indexes(Random& random, std::size_t n, std::size_t m) {
  std::vector<int> index(n);
  for (int& b : index) b = int(random.below(m));
  return index;
}

/// Some rows of a matrix that all ranks know.
template <class View>
View rows_of(const std::vector<std::size_t>& which, std::size_t columns, Data data,
             std::uint64_t seed) {
  const View d("d", which.size(), columns);
  const auto h = Kokkos::create_mirror_view(d);
  for (std::size_t l = 0; l < which.size(); ++l)
    for (std::size_t j = 0; j < columns; ++j)
      h(l, j) = number<typename View::value_type>(data, seed + 100 * (which[l] * columns + j));
  Kokkos::deep_copy(d, h);
  return d;
}
std::vector<std::size_t> first_numbers(std::size_t n) {
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

template <class V, class W>
void expect_same(const V& got, const W& want, const std::string& text) {
  static_assert(std::is_same_v<typename V::value_type, typename W::value_type>);
  ASSERT_EQ(got.size(), want.size()) << text;
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), want);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(std::memcmp(x.data() + i, y.data() + i, sizeof(*x.data())), 0) << text << ": " << i;
}

template <class T, class Space = Device>
using Left = Kokkos::View<T**, Kokkos::LayoutLeft, Space>;
template <class T, class Space = Device>
using Right = Kokkos::View<T**, Kokkos::LayoutRight, Space>;

template <class T>
class MpiColumns : public testing::Test {};
using Elements = testing::Types<double, float, Kokkos::complex<double>>;
TYPED_TEST_SUITE(MpiColumns, Elements);

TYPED_TEST(MpiColumns, TheBitsOfOneRankForAnyDistribution) {
  using T = TypeParam;
  const Device exec;
  const Host host;
  const std::size_t m = 61, n = 9;
  const auto all = first_numbers(m);
  for (const Data data : {Data::uniform, Data::all_exponents, Data::massive_cancellation}) {
    const auto x = rows_of<Left<T, Host>>(all, n, data, 1);
    const auto y = rows_of<Right<T, Host>>(all, n, Data::wide, 9);
    const auto v = Kokkos::subview(y, Kokkos::ALL, 1);
    for (const Split split : all_splits) {
      const auto mine = share(all, split, 3);
      const auto my_x = rows_of<Left<T>>(mine, n, data, 1);
      const auto my_y = rows_of<Right<T>>(mine, n, Data::wide, 9);
      const auto check = [&](auto method) {
        const Kokkos::View<T*> got("got", n);
        const Kokkos::View<T*, Host> want("want", n);
        acc::sum(host, want, x, method);
        acc::mpi::sum(MPI_COMM_WORLD, exec, got, my_x, method);
        expect_same(got, want, "sum");
        acc::dot(host, want, x, y, method);
        acc::mpi::dot(MPI_COMM_WORLD, exec, got, my_x, my_y, method);
        expect_same(got, want, "dot");
        acc::dot(host, want, x, v, method);
        acc::mpi::dot(MPI_COMM_WORLD, got, my_x, Kokkos::subview(my_y, Kokkos::ALL, 1), method);
        expect_same(got, want, "dot with one vector");
        acc::dot(host, want, v, x, method);
        acc::mpi::dot(MPI_COMM_WORLD, got, Kokkos::subview(my_y, Kokkos::ALL, 1), my_x, method);
        expect_same(got, want, "dot of one vector");
        acc::dotu(host, want, x, y, method);
        acc::mpi::dotu(MPI_COMM_WORLD, got, my_x, my_y, method);
        expect_same(got, want, "dotu");
        using Real = acc::impl::real_t<T>;
        const Kokkos::View<Real*> norms("norms", n);
        const Kokkos::View<Real*, Host> want_norms("want", n);
        acc::asum(host, want_norms, x, method);
        acc::mpi::asum(MPI_COMM_WORLD, norms, my_x, method);
        expect_same(norms, want_norms, "asum");
        acc::nrm2(host, want_norms, x, acc::exact{});
        acc::mpi::nrm2(MPI_COMM_WORLD, exec, norms, my_x);
        expect_same(norms, want_norms, "nrm2");
      };
      check(acc::exact{});
      check(acc::reproducible<3>{});
    }
  }
}

TYPED_TEST(MpiColumns, AgainstTheOracle) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    const std::size_t m = 200, n = 4;
    const auto all = first_numbers(m);
    const auto mine = rows_of<Right<T>>(share(all, Split::random, 5), n, Data::all_exponents, 1);
    const Kokkos::View<T*> r("r", n), s("s", n), t("t", n);
    acc::mpi::sum(MPI_COMM_WORLD, r, mine);
    acc::mpi::asum(MPI_COMM_WORLD, s, mine);
    acc::mpi::dotu(MPI_COMM_WORLD, t, mine, mine);
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), r);
    const auto magnitudes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), s);
    const auto squares = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), t);
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<T> column, absolute;
      for (std::size_t i = 0; i < m; ++i) {
        column.push_back(number<T>(Data::all_exponents, 1 + 100 * (i * n + j)));
        absolute.push_back(std::abs(column.back()));
      }
      EXPECT_EQ(got(j), round_to<T>(exact_sum<T>(column)));
      EXPECT_EQ(magnitudes(j), round_to<T>(exact_sum<T>(absolute)));
      EXPECT_EQ(squares(j), round_to<T>(exact_dot<T>(column, column)));
    }
  }
}

/// More columns than have sums at once.
TEST(MpiManyColumns, TheBitsOfOneRank) {
  const std::size_t n = acc::mpi::impl::sums_at_once + 5;
  const auto fill = [&](const auto& d, const std::vector<std::size_t>& which) {
    const auto h = Kokkos::create_mirror_view(d);
    for (std::size_t l = 0; l < which.size(); ++l)
      for (std::size_t j = 0; j < n; ++j) h(l, j) = 1.0f / float(1 + which[l] * n + j);
    Kokkos::deep_copy(d, h);
  };
  const Right<float, Host> whole("whole", 3, n);
  fill(whole, {0, 1, 2});
  const auto mine = share(first_numbers(3), Split::cyclic, 1);
  const Right<float> rows("rows", mine.size(), n);
  fill(rows, mine);
  const Kokkos::View<float*> got("got", n);
  const Kokkos::View<float*, Host> want("want", n);
  acc::sum(Host(), want, whole, acc::exact{});
  acc::mpi::sum(MPI_COMM_WORLD, Device(), got, rows);
  expect_same(got, want, "sum");
}

TYPED_TEST(MpiColumns, SumsByIndexHaveTheBitsOfOneRank) {
  using T = TypeParam;
  const Device exec;
  const Host host;
  const std::size_t n = 300, columns = 3;
  const auto all = first_numbers(n);
  Random random(8);
  std::vector<int> index(n);
  for (int& b : index) b = int(random.below(12)) - 1;  // -1: nowhere
  for (const Data data : {Data::uniform, Data::all_exponents}) {
    const auto x = rows_of<Left<T, Host>>(all, columns, data, 1);
    const auto everywhere = view_of<Host>(index);
    const Right<T> got("got", 13, columns);
    const Right<T, Host> want("want", 13, columns);
    const Kokkos::View<T*> got_1("got", 13);
    const Kokkos::View<T*, Host> want_1("want", 13);
    acc::sum_by_index(host, want, everywhere, x);
    acc::sum_by_index(host, want_1, everywhere, Kokkos::subview(x, Kokkos::ALL, 1));
    for (const Split split : all_splits) {
      const auto my_x = rows_of<Left<T>>(share(all, split, 3), columns, data, 1);
      const auto my_index = view_of(share(index, split, 3));
      Kokkos::deep_copy(got, T(7));
      acc::mpi::sum_by_index(MPI_COMM_WORLD, exec, got, my_index, my_x);
      expect_same(got, want, "rows");
      acc::mpi::sum_by_index(MPI_COMM_WORLD, got_1, my_index,
                             Kokkos::subview(my_x, Kokkos::ALL, 1));
      expect_same(got_1, want_1, "numbers");
    }
  }
}

/// By reproducible<K>, and upon what r has on rank 0.
TYPED_TEST(MpiColumns, SumsByIndexByMethodHaveTheBitsOfOneRank) {
  using T = TypeParam;
  const Device exec;
  const Host host;
  const std::size_t n = 300, columns = 3;
  const auto all = first_numbers(n);
  Random random(18);
  std::vector<int> index(n);
  for (int& b : index) b = int(random.below(12)) - 1;
  for (const Data data : {Data::uniform, Data::all_exponents}) {
    const auto x = rows_of<Left<T, Host>>(all, columns, data, 1);
    const auto before = rows_of<Right<T, Host>>(first_numbers(13), columns, Data::wide, 5);
    const auto everywhere = view_of<Host>(index);
    const Right<T> got("got", 13, columns);
    const Right<T, Host> want("want", 13, columns), want_upon("want", 13, columns),
        want_exact("want", 13, columns);
    acc::sum_by_index(host, want, everywhere, x, acc::reproducible<2>{});
    Kokkos::deep_copy(want_upon, before);
    acc::add_by_index(host, want_upon, everywhere, x, acc::reproducible<2>{});
    Kokkos::deep_copy(want_exact, before);
    acc::add_by_index(host, want_exact, everywhere, x);
    // What other ranks have in r does not count.
    const auto begin = [&] {
      Kokkos::deep_copy(got, T(std::numeric_limits<acc::impl::real_t<T>>::quiet_NaN()));
      if (rank() == 0) Kokkos::deep_copy(got, before);
    };
    for (const Split split : all_splits) {
      const auto my_x = rows_of<Left<T>>(share(all, split, 3), columns, data, 1);
      const auto my_index = view_of(share(index, split, 3));
      Kokkos::deep_copy(got, T(7));
      acc::mpi::sum_by_index(MPI_COMM_WORLD, exec, got, my_index, my_x, acc::reproducible<2>{});
      expect_same(got, want, "reproducible");
      begin();
      acc::mpi::add_by_index(MPI_COMM_WORLD, got, my_index, my_x, acc::reproducible<2>{});
      expect_same(got, want_upon, "reproducible, added");
      begin();
      acc::mpi::add_by_index(MPI_COMM_WORLD, exec, got, my_index, my_x);
      expect_same(got, want_exact, "exact, added");
    }
  }
}

/// More sums than there are at once.
TEST(MpiManyColumns, SumsByIndexHaveTheBitsOfOneRank) {
  const std::size_t m = acc::mpi::impl::sums_at_once + 70, n = 3000;
  Random random(9);
  std::vector<std::int64_t> index(n);
  for (auto& b : index) b = std::int64_t(m - 1 - random.below(n % 2 == 0 ? 2000 : 1) * 33);
  const auto x = make<float>(Data::wide, n, 4);
  const Kokkos::View<float*> got("got", m);
  const Kokkos::View<float*, Host> want("want", m);
  acc::sum_by_index(Host(), want, view_of<Host>(index), view_of<Host>(x));
  acc::mpi::sum_by_index(MPI_COMM_WORLD, Device(), got, view_of(share(index, Split::random, 2)),
                         view_of(share(x, Split::random, 2)));
  expect_same(got, want, "many");
  acc::sum_by_index(Host(), want, view_of<Host>(index), view_of<Host>(x), acc::reproducible<3>{});
  acc::mpi::sum_by_index(MPI_COMM_WORLD, Device(), got, view_of(share(index, Split::random, 2)),
                         view_of(share(x, Split::random, 2)), acc::reproducible<3>{});
  expect_same(got, want, "many, reproducible");
}

/// Sums that each rank's kernel adds to, merged unrounded.
template <class T>
struct AddByIndex {
  acc::scatter_sum<T, Device> sums;
  Kokkos::View<int*> index;
  Kokkos::View<T*> x;
  KOKKOS_FUNCTION void operator()(int i) const { sums.add(index(i), x(i)); }
};
TYPED_TEST(MpiColumns, ScatteredSumsMergeOverRanks) {
  using T = TypeParam;
  const Device exec;
  constexpr std::size_t n = 400, m = 70;
  Random random(10);
  const auto index = indexes(random, n, m);
  for (const Data data : {Data::uniform, Data::all_exponents}) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = number<T>(data, i);
    const Kokkos::View<T*, Host> want("want", m);
    acc::sum_by_index(Host(), want, view_of<Host>(index), view_of<Host>(x));
    for (const Split split : all_splits) {
      const auto my_index = view_of(share(index, split, 5));
      const acc::scatter_sum<T, Device> sums("sums", m);
      Kokkos::parallel_for("add", Kokkos::RangePolicy<Device>(exec, 0, int(my_index.extent(0))),
                           AddByIndex<T>{sums, my_index, view_of(share(x, split, 5))});
      const Kokkos::View<acc::superaccumulator<T>*> exact("exact", m);
      sums.add_to(exec, exact);
      exec.fence();
      acc::mpi::all_reduce(MPI_COMM_WORLD, exact);
      const auto all = Kokkos::create_mirror_view_and_copy(Host(), exact);
      const Kokkos::View<T*, Host> got("got", m);
      for (std::size_t b = 0; b < m; ++b) got(b) = all(b).value();
      expect_same(got, want, "scattered");
      // The same by one call, and once more upon what it has left.
      acc::mpi::all_reduce(MPI_COMM_WORLD, exec, sums);
      const Kokkos::View<T*> rounded("rounded", m);
      sums.round(exec, rounded);
      exec.fence();
      expect_same(rounded, want, "merged");
      if (ranks() == 1) acc::mpi::all_reduce(MPI_COMM_WORLD, sums);
      sums.round(exec, rounded);
      exec.fence();
      expect_same(rounded, want, "merged again");
    }
  }
}

/// Of a stated range: limbs travel. A rank may have none of the numbers.
TYPED_TEST(MpiColumns, ScatteredSumsOfARangeMergeOverRanks) {
  using T = TypeParam;
  using R = acc::impl::real_t<T>;
  const Device exec;
  constexpr std::size_t n = 500, m = 7;
  Random random(11);
  const auto index = indexes(random, n, m);
  std::vector<T> x(n);
  const auto multiple = [&](int unit) {
    return std::ldexp(R(random.integer(-(1 << 20), 1 << 20)), unit);
  };
  for (const acc::exponent_range range : {acc::exponent_range{-20, 1}, {-60, 21}, {-100, -20}}) {
    for (T& v : x) {
      v = T(multiple(range.unit));
      if constexpr (!std::is_floating_point_v<T>) v = T(multiple(range.unit), multiple(range.unit));
    }
    const Kokkos::View<T*, Host> want("want", m);
    acc::sum_by_index(Host(), want, view_of<Host>(index), view_of<Host>(x));
    for (const Split split : all_splits) {
      const auto my_index = view_of(share(index, split, 5));
      const acc::scatter_sum<T, Device> sums("sums", m, range);
      Kokkos::parallel_for("add", Kokkos::RangePolicy<Device>(exec, 0, int(my_index.extent(0))),
                           AddByIndex<T>{sums, my_index, view_of(share(x, split, 5))});
      acc::mpi::all_reduce(MPI_COMM_WORLD, exec, sums);
      const Kokkos::View<T*> got("got", m);
      sums.round(exec, got);
      exec.fence();
      expect_same(got, want, "of a range");
    }
  }
}

/// To one rank, which alone gets the sums of all: the others keep what they had.
TYPED_TEST(MpiColumns, ScatteredSumsMergeAtARoot) {
  using T = TypeParam;
  const Device exec;
  constexpr std::size_t n = 300, m = 11;
  Random random(12);
  const auto index = indexes(random, n, m);
  std::vector<T> x(n);
  for (T& v : x) v = T(std::ldexp(acc::impl::real_t<T>(random.integer(-(1 << 20), 1 << 20)), -20));
  const Kokkos::View<T*, Host> all("all", m);
  acc::sum_by_index(Host(), all, view_of<Host>(index), view_of<Host>(x));
  const auto my_index = view_of(share(index, Split::random, 6));
  const auto my_x = view_of(share(x, Split::random, 6));
  const Kokkos::View<T*> mine("mine", m);
  acc::sum_by_index(mine, my_index, my_x);
  const auto check = [&](const acc::scatter_sum<T, Device>& sums, int root, const char* which) {
    Kokkos::parallel_for("add", Kokkos::RangePolicy<Device>(exec, 0, int(my_index.extent(0))),
                         AddByIndex<T>{sums, my_index, my_x});
    // The default instance, too.
    if (root == 0)
      acc::mpi::reduce(MPI_COMM_WORLD, root, exec, sums);
    else
      acc::mpi::reduce(MPI_COMM_WORLD, root, sums);
    const Kokkos::View<T*> got("got", m);
    sums.round(exec, got);
    exec.fence();
    if (rank() == root)
      expect_same(got, all, which);
    else
      expect_same(got, mine, which);
  };
  for (int root = 0; root < ranks(); ++root) {
    check(acc::scatter_sum<T, Device>("sums", m), root, "any numbers");
    check(acc::scatter_sum<T, Device>("sums", m, {-20, 1}), root, "one limb");
    check(acc::scatter_sum<T, Device>("sums", m, {-60, 21}), root, "several limbs");
  }
}

/// What one rank has beyond the range, all ranks find; and sums that only all ranks' numbers take
/// beyond their limb.
TEST(MpiManyColumns, WhatARangeDoesNotHoldIsFoundOnAllRanks) {
  const Device exec;
  const Kokkos::View<double*> r("r", 2);
  const Kokkos::View<int*> index("index", 1);
  const auto add = [&](const acc::scatter_sum<double, Device>& sums, double x) {
    const Kokkos::View<double*> one("one", 1);
    Kokkos::deep_copy(one, x);
    Kokkos::parallel_for("add", Kokkos::RangePolicy<Device>(exec, 0, 1),
                         AddByIndex<double>{sums, index, one});
    exec.fence();
  };
  const acc::scatter_sum<double, Device> sums("sums", 2, {-24, 0});
  add(sums, rank() == ranks() - 1 ? 0x1p-25 : 0.5);
  acc::mpi::all_reduce(MPI_COMM_WORLD, sums);
  EXPECT_THROW(sums.round(exec, r), std::range_error);
  // To a root: that rank finds it, and the one that has it.
  const acc::scatter_sum<double, Device> to_root("to root", 2, {-24, 0});
  add(to_root, rank() == ranks() - 1 ? 0x1p-25 : 0.5);
  acc::mpi::reduce(MPI_COMM_WORLD, 0, to_root);
  if (rank() == 0 || rank() == ranks() - 1)
    EXPECT_THROW(to_root.round(exec, r), std::range_error);
  else
    EXPECT_NO_THROW(to_root.round(exec, r));
  exec.fence();
  // 2^60 units of the one limb on each rank: two ranks reach what is found.
  const acc::scatter_sum<double, Device> full("full", 2, {0, 42});
  add(full, 0x1p41);
  for (int k = 0; k < 19; ++k) full.merge(exec, full);
  exec.fence();
  acc::mpi::all_reduce(MPI_COMM_WORLD, exec, full);
  if (ranks() == 1) {
    full.round(exec, r);
    exec.fence();
    EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Host(), r)(0), 0x1p60);
  } else {
    EXPECT_THROW(full.round(exec, r), std::range_error);
  }
}

template <class F>
std::string what(const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing";
}

TEST(MpiManyColumns, RejectWhatDoesNotFit) {
  const Kokkos::View<double**> x("x", 4, 3);
  const Kokkos::View<double*> r("r", 3), short_r("r", 2), numbers("numbers", 4);
  const Kokkos::View<int*> index("index", 4);
  EXPECT_EQ(what([&] { acc::mpi::sum(MPI_COMM_WORLD, short_r, x); }),
            "acc::mpi::sum: r must have one element for each column of x, but x is 4 x 3 and r has "
            "extent 2");
  EXPECT_NE(what([&] { acc::mpi::dot(MPI_COMM_WORLD, short_r, x, x); }), "nothing");
  EXPECT_EQ(what([&] { acc::mpi::sum(MPI_COMM_NULL, r, x); }),
            "acc::mpi::sum: comm is MPI_COMM_NULL");
  EXPECT_EQ(what([&] { acc::mpi::sum_by_index(MPI_COMM_WORLD, r, index, r); }),
            "acc::mpi::sum_by_index: index and x must have the same length, but index has extent 4 "
            "and x has extent 3");
  Kokkos::deep_copy(index, 3);
  EXPECT_EQ(what([&] { acc::mpi::sum_by_index(MPI_COMM_WORLD, r, index, numbers); }),
            "acc::mpi::sum_by_index: index(0) is 3, but r has extent 3");
  const acc::scatter_sum<double, Device> scattered("scattered", 2);
  EXPECT_EQ(what([&] { acc::mpi::reduce(MPI_COMM_WORLD, -1, scattered); }),
            "acc::mpi::reduce: root is -1");
  const std::string number = std::to_string(ranks());
  EXPECT_EQ(what([&] { acc::mpi::reduce(MPI_COMM_WORLD, ranks(), scattered); }),
            "acc::mpi::reduce: root is " + number + ", but comm has " + number + " ranks");
  if (ranks() == 1) return;
  // Another number of columns on one rank: every rank hears of it.
  const std::size_t n = rank() == 0 ? 3 : 2;
  const std::string mine = std::to_string(n) + " on this rank, but 2 to 3 on all";
  const Kokkos::View<double**> y("y", 4, n);
  const Kokkos::View<double*> s("s", n);
  EXPECT_EQ(what([&] { acc::mpi::sum(MPI_COMM_WORLD, s, y); }),
            "acc::mpi::sum: r has extent " + mine);
  Kokkos::deep_copy(index, 0);
  EXPECT_EQ(what([&] { acc::mpi::sum_by_index(MPI_COMM_WORLD, s, index, numbers); }),
            "acc::mpi::sum_by_index: r has extent " + mine);
  const Kokkos::View<double**> wide("wide", 4, n), sums("sums", 5, n);
  EXPECT_EQ(what([&] { acc::mpi::sum_by_index(MPI_COMM_WORLD, sums, index, wide); }),
            "acc::mpi::sum_by_index: r has a number of columns of " + mine);
  EXPECT_EQ(what([&] {
              acc::mpi::all_reduce(MPI_COMM_WORLD, acc::scatter_sum<double, Device>("sums", n));
            }),
            "acc::mpi::all_reduce: the number of sums is " + mine);
  EXPECT_EQ(what([&] {
              acc::mpi::reduce(MPI_COMM_WORLD, 1, acc::scatter_sum<double, Device>("sums", n));
            }),
            "acc::mpi::reduce: the number of sums is " + mine);
  const int unit = rank() == 0 ? -3 : -2;
  EXPECT_EQ(what([&] {
              acc::mpi::all_reduce(MPI_COMM_WORLD,
                                   acc::scatter_sum<double, Device>("sums", 2, {unit, 1}));
            }),
            "acc::mpi::all_reduce: the sums' unit is 2 to the power of " + std::to_string(unit) +
                " on this rank, but -3 to -2 on all");
}

}  // namespace
}  // namespace acc_test
