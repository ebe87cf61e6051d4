// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_ROOT_HPP
#define ACC_CORE_EXACT_ROOT_HPP

/// \file
/// The correctly rounded square root of an order-free sum of squares.

#include <acc/core/binned.hpp>
#include <acc/core/eft.hpp>
#include <acc/core/exact/binned_squares.hpp>
#include <acc/core/exact/natural.hpp>
#include <acc/core/exact/rounding.hpp>
#include <acc/core/exact/signed_sum.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// The exact number that a sum holds, as a long accumulator.
template <class T>
KOKKOS_INLINE_FUNCTION const superaccumulator<T>& as_superaccumulator(
    const superaccumulator<T>& sum) {
  return sum;
}
template <class Binned>
KOKKOS_INLINE_FUNCTION superaccumulator<double> sum_of_bins(const Binned& sum) {
  std::int64_t words[Binned::wire_words];
  sum.to_wire(words);
  superaccumulator<double> s;
  s.add_kinds(sum.kinds());
  for (int k = 0; k < Binned::bins; ++k) {
    const int unit = Binned::unit_exponent(sum.top() - k - Binned::unscaled);
    // The lowest bin of squares begins 6 bits below s, of whose unit all squares are multiples.
    const int below = unit < s.unit_exponent ? s.unit_exponent - unit : 0;
    s.add_integer(words[3 + 2 * k], unit + Binned::bin_width);
    s.add_integer(words[4 + 2 * k] >> below, unit + below);
  }
  return s;
}
template <class T, int K>
KOKKOS_INLINE_FUNCTION superaccumulator<double> as_superaccumulator(const binned<T, K>& sum) {
  return sum_of_bins(sum);
}
template <int K>
KOKKOS_INLINE_FUNCTION superaccumulator<double> as_superaccumulator(const binned_squares<K>& sum) {
  return sum_of_bins(sum);
}

/// The sign of magnitude 2^unit - m^2, m the midpoint between root and the next number: -1, 0 or 1.
/// root is finite and not negative. (m^2 has at most four digits. In a common unit, of at least
/// 2^(2 lowest - 2), either has the digits of a sum of products at most.)
template <class T, int Digits>
KOKKOS_INLINE_FUNCTION int compare_with_midpoint(natural<Digits> magnitude, int unit, T root) {
  const number_parts r = ieee<T>::parts(root);
  const natural<Digits> twice(2 * r.mantissa + 1);
  natural<Digits> square = twice * twice;
  const int above = 2 * (r.exponent - 1) - unit;
  if (above > 0)
    square.shift_left(above);
  else
    magnitude.shift_left(-above);
  return compare(magnitude, square);
}

/// The correctly rounded square root (to nearest even) of a sum of squares.
template <class T, class Accumulator>
KOKKOS_INLINE_FUNCTION T rounded_root_of(const Accumulator& accumulator) {
  using bits = typename ieee<T>::bits_type;
  const auto& sum = as_superaccumulator(accumulator);
  if (!sum.kinds().finite()) return T(sum.value());
  const signed_sum<typename std::decay_t<decltype(sum)>::scalar_type> square(sum);
  if (square.magnitude.is_zero()) return T(0);
  // Within an ulp or two of the root, or the largest number; then by exact comparisons.
  const leading_bits lead = square.magnitude.leading(square.unit, false);
  const int odd = lead.exponent & 3;  // half of a multiple of 4 is even
  T root =
      T(times_power_of_two(impl::sqrt(double(lead.bits) * (1 << odd)), (lead.exponent - odd) / 2));
  if (!is_finite(root)) root = Kokkos::Experimental::finite_max_v<T>;
  bits r = Kokkos::bit_cast<bits>(root);
  const auto above = [&](bits candidate) {  // whether the root is above candidate, once rounded
    const int c =
        compare_with_midpoint(square.magnitude, square.unit, Kokkos::bit_cast<T>(candidate));
    return c > 0 || (c == 0 && (candidate & 1) != 0);
  };
  while (is_finite(Kokkos::bit_cast<T>(r)) && above(r)) ++r;
  while (r > 0 && !above(r - 1)) --r;
  return Kokkos::bit_cast<T>(r);
}

}  // namespace acc::impl

#endif
