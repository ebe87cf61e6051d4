// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::dot and acc::dotu: bounds against the exact dot product, and the order against its
// definition.
#pragma once

#include "device.hpp"
#include "reference_order.hpp"

#include <acc/dot.hpp>

namespace acc_test {
namespace {

/// Real dots that make up the dot of x and y: of (x, y) itself, or for complex scalars the real and
/// imaginary part as dots of flattened vectors.
template <bool Conjugate, class T>
std::vector<Pair<real_t<T>>> real_dots(const std::vector<T>& x, const std::vector<T>& y) {
  using R = real_t<T>;
  if constexpr (!is_complex<T>) {
    return {{x, y}};
  } else {
    Pair<R> re{flat(x), {}}, im{flat(x), {}};
    for (const T& v : y) {
      re.y.push_back(v.real());
      re.y.push_back(Conjugate ? v.imag() : -v.imag());
      im.y.push_back(v.imag());
      im.y.push_back(Conjugate ? -v.real() : v.real());
    }
    return {re, im};
  }
}

template <class C>
class Dot : public testing::Test {
 public:
  using T = typename C::Scalar;
  using R = typename C::Real;
  using M = typename C::Method;

  template <bool Conjugate>
  static T dot(const std::vector<T>& x, const std::vector<T>& y) {
    if constexpr (Conjugate) return acc::dot(Exec{}, on_device(x), on_device(y), M{});
    return acc::dotu(Exec{}, on_device(x), on_device(y), M{});
  }

  template <bool Conjugate>
  static void expect_bound(const std::vector<T>& x, const std::vector<T>& y,
                           const std::string& what) {
    std::vector<Exact> exact, sum_abs;
    for (const auto& p : real_dots<Conjugate>(x, y)) {
      exact.push_back(exact_dot<R>(p.x, p.y));
      sum_abs.push_back(exact_abs_dot<R>(p.x, p.y));
    }
    // One more rounding than a sum: the product. Underflow: ORO section 5, five units
    // of the smallest subnormal number for each product.
    const std::size_t products = x.size() * exact.size();
    Bound bound = bound_of<R>(M{}, depth<R>(products) + 1);
    bound.underflow = 5 * static_cast<double>(products) * std::numeric_limits<R>::denorm_min();
    expect_within(dot<Conjugate>(x, y), exact, sum_abs, bound,
                  what + (Conjugate ? " dot" : " dotu") + ", n = " + std::to_string(x.size()));
  }

  static void expect_bounds(const std::vector<T>& x, const std::vector<T>& y,
                            const std::string& what) {
    expect_bound<true>(x, y, what);
    if (is_complex<T>) expect_bound<false>(x, y, what);
  }
};

using DotCases = testing::Types<
    Case<acc::plain, double>, Case<acc::compensated, double>, Case<acc::compensated_fma, double>,
    Case<acc::double_word, double>, Case<acc::fold<2>, double>, Case<acc::fold<3>, double>,
    Case<acc::fold<4>, double>, Case<acc::fold<5>, double>, Case<acc::fold<8>, double>,
    Case<acc::plain, float>, Case<acc::compensated, float>, Case<acc::compensated_fma, float>,
    Case<acc::double_word, float>, Case<acc::fold<3>, float>, Case<acc::fold<6>, float>,
    Case<acc::fold<7>, float>, Case<acc::widened, float>,
    Case<acc::compensated, Kokkos::complex<double>>,
    Case<acc::compensated_fma, Kokkos::complex<double>>,
    Case<acc::fold<3>, Kokkos::complex<double>>, Case<acc::plain, Kokkos::complex<float>>,
    Case<acc::double_word, Kokkos::complex<float>>, Case<acc::widened, Kokkos::complex<float>>>;
TYPED_TEST_SUITE(Dot, DotCases);

TYPED_TEST(Dot, KeepsItsBoundOnEveryFamily) {
  using T = typename TypeParam::Scalar;
  for (const Data data : all_data) {
    // Products of two huge or two subnormal vectors leave the range; one factor stays moderate.
    for (const std::size_t n : lengths<T>())
      this->expect_bounds(elements<T>(data, n, n), elements<T>(Data::uniform, n, n + 1),
                          std::string(name(data)));
  }
  for (const std::size_t n : lengths<T>())
    this->expect_bounds(elements<T>(Data::wide, n, n), elements<T>(Data::wide, n, n + 1), "wide");
}

TYPED_TEST(Dot, KeepsItsBoundOnIllConditionedData) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  const double top = sizeof(R) == 4 ? 1e14 : 1e32;
  for (double c = 1e2; c <= top * 1.01; c *= 100) {
    for (const std::size_t n : {std::size_t(100), 2 * leaf<R> + 11}) {
      const auto p = ill_conditioned_dot<R>(n, c, 1);
      std::vector<T> x(n), y(n);
      for (std::size_t i = 0; i < n; ++i) {
        if constexpr (is_complex<T>) {  // the real part is twice the ill-conditioned dot
          x[i] = T(p.x[i], p.x[i]);
          y[i] = T(p.y[i], p.y[n - 1 - i]);
        } else {
          x[i] = p.x[i];
          y[i] = p.y[i];
        }
      }
      this->expect_bounds(x, y, "condition " + std::to_string(c));
    }
  }
}

TYPED_TEST(Dot, HasTheBitsOfTheCanonicalOrder) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  for (const std::size_t n : lengths<T>()) {
    const auto x = elements<T>(Data::wide, n, 100 + n), y = elements<T>(Data::uniform, n, 200 + n);
    const auto fx = flat(x), fy = flat(y);
    const auto compare = [&](const auto& want, const T& value, const char* what) {
      const auto got = parts(value);
      for (std::size_t k = 0; k < got.size(); ++k)
        EXPECT_EQ(bits(got[k]), bits(want[k])) << what << ", n = " << n << ", part " << k;
    };
    if constexpr (is_complex<T>) {
      compare(reference_complex_dot<true>(fx, fy, M{}), this->template dot<true>(x, y), "dot");
      compare(reference_complex_dot<false>(fx, fy, M{}), this->template dot<false>(x, y), "dotu");
    } else {
      const auto want = reference_dot(fx, fy, M{});
      compare(want, this->template dot<true>(x, y), "dot");
      compare(want, this->template dot<false>(x, y), "dotu");
    }
  }
}

TYPED_TEST(Dot, OfNothingIsPositiveZero) {
  using T = typename TypeParam::Scalar;
  EXPECT_EQ(bits(this->template dot<true>({}, {})), bits(T(0)));
  EXPECT_EQ(bits(this->template dot<false>({}, {})), bits(T(0)));
}

TEST(Dot, ConjugatesItsFirstArgument) {  // as KokkosBlas::dot does
  using Complex = Kokkos::complex<double>;
  const std::vector<Complex> x{{1, 2}}, y{{3, 5}};
  EXPECT_EQ(acc::dot(Exec{}, on_device(x), on_device(y)), Complex(13, -1));
  EXPECT_EQ(acc::dotu(Exec{}, on_device(x), on_device(y)), Complex(-7, 11));
}

/// The bounds bite: lesser methods break them on the same data.
TEST(DotBounds, AreBrokenByLesserMethods) {
  const auto p = ill_conditioned_dot<double>(5000, 1e20, 1);
  const Exact exact = exact_dot<double>(p.x, p.y), sum_abs = exact_abs_dot<double>(p.x, p.y);
  const auto x = on_device(p.x), y = on_device(p.y);
  const double d = depth<double>(p.x.size()) + 1;
  const auto breaks = [&](double got, const Bound& bound) {
    return abs(Exact(got) - exact) > bound.limit(exact, sum_abs);
  };
  const double plain = acc::dot(Exec{}, x, y, acc::plain{});
  EXPECT_TRUE(breaks(plain, bound_of<double>(acc::compensated{}, d)));
  EXPECT_TRUE(breaks(plain, bound_of<double>(acc::compensated_fma{}, d)));
  EXPECT_TRUE(breaks(plain, bound_of<double>(acc::double_word{}, d)));
  EXPECT_TRUE(breaks(acc::dot(Exec{}, x, y, acc::fold<2>{}), bound_of<double>(acc::fold<3>{}, d)));
}

TEST(DotBounds, HoldForAMillionElements) {
  const auto x = make<double>(Data::wide, 1000003, 1), y = make<double>(Data::uniform, 1000003, 2);
  Dot<Case<acc::compensated, double>>::expect_bounds(x, y, "million");
  Dot<Case<acc::fold<3>, double>>::expect_bounds(x, y, "million");
  Dot<Case<acc::compensated, float>>::expect_bounds(
      make<float>(Data::uniform, 1000003, 3), make<float>(Data::harmonic, 1000003, 4), "million");
}

}  // namespace
}  // namespace acc_test
