// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle and the generators, held to facts that need neither: the processor's own correctly
// rounded operations, and the published properties of the data.
#include "generators.hpp"
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

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

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Oracle, RatiosAreRoundedAsTheProcessorRoundsThem) {
  constexpr std::pair<Direction, int> modes[] = {{Direction::nearest, FE_TONEAREST},
                                                 {Direction::up, FE_UPWARD},
                                                 {Direction::down, FE_DOWNWARD},
                                                 {Direction::zero, FE_TOWARDZERO}};
  Random random(4);
  for (int k = 0; k < 20000; ++k) {
    const volatile double a = std::abs(random.any_finite<double>());
    volatile double b = std::abs(random.any_finite<double>());
    if (k % 2 == 0) b = std::ldexp(1 + random.integer(1, 1000), std::ilogb(a));
    if (a == 0 || b == 0 || std::isinf(b)) continue;
    for (const auto& [direction, mode] : modes) {
      std::fesetround(mode);
      const volatile double quotient = a / b;
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(ratio(Exact(a), Exact(-b), direction), quotient);
    }
  }
  EXPECT_EQ(ratio(Exact(1), Exact(0)), inf);
  EXPECT_TRUE(std::isnan(ratio(Exact(0), Exact(0))));
  EXPECT_TRUE(std::isnan(ratio(Exact(1), Exact(inf))));
}

TEST(Oracle, ErrorsAreRoundedUp) {
  EXPECT_EQ(relative_error(Exact(1.0) + pow2(-100), Exact(1.0)), 0x1p-100);
  EXPECT_EQ(relative_error(Exact(1.0) + pow2(-100), Exact(3.0)), 0x1.5555555555556p-1);
  EXPECT_EQ(relative_error(Exact(3.0), Exact(3.0)), 0);
  EXPECT_EQ(relative_error(Exact(0.0), Exact(0.0)), 0);
  EXPECT_EQ(relative_error(Exact(3.0), Exact(0.0)), inf);
}

TEST(Oracle, InfinitiesAndNaNAreAsInIeeeArithmetic) {
  const Exact huge = pow2(5000), infinite(inf), none(nan);
  EXPECT_GT(infinite, huge);
  EXPECT_LT(-infinite, -huge);
  EXPECT_EQ(infinite + huge, infinite);
  EXPECT_EQ(huge - infinite, -infinite);
  EXPECT_EQ(abs(-infinite), infinite);
  EXPECT_FALSE(none == none);
  EXPECT_FALSE(none <= huge);
  EXPECT_FALSE(none > huge);
  EXPECT_EQ(Exact(-3.0) * infinite, -infinite);
  EXPECT_TRUE(std::isnan(round_to<double>(infinite - infinite)));
  EXPECT_TRUE(std::isnan(round_to<double>(Exact(0.0) * infinite)));
  EXPECT_EQ(round_to<float>(-infinite), -inf);
}

double sum(std::initializer_list<double> values) {
  Accumulator a;
  for (const double v : values) a.add(v);
  return round_to<double>(a.total());
}

TEST(Accumulator, Sums) {
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({1e308, 1, -1e308}), 1);
  EXPECT_EQ(sum({0x1p-1074, 0x1p1023, -0x1p1023}), 0x1p-1074);
  EXPECT_EQ(sum({0x1p1023, 0x1p1023}), inf);
  EXPECT_EQ(sum({0x1p1023, 0x1p1023, -0x1p1023}), 0x1p1023);
  EXPECT_EQ(sum({-0x1p1023, -0x1p1023}), -inf);
}

TEST(Accumulator, RoundsTiesToEven) {
  EXPECT_EQ(sum({1, 0x1p-53}), 1);
  EXPECT_EQ(sum({1, 0x1p-53, 0x1p-1074}), 1 + 0x1p-52);
  EXPECT_EQ(sum({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
  EXPECT_EQ(sum({-1, -0x1p-53, -0x1p-1074}), -1 - 0x1p-52);
  const double max = std::numeric_limits<double>::max();
  EXPECT_EQ(sum({max, 0x1p969}), max);
  EXPECT_EQ(sum({max, 0x1p970}), inf);
}

TEST(Accumulator, ProductsUnderflowNowhere) {
  Accumulator a;
  a.add_product(0x1p-1074, 0x1p-1074);
  EXPECT_EQ(a.total(), pow2(-2148));
  a.add_product(-0x1p-1074, 0x1p-1074);
  EXPECT_TRUE(a.total().is_zero());
  EXPECT_EQ(a.magnitude(), pow2(-2147));
  a.add_product(1 + 0x1p-30, 1 + 0x1p-30);
  a.add(-1);
  a.add(-0x1p-29);
  EXPECT_EQ(a.total(), pow2(-60));
}

// Carries out of 128 bits: 2^23 products of 106 bits in one bin.
TEST(Accumulator, ManyEqualProducts) {
  const double x = 2 - 0x1p-52;
  Accumulator a;
  for (int i = 0; i < 1 << 23; ++i) a.add_product(x, x);
  EXPECT_EQ(a.total(), Exact(x) * Exact(x) * pow2(23));
}

TEST(Accumulator, AnyOrderGivesTheSame) {
  Random random(7);
  std::vector<double> x(1000);
  Accumulator forward;
  for (double& v : x) {
    v = random.any_finite<double>();
    forward.add(v);
  }
  Exact backward;
  for (auto v = x.rbegin(); v != x.rend(); ++v) backward += *v;
  EXPECT_EQ(forward.total(), backward);
}

TEST(Accumulator, InfinitiesAndNaN) {
  EXPECT_EQ(sum({1, inf}), inf);
  EXPECT_TRUE(std::isnan(sum({inf, -inf})));
  EXPECT_TRUE(std::isnan(sum({nan, 1})));
  Accumulator a;
  a.add_product(0, inf);
  EXPECT_TRUE(std::isnan(round_to<double>(a.total())));
}

TEST(Generators, FirstValuesAreTheOnesOfThisProject) {
  Random random(42);  // mt19937_64's output is fixed by the standard
  EXPECT_EQ(random.bits(), 13930160852258120406u);
  EXPECT_EQ(make<double>(Data::uniform, 2, 1),
            (std::vector<double>{-0x1.76e90a81125e6p-1, -0x1.7451b6bf739c2p-1}));
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
