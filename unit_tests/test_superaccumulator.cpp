// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// superaccumulator against the oracle: exact for every input. ACC_TEST_FUZZ_CASES sets the number
// of random cases a type.
#include "order_free.hpp"

#include <acc/core/superaccumulator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <type_traits>

namespace acc_test {
namespace {

template <class T>
class Superaccumulator : public testing::Test {
 public:
  using Sum = acc::superaccumulator<T>;
  using Wire = std::array<std::int64_t, Sum::wire_words>;
  static Wire wire(const Sum& sum) {
    Wire words;
    sum.to_wire(words.data());
    return words;
  }
  static Sum read(const Wire& words) { return Sum::from_wire(words.data(), Sum::wire_words); }
  static std::vector<Term<T>> terms(const std::vector<T>& x) {
    std::vector<Term<T>> r;
    for (const T v : x) r.push_back({v});
    return r;
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Superaccumulator, Types);

TYPED_TEST(Superaccumulator, FuzzAgainstTheOracle) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  Random random(20);
  std::int64_t ties = 0, overflows = 0;
  Sum previous;
  Exact exact_previous;
  for (std::int64_t k = 0; k < fuzz_cases(600'000); ++k) {
    const auto terms = random_terms<T>(random);
    const Special<T> special(terms);
    Exact exact;
    if (special.finite())
      for (const auto& t : terms) exact += t.exact();
    const Sum sum = sum_of<Sum>(terms);
    for (const auto& [mode, direction] : all_roundings)
      ASSERT_EQ(bits_of(sum.value(mode)), bits_of(rounded(exact, special, direction)))
          << "rounding " << int(mode) << " of" << text(terms) << " = " << to_string(exact);
    overflows += special.finite() && std::isinf(sum.value());
    const T down = sum.value(acc::rounding::downward), up = sum.value(acc::rounding::upward);
    if (std::isfinite(down) && std::isfinite(up) && down != up)
      ties += exact - Exact(down) == Exact(up) - exact;
    if (special.finite()) {
      const auto terms_of_sum = sum.expansion();
      ASSERT_EQ(fault_of_expansion(terms_of_sum, exact), "") << text(terms);
      if (std::isfinite(sum.value()) && std::abs(sum.value()) >= std::numeric_limits<T>::min()) {
        ASSERT_EQ(bits_of(terms_of_sum.term[0]), bits_of(sum.value()));
      }
    } else {
      ASSERT_EQ(sum.expansion().count, 1);
      ASSERT_EQ(bits_of(sum.expansion().term[0]), bits_of(sum.value()));
    }
    // The laws of a commutative monoid, negation, and the wire form.
    const Sum merged = merged_at_random<Sum>(terms, random.integer(1, 4), random);
    ASSERT_TRUE(identical(merged, sum)) << text(terms);
    auto negated_terms = terms;
    for (auto& t : negated_terms) t.x = -t.x;
    ASSERT_TRUE(identical(-merged, sum_of<Sum>(negated_terms))) << text(terms);
    if (k % 8 == 0) {
      ASSERT_TRUE(identical(this->read(this->wire(merged)), sum)) << text(terms);
    }
    // The exact order.
    if (special.finite()) {
      const auto order = exact <=> exact_previous;
      ASSERT_EQ(compare(sum, previous), order < 0 ? -1 : order > 0);
      ASSERT_EQ(compare(previous, sum), order < 0 ? 1 : -(order > 0));
      if (k % 3 == 0) {
        previous = sum;
        exact_previous = exact;
      }
    }
  }
  // The generator reaches what it is made for.
  if (fuzz_cases(600'000) >= 100'000) {
    EXPECT_GT(ties, 1000);
    EXPECT_GT(overflows, 1000);
  }
}

TYPED_TEST(Superaccumulator, LongVectorsOfEveryFamily) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  for (const Data data : all_data) {
    const auto x = make<T>(data, 20000, 3), y = make<T>(Data::wide, 20000, 4);
    Sum sum, dot, strided;
    sum.add(x.data(), std::int64_t(x.size()));
    EXPECT_EQ(sum.value(), round_to<T>(exact_sum<T>(x))) << name(data);
    EXPECT_EQ(fault_of_expansion(sum.expansion(), exact_sum<T>(x)), "") << name(data);
    dot.add_products(x.data(), y.data(), std::int64_t(x.size()));
    EXPECT_EQ(dot.value(), round_to<T>(exact_dot<T>(x, y))) << name(data);
    strided.add(x.data(), 10000, 2);
    strided.add(x.data() + 19999, 10000, -2);
    EXPECT_TRUE(identical(sum, strided)) << name(data);
  }
}

TYPED_TEST(Superaccumulator, TheEmptySumAndInfinitiesAreOrdered) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  const T infinity = std::numeric_limits<T>::infinity();
  EXPECT_EQ(bits_of(Sum().value()), bits_of(T(0)));
  EXPECT_EQ(bits_of((-Sum()).value()), bits_of(T(0)));
  EXPECT_EQ(bits_of(Sum(T(-0.0)).value()), bits_of(T(-0.0)));
  EXPECT_EQ(bits_of((-Sum(T(0))).value()), bits_of(T(-0.0)));
  EXPECT_TRUE(Sum(T(-0.0)) == Sum(T(0)) && !identical(Sum(T(-0.0)), Sum(T(0))));
  const Sum nan(infinity * 0), plus(infinity), minus(-infinity), one(1);
  EXPECT_TRUE(minus < one && one < plus && minus <= plus && plus > one && plus >= plus);
  EXPECT_TRUE(plus == plus && plus != minus && !(plus < plus));
  EXPECT_TRUE(nan != nan && !(nan < one) && !(nan >= one) && !(one <= nan) && identical(nan, nan));
  EXPECT_EQ(bits_of((plus - plus).value()), bits_of(std::numeric_limits<T>::quiet_NaN()));
  Sum x(3);
  x += T(4);
  x -= T(2);
  x += x;
  EXPECT_EQ((x - Sum(1)).value(), 9);
}

/// 2^80 times the largest product, by doubling: over the largest number by far, and back.
TYPED_TEST(Superaccumulator, HoldsFarMoreThanTheLargestNumbers) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  using Limits = std::numeric_limits<T>;
  Sum sum;
  sum.add_product(Limits::max(), Limits::max());
  sum.add_product(Limits::denorm_min(), Limits::denorm_min());
  Exact exact = Exact(Limits::max()) * Exact(Limits::max()) +
                Exact(Limits::denorm_min()) * Exact(Limits::denorm_min());
  for (int k = 0; k < 80; ++k) {
    sum.merge(sum);
    exact = exact * Exact(2);
    ASSERT_EQ(fault_of_expansion(sum.expansion(), exact), "") << k;
    ASSERT_EQ(fault_of_expansion((-sum).expansion(), -exact), "") << k;
  }
  EXPECT_EQ(sum.value(), Limits::infinity());
  EXPECT_EQ((-sum).value(acc::rounding::upward), -Limits::max());
  Sum back = sum;
  back += T(1.5);
  back -= sum;
  EXPECT_TRUE(identical(back, Sum(T(1.5))));
}

/// All limbs at their fullest: many deposits without and with carries in between.
TYPED_TEST(Superaccumulator, CarriesBeforeALimbIsFull) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  Sum full, doubled;
  Exact exact;
  for (int e = Sum::unit_exponent; e <= Sum::max_exponent; e += 32) {
    full.add_integer(std::numeric_limits<std::int64_t>::max(), e);
    exact += Exact(mpz_class("9223372036854775807"), e);
  }
  doubled = full;
  for (int k = 0; k < 60; ++k) doubled.merge(Sum(doubled));  // 2^60, limbs full throughout
  EXPECT_EQ(fault_of_expansion(full.expansion(), exact), "");
  EXPECT_EQ(fault_of_expansion(doubled.expansion(), exact * pow2(60)), "");
  Sum last = doubled;
  for (int k = 0; k < 100; ++k) last.merge(doubled);
  EXPECT_EQ(fault_of_expansion(last.expansion(), exact * pow2(60) * Exact(101)), "");
}

/// 2.5 times as many deposits as make a limb overflow, each of full digits. In the long test alone.
TYPED_TEST(Superaccumulator, FuzzedManyDepositsCarryInTime) {
  using Sum = acc::superaccumulator<TypeParam>;
  if (fuzz_cases(0) < 10'000'000)
    GTEST_SKIP() << "takes minutes: runs in the long test (ctest -C Fuzz -L fuzz)";
  const std::int64_t n = 5ll << 30;
  const auto most = std::numeric_limits<std::int64_t>::max();
  Sum sum;
  for (std::int64_t k = 0; k < n; ++k) sum.add_integer(most, Sum::unit_exponent + 31);
  const Exact exact(mpz_class(std::to_string(most)) * mpz_class(std::to_string(n)),
                    Sum::unit_exponent + 31);
  EXPECT_EQ(fault_of_expansion(sum.expansion(), exact), "");
}

TYPED_TEST(Superaccumulator, AddsIntegersTimesPowersOfTwo) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  Random random(21);
  Sum sum;
  Exact exact;
  for (int k = 0; k < 20000; ++k) {
    const auto value = k % 100 == 0 ? std::numeric_limits<std::int64_t>::min()
                                    : std::int64_t(random.bits()) >> random.below(64);
    const int e = random.integer(Sum::unit_exponent, Sum::max_exponent);
    sum.add_integer(value, e);
    exact += Exact(mpz_class(std::to_string(value)), e);
    if (k % 50 == 0) {
      ASSERT_EQ(fault_of_expansion(sum.expansion(), exact), "");
    }
  }
}

/// Numbers of every length at both ends of the range, where terms end at the last bit there is.
TYPED_TEST(Superaccumulator, ExpandsAtBothEnds) {
  using Sum = acc::superaccumulator<TypeParam>;
  Random random(24);
  for (int length = 1; length <= 62; ++length) {
    for (int k = 0; k < 50; ++k) {
      const auto value = std::int64_t(random.bits() >> (64 - length) | 1ull << (length - 1));
      for (const int e : {Sum::unit_exponent, Sum::unit_exponent + 1, Sum::max_exponent}) {
        Sum sum;
        sum.add_integer(k % 2 ? value : -value, e);
        const Exact exact(mpz_class(std::to_string(k % 2 ? value : -value)), e);
        ASSERT_EQ(fault_of_expansion(sum.expansion(), exact), "") << value << " * 2^" << e;
      }
    }
  }
}

TYPED_TEST(Superaccumulator, SumsOfWireFormsAreWireForms) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  using Wire = typename TestFixture::Wire;
  Random random(22);
  for (int k = 0; k < 2000; ++k) {
    std::vector<Term<T>> all;
    Wire total{};
    const int ranks = random.integer(1, 20);
    for (int r = 0; r < ranks; ++r) {
      const auto terms = r % 5 == 3 ? std::vector<Term<T>>{} : random_terms<T>(random);
      all.insert(all.end(), terms.begin(), terms.end());
      const Wire words = this->wire(sum_of<Sum>(terms));
      for (std::size_t i = 0; i < words.size(); ++i) total[i] += words[i];
    }
    EXPECT_EQ(total[1], ranks);
    ASSERT_TRUE(identical(this->read(total), sum_of<Sum>(all))) << text(all);
  }
  // 2^30 ranks, every digit at its largest: the negative of the smallest product on each.
  const Sum tiny = [] {
    Sum s;
    s.add_product(-std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::denorm_min());
    return s;
  }();
  Wire total = this->wire(tiny);
  for (auto& word : total) word *= std::int64_t(1) << 30;
  Sum expected = tiny;
  for (int k = 0; k < 30; ++k) expected.merge(expected);
  EXPECT_TRUE(identical(this->read(total), expected));
  for (auto& word : total) word += this->wire(tiny)[std::size_t(&word - total.data())];
  EXPECT_THROW(this->read(total), std::invalid_argument) << "2^30 + 1 ranks";
}

TYPED_TEST(Superaccumulator, ForeignWireFormsAreRejected) {
  using T = TypeParam;
  using Sum = acc::superaccumulator<T>;
  using Wire = typename TestFixture::Wire;
  const Wire good = this->wire(Sum(T(1)));
  const auto with = [](std::size_t i, std::int64_t word) {
    return wire_rejection(Sum(T(1)), i, word);
  };
  const std::string words = "acc::superaccumulator::from_wire: words";
  const std::string size = std::to_string(Sum::wire_words);
  EXPECT_EQ(wire_rejection<Sum>(good.data(), Sum::wire_words), "accepted");
  EXPECT_EQ(wire_rejection<Sum>(good.data(), 5),
            words + " has the wrong length (got 5, expected " + size + ")");
  EXPECT_EQ(
      wire_rejection<Sum>(good.data(), Sum::wire_words + 1).find(words + " has the wrong length"),
      0u);
  EXPECT_EQ(with(0, good[0] + 1).find(words + "[0] is not the tag"), 0u);
  EXPECT_EQ(with(0, good[0] * 2).find(words + "[0] is not the tag"), 0u);
  EXPECT_EQ(with(1, 0).find(words + "[1] is no number of contributions"), 0u);
  EXPECT_EQ(with(1, -1).find(words + "[1] is no number of contributions"), 0u);
  EXPECT_EQ(with(2, 2).find(words + " have a flag"), 0u);
  EXPECT_EQ(with(2, -1).find(words + " have a flag"), 0u);
  EXPECT_EQ(with(9, -1).find(words + " have a limb"), 0u);
  EXPECT_EQ(with(9, std::int64_t(1) << 32).find(words + " have a limb"), 0u);
  EXPECT_EQ(with(Sum::wire_words - 2, std::int64_t(1) << 32).find(words + " have a limb"), 0u);
  using Other = acc::superaccumulator<std::conditional_t<sizeof(T) == 4, double, float>>;
  std::array<std::int64_t, Other::wire_words> other;
  Other(1).to_wire(other.data());
  EXPECT_NE(wire_rejection<Sum>(other.data(), Other::wire_words), "accepted");
}

TYPED_TEST(Superaccumulator, WireFormsBeyondTheCapacityAreRejected) {
  using Sum = acc::superaccumulator<TypeParam>;
  using Wire = typename TestFixture::Wire;
  constexpr std::size_t last = Sum::wire_words - 1, digit = last - 1;
  constexpr std::int64_t top = std::int64_t(1) << 62, digits = std::int64_t(1) << 32;
  const Sum one(TypeParam(1));
  constexpr std::int64_t minus = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t word : {top, top + 1, -(minus + 1), -top, -top - 1, minus}) {
    EXPECT_EQ(wire_rejection(one, last, word),
              "acc::superaccumulator::from_wire: words have a last limb beyond the capacity (got " +
                  std::to_string(word) + ", expected " + std::to_string(top) + ")");
  }
  // The largest that is read: two of them merge, and the sum of the two is beyond.
  for (const std::int64_t word : {top - 1, 1 - top}) {
    ASSERT_EQ(wire_rejection(one, last, word), "accepted");
    Wire words = this->wire(one);
    words[last] = word;
    Sum sum = this->read(words);
    sum.merge(this->read(words));
    EXPECT_EQ(this->wire(sum)[last], 2 * word);
    EXPECT_EQ(sum.value(), word < 0 ? -std::numeric_limits<TypeParam>::infinity()
                                    : std::numeric_limits<TypeParam>::infinity());
    EXPECT_THROW(this->read(this->wire(sum)), std::invalid_argument);
  }
  // Of a sum of wire forms, what counts is the limb after the carry.
  Wire two = this->wire(one);
  for (auto& word : two) word *= 2;
  two[digit] = 2 * (digits - 1);
  two[last] = top - 1;
  EXPECT_THROW(this->read(two), std::invalid_argument);
  two[last] = top - 2;
  EXPECT_EQ(this->wire(this->read(two))[last], top - 1);
  two[last] = -top;
  EXPECT_EQ(this->wire(this->read(two))[last], 1 - top);
  two[last] = -top - 1;
  EXPECT_THROW(this->read(two), std::invalid_argument);
}

TYPED_TEST(Superaccumulator, ComplexPartsAreSuperaccumulators) {
  using T = TypeParam;
  using Complex = Kokkos::complex<T>;
  using Sum = acc::superaccumulator<Complex>;
  Random random(23);
  std::vector<Complex> x(100), y(100);
  for (auto& v : x) v = Complex(random.any_finite<T>(), random.any_finite<T>());
  for (auto& v : y) v = Complex(random.any_finite<T>(), random.any_finite<T>());
  Sum sum, other;
  acc::superaccumulator<T> re, im;
  sum.add(x.data(), 100);
  other.add_products(x.data(), y.data(), 100);
  sum -= -other;
  for (std::size_t i = 0; i < x.size(); ++i) {
    re += x[i].real();
    im += x[i].imag();
    re.add_product(x[i].real(), y[i].real());
    re.add_product(x[i].imag(), -y[i].imag());
    im.add_product(x[i].real(), y[i].imag());
    im.add_product(x[i].imag(), y[i].real());
  }
  EXPECT_TRUE(identical(sum.re, re) && identical(sum.im, im) && sum != other);
  constexpr auto downward = acc::rounding::downward;
  EXPECT_EQ(sum.value(downward), Complex(re.value(downward), im.value(downward)));
  std::vector<std::int64_t> words(Sum::wire_words);
  sum.to_wire(words.data());
  EXPECT_TRUE(identical(Sum::from_wire(words.data(), Sum::wire_words), sum));
  EXPECT_THROW(Sum::from_wire(words.data(), 3), std::invalid_argument);
}

static_assert(std::is_trivially_copyable_v<acc::superaccumulator<double>>);
static_assert(std::is_trivially_copyable_v<acc::superaccumulator<Kokkos::complex<float>>>);
static_assert(sizeof(acc::superaccumulator<double>) == 1072);
static_assert(sizeof(acc::superaccumulator<float>) == 160);
static_assert(acc::superaccumulator<double>::max_terms == 81);
static_assert(acc::superaccumulator<float>::max_terms == 27);

}  // namespace
}  // namespace acc_test
