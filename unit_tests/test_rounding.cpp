// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rounding of long integers against the oracle: leading bits in every mode, ties, subnormal
// numbers and overflow; the same by way of long_integer; and sums that have no digits.
#include <acc/core/exact/long_integer.hpp>
#include <acc/core/exact/rounding.hpp>

#include "generators.hpp"
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace acc_test {
namespace {

using acc::element_kinds;
using acc::rounding;
using acc::impl::leading_bits;

struct Mode {
  rounding mode;
  Direction direction;
};
constexpr Mode modes[] = {{rounding::nearest, Direction::nearest},
                          {rounding::upward, Direction::up},
                          {rounding::downward, Direction::down},
                          {rounding::toward_zero, Direction::zero}};

template <class T>
auto bits_of(T x) {
  return std::bit_cast<typename acc::impl::ieee<T>::bits_type>(x);
}

mpz_class integer(std::uint64_t x) {
  mpz_class high = static_cast<unsigned long>(x >> 32);
  return (high << 32U) + static_cast<unsigned long>(x & 0xffffffff);
}

/// What lies below the last of the leading bits is a quarter of it, or nothing.
Exact exact_value(const leading_bits& x) {
  const Exact magnitude(integer(x.bits) * 4 + (x.below ? 1 : 0), long(x.exponent) - 2);
  return x.negative ? -magnitude : magnitude;
}

/// The sign of a result that is rounded to zero is the number's.
template <class T>
void expect_rounded(const leading_bits& x) {
  for (const Mode& m : modes) {
    T want = round_to<T>(exact_value(x), m.direction);
    if (want == T(0)) want = x.negative ? T(-0.0) : T(0);
    ASSERT_EQ(bits_of(acc::impl::rounded_number<T>(x, m.mode)), bits_of(want))
        << std::hex << x.bits << (x.below ? " and more" : "") << std::dec << " * 2^" << x.exponent
        << ", negative " << x.negative << ", mode " << static_cast<int>(m.mode);
  }
}

/// Leading bits whose last ones are just below, at or above a tie, for some place of the cut.
std::uint64_t hard_bits(Random& random) {
  std::uint64_t bits = random.bits();
  const int cut = random.integer(1, 63);
  const std::uint64_t unit = std::uint64_t(1) << cut, half = unit / 2;
  switch (random.below(6)) {
    case 0:
      bits = (bits & -unit) | half;
      break;
    case 1:
      bits = (bits & -unit) | (half - 1);
      break;
    case 2:
      bits = (bits & -unit) | half | 1;
      break;
    case 3:
      bits &= -unit;
      break;
    case 4:  // rounds up to the next power of two
      bits = ~std::uint64_t(0) << random.below(12);
      break;
    default:
      break;
  }
  return bits | std::uint64_t(1) << 63;
}

template <class T>
class Rounding : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Rounding, Reals);

TYPED_TEST(Rounding, OfLeadingBitsIsCorrect) {
  using T = TypeParam;
  using format = acc::impl::ieee<T>;
  Random random(1);
  for (int round = 0; round < 200000; ++round) {
    int exponent = random.integer(-40, 40);
    switch (random.below(4)) {
      case 0:  // about the smallest number: of the 64 bits, few, one or none remain
        exponent = random.integer(format::lowest - 70, format::lowest + 10);
        break;
      case 1:  // far below it
        exponent = random.integer(3 * format::lowest, format::lowest - 60);
        break;
      case 2:  // about the largest
        exponent = random.integer(format::highest - 70, format::highest + 10);
        break;
      default:
        break;
    }
    ASSERT_NO_FATAL_FAILURE(expect_rounded<T>(
        {hard_bits(random), random.below(2) == 0, exponent, random.below(2) == 0}));
  }
}

/// All places at which subnormal numbers can be cut, with every tail that matters.
TYPED_TEST(Rounding, OfSubnormalNumbersIsCorrectAtEveryPlace) {
  using T = TypeParam;
  using format = acc::impl::ieee<T>;
  for (int dropped = 1; dropped <= 68; ++dropped) {
    for (int tail = -70; tail < 64; ++tail) {
      // One bit, or, where negative, all bits from there on.
      std::uint64_t bits = std::uint64_t(1) << 63;
      bits |= tail >= 0 ? std::uint64_t(1) << tail : tail > -64 ? ~std::uint64_t(0) >> -tail : 0;
      for (const bool below : {false, true})
        for (const bool negative : {false, true})
          ASSERT_NO_FATAL_FAILURE(
              expect_rounded<T>({bits, below, format::lowest - dropped, negative}));
    }
  }
}

TEST(RoundedParts, KeepAsManyDigitsAsAreWanted) {
  Random random(2);
  for (int round = 0; round < 20000; ++round) {
    const leading_bits x{hard_bits(random), random.below(2) == 0, random.integer(-100, 100),
                         random.below(2) == 0};
    const int digits = random.integer(1, 63), lowest = x.exponent + random.integer(-10, 70);
    const int from = std::max(x.exponent + 64 - digits, lowest);
    for (const Mode& m : modes) {
      const auto r = acc::impl::rounded_parts(x, digits, lowest, m.mode);
      ASSERT_EQ(r.exponent, from);
      ASSERT_EQ(r.negative, x.negative);
      const Exact exact = exact_value(x), unit = pow2(from);
      const Exact got = Exact(integer(r.mantissa) * (x.negative ? -1 : 1), from);
      const Exact error = got - exact;
      switch (m.direction) {
        case Direction::nearest:
          ASSERT_LE(abs(error + error), unit);
          ASSERT_TRUE(abs(error + error) < unit || r.mantissa % 2 == 0);
          break;
        case Direction::up:
          ASSERT_TRUE(error.sign() >= 0 && error < unit);
          break;
        case Direction::down:
          ASSERT_TRUE(error.sign() <= 0 && -error < unit);
          break;
        case Direction::zero:
          ASSERT_TRUE(abs(got) <= abs(exact) && abs(error) < unit);
          break;
      }
    }
  }
}

/// Integers of every length, shorter than 64 bits among them, in units of every worth.
TYPED_TEST(Rounding, OfFixedPointNumbersIsCorrect) {
  using T = TypeParam;
  using format = acc::impl::ieee<T>;
  using long_integer = acc::impl::long_integer<6>;
  Random random(3);
  for (int round = 0; round < 50000; ++round) {
    long_integer sum;
    mpz_class exact = 0;
    for (int k = random.integer(1, 3); k > 0; --k) {
      const std::uint64_t word =
          random.below(3) == 0 ? std::uint64_t(1) << random.below(64) : hard_bits(random) >> 11;
      const int position = random.integer(0, 150);
      const bool negative = random.below(2) == 0;
      sum.add(word, position, negative);
      const mpz_class part = integer(word) << static_cast<unsigned long>(position);
      exact += negative ? mpz_class(-part) : part;
    }
    sum.carry();
    if (sgn(exact) == 0) continue;
    const int unit = random.integer(2 * format::lowest, format::highest - 150);
    for (const Mode& m : modes) {
      T want = round_to<T>(Exact(exact, unit), m.direction);
      if (want == T(0)) want = sgn(exact) < 0 ? T(-0.0) : T(0);
      ASSERT_EQ(bits_of(sum.value<T>(unit, m.mode)), bits_of(want))
          << exact.get_str() << " * 2^" << unit << ", mode " << static_cast<int>(m.mode);
    }
    const auto terms = sum.expansion<T>(unit);
    Exact rest(exact, unit);
    for (int i = 0; i < terms.count; ++i) {
      const T term = terms.term[i];
      if (terms.exponent[i] == 0) {
        ASSERT_EQ(term, round_to<T>(rest)) << exact.get_str() << " * 2^" << unit;
      }
      rest += -(Exact(static_cast<double>(term)) * pow2(terms.exponent[i]));
    }
    ASSERT_TRUE(rest.is_zero()) << exact.get_str() << " * 2^" << unit;
  }
}

TYPED_TEST(Rounding, SumsWithoutDigitsAreWhatTheirElementsWere) {
  using T = TypeParam;
  using kinds = element_kinds;
  const auto sum = [](std::uint32_t bits) { return bits_of(acc::impl::nonfinite_sum<T>({bits})); };
  const T infinity = std::numeric_limits<T>::infinity();
  const auto nan = bits_of(acc::impl::canonical_nan<T>());
  for (const std::uint32_t others : {kinds::nonzero, kinds::nonzero | kinds::minus_zero}) {
    EXPECT_EQ(sum(kinds::plus_infinity | others), bits_of(infinity));
    EXPECT_EQ(sum(kinds::minus_infinity | others), bits_of(T(-infinity)));
    EXPECT_EQ(sum(kinds::plus_infinity | kinds::minus_infinity | others), nan);
    EXPECT_EQ(sum(kinds::nan | others), nan);
    EXPECT_EQ(sum(kinds::nan | kinds::minus_infinity | others), nan);
  }
  const auto zero = [](std::uint32_t bits) { return bits_of(acc::impl::zero_sum<T>({bits})); };
  EXPECT_EQ(zero(kinds::minus_zero), bits_of(T(-0.0)));
  for (const std::uint32_t bits :
       {std::uint32_t(0), kinds::plus_zero, kinds::nonzero, kinds::plus_zero | kinds::minus_zero})
    EXPECT_EQ(zero(bits), bits_of(T(0)));
}

}  // namespace
}  // namespace acc_test
