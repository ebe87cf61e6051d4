// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_ROW_SCALE_HPP
#define ACC_CORE_EXACT_ROW_SCALE_HPP

/// \file
/// The unit in which the numbers of a row are integers, by integer operations alone:
///  - number_range: what bits they hold, merged in any order;
///  - scale_of, cut_scale_of: the row's unit, exact or cut (acc::fixed_point);
///  - cut_number: a number of a row that is cut.
/// A row is a row of A or a column of B.

#include <acc/core/exact/rounding.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// Every number so far is a multiple of 2^low and, in magnitude, below 2^top. Numbers merge by
/// maximum and minimum, so their order does not count.
struct number_range {
  static constexpr int far = 1 << 20;
  int top = -far;  ///< -far where all are zero, far where one is infinite or NaN
  int low = far;   ///< far where all are zero

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static number_range of(T x) {
    using format = ieee<T>;
    const number_parts p = format::parts(x);
    if (p.mantissa == 0) return {};
    const int top = p.exponent + format::length(p.mantissa);
    return {top > format::highest ? far : top, p.exponent + trailing_zeros(p.mantissa)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void merge(const number_range& b) {
    if (b.top > top) top = b.top;
    if (b.low < low) low = b.low;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool finite() const { return top < far; }
  KOKKOS_FORCEINLINE_FUNCTION bool zero() const { return top == -far; }
};

/// The same of numbers that are added one by one, which takes fewer instructions.
template <class T>
class number_range_sum {
  using format = ieee<T>;
  using bits_type = typename format::bits_type;
  static constexpr int sign = format::is_float ? 31 : 63;

 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(T x) {
    constexpr bits_type hidden = bits_type(1) << (format::digits - 1);
    const bits_type signed_bits = Kokkos::bit_cast<bits_type>(x);
    signs_ |= signed_bits;
    const bits_type bits = signed_bits & ~(bits_type(1) << sign);
    if (bits > largest_) largest_ = bits;
    const int field = int(bits >> (format::digits - 1));
    // The hidden bit of a subnormal number is higher than its own: it does not count.
    const int low = trailing_zeros(bits_type(bits | hidden)) + (field == 0 ? 1 : field);
    if (bits != 0 && low < low_) low_ = low;
  }
  KOKKOS_FORCEINLINE_FUNCTION number_range range() const {
    if (largest_ == 0) return {};
    number_range r = number_range::of(Kokkos::bit_cast<T>(largest_));
    r.low = low_ + format::lowest - 1;
    return r;
  }
  /// Whether a number has a sign, be it -0.
  KOKKOS_FORCEINLINE_FUNCTION bool has_sign() const { return signs_ >> sign != 0; }

 private:
  bits_type signs_ = 0;              ///< the highest bit counts
  bits_type largest_ = 0;            ///< magnitude
  int low_ = 2 * number_range::far;  ///< the lowest bit, from the lowest of all
};

/// A row in units of 2^unit: every number is an integer of magnitude 2^width at most.
struct row_scale {
  int unit, width;

  KOKKOS_FORCEINLINE_FUNCTION bool finite() const { return width < number_range::far; }
};

/// The unit in which nothing is lost. The width is 0 of zeros, and far where a number is infinite
/// or NaN.
KOKKOS_FORCEINLINE_FUNCTION row_scale scale_of(const number_range& r) {
  if (!r.finite()) return {0, number_range::far};
  if (r.zero()) return {0, 0};
  return {r.low, r.top - r.low};
}
/// The unit of numbers that are cut to so many bits (acc::fixed_point): with the largest magnitude
/// in [2^(top - 1), 2^top), 2^(top - bits), and no less than the exact unit. Numbers are rounded to
/// it, to nearest, ties to even, so each is changed by at most 2^(top - bits - 1) <= 2^-bits max
/// |a|, and a sum of k products by at most k (2^(1 - bits) + 2^(-2 bits)) max |a| max |b|. A cut
/// row's width is at most bits: 2^bits is possible.
KOKKOS_FORCEINLINE_FUNCTION row_scale cut_scale_of(const number_range& r, int bits) {
  if (!r.finite()) return {0, number_range::far};
  if (r.zero()) return {0, 0};
  const int unit = r.top - bits > r.low ? r.top - bits : r.low;
  return {unit, r.top - unit};
}

/// The m 2^-dropped of a number's parts, rounded to nearest even; dropped >= 1.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t cut_mantissa(std::uint64_t m, int dropped) {
  if (dropped > 55) dropped = 55;  // m < 2^53: 55 bits are as good as more
  return (m + ((std::uint64_t(1) << (dropped - 1)) - 1) + (m >> dropped & 1)) >> dropped;
}

/// Whether numbers of a row that is cut may be rounded to 2^highest, which is none of type T.
/// cut_number gives half of each number of such a row: none has a bit so low that it is lost.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_halved(const row_scale& s) {
  return s.finite() && s.unit + s.width == ieee<T>::highest;
}

/// x, one of a row's numbers, rounded to the row's unit; a zero has x's sign. A row with infinities
/// or NaN is not cut.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T cut_number(T x, const row_scale& s) {
  using format = ieee<T>;
  if (!s.finite()) return x;
  number_parts p = format::parts(x);
  if (p.exponent < s.unit) {
    p.mantissa = cut_mantissa(p.mantissa, s.unit - p.exponent);
    p.exponent = s.unit;
  }
  if (is_halved<T>(s)) --p.exponent;
  return format::number(p, rounding::nearest);
}

}  // namespace acc::impl

#endif
