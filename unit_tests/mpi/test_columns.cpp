// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::mpi::sum and dot of columns, and sum_by_index: on every rank the bits that acc's functions
// by exact and reproducible give on the host for all rows and numbers.
#include "ranks.hpp"

#include <acc/mpi.hpp>
#include <acc/scatter_sum.hpp>
#include <acc/sum.hpp>
#include <acc/sum_by_index.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
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
    const Kokkos::View<T*> r("r", n);
    acc::mpi::sum(MPI_COMM_WORLD, r, mine);
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), r);
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<T> column;
      for (std::size_t i = 0; i < m; ++i)
        column.push_back(number<T>(Data::all_exponents, 1 + 100 * (i * n + j)));
      EXPECT_EQ(got(j), round_to<T>(exact_sum<T>(column)));
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
  std::vector<int> index(n);
  for (int& b : index) b = int(random.below(m));
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
    }
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
}

}  // namespace
}  // namespace acc_test
