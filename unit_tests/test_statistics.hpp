// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::mean, variance, covariance, weighted_mean: beside rational arithmetic.
#pragma once

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
}

}  // namespace
}  // namespace acc_test
