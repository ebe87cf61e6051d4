// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_LIMB_DIGITS_HPP
#define ACC_CORE_EXACT_LIMB_DIGITS_HPP

/// \file
/// A sum in 64-bit limbs that overlap: sum of limb(i) 2^(unit + spacing i), i < count. How it is
/// carried and rounded. Nobody adds to it meanwhile.

#include <acc/core/exact/rounding.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// Every function gets the limbs as a function of i that returns a reference. They are below 2^62
/// in magnitude.
struct limb_digits {
  int unit, count, spacing;

  /// Carries: all limbs but the last become digits of `spacing` bits; the last has the sign.
  template <class Limb>
  KOKKOS_FORCEINLINE_FUNCTION void carry(const Limb& limb) const {
    std::int64_t c = 0;
    for (int i = 0; i < count - 1; ++i) {
      const std::int64_t v = limb(i) + c;
      limb(i) = v & ((std::int64_t(1) << spacing) - 1);
      c = v >> spacing;
    }
    limb(count - 1) += c;
  }

  /// The sum, rounded to nearest even; the limbs are carried then.
  template <class T, class Limb>
  KOKKOS_FORCEINLINE_FUNCTION T value(const Limb& limb, element_kinds kinds) const {
    if (!kinds.finite()) return nonfinite_sum<T>(kinds);
    carry(limb);
    const bool negative = limb(count - 1) < 0;
    if (negative) negate(limb);
    int i = count - 1;
    while (i >= 0 && limb(i) == 0) --i;
    if (i < 0) return zero_sum<T>(kinds);
    std::uint64_t bits = std::uint64_t(limb(i));
    int left = Kokkos::Experimental::countl_zero_builtin(bits);  // bits to fill
    bits <<= left;
    const int exponent = unit + spacing * i - left;
    bool below = false;
    for (--i; i >= 0 && left > 0; --i) {
      const auto digit = std::uint64_t(limb(i));
      left -= spacing;
      bits |= left >= 0 ? digit << left : digit >> -left;
      if (left < 0) below = (digit & ((std::uint64_t(1) << -left) - 1)) != 0;
    }
    for (; i >= 0 && !below; --i) below = limb(i) != 0;
    if (negative) negate(limb);
    return rounded_number<T>({bits, below, exponent, negative}, rounding::nearest);
  }

 private:
  template <class Limb>
  KOKKOS_FORCEINLINE_FUNCTION void negate(const Limb& limb) const {
    for (int i = 0; i < count; ++i) limb(i) = -limb(i);
    carry(limb);
  }
};

}  // namespace acc::impl

#endif
