// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The errors of acc::gemm against the exact product: every method keeps the bound that acc/gemm.hpp
// states.
#pragma once

#include "gemm_calls.hpp"

#include <cmath>

namespace acc_test {
namespace {

// The bounds for alpha = 1, beta = 0 of a sum of k real products in strips of s, q = ceil(k / s) of
// them; u the unit roundoff, S the sum of the products' magnitudes, c the exact sum. Scaling by 1
// is exact, and high + low is rounded once.
//
// plain: each product passes at most k FMAs, each rounding once (Higham 2002, 3.1).
template <class R>
Bound gemm_bound(acc::plain, double k) {
  return {0, gamma<R>(k)};
}
// blocked: s FMAs and q additions (Badin et al. 2013, eq. 3.4).
template <class R>
Bound gemm_bound(const acc::blocked& m, double k) {
  const double s = std::min(k, static_cast<double>(m.strip));
  return {0, gamma<R>(s + std::ceil(k / s))};
}
// selective: 2 u S + gamma_s S, for kahan 3 u S. Of these, u |c| is the last rounding; for kahan, 2
// u S is the error of Kahan's sum of the strips (Higham 2002, eq. 4.8); for priest and seeded, u
// times the strip or total that is added to a smaller one. What is left are terms of second order,
// at most q of each: a rest of at most u S is rounded, by u of itself, in up to four operations;
// and seeded's passes the s roundings of the next strip. That is (4 q + q s) u^2 S, less than the 8
// k u^2 S of docs/arithmetic.md.
template <class R, class C>
Bound gemm_bound(const acc::selective<C>& m, double k) {
  const double s = std::min(k, static_cast<double>(m.strip));
  const double first = std::is_same_v<C, acc::kahan> ? 3 : 2;
  return {0, (first * u<R> + gamma<R>(s) + 8 * k * u<R> * u<R>)*(1 + 0x1p-40)};
}
// Ogita, Rump and Oishi 2005, proposition 5.5, has u |c| + gamma_k^2 S for Dot2; here the first
// product is added too, and a low part passes two additions.
template <class R>
Bound gemm_bound(acc::compensated, double k) {
  return {u<R>, 2 * std::pow(gamma<R>(k + 1), 2)};
}
// Products of floats are exact in double: k - 1 additions of at most u each, to any order of u
// (Rump 2012), and one rounding to float of what they give.
template <class R>
Bound gemm_bound(acc::widened, double k) {
  return {u<float>, k * 0x1p-53};
}

/// A product, what it is exactly, and the sums of magnitudes, part by part.
template <class T>
struct ExactProduct {
  using R = real_t<T>;
  Product<T> p;
  std::vector<std::vector<Exact>> exact, sum_abs;  // of entry (i, j) at i * n + j

  explicit ExactProduct(const Product<T>& product) : p(product) {
    std::vector<R> x, y;
    for (std::size_t i = 0; i < p.c.rows; ++i) {
      for (std::size_t j = 0; j < p.c.columns; ++j) {
        std::vector<T> a(p.depth), b(p.depth);
        for (std::size_t k = 0; k < p.depth; ++k) {
          a[k] = p.a.operated(p.trans_a, i, k);
          b[k] = p.b.operated(p.trans_b, k, j);
        }
        std::vector<Exact> value, magnitude;
        for (int k = 0; k < (is_complex<T> ? 2 : 1); ++k) {
          reference::products_of(a, b, k, x, y);
          value.push_back(exact_dot<R>(x, y));
          magnitude.push_back(exact_abs_dot<R>(x, y));
        }
        exact.push_back(value);
        sum_abs.push_back(magnitude);
      }
    }
  }

  template <class Method>
  static Bound bound(const Method& method, std::size_t depth) {
    // A part of a complex product is a sum of twice as many real products, in strips of as many.
    Method real_method = method;
    if constexpr (is_complex<T> && acc::impl::has_strips<Method>) real_method.strip *= 2;
    const auto k = static_cast<double>(is_complex<T> ? 2 * depth : depth);
    Bound b = gemm_bound<R>(real_method, k);
    // Each FMA, and each error of a product, is off by half a subnormal unit at most.
    b.underflow = k * static_cast<double>(std::numeric_limits<R>::denorm_min());
    return b;
  }
  template <class Method>
  void expect_bound(const Method& method, const std::string& what) const {
    const Matrix<T> got = p.by_gemm(method);
    const Bound limit = bound(method, p.depth);
    for (std::size_t i = 0; i < p.c.rows; ++i) {
      for (std::size_t j = 0; j < p.c.columns; ++j) {
        const std::size_t e = i * p.c.columns + j;
        expect_within(got(i, j), exact[e], sum_abs[e], limit, name(method) + ", " + what);
      }
    }
  }
  void expect_bounds(const std::string& what) const {
    for_methods<T>({1, 64}, [&](const auto& method) { expect_bound(method, what); });
  }
};

template <class T>
class GemmAccuracy : public testing::Test {
 public:
  using R = real_t<T>;
  /// (rand - 1/2) exp(phi randn): the larger phi, the wider.
  static std::vector<T> spread(double phi, std::size_t n, std::uint64_t seed) {
    Random random(seed);
    const auto real = [&] {
      double bell = -6;
      for (int k = 0; k < 12; ++k) bell += random.unit<double>();
      return static_cast<R>((random.unit<double>() - 0.5) * std::exp(phi * bell));
    };
    std::vector<T> x(n);
    for (T& v : x) {
      if constexpr (is_complex<T>) {
        const R re = real();
        v = T(re, real());
      } else {
        v = real();
      }
    }
    return x;
  }
};
using GemmAccuracyTypes =
    testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(GemmAccuracy, GemmAccuracyTypes);

TYPED_TEST(GemmAccuracy, KeepsItsBoundOnEveryFamily) {
  using T = TypeParam;
  for (const std::size_t k : {1, 65, 700, 3000}) {
    for (const Data data : {Data::positive, Data::uniform, Data::alternating, Data::harmonic,
                            Data::constant, Data::subnormal, Data::massive_cancellation}) {
      const Product<T> p({3, 4, k}, "T", "N", data,
                         data == Data::positive ? Data::positive : Data::uniform, k);
      ExactProduct<T>(p).expect_bounds(std::string(name(data)) + ", k = " + std::to_string(k));
    }
  }
}

TYPED_TEST(GemmAccuracy, KeepsItsBoundOnSpreadData) {
  using T = TypeParam;
  for (const double phi : {1, 2, 3, 4}) {
    for (const std::size_t k : {100, 2000}) {
      Product<T> p({3, 2, k}, "N", "C");
      p.a.fill(this->spread(phi, 3 * k, 1));
      p.b.fill(this->spread(phi, 2 * k, 2));
      ExactProduct<T>(p).expect_bounds("phi = " + std::to_string(phi));
    }
  }
}

TYPED_TEST(GemmAccuracy, SmallIntegersAreExact) {
  using T = TypeParam;
  Random random(3);
  const auto integers = [&](Matrix<T>& m) {
    for (T& v : m.memory) {
      const auto x = static_cast<real_t<T>>(random.integer(-8, 8));
      v = T(x);
      if constexpr (is_complex<T>) v = T(x, static_cast<real_t<T>>(random.integer(-8, 8)));
    }
  };
  Product<T> p({3, 4, 2500}, "C", "N");
  integers(p.a);
  integers(p.b);
  const ExactProduct<T> exact(p);
  for_methods<T>({1, 64, 1000}, [&](const auto& method) {
    const Matrix<T> got = p.by_gemm(method);
    for (std::size_t e = 0; e < 12; ++e)
      expect_within(got(e / 4, e % 4), exact.exact[e], exact.sum_abs[e], Bound{0, 0}, name(method));
  });
}

TYPED_TEST(GemmAccuracy, RowsOfAnyConditionAreCompensated) {
  using T = TypeParam;
  using R = real_t<T>;
  const double top = sizeof(R) == 4 ? 1e8 : 1e16;  // 1 / u and more
  for (const std::size_t k : {60, 1500}) {
    const Product<T> p = ill_conditioned_product<T>(k, top);
    const ExactProduct<T> exact(p);
    exact.expect_bounds("condition");
    if constexpr (!is_complex<T>) {  // where plain has no correct digits, or few
      const std::size_t last = p.c.rows - 1, e = last * p.c.rows + last;
      const auto error = [&](const auto& method) {
        return relative_error(Exact(p.by_gemm(method)(last, last)), exact.exact[e][0]);
      };
      EXPECT_GT(error(acc::plain{}), 1e-3) << k;
      EXPECT_LT(error(acc::compensated{}), 1e-3 * error(acc::plain{})) << k;
    }
  }
}

TYPED_TEST(GemmAccuracy, ALargeFirstStripLosesNoneOfTheSmallOnes) {
  using T = TypeParam;
  using R = real_t<T>;
  // 1, then products of 0.9 u/2: each is lost in an ordinary addition to 1, all together are not.
  Product<T> p({2, 2, 2001}, "N", "N");  // within a section
  p.a.fill(std::vector<T>(2 * 2001, T(R(0.45 * u<R>))));
  p.b.fill(std::vector<T>(2001 * 2, T(1)));
  for (const std::size_t i : {0, 1}) p.a(i, 0) = T(1);
  const ExactProduct<T> exact(p);
  exact.expect_bounds("a large first strip");
  const auto got = [&](const auto& method) { return parts(p.by_gemm(method)(1, 1))[0]; };
  EXPECT_EQ(got(acc::plain{}), 1);
  EXPECT_EQ(got(acc::blocked{1}), 1);
  const R right = round_to<R>(exact.exact[3][0]);
  EXPECT_EQ(got(acc::compensated{}), right);
  EXPECT_EQ(got(acc::selective<acc::kahan>{1}), right);
  EXPECT_EQ(got(acc::selective<acc::priest>{1}), right);
  EXPECT_EQ(got(acc::selective<acc::seeded>{1}), right);
}

}  // namespace
}  // namespace acc_test
