// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_RESIDUES_HPP
#define ACC_CORE_EXACT_RESIDUES_HPP

/// \file
/// From the numbers of a row (row_scale.hpp) to residues, by integer operations alone:
///  - biased_integer: a number in the row's unit, as words;
///  - byte_residue: its residue, a signed byte.

#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/macros.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// Words of 32 bits for integers |a| <= 2^width and the bias.
ACC_FUNCTION constexpr int words_for(int width) { return (width + 2 + 31) / 32; }

/// x in units of 2^unit, rounded to nearest even (which changes nothing in the exact unit), plus
/// 2^(32 Words - 1): not negative, for |x| <= 2^(unit + 32 Words - 2).
template <int Words, class T>
KOKKOS_FORCEINLINE_FUNCTION void biased_integer(T x, int unit, std::uint32_t (&u)[Words]) {
  const number_parts p = ieee<T>::parts(x);
  int shift = p.mantissa == 0 ? 0 : p.exponent - unit;
  std::uint64_t m = p.mantissa;
  if (shift < 0) {
    m = cut_mantissa(m, -shift);
    shift = 0;
  }
  if constexpr (Words <= 2) {
    const std::uint64_t magnitude = m << shift;
    const std::uint64_t x64 = p.negative ? 0 - magnitude : magnitude;
    u[0] = std::uint32_t(x64);
    if constexpr (Words == 2) u[1] = std::uint32_t(x64 >> 32);
    u[Words - 1] ^= std::uint32_t(1) << 31;
    return;
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
  std::uint32_t p, upper, offset, weights[Words];

  byte_divisor() = default;
  KOKKOS_FORCEINLINE_FUNCTION byte_divisor(const modulus_constants& m)
      : p(m.p), upper(m.upper), offset(m.offset[Words - 1]) {
    for (int t = 0; t < Words; ++t) weights[t] = m.weights[t];
  }
};

/// The residue of a number that biased_integer made, in [-128, p - 129]: a signed byte, for
/// byte_moduli.
///
/// Its bytes, times 256^t modulo p, and the offset are v < 20 * 255^2 + 256 < 2^24, so the quotient
/// is exact; v is A' + 128 modulo p.
template <int Words>
KOKKOS_FORCEINLINE_FUNCTION int byte_residue(const std::uint32_t (&u)[Words],
                                             const byte_divisor<Words>& m) {
  std::uint32_t v = m.offset;
  for (int t = 0; t < Words; ++t) v = add_byte_products(u[t], m.weights[t], v);
  const std::uint32_t quotient = std::uint32_t(std::uint64_t(v) * m.upper >> 32);
  return int(v - quotient * m.p) - 128;
}
template <int Words>
KOKKOS_FORCEINLINE_FUNCTION int byte_residue(const std::uint32_t (&u)[Words],
                                             const modulus_constants& m) {
  return byte_residue(u, byte_divisor<Words>(m));
}

}  // namespace acc::impl

#endif
