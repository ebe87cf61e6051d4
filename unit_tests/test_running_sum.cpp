// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What exact prefixes are made of: running_sum against the oracle after every deposit and merge,
// and correctly rounded sums of three doubles.
#include <acc/core/exact/prefix.hpp>

#include "generators.hpp"
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace acc_test {
namespace {

using acc::impl::exact_prefix;
using acc::impl::exact_total;
using acc::impl::running_sum;

template <class T>
bool same(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

/// Numbers that meet the seams of 32-bit digits and of roundings: sums of them are near powers of
/// 2^32, near midpoints, zero or tiny.
template <class T>
T hard_number(Random& random) {
  using Limits = std::numeric_limits<T>;
  const int low = Limits::min_exponent - Limits::digits, high = Limits::max_exponent - 4;
  const T sign = random.below(2) == 0 ? T(1) : T(-1);
  switch (random.below(5)) {
    case 0:  // a power of 2^32 in units of the smallest number
      return sign * std::ldexp(T(1), low + 32 * random.integer(0, (high - low) / 32));
    case 1:
      return sign * std::ldexp(T(1), random.integer(low, high));
    case 2:
      return sign * Limits::denorm_min() * T(random.integer(0, 3));
    case 3:  // all bits set
      return sign * std::ldexp(T(2) - Limits::epsilon(), random.integer(low + 30, high));
    default:
      return random.any_finite<T>() / T(16);
  }
}

template <class T>
class RunningSum : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RunningSum, Reals);

TYPED_TEST(RunningSum, IsCorrectlyRoundedAfterEveryDeposit) {
  using T = TypeParam;
  Random random(1);
  for (int round = 0; round < 4000; ++round) {
    running_sum<T> sum;
    exact_prefix<T> prefix{exact_total<T>()};
    Exact exact;
    T last = 0;
    for (int k = 0; k < 24; ++k) {
      // Now and then what cancels the number before, or all but a bit of the sum.
      const std::uint64_t kind = random.below(8);
      const T x = kind == 0 ? -last : kind == 1 ? -sum.value() : hard_number<T>(random);
      if (!std::isfinite(x)) continue;
      last = x;
      sum.add(x);
      exact += Exact(static_cast<double>(x));
      const T want = round_to<T>(exact);
      ASSERT_EQ(sum.value(), want) << "round " << round << ", deposit " << k << " of " << x;
      ASSERT_EQ(sum.is_zero(), exact.is_zero());
      ASSERT_EQ(prefix.add(x), want) << "round " << round << ", deposit " << k << " of " << x;
    }
  }
}

TYPED_TEST(RunningSum, MergesExactly) {
  using T = TypeParam;
  Random random(2);
  for (int round = 0; round < 4000; ++round) {
    running_sum<T> all;
    Exact exact;
    for (int part = 0; part < 4; ++part) {
      running_sum<T> sum;
      for (int k = random.integer(0, 3); k > 0; --k) {
        const T x = hard_number<T>(random);
        sum.add(x);
        exact += Exact(static_cast<double>(x));
      }
      all.merge(sum);
      ASSERT_EQ(all.value(), round_to<T>(exact)) << "round " << round << ", part " << part;
    }
    // A prefix that begins there goes on from it, by three doubles or not.
    exact_total<T> total;
    total.sum = all;
    exact_prefix<T> prefix(total);
    const T x = hard_number<T>(random);
    ASSERT_EQ(prefix.add(x), round_to<T>(exact + Exact(static_cast<double>(x))));
  }
}

/// Below -2^32, -2^64, ... and their neighbours, the digits above are all ones.
TYPED_TEST(RunningSum, CountsThroughPowersOfTwoToThe32) {
  using T = TypeParam;
  const int low = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  for (int digit = 1; digit < 6; ++digit) {
    for (const T sign : {T(1), T(-1)}) {
      for (int bit = 0; bit < 32 * digit + 40; ++bit) {
        running_sum<T> sum;
        Exact exact;
        for (const T x :
             {sign * std::ldexp(T(1), low + 32 * digit), std::ldexp(T(1), low + bit),
              -std::ldexp(T(1), low + bit), -std::ldexp(T(1), low + bit), std::ldexp(T(3), low)}) {
          sum.add(x);
          exact += Exact(static_cast<double>(x));
          ASSERT_TRUE(same(sum.value(), round_to<T>(exact))) << digit << ", " << bit;
        }
      }
    }
  }
}

TYPED_TEST(RunningSum, OverflowsAsTheRoundedSum) {
  using T = TypeParam;
  const T max = std::numeric_limits<T>::max(),
          half_ulp = std::ldexp(max, -std::numeric_limits<T>::digits - 1);
  running_sum<T> sum;
  sum.add(max);
  EXPECT_EQ(sum.value(), max);
  sum.add(half_ulp);
  EXPECT_EQ(sum.value(), max);
  for (int k = 0; k < 100; ++k) sum.add(max);
  EXPECT_EQ(sum.value(), std::numeric_limits<T>::infinity());
  for (int k = 0; k < 202; ++k) sum.add(-max);
  EXPECT_EQ(sum.value(), -std::numeric_limits<T>::infinity());
  for (int k = 0; k < 101; ++k) sum.add(max);
  EXPECT_EQ(sum.value(), half_ulp);
}

TYPED_TEST(RunningSum, SumsOfThreeDoublesAreCorrectlyRounded) {
  using T = TypeParam;
  Random random(3);
  for (int round = 0; round < 400000; ++round) {
    // Numbers near each other's last bits and midpoints, of few bits: ties are frequent.
    std::array<double, 3> x;
    const int top = sizeof(T) == 4 ? random.integer(-160, 100) : random.integer(-900, 900);
    const int digits = sizeof(T) == 4 && random.below(2) == 0 ? 24 : 53;
    int exponent = top;
    for (double& v : x) {
      const double mantissa = random.below(3) == 0 ? 1.0 : 1.0 + random.integer(0, 7) / 8.0;
      v = std::ldexp(random.below(2) == 0 ? mantissa : -mantissa, exponent);
      if (random.below(4) == 0) v += std::ldexp(random.symmetric<double>(), exponent);
      if (random.below(16) == 0) v = 0;
      exponent -= digits + random.integer(-3, 3);
    }
    for (int k = 2; k > 0; --k) std::swap(x[k], x[random.below(static_cast<std::uint64_t>(k) + 1)]);
    const Exact exact = Exact(x[0]) + Exact(x[1]) + Exact(x[2]);
    ASSERT_EQ(acc::impl::sum_of_three<T>(x[0], x[1], x[2]), round_to<T>(exact))
        << std::hexfloat << x[0] << " + " << x[1] << " + " << x[2];
  }
}

}  // namespace
}  // namespace acc_test
