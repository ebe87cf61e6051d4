// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_LONG_INTEGER_HPP
#define ACC_CORE_EXACT_LONG_INTEGER_HPP

/// \file
/// Long integers of 32-bit digits in 64-bit limbs: what exact sums are kept in, and rounded from.
///
/// The upper half of a limb is room for carries: 2^30 digits can be added to it, or limbs of 2^30
/// such integers summed, before anything must be carried (the carry-save form of Kulisch's long
/// accumulator; Neal 2015 and Collange, Defour, Graillat, Iakymchuk 2015 do likewise). The owner
/// counts; `carry` makes the form unique.

#include <acc/core/exact/rounding.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

// A loop over many limbs, unrolled, takes every register that a GPU's thread has, and more.
#if defined(__CUDA_ARCH__)
#define ACC_LOOP_OVER_LIMBS _Pragma("unroll (Limbs <= 16 ? Limbs : 1)")
#elif defined(__HIP_DEVICE_COMPILE__)  // Clang warns of parentheses
#define ACC_LOOP_OVER_LIMBS _Pragma("unroll Limbs <= 16 ? Limbs : 1")
#else
#define ACC_LOOP_OVER_LIMBS
#endif

namespace acc {

/// An exact number as floating-point terms, the largest first: sum of term[i] * 2^exponent[i] over
/// i < count. Each term is what the ones before it leave over, rounded to nearest, so
/// |term[i + 1]| <= ulp(term[i]) / 2 and term[0] is the rounded number.
///
/// exponent[i] is 0 unless the term as such would overflow or underflow, which only products and
/// overflowing sums can make it do; then it is +-scale. A sum of numbers whose rounded value is
/// finite has no such term. There is at least one term: a zero, infinity or NaN is one.
template <class T, int MaxTerms>
struct exact_expansion {
  static constexpr int max_terms = MaxTerms;
  static constexpr int scale = std::is_same_v<T, float> ? 220 : 1200;

  T term[MaxTerms];
  int exponent[MaxTerms];
  int count = 0;

  KOKKOS_INLINE_FUNCTION void append(T x, int e) {
    term[count] = x;
    exponent[count++] = e;
  }
};

namespace impl {

/// sum of limb[i] * 2^(32 i) units. In the carried form all limbs but the last are digits, at least
/// 0 and below 2^32; the last has the sign.
template <int Limbs>
struct long_integer {
  static constexpr int digit_bits = 32;
  static constexpr std::uint64_t digit_mask = 0xffffffffu;
  /// The highest bit of a carried magnitude is below this.
  static constexpr int bits = digit_bits * Limbs + 31;
  template <class T>
  static constexpr int max_terms = bits / ieee<T>::digits + 1;

  std::int64_t limb[Limbs];

  KOKKOS_INLINE_FUNCTION long_integer() {
    ACC_LOOP_OVER_LIMBS
    for (int i = 0; i < Limbs; ++i) limb[i] = 0;
  }

  /// The limb that holds the bit at a position: the last one holds all higher ones too.
  KOKKOS_INLINE_FUNCTION static int limb_of(int position) {
    return position / digit_bits < Limbs ? position / digit_bits : Limbs - 1;
  }

  /// Adds word * 2^position, or subtracts it: a digit to each of three limbs. The last limb of all
  /// takes whatever is left.
  KOKKOS_INLINE_FUNCTION void add(std::uint64_t word, int position, bool negative) {
    cut(word, position, negative, [&](int k, std::int64_t v) { limb[k] += v; });
  }
  /// What limbs get so: add_to(limb, digit), a digit below 2^32 in magnitude for all limbs but the
  /// last.
  template <class Add>
  KOKKOS_INLINE_FUNCTION static void cut(std::uint64_t word, int position, bool negative,
                                         const Add& add_to_limb) {
    const int i = limb_of(position), shift = position - digit_bits * i;
    const std::uint64_t low = word << shift, high = word >> 1 >> (63 - shift);
    const std::int64_t sign = negative ? -1 : 0;
    const auto add_to = [&](int k, std::uint64_t v) {
      add_to_limb(k, (std::int64_t(v) ^ sign) - sign);
    };
    if (i < Limbs - 2) {
      add_to(i, low & digit_mask);
      add_to(i + 1, low >> digit_bits);
      add_to(i + 2, high);
    } else if (i == Limbs - 2) {
      add_to(i, low & digit_mask);
      add_to(i + 1, low >> digit_bits | high << digit_bits);
    } else {
      add_to(i, low);
    }
  }

  KOKKOS_INLINE_FUNCTION void carry() {
    std::int64_t c = 0;
    ACC_LOOP_OVER_LIMBS
    for (int i = 0; i < Limbs - 1; ++i) {
      const std::int64_t v = limb[i] + c;
      limb[i] = v & std::int64_t(digit_mask);
      c = v >> digit_bits;  // rounds down: C++20 has two's complement
    }
    limb[Limbs - 1] += c;
  }

  KOKKOS_INLINE_FUNCTION void add(const long_integer& other) {
    ACC_LOOP_OVER_LIMBS
    for (int i = 0; i < Limbs; ++i) limb[i] += other.limb[i];
  }
  KOKKOS_INLINE_FUNCTION void negate() {
    ACC_LOOP_OVER_LIMBS
    for (int i = 0; i < Limbs; ++i) limb[i] = -limb[i];
  }
  /// Whether a carried number is 0.
  KOKKOS_INLINE_FUNCTION bool is_zero() const {
    ACC_LOOP_OVER_LIMBS
    for (int i = 0; i < Limbs; ++i)
      if (limb[i] != 0) return false;
    return true;
  }
  /// Replaces a carried number by its magnitude; whether it was negative.
  KOKKOS_INLINE_FUNCTION bool take_sign() {
    if (limb[Limbs - 1] >= 0) return false;
    negate();
    carry();
    return true;
  }

  /// -1, 0, 1 for a < b, a = b, a > b, both carried.
  KOKKOS_INLINE_FUNCTION friend int compare(const long_integer& a, const long_integer& b) {
    ACC_LOOP_OVER_LIMBS
    for (int i = Limbs - 1; i >= 0; --i)
      if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i] ? -1 : 1;
    return 0;
  }

  // Of a carried magnitude:

  /// The position of the highest bit set, or -1.
  KOKKOS_INLINE_FUNCTION int leading_bit() const {
    ACC_LOOP_OVER_LIMBS
    for (int i = Limbs - 1; i >= 0; --i)
      if (limb[i] != 0) return digit_bits * i + 63 - leading_zeros(std::uint64_t(limb[i]));
    return -1;
  }
  /// The magnitude / 2^position, rounded down; it must be below 2^64.
  KOKKOS_INLINE_FUNCTION std::uint64_t bits_from(int position) const {
    const int i = limb_of(position), shift = position - digit_bits * i;
    if (shift >= 64) return 0;
    std::uint64_t r = std::uint64_t(limb[i]) >> shift;
    if (i + 1 < Limbs) r |= std::uint64_t(limb[i + 1]) << (32 - shift);
    if (i + 2 < Limbs && shift != 0) r |= std::uint64_t(limb[i + 2]) << (64 - shift);
    return r;
  }
  KOKKOS_INLINE_FUNCTION bool any_bit_below(int position) const {
    const int last = limb_of(position), shift = position - digit_bits * last;
    ACC_LOOP_OVER_LIMBS
    for (int i = 0; i < last; ++i)
      if (limb[i] != 0) return true;
    return shift >= 64 ? limb[last] != 0
                       : (std::uint64_t(limb[last]) & ((std::uint64_t(1) << shift) - 1)) != 0;
  }

  /// Its leading bits, of a magnitude that is not zero; the exponent is a position, and may be
  /// negative.
  KOKKOS_INLINE_FUNCTION leading_bits leading(bool negative) const {
    const int from = leading_bit() - 63;
    if (from <= 0) return {bits_from(0) << -from, false, from, negative};
    return {bits_from(from), any_bit_below(from), from, negative};
  }

  /// A number that is carried and not zero, in units of 2^unit, rounded to T.
  template <class T>
  KOKKOS_INLINE_FUNCTION T value(int unit, rounding mode) const {
    long_integer magnitude = *this;
    const bool negative = magnitude.take_sign();
    leading_bits x = magnitude.leading(negative);
    x.exponent += unit;
    return rounded_number<T>(x, mode);
  }

  /// A number that is carried and not zero, in units of 2^unit, as an expansion.
  template <class T>
  KOKKOS_INLINE_FUNCTION exact_expansion<T, max_terms<T>> expansion(int unit) const {
    using format = ieee<T>;
    exact_expansion<T, max_terms<T>> terms;
    long_integer rest = *this;
    bool negative = rest.take_sign();
    while (rest.leading_bit() >= 0) {
      number_parts r = rounded_parts(rest.leading(negative), format::digits, 0, rounding::nearest);
      rest.add(r.mantissa, r.exponent, true);
      rest.carry();
      r.exponent += unit;
      // Trailing zeros may reach below T's last bit; such a term is a number all the same.
      while (r.exponent < format::lowest && (r.mantissa & 1) == 0) {
        r.mantissa >>= 1;
        ++r.exponent;
      }
      int e = 0;
      if (r.exponent < format::lowest) e = -terms.scale;
      if (r.exponent + format::length(r.mantissa) > format::highest) e = terms.scale;
      r.exponent -= e;
      terms.append(format::number(r, rounding::nearest), e);
      if (rest.take_sign()) negative = !negative;
    }
    return terms;
  }
};

}  // namespace impl
}  // namespace acc

#undef ACC_LOOP_OVER_LIMBS

#endif
