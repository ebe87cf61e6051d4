// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one rounding of an exact product's entry to each format, half precision included, which most
// hosts do not have: sums of products near ties, the ends of the range and beyond; and sums that
// are known within bounds.
#include <acc/core/gemm/exact_entry.hpp>

#include "generators.hpp"
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace acc_test {
namespace {

using acc::impl::exact_part;
using Sum = acc::superaccumulator<float>;
using Part = exact_part<Sum::limbs>;

template <class Format>
constexpr acc_oracle::Precision precision{Format::digits, Format::lowest};

template <class Format>
class ExactEntry : public testing::Test {};
using Formats = testing::Types<acc::impl::binary16_result, acc::impl::bfloat16_result,
                               acc::impl::result_format<float>>;
TYPED_TEST_SUITE(ExactEntry, Formats);

TYPED_TEST(ExactEntry, IsRoundedOnce) {
  using Format = TypeParam;
  Random random(1);
  int ties = 0, overflows = 0, subnormal = 0;
  for (int round = 0; round < 300'000; ++round) {
    Sum sum;
    Exact exact(0.0);
    const int base = random.integer(Format::lowest - 14, Format::highest);
    for (int n = 0; n < 3; ++n) {
      // A few bits, near the last ones of the first; as a product none is beyond float.
      const int exponent = base - (n == 0 ? 0 : random.integer(0, 20));
      const float x = std::ldexp(static_cast<float>(random.integer(-4097, 4097)), exponent / 2);
      const float y = std::ldexp(1.0f, exponent - exponent / 2);
      sum.add_product(x, y);
      exact += Exact(x) * Exact(y);
    }
    Part part;
    part.take(sum);
    const float got = acc::impl::rounded_part<Format>(part).value;
    const double want = acc_oracle::round(exact, precision<Format>);
    if (exact.is_zero()) continue;  // its sign is F3's
    ASSERT_EQ(double(got), want) << to_string(exact);
    ASSERT_EQ(std::signbit(got), exact.sign() < 0) << to_string(exact);
    using acc_oracle::Direction;
    const double down = acc_oracle::round(exact, precision<Format>, Direction::down);
    const double up = acc_oracle::round(exact, precision<Format>, Direction::up);
    ties += std::isfinite(down) && std::isfinite(up) && down != up &&
            exact - Exact(down) == Exact(up) - exact;
    overflows += std::isinf(want);
    subnormal += want != 0 && std::abs(want) < std::ldexp(1.0, Format::lowest + Format::digits - 1);
  }
  EXPECT_GT(ties, 100);
  EXPECT_GT(overflows, 100);
  EXPECT_GT(subnormal, 100);
}

/// Where bounds decide, what they decide is right for every number between them; and they do decide
/// what is far from a tie.
TYPED_TEST(ExactEntry, BoundsDecideOnlyWhatIsSure) {
  using Format = TypeParam;
  using bits = std::uint32_t;
  Random random(2);
  int decided = 0, undecided = 0;
  for (int round = 0; round < 100'000; ++round) {
    const int exponent = random.integer(-20, 10);
    const float x = std::ldexp(static_cast<float>(random.integer(-100'000, 100'000)), exponent);
    Part part;
    part.take(Sum(x));
    if (x == 0.0f) part.kinds = {acc::element_kinds::nonzero};
    part.skips = true;
    part.bound = exponent + random.integer(-12, 6);
    const int bound = part.bound;
    const auto result = acc::impl::rounded_part<Format>(part);
    (result.decided ? decided : undecided) += 1;
    if (!result.decided) continue;
    for (const int quarters : {-3, -1, 0, 1, 3}) {
      const Exact s = Exact(x) + Exact(quarters) * acc_oracle::pow2(bound - 2);
      if (s.is_zero()) continue;
      const auto want = static_cast<float>(acc_oracle::round(s, precision<Format>));
      ASSERT_EQ(std::bit_cast<bits>(result.value), std::bit_cast<bits>(want)) << to_string(s);
    }
  }
  EXPECT_GT(decided, 10'000);
  EXPECT_GT(undecided, 1000);
}

}  // namespace
}  // namespace acc_test
