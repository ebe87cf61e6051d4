// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random multisets of numbers and products that are hard for an order-free sum, and what its result
// must be.
#pragma once

#include "generators.hpp"
#include "oracle.hpp"

#include <acc/core/exact/accumulator.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace acc_test {

/// x / 2^e, to the nearest integer, ties to even.
inline mpz_class nearest_multiple(const Exact& x, long e) {
  mpz_class m = abs(x).mantissa();
  const long drop = e - x.exponent();
  if (drop <= 0) {
    m <<= static_cast<unsigned long>(-drop);
  } else {
    mpz_class rest, q;
    mpz_fdiv_r_2exp(rest.get_mpz_t(), m.get_mpz_t(), static_cast<mp_bitcnt_t>(drop));
    mpz_fdiv_q_2exp(q.get_mpz_t(), m.get_mpz_t(), static_cast<mp_bitcnt_t>(drop));
    const int half = cmp(rest * 2, mpz_class(1) << static_cast<unsigned long>(drop));
    m = half > 0 || (half == 0 && mpz_odd_p(q.get_mpz_t())) ? mpz_class(q + 1) : q;
  }
  return x.sign() < 0 ? mpz_class(-m) : m;
}

/// The definition of reproducible<K>'s sum of squares (docs/arithmetic.md, J8): every bin of every
/// deposit, and at the end the K below the highest top. No square over- or underflows.
template <class T>
class SquaresDefinition {
 public:
  explicit SquaresDefinition(int k) : k_(k), top_(k - 1) {}

  void add(T x) {
    const Exact square = Exact(x) * Exact(x);
    squares_ += square;
    largest_ = std::max(largest_, square);
    ++count_;
    if (sizeof(T) == 4) return deposit(square);
    // p of 53 bits and any exponent, and what it leaves over.
    const long length = square.is_zero() ? 0 : highest_bit(square) + 1;
    const Exact p = Exact(round_to<double>(square * pow2(-length))) * pow2(length);
    deposit(p);
    deposit(square - p);
  }
  Exact kept() const {
    Exact sum;
    for (const auto& [j, units] : bins_)
      if (j > top_ - k_) sum += Exact(units, unit(j));
    return sum;
  }
  const Exact& squares() const { return squares_; }
  int top() const { return top_; }
  /// What is kept differs from the sum of the squares by at most this (J6).
  Exact bound() const {
    return Exact(double(count_) * (sizeof(T) == 4 ? 1 : 2)) * pow2(-40 * (k_ - 1)) * largest_;
  }

 private:
  static long unit(int j) { return 40L * j - (sizeof(T) == 4 ? 1074 : 2154); }
  static long highest_bit(const Exact& x) {
    return x.exponent() + long(mpz_sizeinbase(x.mantissa().get_mpz_t(), 2)) - 1;
  }
  void deposit(Exact x) {
    if (x.is_zero()) return;
    const int top = std::max(k_ - 1, int((highest_bit(x) + 1 - unit(0)) / 40));
    top_ = std::max(top_, top);
    for (int j = top; j >= 0 && j > top - k_ && !x.is_zero(); --j) {
      const mpz_class units = nearest_multiple(x, unit(j));
      bins_[j] += units;
      x = x - Exact(units, unit(j));
    }
  }
  std::map<int, mpz_class> bins_;
  int k_, top_, count_ = 0;
  Exact squares_, largest_;
};

/// Numbers whose squares, rounded as products of doubles are, are halfway between two even and odd
/// multiples of 2^-1034, and in truth are a little more. Before them one for which K bins end
/// there.
inline std::vector<double> squares_above_ties(int bins, std::size_t n) {
  std::vector<double> x{std::ldexp(1., 20 * (bins - 2) - 497)};
  for (long k = 1; x.size() < n; k += 4) {
    const double root = std::ldexp(std::sqrt(double(2 * k)), -518);
    const Exact tie(mpz_class(k), -1035);
    if (tie * (Exact(1.0) + pow2(-53)) < Exact(root) * Exact(root)) x.push_back(root);
  }
  return x;
}

/// A number x, or a product x * y.
template <class T>
struct Term {
  T x;
  T y = 1;
  bool is_product = false;

  bool finite() const { return std::isfinite(x) && std::isfinite(y); }
  Exact exact() const { return is_product ? Exact(x) * Exact(y) : Exact(x); }
};

template <class Sum, class T>
void deposit(Sum& sum, const Term<T>& term) {
  if (term.is_product) {
    sum.add_product(term.x, term.y);
  } else {
    sum.add(term.x);
  }
}
template <class Sum, class T>
Sum sum_of(const std::vector<Term<T>>& terms) {
  Sum sum;
  for (const auto& t : terms) deposit(sum, t);
  return sum;
}

/// Cases of a fuzz test: ACC_TEST_FUZZ_CASES, or so many.
inline std::int64_t fuzz_cases(std::int64_t otherwise) {
  const char* text = std::getenv("ACC_TEST_FUZZ_CASES");
  return text == nullptr ? otherwise : std::atoll(text);
}

/// The bits, so that NaN is itself and -0 is not +0.
inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
inline std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

template <class T>
std::vector<Term<T>> random_terms(Random& random) {
  using Limits = std::numeric_limits<T>;
  constexpr int p = Limits::digits, low = Limits::min_exponent - p, high = Limits::max_exponent - 1;
  std::vector<Term<T>> terms;
  const auto add = [&](T x) { terms.push_back({x}); };
  const auto multiply = [&](T x, T y) { terms.push_back({x, y, true}); };
  const auto any = [&] { return random.any_finite<T>(); };
  const auto power = [&](int e) { return std::ldexp(random.below(2) ? T(1) : T(-1), e); };
  const int n = random.integer(1, 8);
  switch (random.below(12)) {
    case 0:  // any exponents
      for (int i = 0; i < n; ++i) add(any());
      break;
    case 1:  // any products
      for (int i = 0; i < n; ++i) multiply(any(), any());
      break;
    case 2:  // massive cancellation: a small rest
      for (int i = 0; i < n; ++i) {
        const T x = any();
        add(x);
        add(-x);
      }
      if (random.below(4)) add(any());
      break;
    case 3:  // products that cancel, one factored another way
      for (int i = 0; i < n; ++i) {
        const T x = std::ldexp(random.symmetric<T>(), random.integer(low / 2, high)), y = any();
        multiply(x, y);
        multiply(-x / 2, y);
        multiply(y, -x / 2);
      }
      if (random.below(2)) add(any());
      break;
    case 4: {  // ties: half a unit of the last place, and perhaps a little besides
      const T x = any();
      add(x);
      const int e = (x == 0 ? low : std::max(std::ilogb(x), Limits::min_exponent - 1)) - p;
      if (e >= low) {
        add(power(e));
      } else {
        multiply(power(e / 2), power(e - e / 2));
      }
      if (random.below(2)) multiply(power(random.integer(low, e / 2)), power(low));
      break;
    }
    case 5:  // subnormal numbers
      for (int i = 0; i < n; ++i)
        add(std::ldexp(random.symmetric<T>(), random.integer(low, Limits::min_exponent)));
      break;
    case 6:  // partial sums overflow; the sum near the largest number
      for (int i = 0; i < n; ++i) {
        const T x = random.below(2) ? Limits::max() : power(random.integer(high - 2, high));
        add(x);
        if (random.below(2)) add(-x);
      }
      if (random.below(2)) add(random.below(2) ? Limits::max() : -Limits::max());
      if (random.below(2)) add(power(high - p));
      if (random.below(2)) add(power(random.integer(low, high - p - 1)));
      break;
    case 7:  // zeros of both signs, or of one
      for (int i = 0; i < n; ++i) {
        const T zero = random.below(4) ? T(-0.0) : T(0);
        if (random.below(2)) {
          add(zero);
        } else {
          multiply(zero, random.below(2) ? T(1) : T(3));
        }
      }
      break;
    case 8: {  // infinities and NaN among numbers
      const T special[] = {Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           -Limits::signaling_NaN(),
                           T(0),
                           T(-0.0),
                           Limits::max(),
                           any()};
      for (int i = 0; i < random.integer(0, 3); ++i) add(any());
      for (int i = 0; i < random.integer(1, 2); ++i) {
        const T x = special[random.below(random.below(2) ? 2 : 4)];
        if (random.below(2)) {
          add(x);
        } else {
          multiply(special[random.below(8)], random.below(2) ? x : any());
        }
      }
      break;
    }
    case 9: {  // close exponents
      const int e = random.integer(low + p, high - 3);
      for (int i = 0; i < n; ++i) add(std::ldexp(random.symmetric<T>(), e + random.integer(-3, 3)));
      break;
    }
    case 10:  // powers of two: carries and borrows that run far
      for (int i = 0; i < n; ++i) {
        if (random.below(2)) {
          add(power(random.integer(low, high)));
        } else {
          multiply(power(random.integer(low, high)), power(random.integer(low, high)));
        }
      }
      break;
    default:  // numbers and products of moderate size
      for (int i = 0; i < n; ++i) {
        const T x = std::ldexp(random.symmetric<T>(), random.integer(-40, 40));
        if (random.below(2)) {
          add(x);
        } else {
          multiply(x, std::ldexp(random.symmetric<T>(), random.integer(-40, 40)));
        }
      }
  }
  return terms;
}

/// What a sum in exact range must be where it is not an exact number: by IEEE's rules.
template <class T>
struct Special {
  bool nan = false, plus = false, minus = false, only_minus_zeros = true, empty = true;

  explicit Special(const std::vector<Term<T>>& terms) {
    for (const auto& t : terms) {
      empty = false;
      // The product's special value and sign: factors of moderate size have the same.
      const auto moderate = [](T x) {
        return x == 0 || !std::isfinite(x) ? x : std::copysign(T(1), x);
      };
      const T v = t.is_product ? moderate(t.x) * moderate(t.y) : t.x;
      nan = nan || std::isnan(v);
      plus = plus || v == std::numeric_limits<T>::infinity();
      minus = minus || v == -std::numeric_limits<T>::infinity();
      only_minus_zeros = only_minus_zeros && v == 0 && std::signbit(v);
    }
  }
  bool finite() const { return !nan && !plus && !minus; }
  T value() const {
    if (nan || (plus && minus)) return std::numeric_limits<T>::quiet_NaN();
    if (!finite())
      return plus ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    return only_minus_zeros && !empty ? T(-0.0) : T(0);
  }
};

inline constexpr std::pair<acc::rounding, Direction> all_roundings[] = {
    {acc::rounding::nearest, Direction::nearest},
    {acc::rounding::upward, Direction::up},
    {acc::rounding::downward, Direction::down},
    {acc::rounding::toward_zero, Direction::zero}};

/// An exact number rounded, or the zero that a sum of these terms must be.
template <class T>
T rounded(const Exact& exact, const Special<T>& special, Direction direction) {
  if (!special.finite() || exact.is_zero()) return special.value();
  const T r = round_to<T>(exact, direction);
  return r == 0 && exact.sign() < 0 ? T(-0.0) : r;
}

/// An expansion is what it promises: its terms sum to exactly `exact`, do not overlap, and each is
/// the rounding of what is left.
template <class Terms>
std::string fault_of_expansion(const Terms& terms, const Exact& exact) {
  if (terms.count < 1 || terms.count > Terms::max_terms) return "count";
  Exact rest = exact, unscaled_ulp;
  for (int i = 0; i < terms.count; ++i) {
    const Exact term = Exact(terms.term[i]) * pow2(terms.exponent[i]);
    if (i > 0 && term.is_zero()) return "a zero term";
    const Exact left = rest - term;
    // 2 |left| <= ulp(term) <= 2^(1 - p) |term|
    const Exact bound = abs(term) * pow2(1 - std::numeric_limits<decltype(+terms.term[0])>::digits);
    if (abs(left) * Exact(2) > bound) return "overlap after term " + std::to_string(i);
    rest = left;
  }
  return rest.is_zero() ? "" : "not exact";
}

/// The terms dealt at random to `parts` sums, each in its own order, which then merge at random.
template <class Sum, class T>
Sum merged_at_random(std::vector<Term<T>> terms, int parts, Random& random) {
  shuffle(terms, random);
  std::vector<Sum> sums(static_cast<std::size_t>(parts));
  for (const auto& t : terms) {
    Sum& sum = sums[random.below(sums.size())];
    deposit(sum, t);
    if (random.below(8) == 0) sum.normalise();
  }
  while (sums.size() > 1) {
    const std::size_t i = random.below(sums.size() - 1);
    if (random.below(2)) {
      sums[i].merge(sums.back());
    } else {
      sums.back().merge(sums[i]);
      sums[i] = sums.back();
    }
    sums.pop_back();
  }
  return sums[0];
}

/// What Sum::from_wire says of n words: the text of its exception, or "accepted".
template <class Sum>
std::string wire_rejection(const std::int64_t* words, std::int64_t n) {
  try {
    Sum::from_wire(words, n);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}
/// The same of a sum's wire form with one word in another's place.
template <class Sum>
std::string wire_rejection(const Sum& sum, std::size_t at, std::int64_t word) {
  std::vector<std::int64_t> words(Sum::wire_words);
  sum.to_wire(words.data());
  words[at] = word;
  return wire_rejection<Sum>(words.data(), Sum::wire_words);
}

template <class T>
std::string text(const std::vector<Term<T>>& terms) {
  std::string s;
  char buffer[80];
  for (const auto& t : terms) {
    std::snprintf(buffer, sizeof buffer, t.is_product ? " %a*%a" : " %a", double(t.x), double(t.y));
    s += buffer;
  }
  return s;
}

}  // namespace acc_test
