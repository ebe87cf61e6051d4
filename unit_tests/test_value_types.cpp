// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// double_word and expansion as numbers, in host code: every operation against its published bound.
#include "bounds.hpp"
#include "generators.hpp"
#include "oracle.hpp"

#include <acc/core/double_word.hpp>
#include <acc/core/expansion.hpp>
#include <acc/core/order/guarded.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace acc_test {
namespace {

template <class T>
Exact exact_of(const acc::double_word_number<T>& x) {
  return Exact(x.hi) + Exact(x.lo);
}
template <class T, int K>
Exact exact_of(const acc::expansion<T, K>& x) {
  Exact sum;
  for (const T c : x.c) sum += Exact(c);
  return sum;
}

template <class T>
class DoubleWord : public testing::Test {
 public:
  using Word = acc::double_word_number<T>;
  static constexpr double u2 = u<T> * u<T>;

  /// A double word of exponent e: its low part anywhere up to half an ulp, often at the very end.
  static Word word(Random& random, int e) {
    const T hi = std::ldexp(random.symmetric<T>(), e);
    const T tail = random.below(4) == 0 ? T(0.999) : random.symmetric<T>();
    const T lo = std::ldexp(tail, std::ilogb(hi == 0 ? T(1) : hi) - std::numeric_limits<T>::digits);
    const auto s = acc::two_sum(hi, lo);
    return {s.value, s.error};
  }
  /// Pairs with near and far exponents; every third nearly cancels (opposite signs, close values).
  static std::pair<Word, Word> pair(Random& random, int k) {
    const Word x = word(random, random.integer(-20, 20));
    if (k % 3 != 0) return {x, word(random, random.integer(-40, 40))};
    const auto near = acc::two_sum(T(-x.hi), T(x.lo * random.symmetric<T>()));
    const T ulps = static_cast<T>(random.integer(-2, 2)) * std::numeric_limits<T>::epsilon();
    const auto moved = acc::two_sum(T(near.value * (1 + ulps)), near.error);
    return {x, {moved.value, moved.error}};
  }

  /// The relative error of `got` stays below bound * u^2 and `got` is a double word. The largest
  /// error seen must be a good part of the bound, or the test looks at the wrong thing.
  void expect_within(const Word& got, const Exact& exact, double bound) {
    ASSERT_EQ(got.hi, static_cast<T>(got.hi + got.lo));
    if (exact.is_zero()) {
      ASSERT_TRUE(exact_of(got).is_zero());
      return;
    }
    const double error = relative_error(exact_of(got), exact) / u2;
    worst_ = std::max(worst_, error);
    ASSERT_LE(error, bound) << to_string(exact);
  }
  double worst_ = 0;
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(DoubleWord, Types);

constexpr int many = 50000;

TYPED_TEST(DoubleWord, PlusNumber) {  // DWPlusFP: 2 u^2
  Random random(1);
  for (int k = 0; k < many; ++k) {
    const auto [x, y] = this->pair(random, k);
    this->expect_within(x + y.hi, exact_of(x) + Exact(y.hi), 2);
    auto z = x;
    z += y.hi;
    ASSERT_EQ(exact_of(z), exact_of(x + y.hi));
  }
  EXPECT_GT(this->worst_, 0.5);
}

TYPED_TEST(DoubleWord, PlusDoubleWord) {  // AccurateDWPlusDW: 3 u^2 / (1 - 4 u)
  Random random(2);
  const double bound = 3 / (1 - 4 * u<TypeParam>)*(1 + 1e-9);
  for (int k = 0; k < many; ++k) {
    const auto [x, y] = this->pair(random, k);
    this->expect_within(x + y, exact_of(x) + exact_of(y), bound);
    this->expect_within(x - y, exact_of(x) - exact_of(y), bound);
  }
  EXPECT_GT(this->worst_, 1);
}

TYPED_TEST(DoubleWord, TimesNumber) {  // DWTimesFP3: 2 u^2
  Random random(3);
  for (int k = 0; k < many; ++k) {
    const auto [x, y] = this->pair(random, k);
    this->expect_within(x * y.hi, exact_of(x) * Exact(y.hi), 2);
  }
  EXPECT_GT(this->worst_, 0.5);
}

TYPED_TEST(DoubleWord, TimesDoubleWord) {  // DWTimesDW3: 4 u^2 (Muller, Rideau 2022)
  Random random(4);
  for (int k = 0; k < many; ++k) {
    const auto [x, y] = this->pair(random, k);
    this->expect_within(x * y, exact_of(x) * exact_of(y), 4);
  }
  EXPECT_GT(this->worst_, 1);
}

TYPED_TEST(DoubleWord, AddProduct) {  // TwoProd is exact, then AccurateDWPlusDW
  using T = TypeParam;
  Random random(5);
  const double bound = 3 / (1 - 4 * u<T>)*(1 + 1e-9);
  for (int k = 0; k < many; ++k) {
    const auto [x, y] = this->pair(random, k);
    // Every third product nearly cancels x: a * b with b = -x / a rounded.
    const T a = random.symmetric<T>() + 2, b = k % 3 == 0 ? T(-x.hi / a) : y.hi;
    auto z = x;
    z.add_product(a, b);
    this->expect_within(z, exact_of(x) + Exact(a) * Exact(b), bound);
  }
  EXPECT_GT(this->worst_, 1);
}

TYPED_TEST(DoubleWord, EmptyIsNegativeZeroAndAnIdentity) {
  using T = TypeParam;
  const acc::double_word_number<T> empty;
  EXPECT_TRUE(empty.value() == 0 && std::signbit(empty.value()));
  auto x = empty;
  x.merge(empty);
  EXPECT_EQ(x.value(), 0);
  x += T(3);
  EXPECT_EQ(x.value(), 3);
  x.merge(empty);
  EXPECT_EQ(x.value(), 3);
}

TYPED_TEST(DoubleWord, ComplexPartsAreDoubleWords) {
  using T = TypeParam;
  using Complex = Kokkos::complex<T>;
  Random random(6);
  acc::double_word_number<Complex> sum;
  acc::double_word_number<T> re, im;
  for (int k = 0; k < 1000; ++k) {
    const Complex x(random.symmetric<T>(), random.symmetric<T>());
    const Complex y(random.symmetric<T>(), random.symmetric<T>());
    sum += x;
    re += x.real();
    im += x.imag();
    sum.add_product(x, y);
    re.add_product(x.real(), y.real());
    re.add_product(x.imag(), -y.imag());
    im.add_product(x.real(), y.imag());
    im.add_product(x.imag(), y.real());
  }
  EXPECT_EQ(exact_of(sum.re), exact_of(re));
  EXPECT_EQ(exact_of(sum.im), exact_of(im));
  EXPECT_EQ(sum.value(), Complex(re.value(), im.value()));

  const acc::double_word_number<Complex> a(this->word(random, 2), this->word(random, 3));
  const acc::double_word_number<Complex> b(this->word(random, 1), this->word(random, 0));
  const auto product = a * b;
  const Exact ar = exact_of(a.re), ai = exact_of(a.im), br = exact_of(b.re), bi = exact_of(b.im);
  const Exact slack = Exact(8 * this->u2);
  EXPECT_LE(abs(exact_of(product.re) - (ar * br - ai * bi)), slack * (abs(ar * br) + abs(ai * bi)));
  EXPECT_LE(abs(exact_of(product.im) - (ar * bi + ai * br)), slack * (abs(ar * bi) + abs(ai * br)));
}

template <class Case>
class Expansion : public testing::Test {};
template <class T, int K>
struct Case {
  using type = T;
  static constexpr int k = K;
};
using Cases =
    testing::Types<Case<float, 2>, Case<float, 3>, Case<float, 4>, Case<float, 8>, Case<double, 2>,
                   Case<double, 3>, Case<double, 4>, Case<double, 5>, Case<double, 8>>;
TYPED_TEST_SUITE(Expansion, Cases);

template <class T, int K>
void expect_within(const acc::expansion<T, K>& got, const Exact& exact, const Exact& sum_abs,
                   double depth, double underflow = 0) {
  Bound bound =
      K == 2 ? bound_of<T>(acc::compensated{}, depth) : bound_of<T>(acc::fold<K>{}, depth);
  bound.underflow = underflow;
  EXPECT_LE(abs(Exact(got.value()) - exact), bound.limit(exact, sum_abs))
      << "K = " << K << ", exact " << to_string(exact);
}

TYPED_TEST(Expansion, SumsOfEveryFamilyAndConditionKeepTheBound) {
  using T = typename TypeParam::type;
  constexpr int K = TypeParam::k;
  constexpr std::size_t n = 1000;
  const auto check = [](const std::vector<T>& x) {
    acc::expansion<T, K> first, second;
    for (std::size_t i = 0; i < x.size(); ++i) (i % 2 == 0 ? first : second).add(x[i]);
    first.merge(second);
    expect_within(first, exact_sum<T>(x), exact_abs_sum<T>(x), static_cast<double>(x.size()));
  };
  for (const Data data : all_data) check(make<T>(data, n, 1));
  const double top = sizeof(T) == 4 ? 1e14 : 1e32;
  for (double c = 1e4; c <= top; c *= 1e4) check(ill_conditioned_sum<T>(n / 2, c, 2));
}

TYPED_TEST(Expansion, DotsOfEveryConditionKeepTheBound) {
  using T = typename TypeParam::type;
  constexpr int K = TypeParam::k;
  const double top = sizeof(T) == 4 ? 1e14 : 1e32;
  for (double c = 1e4; c <= top; c *= 1e4) {
    const auto [x, y] = ill_conditioned_dot<T>(100, c, 3);
    acc::expansion<T, K> sum;
    for (std::size_t i = 0; i < x.size(); ++i) sum.add_product(x[i], y[i]);
    // Prop. 5.11 has 4n - 2 where 4.10 has 2n - 2; five underflow units an element (section 5).
    expect_within(sum, exact_dot<T>(x, y), exact_abs_dot<T>(x, y),
                  2 * static_cast<double>(x.size()),
                  5 * static_cast<double>(x.size()) * std::numeric_limits<T>::denorm_min());
  }
}

TYPED_TEST(Expansion, NothingIsLostWhileTheLastLevelIsExact) {
  using T = typename TypeParam::type;
  constexpr int K = TypeParam::k;
  // K - 1 numbers that do not overlap: every level keeps one.
  acc::expansion<T, K> sum;
  Exact exact;
  for (int k = 0; k < K; ++k) {
    const T x = std::ldexp(T(1) + std::numeric_limits<T>::epsilon(),
                           -(std::numeric_limits<T>::digits + 1) * std::min(k, 4));
    sum.add(x);
    exact += Exact(x);
  }
  EXPECT_EQ(exact_of(sum), exact);
  EXPECT_EQ(sum.value(), round_to<T>(exact));
}

TYPED_TEST(Expansion, EmptyIsNegativeZeroAndAnIdentity) {
  using T = typename TypeParam::type;
  using Sum = acc::expansion<T, TypeParam::k>;
  Sum x;
  EXPECT_TRUE(x.value() == 0 && std::signbit(x.value()));
  x.merge(Sum{});
  EXPECT_EQ(x.value(), 0);
  x += T(0.1);
  x.merge(Sum{});
  Sum y;
  y.merge(x);
  EXPECT_EQ(y.value(), T(0.1));
}

TYPED_TEST(Expansion, ComplexPartsAreExpansions) {
  using T = typename TypeParam::type;
  using Complex = Kokkos::complex<T>;
  constexpr int K = TypeParam::k;
  Random random(7);
  acc::expansion<Complex, K> sum, other;
  acc::expansion<T, K> re, im, other_re, other_im;
  for (int k = 0; k < 300; ++k) {
    const Complex x(random.symmetric<T>(), random.symmetric<T>());
    const Complex y(random.symmetric<T>(), random.symmetric<T>());
    sum.add(x);
    re.add(x.real());
    im.add(x.imag());
    other.add_product(x, y);
    other_re.add_product(x.real(), y.real());
    other_re.add_product(x.imag(), -y.imag());
    other_im.add_product(x.real(), y.imag());
    other_im.add_product(x.imag(), y.real());
  }
  sum.merge(other);
  re.merge(other_re);
  im.merge(other_im);
  EXPECT_EQ(exact_of(sum.re), exact_of(re));
  EXPECT_EQ(exact_of(sum.im), exact_of(im));
  EXPECT_EQ(sum.value(), Complex(re.value(), im.value()));
}

// Lanes that cancel leave large errors under a small leading component. The tree must not let those
// overflow: 8 such leaves, then 8 of the opposite sign, sum to 0 and not to NaN.
TEST(Guard, LargeErrorsUnderASmallLeadingComponentAreScaled) {
  using Sum = acc::expansion<float, 2>;
  using Node = acc::impl::node<Sum, acc::impl::guard::sums>;
  Sum leaf(0.0f);
  leaf.c[1] = 0x1.fp127f;
  EXPECT_TRUE(Node::is_huge(leaf));
  EXPECT_FALSE(Node::is_huge(Sum(0x1p100f)));
  Node total;
  for (int k = 0; k < 16; ++k) {
    Sum moderate(0.0f);
    moderate.c[1] = k < 8 ? 0x1p109f : -0x1p109f;  // passes 2^110 on the way
    total.merge(Node(moderate));
  }
  EXPECT_EQ(total.sum.value(), 0.0f);
  EXPECT_EQ(total.exponent(), -48);
}

}  // namespace
}  // namespace acc_test
