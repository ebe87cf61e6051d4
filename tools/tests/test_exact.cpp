// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "exact.hpp"

namespace {

using acc_tool::Accumulator;
using acc_tool::Exact;
using acc_tool::Vector;

constexpr auto f64 = acc_tool::precision_of<double>();
constexpr auto f32 = acc_tool::precision_of<float>();
constexpr double inf = std::numeric_limits<double>::infinity();

double sum(std::initializer_list<double> values) {
  Accumulator a;
  for (const double v : values) a.add(v);
  return a.total().rounded(f64);
}

TEST(Exact, Sums) {
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({1e308, 1, -1e308}), 1);
  EXPECT_EQ(sum({0x1p-1074, 0x1p1023, -0x1p1023}), 0x1p-1074);
  EXPECT_EQ(sum({0x1p1023, 0x1p1023}), inf);
  EXPECT_EQ(sum({0x1p1023, 0x1p1023, -0x1p1023}), 0x1p1023);
  EXPECT_EQ(sum({-0x1p1023, -0x1p1023}), -inf);
}

TEST(Exact, RoundsTiesToEven) {
  EXPECT_EQ(sum({1, 0x1p-53}), 1);
  EXPECT_EQ(sum({1, 0x1p-53, 0x1p-1074}), 1 + 0x1p-52);
  EXPECT_EQ(sum({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
  EXPECT_EQ(sum({-1, -0x1p-53, -0x1p-1074}), -1 - 0x1p-52);
  const double max = std::numeric_limits<double>::max();
  EXPECT_EQ(sum({max, 0x1p969}), max);
  EXPECT_EQ(sum({max, 0x1p970}), inf);
}

TEST(Exact, RoundsToFloat) {
  EXPECT_EQ(Exact(1 + 0x1p-24).rounded(f32), 1);
  EXPECT_EQ(Exact(1 + 0x1p-24 + 0x1p-40).rounded(f32), 1 + 0x1p-23);
  EXPECT_EQ(Exact(0x1p-150).rounded(f32), 0);
  EXPECT_EQ(Exact(0x1.8p-150).rounded(f32), 0x1p-149);
  EXPECT_EQ(Exact(0x1.fffffep127).rounded(f32), 0x1.fffffep127);
  EXPECT_EQ(Exact(0x1.ffffffp127).rounded(f32), inf);
}

TEST(Exact, ProductsUnderflowNowhere) {
  Accumulator a;
  a.add_product(0x1p-1074, 0x1p-1074);
  EXPECT_FALSE(a.total().zero());
  EXPECT_EQ(a.total().rounded(f64), 0);
  a.add_product(-0x1p-1074, 0x1p-1074);
  EXPECT_TRUE(a.total().zero());
  a.add_product(1 + 0x1p-30, 1 + 0x1p-30);
  a.add(-1);
  a.add(-0x1p-29);
  EXPECT_EQ(a.total().rounded(f64), 0x1p-60);
  EXPECT_EQ(Exact::product(-3, 5).rounded(f64), -15);
  EXPECT_EQ(Exact::product(-3, inf).rounded(f64), -inf);
}

// Carries out of 128 bits: 2^23 products of 106 bits in one bin.
TEST(Exact, ManyEqualProducts) {
  const double x = 2 - 0x1p-52;
  Accumulator a;
  for (int i = 0; i < 1 << 23; ++i) a.add_product(x, x);
  Exact expected = Exact::product(x, x * 0x1p23);
  expected -= a.total();
  EXPECT_TRUE(expected.zero());
}

TEST(Exact, AnyOrderGivesTheSame) {
  std::mt19937_64 random(7);
  std::vector<double> x(1000);
  for (double& v : x) {
    do {
      v = std::bit_cast<double>(random());
    } while (!std::isfinite(v));
  }
  Accumulator forward;
  for (const double v : x) forward.add(v);
  Exact difference = forward.total();
  for (auto v = x.rbegin(); v != x.rend(); ++v) difference -= Exact(*v);
  EXPECT_TRUE(difference.zero());
}

TEST(Exact, InfinitiesAndNan) {
  EXPECT_EQ(sum({1, inf}), inf);
  EXPECT_TRUE(std::isnan(sum({inf, -inf})));
  EXPECT_TRUE(std::isnan(sum({std::nan(""), 1})));
  Accumulator a;
  a.add_product(0, inf);
  EXPECT_TRUE(std::isnan(a.total().rounded(f64)));
}

TEST(Exact, ProductsOfThree) {
  const auto times = [](Exact x, double factor) {
    x *= factor;
    return x;
  };
  EXPECT_EQ(times(Exact(3), -0.5).rounded(f64), -1.5);
  Exact tiny = times(Exact::product(0x1p-1074, 0x1p-1074), 0x1p-1074);
  EXPECT_FALSE(tiny.zero());
  tiny += Exact(1);
  tiny -= Exact(1);
  EXPECT_EQ(Exact::ratio(tiny, Exact::product(0x1p-1074, 0x1p-1074)), 0x1p-1074);
  Exact large = times(Exact::product(0x1.8p1023, 0x1p1023), 0x1p1023);
  large -= times(Exact::product(0x1p1023, 0x1.8p1023), 0x1p1023);
  EXPECT_TRUE(large.zero());
  Accumulator a;
  a.add_product(0x1p-1074, 3);
  EXPECT_EQ(times(a.total(), 0x1p1000).rounded(f64), 0x1.8p-73);
  EXPECT_TRUE(times(Exact(), 3).zero());
  EXPECT_EQ(times(Exact(inf), -2).rounded(f64), -inf);
}

TEST(Exact, Conditions) {
  EXPECT_EQ(exact_sum(Vector{"x", std::vector<double>{1, 2, 3}}).condition(0), 1);
  EXPECT_EQ(exact_sum(Vector{"x", std::vector<double>{3, -1}}).condition(0), 2);
  EXPECT_EQ(exact_sum(Vector{"x", std::vector<double>{1, -1}}).condition(0), inf);
  EXPECT_TRUE(std::isnan(exact_sum(Vector{"x", std::vector<double>{}}).condition(0)));
  const Vector x{"x", std::vector<float>{3, 1}}, y{"y", std::vector<float>{1, -1}};
  EXPECT_EQ(exact_dot(x, y).condition(0), 4);
}

TEST(Exact, ComplexDotConjugatesTheFirst) {
  using C = std::complex<double>;
  const Vector x{"x", std::vector<C>{{1, 2}}}, y{"y", std::vector<C>{{3, 5}}};
  const auto reference = exact_dot(x, y);
  EXPECT_EQ(reference.components[0].value.rounded(f64), 13);
  EXPECT_EQ(reference.components[1].value.rounded(f64), -1);
  const auto total = exact_sum(x);
  EXPECT_EQ(total.components[1].value.rounded(f64), 2);
}

TEST(Deviation, CountsUlpsOfTheCorrectlyRoundedResult) {
  const auto off_by_one = acc_tool::deviation(1 + 0x1p-52, Exact(1), f64);
  EXPECT_FALSE(off_by_one.correctly_rounded);
  EXPECT_EQ(off_by_one.ulps, 1);
  EXPECT_EQ(off_by_one.relative, 0x1p-52);
  const auto rounded = acc_tool::deviation(1, Exact(1 + 0x1p-30), f32);
  EXPECT_TRUE(rounded.correctly_rounded);
  EXPECT_EQ(rounded.ulps, 0x1p-7);
  EXPECT_EQ(acc_tool::deviation(0x1p-1074, Exact(), f64).ulps, 1);
  EXPECT_EQ(acc_tool::deviation(1, Exact(), f64).relative, inf);
}

TEST(Deviation, NotFinite) {
  EXPECT_TRUE(acc_tool::deviation(inf, Exact(inf), f64).correctly_rounded);
  EXPECT_TRUE(acc_tool::deviation(std::nan(""), Exact(std::nan("")), f64).correctly_rounded);
  EXPECT_FALSE(acc_tool::deviation(std::nan(""), Exact(1), f64).correctly_rounded);
  EXPECT_EQ(acc_tool::deviation(inf, Exact(1), f64).ulps, inf);
}

}  // namespace
