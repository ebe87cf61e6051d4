// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doubles rounded to half precision, whether Kokkos has it or not (test_half.hpp converts them):
// near every number of both formats, and at random.
#include "half_numbers.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace acc_test {
namespace {

using acc::impl::half_format;
constexpr half_format formats[] = {acc::impl::binary16, acc::impl::bfloat16};

/// Where the format has an infinity, a double of at least 2^highest will do.
void expect_rounded(half_format format, const std::vector<double>& numbers) {
  for (const double x : numbers) {
    double got = acc::impl::rounded_to_half(format, x);
    if (std::fabs(got) >= std::ldexp(1.0, format.highest)) got *= HUGE_VAL;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got),
              std::bit_cast<std::uint64_t>(nearest_half(format, x)))
        << std::hexfloat << x << " to " << format.digits << " bits";
  }
}

// As the formats' definitions have them.
TEST(HalfRounding, AtTheEndsOfTheFormats) {
  const auto binary16 = [](double x) { return nearest_half(acc::impl::binary16, x); };
  EXPECT_EQ(binary16(std::nextafter(65520, 0)), 65504);
  EXPECT_EQ(binary16(65520), HUGE_VAL);
  EXPECT_EQ(binary16(0x1.8p-24), 0x1p-23);
  EXPECT_EQ(binary16(0x1p-25), 0);
  EXPECT_EQ(binary16(std::nextafter(0x1p-25, 1)), 0x1p-24);
  EXPECT_EQ(binary16(1 + 0x1p-11), 1);
  EXPECT_EQ(binary16(1 + 0x1.8p-10), 1 + 0x1p-9);
  const auto bfloat16 = [](double x) { return nearest_half(acc::impl::bfloat16, x); };
  EXPECT_EQ(bfloat16(std::nextafter(0x1.ffp127, 0)), 0x1.fep127);
  EXPECT_EQ(bfloat16(0x1.ffp127), HUGE_VAL);
  EXPECT_EQ(bfloat16(0x1.8p-133), 0x1p-132);
  EXPECT_EQ(bfloat16(0x1p-134), 0);
  EXPECT_EQ(bfloat16(std::nextafter(0x1p-134, 1)), 0x1p-133);
  EXPECT_EQ(bfloat16(1 + 0x1p-8), 1);
  EXPECT_EQ(bfloat16(1 + 0x1.8p-7), 1 + 0x1p-6);
}

TEST(HalfRounding, NearEveryNumber) {
  for (const half_format format : formats) expect_rounded(format, hard_to_round_to_half(format));
}

TEST(HalfRounding, AtRandom) {
  std::mt19937_64 random(1);
  std::vector<double> x(500000);
  for (double& v : x) v = std::ldexp(double(std::int64_t(random())), int(random() % 400) - 263);
  for (const half_format format : formats) expect_rounded(format, x);
}

// Or the tests above would not tell one rounding from two.
TEST(HalfRounding, ByWayOfFloatIsAnother) {
  for (const half_format format : formats) {
    int twice = 0;
    for (const double x : hard_to_round_to_half(format))
      twice += nearest_half(format, x) != nearest_half(format, static_cast<float>(x));
    EXPECT_GT(twice, 30000);
  }
}

}  // namespace
}  // namespace acc_test
