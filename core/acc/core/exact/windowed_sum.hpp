// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_WINDOWED_SUM_HPP
#define ACC_CORE_EXACT_WINDOWED_SUM_HPP

/// \file
/// Exact sums as integers of 128 bits, for vectors whose numbers, and sums of them, span no more;
/// and running sums of fewer bits, which take fewer instructions.

#include <acc/core/eft.hpp>
#include <acc/core/exact/magic.hpp>
#include <acc/core/exact/scaled_integer.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/macros.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// What the elements of a vector span. Two maxima, so that any work item may raise them in any
/// order; both are zero where there is no element except zeros.
struct element_span {
  /// Every element is below 2^(top - bias) in magnitude, and a multiple of 2^(bias - depth).
  static constexpr int bias = 2048;
  /// The top of infinities and NaN: they fit into no window.
  static constexpr std::uint32_t nonfinite = 1u << 20;

  std::uint32_t top = 0, depth = 0;

  /// Without a branch, and by few instructions: every element of a vector passes here.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void add(T x) {
    using format = ieee<T>;
    using bits_type = typename format::bits_type;
    constexpr std::uint32_t largest_field = format::is_float ? 255 : 2047;
    constexpr bits_type hidden = bits_type(1) << (format::digits - 1);
    constexpr bits_type sign = bits_type(1) << (8 * sizeof(T) - 1);
    const bits_type magnitude = Kokkos::bit_cast<bits_type>(x) & ~sign;
    const auto field = std::uint32_t(magnitude >> (format::digits - 1));
    // Subnormals are below the first power of two that is normal. They have a bit below the hidden
    // one, which may be there, too.
    const std::uint32_t scale = field == 0 ? 1 : field;
    std::uint32_t t = scale + std::uint32_t(bias + format::lowest + format::digits - 1);
    if (field == largest_field) t = nonfinite;
    std::uint32_t d = std::uint32_t(bias - format::lowest + 1) - scale -
                      std::uint32_t(trailing_zeros(magnitude | hidden));
    if (magnitude == 0) t = d = 0;
    if (t > top) top = t;
    if (d > depth) depth = d;
  }

  KOKKOS_FORCEINLINE_FUNCTION void merge(const element_span& other) {
    if (other.top > top) top = other.top;
    if (other.depth > depth) depth = other.depth;
  }

  KOKKOS_FORCEINLINE_FUNCTION int unit() const { return bias - int(depth); }
  /// Whether any sum of at most n of the elements is below 2^127 units in magnitude: n elements
  /// below 2^(top - bias) are below 2^(top - bias + l), l the digits of n.
  KOKKOS_FORCEINLINE_FUNCTION bool fits(std::uint64_t n) const {
    return top < nonfinite && bits_of_sum(n) <= 127;
  }
  /// Any sum of at most n finite elements is below 2^this units in magnitude.
  KOKKOS_FORCEINLINE_FUNCTION int bits_of_sum(std::uint64_t n) const {
    return int(top) - bias + ieee<double>::length(n) - unit();
  }
};

/// An exact sum of elements that fit, in two's complement.
template <class T>
struct windowed_sum {
  using format = ieee<T>;
  using bits_type = typename format::bits_type;
  static constexpr bits_type minus_zero = bits_type(1) << (format::is_float ? 31 : 63);

  std::uint64_t low = 0, high = 0;
  std::uint64_t others = 0;  ///< not 0 if an element was anything except -0

  /// Tells of an element in `others`.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t other_than_minus_zero(T x) {
    return Kokkos::bit_cast<bits_type>(x) ^ minus_zero;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add(T x, int unit) {
    others |= other_than_minus_zero(x);
    const number_parts p = format::parts(x);
    // The mantissa below a sign at the top of 128 bits, and from there down to its place. It is a
    // multiple of the unit, so nothing is lost; 0 may be anywhere. C++20 shifts signs in.
    const auto magnitude = std::int64_t(p.mantissa << (63 - format::digits));
    const std::int64_t m = p.negative ? -magnitude : magnitude;
    const int down = (127 - format::digits - p.exponent + unit) & 127;
    const std::int64_t h = m >> (down < 64 ? down : 63);
    const std::uint64_t l =
        down < 64 ? std::uint64_t(m) << 1 << (63 - down) : std::uint64_t(m >> (down - 64));
    add_words(l, std::uint64_t(h));
  }
  KOKKOS_FORCEINLINE_FUNCTION void merge(const windowed_sum& other) {
    add_words(other.low, other.high);
    others |= other.others;
  }
  /// Rounded once to nearest even. There must have been an element.
  KOKKOS_FORCEINLINE_FUNCTION T value(int unit) const {
    if ((low | high) == 0) return others == 0 ? T(-0.0) : T(0);
    if (unit <= format::lowest + format::digits || unit + 128 >= format::highest)
      return value_near_limits(low, high, unit);
    // The 64 leading bits, of which the last one tells of what is below: the conversion rounds. The
    // power of two is a number, and so is the product.
    const bool negative = std::int64_t(high) < 0;
    const std::uint64_t l = negative ? ~low + 1 : low;
    const std::uint64_t h = negative ? ~high + (low == 0 ? 1 : 0) : high;
    const int zeros = leading_zeros(h);
    std::uint64_t leading = l;
    if (zeros < 64) leading = h << zeros | l >> 1 >> (63 - zeros) | (l << zeros != 0 ? 1 : 0);
    const int field = unit + 64 - zeros - format::lowest - format::digits + 2;
    const T r = T(leading) * Kokkos::bit_cast<T>(bits_type(field) << (format::digits - 1));
    return negative ? -r : r;
  }

 private:
  /// A value that may be subnormal or too large.
  ACC_COLD_FUNCTION static T value_near_limits(std::uint64_t low, std::uint64_t high, int unit) {
    const std::uint32_t words[4] = {std::uint32_t(low), std::uint32_t(low >> 32),
                                    std::uint32_t(high), std::uint32_t(high >> 32)};
    return rounded_words<T, 4>(words, unit);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_words(std::uint64_t l, std::uint64_t h) {
#if defined(__SIZEOF_INT128__)  // four additions with a carry, where comparisons would be six more
    __extension__ using wide = unsigned __int128;
    const wide sum = ((wide(high) << 64) | low) + ((wide(h) << 64) | l);
    low = std::uint64_t(sum);
    high = std::uint64_t(sum >> 64);
#else
    low += l;
    high += h + (low < l ? 1 : 0);
#endif
  }
};

/// A windowed_sum on its way along a few elements, in two words: by magic numbers (magic.hpp), with
/// a third of the instructions for an element, and for a rounding.
///
/// Why it is exact: a unit of the high word is 2^gap units, and elements are below 2^51 of those.
/// So it counts each as a multiple of its unit, 2^51 at most. What is left over is at most half of
/// that unit, and the low word counts all of it, for up to 2^20 elements. The high word then holds
/// any sum below 2^63 of its units.
template <class T>
class windowed_words {
  using format = ieee<T>;
  using bits_type = typename format::bits_type;

 public:
  /// What value() asks for.
  static constexpr int gap = format::is_float ? 37 : 42;
  static constexpr int most_bits = gap + 63;     ///< of a sum
  static constexpr int most_elements = 1 << 20;  ///< from one windowed_sum to another

  /// Whether it holds the sums of at most n of the elements. Then x + M is finite, and the powers
  /// of two in value() are normal numbers of T.
  KOKKOS_FORCEINLINE_FUNCTION static bool hold(const element_span& span, std::uint64_t n) {
    constexpr int lowest = 2 - format::highest,
                  highest = format::highest - (format::is_float ? 1 : 54);
    const int unit = span.unit(), top = int(span.top) - element_span::bias;
    return span.top < element_span::nonfinite && top - unit <= gap + 51 &&
           span.bits_of_sum(n) <= most_bits && unit >= lowest && unit + gap <= highest;
  }

  KOKKOS_FORCEINLINE_FUNCTION windowed_words(const windowed_sum<T>& sum, int unit)
      : high_(sum.high << (64 - gap) | sum.low >> gap),
        low_(sum.low & low_mask),
        others_(sum.others),
        high_magic_(magic(unit + gap)),
        low_magic_(magic(unit)) {}

  KOKKOS_FORCEINLINE_FUNCTION void add(T x) {
    others_ |= windowed_sum<T>::other_than_minus_zero(x);
    // A float by way of a register of its own: from memory, GCC 16 converts it into the register of
    // the last result, and so waits for that one.
    if constexpr (format::is_float) x = rounded(x);
    const double number = x, t = counted(number, high_magic_);
    high_ += difference(t, high_magic_);
    low_ += difference(counted(left_over(number, counted_part(t, high_magic_)), low_magic_),
                       low_magic_);
  }
  KOKKOS_FORCEINLINE_FUNCTION windowed_sum<T> sum() const {
    const std::uint64_t high = carried();
    windowed_sum<T> s;
    s.low = high << gap | (low_ & low_mask);
    s.high = std::uint64_t(std::int64_t(high) >> (64 - gap));
    s.others = others_;
    return s;
  }
  /// Rounded once to nearest even. There must have been an element.
  KOKKOS_FORCEINLINE_FUNCTION T value(int unit) const {
    const auto high = std::int64_t(carried());
    const std::uint64_t low = low_ & low_mask;
    if ((std::uint64_t(high) | low) == 0) return others_ == 0 ? T(-0.0) : T(0);
    if constexpr (format::is_float) {
      // Below 2^63 units all of it, else the high word, whose last bit tells of the low one: it has
      // 26 bits and more, of which the conversion keeps 24.
      // Without a branch, which a processor would foresee badly.
      constexpr std::int64_t few = std::int64_t(1) << (63 - gap);
      const std::int64_t small = -std::int64_t(high >= -few && high < few);
      const std::int64_t leading = (std::int64_t(std::uint64_t(high) << gap | low) & small) |
                                   ((high | std::int64_t(low != 0)) & ~small);
      return mul(T(leading), power_of_two(unit + (gap & int(~small))));
    } else {
      // a 2^52 + b with -2^53 <= a < 2^53 and 0 <= b < 2^52: three doubles, and one rounding.
      constexpr int rest_bits = 52 - gap;
      const auto a = double(high >> rest_bits);
      const auto b =
          double(std::int64_t((std::uint64_t(high) & ((1u << rest_bits) - 1)) << gap | low));
      return mul(impl::add(mul(a, 0x1p52), b), power_of_two(unit));
    }
  }

 private:
  static constexpr std::uint64_t low_mask = (std::uint64_t(1) << gap) - 1;

  KOKKOS_FORCEINLINE_FUNCTION static T power_of_two(int e) {
    return Kokkos::bit_cast<T>(bits_type(e + format::highest - 1) << (format::digits - 1));
  }
  KOKKOS_FORCEINLINE_FUNCTION static double magic(int unit) {
    return Kokkos::bit_cast<double>(magic_number::bits(unit));
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t difference(double t, double m) {
    return Kokkos::bit_cast<std::uint64_t>(t) - Kokkos::bit_cast<std::uint64_t>(m);
  }
  /// The high word once the low one has less than 2^gap units, and no sign.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t carried() const {
    return high_ + std::uint64_t(std::int64_t(low_) >> gap);
  }

  std::uint64_t high_, low_;  ///< in two's complement
  std::uint64_t others_;      ///< of windowed_sum
  double high_magic_, low_magic_;
};

}  // namespace acc::impl

#endif
