// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::sum_with_bound and acc::dot_with_bound: the bound holds against the exact result, is no
// larger than theory says, and the value is that of the method compensated.
#pragma once

#include "device.hpp"

#include <acc/certificate.hpp>

namespace acc_test {
namespace {

template <class T>
class Certificate : public testing::Test {
 public:
  using R = real_t<T>;

  /// The parts of a result, with the sums of the magnitudes of their terms.
  struct Truth {
    std::vector<Exact> exact, terms;
    double lost;  ///< what products that underflow may lose, and a subnormal bound's rounding
  };

  static void expect_certified(const acc::certified<T>& c, const Truth& truth, double n,
                               const std::string& what) {
    Exact error, terms, value;
    const auto got = parts(c.value);
    for (std::size_t k = 0; k < got.size(); ++k) {
      ASSERT_TRUE(std::isfinite(got[k])) << what;
      error += abs(Exact(got[k]) - truth.exact[k]);  // at least the modulus
      terms += truth.terms[k];
      value += abs(Exact(got[k]));
    }
    if (got.size() == 1) {
      EXPECT_LE(error, Exact(c.error_bound)) << what;
    } else {  // |re + i im|^2 <= bound^2
      Exact square;
      for (std::size_t k = 0; k < got.size(); ++k) {
        const Exact e = Exact(got[k]) - truth.exact[k];
        square += e * e;
      }
      EXPECT_LE(square, Exact(c.error_bound) * Exact(c.error_bound)) << what;
    }
    // u |value| + 256 u E, E <= (d + 1) u S (and half as much for a dot's products), each a little
    // more.
    const double u = std::numeric_limits<R>::epsilon() / 2;
    const double d = depth<R>(static_cast<std::size_t>(n)) + 2;
    const Exact limit = Exact(1.001 * u) * value + Exact(300 * u * d * u) * terms +
                        Exact(truth.lost + 16 * std::numeric_limits<R>::denorm_min());
    EXPECT_LE(Exact(c.error_bound), limit) << what;
    if (4 * ratio(terms, value) < double(std::numeric_limits<R>::max())) {  // else it may overflow
      ASSERT_TRUE(std::isfinite(c.condition)) << what;
      const Exact product = Exact(c.condition) * value;  // about terms (a dot's: twice them)
      EXPECT_LE(product, Exact(2.01) * terms + Exact(truth.lost)) << what;
      EXPECT_LE(terms, Exact(1.01) * product + Exact(truth.lost)) << what;
    }
  }

  static std::vector<R> part(const std::vector<T>& x, std::size_t k) {
    std::vector<R> v;
    for (const T& e : x) v.push_back(parts(e)[k]);
    return v;
  }

  static void expect_sum(const std::vector<T>& x, const std::string& what) {
    Truth truth{{}, {}, 0};
    for (std::size_t k = 0; k < parts(T{}).size(); ++k) {
      truth.exact.push_back(exact_sum<R>(part(x, k)));
      truth.terms.push_back(exact_abs_sum<R>(part(x, k)));
    }
    const auto on = on_device(x);
    const auto c = acc::sum_with_bound(Exec{}, on);
    expect_certified(c, truth, static_cast<double>(x.size() * truth.exact.size()), what);
    const auto want = parts(acc::sum(Exec{}, on)), got = parts(c.value);
    for (std::size_t k = 0; k < want.size(); ++k) EXPECT_EQ(bits(got[k]), bits(want[k])) << what;
  }

  static void expect_dot(const std::vector<T>& x, const std::vector<T>& y,
                         const std::string& what) {
    Truth truth{{}, {}, 0};
    const auto add = [&](std::vector<std::vector<R>> a, std::vector<std::vector<R>> b) {
      Exact exact, terms;
      for (std::size_t i = 0; i < a.size(); ++i) {
        exact += exact_dot<R>(a[i], b[i]);
        terms += exact_abs_dot<R>(a[i], b[i]);
      }
      truth.exact.push_back(exact);
      truth.terms.push_back(terms);
    };
    if constexpr (!is_complex<T>) {
      add({x}, {y});
    } else {
      const auto xr = part(x, 0), xi = part(x, 1), yr = part(y, 0), yi = part(y, 1);
      auto minus_xi = xi;
      for (R& v : minus_xi) v = -v;
      add({xr, xi}, {yr, yi});
      add({xr, minus_xi}, {yi, yr});
    }
    const double products = static_cast<double>(x.size()) * 2;
    truth.lost = 10 * products * std::numeric_limits<R>::denorm_min();
    const auto c = acc::dot_with_bound(Exec{}, on_device(x), on_device(y));
    expect_certified(c, truth, products, what);
  }
};

using CertificateTypes =
    testing::Types<double, float, Kokkos::complex<double>, Kokkos::complex<float>>;
TYPED_TEST_SUITE(Certificate, CertificateTypes);

TYPED_TEST(Certificate, HoldsOnEveryFamily) {
  using T = TypeParam;
  for (const Data data : all_data) {
    for (const std::size_t n : lengths<T>()) {
      const std::string what = std::string(name(data)) + ", n = " + std::to_string(n);
      this->expect_sum(elements<T>(data, n, 7 * n), what);
      if (data == Data::near_overflow) continue;  // products overflow
      this->expect_dot(elements<T>(data, n, 7 * n), elements<T>(Data::uniform, n, 7 * n + 1), what);
    }
  }
}

TYPED_TEST(Certificate, HoldsOnIllConditionedData) {
  using T = TypeParam;
  using R = real_t<T>;
  const std::size_t n = 3000;
  for (double c = 1e2; c <= (sizeof(R) == 4 ? 1e14 : 1e32) * 1.01; c *= 100) {
    const auto sum = ill_conditioned_sum<R>(n / 2, c, 1);
    const auto dot = ill_conditioned_dot<R>(n, c, 1);
    std::vector<T> s(n), x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (is_complex<T>) {
        s[i] = T(sum[i], -sum[n - 1 - i]);
        x[i] = T(dot.x[i], dot.x[i]);
        y[i] = T(dot.y[i], dot.y[n - 1 - i]);
      } else {
        s[i] = sum[i];
        x[i] = dot.x[i];
        y[i] = dot.y[i];
      }
    }
    this->expect_sum(s, "sum, condition " + std::to_string(c));
    this->expect_dot(x, y, "dot, condition " + std::to_string(c));
  }
}

TYPED_TEST(Certificate, SaysNothingIsLostWhereNothingIs) {
  using T = TypeParam;
  using R = real_t<T>;
  std::vector<T> x;
  for (int i = 1; i <= 5000; ++i) x.push_back(T(R(i % 7 - 3)));
  const auto c = acc::sum_with_bound(Exec{}, on_device(x));
  EXPECT_EQ(c.error_bound, R(0));
  const auto none = acc::sum_with_bound(Exec{}, on_device(std::vector<T>{}));
  EXPECT_EQ(none.value, T(0));
  EXPECT_EQ(none.error_bound, R(0));
  EXPECT_EQ(none.condition, R(0));
}

TYPED_TEST(Certificate, IsNoneForNaNAndInfinities) {
  using T = TypeParam;
  using R = real_t<T>;
  for (const R special :
       {std::numeric_limits<R>::infinity(), std::numeric_limits<R>::quiet_NaN()}) {
    const std::vector<T> x{T(1), T(special), T(2)};
    EXPECT_TRUE(std::isnan(acc::sum_with_bound(Exec{}, on_device(x)).error_bound));
    EXPECT_TRUE(std::isnan(acc::dot_with_bound(Exec{}, on_device(x), on_device(x)).error_bound));
  }
}

/// Finite numbers whose sum is finite only while it is scaled: nothing is certain of it.
TYPED_TEST(Certificate, IsInfiniteWhereTheSumOverflows) {
  using T = TypeParam;
  using R = real_t<T>;
  using Limits = std::numeric_limits<R>;
  const auto expect_overflow = [](const auto& c, R sign, const std::string& what) {
    EXPECT_EQ(bits(parts(c.value)[0]), bits(sign * Limits::infinity())) << what;
    EXPECT_EQ(bits(c.error_bound), bits(Limits::infinity())) << what;
    EXPECT_TRUE(std::isnan(c.condition)) << what;
  };
  const R max = Limits::max(), root = std::ldexp(R(1), Limits::max_exponent / 2);
  for (const std::size_t n : {std::size_t(2), std::size_t(100), 2 * leaf<T> + 1}) {
    for (const R sign : {R(1), R(-1)}) {
      const std::string what = "n = " + std::to_string(n) + ", sign " + std::to_string(sign);
      std::vector<T> x(n, T(0)), y(n, T(1));
      x[0] = x[n - 1] = T(sign * max);
      expect_overflow(acc::sum_with_bound(Exec{}, on_device(x)), sign, "sum, " + what);
      expect_overflow(acc::dot_with_bound(Exec{}, on_device(x), on_device(y)), sign,
                      "dot, " + what);
      x[0] = T(root);
      y[0] = T(sign * root);
      x[n - 1] = y[n - 1] = T(0);
      expect_overflow(acc::dot_with_bound(Exec{}, on_device(x), on_device(y)), sign,
                      "a product, " + what);
      // Only just: the largest number and half of its last place, and that again.
      x.assign(n, T(0));
      x[0] = T(sign * max);
      x[n - 1] = T(sign * std::ldexp(R(1), Limits::max_exponent - Limits::digits - 1));
      expect_overflow(acc::sum_with_bound(Exec{}, on_device(x)), sign, "just, " + what);
      // Not at all.
      x[n - 1] = T(sign * std::ldexp(R(1), Limits::max_exponent - Limits::digits - 2));
      const auto c = acc::sum_with_bound(Exec{}, on_device(x));
      EXPECT_EQ(parts(c.value)[0], sign * max) << what;
      EXPECT_TRUE(std::isfinite(c.error_bound)) << what;
      EXPECT_LE(abs(Exact(parts(x[n - 1])[0])), Exact(c.error_bound)) << what;
    }
  }
}

TEST(CertificateErrors, RejectsVectorsOfDifferentLengths) {
  const Kokkos::View<double*, Exec> x("x", 3), y("y", 4);
  try {
    acc::dot_with_bound(Exec{}, x, y);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(),
                 "acc::dot_with_bound: x and y must have the same length, but x has extent 3 and y "
                 "has extent 4");
  }
}

}  // namespace
}  // namespace acc_test
