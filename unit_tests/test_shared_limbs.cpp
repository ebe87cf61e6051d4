// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limbs that many threads add to: no addition is lost, no limb overflows.

#include "generators.hpp"

#include <acc/core/exact/counted_limbs.hpp>
#include <acc/core/exact/shared_limbs.hpp>
#include <acc/core/superaccumulator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
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
  void add(T x) {
    window.template add<Alone>(acc::impl::ieee<T>::parts(x), limbs());
  }
  T value() { return window.value(limbs(), acc::element_kinds{acc::element_kinds::nonzero}); }
};

template <class T>
class SharedLimbs : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SharedLimbs, Types);

// Numbers whose pieces are the largest that there are, at every place in a limb. Without carries
// 2^21 of them overflow it.
TYPED_TEST(SharedLimbs, NoLimbOverflows) {
  using T = TypeParam;
  constexpr int digits = std::numeric_limits<T>::digits, threads = 4;
  const std::int64_t each = digits == 24 ? std::int64_t(1) << 23 : std::int64_t(1) << 20;
  const auto whole = acc::impl::shared_limbs<T>::for_all();
  for (const bool alone : {false, true})
    for (const int shift : {0, 5, 15})
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
      const auto parts = acc::impl::ieee<double>::parts(x);
      return alone ? sum.window.add<true>(parts, sum.limbs()).held
                   : sum.window.add<false>(parts, sum.limbs()).held;
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

}  // namespace
