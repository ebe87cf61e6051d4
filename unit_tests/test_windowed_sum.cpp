// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact prefix sums by integers of 128 bits: every prefix against the oracle, for vectors that use
// the window's last bit, and the refusal of those that need one more.
#include <acc/core/exact/windowed_sum.hpp>

#include "generators.hpp"
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace acc_test {
namespace {

using acc::impl::element_span;
using acc::impl::windowed_sum;
using acc::impl::windowed_words;

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
element_span span_of(const std::vector<T>& x) {
  element_span span;
  for (const T v : x) span.add(v);
  return span;
}

/// The same from words, which begin anew every `stride` elements.
template <class T>
void expect_exact_words(const std::vector<T>& x, const std::string& what, std::size_t stride) {
  const element_span span = span_of(x);
  ASSERT_TRUE(windowed_words<T>::hold(span, x.size())) << what;
  const int unit = span.unit();
  windowed_sum<T> before, want;
  for (std::size_t first = 0; first < x.size(); first += stride) {
    windowed_words<T> sum(before, unit);
    for (std::size_t i = first; i < std::min(first + stride, x.size()); ++i) {
      sum.add(x[i]);
      want.add(x[i], unit);
      ASSERT_EQ(std::bit_cast<bits_of<T>>(sum.value(unit)),
                std::bit_cast<bits_of<T>>(want.value(unit)))
          << what << ", prefix " << i;
    }
    before = sum.sum();
    ASSERT_EQ(before.low, want.low) << what;
    ASSERT_EQ(before.high, want.high) << what;
    ASSERT_EQ(before.others == 0, want.others == 0) << what;
  }
}

/// Every prefix is the exact one, rounded once; merged from parts, too; and by words where they
/// hold it.
template <class T>
void expect_exact(const std::vector<T>& x, const std::string& what) {
  const element_span span = span_of(x);
  ASSERT_TRUE(span.fits(x.size())) << what;
  windowed_sum<T> sum;
  Exact exact;
  bool minus_zero = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 3 == 0) {
      sum.add(x[i], span.unit());
    } else {
      windowed_sum<T> one;
      one.add(x[i], span.unit());
      sum.merge(one);
    }
    exact += Exact(x[i]);
    minus_zero =
        minus_zero && std::bit_cast<bits_of<T>>(x[i]) == std::bit_cast<bits_of<T>>(T(-0.0));
    const T want = exact.is_zero() ? (minus_zero ? T(-0.0) : T(0)) : round_to<T>(exact);
    ASSERT_EQ(std::bit_cast<bits_of<T>>(sum.value(span.unit())), std::bit_cast<bits_of<T>>(want))
        << what << ", prefix " << i;
  }
  if (windowed_words<T>::hold(span, x.size()))
    for (const std::size_t stride : {1, 16, 1000}) expect_exact_words(x, what + ", words", stride);
}

template <class T>
class WindowedSum : public testing::Test {
 public:
  using Limits = std::numeric_limits<T>;
  /// The largest number below 2^e.
  static T below(int e) { return std::ldexp(T(2) - Limits::epsilon(), e - 1); }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(WindowedSum, Reals);

TYPED_TEST(WindowedSum, IsCorrectlyRoundedAfterEveryElement) {
  using T = TypeParam;
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    // Elements between 2^lowest and 2^highest, signs and cancellation, zeros of both signs.
    using Limits = std::numeric_limits<T>;
    const int room = 127 - 25 - 8;  // above integers of 24 bits, for 200 elements
    const int low =
        random.integer(Limits::min_exponent - Limits::digits, Limits::max_exponent - 60);
    std::vector<T> x(200);
    for (T& v : x) {
      switch (random.below(6)) {
        case 0:
          v = random.below(2) == 0 ? T(0) : T(-0.0);
          break;
        case 1:
          v = std::ldexp(T(1),
                         std::min(low + 24 + random.integer(0, room), Limits::max_exponent - 1));
          break;
        case 2:
          v = -x[random.below(200)];
          break;
        default:
          v = std::ldexp(std::nearbyint(std::ldexp(random.symmetric<T>(), 23)), low);
      }
    }
    expect_exact(x, "round " + std::to_string(round));
  }
}

TYPED_TEST(WindowedSum, SignsOfZeros) {
  using T = TypeParam;
  expect_exact(std::vector<T>(5, T(-0.0)), "-0");
  expect_exact(std::vector<T>{T(-0.0), T(0), T(-0.0)}, "+0 among them");
  expect_exact(std::vector<T>{T(-0.0), T(3), T(-3), T(-0.0)}, "cancelled");
}

/// Sums of n = 2^l - 1 numbers below 2^t reach all but the last unit of 2^(t + l).
TYPED_TEST(WindowedSum, UsesTheWindowToItsLastBit) {
  using T = TypeParam;
  for (const int l : {1, 2, 5, 10}) {
    const std::size_t n = (std::size_t(1) << l) - 1;
    for (const int unit : {-149, -140, -60, 0}) {
      const int top = 127 - l + unit;
      if (top > std::numeric_limits<T>::max_exponent) continue;
      for (const T sign : {T(1), T(-1)}) {
        std::vector<T> x(n, sign * TestFixture::below(top));
        if (n > 1) x[n / 2] = sign * std::ldexp(T(1), unit);
        const std::string what = std::to_string(n) + " from " + std::to_string(unit);
        expect_exact(x, what);
        // One bit more at either end, or of the count, is refused.
        if (n == 1) continue;
        std::vector<T> higher = x;
        higher[0] = sign * std::ldexp(T(1), top);
        if (std::isfinite(higher[0])) {
          EXPECT_FALSE(span_of(higher).fits(n)) << what;
        }
        std::vector<T> lower = x;
        lower[0] = sign * std::ldexp(T(1), unit - 1);
        if (lower[0] != 0) {
          EXPECT_FALSE(span_of(lower).fits(n)) << what;
        }
        EXPECT_FALSE(span_of(x).fits(n + 1)) << what;
      }
    }
  }
}

/// Sums of n = 2^l - 1 numbers below 2^t reach all but the last unit of the most bits, or numbers
/// all but the last of their own.
TYPED_TEST(WindowedSum, UsesWordsToTheirLastBit) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  using words = windowed_words<T>;
  Random random(11);
  for (const int l : {1, 2, 5, 12, 13}) {
    const std::size_t n = (std::size_t(1) << l) - 1;
    const int span = std::min(words::most_bits - l, words::gap + 51);
    for (const int lowest : {-1022, -149, -126, -60, 0, 127 - words::gap, 1023 - 53 - words::gap}) {
      if (lowest < Limits::min_exponent - 1) continue;
      const int top = std::min(lowest + span, Limits::max_exponent), unit = lowest;
      if (top - unit < Limits::digits) continue;
      for (const T sign : {T(1), T(-1)}) {
        const std::string what = std::to_string(n) + " from " + std::to_string(unit);
        std::vector<T> x(n, sign * TestFixture::below(top));
        x[n / 2] = sign * std::ldexp(T(1), unit);
        expect_exact_words(x, what, 16);
        for (T& v : x) {
          const int e = random.integer(unit, top - Limits::digits);
          v = std::ldexp(
              std::nearbyint(std::ldexp(random.symmetric<T>(), random.integer(0, Limits::digits))),
              e);
        }
        x[0] = sign * TestFixture::below(top);
        x[n / 2] = sign * std::ldexp(T(1), unit);
        expect_exact_words(x, what + ", random", 16);
        if (top < unit + span || n == 1) continue;
        std::vector<T> higher = x;
        higher[0] = sign * std::ldexp(T(1), top);
        if (std::isfinite(higher[0])) {
          EXPECT_FALSE(words::hold(span_of(higher), n)) << what;
        }
        std::vector<T> lower = x;
        lower[2] = sign * std::ldexp(T(1), unit - 1);
        if (lower[2] != 0) {
          EXPECT_FALSE(words::hold(span_of(lower), n)) << what;
        }
        if (span == words::most_bits - l) {
          EXPECT_FALSE(words::hold(span_of(x), n + 1)) << what;
        }
      }
    }
  }
}

/// The powers of two that words multiply by are normal numbers.
TYPED_TEST(WindowedSum, RefusesWordsOfOtherUnits) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  using words = windowed_words<T>;
  const int lowest = Limits::min_exponent - 1,
            highest = (sizeof(T) == 4 ? 127 : 1023 - 53) - words::gap;
  for (const T sign : {T(1), T(-1)}) {
    for (const int unit : {lowest, highest})
      expect_exact_words(std::vector<T>{sign * std::ldexp(T(1), unit)}, "a unit", 16);
    for (const int unit : {lowest - 1, highest + 1})
      EXPECT_FALSE(words::hold(span_of(std::vector<T>{sign * std::ldexp(T(1), unit)}), 1)) << unit;
  }
}

/// Sums next to the midpoints of neighbors, and on them, by a unit of the low word.
TYPED_TEST(WindowedSum, RoundsWordsOnceAtTies) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T eps = std::ldexp(T(1), -Limits::digits);  // half a unit of the last place of 1
  const T tiny = std::ldexp(T(1), -80);
  for (const T one : {T(1), T(1) + Limits::epsilon(), T(3)})
    for (const T half : {eps, -eps, 2 * eps})
      for (const T rest : {tiny, -tiny, T(0)})
        for (const T sign : {T(1), T(-1)})
          expect_exact_words(std::vector<T>{sign * tiny, sign * one, sign * half, sign * rest,
                                            -sign * tiny, -sign * tiny, -sign * tiny},
                             "tie", 16);
}

TYPED_TEST(WindowedSum, RefusesWhatIsNotFinite) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (const T bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    EXPECT_FALSE(span_of(std::vector<T>{bad}).fits(1));
    EXPECT_FALSE(windowed_words<T>::hold(span_of(std::vector<T>{bad}), 1));
    EXPECT_FALSE(span_of(std::vector<T>{T(1), bad, T(2)}).fits(3));
  }
}

/// Prefixes beyond the largest number are infinite, and come back.
TYPED_TEST(WindowedSum, OverflowsWhereThePrefixDoes) {
  using T = TypeParam;
  const T max = std::numeric_limits<T>::max();
  expect_exact(std::vector<T>{max, max, -max, max, max, -max, -max, -max, -max}, "max");
  const T tiny = std::numeric_limits<T>::denorm_min();
  expect_exact(std::vector<T>{tiny, tiny * 5, -tiny * 3, tiny * 1000}, "subnormal");
}

}  // namespace
}  // namespace acc_test
