// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_COUNTED_WORDS_HPP
#define ACC_CORE_EXACT_COUNTED_WORDS_HPP

/// \file
/// The exact sum of a few numbers of a known range as one or two integers, by magic numbers
/// (magic.hpp): few instructions for a number, and none that looks at its exponent.
///
/// Why nothing is lost: let numbers be multiples of 2^unit[last] and below 2^(unit[first] + 51) in
/// magnitude. The first word counts x rounded to a multiple of its unit, 2^51 units at most. Less
/// than these 2^51 keep the magic number's exponent. x + M of just 2^51 is the next power of two,
/// whose bits are M's plus 2^51, too. With two words the unit of the first is 2^50 of the last
/// one's, so what is left over is at most 2^49 units of the last word. It is a multiple of that
/// unit, so the last word counts it without rounding. A count is at most 2^51 in magnitude, so 2^11
/// numbers stay within 2^62.

#include <acc/core/exact/magic.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

template <int Words>
struct counted_words {
  static_assert(Words == 1 || Words == 2);
  /// From the lowest bit of all numbers to the highest.
  static constexpr int most_bits = 51 + 50 * (Words - 1);
  static constexpr int most_numbers = 1 << 11;

  struct sum {
    std::uint64_t word[Words] = {};  ///< with as many magic numbers as numbers were added
  };
  int unit[Words];  ///< the highest word first
  double magic[Words];

  /// Where x is rounded into a word, x + M may be the next power of two, which must be finite.
  static constexpr int highest_low = magic_number::highest_unit - 51 * (Words - 1);
  /// Whether the multiples of 2^low below 2^top fit.
  KOKKOS_FUNCTION static constexpr bool fits(int low, int top) {
    return top - low <= most_bits && low >= magic_number::lowest_unit && low <= highest_low;
  }
  KOKKOS_FUNCTION static counted_words for_multiples_of(int low) {
    counted_words c;
    for (int w = 0; w < Words; ++w) {
      c.unit[w] = low + 50 * (Words - 1 - w);
      c.magic[w] = Kokkos::bit_cast<double>(magic_number::bits(c.unit[w]));
    }
    return c;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add(sum& s, double x) const {
    for (int w = 0; w < Words; ++w) {
      const double t = counted(x, magic[w]);
      s.word[w] += Kokkos::bit_cast<std::uint64_t>(t);
      x = left_over(x, counted_part(t, magic[w]));
    }
  }
  /// Word w of the sum of n numbers, in units of 2^unit[w].
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t word(const sum& s, int w, int n) const {
    return std::int64_t(s.word[w] - std::uint64_t(n) * Kokkos::bit_cast<std::uint64_t>(magic[w]));
  }
};

}  // namespace acc::impl

#endif
