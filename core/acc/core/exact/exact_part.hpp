// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_EXACT_PART_HPP
#define ACC_CORE_EXACT_EXACT_PART_HPP

/// \file
/// An exact sum as sign and magnitude, or as much of it as was added: what is rounded, multiplied
/// and divided.

#include <acc/core/exact/long_integer.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/superaccumulator.hpp>

namespace acc::impl {

/// Windows have so many limbs or more. Sums of fewer skip nothing.
inline constexpr int least_window_limbs = 6;

/// A sum S of products: its magnitude's digits and its sign. |S - digits 2^unit| < 2^bound where
/// some products were skipped, else equal.
template <int Limbs>
struct exact_part {
  long_integer<Limbs> magnitude;
  int unit = 0;
  bool negative = false;
  element_kinds kinds;
  bool skips = false;
  int bound = 0;

  /// Once its digits, of any sign, are there.
  KOKKOS_INLINE_FUNCTION void settle() {
    magnitude.carry();
    negative = magnitude.take_sign();
  }
  /// Multiplies by 2^exponent.
  KOKKOS_FORCEINLINE_FUNCTION void lift(int exponent) {
    unit += exponent;
    bound += exponent;
  }
  /// Adds 2^exponent or subtracts it.
  KOKKOS_INLINE_FUNCTION void move(int exponent, bool down) {
    magnitude.add(1, exponent - unit, down != negative);
    magnitude.carry();
    if (magnitude.take_sign()) negative = !negative;
  }
  /// Adds it, which skips nothing, to s, of the type that its numbers have.
  template <class T>
  KOKKOS_INLINE_FUNCTION void add_to(superaccumulator<T>& s) const {
    for (int i = 0; i < Limbs; ++i)
      if (magnitude.limb[i] != 0)
        s.add_integer(negative ? -magnitude.limb[i] : magnitude.limb[i], unit + 32 * i);
    s.add_kinds(kinds);
    s.normalise();
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION void take(const superaccumulator<T>& s) {
    magnitude = s.sum_;
    unit = s.unit_exponent;
    kinds = s.kinds_;
    settle();
  }
};

}  // namespace acc::impl

#endif
