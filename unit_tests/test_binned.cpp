// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// binned against its definition, written in exact arithmetic, and against its bound.
// ACC_TEST_FUZZ_CASES sets the number of random cases a type.
#include "order_free.hpp"

#include <acc/core/binned.hpp>
#include <acc/core/exact/binned_squares.hpp>
#include <acc/core/exact/root.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <type_traits>

namespace acc_test {
namespace {

template <class S, int Bins>
struct Case {
  using T = S;
  using Sum = acc::binned<S, Bins>;
  static constexpr int K = Bins;
};

/// The definition (docs/arithmetic.md): every bin of every deposit, and at the end the K below the
/// highest top.
template <class T, int K>
class Definition {
 public:
  void add(const Term<T>& t) {
    const Exact exact = t.exact();
    if (!t.is_product || sizeof(T) == 4) return deposit(exact);
    // p and e of TwoProd; where p overflows, of an unbounded exponent range.
    const bool huge = std::isinf(round_to<double>(exact));
    const Exact scale = pow2(huge ? -1100 : 0);
    const Exact p = Exact(round_to<double>(exact * scale)) * pow2(huge ? 1100 : 0);
    const Exact e = exact - p;
    deposit(p);
    deposit(huge ? e : Exact(round_to<double>(e)));
    ++products_;
  }
  Exact kept() const {
    Exact sum;
    for (const auto& [j, units] : bins_)
      if (j > top_ - K) sum += Exact(units, 40L * j - 1074);
    return sum;
  }
  int top() const { return top_; }
  /// What is kept differs from the sum of the n deposits by at most this.
  Exact bound() const {
    return Exact(double(deposits_)) * pow2(-40 * (K - 1)) * largest_ +
           Exact(double(products_)) * pow2(-1074);
  }

 private:
  void deposit(Exact x) {
    ++deposits_;
    if (x.is_zero()) return;
    largest_ = std::max(largest_, abs(x));
    const long h = x.exponent() + long(mpz_sizeinbase(x.mantissa().get_mpz_t(), 2)) - 1;
    const int top = std::max(K - 1, int((h + 1075) / 40));
    top_ = std::max(top_, top);
    for (int j = top; j >= 0 && j > top - 9; --j) {
      const mpz_class units = nearest_multiple(x, 40L * j - 1074);
      bins_[j] += units;
      x = x - Exact(units, 40L * j - 1074);
    }
  }
  std::map<int, mpz_class> bins_;
  int top_ = K - 1;
  int deposits_ = 0, products_ = 0;
  Exact largest_;
};

template <class Case>
class Binned : public testing::Test {
 public:
  using Sum = typename Case::Sum;
  using Wire = std::array<std::int64_t, Sum::wire_words>;
  static Wire wire(const Sum& sum) {
    Wire words;
    sum.to_wire(words.data());
    return words;
  }
};
using Cases = testing::Types<Case<double, 2>, Case<double, 3>, Case<double, 4>, Case<double, 8>,
                             Case<float, 2>, Case<float, 3>>;
TYPED_TEST_SUITE(Binned, Cases);

TYPED_TEST(Binned, FuzzAgainstTheDefinition) {
  using T = typename TypeParam::T;
  using Sum = typename TypeParam::Sum;
  constexpr int K = TypeParam::K;
  Random random(30);
  Sum previous;
  Exact kept_previous;
  std::int64_t dropped = 0;
  for (std::int64_t k = 0; k < fuzz_cases(200'000); ++k) {
    const auto terms = random_terms<T>(random);
    const Special<T> special(terms);
    const Sum sum = sum_of<Sum>(terms);
    if (special.finite()) {
      Definition<T, K> definition;
      Exact exact;
      for (const auto& t : terms) {
        definition.add(t);
        exact += t.exact();
      }
      const Exact kept = definition.kept();
      ASSERT_EQ(sum.top(), definition.top()) << text(terms);
      for (const auto& [mode, direction] : all_roundings) {
        const T expected = round_to<T>(kept, direction), got = sum.value(mode);
        ASSERT_EQ(got, expected) << text(terms) << " = " << to_string(exact);
        if (!kept.is_zero()) {
          ASSERT_EQ(std::signbit(got), kept.sign() < 0);
        }
      }
      ASSERT_EQ(fault_of_expansion(sum.expansion(), kept), "") << text(terms);
      ASSERT_LE(abs(kept - exact), definition.bound()) << text(terms);
      if (std::isfinite(sum.value())) {
        const Exact rounding = abs(exact) * pow2(-std::numeric_limits<T>::digits);
        const Exact underflow = sizeof(T) == 4 ? pow2(-149) : Exact();
        ASSERT_LE(abs(Exact(sum.value()) - exact),
                  definition.bound() * Exact(1 + 0x1p-24) + rounding + underflow);
      }
      dropped += kept != exact;
      const auto order = kept <=> kept_previous;
      ASSERT_EQ(compare(sum, previous), order < 0 ? -1 : order > 0);
      if (k % 3 == 0) {
        previous = sum;
        kept_previous = kept;
      }
    }
    // Zeros and special values; a product that underflows to zero may be a zero or not.
    if (!special.finite() || special.value() == 0) {
      const bool zeros = std::all_of(terms.begin(), terms.end(), [](const Term<T>& t) {
        return t.x == 0 || (t.is_product && t.y == 0);
      });
      if (!special.finite() || zeros) {
        ASSERT_EQ(bits_of(sum.value()), bits_of(special.value())) << text(terms);
      }
    }
    // The laws of a commutative monoid, negation, and the wire form.
    const Sum merged = merged_at_random<Sum>(terms, random.integer(1, 4), random);
    ASSERT_TRUE(identical(merged, sum)) << text(terms);
    auto negated = terms;
    for (auto& t : negated) t.x = -t.x;
    ASSERT_TRUE(identical(-merged, sum_of<Sum>(negated))) << text(terms);
    if (k % 8 == 0) {
      const auto words = this->wire(merged);
      ASSERT_TRUE(identical(Sum::from_wire(words.data(), Sum::wire_words), sum)) << text(terms);
    }
  }
  if (fuzz_cases(200'000) >= 100'000) {
    EXPECT_GT(dropped, 1000) << "the generator reaches what K bins cannot hold";
  }
}

/// Every family keeps the bound of Demmel and Nguyen, and every split and permutation of it gives
/// the same state.
TYPED_TEST(Binned, LongVectorsKeepTheBoundAndTheBits) {
  using T = typename TypeParam::T;
  using Sum = typename TypeParam::Sum;
  constexpr int K = TypeParam::K;
  Random random(31);
  for (const Data data : all_data) {
    auto x = make<T>(data, 20000, 5);
    const Exact exact = exact_sum<T>(x);
    Sum all;
    all.add(x.data(), std::int64_t(x.size()));
    T largest = 0;
    for (const T v : x) largest = std::max(largest, std::abs(v));
    const Exact window = Exact(20000.0) * pow2(-40 * (K - 1)) * Exact(largest);
    EXPECT_LE(abs(Exact(all.value()) - exact),
              window * Exact(1 + 0x1p-20) + abs(exact) * pow2(-std::numeric_limits<T>::digits))
        << name(data);
    for (int k = 0; k < 4; ++k) {
      shuffle(x, random);
      const std::size_t at = random.below(x.size());
      Sum first, second;
      first.add(x.data(), std::int64_t(at));
      second.add(x.data() + at, std::int64_t(x.size() - at));
      second.merge(first);
      EXPECT_TRUE(identical(second, all)) << name(data);
    }
  }
}

/// Not float and three bins: float has no numbers that small beside large ones.
template <class Case>
class BinnedBound : public testing::Test {};
using BoundCases = testing::Types<Case<double, 2>, Case<double, 3>, Case<double, 4>,
                                  Case<double, 8>, Case<float, 2>>;
TYPED_TEST_SUITE(BinnedBound, BoundCases);

/// The bound is sharp: numbers just below half of the lowest bin's unit are lost, and the largest
/// number is half of the highest bin's.
TYPED_TEST(BinnedBound, IsReached) {
  using T = typename TypeParam::T;
  using Sum = typename TypeParam::Sum;
  constexpr int K = TypeParam::K;
  const int top = sizeof(T) == 4 ? 29 : 30, e = 40 * top - 1075;  // 2^e: half a unit of bin top
  const T large = std::ldexp(T(1), e);
  const T small = std::nextafter(std::ldexp(T(1), e - 40 * (K - 1)), T(0));
  Sum sum;
  sum.add(large);
  for (int i = 0; i < 999; ++i) sum.add(small);
  EXPECT_EQ(sum.top(), top);
  EXPECT_EQ(sum.value(), large);
  EXPECT_GT(Exact(999.0) * Exact(small),
            Exact(0.998) * Exact(1000.0) * pow2(-40 * (K - 1)) * Exact(large));
}

/// Deposits as a kernel makes them: adding 1.5 * 2^52 units rounds to whole units of a bin.
TYPED_TEST(Binned, BinsAreThoseOfMagicNumbers) {
  using T = typename TypeParam::T;
  using Sum = typename TypeParam::Sum;
  constexpr int K = TypeParam::K;
  Random random(32);
  for (int k = 0; k < 3000; ++k) {
    std::vector<T> x(random.below(20) + 1);
    int top = K - 1;
    acc::element_kinds kinds;
    for (T& v : x) {
      do {
        v = random.any_finite<T>();
      } while (std::abs(double(v)) >= 0x1p1005);
      const int field = int(std::bit_cast<std::uint64_t>(double(v)) >> 52) & 2047;
      top = std::max(top, (field + 52) / 40);
      kinds.merge(acc::element_kinds::of(v));
    }
    std::vector<std::int64_t> bins(std::size_t(top + 1));
    for (const T v : x) {
      double rest = v;
      for (int j = top; j > top - K; --j) {
        const double magic = std::bit_cast<double>(std::uint64_t(40 * j + 1) << 52 | 1ull << 51);
        const volatile double t = rest + magic;
        bins[std::size_t(j)] +=
            std::bit_cast<std::int64_t>(double(t)) - std::bit_cast<std::int64_t>(magic);
        rest -= t - magic;
      }
    }
    Sum from_bins, sum;
    from_bins.raise(top);
    for (int j = top; j > top - K; --j) from_bins.add_to_bin(j, bins[std::size_t(j)]);
    from_bins.add_kinds(kinds);
    sum.add(x.data(), std::int64_t(x.size()));
    ASSERT_TRUE(identical(sum, from_bins));
  }
}

TYPED_TEST(Binned, CarriesStayWithTheirBin) {
  using T = typename TypeParam::T;
  using Sum = typename TypeParam::Sum;
  const T x = T(1) / T(3);
  Sum doubled(x);
  for (int k = 0; k < 55; ++k) doubled.merge(Sum(doubled));
  EXPECT_EQ(doubled.value(), std::ldexp(x, 55));
  // A carry into a higher bin would outlive the drop of its own.
  Sum late = doubled, early(std::ldexp(T(1), 120));
  late.add(std::ldexp(T(1), 120));
  early.merge(doubled);
  EXPECT_TRUE(identical(late, early));
  for (int k = 0; k < 100; ++k) late.merge(doubled);
  for (int k = 0; k < 100; ++k) doubled.normalise(), early.merge(doubled);
  EXPECT_TRUE(identical(late, early));
  // More deposits than the lower word holds of the largest that a bin takes, almost 2^39 units.
  const T most = std::nextafter(T(0x1p45), T(0));
  Sum many;
  for (int k = 0; k < 20'000'000; ++k) many.add(most);
  EXPECT_EQ(many.value(), round_to<T>(Exact(most) * Exact(2e7)));
  Sum units;
  units.raise(27);
  for (int k = 0; k < 20'000'000; ++k) units.add_to_bin(27, (1ll << 40) - 1);
  const Exact exact = Exact(2e7) * (pow2(40) - Exact(1)) * pow2(40 * 27 - 1074);
  EXPECT_EQ(fault_of_expansion(units.expansion(), exact), "");
}

TYPED_TEST(Binned, ForeignWireFormsAreRejected) {
  using T = typename TypeParam::T;
  using Sum = typename TypeParam::Sum;
  const auto good = this->wire(Sum(T(1)));
  const auto with = [](std::size_t i, std::int64_t word) {
    return wire_rejection(Sum(T(1)), i, word);
  };
  const std::string words = "acc::binned::from_wire: words";
  EXPECT_EQ(wire_rejection<Sum>(good.data(), Sum::wire_words), "accepted");
  EXPECT_EQ(wire_rejection<Sum>(good.data(), 2), words + " has the wrong length (got 2, expected " +
                                                     std::to_string(Sum::wire_words) + ")");
  EXPECT_EQ(with(0, good[0] + 1).find(words + "[0] is not the tag"), 0u);
  EXPECT_EQ(with(0, 2 * good[0]).find(words + "[0] is not the tag"), 0u);
  EXPECT_EQ(with(1, 64).find(words + "[1] is no set of kinds"), 0u);
  EXPECT_EQ(with(2, Sum::bins - 2).find(words + "[2] is no top bin"), 0u);
  EXPECT_EQ(with(2, 79).find(words + "[2] is no top bin"), 0u);
  EXPECT_EQ(with(3, std::numeric_limits<std::int64_t>::min()).find(words + " have a carry"), 0u);
  EXPECT_EQ(with(4, -1).find(words + " have a bin"), 0u);
  EXPECT_EQ(with(4, std::int64_t(1) << 40).find(words + " have a bin"), 0u);
}

TYPED_TEST(Binned, WireFormsBeyondTheCapacityAreRejected) {
  using T = typename TypeParam::T;
  using Sum = typename TypeParam::Sum;
  constexpr std::int64_t top = std::int64_t(1) << 62;
  const Sum one(T(1));
  for (const std::size_t carry : {std::size_t(3), std::size_t(Sum::wire_words - 2)}) {
    for (const std::int64_t word : {top, -top}) {
      EXPECT_EQ(wire_rejection(one, carry, word),
                "acc::binned::from_wire: words have a carry beyond the capacity (got " +
                    std::to_string(word) + ", expected " + std::to_string(top) + ")");
    }
    for (const std::int64_t word : {top - 1, 1 - top}) {  // two of the largest merge
      ASSERT_EQ(wire_rejection(one, carry, word), "accepted");
      auto words = this->wire(one);
      words[carry] = word;
      Sum sum = Sum::from_wire(words.data(), Sum::wire_words);
      sum.merge(sum);
      words = this->wire(sum);
      EXPECT_EQ(words[carry], 2 * word);
      EXPECT_NE(wire_rejection<Sum>(words.data(), Sum::wire_words), "accepted");
    }
  }
}

TYPED_TEST(Binned, ComplexPartsAreBinned) {
  using T = typename TypeParam::T;
  using Complex = Kokkos::complex<T>;
  using Sum = acc::binned<Complex, TypeParam::K>;
  Random random(33);
  Sum sum;
  typename TypeParam::Sum re, im;
  for (int k = 0; k < 100; ++k) {
    const Complex x(random.any_finite<T>(), random.any_finite<T>());
    const Complex y(random.symmetric<T>(), random.symmetric<T>());
    sum += x;
    sum.add_product(x, y);
    re += x.real();
    im += x.imag();
    re.add_product(x.real(), y.real());
    re.add_product(x.imag(), -y.imag());
    im.add_product(x.real(), y.imag());
    im.add_product(x.imag(), y.real());
  }
  EXPECT_TRUE(identical(sum.re, re) && identical(sum.im, im));
  std::vector<std::int64_t> words(Sum::wire_words);
  sum.to_wire(words.data());
  EXPECT_TRUE(identical(Sum::from_wire(words.data(), Sum::wire_words), sum));
}

/// The sum of squares against its definition: what it keeps, in any order and division.
template <class Bins>
class BinnedSquares : public testing::Test {};
using SomeBins = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>,
                                std::integral_constant<int, 8>>;
TYPED_TEST_SUITE(BinnedSquares, SomeBins);

TYPED_TEST(BinnedSquares, FuzzAgainstTheDefinition) {
  constexpr int K = TypeParam::value;
  using Sum = acc::impl::binned_squares<K>;
  Random random(42);
  for (std::int64_t k = 0; k < fuzz_cases(20'000); ++k) {
    std::vector<double> x(random.below(6));
    const int e = random.integer(-1074, 1023);
    for (double& v : x) {
      const int spread = random.below(2) ? 50 : 400;
      v = random.below(20) == 0  ? 0
          : random.below(4) == 0 ? random.any_finite<double>()
                                 : std::ldexp(random.symmetric<double>(),
                                              std::max(-1074, e - random.integer(0, spread)));
    }
    SquaresDefinition<double> definition(K);
    Sum all, parts[2];
    for (const double v : x) {
      definition.add(v);
      all.add_product(v, v);
      parts[random.below(2)].add_product(-v, -v);
    }
    ASSERT_LE(abs(definition.kept() - definition.squares()), definition.bound());
    ASSERT_EQ(all.top(), definition.top());
    const auto kept = acc::impl::as_superaccumulator(all);
    if (definition.kept().is_zero()) {
      ASSERT_EQ(kept.value(), 0.0);
    } else {
      ASSERT_EQ(fault_of_expansion(kept.expansion(), definition.kept()), "");
    }
    parts[0].merge(parts[1]);
    using Wire = std::array<std::int64_t, Sum::wire_words>;
    Wire words, merged;
    all.to_wire(words.data());
    parts[0].to_wire(merged.data());
    ASSERT_EQ(words, merged);
  }
}

static_assert(std::is_trivially_copyable_v<acc::binned<double, 3>>);
static_assert(std::is_trivially_copyable_v<acc::binned<Kokkos::complex<float>, 2>>);
static_assert(sizeof(acc::binned<double, 3>) == 64);

}  // namespace
}  // namespace acc_test
