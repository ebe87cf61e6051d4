// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference.hpp"

namespace {

using acc_tool::Exact;
using acc_tool::Vector;

constexpr auto f64 = acc_tool::precision_of<double>();
constexpr auto f32 = acc_tool::precision_of<float>();
constexpr double inf = std::numeric_limits<double>::infinity();

TEST(Reference, Conditions) {
  EXPECT_EQ(exact_sum(Vector{"x", std::vector<double>{1, 2, 3}}).condition(0), 1);
  EXPECT_EQ(exact_sum(Vector{"x", std::vector<double>{3, -1}}).condition(0), 2);
  EXPECT_EQ(exact_sum(Vector{"x", std::vector<double>{1, -1}}).condition(0), inf);
  EXPECT_TRUE(std::isnan(exact_sum(Vector{"x", std::vector<double>{}}).condition(0)));
  const Vector x{"x", std::vector<float>{3, 1}}, y{"y", std::vector<float>{1, -1}};
  EXPECT_EQ(exact_dot(x, y).condition(0), 4);
}

TEST(Reference, ComplexDotConjugatesTheFirst) {
  using C = std::complex<double>;
  const Vector x{"x", std::vector<C>{{1, 2}}}, y{"y", std::vector<C>{{3, 5}}};
  const auto reference = exact_dot(x, y);
  EXPECT_EQ(round(reference.components[0].value, f64), 13);
  EXPECT_EQ(round(reference.components[1].value, f64), -1);
  const auto total = exact_sum(x);
  EXPECT_EQ(round(total.components[1].value, f64), 2);
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
