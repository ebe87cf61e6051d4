// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_COUNTED_LIMBS_HPP
#define ACC_CORE_EXACT_COUNTED_LIMBS_HPP

/// \file
/// Exact sums that many threads add a known number of numbers to: as shared_limbs.hpp, except that
/// no limb can get full, so that nobody looks at one on the way. An atomic addition then returns
/// nothing, which a GPU does faster.
///
/// Limbs overlap, so that a piece of a number goes to one limb whole: a float is one piece of 24
/// bits, a double two of 27 or fewer.
///
/// Why no limb overflows: let 2^n numbers or fewer be added, and limbs be s = 62 - n - piece + 1
/// bits apart or fewer. A limb that is not the last takes pieces whose last bit is one of its s
/// lowest: each below 2^(piece + s - 1). Where both pieces of a number go to one limb, the number
/// itself is below that. So all numbers together are below 2^(n + piece + s - 1) <= 2^62. The last
/// limb takes all that is higher. It holds the sum of all magnitudes, below 2^62 by the choice of
/// the count. No order of the additions leaves that range, for the bounds are of magnitudes.

#include <acc/core/exact/limb_digits.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

template <class T>
struct counted_limbs {
  using format = ieee<T>;
  static constexpr int piece = format::is_float ? 24 : 27;  ///< bits
  static constexpr int room = 62;                           ///< bits of a limb's magnitude
  /// Limbs closer than least_spacing are too many, and none need be farther than most_spacing.
  static constexpr int least_spacing = 4, most_spacing = 32;

  int unit, count, spacing;
  std::uint32_t inverse;  ///< 2^20 / spacing, rounded up

  /// Whether 2^n numbers can be added together.
  KOKKOS_FUNCTION static constexpr bool can_count(int n) {
    return n <= room + 1 - piece - least_spacing;
  }
  /// For 2^all numbers below 2^top that are multiples of 2^unit, of which 2^together at most are
  /// added before limbs are carried.
  KOKKOS_FUNCTION static counted_limbs for_range(int unit, int top, int all, int together) {
    int spacing = room + 1 - piece - together;
    if (spacing > most_spacing) spacing = most_spacing;
    const int bits = top - unit + all;
    return {unit, bits <= room ? 1 : (bits - room + spacing - 1) / spacing + 1, spacing,
            ((1u << 20) + std::uint32_t(spacing) - 1) / std::uint32_t(spacing)};
  }

  /// Adds x, a finite number, by add(limb, addend), which is called for each of its pieces.
  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION void cut(number_parts x, const Add& add) const {
    if (x.mantissa == 0) return;
    int position = x.exponent - unit;
    if (position < 0) {  // its last bits are zeros
      x.mantissa >>= -position;
      position = 0;
    }
    const auto signed_piece = [&](std::uint64_t magnitude) {
      return x.negative ? -std::int64_t(magnitude) : std::int64_t(magnitude);
    };
    const int i = limb_of(position);
    if (format::is_float || i == count - 1) {
      add(i, signed_piece(x.mantissa << (position - spacing * i)));
    } else {
      constexpr std::uint64_t mask = (std::uint64_t(1) << (piece - 1)) - 1;
      const std::uint64_t low = x.mantissa & mask, high = x.mantissa >> (piece - 1);
      if (low != 0) add(i, signed_piece(low << (position - spacing * i)));
      if (high == 0) return;
      position += piece - 1;
      const int j = limb_of(position);
      add(j, signed_piece(high << (position - spacing * j)));
    }
  }
  /// Adds x. Nobody asks what a limb was, so that an atomic addition need not return it.
  template <class Limb, class Additions>
  KOKKOS_FORCEINLINE_FUNCTION void add(number_parts x, const Limb& limb, const Additions&) const {
    cut(x, [&](int i, std::int64_t v) {
      if constexpr (Additions::alone)
        limb(i) += v;
      else
        Kokkos::atomic_add(&limb(i), v);
    });
  }

  /// Adds v 2^exponent by add(limb, addend): a multiple of 2^unit. With words of sums
  /// (counted_words.hpp) in place of numbers, limbs are for four times as many: a sum has two words
  /// at most, whose magnitudes are at most three times those of its numbers together; and a limb
  /// gets, of each word, less than it may get of a number.
  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION void cut_integer(std::int64_t v, int exponent, const Add& add) const {
    const bool negative = v < 0;
    std::uint64_t m = negative ? -std::uint64_t(v) : std::uint64_t(v);
    for (int position = exponent - unit; m != 0; m >>= piece, position += piece) {
      const auto low = std::int64_t(m & ((std::uint64_t(1) << piece) - 1));
      const int i = limb_of(position);
      if (low != 0) add(i, (negative ? -low : low) * (std::int64_t(1) << (position - spacing * i)));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION limb_digits digits() const { return {unit, count, spacing}; }
  template <class Limb>
  KOKKOS_FUNCTION void carry(const Limb& limb) const {
    digits().carry(limb);
  }
  template <class Limb>
  KOKKOS_FUNCTION T value(const Limb& limb, element_kinds kinds) const {
    return digits().template value<T>(limb, kinds);
  }
  /// Whether the last limb has no more than it holds: always.
  KOKKOS_FORCEINLINE_FUNCTION static bool holds(std::int64_t) { return true; }

 private:
  /// position / spacing, at most the last limb. Positions are below 2^12, so that the inverse,
  /// which is less than spacing / 2^20 / spacing too large, gives the quotient.
  KOKKOS_FORCEINLINE_FUNCTION int limb_of(int position) const {
    const int i = int(std::uint32_t(position) * inverse >> 20);
    return i < count ? i : count - 1;
  }
};

}  // namespace acc::impl

#endif
