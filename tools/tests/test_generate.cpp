// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "generate.hpp"
#include "reference.hpp"

namespace {

using namespace acc_tool;

TEST(Generate, GendotIsAsIllConditionedAsAsked) {
  for (const double condition : {1e5, 1e16, 1e25, 1e32, 1e60}) {
    for (const std::size_t n : {6, 7, 100, 1001}) {
      // Each element of the second half cancels 53 bits at most.
      if (n < 10 && condition > 1e32) continue;
      auto [x, y] = gendot(n, condition, 3);
      const double obtained =
          exact_dot(Vector{"x", std::move(x)}, Vector{"y", std::move(y)}).condition(0);
      EXPECT_GT(obtained, condition / 100) << n;
      EXPECT_LT(obtained, condition * 1e5) << n;
    }
  }
}

TEST(Generate, TheSameSeedGivesTheSameNumbers) {
  EXPECT_EQ(gendot(50, 1e20, 4), gendot(50, 1e20, 4));
  EXPECT_NE(gendot(50, 1e20, 4), gendot(50, 1e20, 5));
  // The standard fixes mt19937_64's numbers, so these bits are fixed. The condition is not a power
  // of 2.
  const auto [x, y] = gendot(40, 2e5, 1);
  EXPECT_EQ(x[0], -0x1.769d5c09ddf66p+7);
  EXPECT_EQ(y[0], -0x1.feb59904928adp+0);
  EXPECT_EQ(uniform(2, 1), (std::vector<double>{-0x1.76e90a81125e6p-1, -0x1.7451b6bf739c2p-1}));
}

TEST(Generate, Moments) {
  double mean = 0, square = 0;
  for (const double v : normal(100001, 1)) {
    mean += v / 100001;
    square += v * v / 100001;
  }
  EXPECT_NEAR(mean, 0, 0.02);
  EXPECT_NEAR(square, 1, 0.02);
  for (const double v : uniform(1000, 1)) EXPECT_TRUE(-1 <= v && v < 1);
}

TEST(Generate, Harmonic) {
  EXPECT_EQ(harmonic(4), (std::vector<double>{1, 0.5, 1.0 / 3, 0.25}));
  EXPECT_TRUE(harmonic(0).empty());
}

}  // namespace
