// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_NUMBERS_ELEMENT_KINDS_HPP
#define ACC_CORE_NUMBERS_ELEMENT_KINDS_HPP

/// \file
/// What an order-free sum must know of its elements besides their sum: which of them were not
/// finite, and whether a zero result has a sign.

#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc {

/// The kinds of elements that a sum has had, as a set of bits. Sets merge by union, so neither
/// order nor number of the elements shows in them; nothing can overflow.
///
/// A zero only matters where every element is one, so `nonzero` absorbs both zeros: a kernel finds
/// the whole set from the bitwise OR and AND of the elements' bits.
struct element_kinds {
  static constexpr std::uint32_t nan = 1;
  static constexpr std::uint32_t plus_infinity = 2;
  static constexpr std::uint32_t minus_infinity = 4;
  static constexpr std::uint32_t minus_zero = 8;
  static constexpr std::uint32_t plus_zero = 16;
  /// Any element except a zero, NaN and infinities included.
  static constexpr std::uint32_t nonzero = 32;
  static constexpr int count = 6;
  static constexpr std::uint32_t all = (1u << count) - 1;

  std::uint32_t bits = 0;

  /// The kind of x, judged as IEEE values are.
  template <class T>
  KOKKOS_INLINE_FUNCTION static element_kinds of(T x) {
    if (x != x) return {nan | nonzero};
    if (x == T(0)) return zero(impl::ieee<T>::is_negative(x));
    // Not x - x == 0: with a product of the caller a compiler could contract that to its error.
    if (impl::is_finite(x)) return {nonzero};
    return {(x > T(0) ? plus_infinity : minus_infinity) | nonzero};
  }
  KOKKOS_INLINE_FUNCTION static element_kinds zero(bool negative) {
    return {negative ? minus_zero : plus_zero};
  }

  KOKKOS_INLINE_FUNCTION void merge(element_kinds other) {
    bits |= other.bits;
    if (bits & nonzero) bits &= ~(minus_zero | plus_zero);
  }

  /// The kinds of the negated elements.
  KOKKOS_INLINE_FUNCTION element_kinds negated() const {
    const std::uint32_t to_minus = bits & plus_infinity, to_plus = bits & minus_infinity;
    const std::uint32_t to_plus_zero = bits & minus_zero, to_minus_zero = bits & plus_zero;
    return {(bits & (nan | nonzero)) | to_minus << 1 | to_plus >> 1 | to_plus_zero << 1 |
            to_minus_zero >> 1};
  }

  KOKKOS_INLINE_FUNCTION bool finite() const {
    return (bits & (nan | plus_infinity | minus_infinity)) == 0;
  }
  /// NaN, or infinities of both signs.
  KOKKOS_INLINE_FUNCTION bool invalid() const {
    const std::uint32_t both = plus_infinity | minus_infinity;
    return (bits & nan) != 0 || (bits & both) == both;
  }
  /// -1 and 1 for the infinities, 0 for a finite sum. Not of an invalid one.
  KOKKOS_INLINE_FUNCTION int infinity() const {
    return bits & plus_infinity ? 1 : bits & minus_infinity ? -1 : 0;
  }
  /// A zero sum is -0: there was an element, and all were -0.
  KOKKOS_INLINE_FUNCTION bool zero_is_negative() const { return bits == minus_zero; }

  KOKKOS_INLINE_FUNCTION friend bool operator==(element_kinds a, element_kinds b) {
    return a.bits == b.bits;
  }
};

}  // namespace acc

#endif
