// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns and axes by the methods, and statistics of the ranks, that test_slices.hpp leaves out;
// and exact ones beside the oracle.
#pragma once

#include "arrays.hpp"
#include "device.hpp"
#include "one_thread.hpp"
#include "rational.hpp"

#include <acc/along.hpp>
#include <acc/asum.hpp>
#include <acc/dot.hpp>
#include <acc/nrm2.hpp>
#include <acc/statistics.hpp>
#include <acc/sum.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace acc_test {
namespace {

/// The elements of each slice along an axis.
template <int Rank, class T>
std::vector<std::vector<T>> slices_of(const Array<T, Rank>& a, int axis) {
  Index<Rank> extent = a.extent;
  extent[static_cast<std::size_t>(axis)] = 1;
  std::vector<std::vector<T>> all;
  each_index<Rank>(extent, [&](const Index<Rank>& i) {
    const auto v = a.slice(i, axis);
    all.emplace_back(v.data(), v.data() + v.extent(0));
  });
  return all;
}
template <class T>
auto on_this_host(const std::vector<T>& x) {
  return Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(x.data(), x.size());
}
template <int Rank>
Index<Rank - 1> extent_without(const Index<Rank>& extent, int axis) {
  Index<Rank - 1> rest{};
  for (int d = 0, e = 0; d < Rank; ++d)
    if (d != axis) rest[static_cast<std::size_t>(e++)] = extent[static_cast<std::size_t>(d)];
  return rest;
}
template <class R>
void expect_bits(const R& r, const std::vector<std::string>& want, const std::string& what) {
  const auto got = r.elements();
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(bits(got[i]), want[i]) << what << ", slice " << i;
}

template <class C>
class SlicesByMethod : public testing::Test {};
using SliceCases = testing::Types<Case<acc::plain, double>, Case<acc::double_word, double>,
                                  Case<acc::fold<3>, float>, Case<acc::widened, float>,
                                  Case<acc::reproducible<3>, double>>;
TYPED_TEST_SUITE(SlicesByMethod, SliceCases);

TYPED_TEST(SlicesByMethod, ColumnsHaveTheBitsOfEachAlone) {
  using T = typename TypeParam::Scalar;
  const typename TypeParam::Method method;
  for (const Index<2>& shape :
       {Index<2>{row<T> + 5, 7}, {3 * leaf<T> + 7, 9}, {130, 27}, {9 * leaf<T> + 5, 1}, {0, 3}})
    for (const Order order : all_orders) {
      const std::size_t n = shape[0] * shape[1];
      const Array<T, 2> x(shape, order, elements<T>(Data::massive_cancellation, n, 1));
      const Array<T, 2> y(shape, order, elements<T>(Data::uniform, n, 2));
      const auto columns = slices_of<2>(x, 0), others = slices_of<2>(y, 0);
      std::vector<std::string> sums, dots;
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const auto a = on_this_host(columns[j]), b = on_this_host(others[j]);
        sums.push_back(bits(acc::sum(one_thread(), a, method)));
        dots.push_back(bits(acc::dot(one_thread(), a, b, method)));
      }
      const std::string what = std::to_string(shape[0]) + " x " + std::to_string(shape[1]);
      const Array<T, 1> r({shape[1]}, Order::right);
      acc::sum(Exec{}, r.view(), x.view(), method);
      expect_bits(r, sums, what + ", sum");
      acc::dot(Exec{}, r.view(), x.view(), y.view(), method);
      expect_bits(r, dots, what + ", dot");
    }
}

TYPED_TEST(SlicesByMethod, SumsAlongAnAxisHaveTheBitsOfEachAlone) {
  using T = typename TypeParam::Scalar;
  const typename TypeParam::Method method;
  for (const Index<3>& shape : {Index<3>{3, 17, 2}, {2, 3, 2 * row<T> + 5}, {150, 1, 8}}) {
    const auto x = elements<T>(Data::massive_cancellation, Array<T, 3>::size_of(shape), 3);
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<std::string> want;
      for (const auto& one : slices_of<3>(Array<T, 3>(shape, Order::right, x), axis))
        want.push_back(bits(acc::sum(one_thread(), on_this_host(one), method)));
      for (const Order order : all_orders) {
        const Array<T, 3> a(shape, order, x);
        const Array<T, 2> r(extent_without<3>(shape, axis), order);
        acc::sum_along(Exec{}, r.view(), a.view(), axis, method);
        expect_bits(r, want, "axis " + std::to_string(axis));
      }
    }
  }
}

/// Which is a method of dot products alone.
TEST(SlicesByMethod, DotsOfColumnsByErrFma) {
  const Index<2> shape{2 * leaf<float> + 9, 5};
  const std::size_t n = shape[0] * shape[1];
  for (const Order order : all_orders) {
    const Array<float, 2> x(shape, order, elements<float>(Data::massive_cancellation, n, 1));
    const Array<float, 2> y(shape, Order::right, elements<float>(Data::uniform, n, 2));
    const auto columns = slices_of<2>(x, 0), others = slices_of<2>(y, 0);
    std::vector<std::string> want;
    for (std::size_t j = 0; j < shape[1]; ++j)
      want.push_back(bits(acc::dot(one_thread(), on_this_host(columns[j]), on_this_host(others[j]),
                                   acc::compensated_fma{})));
    const Array<float, 1> r({shape[1]}, Order::gaps);
    acc::dot(Exec{}, r.view(), x.view(), y.view(), acc::compensated_fma{});
    expect_bits(r, want, "dot");
  }
}

template <class T>
class SlicesBesideTheOracle : public testing::Test {};
using OracleTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(SlicesBesideTheOracle, OracleTypes);

TYPED_TEST(SlicesBesideTheOracle, ExactColumns) {
  using T = TypeParam;
  for (const Data data : {Data::wide, Data::all_exponents, Data::near_overflow, Data::subnormal,
                          Data::massive_cancellation})
    for (const Index<2>& shape : {Index<2>{700, 33}, {row<T> + 1, 8}, {leaf<T> + 9, 3}})
      for (const Order order : all_orders) {
        const std::size_t n = shape[0] * shape[1];
        const Array<T, 2> x(shape, order, elements<T>(data, n, 1));
        const Array<T, 2> y(shape, Order::right, elements<T>(Data::wide, n, 2));
        const auto columns = slices_of<2>(x, 0), others = slices_of<2>(y, 0);
        std::vector<std::string> sums, dots, magnitudes;
        for (std::size_t j = 0; j < columns.size(); ++j) {
          sums.push_back(bits(round_to<T>(exact_sum<T>(columns[j]))));
          dots.push_back(bits(round_to<T>(exact_dot<T>(columns[j], others[j]))));
          std::vector<T> absolute;
          for (const T v : columns[j]) absolute.push_back(std::abs(v));
          magnitudes.push_back(bits(round_to<T>(exact_sum<T>(absolute))));
        }
        const Array<T, 1> r({shape[1]}, Order::right);
        acc::sum(Exec{}, r.view(), x.view(), acc::exact{});
        expect_bits(r, sums, "sum, " + std::string(name(data)));
        acc::dot(Exec{}, r.view(), x.view(), y.view(), acc::exact{});
        expect_bits(r, dots, "dot, " + std::string(name(data)));
        acc::asum(Exec{}, r.view(), x.view(), acc::exact{});
        expect_bits(r, magnitudes, "asum, " + std::string(name(data)));
      }
}

/// The covariance of x and y, ddof 0, and the mean of x by weights y, by rational arithmetic.
template <class T>
std::string rational_covariance(const std::vector<T>& x, const std::vector<T>& y) {
  const Exact n = Exact(double(x.size()));
  return bits(
      rounded_quotient<T>(n * exact_dot<T>(x, y) - exact_sum<T>(x) * exact_sum<T>(y), n * n));
}
template <class T>
std::string rational_weighted_mean(const std::vector<T>& x, const std::vector<T>& w) {
  const Exact all = exact_sum<T>(w), products = exact_dot<T>(x, w);
  return bits(all.sign() < 0 ? rounded_quotient<T>(-products, -all)
                             : rounded_quotient<T>(products, all));
}

/// Sums and all statistics along the axes of arrays of rank 4, in any layouts.
TYPED_TEST(SlicesBesideTheOracle, ExactAlongAxesOfRank4) {
  using T = TypeParam;
  for (const Data data : {Data::wide, Data::all_exponents, Data::massive_cancellation})
    for (const Index<4>& shape : {Index<4>{2, 3, 4, 5}, {3, 70, 1, 11}}) {
      const std::size_t n = Array<T, 4>::size_of(shape);
      const auto values = elements<T>(data, n, 3), other_values = elements<T>(Data::wide, n, 4);
      for (int axis = 0; axis < 4; ++axis) {
        const auto length = shape[static_cast<std::size_t>(axis)];
        const auto ws = elements<T>(Data::positive, length, 5);
        std::vector<std::string> sums, means, variances, covariances, weighted, by_vector;
        const auto xs = slices_of<4>(Array<T, 4>(shape, Order::right, values), axis);
        const auto ys = slices_of<4>(Array<T, 4>(shape, Order::right, other_values), axis);
        for (std::size_t s = 0; s < xs.size(); ++s) {
          sums.push_back(bits(round_to<T>(exact_sum<T>(xs[s]))));
          means.push_back(bits(rounded_quotient<T>(exact_sum<T>(xs[s]), Exact(double(length)))));
          variances.push_back(rational_covariance<T>(xs[s], xs[s]));
          covariances.push_back(rational_covariance<T>(xs[s], ys[s]));
          weighted.push_back(rational_weighted_mean<T>(xs[s], ys[s]));
          by_vector.push_back(rational_weighted_mean<T>(xs[s], ws));
        }
        for (const Order order : all_orders) {
          const Array<T, 4> x(shape, order, values), y(shape, Order::left, other_values);
          const Array<T, 1> w({length}, Order::gaps, ws);
          const Array<T, 3> r(extent_without<4>(shape, axis), order);
          const std::string what = ", axis " + std::to_string(axis) + ", " + name(data).data();
          acc::sum_along(Exec{}, r.view(), x.view(), axis, acc::exact{});
          expect_bits(r, sums, "sum" + what);
          acc::mean_along(Exec{}, r.view(), x.view(), axis);
          expect_bits(r, means, "mean" + what);
          acc::variance_along(Exec{}, r.view(), x.view(), axis);
          expect_bits(r, variances, "variance" + what);
          acc::covariance_along(Exec{}, r.view(), x.view(), y.view(), axis);
          expect_bits(r, covariances, "covariance" + what);
          acc::weighted_mean_along(Exec{}, r.view(), x.view(), y.view(), axis);
          expect_bits(r, weighted, "weighted mean" + what);
          acc::weighted_mean_along(Exec{}, r.view(), x.view(), w.view(), axis);
          expect_bits(r, by_vector, "weighted mean, a vector" + what);
        }
      }
    }
}

}  // namespace
}  // namespace acc_test
