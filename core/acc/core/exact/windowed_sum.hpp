// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_WINDOWED_SUM_HPP
#define ACC_CORE_EXACT_WINDOWED_SUM_HPP

/// \file
/// Exact sums as integers of 128 bits, for vectors whose numbers, and sums of them, span no more.

#include <acc/core/exact/scaled_integer.hpp>
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

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void add(T x) {
    using format = ieee<T>;
    if (x == T(0)) return;
    const number_parts p = format::parts(x);
    const auto t =
        x - x == T(0) ? std::uint32_t(p.exponent + format::length(p.mantissa) + bias) : nonfinite;
    const auto d =
        std::uint32_t(bias - p.exponent - Kokkos::Experimental::countr_zero_builtin(p.mantissa));
    if (t > top) top = t;
    if (d > depth) depth = d;
  }

  KOKKOS_FORCEINLINE_FUNCTION int unit() const { return bias - int(depth); }
  /// Whether any sum of at most n of the elements is below 2^127 units in magnitude: n elements
  /// below 2^(top - bias) are below 2^(top - bias + l), l the digits of n.
  KOKKOS_FORCEINLINE_FUNCTION bool fits(std::uint64_t n) const {
    return top < nonfinite && int(top) - bias + ieee<double>::length(n) - unit() <= 127;
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

  KOKKOS_FORCEINLINE_FUNCTION void add(T x, int unit) {
    others |= Kokkos::bit_cast<bits_type>(x) ^ minus_zero;
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
    const int zeros = Kokkos::Experimental::countl_zero_builtin(h);
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
    low += l;
    high += h + (low < l ? 1 : 0);
  }
};

}  // namespace acc::impl

#endif
