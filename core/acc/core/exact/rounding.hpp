// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_ROUNDING_HPP
#define ACC_CORE_EXACT_ROUNDING_HPP

/// \file
/// How an exact sum becomes a floating-point number: the one rounding of long integers, and the
/// numbers of sums that have no digits.
///
/// Whoever keeps a long integer, in one thread or in a warp, finds its leading bits; what they are
/// rounded to is decided here.

#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// Whether a number between two neighbours goes to the one of greater magnitude: `half` is the
/// first bit behind the lesser's mantissa, `below` whether any further one is set.
KOKKOS_INLINE_FUNCTION bool rounds_away(rounding mode, bool negative, bool odd, bool half,
                                        bool below) {
  switch (mode) {
    case rounding::nearest:
      return half && (below || odd);
    case rounding::upward:
      return !negative && (half || below);
    case rounding::downward:
      return negative && (half || below);
    default:
      return false;
  }
}

/// A number that is not zero, of any length: |x| = (bits + f) 2^exponent, 0 <= f < 1.
struct leading_bits {
  std::uint64_t bits;  ///< the highest one is set
  bool below;          ///< whether f > 0
  int exponent;
  bool negative;
};

/// The number rounded to `digits` <= 63 bits, none of them worth less than 2^lowest.
KOKKOS_INLINE_FUNCTION number_parts rounded_parts(const leading_bits& x, int digits, int lowest,
                                                  rounding mode) {
  const int dropped =
      64 - digits > lowest - x.exponent ? 64 - digits : lowest - x.exponent;  // at least 1
  number_parts r{dropped < 64 ? x.bits >> dropped : 0, x.exponent + dropped, x.negative};
  const bool half = dropped <= 64 && (x.bits >> (dropped - 1) & 1) != 0;
  const bool below =
      x.below || dropped > 64 || (x.bits & ((std::uint64_t(1) << (dropped - 1)) - 1)) != 0;
  if (rounds_away(mode, x.negative, (r.mantissa & 1) != 0, half, below)) ++r.mantissa;
  return r;
}

/// The number rounded to T, with T's subnormal numbers and overflow.
template <class T>
KOKKOS_INLINE_FUNCTION T rounded_number(const leading_bits& x, rounding mode) {
  using format = ieee<T>;
  return format::number(rounded_parts(x, format::digits, format::lowest, mode), mode);
}

/// A sum of elements that were not all finite.
template <class T>
KOKKOS_INLINE_FUNCTION T nonfinite_sum(element_kinds kinds) {
  if (kinds.invalid()) return canonical_nan<T>();
  return T(kinds.infinity()) * Kokkos::Experimental::infinity_v<T>;
}

/// A sum that is zero.
template <class T>
KOKKOS_INLINE_FUNCTION T zero_sum(element_kinds kinds) {
  return kinds.zero_is_negative() ? T(-0.0) : T(0);
}

}  // namespace acc::impl

#endif
