// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limbs that many threads add to: no addition is lost, no limb overflows.

#include "generators.hpp"

#include <acc/core/exact/counted_limbs.hpp>
#include <acc/core/exact/counted_words.hpp>
#include <acc/core/exact/rough_range.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/exact/shared_limbs.hpp>
#include <acc/core/superaccumulator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

template <class T, class Window = acc::impl::shared_limbs<T>>
struct Sum {
  Window window;
  std::vector<std::int64_t> limb;

  explicit Sum(const Window& w) : window(w), limb(static_cast<std::size_t>(w.count)) {}
  auto limbs() {
    return [this](int i) -> std::int64_t& { return limb[static_cast<std::size_t>(i)]; };
  }
  template <bool Alone>
  auto add(T x) {
    using additions =
        std::conditional_t<Alone, acc::impl::lone_additions, acc::impl::atomic_additions>;
    return window.add(acc::impl::ieee<T>::parts(x), limbs(), additions{});
  }
  T value() { return window.value(limbs(), acc::element_kinds{acc::element_kinds::nonzero}); }
};

template <class T>
class SharedLimbs : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SharedLimbs, Types);

// So many of the largest pieces that there are, 2^39 of floats and 2^41 or 2^42 of doubles, that
// without carries their limb would come to 2^63 and more.
TYPED_TEST(SharedLimbs, NoLimbOverflows) {
  using T = TypeParam;
  constexpr int digits = std::numeric_limits<T>::digits, threads = 4;
  const std::int64_t each = digits == 24 ? std::int64_t(1) << 23 : std::int64_t(1) << 20;
  const auto whole = acc::impl::shared_limbs<T>::for_all();
  for (const bool alone : {false, true})
    for (const int shift : {1, 7})
      for (const T sign : {T(1), T(-1)}) {
        Sum<T> sum(whole);
        const T x = sign * std::ldexp(T(2) - std::numeric_limits<T>::epsilon(),
                                      shift - 2 * acc::impl::shared_limbs<T>::spacing);
        const auto work = [&](std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i)
            alone ? sum.template add<true>(x) : sum.template add<false>(x);
        };
        if (alone) {
          work(threads * each);
        } else {
          std::vector<std::thread> team;
          for (int t = 0; t < threads; ++t) team.emplace_back(work, each);
          for (std::thread& t : team) t.join();
        }
        for (int i = 0; i < whole.count - 1; ++i)
          ASSERT_LT(std::abs(double(sum.limb[std::size_t(i)])),
                    std::ldexp(1.0, 58) + std::ldexp(1.0, 45));
        EXPECT_EQ(sum.value(), x * T(threads) * T(each)) << shift << ", alone " << alone;
      }
}

// A carry that fills the limb above goes on, past as many limbs as there are.
TYPED_TEST(SharedLimbs, CarriesGoOn) {
  using T = TypeParam;
  using limbs = acc::impl::shared_limbs<T>;
  const auto whole = limbs::for_all();
  for (const std::int64_t sign : {1, -1}) {
    Sum<T> sum(whole);
    acc::superaccumulator<T> want;
    for (int i = 2; i < 9; ++i) {
      sum.limb[std::size_t(i)] = sign * (limbs::full - 1);
      want.add_integer(sign * (limbs::full - 1), whole.unit + limbs::spacing * i);
    }
    // A float's piece goes to limb 2, a double's upper one, the only one, to limb 3.
    const T x = std::ldexp(T(1.5) * T(sign),
                           whole.unit + limbs::spacing * 2 + std::numeric_limits<T>::digits - 1);
    sum.template add<false>(x);
    sum.template add<false>(x);
    want.add(x);
    want.add(x);
    want.add_kinds({acc::element_kinds::nonzero});
    for (int i = 0; i < whole.count - 1; ++i)
      EXPECT_LT(sign * sum.limb[std::size_t(i)], limbs::full) << i;
    EXPECT_EQ(sum.value(), want.value());
  }
}

// What the last limb does not hold is said, whichever piece brought it there.
TEST(SharedLimbsOfDoubles, AFullLastLimbIsFound) {
  using limbs = acc::impl::shared_limbs<double>;
  for (const bool alone : {false, true}) {
    Sum<double> sum(limbs::for_numbers(-58, 0));
    ASSERT_EQ(sum.window.count, 2);
    sum.limb = {limbs::full - 1, (std::int64_t(1) << limbs::found) - 1};
    const auto add = [&](double x) {
      return alone ? sum.add<true>(x).held : sum.add<false>(x).held;
    };
    EXPECT_TRUE(add(0.0));
    EXPECT_FALSE(add(std::ldexp(1.0, -58)));
  }
}

TYPED_TEST(SharedLimbs, AnyNumbersInAnyWindow) {
  using T = TypeParam;
  using limbs = acc::impl::shared_limbs<T>;
  using format = acc::impl::ieee<T>;
  acc_test::Random random(3);
  for (int round = 0; round < 3000; ++round) {
    const int n = 1 + int(random.below(40));
    const int low = random.integer(format::lowest, format::highest - 60);
    const int span = random.integer(1, round % 3 == 0 ? format::highest - low : 60);
    std::vector<T> x;
    int unit = format::highest, top = format::lowest;
    for (int i = 0; i < n; ++i) {
      const int digits = random.integer(1, format::digits);
      const int bottom = low + random.integer(0, std::max(0, span - digits));
      T v = std::ldexp(T(1 + random.below((std::uint64_t(1) << digits) - 1)), bottom);
      if (!std::isfinite(v)) continue;
      if (random.below(2)) v = -v;
      if (i > 0 && !x.empty() && random.below(4) == 0) v = -x[random.below(x.size())];
      const auto p = format::parts(v);
      unit = std::min(unit, p.exponent + Kokkos::countr_zero(p.mantissa));
      top = std::max(top, p.exponent + format::length(p.mantissa));
      x.push_back(v);
    }
    if (x.empty()) continue;
    Sum<T> sum(limbs::for_range(unit, top, 6)), all(limbs::for_all());
    acc::superaccumulator<T> want;
    for (const T v : x) {
      sum.template add<true>(v);
      all.template add<false>(v);
      want.add(v);
    }
    ASSERT_EQ(sum.value(), want.value()) << round << ": " << sum.window.count << " limbs";
    ASSERT_EQ(all.value(), want.value()) << round;
    ASSERT_EQ(sum.value(), want.value()) << "a second time";
  }
}

// A number halfway between two others, and one bit far below.
TYPED_TEST(SharedLimbs, OneBitBelowDecides) {
  using T = TypeParam;
  constexpr int digits = std::numeric_limits<T>::digits;
  for (int top = 0; top < 16; ++top)
    for (int last = digits + 1; last < 120; ++last) {
      Sum<T> sum(acc::impl::shared_limbs<T>::for_range(-125, top + 1, 2));
      for (const int e : {0, -digits, -last}) sum.template add<true>(std::ldexp(T(1), top + e));
      ASSERT_EQ(sum.value(), std::ldexp(T(1) + std::numeric_limits<T>::epsilon(), top))
          << top << ", " << last;
    }
}

// The least window of numbers that fill it.
TYPED_TEST(SharedLimbs, AWindowHoldsItsRange) {
  using T = TypeParam;
  using limbs = acc::impl::shared_limbs<T>;
  for (int bits = std::numeric_limits<T>::digits; bits < 140; ++bits)
    for (int carry_bits = 1; carry_bits < 12; ++carry_bits) {
      Sum<T> sum(limbs::for_range(-bits, 0, carry_bits));
      acc::superaccumulator<T> want;
      const T largest = T(1) - std::numeric_limits<T>::epsilon() / 2;
      for (int i = 0; i < (1 << carry_bits) - 1; ++i) {
        sum.template add<true>(-largest);
        want.add(-largest);
      }
      sum.template add<true>(std::ldexp(T(-1), -bits));
      want.add(std::ldexp(T(-1), -bits));
      ASSERT_EQ(sum.value(), want.value()) << bits << ", " << carry_bits;
      EXPECT_LE(sum.window.count, 1 + std::max(0, bits + carry_bits - limbs::room + 15) / 16);
    }
}

template <class T>
using CountedSum = Sum<T, acc::impl::counted_limbs<T>>;

// 2^n of the largest numbers whose last bits are in one place, for every n that can be counted and
// every place. One number's pieces tell what 2^n of them are: no limb reaches 2^62, and the limbs
// hold the product.
TYPED_TEST(SharedLimbs, CountedLimbsHoldWhatTheyCount) {
  using T = TypeParam;
  using limbs = acc::impl::counted_limbs<T>;
  using format = acc::impl::ieee<T>;
  constexpr int digits = std::numeric_limits<T>::digits;
  const T most = T(2) - std::numeric_limits<T>::epsilon();
  const std::int64_t end = std::int64_t(1) << limbs::room;
  ASSERT_TRUE(limbs::can_count(31));
  for (int n = 0; limbs::can_count(n); ++n)
    for (const int range : {0, 1, 20, 60, 90})
      for (int place = 0; place <= range; ++place)
        for (const T x :
             {most, T(-1), T(std::ldexp(most, -1) - std::numeric_limits<T>::epsilon())}) {
          const T y = std::ldexp(x, -place);
          if (format::parts(y).exponent < -range - digits) continue;  // the window ends
          CountedSum<T> sum(limbs::for_range(-range - digits, 1, n, n));
          sum.template add<true>(y);
          for (std::int64_t& limb : sum.limb) {
            ASSERT_LE(std::abs(limb), end >> n) << n << ", " << range << ", " << place;
            limb *= std::int64_t(1) << n;
          }
          ASSERT_EQ(sum.value(), std::ldexp(y, n)) << n << ", " << range << ", " << place;
        }
  EXPECT_FALSE(limbs::can_count(limbs::room));
}

TYPED_TEST(SharedLimbs, CountedLimbsTakeAnyNumbers) {
  using T = TypeParam;
  using limbs = acc::impl::counted_limbs<T>;
  using format = acc::impl::ieee<T>;
  acc_test::Random random(8);
  for (int round = 0; round < 3000; ++round) {
    const int low = random.integer(format::lowest, format::highest - 60);
    const int span = random.integer(1, round % 3 == 0 ? format::highest - low : 60);
    std::vector<T> x;
    int unit = format::highest, top = format::lowest;
    for (int i = 1 + int(random.below(40)); i > 0; --i) {
      const int digits = random.integer(1, format::digits);
      const int bottom = low + random.integer(0, std::max(0, span - digits));
      T v = std::ldexp(T(1 + random.below((std::uint64_t(1) << digits) - 1)), bottom);
      if (!std::isfinite(v)) continue;
      if (random.below(2)) v = -v;
      if (!x.empty() && random.below(4) == 0) v = -x[random.below(x.size())];
      const auto p = format::parts(v);
      unit = std::min(unit, p.exponent + Kokkos::countr_zero(p.mantissa));
      top = std::max(top, p.exponent + format::length(p.mantissa));
      x.push_back(v);
    }
    if (x.empty()) continue;
    const int n = 6 + round % 26;
    CountedSum<T> alone(limbs::for_range(unit, top, n, n)),
        atomic(limbs::for_range(unit, top, 31, 6));
    acc::superaccumulator<T> want;
    for (const T v : x) {
      alone.template add<true>(v);
      atomic.template add<false>(v);
      want.add(v);
    }
    ASSERT_EQ(alone.value(), want.value()) << round << ": " << alone.window.count << " limbs";
    ASSERT_EQ(atomic.value(), want.value()) << round;
    ASSERT_EQ(alone.value(), want.value()) << "a second time";
  }
}

// The upper end is that of number_range, the lower one that of the mantissa of the least number.
TYPED_TEST(SharedLimbs, RoughRangesHoldTheirNumbers) {
  using T = TypeParam;
  using format = acc::impl::ieee<T>;
  acc_test::Random random(5);
  for (int round = 0; round < 20000; ++round) {
    acc::impl::number_range exact;
    acc::impl::rough_range<T> a, b;
    EXPECT_TRUE(a.range().zero());
    T least = std::numeric_limits<T>::max();
    for (int i = int(random.below(5)); i >= 0; --i) {
      T x = round % 2 ? random.any_finite<T>()
                      : T(random.integer(-1000, 1000)) * std::ldexp(T(1), random.integer(-20, 20));
      if (round % 5 == 0) x = std::nextafter(std::ldexp(T(1), random.integer(-100, 100)), T(0));
      if (x == T(0) || random.below(4) == 0) x = T(0);  // -0 is special
      exact.merge(acc::impl::number_range::of(x));
      (random.below(2) ? a : b).add(x);
      if (x != T(0)) least = std::min(least, std::abs(x));
    }
    a.merge(b);
    ASSERT_FALSE(a.has_special());
    ASSERT_EQ(a.range().top, exact.top);
    if (exact.zero())
      ASSERT_TRUE(a.range().zero());
    else
      ASSERT_EQ(a.range().low, format::parts(least).exponent);
    ASSERT_LE(a.range().low, exact.low);
    for (const T x :
         {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
          std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN(), T(-0.0)}) {
      auto with = a;
      with.add(x);
      ASSERT_TRUE(with.has_special()) << x;
      acc::impl::rough_range<T> merged;
      merged.merge(with);
      ASSERT_TRUE(merged.has_special()) << x;
    }
  }
}

/// Numbers that are multiples of 2^low and below 2^(low + bits): the largest, the least, powers of
/// two and numbers next to them, halves of the upper word's unit, and any, of both signs.
std::vector<double> numbers_of_range(int low, int bits, std::size_t count,
                                     acc_test::Random& random) {
  std::vector<double> x;
  while (x.size() < count) {
    const int top = random.integer(1, bits), digits = std::min(top, 53);
    const std::uint64_t highest = std::uint64_t(1) << (digits - 1);
    const std::uint64_t mantissas[] = {2 * highest - 1, highest, highest + 1,
                                       highest + random.below(highest)};
    // Mostly at the upper end, where counts are largest.
    const int at = low + (random.below(2) ? bits : top) - digits;
    if (at < low) continue;
    x.push_back((random.below(2) ? -1 : 1) *
                std::ldexp(double(std::min(mantissas[random.below(4)], 2 * highest - 1)), at));
  }
  return x;
}

template <int Words>
void expect_counted_words_hold_sums() {
  using words = acc::impl::counted_words<Words>;
  acc_test::Random random(31);
  for (int round = 0; round < 400; ++round) {
    const int bits = round % 4 == 0 ? words::most_bits : random.integer(1, words::most_bits);
    const int highest = words::highest_low;
    const int low = round % 3 == 0   ? acc::impl::magic_number::lowest_unit
                    : round % 3 == 1 ? highest
                                     : random.integer(-900, 800);
    ASSERT_TRUE(words::fits(low, low + bits));
    EXPECT_FALSE(words::fits(low, low + words::most_bits + 1));
    EXPECT_FALSE(words::fits(highest + 1, highest + 2));
    const words w = words::for_multiples_of(low);
    const int n = round % 5 == 0 ? words::most_numbers : 1 + int(random.below(100));
    auto x = numbers_of_range(low, bits, std::size_t(n), random);
    if (round % 5 == 0)
      x.assign(x.size(), (round % 2 ? 1 : -1) *
                             std::ldexp(double((std::uint64_t(1) << std::min(bits, 53)) - 1),
                                        low + std::max(bits - 53, 0)));
    typename words::sum sum;
    acc::superaccumulator<double> want, got;
    for (const double v : x) {
      w.add(sum, v);
      want.add(v);
    }
    for (int i = 0; i < Words; ++i) {
      const std::int64_t word = w.word(sum, i, n);
      ASSERT_LE(std::abs(double(word)), std::ldexp(double(n), 51)) << round;
      got.add_integer(word, w.unit[i]);
    }
    got.add_kinds({acc::element_kinds::nonzero});
    ASSERT_EQ(got.value(), want.value()) << round << ": " << low << ", " << bits << ", " << n;
    got.add_integer(1, low);
    want.add(std::ldexp(1.0, low));
    ASSERT_EQ(got.value(), want.value()) << round << ": one more";
  }
}
TEST(CountedWords, HoldSumsOfTheirRange) {
  expect_counted_words_hold_sums<1>();
  expect_counted_words_hold_sums<2>();
}

// Words of sums in place of numbers, in limbs for four times as many: no limb reaches its end, and
// none of the sum is lost.
template <class T, int Words>
void expect_limbs_take_words() {
  using limbs = acc::impl::counted_limbs<T>;
  using words = acc::impl::counted_words<Words>;
  acc_test::Random random(32);
  constexpr int digits = std::numeric_limits<T>::digits;
  for (int round = 0; round < 2000; ++round) {
    const int bits = round % 2
                         ? words::most_bits
                         : random.integer(std::min(digits, words::most_bits), words::most_bits);
    const int low = random.integer(-100, -50), n = random.integer(0, 28);
    ASSERT_TRUE(limbs::can_count(n + 2));
    CountedSum<T> sum(limbs::for_range(low, low + bits, n + 2, n + 2));
    const words w = words::for_multiples_of(low);
    // 2^n times the same number: by itself, and together with as many as a word holds.
    const int together = 1 << random.integer(0, std::min(n, 11));
    const auto x = T(numbers_of_range(low, bits, 1, random)[0]);
    if (double(x) != std::ldexp(std::trunc(std::ldexp(double(x), -low)), low)) continue;
    if (std::abs(double(x)) >= std::ldexp(1.0, low + bits)) continue;  // rounded to float
    typename words::sum s;
    for (int i = 0; i < together; ++i) w.add(s, double(x));
    for (int i = 0; i < Words; ++i)
      sum.window.cut_integer(w.word(s, i, together), w.unit[i],
                             [&](int limb, std::int64_t v) { sum.limb[std::size_t(limb)] += v; });
    const std::int64_t times = (std::int64_t(1) << n) / together;
    for (std::int64_t& limb : sum.limb) {
      ASSERT_LE(double(std::abs(limb)) * double(times), std::ldexp(1.0, limbs::room))
          << round << ": " << x;
      limb *= times;
    }
    ASSERT_EQ(sum.value(), std::ldexp(x, n)) << round << ": " << together << " of 2^" << n;
  }
}
TYPED_TEST(SharedLimbs, CountedLimbsTakeWords) {
  expect_limbs_take_words<TypeParam, 1>();
  expect_limbs_take_words<TypeParam, 2>();
}

}  // namespace
