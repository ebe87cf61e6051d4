// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_SCALED_INTEGER_HPP
#define ACC_CORE_EXACT_SCALED_INTEGER_HPP

/// \file
/// The integers that crt.hpp puts together, as numbers: rounded once, or as long integers for sums
/// that are still to be scaled (core/gemm/exact_entry.hpp).

#include <acc/core/exact/long_integer.hpp>
#include <acc/core/exact/rounding.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// Words in two's complement, as a carried long integer in the same units.
template <int Words, class W>
KOKKOS_FORCEINLINE_FUNCTION long_integer<Words> carried_integer(const W* x) {
  long_integer<Words> r;
  for (int j = 0; j < Words; ++j) r.limb[j] = std::int64_t(std::uint32_t(x[j]));
  r.limb[Words - 1] = std::int32_t(std::uint32_t(x[Words - 1]));
  return r;
}

/// The 64 leading bits of the number with these words in two's complement, in units of 2^unit; of
/// zero, bits = 0. (Every index is known where the loops are written out: nothing goes to memory.)
template <int Words, class W>
KOKKOS_FORCEINLINE_FUNCTION leading_bits leading_bits_of(const W* x, int unit) {
  const bool negative = std::int32_t(std::uint32_t(x[Words - 1])) < 0;
  const std::uint32_t sign = negative ? ~std::uint32_t(0) : 0;
  std::uint32_t word[Words + 2], any[Words + 3];  // magnitude, two zeros first; what is below each
  word[0] = word[1] = any[0] = any[1] = any[2] = 0;
  std::uint64_t carry = negative ? 1 : 0;
  for (int j = 0; j < Words; ++j) {
    carry += std::uint32_t(x[j]) ^ sign;
    word[j + 2] = std::uint32_t(carry);
    any[j + 3] = any[j + 2] | word[j + 2];
    carry >>= 32;
  }
  // The first word that is not zero, the two below it, and the rest.
  std::uint32_t a = word[Words + 1], b = word[Words], c = word[Words - 1], rest = any[Words - 1];
  int end = 32 * Words;
  for (int j = Words; j > 1; --j) {
    if (a != 0) break;
    a = word[j];
    b = word[j - 1];
    c = word[j - 2];
    rest = any[j - 2];
    end -= 32;
  }
  const int zeros = a == 0 ? 0 : leading_zeros(a);
  const std::uint64_t ab = std::uint64_t(a) << 32 | b;
  const std::uint32_t into = std::uint32_t(std::uint64_t(c) << zeros >> 32);
  const std::uint32_t beyond = std::uint32_t(std::uint64_t(c) << zeros);
  return {ab << zeros | into, (beyond | rest) != 0, end - zeros - 64 + unit, negative};
}

/// Whether the conversion of an integer of 64 bits rounds it, as the power of two is a number, and
/// so is the product.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool conversion_rounds(int unit) {
  using format = ieee<T>;
  return unit > format::lowest + format::digits && unit + 64 < format::highest;
}
/// x 2^unit of two words at most, where it does.
template <class T, int Words, class W>
KOKKOS_FORCEINLINE_FUNCTION T converted_words(const W* x, int unit) {
  static_assert(Words <= 2);
  using format = ieee<T>;
  std::int64_t v = std::int32_t(std::uint32_t(x[Words - 1]));
  if constexpr (Words == 2) v = std::int64_t(std::uint64_t(v) << 32 | std::uint32_t(x[0]));
  const int field = unit - format::lowest - format::digits + 2;
  return T(v) * Kokkos::bit_cast<T>(typename format::bits_type(field) << (format::digits - 1));
}

/// x 2^unit, rounded once to nearest even; x: words in two's complement. Zero is +0.
template <class T, int Words, class W>
KOKKOS_FORCEINLINE_FUNCTION T rounded_words(const W* x, int unit) {
  using format = ieee<T>;
  using bits_type = typename format::bits_type;
  if constexpr (Words <= 2) {
    if (conversion_rounds<T>(unit)) return converted_words<T, Words>(x, unit);
  }
  const leading_bits v = leading_bits_of<Words>(x, unit);
  if (v.bits == 0) return T(0);
  // A normal number: its 64 bits but the last ones. Beyond the largest one, a carry makes infinity.
  constexpr int dropped = 64 - format::digits;
  const int exponent = v.exponent + dropped;
  if (exponent >= format::lowest && v.exponent + 64 <= format::highest) {
    const bits_type mantissa = bits_type(v.bits >> dropped);
    const bool half = (v.bits >> (dropped - 1) & 1) != 0;
    const bool below = v.below || (v.bits & ((std::uint64_t(1) << (dropped - 1)) - 1)) != 0;
    // The hidden bit counts the exponent field up by one, and so does a carry.
    bits_type bits = (bits_type(exponent - format::lowest) << (format::digits - 1)) + mantissa +
                     (half && (below || (mantissa & 1) != 0) ? 1 : 0);
    if (v.negative) bits |= bits_type(1) << (format::is_float ? 31 : 63);
    return Kokkos::bit_cast<T>(bits);
  }
  return rounded_number<T>(v, rounding::nearest);
}

}  // namespace acc::impl

#endif
