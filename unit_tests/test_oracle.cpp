// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle and the generators, held to facts that need neither: the processor's own correctly
// rounded operations, and the published properties of the data.
#include "generators.hpp"
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <utility>

namespace acc_test {
namespace {

template <class T>
class Oracle : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Oracle, Types);

TYPED_TEST(Oracle, RoundsAsTheProcessorDoes) {
  using T = TypeParam;
  Random random(1);
  for (int k = 0; k < 50000; ++k) {
    volatile T a = random.any_finite<T>(), b = random.any_finite<T>();
    if (k % 2 == 0)
      b = std::ldexp(random.symmetric<T>(), std::ilogb(T(a)) + random.integer(-60, 60));
    if (!std::isfinite(T(b))) continue;
    const volatile T sum = a + b, product = a * b;
    EXPECT_EQ(round_to<T>(Exact(T(a)) + Exact(T(b))), T(sum));
    EXPECT_EQ(round_to<T>(Exact(T(a)) * Exact(T(b))), T(product));
  }
}

TYPED_TEST(Oracle, RoundsInEachDirectionAsTheProcessorDoes) {
  using T = TypeParam;
  constexpr std::pair<Direction, int> modes[] = {{Direction::nearest, FE_TONEAREST},
                                                 {Direction::up, FE_UPWARD},
                                                 {Direction::down, FE_DOWNWARD},
                                                 {Direction::zero, FE_TOWARDZERO}};
  Random random(2);
  for (int k = 0; k < 50000; ++k) {
    const volatile T a = random.any_finite<T>();
    volatile T b = random.any_finite<T>();
    if (k % 2 == 0)
      b = std::ldexp(random.symmetric<T>(), std::ilogb(T(a)) + random.integer(-60, 60));
    if (!std::isfinite(T(b))) continue;
    for (const auto& [direction, mode] : modes) {
      std::fesetround(mode);
      const volatile T sum = a + b, product = a * b;
      std::fesetround(FE_TONEAREST);
      const Exact exact = Exact(T(a)) + Exact(T(b));
      if (!exact.is_zero()) {
        ASSERT_EQ(round_to<T>(exact, direction), T(sum));
      }
      ASSERT_EQ(round_to<T>(Exact(T(a)) * Exact(T(b)), direction), T(product));
    }
  }
}

TYPED_TEST(Oracle, RoundsAtTheEnds) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const Exact max(Limits::max()), tiny(Limits::denorm_min()), half = pow2(-1);
  const Exact half_ulp = pow2(Limits::max_exponent - Limits::digits - 1);
  EXPECT_EQ(round_to<T>(max + half_ulp), Limits::infinity());
  EXPECT_EQ(round_to<T>(max + half_ulp - tiny), Limits::max());
  EXPECT_EQ(round_to<T>(-(max + half_ulp)), -Limits::infinity());
  EXPECT_EQ(round_to<T>(tiny * half), T(0));  // a tie goes to the even zero
  EXPECT_EQ(round_to<T>(tiny * half + tiny * half * half), Limits::denorm_min());
}

TYPED_TEST(Oracle, BinnedSumsEqualSumsOneByOne) {
  using T = TypeParam;
  for (const Data data : all_data) {
    const auto x = make<T>(data, 500, 7), y = make<T>(Data::uniform, 500, 8);
    Exact sum, sum_abs, dot, dot_abs;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += Exact(x[i]);
      sum_abs += abs(Exact(x[i]));
      dot += Exact(x[i]) * Exact(y[i]);
      dot_abs += abs(Exact(x[i]) * Exact(y[i]));
    }
    EXPECT_EQ(exact_sum<T>(x), sum) << name(data);
    EXPECT_EQ(exact_abs_sum<T>(x), sum_abs) << name(data);
    EXPECT_EQ(exact_dot<T>(x, y), dot) << name(data);
    EXPECT_EQ(exact_abs_dot<T>(x, y), dot_abs) << name(data);
  }
}

TEST(Oracle, ErrorsAreRoundedUp) {
  EXPECT_GT(relative_error(Exact(1.0) + pow2(-100), Exact(1.0)), 0x1p-100);
  EXPECT_LT(relative_error(Exact(1.0) + pow2(-100), Exact(1.0)), 0x1.0000001p-100);
  EXPECT_EQ(relative_error(Exact(3.0), Exact(3.0)), 0);
  EXPECT_EQ(relative_error(Exact(3.0), Exact(0.0)), std::numeric_limits<double>::infinity());
}

TEST(Generators, FirstValuesAreTheOnesOfThisProject) {
  Random random(42);  // mt19937_64's output is fixed by the standard
  EXPECT_EQ(random.bits(), 13930160852258120406u);
  EXPECT_EQ(make<double>(Data::uniform, 3, 1)[2], make<double>(Data::uniform, 3, 1)[2]);
}

TYPED_TEST(Oracle, FamiliesAreWhatTheySay) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (const Data data : all_data) {
    const auto x = make<T>(data, 1001, 3);
    ASSERT_EQ(x.size(), 1001u) << name(data);
    for (const T v : x) ASSERT_TRUE(std::isfinite(v)) << name(data);
    const Exact largest(Limits::max());
    EXPECT_LT(exact_abs_sum<T>(x), largest) << name(data);
  }
  for (const T v : make<T>(Data::subnormal, 1000, 3)) EXPECT_LE(std::abs(v), Limits::min());
  EXPECT_GT(exact_abs_sum<T>(make<T>(Data::near_overflow, 1000, 3)),
            Exact(Limits::max()) * pow2(-4));
  EXPECT_GT(condition_of_sum<T>(make<T>(Data::massive_cancellation, 1000, 3)), 1e6);
}

TYPED_TEST(Oracle, GenDotHasTheConditionAskedFor) {
  using T = TypeParam;
  const double top = sizeof(T) == 4 ? 1e14 : 1e32;
  for (double c = 1e4; c <= top * 1.01; c *= 10) {
    const auto p = ill_conditioned_dot<T>(200, c, 5);
    const double got = condition_of_dot<T>(p.x, p.y);
    EXPECT_GT(got, c / 1e3) << "asked " << c;
    EXPECT_LT(got, c * 1e4) << "asked " << c;
    const auto s = ill_conditioned_sum<T>(200, c, 5);
    EXPECT_GT(condition_of_sum<T>(s), c / 1e4) << "asked " << c;
    EXPECT_EQ(exact_sum<T>(s), exact_dot<T>(p.x, p.y));
  }
}

}  // namespace
}  // namespace acc_test
