// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long division against rational arithmetic: digits that make an estimate of a quotient's digit too
// large, quotients next to and on ties, and such that are not normal numbers.
#include <acc/core/exact/quotient.hpp>

#include "generators.hpp"
#include "rational.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

namespace acc_test {
namespace {

constexpr int digits = 48;
using Natural = acc::impl::natural<digits>;

std::uint32_t hard_digit(Random& random) {
  constexpr std::uint32_t hard[] = {0,          1,          0x7fffffff, 0x80000000,
                                    0x80000001, 0xfffffffe, 0xffffffff};
  const std::uint64_t k = random.below(2 * std::size(hard));
  return k < std::size(hard) ? hard[k] : std::uint32_t(random.below(std::uint64_t(1) << 32));
}
mpz_class hard_number(int length, Random& random) {
  mpz_class n = 0;
  while (n == 0)
    for (int i = 0; i < length; ++i) n = (n << 32) + hard_digit(random);
  return n;
}
Natural natural(mpz_class n) {
  Natural r;
  for (; n != 0; n >>= 32) r.digit[r.length++] = std::uint32_t(mpz_class(n & 0xffffffffu).get_ui());
  return r;
}

template <class T>
void expect_rounded(const mpz_class& a, const mpz_class& b, int unit, bool negative) {
  const T got = acc::impl::rounded_quotient<T>(natural(a), natural(b), unit, negative);
  const T want = rounded_quotient<T>(Exact(negative ? mpz_class(-a) : a, unit), Exact(b, 0));
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  // The oracle's zero has no sign.
  const T signed_want = want == T(0) && negative ? -T(0) : want;
  ASSERT_EQ(std::bit_cast<Bits>(got), std::bit_cast<Bits>(signed_want))
      << a.get_str(16) << " / " << b.get_str(16) << " 2^" << unit;
}

template <class T>
class Quotient : public testing::Test {};
using QuotientTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Quotient, QuotientTypes);

TYPED_TEST(Quotient, OfHardDigits) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const int n = 1 + int(random.below(12)), m = 1 + int(random.below(12));
    expect_rounded<TypeParam>(hard_number(n, random), hard_number(m, random),
                              32 * (m - n) + int(random.below(100)) - 50, random.below(2) != 0);
    if (this->HasFatalFailure()) return;
  }
}

// a / b is a number of one bit more than TypeParam has, or next to it.
TYPED_TEST(Quotient, NextToTies) {
  constexpr int precision = std::numeric_limits<TypeParam>::digits;
  Random random(2);
  for (int i = 0; i < 100'000; ++i) {
    const int m = 1 + int(random.below(8));
    const mpz_class b = hard_number(m, random);
    const mpz_class tie =
        (mpz_class(1) << precision) + 2 * random.below(std::uint64_t(1) << (precision - 1)) + 1;
    const int shift = int(random.below(100));
    mpz_class a = (tie * b) << shift;
    a += int(random.below(3)) - 1;
    expect_rounded<TypeParam>(a, b, -precision - shift, random.below(2) != 0);
    if (this->HasFatalFailure()) return;
  }
}

// From numbers that round to zero to such that overflow.
TYPED_TEST(Quotient, OfAllExponents) {
  constexpr int lowest = std::numeric_limits<TypeParam>::min_exponent;
  Random random(3);
  for (int unit = 2 * lowest; unit < -lowest + 200; ++unit) {
    const int m = 1 + int(random.below(8));
    expect_rounded<TypeParam>(hard_number(m, random), hard_number(m, random), unit,
                              random.below(2) != 0);
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace acc_test
