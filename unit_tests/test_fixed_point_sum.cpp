// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fixed_point_sum against its definition, written in exact arithmetic: what fits, the sum of what
// does, and that no order changes either.
#include "order_free.hpp"

#include <acc/core/fixed_point_sum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace acc_test {
namespace {

using acc::exponent_range;
using acc::fixed_point_sum;

template <class T>
class FixedPointSum : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(FixedPointSum, Types);

constexpr int lowest_unit = -1074, highest_unit = 971;

template <class T>
bool is_nan(const fixed_point_sum<T>& sum) {
  return !sum.in_range() && bits_of(sum.value()) == bits_of(std::numeric_limits<T>::quiet_NaN());
}
template <class T>
fixed_point_sum<T> sum_of_numbers(const fixed_point_sum<T>& none, const std::vector<T>& x) {
  fixed_point_sum<T> sum = none;
  for (const T v : x) sum += v;
  return sum;
}
/// The definition of what fits (docs/arithmetic.md).
bool fits(const Exact& x, exponent_range range) {
  return x >= -pow2(range.top) - pow2(range.unit - 2) && x < pow2(range.top) - pow2(range.unit - 1);
}
/// A range whose numbers T has.
template <class T>
exponent_range random_range(Random& random) {
  const int bits = random.integer(32, 51);
  const bool is_float = sizeof(T) == 4;
  const int unit =
      random.integer(is_float ? -149 - bits : lowest_unit, is_float ? 127 - bits : highest_unit);
  return {std::max(unit, lowest_unit), std::max(unit, lowest_unit) + bits};
}
/// Mostly numbers that fit, of similar size or not, with ties and near them.
template <class T>
T random_number(Random& random, exponent_range range) {
  const double sign = random.below(2) == 0 ? 1 : -1;
  const int bits = range.top - range.unit;
  double x;
  switch (random.below(5)) {
    case 0:  // any size
      x = std::ldexp(random.unit<double>(), random.integer(range.unit - 3, range.top));
      break;
    case 1:  // a tie, or next to one
      x = std::ldexp(double(random.below(std::uint64_t(1) << std::min(bits, 40))) + 0.5,
                     range.unit);
      if (random.below(2) == 0) x = std::nextafter(x, random.symmetric<double>() * 1e300);
      break;
    case 2:  // near the end of the range
      x = std::ldexp(1.0, range.top) -
          std::ldexp(double(random.integer(-4, 12)), std::max(range.unit - 2, lowest_unit));
      break;
    default:
      x = std::ldexp(random.unit<double>(), range.top);
      break;
  }
  return T(sign * x);
}

TYPED_TEST(FixedPointSum, FuzzAgainstTheDefinition) {
  using T = TypeParam;
  Random random(50);
  std::int64_t inside = 0, outside = 0, inexact = 0;
  for (std::int64_t k = 0; k < fuzz_cases(40'000); ++k) {
    const exponent_range range = random_range<T>(random);
    const fixed_point_sum<T> none(range);
    ASSERT_EQ(none.range().unit, range.unit);
    ASSERT_EQ(none.range().top, range.top);
    std::vector<T> x(random.below(60));
    bool all_fit = true;
    mpz_class units = 0;
    Exact exact;
    for (T& v : x) {
      do {
        v = random_number<T>(random, range);
      } while (!std::isfinite(v) || (random.below(20) != 0 && !fits(Exact(double(v)), range)));
      const Exact value = double(v);
      all_fit = all_fit && fits(value, range);
      units += nearest_multiple(value, range.unit);
      exact += value;
    }
    const fixed_point_sum<T> sum = sum_of_numbers(none, x);
    ASSERT_EQ(sum.in_range(), all_fit);
    ASSERT_EQ(sum.count(), std::int64_t(x.size()));
    if (all_fit) {
      ++inside;
      const Exact kept(units, range.unit);
      ASSERT_EQ(sum.units(), units.get_si());
      ASSERT_EQ(bits_of(sum.value()), bits_of(round_to<T>(kept)));
      const Exact bound = Exact(double(x.size())) * pow2(range.unit - 1);
      ASSERT_LE(abs(kept - exact), bound);
      if (std::isfinite(sum.value()) && sizeof(T) == 8) {  // a float's value may be subnormal
        ASSERT_LE(abs(Exact(double(sum.value())) - exact),
                  bound * (Exact(1.0) + pow2(-53)) + abs(exact) * pow2(-53));
      }
      inexact += kept != exact;
    } else {
      ++outside;
      ASSERT_TRUE(is_nan(sum));
    }
    // Any order, and any division into sums that are merged.
    shuffle(x, random);
    fixed_point_sum<T> part[3] = {none, none, fixed_point_sum<T>()};
    const std::size_t at = random.below(x.size() + 1);
    for (std::size_t i = 0; i < x.size(); ++i) part[i < at ? 0 : 1] += x[i];
    part[2] += part[random.below(2)];
    const fixed_point_sum<T> merged =
        identical(part[2], part[1]) ? part[0] + part[2] : part[2] + part[1];
    ASSERT_TRUE(identical(merged, sum));
    ASSERT_EQ(bits_of(merged.value()), bits_of(sum.value()));
    // Negated numbers have the negated sum, except where -2^top is among them.
    fixed_point_sum<T> negated = none;
    for (const T v : x) negated -= v;
    if (negated.in_range() && sum.in_range()) {
      ASSERT_EQ(negated.units(), -sum.units());
    }
  }
  EXPECT_GT(inside, fuzz_cases(40'000) / 3);
  EXPECT_GT(outside, fuzz_cases(40'000) / 50);
  EXPECT_GT(inexact, fuzz_cases(40'000) / 10);
}

// Every unit, every number of bits: the largest numbers that fit, and the next ones.
TEST(FixedPointSumOfDoubles, TheEndsOfEveryRange) {
  for (int unit = lowest_unit; unit <= highest_unit; ++unit)
    for (const int bits : {32, 33, 50, 51}) {
      const exponent_range range{unit, unit + bits};
      const fixed_point_sum<double> none(range);
      ASSERT_EQ(none.range().unit, range.unit);
      ASSERT_EQ(none.range().top, range.top);
      ASSERT_EQ(none.capacity(), std::int64_t(1) << (63 - bits));
      const double top = std::ldexp(1.0, range.top), one = std::ldexp(1.0, unit);
      std::vector<double> numbers = {top, top - one, -top, -top - one, 2 * top, -2 * top, 0.0, one};
      for (const double x : {top - one / 2, -top - one / 4, -top - one / 2})
        for (const double to : {0.0, x, 2 * x}) numbers.push_back(std::nextafter(x, to));
      for (const double x : numbers) {
        fixed_point_sum<double> sum = none;
        sum += x;
        ASSERT_EQ(sum.in_range(), fits(Exact(x), range)) << x << " of " << unit << ", " << bits;
        if (sum.in_range()) {
          ASSERT_EQ(sum.units(), nearest_multiple(Exact(x), unit).get_si()) << x;
          ASSERT_EQ(sum.value(), round_to<double>(Exact(nearest_multiple(Exact(x), unit), unit)));
        } else {
          ASSERT_TRUE(is_nan(sum));
        }
      }
    }
}

// A number that does not fit is found however many follow it, and merging does not hide it.
TYPED_TEST(FixedPointSum, WhatDoesNotFitStaysFound) {
  using T = TypeParam;
  const fixed_point_sum<T> none({-30, 10});
  const T infinity = std::numeric_limits<T>::infinity();
  for (const T x : {T(1024), T(-1025), T(1e30), T(-1e30), infinity, -infinity,
                    std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN(),
                    std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()}) {
    for (const int before : {0, 1, 7}) {
      fixed_point_sum<T> sum = none, other = none;
      for (int i = 0; i < before; ++i) sum += T(0.5);
      sum += x;
      for (int i = 0; i < 9; ++i) sum += -T(0.25);
      sum -= x;
      EXPECT_TRUE(is_nan(sum)) << x;
      other += T(1);
      other += sum;
      sum += none;
      EXPECT_TRUE(is_nan(sum)) << x;
      EXPECT_TRUE(is_nan(other)) << x;
      EXPECT_TRUE(identical(sum, other));
      EXPECT_FALSE(identical(sum, none));
    }
  }
}

// As many of the largest numbers as there is room for, and one more.
TYPED_TEST(FixedPointSum, MoreNumbersThanThereIsRoomFor) {
  using T = TypeParam;
  for (const double sign : {1.0, -1.0}) {
    const fixed_point_sum<T> none({-51, 0});
    // 2^51 - 1 units as a double; no float is so near to 1.
    const T x = T(sign * (sizeof(T) == 4 ? 1 - 0x1p-24 : 1 - 0x1p-51));
    fixed_point_sum<T> sum = none;
    for (int i = 0; i < 4096; ++i) sum += x;
    EXPECT_EQ(sum.value(), 4096 * x);
    EXPECT_EQ(sum.count(), 4096);
    const fixed_point_sum<T> full = sum;
    sum += T(0);
    EXPECT_TRUE(is_nan(sum));
    fixed_point_sum<T> half = none;
    for (int i = 0; i < 2048; ++i) half += x;
    EXPECT_TRUE(identical(half + half, full));
    fixed_point_sum<T> zero = none;
    zero += T(0);
    EXPECT_TRUE(is_nan(full + zero));
    EXPECT_TRUE(identical(full + none, full));
  }
  // -2^top fits, 2^63 units of it, too.
  fixed_point_sum<T> lowest({-51, 0});
  for (int i = 0; i < 4096; ++i) lowest += T(-1);
  EXPECT_EQ(lowest.value(), T(-4096));
  EXPECT_EQ(lowest.units(), std::numeric_limits<std::int64_t>::min());
  // By merging to 2^31 and beyond, as far as the count goes.
  fixed_point_sum<T> sum({-32, 0});
  sum += T(0.75);
  for (int k = 0; k < 31; ++k) sum += fixed_point_sum<T>(sum);
  EXPECT_EQ(sum.value(), T(0x1.8p30));
  EXPECT_EQ(sum.count(), sum.capacity());
  for (const int unit : {-32, -51}) {
    fixed_point_sum<T> many({unit, 0});
    many += T(0);
    for (int k = 0; k < 200; ++k) {
      many += fixed_point_sum<T>(many);
      ASSERT_EQ(many.in_range(), k + 1 <= 63 + unit) << k;
      ASSERT_EQ(many.count(), std::int64_t(1) << std::min(k + 1, 62));
    }
  }
}

TYPED_TEST(FixedPointSum, SumsWithoutARange) {
  using T = TypeParam;
  fixed_point_sum<T> sum;
  EXPECT_TRUE(sum.in_range());
  EXPECT_EQ(bits_of(sum.value()), bits_of(T(0)));
  EXPECT_EQ(sum.capacity(), 0);
  EXPECT_EQ(sum.range().unit, 0);
  EXPECT_EQ(sum.range().top, 0);
  fixed_point_sum<T> one({-40, 3});
  one += T(1.5);
  fixed_point_sum<T> merged = sum;
  merged += one;
  EXPECT_TRUE(identical(merged, one));
  one += sum;
  EXPECT_TRUE(identical(merged, one));
  for (const T x : {T(0), T(1), -T(0)}) {
    fixed_point_sum<T> no_room;
    no_room += x;
    EXPECT_TRUE(is_nan(no_room));
    EXPECT_TRUE(is_nan(no_room + one));
    EXPECT_TRUE(is_nan(one + no_room));
    EXPECT_TRUE(is_nan(no_room + no_room));
  }
}

TYPED_TEST(FixedPointSum, SumsOfTwoRangesDoNotFitTogether) {
  using T = TypeParam;
  for (const exponent_range range : {exponent_range{-40, 2}, exponent_range{-41, 3}}) {
    fixed_point_sum<T> a({-40, 3}), b(range);
    EXPECT_TRUE(is_nan(a + b));
    a += T(1);
    b += T(1);
    EXPECT_TRUE(is_nan(a + b));
    EXPECT_TRUE(is_nan(b + a));
    EXPECT_FALSE(identical(a, b));
  }
}

// A float's value is rounded once, not to double first; zeros are +0.
TYPED_TEST(FixedPointSum, ValuesAreRoundedOnce) {
  using T = TypeParam;
  constexpr int digits = std::numeric_limits<T>::digits;
  for (const int sign : {1, -1})
    for (const int low : {-1, 0, 1}) {
      fixed_point_sum<T> sum({0, 50});
      const T x = std::ldexp(T(sign), 49);
      for (int i = 0; i < 4096; ++i) sum += x;  // 2^61
      sum += std::ldexp(T(sign), 61 - digits);  // half a unit in the last place
      sum += T(sign * low);
      const Exact exact = Exact(sign * 0x1p61) + Exact(sign * std::ldexp(1.0, 61 - digits)) +
                          Exact(double(sign * low));
      EXPECT_EQ(sum.value(), round_to<T>(exact)) << sign << ", " << low;
      EXPECT_EQ(sum.value(), sign * (low <= 0 ? T(0x1p61) : std::nextafter(T(0x1p61), T(0x1p62))));
    }
  fixed_point_sum<T> zero({-40, 3});
  EXPECT_EQ(bits_of(zero.value()), bits_of(T(0)));
  zero += -T(0);
  EXPECT_EQ(bits_of(zero.value()), bits_of(T(0)));
  zero += T(1);
  zero -= T(1);
  EXPECT_EQ(bits_of(zero.value()), bits_of(T(0)));
}

// The smallest range up to a number: it fits, and not into half of that range.
TYPED_TEST(FixedPointSum, RangesUpToANumber) {
  using T = TypeParam;
  Random random(51);
  std::vector<T> largest = {T(1), T(3), T(0.1), std::numeric_limits<T>::denorm_min(),
                            std::numeric_limits<T>::min()};
  for (int e = -1073; e < 1022; ++e)
    for (const double x : {std::ldexp(1.0, e), std::nextafter(std::ldexp(1.0, e), 0.0),
                           std::nextafter(std::nextafter(std::ldexp(1.0, e), 0.0), 0.0),
                           std::ldexp(1 - 0x1p-51, e), std::ldexp(1 + random.unit<double>(), e)})
      if (T(x) > T(0) && double(T(x)) < 0x1p1021) largest.push_back(T(x));
  for (const T x : largest) {
    if (!std::isfinite(x)) continue;
    const auto none = fixed_point_sum<T>::up_to(x);
    const exponent_range range = none.range();
    ASSERT_EQ(range.top - range.unit, 51);
    fixed_point_sum<T> sum = none;
    sum += x;
    sum -= x;
    ASSERT_TRUE(sum.in_range()) << x;
    if (range.unit > lowest_unit + 1) {  // lower tops are not needed below
      ASSERT_FALSE(fits(Exact(double(x)), {range.unit - 1, range.top - 1})) << x;
    }
  }
}

std::string message_of(exponent_range range) {
  try {
    fixed_point_sum<double> sum(range);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(FixedPointSumErrors, RangesThatThereAreNot) {
  EXPECT_EQ(message_of({-40, -9}),
            "acc::fixed_point_sum: the range must have 32 <= top - unit <= 51 and -1074 <= unit "
            "<= 971, but unit is -40 and top is -9");
  EXPECT_EQ(message_of({-40, -8}), "");
  EXPECT_NE(message_of({-40, 12}), "");
  EXPECT_EQ(message_of({-40, 11}), "");
  EXPECT_NE(message_of({0, 0}), "");
  EXPECT_NE(message_of({10, -30}), "");
  EXPECT_NE(message_of({-1075, -1035}), "");
  EXPECT_EQ(message_of({-1074, -1034}), "");
  EXPECT_NE(message_of({980, 1023}), "");
  EXPECT_EQ(message_of({971, 1022}), "");
  EXPECT_NE(message_of({972, 1004}), "");
  for (const double largest : {0.0, -1.0, std::nan(""), double(INFINITY), -double(INFINITY),
                               0x1p1022, std::nextafter(0x1p1022, 0.0)})
    EXPECT_THROW((void)fixed_point_sum<double>::up_to(largest), std::invalid_argument) << largest;
  EXPECT_EQ(fixed_point_sum<double>::up_to(0x1.8p1021).range().top, 1022);
  try {
    (void)fixed_point_sum<float>::up_to(-2.0f);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "acc::fixed_point_sum::up_to: largest must be above 0 and below 2^1022, but is "
                 "-2.000000");
  }
}

// A product of the caller is rounded before it is added, whatever the flags: this file is compiled
// with several.
TEST(FixedPointSumOfDoubles, ProductsAreRoundedBeforeTheyAreAdded) {
  Random random(52);
  const fixed_point_sum<double> none({-51, 0});
  int would_differ = 0;
  std::vector<double> x(4096), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 1 + random.unit<double>();
    y[i] = 0.25 * random.unit<double>();
  }
  fixed_point_sum<double> contracted = none;
  for (std::size_t i = 0; i < x.size(); ++i) contracted += x[i] * y[i];
  std::int64_t units = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Exact product = Exact(x[i]) * Exact(y[i]);
    const mpz_class rounded = nearest_multiple(Exact(round_to<double>(product)), -51);
    units += rounded.get_si();
    would_differ += rounded != nearest_multiple(product, -51);
  }
  EXPECT_EQ(contracted.units(), units);
  EXPECT_GT(would_differ, 0) << "a contraction would be seen";
}

}  // namespace
}  // namespace acc_test
