// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_RESIDUES_HPP
#define ACC_CORE_EXACT_RESIDUES_HPP

/// \file
/// From the numbers of a row (row_scale.hpp) to residues, without an error:
///  - biased_integer: a number in the row's unit, as words;
///  - byte_residue: its residue, a signed byte.

#include <acc/core/eft.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/macros.hpp>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>

namespace acc::impl {

/// Words of 32 bits for integers |a| <= 2^width and the bias.
ACC_FUNCTION constexpr int words_for(int width) { return (width + 2 + 31) / 32; }

/// x 2^-unit, for a number that is then 2^62 at most, in magnitude: exact, except where it is so
/// far below 1/2 that it rounds to zero either way. Two factors, as one might be no number of T.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T in_units(T x, int unit) {
  using format = ieee<T>;
  using bits_type = typename format::bits_type;
  constexpr int bias = 1 - format::lowest - (format::digits - 1);
  const int half = -unit / 2;
  const T first = Kokkos::bit_cast<T>(bits_type(half + bias) << (format::digits - 1));
  const T second = Kokkos::bit_cast<T>(bits_type(-unit - half + bias) << (format::digits - 1));
  return x * first * second;
}
/// The nearest integer, ties to even.
template <class Integer, class T>
KOKKOS_FORCEINLINE_FUNCTION Integer nearest_integer(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Integer) == 4) {
    if constexpr (ieee<T>::is_float)
      return __float2int_rn(x);
    else
      return __double2int_rn(x);
  } else {
    if constexpr (ieee<T>::is_float)
      return __float2ll_rn(x);
    else
      return __double2ll_rn(x);
  }
#else
  return Integer(std::llrint(x));
#endif
}

/// x in units of 2^unit, rounded to nearest even (which changes nothing in the exact unit), plus
/// 2^(32 Words - 1): not negative, for |x| <= 2^(unit + 32 Words - 2).
template <int Words, class T>
KOKKOS_FORCEINLINE_FUNCTION void biased_integer(T x, int unit, std::uint32_t (&u)[Words]) {
  // A conversion is one instruction, which most of the time waits for no other.
  if constexpr (Words == 1) {
    u[0] = std::uint32_t(nearest_integer<std::int32_t>(in_units(x, unit))) ^ std::uint32_t(1) << 31;
    return;
  } else if constexpr (Words == 2) {
    const auto x64 = std::uint64_t(nearest_integer<std::int64_t>(in_units(x, unit)));
    u[0] = std::uint32_t(x64);
    u[1] = std::uint32_t(x64 >> 32) ^ std::uint32_t(1) << 31;
    return;
  }
  const number_parts p = ieee<T>::parts(x);
  int shift = p.mantissa == 0 ? 0 : p.exponent - unit;
  std::uint64_t m = p.mantissa;
  if (shift < 0) {
    m = cut_mantissa(m, -shift);
    shift = 0;
  }
  // Word j gets the bits of m from position 32 j - shift on.
  std::uint64_t carry = p.negative ? 1 : 0;
  const std::uint32_t sign = p.negative ? ~std::uint32_t(0) : 0;
  for (int j = 0; j < Words; ++j) {
    const int from = 32 * j - shift;
    std::uint32_t word = 0;
    if (from >= 0 && from < 64) word = std::uint32_t(m >> from);
    if (from < 0 && from > -32) word = std::uint32_t(m) << -from;
    carry += word ^ sign;
    u[j] = std::uint32_t(carry);
    carry >>= 32;
  }
  u[Words - 1] ^= std::uint32_t(1) << 31;
}

/// c plus the products of the four bytes of a and b.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t add_byte_products(std::uint32_t a, std::uint32_t b,
                                                            std::uint32_t c) {
#if defined(__CUDA_ARCH__)
  return __dp4a(a, b, c);
#else
  for (int j = 0; j < 32; j += 8) c += (a >> j & 255) * (b >> j & 255);
  return c;
#endif
}

/// What byte_residue needs of modulus_constants, for numbers of so many words.
template <int Words>
struct byte_divisor {
  static_assert(Words <= modulus_constants::max_words);
  std::uint32_t offset;
  float number, reciprocal, shift;
  std::uint32_t weights[Words];

  byte_divisor() = default;
  KOKKOS_FORCEINLINE_FUNCTION byte_divisor(const modulus_constants& m)
      : offset(m.offset[Words - 1]), number(m.number), reciprocal(m.reciprocal), shift(m.shift) {
    for (int t = 0; t < Words; ++t) weights[t] = m.weights[t];
  }
};

/// A word whose lowest byte is a residue of a number that biased_integer made: a signed byte in
/// [-128, 127], for byte_moduli.
///
/// By floats, which a GPU multiplies and adds at twice the rate of integers or more. All are
/// integers below 2^24, so all but the quotient is exact. The number's bytes, times 256^t modulo p,
/// are at most 20 * 255^2 < 2^21. They are added to the bits of a float at 2^23, and are with it w,
/// equal to A' modulo p. The quotient q is w / p, rounded to an integer after an error below 2^-8:
/// w - q p is in [-128, 127], as a test sees of every w and p. With K p, which 256 divides, it
/// is at 2^23 again, where the last bits of a float are those of the integer.
template <int Words>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t byte_residue(const std::uint32_t (&u)[Words],
                                                       const byte_divisor<Words>& m) {
  std::uint32_t bits = m.offset;
  for (int t = 0; t < Words; ++t) bits = add_byte_products(u[t], m.weights[t], bits);
  const float w = Kokkos::bit_cast<float>(bits);
  // 1.5 2^23 + q, to the nearest integer; then K - q.
  const float less = m.shift - fma(w, m.reciprocal, 12582912.0f);
  return Kokkos::bit_cast<std::uint32_t>(fma(less, m.number, w));
}

}  // namespace acc::impl

#endif
