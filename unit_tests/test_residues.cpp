// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Residues against the oracle: the moduli and what they hold, residues of hard numbers, integers
// put together again up to the ends of their range, and their rounding; then whole sums of
// products.
#include <acc/core/exact/crt.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/residues.hpp>
#include <acc/core/exact/row_norm.hpp>
#include <acc/core/exact/scaled_integer.hpp>

#include "generators.hpp"
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

using acc::impl::byte_moduli;
using acc::impl::capacity;
using acc::impl::crt_constants;
using acc::impl::modulus_constants;
using acc::impl::number_range;
using acc::impl::word_moduli;

mpz_class integer(std::uint64_t x) {
  mpz_class high = static_cast<unsigned long>(x >> 32);
  return (high << 32U) + static_cast<unsigned long>(x & 0xffffffff);
}
/// An integer that GoogleTest can print.
Exact whole(const mpz_class& x) { return {x, 0}; }
mpz_class power(int e) { return mpz_class(1) << static_cast<unsigned long>(e); }
/// x modulo p, in [0, p).
std::uint32_t modulo(const mpz_class& x, std::uint32_t p) {
  mpz_class r;
  mpz_fdiv_r_ui(r.get_mpz_t(), x.get_mpz_t(), p);
  return static_cast<std::uint32_t>(r.get_ui());
}
/// A random integer of so many bits at most, often of all ones or few.
mpz_class random_integer(Random& random, int bits) {
  mpz_class x = 0;
  const std::uint64_t kind = random.below(4);
  for (int i = 0; i < bits; i += 32) {
    const std::uint64_t word = kind == 0   ? 0xffffffff
                               : kind == 1 ? std::uint64_t(random.below(8) == 0)
                                           : random.bits() >> 32;
    x = (x << 32U) + integer(word);
  }
  return x & (power(bits) - 1);
}
/// Words in two's complement.
template <int Words, class W>
mpz_class signed_integer(const W* x) {
  mpz_class r = 0;
  for (int j = Words; j-- > 0;) r = (r << 32U) + integer(static_cast<std::uint32_t>(x[j]));
  return static_cast<std::uint32_t>(x[Words - 1]) >> 31 ? mpz_class(r - power(32 * Words)) : r;
}
template <class T>
auto bits_of(T x) {
  return std::bit_cast<typename acc::impl::ieee<T>::bits_type>(x);
}
/// f(std::integral_constant<int, i>) for i < N.
template <int N, class F>
void each(const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (f(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, N>{});
}

template <class Family>
class Moduli : public testing::Test {};
using Families = testing::Types<byte_moduli, word_moduli>;
TYPED_TEST_SUITE(Moduli, Families);

/// A table with another family's first member, or a composite one, would not pass.
TYPED_TEST(Moduli, AreTheLargestWithoutACommonFactor) {
  using Family = TypeParam;
  std::uint32_t next = Family::modulus(0);
  EXPECT_EQ(static_cast<std::int64_t>(next), 2 * Family::largest_residue);
  for (int l = 0; l < Family::count; ++l) {
    const auto has_common_factor = [&](std::uint32_t x) {
      for (int i = 0; i < l; ++i)
        if (std::gcd(x, Family::modulus(i)) != 1) return true;
      return false;
    };
    while (has_common_factor(next)) --next;
    EXPECT_EQ(Family::modulus(l), next);
    --next;
  }
}

TYPED_TEST(Moduli, HoldWhatTheySay) {
  using Family = TypeParam;
  EXPECT_EQ(acc::impl::moduli_for<Family>(0), 1);
  mpz_class product = 1;
  for (int L = 1; L <= Family::count; ++L) {
    product *= Family::modulus(L - 1);
    // The errors of all fractions, in units of 2^-32: residues are below 2 p.
    mpz_class error = 0;
    for (int l = 0; l < L; ++l) error += 2 * Family::modulus(l) - 1;
    const mpz_class largest = power(capacity<Family>(L));
    EXPECT_LE(whole(2 * largest * power(32) + 2 * error * product), whole(product * power(32)))
        << L;
    // It is the largest power of two below P/2: no modulus is wasted.
    EXPECT_GT(whole(4 * largest), whole(product * 65535 / 65536)) << L;
    EXPECT_EQ(acc::impl::moduli_for<Family>(capacity<Family>(L)), L);
    EXPECT_EQ(acc::impl::moduli_for<Family>(capacity<Family>(L) + 1),
              L < Family::count ? L + 1 : 0);
    // In eighths of a bit: N^8 of the largest N >= 2^q, and q + 1 is too much.
    const int eighths = acc::impl::capacity_in_eighths<Family>(L);
    mpz_class bound = product - product / (power(acc::impl::crt_margin<Family> - 1)) - 1, power_8;
    mpz_pow_ui(power_8.get_mpz_t(), bound.get_mpz_t(), 8);
    EXPECT_LE(whole(power(eighths + 8)), whole(power_8)) << L;
    EXPECT_GT(whole(power(eighths + 9)), whole(power_8)) << L;
    const int nonnegative = acc::impl::nonnegative_capacity_in_eighths<Family>(L);
    EXPECT_LE(nonnegative, eighths + 8);
    const int bits_of_words = 32 * acc::impl::words_of_moduli<Family>(L) - 1;
    EXPECT_LT(nonnegative, 8 * bits_of_words);
    EXPECT_TRUE(nonnegative == eighths + 8 || nonnegative == 8 * bits_of_words - 1);
    EXPECT_LE(whole(2 * power(32) * bound + 4 * error * product), whole(2 * product * power(32)));
    const int words = acc::impl::words_of_moduli<Family>(L);
    EXPECT_GE(pow2(32 * words), whole(product));
    EXPECT_LE(pow2(32 * (words - 1)), whole(product));
  }
}

TEST(Moduli, HoldSumsOfTheseProducts) {
  using acc::impl::depth_bits;
  EXPECT_EQ(depth_bits(1), 0);
  EXPECT_EQ(depth_bits(2), 1);
  EXPECT_EQ(depth_bits(3), 2);
  EXPECT_EQ(depth_bits(4096), 12);
  EXPECT_EQ(depth_bits(4097), 13);
  // What uniform random numbers need.
  EXPECT_EQ(acc::impl::moduli_for<byte_moduli>(24 + 24 + depth_bits(8192)), 8);
  EXPECT_EQ(acc::impl::moduli_for<byte_moduli>(53 + 53 + depth_bits(8192)), 16);
  EXPECT_EQ(acc::impl::moduli_for<word_moduli>(53 + 53 + depth_bits(2048)), 10);
  EXPECT_EQ(acc::impl::max_residue_products<byte_moduli>, (1 << 17) - 1);
  EXPECT_EQ(acc::impl::max_residue_products<word_moduli>, 511);
}

/// Every sum of 32 bits that an integer product can leave, at its ends and anywhere.
TYPED_TEST(Moduli, DivideSums) {
  using Family = TypeParam;
  Random random(1);
  const std::int64_t end =
      acc::impl::max_residue_products<Family> * Family::largest_residue * Family::largest_residue;
  for (int l = 0; l < Family::count; ++l) {
    const modulus_constants m(Family::modulus(l));
    const auto check = [&](std::int64_t x) {
      const auto sum = static_cast<std::int32_t>(x);
      const std::uint32_t want = static_cast<std::uint32_t>((x % m.p + m.p) % m.p);
      const std::uint32_t lazy = acc::impl::lazy_residue(sum, m);
      ASSERT_LT(lazy, 2 * m.p) << x;
      ASSERT_EQ(lazy % m.p, want) << x << " modulo " << m.p;
      ASSERT_EQ(acc::impl::residue_of_sum(sum, m), want) << x << " modulo " << m.p;
    };
    for (std::int64_t i = 0; i < 3 * m.p; ++i)
      for (const std::int64_t x : {i, -i, end - i, -end + i}) ASSERT_NO_FATAL_FAILURE(check(x));
    for (int i = 0; i < 100000; ++i)
      ASSERT_NO_FATAL_FAILURE(check(static_cast<std::int64_t>(random.bits() % (2 * end)) - end));
  }
}

// ---- numbers ----

template <class T>
class Residues : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Residues, Reals);

/// A number that is an integer of at most `width` bits in units of 2^unit; often a hard one.
template <class T>
T random_number(Random& random, int unit, int width) {
  using format = acc::impl::ieee<T>;
  const int digits = std::min(format::digits, width);
  std::uint64_t m = random.bits() >> (64 - digits);
  const std::uint64_t kind = random.below(8);
  if (kind == 0) m = ~std::uint64_t(0) >> (64 - digits);
  if (kind == 1) m = std::uint64_t(1) << random.below(static_cast<std::uint64_t>(digits));
  if (kind == 2) m &= m - 1;
  if (kind == 3) m = 0;
  const int up = random.integer(0, width - digits);
  const T x = std::ldexp(static_cast<T>(m), unit + up);
  return random.below(2) == 0 ? x : -x;
}

TYPED_TEST(Residues, RangesHoldTheirNumbersTightly) {
  using T = TypeParam;
  using format = acc::impl::ieee<T>;
  Random random(2);
  for (int round = 0; round < 200000; ++round) {
    T x = random.any_finite<T>();
    if (round % 3 == 0) x = random_number<T>(random, random.integer(format::lowest, 0), 20);
    const number_range r = number_range::of(x);
    ASSERT_TRUE(r.finite());
    ASSERT_EQ(r.zero(), x == T(0));
    if (x == T(0)) continue;
    ASSERT_LT(abs(Exact(x)), pow2(r.top));
    ASSERT_GE(abs(Exact(x)), pow2(r.top - 1));
    const Exact units = Exact(x) * pow2(-r.low);
    const mpz_class odd = units.mantissa()
                          << static_cast<unsigned long>(std::max(0L, units.exponent()));
    const mpz_class integral = odd >> static_cast<unsigned long>(std::max(0L, -units.exponent()));
    ASSERT_EQ(Exact(integral, 0), units);
    ASSERT_TRUE(mpz_odd_p(integral.get_mpz_t()));
  }
  for (const T x : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                    std::numeric_limits<T>::quiet_NaN()})
    EXPECT_FALSE(number_range::of(x).finite());
  EXPECT_TRUE(number_range::of(std::numeric_limits<T>::max()).finite());
}

TEST(Residues, RangesMergeInAnyOrder) {
  number_range r;
  EXPECT_TRUE(r.zero());
  EXPECT_EQ(acc::impl::scale_of(r).width, 0);
  r.merge(number_range::of(-0.0));
  EXPECT_TRUE(r.zero());
  r.merge(number_range::of(6.0));
  EXPECT_EQ(acc::impl::scale_of(r).unit, 1);
  EXPECT_EQ(acc::impl::scale_of(r).width, 2);
  r.merge(number_range::of(-0.375));
  EXPECT_EQ(acc::impl::scale_of(r).unit, -3);
  EXPECT_EQ(acc::impl::scale_of(r).width, 6);
  EXPECT_EQ(acc::impl::cut_scale_of(r, 4).unit, -1);
  r.merge(number_range::of(INFINITY));
  r.merge(number_range::of(1.0));
  EXPECT_FALSE(r.finite());
  EXPECT_GT(acc::impl::scale_of(r).width, 1000);
  EXPECT_GT(acc::impl::cut_scale_of(r, 8).width, 1000);
}

const modulus_constants& constants_of(int l) {
  static const auto table = [] {
    std::vector<modulus_constants> all;
    for (int i = 0; i < byte_moduli::count; ++i) all.emplace_back(byte_moduli::modulus(i));
    return all;
  }();
  return table[static_cast<std::size_t>(l)];
}

template <int Words>
int signed_residue(const std::uint32_t (&u)[Words], const modulus_constants& m) {
  const acc::impl::byte_divisor<Words> divisor(m);
  return static_cast<std::int8_t>(acc::impl::byte_residue(u, divisor) & 255U);
}

/// A number in units, as words, and its residue by every modulus.
template <int Words, class T>
void expect_residues(T x, int unit, const mpz_class& want) {
  std::uint32_t u[Words];
  acc::impl::biased_integer(x, unit, u);
  mpz_class got = 0;
  for (int j = Words; j-- > 0;) got = (got << 32U) + integer(u[j]);
  ASSERT_EQ(whole(got - power(32 * Words - 1)), whole(want)) << x << " in units of 2^" << unit;
  for (int l = 0; l < byte_moduli::count; ++l) {
    const modulus_constants& m = constants_of(l);
    const int r = signed_residue(u, m);
    ASSERT_EQ(modulo(r, m.p), modulo(want, m.p)) << x << " in units of 2^" << unit << ", " << m.p;
  }
}

/// Every sum of bytes' products that there may be, by every modulus, with the least and the largest
/// offset. The weights are 0, 255 and 1.
TEST(ByteResidues, OfEverySumAreRight) {
  constexpr int words = modulus_constants::max_words;
  constexpr std::uint32_t bytes_of_255 = 4 * (words - 1);
  for (int l = 0; l < byte_moduli::count; ++l) {
    const modulus_constants& m = constants_of(l);
    acc::impl::byte_divisor<words> d(m);
    for (int t = 0; t < words - 1; ++t) d.weights[t] = 0xffffffffU;
    d.weights[words - 1] = 0xff01U;
    const int p = static_cast<int>(m.p);
    for (const std::uint32_t offset : {0U, m.p - 1}) {
      d.offset = 0x4b000000U + offset;
      for (std::uint32_t high = 0; high <= 255 * (bytes_of_255 + 1); ++high) {
        std::uint32_t u[words] = {}, left = high;
        for (std::uint32_t n = 0; n < bytes_of_255; ++n) {
          const std::uint32_t byte = std::min(left, 255U);
          u[n / 4] |= byte << 8 * (n % 4);
          left -= byte;
        }
        for (std::uint32_t low = 0; low < 255; ++low) {
          u[words - 1] = left << 8 | low;
          const int r = static_cast<std::int8_t>(acc::impl::byte_residue(u, d) & 255U);
          const int want = static_cast<int>(((1U << 23) + offset + 255 * high + low) % m.p);
          ASSERT_TRUE(r == want || r == want - p)
              << "modulo " << p << ", " << high << " x 255 + " << low << ", offset " << offset;
        }
      }
    }
  }
}

TYPED_TEST(Residues, OfHardNumbersAreRight) {
  using T = TypeParam;
  using format = acc::impl::ieee<T>;
  Random random(3);
  each<modulus_constants::max_words>([&](auto t) {
    constexpr int words = t + 1;
    for (int round = 0; round < 4000; ++round) {
      const int width = random.integer(1, 32 * words - 2);
      ASSERT_LE(acc::impl::words_for(width), words);
      const int highest = format::highest - std::max(width, format::digits);
      const int unit =
          random.below(3) == 0 ? format::lowest : random.integer(format::lowest, highest);
      const T x = random_number<T>(random, unit, width);
      const Exact units = Exact(x) * pow2(-unit);
      mpz_class want = units.mantissa();
      if (units.exponent() >= 0) want <<= static_cast<unsigned long>(units.exponent());
      if (units.exponent() < 0) want >>= static_cast<unsigned long>(-units.exponent());
      ASSERT_EQ(Exact(want, 0), units);
      ASSERT_NO_FATAL_FAILURE((expect_residues<words>(x, unit, want)));
    }
    EXPECT_EQ(acc::impl::words_for(32 * words - 2), words);
    EXPECT_EQ(acc::impl::words_for(32 * words - 1), words + 1);
    // 2^width itself is possible.
    const T end = std::ldexp(T(1), 32 * words - 2);
    if (std::isfinite(end)) {
      expect_residues<words>(end, 0, power(32 * words - 2));
      expect_residues<words>(-end, 0, -power(32 * words - 2));
    }
  });
}

/// Numbers between multiples of the unit: to the nearest one, ties to the even one.
TYPED_TEST(Residues, OfCutNumbersAreOfTheNearestMultiple) {
  using T = TypeParam;
  using format = acc::impl::ieee<T>;
  Random random(4);
  for (int round = 0; round < 40000; ++round) {
    const int bits = random.integer(8, 64);
    const int top = random.integer(format::lowest + bits, format::highest);
    number_range r;
    r.merge(number_range::of(std::ldexp(T(1), top - 1)));
    // One number alone is exact, in its own unit.
    ASSERT_EQ(acc::impl::cut_scale_of(r, bits).unit, top - 1);
    ASSERT_EQ(acc::impl::cut_scale_of(r, bits).width, 1);
    r.merge(number_range::of(std::numeric_limits<T>::denorm_min()));
    const auto scale = acc::impl::cut_scale_of(r, bits);
    ASSERT_EQ(scale.unit, top - bits);
    ASSERT_EQ(scale.width, bits);
    T x = random_number<T>(random, std::max(format::lowest, top - random.integer(1, 130)), 1);
    if (round % 2 == 0) x = std::ldexp(T(1) + random.unit<T>(), top - random.integer(1, bits + 3));
    if (round % 5 == 0)  // a tie
      x = std::ldexp(static_cast<T>(2 * random.below(1 << std::min(bits - 1, 20)) + 1),
                     scale.unit - 1);
    if (!(std::abs(x) < std::ldexp(T(1), top - 1) * 2)) continue;
    const Exact units = Exact(x) * pow2(-scale.unit);
    // floor(units + 1/2), less one where that was a tie to an odd number.
    const Exact twice = units * Exact(2.0) + Exact(1.0);
    mpz_class floor;
    if (twice.exponent() >= 0) {
      floor = (twice.mantissa() << static_cast<unsigned long>(twice.exponent())) >> 1U;
    } else {
      mpz_fdiv_q_2exp(floor.get_mpz_t(), twice.mantissa().get_mpz_t(),
                      static_cast<mp_bitcnt_t>(1 - twice.exponent()));
    }
    if (Exact(floor, 0) * Exact(2.0) == twice && mpz_odd_p(floor.get_mpz_t())) --floor;
    ASSERT_LE(whole(abs(floor)), pow2(bits));
    ASSERT_NO_FATAL_FAILURE((expect_residues<3>(x, scale.unit, floor)));
    // The same as a number: half of it where 2^top is none.
    const int halved = acc::impl::is_halved<T>(scale) ? 1 : 0;
    ASSERT_EQ(halved, top == format::highest ? 1 : 0);
    ASSERT_TRUE(Exact(acc::impl::cut_number(x, scale)) * pow2(halved - scale.unit) ==
                Exact(floor, 0));
    // The bound of one number.
    ASSERT_LE(abs(Exact(floor, 0) - units), pow2(-bits) * pow2(top - 1 - scale.unit));
  }
}

// ---- integers put together again ----

/// Every residue in its least form, and as the lazy one; values beyond L must not count.
template <int L, class Family>
void expect_combined(Random& random, const mpz_class& x, bool nonnegative = false) {
  constexpr int groups = acc::impl::groups_of<Family>(L);
  constexpr int words = acc::impl::words_of_moduli<Family>(L);
  static constexpr crt_constants<Family> c(L);
  std::uint64_t r[groups * Family::group], got[words];
  for (auto& y : r) y = random.bits() >> 32;
  for (const bool lazy : {false, true}) {
    for (int l = 0; l < L; ++l) {
      r[l] = modulo(x, Family::modulus(l));
      if (lazy && random.below(4) != 0) r[l] += Family::modulus(l);
    }
    acc::impl::combine<groups, words>(c, r, got, nonnegative);
    ASSERT_EQ(whole(signed_integer<words>(got)), whole(x)) << L << " moduli";
  }
}

TYPED_TEST(Moduli, GiveIntegersBack) {
  using Family = TypeParam;
  Random random(5);
  each<Family::count>([&](auto l) {
    constexpr int L = l + 1, bits = capacity<Family>(L);
    for (const mpz_class& end :
         {power(bits), mpz_class(power(bits) - 1), mpz_class(0), mpz_class(1)}) {
      ASSERT_NO_FATAL_FAILURE((expect_combined<L, Family>(random, end)));
      ASSERT_NO_FATAL_FAILURE((expect_combined<L, Family>(random, -end)));
    }
    for (int round = 0; round < 2000; ++round) {
      const mpz_class x = random_integer(random, random.integer(0, bits));
      ASSERT_NO_FATAL_FAILURE((expect_combined<L, Family>(random, x)));
      ASSERT_NO_FATAL_FAILURE((expect_combined<L, Family>(random, -x)));
    }
    // Next to multiples of the groups' products, where their quotients are hardest.
    for (int g = 0; g < acc::impl::groups_of<Family>(L); ++g) {
      const mpz_class q = crt_constants<Family>(L).group_product[g];
      for (int round = 0; round < 300; ++round) {
        const mpz_class multiple = random_integer(random, random.integer(0, bits)) / q * q;
        for (const int d : {-1, 0, 1}) {
          const mpz_class x = multiple + d;
          if (abs(x) > power(bits)) continue;
          ASSERT_NO_FATAL_FAILURE((expect_combined<L, Family>(random, x)));
        }
      }
    }
  });
}

/// Integers known not to be negative: up to twice as large.
TYPED_TEST(Moduli, GiveNonnegativeIntegersBack) {
  using Family = TypeParam;
  Random random(15);
  each<Family::count>([&](auto l) {
    constexpr int L = l + 1;
    constexpr int eighths = acc::impl::nonnegative_capacity_in_eighths<Family>(L);
    mpz_class largest;  // 2^(eighths / 8), rounded down
    const mpz_class power_8 = power(eighths);
    mpz_root(largest.get_mpz_t(), power_8.get_mpz_t(), 8);
    for (const int d : {0, 1, 2, 3}) {
      if (largest < d) continue;
      ASSERT_NO_FATAL_FAILURE((expect_combined<L, Family>(random, mpz_class(d), true)));
      ASSERT_NO_FATAL_FAILURE((expect_combined<L, Family>(random, largest - d, true)));
    }
    for (int round = 0; round < 2000; ++round) {
      const mpz_class x = random_integer(random, random.integer(0, eighths / 8));
      ASSERT_NO_FATAL_FAILURE((expect_combined<L, Family>(random, x, true)));
      ASSERT_NO_FATAL_FAILURE((expect_combined<L, Family>(random, largest - x, true)));
    }
    // Next to multiples of the groups' products, where their quotients are hardest.
    for (int g = 0; g < acc::impl::groups_of<Family>(L); ++g) {
      const mpz_class q = crt_constants<Family>(L).group_product[g];
      for (int round = 0; round < 300; ++round)
        for (const int d : {-1, 0, 1}) {
          const mpz_class x = random_integer(random, random.integer(0, eighths / 8)) / q * q + d;
          if (x < 0 || x > largest) continue;
          ASSERT_NO_FATAL_FAILURE((expect_combined<L, Family>(random, x, true)));
        }
    }
  });
}

/// The same with more groups and words than the moduli need, as a kernel for several L has them.
TEST(Moduli, GiveIntegersBackInWiderKernels) {
  Random random(6);
  for (int L = 1; L <= 24; ++L) {
    const crt_constants<byte_moduli> c(L);
    for (int round = 0; round < 2000; ++round) {
      mpz_class x = random_integer(random, capacity<byte_moduli>(L));
      if (round % 2 == 0) x = -x;
      std::uint64_t r[24], got[6];
      for (auto& y : r) y = random.bits() >> 32;
      for (int l = 0; l < L; ++l) r[l] = modulo(x, byte_moduli::modulus(l));
      acc::impl::combine<8, 6>(c, r, got);
      ASSERT_EQ(whole(signed_integer<6>(got)), whole(x)) << L;
    }
  }
}

// ---- norms ----

TEST(Norms, EighthsAreAbove) {
  Random random(8);
  for (int round = 0; round < 20000; ++round) {
    double x = std::ldexp(1 + random.unit<double>(), random.integer(-900, 900));
    if (round % 3 == 0)  // next to 2^(i / 8)
      x = std::nextafter(std::exp2(random.integer(-100, 100) / 8.0), round % 2 == 0 ? 0.0 : 1e300);
    const int q = acc::impl::eighths_above(x);
    Exact power_8 = x;
    for (int i = 0; i < 3; ++i) power_8 *= power_8;
    ASSERT_LE(power_8, pow2(q)) << x;
    // No more than one too large.
    ASSERT_GT(power_8, pow2(q - 2)) << x;
  }
}

template <class T>
class Norms : public testing::Test {};
TYPED_TEST_SUITE(Norms, Reals);

/// 2^(q / 4) is at least the exact sum of squares, of rows near the ends of the range, too, of one
/// number many times, and of numbers that vanish beside others; q is close where the row has no
/// extreme numbers.
TYPED_TEST(Norms, BoundSumsOfSquares) {
  using T = TypeParam;
  using format = acc::impl::ieee<T>;
  Random random(9);
  for (int round = 0; round < 3000; ++round) {
    const int k = random.integer(1, 200), kind = random.integer(0, 4);
    const int scale = kind < 2    ? random.integer(-20, 20)
                      : kind == 2 ? random.integer(format::lowest + 1, -30)
                                  : random.integer(-30, format::highest - 25);
    std::vector<T> row(static_cast<std::size_t>(k));
    number_range range;
    acc::impl::square_sum<T> squares;
    int together = 0;
    for (T& x : row) {
      x = kind == 4 ? T(1) : random.symmetric<T>();
      if (kind == 1) x = std::ldexp(x, -random.integer(0, 20));
      x = std::ldexp(x, scale);
      range.merge(number_range::of(x));
      squares.add(x);
      if (++together % random.integer(1, acc::impl::square_sum<T>::most_together) == 0)
        squares.end_batch();
    }
    squares.end_batch();
    const acc::impl::row_length length(k);
    for (const int bits : {0, 8, 24}) {
      const auto s = bits == 0 ? acc::impl::scale_of(range) : acc::impl::cut_scale_of(range, bits);
      const int q = bits == 0
                        ? acc::impl::norm_in_eighths<T, false>(squares.sum(), range, s, length)
                        : acc::impl::norm_in_eighths<T, true>(squares.sum(), range, s, length);
      Exact exact(0.0);
      for (const T x : row) {
        const T y = bits == 0 ? x : acc::impl::cut_number(x, s);
        exact += Exact(double(y)) * Exact(double(y));
      }
      // In units, to the fourth power.
      exact *= pow2(-2 * s.unit);
      exact *= exact;
      exact *= exact;
      ASSERT_LE(exact, pow2(std::max(q, 0))) << "kind " << kind << ", 2^" << scale;
      if (kind < 2 && bits == 0 && !range.zero()) {
        ASSERT_GT(exact, pow2(q - 4)) << kind;
      }
    }
  }
}

/// Squares that a batch of floats loses, one after the other, beside one next below a bound's step.
TEST(Norms, LostSquaresCount) {
  for (int step = 0; step < 16; ++step) {
    const double bound = std::exp2(step / 8.0);
    auto x = static_cast<float>(std::sqrt(bound));
    while (double(float(double(x) * double(x))) >= bound * (1 - 0x1p-30))
      x = std::nextafter(x, 0.0f);
    // Below half of the last bit of x x.
    const float y = std::nextafter(bound < 2 ? 0x1p-12f : 0x1.6p-12f, 0.0f);
    acc::impl::square_sum<float> squares;
    number_range range;
    Exact exact(0.0);
    for (int j = 0; j < acc::impl::square_sum<float>::most_together; ++j) {
      const float z = j == 0 ? x : y;
      squares.add(z);
      range.merge(number_range::of(z));
      exact += Exact(double(z)) * Exact(double(z));
    }
    squares.end_batch();
    const auto s = acc::impl::scale_of(range);
    const int q = acc::impl::norm_in_eighths<float, false>(
        squares.sum(), range, s,
        acc::impl::row_length(acc::impl::square_sum<float>::most_together));
    exact *= pow2(-2 * s.unit);
    exact *= exact;
    exact *= exact;
    ASSERT_LE(exact, pow2(q)) << step;
  }
}

// ---- rounding ----

TYPED_TEST(Residues, IntegersAreRoundedOnce) {
  using T = TypeParam;
  using format = acc::impl::ieee<T>;
  Random random(7);
  each<6>([&](auto w) {
    constexpr int words = w + 1;
    for (int round = 0; round < 60000; ++round) {
      const int bits = random.integer(1, 32 * words - 1);
      mpz_class x = random_integer(random, bits);
      if (round % 3 == 0 && bits > format::digits + 2) {  // a tie, or next to one
        const int dropped = bits - format::digits;
        x = (power(bits - 1) +
             integer(random.bits() >> (64 - format::digits + 1)) * power(dropped) +
             power(dropped - 1)) &
            (power(32 * words - 1) - 1);
        x += random.integer(-1, 1);
      }
      if (random.below(2) == 0) x = -x;
      int unit = random.integer(-300, 300);
      if (round % 2 == 0) unit = format::lowest - random.integer(-60, 32 * words + 2);
      if (round % 7 == 0) unit = format::highest - random.integer(0, 32 * words + 2);
      std::uint32_t u[words];
      const mpz_class biased = x < 0 ? mpz_class(x + power(32 * words)) : x;
      for (int j = 0; j < words; ++j)
        u[j] = static_cast<std::uint32_t>(
            mpz_class((biased >> static_cast<unsigned long>(32 * j)) & 0xffffffffUL).get_ui());
      T want = round_to<T>(Exact(x, unit));
      if (want == T(0)) want = sgn(x) < 0 ? T(-0.0) : T(0);
      ASSERT_EQ(bits_of((acc::impl::rounded_words<T, words>(u, unit))), bits_of(want))
          << x.get_str() << " * 2^" << unit;
      auto sum = acc::impl::carried_integer<words>(u);
      if (sgn(x) == 0) {
        ASSERT_TRUE(sum.is_zero());
      } else {
        ASSERT_EQ(bits_of(sum.template value<T>(unit, acc::rounding::nearest)), bits_of(want));
      }
    }
  });
}

// ---- sums of products ----

/// A dot product as a backend computes it: ranges, L of them, residues, sums of 32 bits in parts,
/// the integer, one rounding.
template <int L, class T>
T dot_by(const std::vector<T>& a, const std::vector<T>& b, const acc::impl::row_scale& sa,
         const acc::impl::row_scale& sb, std::size_t part) {
  constexpr int groups = acc::impl::groups_of<byte_moduli>(L);
  constexpr int words = acc::impl::words_of_moduli<byte_moduli>(L);
  std::uint32_t residue[groups * byte_moduli::group] = {};
  for (int l = 0; l < L; ++l) {
    const modulus_constants& m = constants_of(l);
    for (std::size_t first = 0; first < a.size(); first += part) {
      std::int32_t sum = static_cast<std::int32_t>(residue[l]);
      for (std::size_t k = first; k < std::min(a.size(), first + part); ++k) {
        std::uint32_t x[5], y[5];
        acc::impl::biased_integer(a[k], sa.unit, x);
        acc::impl::biased_integer(b[k], sb.unit, y);
        sum += signed_residue(x, m) * signed_residue(y, m);
      }
      residue[l] = acc::impl::residue_of_sum(sum, m);
    }
  }
  std::uint64_t r[groups * byte_moduli::group] = {}, x[words];
  for (int l = 0; l < L; ++l) r[l] = residue[l];
  acc::impl::combine<groups, words>(crt_constants<byte_moduli>(L), r, x);
  return acc::impl::rounded_words<T, words>(x, sa.unit + sb.unit);
}
template <class T>
T dot_by(int L, const std::vector<T>& a, const std::vector<T>& b, const acc::impl::row_scale& sa,
         const acc::impl::row_scale& sb, std::size_t part) {
  T r = T(0);
  each<byte_moduli::count>([&](auto l) {
    if (l + 1 == L) r = dot_by<l + 1>(a, b, sa, sb, part);
  });
  return r;
}
template <class T>
acc::impl::row_scale exact_scale(const std::vector<T>& a) {
  number_range r;
  for (const T x : a) r.merge(number_range::of(x));
  return acc::impl::scale_of(r);
}

TYPED_TEST(Residues, SumsOfProductsAreRoundedOnce) {
  using T = TypeParam;
  using format = acc::impl::ieee<T>;
  Random random(8);
  int used[byte_moduli::count + 1] = {};
  for (int round = 0; round < 5000; ++round) {
    const std::size_t k = static_cast<std::size_t>(random.integer(1, 40));
    const int width_a = random.integer(1, 90), width_b = random.integer(1, 90);
    const int unit_a =
        random.integer(format::lowest, format::highest - std::max(90, format::digits));
    int unit_b = random.integer(format::lowest, format::highest - std::max(90, format::digits));
    if (round % 2 == 0) unit_b = std::clamp(-unit_a, format::lowest, format::highest - 90);
    std::vector<T> a(k), b(k);
    for (T& x : a) x = random_number<T>(random, unit_a, width_a);
    for (T& x : b) x = random_number<T>(random, unit_b, width_b);
    if (round % 4 == 0) {  // all ones, of one sign: the largest sums
      std::fill(a.begin(), a.end(), std::ldexp(static_cast<T>((1 << 20) - 1), unit_a));
      std::fill(b.begin(), b.end(), std::ldexp(static_cast<T>((1 << 20) - 1), unit_b));
    }
    if (round % 4 == 1)  // cancels to nothing, or to its last product
      for (std::size_t i = 0; i + 1 < k; i += 2) {
        a[i + 1] = -a[i];
        b[i + 1] = b[i];
      }
    const auto sa = exact_scale(a), sb = exact_scale(b);
    const int bits = sa.width + sb.width + acc::impl::depth_bits(static_cast<std::int64_t>(k));
    const int L = acc::impl::moduli_for<byte_moduli>(bits);
    if (L == 0) continue;
    ++used[L];
    Exact exact;
    for (std::size_t i = 0; i < k; ++i) exact += Exact(a[i]) * Exact(b[i]);
    T want = round_to<T>(exact);
    if (want == T(0)) want = exact.sign() < 0 ? T(-0.0) : T(0);
    for (const int moduli : {L, byte_moduli::count})
      for (const std::size_t part : {k, std::size_t(7)})
        ASSERT_EQ(bits_of(dot_by(moduli, a, b, sa, sb, part)), bits_of(want))
            << moduli << " moduli, k = " << k << ", widths " << sa.width << ", " << sb.width;
  }
  for (int L = 2; L <= byte_moduli::count; ++L) EXPECT_GT(used[L], 0) << L;
}

/// As many products as a sum of 32 bits holds, all of them the largest: one more would overflow.
TEST(Residues, LongSumsFillTheirWords) {
  const std::size_t k = acc::impl::max_residue_products<byte_moduli>;
  const std::vector<double> a(k, -128), b(k, -128), c(k, 127);
  const acc::impl::row_scale s{0, 8};
  EXPECT_EQ(dot_by<5>(a, b, s, s, k), 16384.0 * static_cast<double>(k));
  EXPECT_EQ(dot_by<5>(a, c, s, s, k), -16256.0 * static_cast<double>(k));
  const std::vector<double> longer(3 * k, -128);
  EXPECT_EQ(dot_by<5>(longer, longer, s, s, k - 1), 16384.0 * 3 * static_cast<double>(k));
}

/// Cut numbers: the bound that cut_scale_of states.
TYPED_TEST(Residues, CutSumsKeepTheirBound) {
  using T = TypeParam;
  Random random(9);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t k = static_cast<std::size_t>(random.integer(1, 40));
    const int bits = random.integer(8, 64);
    std::vector<T> a(k), b(k);
    for (T& x : a) x = std::ldexp(random.symmetric<T>(), random.integer(-20, 20));
    for (T& x : b) x = std::ldexp(random.symmetric<T>(), random.integer(-20, 20));
    const auto cut = [&](const std::vector<T>& v) {
      number_range r;
      for (const T x : v) r.merge(number_range::of(x));
      return acc::impl::cut_scale_of(r, bits);
    };
    const auto sa = cut(a), sb = cut(b);
    const int L = acc::impl::moduli_for<byte_moduli>(2 * bits + 6);
    ASSERT_GT(L, 0);
    Exact exact, largest_a, largest_b;
    for (std::size_t i = 0; i < k; ++i) {
      exact += Exact(a[i]) * Exact(b[i]);
      if (abs(Exact(a[i])) > largest_a) largest_a = abs(Exact(a[i]));
      if (abs(Exact(b[i])) > largest_b) largest_b = abs(Exact(b[i]));
    }
    const T got = dot_by(L, a, b, sa, sb, k);
    const Exact scale = Exact(static_cast<double>(k)) * largest_a * largest_b;
    const Exact bound = (pow2(1 - bits) + pow2(-2 * bits)) * scale;
    const Exact rounding = abs(exact) * pow2(1 - std::numeric_limits<T>::digits);
    ASSERT_LE(abs(Exact(got) - exact), bound + rounding) << bits << " bits, k = " << k;
  }
}

}  // namespace
}  // namespace acc_test
