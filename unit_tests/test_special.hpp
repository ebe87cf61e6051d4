// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Zeros, infinities, NaN, and finite data whose sums overflow on the way.
#pragma once

#include "device.hpp"

#include <acc/dot.hpp>
#include <acc/sum.hpp>

namespace acc_test {
namespace {

template <class C>
class Special : public testing::Test {
 public:
  using T = typename C::Scalar;
  using M = typename C::Method;
  using Limits = std::numeric_limits<T>;
  static constexpr T inf = Limits::infinity();

  /// sum of x; and, where the method has it, the same by a dot with ones.
  static void expect_sum(const std::vector<T>& x, T want, const std::string& what) {
    const auto d = on_device(x);
    if constexpr (!std::is_same_v<M, acc::compensated_fma>) {
      EXPECT_EQ(bits(acc::sum(Exec{}, d, M{})), bits(want)) << "sum: " << what;
    }
    const auto ones = on_device(std::vector<T>(x.size(), T(1)));
    EXPECT_EQ(bits(acc::dot(Exec{}, d, ones, M{})), bits(want)) << "dot: " << what;
    EXPECT_EQ(bits(acc::dotu(Exec{}, ones, d, M{})), bits(want)) << "dotu: " << what;
  }
  /// The numbers of x, far apart among n ordinary ones.
  static std::vector<T> among(std::size_t n, const std::vector<T>& x, std::uint64_t seed) {
    auto v = make<T>(Data::uniform, n, seed);
    for (std::size_t k = 0; k < x.size(); ++k) v[k * (n - 1) / x.size()] = x[k];
    return v;
  }
};
using SpecialCases = testing::Types<
    Case<acc::plain, double>, Case<acc::compensated, double>, Case<acc::compensated_fma, double>,
    Case<acc::double_word, double>, Case<acc::fold<2>, double>, Case<acc::fold<3>, double>,
    Case<acc::fold<8>, double>, Case<acc::plain, float>, Case<acc::compensated, float>,
    Case<acc::compensated_fma, float>, Case<acc::double_word, float>, Case<acc::fold<4>, float>,
    Case<acc::widened, float>>;
TYPED_TEST_SUITE(Special, SpecialCases);

TYPED_TEST(Special, SignOfAZeroSum) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  for (const std::size_t n : {std::size_t(1), std::size_t(2), std::size_t(1000), 3 * leaf<T>}) {
    const std::vector<T> negative(n, T(-0.0));
    if constexpr (!std::is_same_v<M, acc::compensated_fma>) {
      // -0 + -0 = -0 (IEEE 754, 6.3), but FastTwoSum's zero error is +0, which double_word adds.
      const T zero = std::is_same_v<M, acc::double_word> ? T(0) : T(-0.0);
      EXPECT_EQ(bits(acc::sum(Exec{}, on_device(negative), M{})), bits(zero)) << "n = " << n;
    }
    auto mixed = negative;
    mixed[n / 2] = T(0);
    this->expect_sum(mixed, T(0), "zeros of both signs");
    this->expect_sum(std::vector<T>(n, T(0)), T(0), "positive zeros");
    if (n > 1) {
      auto cancels = negative;
      cancels[0] = 1;
      cancels[n - 1] = -1;
      this->expect_sum(cancels, T(0), "1 - 1");
    }
  }
}

TYPED_TEST(Special, InfinitiesAndNanFollowIeee) {
  using T = typename TypeParam::Scalar;
  using Limits = std::numeric_limits<T>;
  const T inf = this->inf, nan = Limits::quiet_NaN();
  const T payload = std::is_same_v<T, double>
                        ? static_cast<T>(std::bit_cast<double>(0xfff8dead00000001ull))
                        : static_cast<T>(std::bit_cast<float>(0xffc0beefu));
  this->expect_sum({inf}, inf, "one infinity");
  this->expect_sum({-inf, 1}, -inf, "one negative infinity");
  this->expect_sum({inf, -inf}, nan, "opposite infinities");
  this->expect_sum({nan}, nan, "NaN");
  this->expect_sum({payload}, nan, "NaN with sign and payload");
  for (const std::size_t n : {std::size_t(100), leaf<T> + 1, 5 * leaf<T> + 7}) {
    const std::string length = ", n = " + std::to_string(n);
    this->expect_sum(this->among(n, {inf}, n), inf, "one infinity" + length);
    this->expect_sum(this->among(n, {inf, inf}, n), inf, "two infinities" + length);
    this->expect_sum(this->among(n, {-inf, -inf, -inf}, n), -inf, "three" + length);
    this->expect_sum(this->among(n, {inf, -inf}, n), nan, "opposite infinities" + length);
    this->expect_sum(this->among(n, {payload}, n), nan, "NaN" + length);
    this->expect_sum(this->among(n, {payload, inf}, n), nan, "NaN and infinity" + length);
    this->expect_sum(this->among(n, {inf, Limits::max(), -Limits::max()}, n), inf,
                     "infinity and huge numbers" + length);
  }
}

TYPED_TEST(Special, ZeroTimesInfinityIsNan) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const auto x = on_device(std::vector<T>{1, 0}), y = on_device(std::vector<T>{1, this->inf});
  EXPECT_EQ(bits(acc::dot(Exec{}, x, y, M{})), bits(std::numeric_limits<T>::quiet_NaN()));
}

/// Without plain and widened, which are IEEE arithmetic as it comes: their sums may overflow on the
/// way (FollowsIeeeOnOverflow).
template <class C>
class SpecialGuarded : public Special<C> {};
using GuardedCases =
    testing::Types<Case<acc::compensated, double>, Case<acc::compensated_fma, double>,
                   Case<acc::double_word, double>, Case<acc::fold<2>, double>,
                   Case<acc::fold<3>, double>, Case<acc::fold<8>, double>,
                   Case<acc::compensated, float>, Case<acc::compensated_fma, float>,
                   Case<acc::double_word, float>, Case<acc::fold<4>, float>>;
TYPED_TEST_SUITE(SpecialGuarded, GuardedCases);

TYPED_TEST(SpecialGuarded, FiniteDataOverflowsOnlyWhereItsSumDoes) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const T big = std::numeric_limits<T>::max() / T(1.5);
  const T inf = this->inf;
  if constexpr (!std::is_same_v<M, acc::compensated_fma>) {  // exact: a sum is scaled by little
    EXPECT_EQ(acc::sum(Exec{}, on_device(std::vector<T>{big, big, -big, -big, 1}), M{}), 1);
  }
  this->expect_sum({big, big}, inf, "the sum overflows");
  this->expect_sum({-big, -big}, -inf, "the sum overflows");
  this->expect_sum({big, big, -big}, big, "back in range");
  // Shuffled over several leaves, beside ordinary data: within the method's bound.
  for (const std::size_t n : {std::size_t(64), leaf<T> + 5, 4 * leaf<T>, 9 * leaf<T> + 1}) {
    for (const std::size_t pairs : {std::size_t(2), n / 8, n / 2 - 2}) {
      auto x = make<T>(Data::wide, n, n + pairs);
      for (std::size_t k = 0; k < pairs; ++k) {
        x[2 * k] = big;
        x[2 * k + 1] = -big;
      }
      // First all positive, then all negative: the largest excursion.
      std::stable_sort(x.begin(), x.end(), [&](T a, T b) { return (a == big) > (b == big); });
      if (pairs % 2 == 1) {
        Random random(n);
        shuffle(x, random);
      }
      const std::vector<T> ones(n, T(1));
      const auto d = on_device(x);
      const auto check = [&](T got, const char* what) {
        expect_within(got, {exact_sum<T>(x)}, {exact_abs_sum<T>(x)},
                      bound_of<T>(M{}, depth<T>(n) + 1),
                      what + (", n = " + std::to_string(n)) + ", " + std::to_string(pairs));
      };
      if constexpr (!std::is_same_v<M, acc::compensated_fma>) {
        check(acc::sum(Exec{}, d, M{}), "sum");
      }
      check(acc::dot(Exec{}, d, on_device(ones), M{}), "dot");
    }
  }
}

TYPED_TEST(SpecialGuarded, ProductsBeyondTheRangeCancel) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const T big = std::numeric_limits<T>::max() / 4;
  const auto dot = [](const std::vector<T>& x, const std::vector<T>& y) {
    return acc::dot(Exec{}, on_device(x), on_device(y), M{});
  };
  EXPECT_EQ(bits(dot({big, big}, {big, -big})), bits(T(0)));
  // Finite, and exact up to u^2 times the sum of magnitudes, which is 2^2044 (2^252) here.
  const std::vector<T> x{big, big, big / 2}, y{big, -big, 1};
  expect_within(dot(x, y), {exact_dot<T>(x, y)}, {exact_abs_dot<T>(x, y)},
                bound_of<T>(M{}, depth<T>(3) + 1), "products that cancel");
  EXPECT_EQ(bits(dot({big, 1}, {big, 1})), bits(this->inf));
  EXPECT_EQ(bits(dot({big, big}, {-big, 1})), bits(-this->inf));
}

TEST(SpecialPlain, FollowsIeeeOnOverflow) {
  const double big = 0x1.8p1023, inf = std::numeric_limits<double>::infinity();
  // big + big in one lane (elements 0 and 64 of a leaf): infinity, and it stays.
  std::vector<double> x(129, 0.0);
  x[0] = x[64] = big;
  x[128] = -big;
  EXPECT_EQ(acc::sum(Exec{}, on_device(x), acc::plain{}), inf);
  // widened adds floats in double, where they cannot overflow.
  const float max = std::numeric_limits<float>::max();
  EXPECT_EQ(acc::sum(Exec{}, on_device(std::vector<float>{max, max, -max}), acc::widened{}), max);
}

}  // namespace
}  // namespace acc_test
