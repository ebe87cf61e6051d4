// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::mean, variance, covariance, weighted_mean: beside rational arithmetic.
#pragma once

#include "arrays.hpp"
#include "device.hpp"
#include "rational.hpp"

#include <acc/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace acc_test {
namespace {

template <class T>
struct Pairs {
  std::vector<T> x, y;
  Exact n() const { return Exact(double(x.size())); }
  template <class F>
  Exact sum(const F& f) const {
    Exact s;
    for (std::size_t i = 0; i < x.size(); ++i) s += f(Exact(x[i]), Exact(y[i]));
    return s;
  }
  Exact sum_x() const {
    return sum([](const Exact& a, const Exact&) { return a; });
  }
  Exact sum_y() const {
    return sum([](const Exact&, const Exact& b) { return b; });
  }
  Exact products() const {
    return sum([](const Exact& a, const Exact& b) { return a * b; });
  }
  T covariance(long ddof) const {
    return rounded_quotient<T>(n() * products() - sum_x() * sum_y(),
                               n() * (n() - Exact(double(ddof))));
  }
  T mean() const { return rounded_quotient<T>(sum_x(), n()); }
  T weighted_mean() const {
    const Exact w = sum_y();
    return w.sign() < 0 ? rounded_quotient<T>(-products(), -w) : rounded_quotient<T>(products(), w);
  }
};

template <class T>
class Statistics : public testing::Test {};
using StatisticsTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Statistics, StatisticsTypes);

TYPED_TEST(Statistics, AreCorrectlyRounded) {
  using T = TypeParam;
  for (const Data data :
       {Data::uniform, Data::positive, Data::wide, Data::all_exponents, Data::alternating,
        Data::constant, Data::subnormal, Data::near_overflow, Data::massive_cancellation})
    for (const std::size_t n : {1, 2, 3, 10, 1000}) {
      const std::string what = std::string(name(data)) + ", " + std::to_string(n);
      Pairs<T> p{elements<T>(data, n, n), elements<T>(data, n, n + 1)};
      const auto x = on_device(p.x), y = on_device(p.y);
      const Pairs<T> squares{p.x, p.x};
      EXPECT_EQ(bits(acc::mean(x)), bits(p.mean())) << what;
      EXPECT_EQ(bits(acc::variance(x)), bits(squares.covariance(0))) << what;
      EXPECT_EQ(bits(acc::covariance(x, y)), bits(p.covariance(0))) << what;
      if (n > 1) {
        EXPECT_EQ(bits(acc::variance(x, 1)), bits(squares.covariance(1))) << what;
        EXPECT_EQ(bits(acc::covariance(Exec{}, x, y, 1)), bits(p.covariance(1))) << what;
      }
      if (!p.sum_y().is_zero()) {
        EXPECT_EQ(bits(acc::weighted_mean(x, y)), bits(p.weighted_mean())) << what;
      }
    }
}

TYPED_TEST(Statistics, IntoAViewHaveTheSameBits) {
  using T = TypeParam;
  const Kokkos::View<T, Exec> r("r");
  const auto written = [&] { return bits(on_host(r)); };
  for (const Data data : {Data::uniform, Data::all_exponents, Data::massive_cancellation})
    for (const std::size_t n : {1, 3, 5000}) {
      const std::string what = std::string(name(data)) + ", " + std::to_string(n);
      Pairs<T> p{elements<T>(data, n, n), elements<T>(Data::wide, n, n + 1)};
      const auto x = on_device(p.x), y = on_device(p.y);
      const Pairs<T> squares{p.x, p.x};
      acc::mean(Exec{}, r, x);
      EXPECT_EQ(written(), bits(p.mean())) << what;
      acc::variance(Exec{}, r, x);
      EXPECT_EQ(written(), bits(squares.covariance(0))) << what;
      acc::covariance(Exec{}, r, x, y);
      EXPECT_EQ(written(), bits(p.covariance(0))) << what;
      acc::weighted_mean(Exec{}, r, x, y);
      EXPECT_EQ(written(), bits(p.weighted_mean())) << what;
      if (n > 1) {
        acc::variance(r, x, 1);
        EXPECT_EQ(written(), bits(squares.covariance(1))) << what;
        acc::covariance(r, x, y, 1);
        EXPECT_EQ(written(), bits(p.covariance(1))) << what;
      }
      // One after the other on an instance, as each has its sums where the others have theirs.
      const Kokkos::View<T, Exec> a("a"), b("b"), c("c"), d("d");
      acc::covariance(a, x, y);
      acc::mean(b, x);
      acc::weighted_mean(c, x, y);
      acc::variance(d, x);
      EXPECT_EQ(bits(on_host(a)), bits(p.covariance(0))) << what;
      EXPECT_EQ(bits(on_host(b)), bits(p.mean())) << what;
      EXPECT_EQ(bits(on_host(c)), bits(p.weighted_mean())) << what;
      EXPECT_EQ(bits(on_host(d)), bits(squares.covariance(0))) << what;
    }
}

/// Those of two arrays, each in any layout.
template <class T, std::size_t Rank>
void expect_pairs_of_arrays(const std::array<std::size_t, Rank>& shape, Data data) {
  using Elements = Array<T, int(Rank)>;
  const std::size_t n = Elements::size_of(shape);
  const Pairs<T> p{elements<T>(data, n, n), elements<T>(Data::wide, n, n + 1)};
  const std::string covariance = bits(p.covariance(0)), mean = bits(p.weighted_mean());
  const Kokkos::View<T, Exec> r("r");
  for (const Order order : all_orders)
    for (const Order other : all_orders) {
      const Elements x(shape, order, p.x), y(shape, other, p.y);
      const std::string what = std::to_string(n) + " " + std::to_string(int(order)) + " " +
                               std::to_string(int(other)) + " " + std::string(name(data));
      ASSERT_EQ(bits(acc::covariance(x.view(), y.view())), covariance) << what;
      ASSERT_EQ(bits(acc::weighted_mean(x.view(), y.view())), mean) << what;
      acc::covariance(r, x.view(), y.view());
      ASSERT_EQ(bits(on_host(r)), covariance) << what;
      acc::weighted_mean(r, x.view(), y.view());
      ASSERT_EQ(bits(on_host(r)), mean) << what;
      const auto s = acc::statistics_of(x.view(), y.view());
      ASSERT_EQ(s.count, std::int64_t(n)) << what;
      ASSERT_EQ(bits(s.covariance()), covariance) << what;
    }
}
TYPED_TEST(Statistics, OfTwoArraysInAnyLayouts) {
  using T = TypeParam;
  expect_pairs_of_arrays<T>(Index<2>{1, 1}, Data::uniform);
  expect_pairs_of_arrays<T>(Index<2>{1, 9}, Data::all_exponents);
  expect_pairs_of_arrays<T>(Index<2>{5, 7}, Data::massive_cancellation);
  expect_pairs_of_arrays<T>(Index<2>{70, 131}, Data::all_exponents);
  expect_pairs_of_arrays<T>(Index<3>{31, 17, 23}, Data::wide);
  expect_pairs_of_arrays<T>(Index<3>{40, 1, 70}, Data::subnormal);
  if constexpr (std::is_same_v<T, double>)
    expect_pairs_of_arrays<T>(Index<8>{2, 3, 1, 2, 5, 3, 2, 4}, Data::all_exponents);
  const Array<T, 2> none({3, 0}, Order::left);
  EXPECT_EQ(bits(acc::covariance(none.view(), none.view())), bits(acc::impl::canonical_nan<T>()));
}

/// The area of a cell depends on its row alone: weights need no memory for all cells.
TYPED_TEST(Statistics, WeightsOfRowsHaveAStrideOfZero) {
  using T = TypeParam;
  constexpr std::size_t rows = 41, columns = 113;
  const auto x = elements<T>(Data::wide, rows * columns, 1),
             w = elements<T>(Data::positive, rows, 2);
  Pairs<T> p{x, {}};
  for (std::size_t i = 0; i < x.size(); ++i) p.y.push_back(w[i / columns]);
  const auto weights = on_device(w);
  const Kokkos::View<const T**, Kokkos::LayoutStride, Exec> of_rows(
      weights.data(), Kokkos::LayoutStride(rows, 1, columns, 0));
  for (const Order order : all_orders)
    EXPECT_EQ(bits(acc::weighted_mean(Array<T, 2>({rows, columns}, order, x).view(), of_rows)),
              bits(p.weighted_mean()));
}

// Numbers beside a large offset, where formulas of one pass lose all digits.
TYPED_TEST(Statistics, AnOffsetLosesNothing) {
  using T = TypeParam;
  Pairs<T> p;
  for (int i = 0; i < 4096; ++i) {
    p.x.push_back(std::ldexp(T(1), std::numeric_limits<T>::digits - 2) + T(i % 3));
    p.y.push_back(p.x.back());
  }
  const auto x = on_device(p.x);
  EXPECT_EQ(acc::variance(x), p.covariance(0));
  EXPECT_NEAR(double(acc::variance(x)), 2.0 / 3, 1e-3);
}

TYPED_TEST(Statistics, PartsMerge) {
  using T = TypeParam;
  const auto x = elements<T>(Data::all_exponents, 999, 4), y = elements<T>(Data::wide, 999, 5);
  const auto part = [](const std::vector<T>& v, std::size_t from, std::size_t to) {
    return on_device(
        std::vector<T>(v.begin() + std::ptrdiff_t(from), v.begin() + std::ptrdiff_t(to)));
  };
  auto s = acc::statistics_of(part(x, 500, 999));
  s.merge(acc::statistics_of(Exec{}, part(x, 3, 500)));
  auto j = acc::statistics_of(part(x, 0, 7), part(y, 0, 7));
  j.merge(acc::statistics_of(part(x, 9, 999), part(y, 9, 999)));
  for (std::size_t i = 0; i < 3; ++i) s.add(x[i]);
  for (std::size_t i = 7; i < 9; ++i) j.add(x[i], y[i]);
  EXPECT_EQ(s.count, 999);
  EXPECT_EQ(bits(s.mean()), bits(acc::mean(on_device(x))));
  EXPECT_EQ(bits(s.variance(1)), bits(acc::variance(on_device(x), 1)));
  EXPECT_EQ(bits(j.covariance(1)), bits(acc::covariance(on_device(x), on_device(y), 1)));
}

TYPED_TEST(Statistics, SpecialNumbers) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity(), most = std::numeric_limits<T>::max();
  const auto mean = [](const std::vector<T>& x) { return bits(acc::mean(on_device(x))); };
  const auto variance = [](const std::vector<T>& x, int ddof = 0) {
    return bits(acc::variance(on_device(x), ddof));
  };
  const std::string nan = bits(acc::impl::canonical_nan<T>());
  EXPECT_EQ(mean({}), nan);
  EXPECT_EQ(mean({T(-0.0), T(-0.0)}), bits(T(-0.0)));
  EXPECT_EQ(mean({T(-0.0), T(0)}), bits(T(0)));
  EXPECT_EQ(mean({T(1), infinity}), bits(infinity));
  EXPECT_EQ(mean({-infinity, infinity}), nan);
  EXPECT_EQ(mean({most, most, most}), bits(most));
  EXPECT_EQ(variance({}), nan);
  EXPECT_EQ(variance({T(3)}), bits(T(0)));
  EXPECT_EQ(variance({T(3)}, 1), nan);
  EXPECT_EQ(variance({T(3), infinity}), nan);
  EXPECT_EQ(variance({most, -most}), bits(infinity));
  EXPECT_EQ(variance({T(-0.0), T(-0.0)}), bits(T(0)));
  const auto weighted = [](const std::vector<T>& x, const std::vector<T>& w) {
    return bits(acc::weighted_mean(on_device(x), on_device(w)));
  };
  EXPECT_EQ(weighted({T(5), T(7)}, {T(0), T(0)}), nan);
  EXPECT_EQ(weighted({T(5), T(7)}, {T(1), T(-1)}), bits(-infinity));
  EXPECT_EQ(weighted({T(5), T(-5)}, {T(1), T(1)}), bits(T(0)));
  EXPECT_EQ(weighted({most, most}, {most, most}), bits(most));
  EXPECT_EQ(weighted({T(5), T(7)}, {T(1), infinity}), nan);
}

TYPED_TEST(Statistics, RejectWrongArguments) {
  using T = TypeParam;
  const auto x = on_device(std::vector<T>(3)), y = on_device(std::vector<T>(4));
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_EQ(
      message([&] { (void)acc::covariance(x, y); }),
      "acc::covariance: x and y must have the same length, but x has extent 3 and y has extent 4");
  EXPECT_EQ(message([&] { (void)acc::variance(x, -1); }),
            "acc::variance: ddof must not be negative, but it is -1");
  const Kokkos::View<T**, Exec> a("a", 3, 4), b("b", 4, 3);
  const Kokkos::View<T, Exec> r("r"), in_y(y.data() + 2), in_a(a.data() + 5), nowhere;
  EXPECT_EQ(message([&] { (void)acc::covariance(a, b); }),
            "acc::covariance: x and y must have the same extents, but x is 3 x 4 and y is 4 x 3");
  EXPECT_EQ(
      message([&] { acc::weighted_mean(r, a, b); }),
      "acc::weighted_mean: x and w must have the same extents, but x is 3 x 4 and w is 4 x 3");
  EXPECT_EQ(message([&] { acc::variance(r, x, -2); }),
            "acc::variance: ddof must not be negative, but it is -2");
  EXPECT_EQ(message([&] { acc::covariance(r, a, a, -2); }),
            "acc::covariance: ddof must not be negative, but it is -2");
  EXPECT_EQ(message([&] { acc::mean(in_y, y); }), "acc::mean: r lies inside x (extent 4)");
  EXPECT_EQ(message([&] { acc::variance(in_a, a); }), "acc::variance: r lies inside x (3 x 4)");
  const Kokkos::View<T*, Exec> four("four", 4);
  EXPECT_EQ(message([&] { acc::covariance(in_y, four, y); }),
            "acc::covariance: r lies inside y (extent 4)");
  EXPECT_EQ(message([&] { acc::weighted_mean(in_y, four, y); }),
            "acc::weighted_mean: r lies inside w (extent 4)");
  EXPECT_EQ(message([&] { acc::mean(nowhere, y); }), "acc::mean: r has no data (null pointer)");
  const Kokkos::View<T**, Exec, Kokkos::MemoryUnmanaged> without_data(nullptr, 3, 4);
  EXPECT_EQ(message([&] { (void)acc::weighted_mean(a, without_data); }),
            "acc::weighted_mean: w has extents 3 x 4 but no data (null pointer)");
}

}  // namespace
}  // namespace acc_test
