// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_SIGNED_SUM_HPP
#define ACC_CORE_EXACT_SIGNED_SUM_HPP

/// \file
/// Superaccumulators as natural numbers, to be multiplied, divided and compared.

#include <acc/core/exact/natural.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Macros.hpp>

namespace acc::impl {

/// Digits for the product of two sums of numbers of type T, which begin at 2^lowest, and a few for
/// counts.
template <class T>
inline constexpr int digits_of_products =
    2 * ((superaccumulator<T>::limbs * 32 + 31 + ieee<T>::lowest) / 32 + 1) + 8;

/// A sum of numbers, or of products of two, of type T (float or double): magnitude 2^unit and a
/// sign.
template <class T>
struct signed_sum : signed_natural<digits_of_products<T>> {
  using integer = natural<digits_of_products<T>>;

  int unit;

  KOKKOS_INLINE_FUNCTION explicit signed_sum(const superaccumulator<T>& s)
      : signed_natural<digits_of_products<T>>(s.sum_), unit(s.unit_exponent + 32 * this->low) {}
};

}  // namespace acc::impl

#endif
