// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_ROOT_HPP
#define ACC_CORE_EXACT_ROOT_HPP

/// \file
/// The correctly rounded square root of an order-free sum of squares.

#include <acc/core/binned.hpp>
#include <acc/core/eft.hpp>
#include <acc/core/exact/binned_squares.hpp>
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

/// The sign of sum - m^2, m the midpoint between root and the next number: -1, 0 or 1. root is
/// finite and not negative.
template <class T, class Sum>
KOKKOS_INLINE_FUNCTION int compare_with_midpoint(const Sum& sum, T root) {
  using format = ieee<T>;
  using scalar = typename Sum::scalar_type;
  // 4 m^2 = (2 r + ulp)^2 = 4 r^2 + 4 r ulp + ulp^2.
  const int exponent = format::parts(root).exponent;
  const T ulp = format::number({1, exponent, false}, rounding::nearest);
  const scalar r = root, h = ulp;
  Sum rest;
  for (int i = 0; i < 4; ++i) {
    rest.merge(sum);
    rest.add_product(-r, r);
    rest.add_product(-r, h);
  }
  rest.add_product(-h, h);
  return compare(rest, Sum());
}

/// The correctly rounded square root (to nearest even) of a sum of squares.
template <class T, class Accumulator>
KOKKOS_INLINE_FUNCTION T rounded_root_of(const Accumulator& accumulator) {
  using bits = typename ieee<T>::bits_type;
  const auto& sum = as_superaccumulator(accumulator);
  if (!sum.kinds().finite()) return T(sum.value());
  if (compare(sum, std::decay_t<decltype(sum)>()) == 0) return T(0);
  // Within an ulp or two of the root, or the largest number; then by exact comparisons.
  const auto terms = sum.expansion();
  using scalar = typename std::decay_t<decltype(sum)>::scalar_type;
  const scalar half_scale =
      ieee<scalar>::number({1, terms.exponent[0] / 2, false}, rounding::nearest);
  T root = T(mul(impl::sqrt(terms.term[0]), half_scale));
  if (!is_finite(root)) root = Kokkos::Experimental::finite_max_v<T>;
  bits r = Kokkos::bit_cast<bits>(root);
  const auto above = [&](bits candidate) {  // whether the root is above candidate, once rounded
    const int c = compare_with_midpoint(sum, Kokkos::bit_cast<T>(candidate));
    return c > 0 || (c == 0 && (candidate & 1) != 0);
  };
  while (is_finite(Kokkos::bit_cast<T>(r)) && above(r)) ++r;
  while (r > 0 && !above(r - 1)) --r;
  return Kokkos::bit_cast<T>(r);
}

}  // namespace acc::impl

#endif
