// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error-free transformations against exact arithmetic, where their theorems hold, and their
// documented results where they do not. CMake compiles this file once for each set of flags that
// tempts a compiler to fuse or vectorise; no execution space is started.
#include "generators.hpp"
#include "oracle.hpp"

#include <acc/core/double_word.hpp>
#include <acc/core/eft.hpp>
#include <acc/core/expansion.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

/// x, of which the compiler knows nothing: no folding of the operations under test.
template <class T>
T opaque(T x) {
  volatile T hidden = x;
  return hidden;
}

template <class T>
class Eft : public testing::Test {
 public:
  using Limits = std::numeric_limits<T>;
  static constexpr int p = Limits::digits;
  static constexpr int emax = Limits::max_exponent - 1;  // of numbers 1.m * 2^e
  static constexpr int emin = Limits::min_exponent - 1;

  /// Pairs over the whole exponent range, half of them close enough to interact.
  static std::pair<T, T> pair(Random& random) {
    const T a = random.any_finite<T>();
    if (random.below(2) == 0) return {a, random.any_finite<T>()};
    const int e = a == 0 ? emin : std::ilogb(a);
    const T b =
        std::ldexp(random.symmetric<T>(), std::min(e + random.integer(-p - 3, p + 3), emax));
    return random.below(2) == 0 ? std::pair{a, b} : std::pair{b, a};
  }
  /// Numbers whose exponent lies in [low, high].
  static T between(Random& random, int low, int high) {
    const T m = std::min(1 + random.unit<T>(), 2 - Limits::epsilon());  // 1 + unit may round to 2
    const T x = std::ldexp(m, random.integer(low, high));
    return random.below(2) == 0 ? x : -x;
  }
  static std::vector<T> edges() {
    const T u = Limits::epsilon();
    std::vector<T> x;
    for (const T v : {T(0), Limits::denorm_min(), 3 * Limits::denorm_min(), Limits::min(),
                      Limits::min() - Limits::denorm_min(), Limits::min() * (1 + u), T(1), 1 + u,
                      1 - u / 2, T(1) / 3, Limits::max(), Limits::max() * (1 - u),
                      Limits::max() / 2, std::ldexp(T(1), emax), std::ldexp(T(1), emax - p),
                      std::ldexp(1 + u, emax - p), std::ldexp(1 - u, emax - p)}) {
      x.push_back(v);
      x.push_back(-v);
    }
    return x;
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Eft, Types);

constexpr int many = 100000;

template <class T>
void expect_two_sum(T a, T b) {
  const Exact exact = Exact(a) + Exact(b);
  const T rounded = round_to<T>(exact);
  const auto [value, error] = acc::two_sum(opaque(a), opaque(b));
  ASSERT_EQ(value, rounded) << std::hexfloat << a << " + " << b;
  if (!std::isfinite(rounded)) return;
  ASSERT_TRUE(std::isfinite(error)) << std::hexfloat << a << " + " << b;
  ASSERT_EQ(Exact(value) + Exact(error), exact) << std::hexfloat << a << " + " << b;
}

TYPED_TEST(Eft, TwoSumIsExactWhereverTheSumIsFinite) {
  Random random(1);
  for (int k = 0; k < many; ++k) {
    const auto [a, b] = this->pair(random);
    expect_two_sum(a, b);
  }
  for (int k = 0; k < many / 10; ++k) {  // the ends of the range, where all exponents seldom lead
    expect_two_sum(this->between(random, this->emax - 3, this->emax),
                   this->between(random, this->emax - this->p - 3, this->emax));
    expect_two_sum(this->between(random, this->emin - this->p, this->emin + 1),
                   this->between(random, this->emin - this->p, this->emin + 1));
  }
}

TYPED_TEST(Eft, TwoSumAtTheEdges) {
  for (const auto a : this->edges()) {
    for (const auto b : this->edges()) expect_two_sum(a, b);
  }
}

TYPED_TEST(Eft, TwoSumOfZerosInfinitiesAndNan) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T zero = opaque(T(0)), inf = opaque(Limits::infinity()), one = opaque(T(1));
  const auto negative = acc::two_sum(T(-zero), T(-zero));
  EXPECT_TRUE(negative.value == 0 && std::signbit(negative.value));  // -0 + -0 = -0
  EXPECT_EQ(negative.error, 0);
  const auto mixed = acc::two_sum(zero, T(-zero));
  EXPECT_TRUE(mixed.value == 0 && !std::signbit(mixed.value));
  EXPECT_EQ(mixed.error, 0);
  // Outside the theorem: value is the IEEE sum, error is not a number.
  EXPECT_EQ(acc::two_sum(inf, one).value, inf);
  EXPECT_TRUE(std::isnan(acc::two_sum(inf, one).error));
  EXPECT_TRUE(std::isnan(acc::two_sum(inf, T(-inf)).value));
  EXPECT_TRUE(std::isnan(acc::two_sum(opaque(Limits::quiet_NaN()), one).value));
  const auto over = acc::two_sum(opaque(Limits::max()), opaque(Limits::max()));
  EXPECT_EQ(over.value, inf);
  EXPECT_FALSE(std::isfinite(over.error));
}

TYPED_TEST(Eft, FastTwoSumIsExactForOrderedOperands) {
  using T = TypeParam;
  Random random(2);
  for (int k = 0; k < many; ++k) {
    auto [a, b] = this->pair(random);
    if (std::abs(a) < std::abs(b)) std::swap(a, b);
    const Exact exact = Exact(a) + Exact(b);
    const T rounded = round_to<T>(exact);
    const auto [value, error] = acc::fast_two_sum(opaque(a), opaque(b));
    ASSERT_EQ(value, rounded) << std::hexfloat << a << " + " << b;
    if (std::isfinite(rounded)) {
      ASSERT_EQ(Exact(value) + Exact(error), exact);
    }
    const auto from_zero = acc::fast_two_sum(opaque(T(0)), opaque(b));  // a = 0 is allowed too
    ASSERT_EQ(from_zero.value, b);
    ASSERT_EQ(from_zero.error, 0);
  }
}

TYPED_TEST(Eft, FastTwoSumOfUnorderedOperandsKeepsTheRoundedSum) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  // a = 1 + 2u, b = 4/u... : |a| < |b| with low bits of a that s - a loses.
  const T a = 1 + Limits::epsilon(), b = std::ldexp(T(3), this->p);
  const auto [value, error] = acc::fast_two_sum(opaque(a), opaque(b));
  EXPECT_EQ(value, round_to<T>(Exact(a) + Exact(b)));
  EXPECT_FALSE(Exact(value) + Exact(error) == Exact(a) + Exact(b));  // the theorem's edge is real
}

/// True where a * b's low part lies on T's grid: |a b| = 0 or e_a + e_b >= emin + p - 1.
template <class T>
bool low_part_representable(T a, T b) {
  using Limits = std::numeric_limits<T>;
  if (a == 0 || b == 0) return true;
  return std::ilogb(a) + std::ilogb(b) >= Limits::min_exponent - 1 + Limits::digits - 1;
}

template <class T>
void expect_two_prod(T a, T b) {
  const Exact exact = Exact(a) * Exact(b);
  const T rounded = round_to<T>(exact);
  const auto [value, error] = acc::two_prod(opaque(a), opaque(b));
  ASSERT_EQ(value, rounded) << std::hexfloat << a << " * " << b;
  if (!std::isfinite(rounded)) {
    ASSERT_FALSE(std::isfinite(error)) << std::hexfloat << a << " * " << b;
  } else if (low_part_representable(a, b)) {
    ASSERT_EQ(Exact(value) + Exact(error), exact) << std::hexfloat << a << " * " << b;
  } else {  // documented: the error, rounded to the subnormal grid
    ASSERT_EQ(error, round_to<T>(exact - Exact(value))) << std::hexfloat << a << " * " << b;
  }
}

TYPED_TEST(Eft, TwoProd) {
  Random random(3);
  const int middle = (this->emin + this->p) / 2, top = this->emax / 2;
  for (int k = 0; k < many / 2; ++k) {
    expect_two_prod(random.any_finite<TypeParam>(), random.any_finite<TypeParam>());
    // both sides of the underflow limit of the low part, and of overflow
    expect_two_prod(this->between(random, middle - 4, middle + 4),
                    this->between(random, middle - 4, middle + 4));
    expect_two_prod(this->between(random, top - 1, top + 1),
                    this->between(random, top - 1, top + 1));
  }
  for (const auto a : this->edges()) {
    for (const auto b : this->edges()) expect_two_prod(a, b);
  }
}

TYPED_TEST(Eft, TwoProdDekkerEqualsTwoProdInItsRange) {
  using T = TypeParam;
  Random random(4);
  const int split_limit = this->emax - (this->p + 1) / 2;  // |a| < 2^(emax - p/2): no overflow
  for (int k = 0; k < many; ++k) {
    const T a = this->between(random, this->emin, split_limit - 2);
    const T b = this->between(random, this->emin, split_limit - 2);
    if (!low_part_representable(a, b)) continue;
    if (std::ilogb(a) + std::ilogb(b) > this->emax - 2) continue;
    const auto fma = acc::two_prod(opaque(a), opaque(b));
    const auto dekker = acc::two_prod_dekker(opaque(a), opaque(b));
    ASSERT_EQ(dekker.value, fma.value) << std::hexfloat << a << " * " << b;
    ASSERT_EQ(dekker.error, fma.error) << std::hexfloat << a << " * " << b;
    ASSERT_EQ(Exact(dekker.value) + Exact(dekker.error), Exact(a) * Exact(b));
  }
}

TYPED_TEST(Eft, TwoProdDekkerBeyondTheSplittersRangeIsNeverSilentlyWrong) {
  using T = TypeParam;
  const T huge = std::ldexp(T(1.5), this->emax), small = std::ldexp(T(1.25), -10);
  const auto [value, error] = acc::two_prod_dekker(opaque(huge), opaque(small));
  EXPECT_EQ(value, huge * small);
  EXPECT_FALSE(std::isfinite(error));
}

template <class T>
void expect_err_fma(T a, T b, T c) {
  const Exact exact = Exact(a) * Exact(b) + Exact(c);
  const auto [value, error, error2] = acc::err_fma(opaque(a), opaque(b), opaque(c));
  ASSERT_EQ(value, round_to<T>(exact)) << std::hexfloat << a << " * " << b << " + " << c;
  ASSERT_EQ(Exact(value) + Exact(error) + Exact(error2), exact)
      << std::hexfloat << a << " * " << b << " + " << c;
  ASSERT_EQ(error, round_to<T>(Exact(error) + Exact(error2)));  // error is the rounded error
}

TYPED_TEST(Eft, ErrFmaIsExactWithoutUnderflow) {
  using T = TypeParam;
  Random random(5);
  const int r = this->emax / 4;
  for (int k = 0; k < many / 2; ++k) {
    const T a = this->between(random, -r, r), b = this->between(random, -r, r);
    const int e = std::ilogb(a) + std::ilogb(b);
    const int low = this->emin + 2 * this->p, high = this->emax - 1;
    if (e < low || e > high) continue;
    const int ec = std::clamp(e + random.integer(-2 * this->p - 3, 2 * this->p + 3), low, high);
    expect_err_fma(a, b, this->between(random, ec, ec));
    expect_err_fma(a, b, T(-opaque(a * b)));                  // cancels to the product's low part
    expect_err_fma(a, b, std::nextafter(T(-(a * b)), T(0)));  // and nearly
    expect_err_fma(a, b, T(0));
  }
}

// A product formed by the caller tempts the compiler to fuse it into the addition inside an inlined
// transformation, which would then be one of other numbers. The identity must hold for the rounded
// product. Each function is kept out of line so that it is compiled as in a user's loop.
#if defined(__GNUC__)
#define ACC_TEST_NOINLINE __attribute__((noinline))
#else
#define ACC_TEST_NOINLINE
#endif

template <class T>
ACC_TEST_NOINLINE acc::sum_and_error<T> product_and_term(T x, T y, T z) {
  return acc::two_sum(x * y, z);
}
template <class T>
ACC_TEST_NOINLINE acc::sum_and_error<T> term_and_product(T x, T y, T z) {
  return acc::two_sum(z, x * y);
}
template <class T>
ACC_TEST_NOINLINE acc::sum_and_error<T> two_products(T a, T b, T c, T d) {
  return acc::two_sum(a * b, c * d);
}
template <class T>
ACC_TEST_NOINLINE acc::sum_and_error<T> fast_product_and_term(T x, T y, T z) {
  return acc::fast_two_sum(x * y, z);
}
template <class T>
struct ProductAndSum {
  acc::sum_and_error<T> product;
  T sum;
};
template <class T>
ACC_TEST_NOINLINE ProductAndSum<T> product_then_add(T x, T y, T z) {
  const auto p = acc::two_prod(x, y);
  return {p, p.value + z};
}
/// Number: a value type, made of the product.
template <class Number, class T>
ACC_TEST_NOINLINE acc::sum_and_error<T> number_and_term(T x, T y, T z) {
  Number s(x * y);
  s.add(z);
  return {s.component(0), s.component(1)};
}
template <class T>
ACC_TEST_NOINLINE acc::sum_and_error<T> pair_and_term(T x, T y, T z) {
  acc::double_word_number<T> s(x * y, -T(0));
  s.add(z);
  return {s.hi, s.lo};
}
template <class T>
ACC_TEST_NOINLINE void loop_of_products(const T* x, const T* y, T* value, T* error, int n) {
  for (int i = 0; i < n; ++i) {  // the vectoriser's temptation
    const auto r = acc::two_sum(x[i] * y[i], x[i]);
    value[i] = r.value;
    error[i] = r.error;
  }
}

TYPED_TEST(Eft, CallersProductsAreNotFusedIn) {
  using T = TypeParam;
  Random random(6);
  for (int k = 0; k < many / 10; ++k) {
    const T x = this->between(random, -3, 3), y = this->between(random, -3, 3);
    const T v = this->between(random, -3, 3), w = this->between(random, -3, 3);
    const T xy = round_to<T>(Exact(x) * Exact(y)), vw = round_to<T>(Exact(v) * Exact(w));
    const T z = k % 2 == 0 ? this->between(random, -8, 8) : T(-xy);  // -xy: fused, 0 becomes != 0
    const auto check = [](const acc::sum_and_error<T>& r, T a, T b) {
      ASSERT_EQ(r.value, round_to<T>(Exact(a) + Exact(b)));
      ASSERT_EQ(Exact(r.value) + Exact(r.error), Exact(a) + Exact(b));
    };
    check(product_and_term(x, y, z), xy, z);
    check(term_and_product(x, y, z), z, xy);
    check(two_products(x, y, v, w), xy, vw);
    check(two_products(x, y, T(-x), y), xy, T(-xy));
    if (std::abs(xy) >= std::abs(z)) check(fast_product_and_term(x, y, z), xy, z);
    check(number_and_term<acc::double_word_number<T>>(x, y, z), xy, z);
    check(number_and_term<acc::expansion<T, 2>>(x, y, z), xy, z);
    check(pair_and_term(x, y, z), xy, z);
    const auto r = product_then_add(x, y, z);
    ASSERT_EQ(r.product.value, xy);
    ASSERT_EQ(Exact(r.product.value) + Exact(r.product.error), Exact(x) * Exact(y));
    ASSERT_EQ(r.sum, round_to<T>(Exact(xy) + Exact(z)));
  }
}

TYPED_TEST(Eft, CallersProductsAreNotFusedInLoops) {
  using T = TypeParam;
  constexpr int n = 1000;
  const auto x = make<T>(Data::uniform, n, 1), y = make<T>(Data::uniform, n, 2);
  std::vector<T> value(n), error(n);
  loop_of_products(x.data(), y.data(), value.data(), error.data(), n);
  for (int i = 0; i < n; ++i) {
    const T xy = round_to<T>(Exact(x[i]) * Exact(y[i]));
    ASSERT_EQ(value[i], round_to<T>(Exact(xy) + Exact(x[i])));
    ASSERT_EQ(Exact(value[i]) + Exact(error[i]), Exact(xy) + Exact(x[i]));
  }
}

}  // namespace
}  // namespace acc_test
