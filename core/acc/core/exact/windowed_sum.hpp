// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_WINDOWED_SUM_HPP
#define ACC_CORE_EXACT_WINDOWED_SUM_HPP

/// \file
/// Exact sums as integers of 128 bits, for vectors whose numbers, and sums of them, span no more.

#include <acc/core/exact/scaled_integer.hpp>
#include <acc/core/numbers/ieee_number.hpp>

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
    const auto d = std::uint32_t(bias - p.exponent - Kokkos::countr_zero(p.mantissa));
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
  std::uint64_t low = 0, high = 0;
  std::uint64_t is_minus_zero = 1;  ///< no element was anything except -0

  KOKKOS_FORCEINLINE_FUNCTION void add(T x, int unit) {
    using format = ieee<T>;
    is_minus_zero &= Kokkos::bit_cast<typename format::bits_type>(x) ==
                             Kokkos::bit_cast<typename format::bits_type>(T(-0.0))
                         ? 1
                         : 0;
    const number_parts p = format::parts(x);
    // The mantissa at the top of 128 bits, and from there down to its place. It is a multiple of
    // the unit, so nothing is lost; 0 may be anywhere.
    const std::uint64_t m = p.mantissa << (64 - format::digits);
    const int down = (128 - format::digits - p.exponent + unit) & 127;
    std::uint64_t h = down < 64 ? m >> down : 0;
    std::uint64_t l = down < 64 ? m << 1 << (63 - down) : m >> (down - 64);
    if (p.negative) {
      l = ~l + 1;
      h = ~h + (l == 0 ? 1 : 0);
    }
    add_words(l, h);
  }
  KOKKOS_FORCEINLINE_FUNCTION void merge(const windowed_sum& other) {
    add_words(other.low, other.high);
    is_minus_zero &= other.is_minus_zero;
  }
  /// Rounded once to nearest even. There must have been an element.
  KOKKOS_FORCEINLINE_FUNCTION T value(int unit) const {
    if ((low | high) == 0) return is_minus_zero != 0 ? T(-0.0) : T(0);
    const std::uint32_t words[4] = {std::uint32_t(low), std::uint32_t(low >> 32),
                                    std::uint32_t(high), std::uint32_t(high >> 32)};
    return rounded_words<T, 4>(words, unit);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_words(std::uint64_t l, std::uint64_t h) {
    low += l;
    high += h + (low < l ? 1 : 0);
  }
};

}  // namespace acc::impl

#endif
