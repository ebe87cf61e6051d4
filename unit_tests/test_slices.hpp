// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, dots and norms of columns, and sums, norms, means and variances along axes: the bits of the
// function of each slice alone, for every shape, layout and engine.
#pragma once

#include "arrays.hpp"
#include "device.hpp"
#include "hard_numbers.hpp"
#include "one_thread.hpp"

#include <acc/along.hpp>
#include <acc/asum.hpp>
#include <acc/dot.hpp>
#include <acc/nrm2.hpp>
#include <acc/statistics.hpp>
#include <acc/sum.hpp>

#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

/// What is expected of slices along an axis: f(slices...) of each.
template <int Rank, class F, class... Arrays>
std::vector<std::string> of_slices(int axis, const F& f, const Arrays&... x) {
  Index<Rank> extent = std::get<0>(std::tie(x...)).extent;
  extent[axis] = 1;
  std::vector<std::string> want;
  each_index<Rank>(extent,
                   [&](const Index<Rank>& i) { want.push_back(bits(f(x.slice(i, axis)...))); });
  return want;
}
template <int Rank>
Index<Rank - 1> without(const Index<Rank>& extent, int axis) {
  Index<Rank - 1> rest;
  for (int d = 0, e = 0; d < Rank; ++d)
    if (d != axis) rest[e++] = extent[d];
  return rest;
}
template <class R>
void expect_results(const R& r, const std::vector<std::string>& want, const std::string& what) {
  const auto got = r.elements();
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(bits(got[i]), want[i]) << what << ", slice " << i;
}
inline std::string text(Order order, std::size_t rows, std::size_t columns, Data data) {
  return std::string(order == Order::right  ? "right "
                     : order == Order::left ? "left "
                                            : "gaps ") +
         std::to_string(rows) + " x " + std::to_string(columns) + " " + std::string(name(data));
}

template <class C>
class Columns : public testing::Test {
 public:
  using T = typename C::Scalar;
  using M = typename C::Method;
  using Real = typename C::Real;

  /// Lengths around stripes and leaves, and counts around what is taken at once.
  static std::vector<Index<2>> shapes() {
    const std::size_t s = row<T>, l = leaf<T>;
    return {{0, 3},      {5, 0},           {1, 1},         {1, 9},       {3, 40},
            {s, 5},      {s + 1, 8},       {2 * s + 3, 7}, {l - 1, 16},  {l, 17},
            {l + 1, 3},  {3 * l + 7, 9},   {700, 33},      {130, 27},    {9 * l + 5, 1},
            {20 * l, 2}, {16 * l + 3, 18}, {s + 5, 123},   {3 * s, 131}, {l + 70, 131}};
  }
  static std::vector<Data> families() {
    return {Data::wide, Data::all_exponents, Data::near_overflow, Data::subnormal};
  }
  template <class F>
  static void each_case(const F& f) {
    for (const Index<2>& shape : shapes())
      for (const Order order : all_orders) {
        const std::size_t pick = shape[0] + shape[1] + static_cast<std::size_t>(order);
        const Data data = families()[pick % families().size()];
        f(shape, order, data, text(order, shape[0], shape[1], data));
      }
  }
};
using ColumnCases =
    testing::Types<Case<acc::compensated, double>, Case<acc::compensated, float>,
                   Case<acc::compensated, Kokkos::complex<double>>, Case<acc::plain, float>,
                   Case<acc::exact, double>, Case<acc::exact, float>,
                   Case<acc::exact, Kokkos::complex<float>>, Case<acc::reproducible<3>, float>>;
TYPED_TEST_SUITE(Columns, ColumnCases);

TYPED_TEST(Columns, SumsHaveTheBitsOfEachColumnsSum) {
  using T = typename TypeParam::Scalar;
  const typename TypeParam::Method method;
  this->each_case([&](const Index<2>& shape, Order order, Data data, const std::string& what) {
    const Array<T, 2> x(shape, order, elements<T>(data, shape[0] * shape[1], shape[1]));
    const auto want =
        of_slices<2>(0, [&](const auto& v) { return acc::sum(one_thread(), v, method); }, x);
    for (const Order of_r : {Order::right, Order::gaps}) {
      const Array<T, 1> r({shape[1]}, of_r);
      acc::sum(Exec{}, r.view(), x.view(), method);
      expect_results(r, want, what);
    }
  });
}

/// More pieces than a warp combines at once.
TYPED_TEST(Columns, OfManyLeavesHaveTheBitsOfEachColumnsSum) {
  using T = typename TypeParam::Scalar;
  const typename TypeParam::Method method;
  const Index<2> shape = {270 * leaf<T> + 4, 2};
  for (const Order order : {Order::left, Order::right}) {
    const Array<T, 2> x(shape, order, elements<T>(Data::wide, shape[0] * shape[1], 5));
    const Array<T, 1> r({shape[1]}, Order::right);
    acc::sum(Exec{}, r.view(), x.view(), method);
    expect_results(r,
                   of_slices<2>(
                       0, [&](const auto& v) { return acc::sum(one_thread(), v, method); }, x),
                   text(order, shape[0], shape[1], Data::wide));
  }
}

TYPED_TEST(Columns, NormsHaveTheBitsOfEachColumnsNorm) {
  using T = typename TypeParam::Scalar;
  using Real = typename TypeParam::Real;
  const typename TypeParam::Method method;
  this->each_case([&](const Index<2>& shape, Order order, Data data, const std::string& what) {
    const Array<T, 2> x(shape, order, elements<T>(data, shape[0] * shape[1], shape[1]));
    const Array<Real, 1> r({shape[1]}, Order::right);
    acc::nrm2(Exec{}, r.view(), x.view(), method);
    expect_results(r,
                   of_slices<2>(
                       0, [&](const auto& v) { return acc::nrm2(one_thread(), v, method); }, x),
                   what);
    acc::asum(Exec{}, r.view(), x.view(), method);
    const auto want =
        of_slices<2>(0, [&](const auto& v) { return acc::asum(one_thread(), v, method); }, x);
    expect_results(r, want, what);
    acc::nrm1(r.view(), x.view(), method);
    expect_results(r, want, what);
  });
}

TYPED_TEST(Columns, DotsHaveTheBitsOfEachColumnsDot) {
  using T = typename TypeParam::Scalar;
  const typename TypeParam::Method method;
  this->each_case([&](const Index<2>& shape, Order order, Data data, const std::string& what) {
    const std::size_t n = shape[0] * shape[1];
    const Array<T, 2> x(shape, order, elements<T>(data, n, 1));
    const auto dot = [&](const auto& a, const auto& b) {
      return acc::dot(one_thread(), a, b, method);
    };
    for (const Order of_y : all_orders) {
      const Array<T, 2> y(shape, of_y, elements<T>(Data::uniform, n, 2));
      const Array<T, 1> r({shape[1]}, Order::right);
      acc::dot(Exec{}, r.view(), x.view(), y.view(), method);
      expect_results(r, of_slices<2>(0, dot, x, y), what);
      acc::dotu(r.view(), x.view(), y.view(), method);
      expect_results(
          r,
          of_slices<2>(
              0,
              [&](const auto& a, const auto& b) { return acc::dotu(one_thread(), a, b, method); },
              x, y),
          what);
    }
    // One vector for all columns, on either side.
    const Array<T, 1> v({shape[0]}, order, elements<T>(Data::uniform, shape[0], 3));
    const auto one = v.slice({0}, 0);
    const Array<T, 1> r({shape[1]}, Order::right);
    acc::dot(Exec{}, r.view(), x.view(), v.view(), method);
    expect_results(r, of_slices<2>(0, [&](const auto& a) { return dot(a, one); }, x), what);
    acc::dot(Exec{}, r.view(), v.view(), x.view(), method);
    expect_results(r, of_slices<2>(0, [&](const auto& a) { return dot(one, a); }, x), what);
  });
}

/// Sums that overflow on the way, infinities, NaN and zeros of either sign in some columns only.
TYPED_TEST(Columns, SpecialValuesStayInTheirColumns) {
  using T = typename TypeParam::Scalar;
  using Real = typename TypeParam::Real;
  using Limits = std::numeric_limits<Real>;
  const typename TypeParam::Method method;
  const Real values[] = {Limits::max(),       -Limits::max(), Limits::infinity(),
                         Limits::quiet_NaN(), Real(0),        Limits::denorm_min()};
  Random random(4);
  for (const Index<2>& shape : {Index<2>{40, 19}, Index<2>{leaf<T> + 9, 19}}) {
    for (const Order order : all_orders) {
      std::vector<T> x(shape[0] * shape[1]);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t column = i % shape[1];
        x[i] = column % 4 == 0                            ? T(Real(-0.0))
               : column % 4 == 1                          ? T(random.any_finite<Real>())
               : column % 4 == 2 && random.below(50) == 0 ? T(values[random.below(6)])
                                                          : T(Real(random.below(9)));
      }
      const Array<T, 2> a(shape, order, x);
      const Array<T, 1> r({shape[1]}, Order::right);
      acc::sum(Exec{}, r.view(), a.view(), method);
      expect_results(r,
                     of_slices<2>(
                         0, [&](const auto& v) { return acc::sum(one_thread(), v, method); }, a),
                     text(order, shape[0], shape[1], Data::wide));
      const Array<Real, 1> norm({shape[1]}, Order::right);
      acc::nrm2(Exec{}, norm.view(), a.view(), method);
      expect_results(norm,
                     of_slices<2>(
                         0, [&](const auto& v) { return acc::nrm2(one_thread(), v, method); }, a),
                     text(order, shape[0], shape[1], Data::wide));
    }
  }
}

/// Neighbors each of another family of hard numbers: what one column's need must not reach the
/// next.
TYPED_TEST(Columns, NeighborsOfOtherFamilies) {
  using T = typename TypeParam::Scalar;
  using Real = typename TypeParam::Real;
  const typename TypeParam::Method method;
  Random random(5);
  for (const Index<2>& shape : {Index<2>{70, 40}, Index<2>{300, 13}, Index<2>{leaf<T> + 9, 29},
                                Index<2>{2 * leaf<T> + 77, 5}, Index<2>{9001, 2}}) {
    std::vector<T> x(shape[0] * shape[1]), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Hard family = all_hard[i % shape[1] % std::size(all_hard)];
      const auto number = [&] { return hard<Real>(family, i / shape[1], shape[0], random); };
      if constexpr (is_complex<T>) {
        const Real re[] = {number(), number()};
        x[i] = T(re[0], number());
        y[i] = T(re[1], number());
      } else {
        x[i] = number();
        y[i] = number();
      }
    }
    // One column is -0, and +0 at its end.
    for (std::size_t i = 0; i < shape[0]; ++i)
      x[i * shape[1] + 1] = T(Real(i + 1 == shape[0] ? 0.0 : -0.0));
    for (const Order order : all_orders) {
      const Array<T, 2> a(shape, order, x), b(shape, Order::right, y);
      const std::string what = text(order, shape[0], shape[1], Data::wide);
      const Array<T, 1> r({shape[1]}, Order::right);
      acc::sum(Exec{}, r.view(), a.view(), method);
      expect_results(r,
                     of_slices<2>(
                         0, [&](const auto& v) { return acc::sum(one_thread(), v, method); }, a),
                     what);
      acc::dot(Exec{}, r.view(), a.view(), b.view(), method);
      expect_results(
          r,
          of_slices<2>(
              0, [&](const auto& v, const auto& w) { return acc::dot(one_thread(), v, w, method); },
              a, b),
          what);
      const Array<Real, 1> norm({shape[1]}, Order::right);
      acc::nrm2(Exec{}, norm.view(), a.view(), method);
      expect_results(norm,
                     of_slices<2>(
                         0, [&](const auto& v) { return acc::nrm2(one_thread(), v, method); }, a),
                     what);
    }
  }
}

/// More columns than a GPU has memory for the sums of at a time.
TEST(Columns, MoreThanMemoryHoldsAtOnce) {
  const Index<2> shape{300, 12000};
  const std::size_t n = shape[0] * shape[1];
  const Array<double, 2> x(shape, Order::right, elements<double>(Data::wide, n, 6)),
      y(shape, Order::right, elements<double>(Data::uniform, n, 7));
  const Array<double, 1> r({shape[1]}, Order::right);
  acc::sum(Exec{}, r.view(), x.view(), acc::exact{});
  expect_results(r,
                 of_slices<2>(
                     0, [](const auto& v) { return acc::sum(one_thread(), v, acc::exact{}); }, x),
                 "sums");
  acc::dot(Exec{}, r.view(), x.view(), y.view(), acc::exact{});
  expect_results(
      r,
      of_slices<2>(
          0,
          [](const auto& v, const auto& w) { return acc::dot(one_thread(), v, w, acc::exact{}); },
          x, y),
      "dots");
}

/// No more pieces than memory has nodes for, and none of more leaves than a tree takes.
TEST(SlicesDivision, PiecesHaveRoom) {
  namespace generic = acc::backends::generic;
  using Exact = acc::impl::sums<acc::superaccumulator<double>, 2>;
  using Ordered = acc::impl::sums<
      acc::impl::node<typename acc::impl::accumulator_of<acc::fold<8>, double>::type,
                      acc::impl::guard::none>,
      2>;
  const auto expect = []<class Node>(Node*, std::int64_t most_leaves) {
    const auto room = static_cast<std::int64_t>(acc::backends::nodes_bytes / sizeof(Node));
    for (const std::int64_t count :
         {std::int64_t(1), std::int64_t(7), room / 2, room / 2 + 1, room, room + 1, 3 * room})
      for (const std::int64_t leaves :
           {std::int64_t(0), std::int64_t(1), std::int64_t(1000), std::int64_t(1) << 15,
            (std::int64_t(1) << 15) + 1, std::int64_t(1) << 16, std::int64_t(1) << 20})
        for (const std::int64_t enough : {1, 4096}) {
          const auto [per_piece, pieces] =
              generic::divided_slices<Node>(count, count, leaves, 1, enough);
          const bool fits = generic::have_room_for_pieces<Node>(count, leaves);
          EXPECT_TRUE(!fits || pieces == 1 || pieces * count <= room)
              << count << " slices of " << leaves << " leaves in " << pieces << " pieces";
          EXPECT_LE(per_piece, most_leaves);
          EXPECT_GE(per_piece * pieces, leaves);
          EXPECT_LT(per_piece * (pieces - 1), std::max<std::int64_t>(leaves, 1));
          EXPECT_EQ(per_piece & (per_piece - 1), 0);
        }
  };
  constexpr std::int64_t any = std::int64_t(1) << 62, tree = std::int64_t(1) << 15;
  expect(static_cast<Exact*>(nullptr), any);
  expect(static_cast<Ordered*>(nullptr), tree);
  // Sums without an order never need several pieces; those with one do from 2^15 leaves on.
  const auto room = static_cast<std::int64_t>(acc::backends::nodes_bytes / sizeof(Ordered));
  EXPECT_TRUE(generic::have_room_for_pieces<Exact>(any / 2, any / 2));
  EXPECT_TRUE(generic::have_room_for_pieces<Ordered>(any, tree));
  EXPECT_TRUE(generic::have_room_for_pieces<Ordered>(room / 2, 2 * tree));
  EXPECT_FALSE(generic::have_room_for_pieces<Ordered>(room / 2, 2 * tree + 1));
  EXPECT_FALSE(generic::have_room_for_pieces<Ordered>(room, tree + 1));
}

/// The engine of other spaces on this one.
TYPED_TEST(Columns, EveryEngineHasTheSameBits) {
  using T = typename TypeParam::Scalar;
  using Real = typename TypeParam::Real;
  using M = typename TypeParam::Method;
  const Exec exec;
  const auto launch = [&](const auto& slices) {
    acc::backends::locked_workspace memory(exec);
    acc::backends::generic::slices(exec, memory.get(), "acc::test", slices);
    exec.fence();
  };
  this->each_case([&](const Index<2>& shape, Order order, Data data, const std::string& what) {
    if (shape[1] == 0) return;
    const std::size_t n = shape[0] * shape[1];
    const Array<T, 2> x(shape, order, elements<T>(data, n, 1));
    const Array<T, 2> y(shape, Order::right, elements<T>(Data::uniform, n, 2));
    const Array<T, 1> r({shape[1]}, Order::right);
    launch(acc::impl::make_slices<acc::impl::dot_terms<T, true>, M, acc::impl::write_sum>(
        r.view(), x.view(), y.view(), 0));
    expect_results(
        r,
        of_slices<2>(
            0, [](const auto& a, const auto& b) { return acc::dot(one_thread(), a, b, M{}); }, x,
            y),
        what);
    const Array<Real, 1> norm({shape[1]}, Order::right);
    launch(acc::impl::make_slices<acc::impl::square_terms, M, acc::impl::write_root>(
        norm.view(), x.view(), x.view(), 0));
    expect_results(
        norm,
        of_slices<2>(0, [](const auto& v) { return acc::nrm2(one_thread(), v, M{}); }, x), what);
  });
}

/// So many columns that a piece has two leaves, on a GPU. The columns overlap, which saves memory.
TEST(Columns, PiecesOfSomeLeavesWithOneVector) {
  constexpr std::size_t n = 5 * leaf<double>, count = 6000;  // the last piece has one leaf
  using host_vector = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const auto of_vector = [](const std::vector<double>& x) {
    const Kokkos::View<double*, Exec> v("v", x.size());
    Kokkos::deep_copy(v, host_vector(x.data(), x.size()));
    return v;
  };
  const std::vector<double> x = elements<double>(Data::wide, n + 2 * count, 1),
                            y = elements<double>(Data::uniform, n, 2);
  const auto all = of_vector(x), vector = of_vector(y);
  const Kokkos::View<const double**, Kokkos::LayoutStride, Exec, Kokkos::MemoryUnmanaged> columns(
      all.data(), Kokkos::LayoutStride(n, 1, count, 2));
  const Kokkos::View<double*, Exec> r("r", count), swapped("swapped", count);
  acc::dot(r, columns, vector);
  acc::dot(swapped, vector, columns);
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, r);
  const auto got_swapped = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, swapped);
  for (std::size_t j = 0; j < count; ++j) {
    const double want =
        acc::dot(one_thread(), host_vector(x.data() + 2 * j, n), host_vector(y.data(), n));
    ASSERT_EQ(bits(got(j)), bits(want)) << "column " << j;
    ASSERT_EQ(bits(got_swapped(j)), bits(want)) << "column " << j;
  }
}

TEST(Columns, LayoutsOfKokkosAndConstElementsAreTaken) {
  const Exec exec;
  const auto check = [&](auto layout) {
    using Layout = decltype(layout);
    const Kokkos::View<double**, Layout, Exec> x("x", 100, 6);
    Kokkos::deep_copy(x, 0.5);
    const Kokkos::View<const double**, Layout, Exec> c = x;
    const Kokkos::View<double*, Exec> r("r", 6);
    acc::sum(r, c);
    acc::dot(exec, r, c, Kokkos::subview(c, Kokkos::ALL, 2));
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, r);
    for (int j = 0; j < 6; ++j) EXPECT_EQ(host(j), 25.0);
  };
  check(Kokkos::LayoutLeft{});
  check(Kokkos::LayoutRight{});
}

TEST(Columns, HalfPrecisionAndWidenedResults) {
  const Kokkos::View<Kokkos::Experimental::half_t**, Kokkos::LayoutRight, Exec> x("x", 3000, 20);
  Kokkos::deep_copy(x, Kokkos::Experimental::half_t(0.1f));
  const Kokkos::View<float*, Exec> r("r", 20);
  const Kokkos::View<double*, Exec> wide("wide", 20);
  const Kokkos::View<float**, Kokkos::LayoutRight, Exec> f("f", 3000, 20);
  Kokkos::deep_copy(f, 0.1f);
  acc::sum(r, x, acc::widened{});
  acc::sum(wide, f, acc::widened{});
  Exec{}.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, r);
  const auto of_floats = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, wide);
  for (int j = 0; j < 20; ++j) {
    EXPECT_EQ(host(j), 3000 * float(Kokkos::Experimental::half_t(0.1f)));
    EXPECT_EQ(of_floats(j), 3000 * double(0.1f));
  }
}

template <class C>
class Along : public testing::Test {};
using AlongCases = testing::Types<Case<acc::compensated, double>, Case<acc::exact, float>,
                                  Case<acc::compensated, Kokkos::complex<float>>>;
TYPED_TEST_SUITE(Along, AlongCases);

template <class T, int Rank, class Method>
void expect_sums_along(const Index<Rank>& shape, Data data, Method method) {
  const auto x = elements<T>(data, Array<T, Rank>::size_of(shape), shape[0]);
  const Array<T, Rank> any(shape, Order::right, x);
  for (int axis = 0; axis < Rank; ++axis) {
    const auto sums = of_slices<Rank>(
        axis, [&](const auto& v) { return acc::sum(one_thread(), v, method); }, any);
    const auto norms = of_slices<Rank>(
        axis, [&](const auto& v) { return acc::nrm2(one_thread(), v, method); }, any);
    for (const Order order : all_orders) {
      const Array<T, Rank> a(shape, order, x);
      for (const Order of_r : all_orders) {
        const std::string what = "rank " + std::to_string(Rank) + ", axis " + std::to_string(axis) +
                                 ", " + text(order, shape[0], shape[1], data);
        const Array<T, Rank - 1> r(without<Rank>(shape, axis), of_r);
        acc::sum_along(Exec{}, r.view(), a.view(), axis, method);
        expect_results(r, sums, what);
        const Array<real_t<T>, Rank - 1> norm(without<Rank>(shape, axis), of_r);
        acc::nrm2_along(norm.view(), a.view(), axis - Rank, method);
        expect_results(norm, norms, what);
      }
    }
  }
}
TYPED_TEST(Along, HasTheBitsOfEachSlicesFunction) {
  using T = typename TypeParam::Scalar;
  const typename TypeParam::Method method;
  for (const Data data : {Data::wide, Data::all_exponents}) {
    expect_sums_along<T, 2>({5, 9}, data, method);
    expect_sums_along<T, 2>({700, 21}, data, method);
    expect_sums_along<T, 3>({3, 17, 2}, data, method);
    expect_sums_along<T, 3>({2, 3, 2 * row<T> + 5}, data, method);
    expect_sums_along<T, 3>({150, 1, 8}, data, method);
    expect_sums_along<T, 3>({0, 4, 3}, data, method);
    expect_sums_along<T, 4>({2, 3, 4, 5}, data, method);
    expect_sums_along<T, 4>({3, 90, 1, 11}, data, method);
  }
}

template <class T>
class AlongStatistics : public testing::Test {};
using StatisticTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(AlongStatistics, StatisticTypes);

TYPED_TEST(AlongStatistics, AreThoseOfEachSlice) {
  using T = TypeParam;
  for (const Data data : {Data::uniform, Data::all_exponents, Data::massive_cancellation}) {
    for (const Index<3>& shape :
         {Index<3>{2, 3, 4}, Index<3>{40, 7, 1}, Index<3>{3, row<T> + 1, 5}, Index<3>{2, 0, 3}}) {
      const auto x = elements<T>(data, Array<T, 3>::size_of(shape), 3);
      const Array<T, 3> any(shape, Order::right, x);
      for (int axis = 0; axis < 3; ++axis) {
        const auto means =
            of_slices<3>(axis, [](const auto& v) { return acc::mean(one_thread(), v); }, any);
        for (const int ddof : {0, 1, 5}) {
          const auto variances = of_slices<3>(
              axis, [&](const auto& v) { return acc::variance(one_thread(), v, ddof); }, any);
          for (const Order order : all_orders) {
            const Array<T, 3> a(shape, order, x);
            const Array<T, 2> r(without<3>(shape, axis), order);
            acc::mean_along(Exec{}, r.view(), a.view(), axis);
            expect_results(r, means, "mean");
            acc::variance_along(r.view(), a.view(), axis, ddof);
            expect_results(r, variances, "variance, ddof " + std::to_string(ddof));
          }
        }
      }
    }
  }
}

TYPED_TEST(AlongStatistics, OfTwoAreThoseOfEachPairOfSlices) {
  using T = TypeParam;
  for (const Data data : {Data::uniform, Data::all_exponents, Data::massive_cancellation}) {
    for (const Index<3>& shape :
         {Index<3>{2, 3, 4}, Index<3>{40, 7, 1}, Index<3>{3, row<T> + 1, 5}, Index<3>{2, 0, 3}}) {
      const std::size_t size = Array<T, 3>::size_of(shape);
      const auto x = elements<T>(data, size, 3), y = elements<T>(data, size, 4);
      const Array<T, 3> any_x(shape, Order::right, x), any_y(shape, Order::right, y);
      for (int axis = 0; axis < 3; ++axis) {
        const auto ws = elements<T>(data, shape[axis], 5);
        const Array<T, 1> w({shape[axis]}, Order::gaps, ws);
        const auto weights = w.slice({0}, 0);
        const auto covariances = of_slices<3>(
            axis,
            [](const auto& a, const auto& b) { return acc::covariance(one_thread(), a, b, 1); },
            any_x, any_y);
        const auto weighted = of_slices<3>(
            axis,
            [](const auto& a, const auto& b) { return acc::weighted_mean(one_thread(), a, b); },
            any_x, any_y);
        const auto by_vector = of_slices<3>(
            axis, [&](const auto& a) { return acc::weighted_mean(one_thread(), a, weights); },
            any_x);
        for (const Order of_x : all_orders) {
          for (const Order of_y : all_orders) {
            const Array<T, 3> a(shape, of_x, x), b(shape, of_y, y);
            const Array<T, 2> r(without<3>(shape, axis), of_y);
            acc::covariance_along(Exec{}, r.view(), a.view(), b.view(), axis, 1);
            expect_results(r, covariances, "covariance");
            acc::weighted_mean_along(r.view(), a.view(), b.view(), axis - 3);
            expect_results(r, weighted, "weighted mean");
            acc::weighted_mean_along(Exec{}, r.view(), a.view(), w.view(), axis);
            expect_results(r, by_vector, "weighted mean, one vector of weights");
          }
        }
      }
    }
  }
}

/// More slices than have sums at once.
TEST(AlongStatistics, OfManySlices) {
  const Index<3> shape{211, 3, 97};
  const Array<float, 3> a(shape, Order::right, elements<float>(Data::uniform, 211 * 3 * 97, 3));
  const Array<float, 2> r({211, 97}, Order::left);
  acc::variance_along(r.view(), a.view(), 1);
  expect_results(
      r,
      of_slices<3>(1, [](const auto& v) { return acc::variance(one_thread(), v); }, a), "211 x 97");
  const Array<float, 1> w({3}, Order::right, elements<float>(Data::uniform, 3, 4));
  const auto weights = w.slice({0}, 0);
  acc::weighted_mean_along(r.view(), a.view(), w.view(), 1);
  expect_results(
      r,
      of_slices<3>(
          1, [&](const auto& v) { return acc::weighted_mean(one_thread(), v, weights); }, a),
      "211 x 97, weighted");
  acc::covariance_along(r.view(), a.view(), a.view(), 1, 2);
  expect_results(r,
                 of_slices<3>(
                     1, [](const auto& v) { return acc::variance(one_thread(), v, 2); }, a),
                 "211 x 97, with itself");
  const Index<2> long_shape{2, 40000};
  const Array<float, 2> b(long_shape, Order::right, elements<float>(Data::uniform, 80000, 3));
  const Array<float, 1> q({40000}, Order::right);
  acc::variance_along(q.view(), b.view(), 0, 1);
  expect_results(
      q,
      of_slices<2>(0, [](const auto& v) { return acc::variance(one_thread(), v, 1); }, b), "40000");
}

/// Halves enter as floats.
TEST(AlongStatistics, OfHalves) {
  using Half = Kokkos::Experimental::half_t;
  const Index<2> shape{9, 50};
  const std::size_t size = Array<float, 2>::size_of(shape);
  std::vector<Half> x, y;
  std::vector<float> as_x, as_y;
  for (const float e : elements<float>(Data::uniform, size, 3)) x.push_back(Half(e));
  for (const float e : elements<float>(Data::uniform, size, 4)) y.push_back(Half(e));
  for (const Half e : x) as_x.push_back(float(e));
  for (const Half e : y) as_y.push_back(float(e));
  const Array<float, 2> a(shape, Order::right, as_x), b(shape, Order::right, as_y);
  const Kokkos::View<Half**, Kokkos::LayoutRight, Exec> hx("x", shape[0], shape[1]),
      hy("y", shape[0], shape[1]);
  const auto fill = [](const auto& v, const std::vector<Half>& from) {
    const auto host = Kokkos::create_mirror_view(v);
    std::copy(from.begin(), from.end(), host.data());
    Kokkos::deep_copy(v, host);
  };
  fill(hx, x);
  fill(hy, y);
  const Array<float, 1> r({shape[1]}, Order::right);
  acc::covariance_along(r.view(), hx, hy, 0);
  expect_results(
      r,
      of_slices<2>(
          0, [](const auto& v, const auto& w) { return acc::covariance(one_thread(), v, w); }, a,
          b),
      "covariance");
  acc::weighted_mean_along(r.view(), hx, hy, 0);
  expect_results(
      r,
      of_slices<2>(
          0, [](const auto& v, const auto& w) { return acc::weighted_mean(one_thread(), v, w); }, a,
          b),
      "weighted mean");
}

/// More slices than have sums at once, in two dimensions that are not one in memory.
TEST(AlongStatistics, OfManySlicesInTwoDimensions) {
  const Index<3> shape{130, 2, 131};
  const Array<float, 3> a(shape, Order::gaps, elements<float>(Data::uniform, 130 * 2 * 131, 3));
  const Array<float, 2> r({130, 131}, Order::gaps);
  acc::covariance_along(r.view(), a.view(), a.view(), 1);
  expect_results(r,
                 of_slices<3>(
                     1, [](const auto& v) { return acc::variance(one_thread(), v); }, a),
                 "130 x 131");
}

/// The text of what a call throws.
template <class F>
std::string rejection(const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(Along, RejectsWhatDoesNotFit) {
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
  using Vector = Kokkos::View<double*, Exec>;
  const Matrix x("x", 4, 3), wide("wide", 4, 5);
  const Vector r("r", 3), short_r("r", 2), column("column", 4), long_column("column", 5);
  EXPECT_EQ(rejection([&] { acc::sum(short_r, x); }),
            "acc::sum: r must have one element for each column of x, but x is 4 x 3 and r has "
            "extent 2");
  EXPECT_EQ(rejection([&] { acc::dot(r, x, wide); }),
            "acc::dot: x and y must have the same extents (a vector that of a column), and r one "
            "element for each column, but x is 4 x 3, y is 4 x 5 and r has extent 3");
  EXPECT_NE(rejection([&] { acc::dot(r, x, long_column); }), "");
  EXPECT_NE(rejection([&] { acc::dotu(short_r, column, x); }), "");
  EXPECT_NE(rejection([&] { acc::nrm2(short_r, x); }), "");
  EXPECT_NE(rejection([&] { acc::asum(short_r, x); }), "");
  EXPECT_EQ(rejection([&] { acc::sum_along(r, x, 2); }),
            "acc::sum_along: axis must be at least -2 and below 2 where x has rank 2, but it is 2");
  EXPECT_NE(rejection([&] { acc::sum_along(r, x, -3); }), "");
  EXPECT_EQ(
      rejection([&] { acc::sum_along(r, x, 1); }),
      "acc::sum_along: r must have the extents 4, x's without axis 1, but x has extents 4 x 3 "
      "and r has 3");
  EXPECT_EQ(rejection([&] { acc::variance_along(r, x, 0, -1); }),
            "acc::variance_along: ddof must not be negative, but it is -1");
  EXPECT_EQ(rejection([&] { acc::covariance_along(r, x, x, 0, -2); }),
            "acc::covariance_along: ddof must not be negative, but it is -2");
  EXPECT_EQ(rejection([&] { acc::covariance_along(r, x, wide, 0); }),
            "acc::covariance_along: y must have x's extents, but x has 4 x 3 and y has 4 x 5");
  EXPECT_EQ(rejection([&] { acc::weighted_mean_along(r, x, wide, 0); }),
            "acc::weighted_mean_along: w must have x's extents, but x has 4 x 3 and w has 4 x 5");
  EXPECT_EQ(rejection([&] { acc::weighted_mean_along(r, x, long_column, 0); }),
            "acc::weighted_mean_along: w must have x's extents, or x's extent along axis 0, but x "
            "has 4 x 3 and w has 5");
  EXPECT_EQ(rejection([&] { acc::weighted_mean_along(r, x, r, 1); }),
            "acc::weighted_mean_along: r must have the extents 4, x's without axis 1, but x has "
            "extents 4 x 3 and r has 3");
  EXPECT_EQ(rejection([&] { acc::weighted_mean_along(column, x, column, 0); }),
            "acc::weighted_mean_along: r must have the extents 3, x's without axis 0, but x has "
            "extents 4 x 3 and r has 4");
  const Matrix square("square", 3, 3);
  EXPECT_EQ(
      rejection([&] { acc::weighted_mean_along(r, square, r, 0); }),
      "acc::weighted_mean_along: r (3) and w (3) overlap between their first and last elements");
  EXPECT_EQ(rejection([&] { acc::sum(Kokkos::subview(x, 0, Kokkos::ALL), x); }),
            "acc::sum: r (3) and x (4 x 3) overlap between their first and last elements");
  EXPECT_EQ(rejection([&] { acc::sum_along(Kokkos::subview(x, 0, Kokkos::ALL), x, 0); }),
            "acc::sum_along: r (3) and x (4 x 3) overlap between their first and last elements");
  const Kokkos::View<double*, Kokkos::LayoutStride, Exec> one_place(r.data(),
                                                                    Kokkos::LayoutStride(3, 0));
  EXPECT_EQ(rejection([&] { acc::sum(one_place, x); }),
            "acc::sum: two elements of r share a place: its strides are 0");
  // All elements in one place: more numbers than there is memory.
  const std::size_t rows = std::size_t(1) << 30, columns = std::size_t(1) << 20;
  const Kokkos::View<double**, Kokkos::LayoutStride, Exec> many(
      x.data(), Kokkos::LayoutStride(rows, 0, columns, 0));
  EXPECT_EQ(rejection([&] { acc::sum(Kokkos::View<double*, Exec>("r", columns), many); }),
            "acc::sum: 1048576 sums of 1073741824 numbers are too many for one call; sum some of "
            "them at a time");
  using Unmanaged = Kokkos::View<double**, Kokkos::LayoutRight, Exec, Kokkos::MemoryUnmanaged>;
  EXPECT_EQ(rejection([&] { acc::mean_along(r, Unmanaged(nullptr, 4, 3), 0); }),
            "acc::mean_along: x has extents 4 x 3 but no data (null pointer)");
  EXPECT_EQ(rejection([&] { acc::covariance_along(r, x, Unmanaged(nullptr, 4, 3), 0); }),
            "acc::covariance_along: y has extents 4 x 3 but no data (null pointer)");
  EXPECT_EQ(rejection([&] { acc::weighted_mean_along(r, x, Unmanaged(nullptr, 4, 3), 0); }),
            "acc::weighted_mean_along: w has extents 4 x 3 but no data (null pointer)");
}

}  // namespace
}  // namespace acc_test
