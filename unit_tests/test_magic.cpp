// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deposits by magic numbers against exact arithmetic, up to the ends of their range; and a cascade
// of them against the bins that binned defines in integers.
#include <acc/core/binned.hpp>
#include <acc/core/exact/magic.hpp>

#include "generators.hpp"
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace acc_test {
namespace {

using acc::impl::magic_number;

double magic(int unit) { return std::bit_cast<double>(magic_number::bits(unit)); }
std::int64_t bits_of(double x) { return std::bit_cast<std::int64_t>(x); }

/// The multiple of 2^unit nearest to x, ties to even, in units; below 2^52.
std::int64_t nearest_units(double x, int unit) {
  const Exact scaled = Exact(x) * pow2(-unit);
  const double about = std::nearbyint(round_to<double>(scaled));
  for (const double candidate : {about - 1, about, about + 1}) {
    const Exact twice = abs(scaled - Exact(candidate)) * Exact(2.0);
    if (twice < Exact(1.0) || (twice == Exact(1.0) && std::fmod(candidate, 2) == 0))
      return static_cast<std::int64_t>(candidate);
  }
  ADD_FAILURE() << "no nearest multiple of " << x;
  return 0;
}

/// Numbers below 2^51 units: with a tie, near one, or any.
double number_for(Random& random, int unit) {
  const int exponent = random.integer(std::max(unit - 60, -1074), std::min(unit + 50, 1022));
  double x = std::ldexp(1 + random.unit<double>(), exponent);
  switch (random.below(4)) {
    case 0:
      x = std::ldexp(static_cast<double>(random.below(std::uint64_t(1) << 50)) + 0.5, unit);
      break;
    case 1:
      x = std::nextafter(std::ldexp(random.integer(0, 1 << 20) + 0.5, unit),
                         random.symmetric<double>());
      break;
    default:
      break;
  }
  return random.below(2) == 0 ? x : -x;
}

TEST(Magic, NumbersAreOneAndAHalfTimesTheUnitOfADouble) {
  for (int unit = magic_number::lowest_unit; unit <= magic_number::highest_unit; ++unit) {
    const double m = magic(unit);
    ASSERT_EQ(m, std::ldexp(1.5, unit + 52));
    ASSERT_TRUE(std::isnormal(m));
    ASSERT_EQ(std::nextafter(m, INFINITY) - m, std::ldexp(1.0, unit));
    const auto word = static_cast<unsigned>(magic_number::high_word(unit));
    ASSERT_EQ(static_cast<std::uint64_t>(word) << 32, magic_number::bits(unit));
  }
  EXPECT_EQ(magic(magic_number::lowest_unit) / 2, std::ldexp(1.5, -1023));  // no longer normal
  EXPECT_EQ(magic(magic_number::highest_unit) * 2, INFINITY);
}

TEST(Magic, CountsTheNearestMultipleAndLeavesTheRest) {
  Random random(1);
  for (int round = 0; round < 200000; ++round) {
    const int unit = random.integer(magic_number::lowest_unit, magic_number::highest_unit);
    const double x = number_for(random, unit), m = magic(unit);
    const double t = acc::impl::counted(x, m), part = acc::impl::counted_part(t, m);
    const std::int64_t units = nearest_units(x, unit);
    ASSERT_EQ(bits_of(t) - bits_of(m), units) << x << ", unit 2^" << unit;
    ASSERT_EQ(part, std::ldexp(static_cast<double>(units), unit));
    ASSERT_EQ(Exact(acc::impl::left_over(x, part)), Exact(x) - Exact(part));
    // Scaled by a power of two, by the additions themselves.
    const int down = random.integer(0, 40);
    if (unit - down < magic_number::lowest_unit) continue;
    const double scale = std::ldexp(1.0, -down), small = magic(unit - down);
    const double s = acc::impl::counted(x, scale, small);
    ASSERT_EQ(bits_of(s) - bits_of(small), units);
    const double rest = acc::impl::left_over(x, scale, acc::impl::counted_part(s, small));
    ASSERT_EQ(rest, std::ldexp(acc::impl::left_over(x, part), -down));
  }
}

/// From -2^51 units on, and below 2^51, less what is rounded up to it.
TEST(Magic, HoldsItsWholeRange) {
  for (const int unit : {magic_number::lowest_unit, -500, 0, 500, magic_number::highest_unit}) {
    const double m = magic(unit), end = std::ldexp(1.0, unit + 51);
    const auto exponent_field = [](double x) { return std::bit_cast<std::uint64_t>(x) >> 52; };
    for (const double x : {-end, std::nextafter(end, 0) - std::ldexp(1.0, unit)}) {
      const double t = acc::impl::counted(x, m);
      EXPECT_EQ(exponent_field(t), exponent_field(m));
      EXPECT_EQ(bits_of(t) - bits_of(m), nearest_units(x, unit));
    }
    for (const double x : {end, -end * 1.5, end * 4})
      EXPECT_NE(exponent_field(acc::impl::counted(x, m)), exponent_field(m));
  }
}

/// Two bins at once, those that the GPU's exact sums have: 48 bits apart, the upper one in twos.
TEST(Magic, CountsInTwoBinsAtOnce) {
  Random random(2);
  for (int round = 0; round < 200000; ++round) {
    const int lower = random.integer(magic_number::lowest_unit, magic_number::highest_unit - 49);
    const int upper = lower + 49;
    // A multiple of the lower unit, below 2^51 times the upper one.
    const int lowest_bit = random.integer(lower, lower + 47);
    double x = std::ldexp(static_cast<double>(random.bits() >> 11), lowest_bit);
    if (random.below(2) == 0) x = -x;
    const double m = magic(upper), n = magic(lower);
    const auto two = acc::impl::counted_in_two(x, 1.0, m, m + n);
    const auto high = static_cast<double>(bits_of(two.upper) - bits_of(m));
    const auto low = static_cast<double>(bits_of(two.lower) - bits_of(n));
    ASSERT_EQ(Exact(high) * pow2(upper) + Exact(low) * pow2(lower), Exact(x))
        << x << ", unit 2^" << lower;
    ASSERT_EQ(high, static_cast<double>(nearest_units(x, upper)));
  }
}

template <class S>
class MagicBins : public testing::Test {};
using Sums = testing::Types<acc::binned<double, 2>, acc::binned<double, 3>, acc::binned<double, 8>,
                            acc::binned<float, 3>>;
TYPED_TEST_SUITE(MagicBins, Sums);

template <class Sum>
std::array<std::int64_t, Sum::wire_words> wire_of(const Sum& sum) {
  std::array<std::int64_t, Sum::wire_words> words;
  sum.to_wire(words.data());
  return words;
}

/// Bins filled by a cascade of magic numbers have the same wire form.
TYPED_TEST(MagicBins, ACascadeIsADepositInBins) {
  using Sum = TypeParam;
  using T = typename Sum::scalar_type;
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    Sum by_integers, by_magic;
    std::array<T, 6> numbers;
    const int center = random.integer(-900, 900);
    for (T& x : numbers) {
      if constexpr (sizeof(T) == 4) {
        x = random.any_finite<T>();
      } else {
        x = std::ldexp(random.symmetric<double>(), center + random.integer(-60, 60));
      }
    }
    for (const T x : numbers) {
      by_integers.add(x);
      by_magic.add_kinds(acc::element_kinds::of(x));
      if (x == T(0)) continue;
      by_magic.raise(Sum::top_of(std::ilogb(x) + 1));
      ASSERT_EQ(by_magic.top(), by_integers.top());
      double r = x;
      for (int k = 0; k < Sum::bins; ++k) {
        const int bin = by_magic.top() - k;
        const double m = magic(Sum::unit_exponent(bin)), t = acc::impl::counted(r, m);
        by_magic.add_to_bin(bin, bits_of(t) - bits_of(m));
        r = acc::impl::left_over(r, acc::impl::counted_part(t, m));
      }
    }
    ASSERT_EQ(wire_of(by_magic), wire_of(by_integers));
  }
}

TYPED_TEST(MagicBins, EndWhereMagicNumbersEnd) {
  using Sum = TypeParam;
  using T = typename Sum::scalar_type;
  EXPECT_LE(Sum::unit_exponent(Sum::highest_magic), magic_number::highest_unit);
  EXPECT_GT(Sum::unit_exponent(Sum::highest_magic + 1), magic_number::highest_unit);
  EXPECT_EQ(Exact(Sum::lifted_factor) * Exact(Sum::lifted_factor),
            pow2(-Sum::bin_width * Sum::lifted_product));
  // Every product of doubles, lifted, is in a bin that has one.
  EXPECT_LE(Sum::max_top - Sum::lifted_product, Sum::highest_magic);
  // Where an element's top bin changes.
  for (int top = Sum::bins; Sum::end_of(top) < std::numeric_limits<T>::max_exponent; ++top) {
    const int end = Sum::end_of(top);
    if (end - 1 < std::numeric_limits<T>::min_exponent) continue;
    const T above = std::ldexp(T(1), end), below = std::nextafter(above, T(0));
    EXPECT_EQ(Sum(below).top(), top);
    EXPECT_EQ(Sum(above).top(), top + 1);
    EXPECT_EQ(Sum::top_of(end), top);
    EXPECT_EQ(Sum::top_of(end + 1), top + 1);
  }
}

}  // namespace
}  // namespace acc_test
