// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ELEMENTS_MODULUS_HPP
#define ACC_CORE_ELEMENTS_MODULUS_HPP

/// \file
/// |x| and 1 / x of real and complex numbers (docs/arithmetic.md, "Element by element").

#include <acc/core/eft.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Complex.hpp>
#include <Kokkos_NumericTraits.hpp>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// |x| of a real number: the one NaN for NaN.
template <class Real>
KOKKOS_INLINE_FUNCTION Real modulus(Real x) {
  return as_result<Real>(std::fabs(x));
}

/// re * re + im * im, each operation rounded.
template <class Real>
KOKKOS_INLINE_FUNCTION Real sum_of_squares(Real re, Real im) {
  return add(mul(re, re), mul(im, im));
}

template <class Real>
KOKKOS_INLINE_FUNCTION bool is_infinite(Real x) {
  return std::fabs(x) == Kokkos::Experimental::infinity_v<Real>;
}

/// The power of two by which the larger of two doubles is multiplied before squares, so that
/// neither that square nor the sum over- or underflows.
KOKKOS_INLINE_FUNCTION int exponent_for_squares(double larger) {
  if (larger > 0x1p500) return -600;
  if (larger < 0x1p-400) return 600;
  return 0;
}

/// Of float: in double, where the squares are exact.
KOKKOS_INLINE_FUNCTION float modulus(Kokkos::complex<float> x) {
  if (is_infinite(x.real()) || is_infinite(x.imag()))
    return Kokkos::Experimental::infinity_v<float>;
  return as_result<float>(impl::sqrt(sum_of_squares(double(x.real()), double(x.imag()))));
}
KOKKOS_INLINE_FUNCTION double modulus(Kokkos::complex<double> x) {
  const double re = std::fabs(x.real()), im = std::fabs(x.imag());
  if (is_infinite(re) || is_infinite(im)) return Kokkos::Experimental::infinity_v<double>;
  const int scale = exponent_for_squares(re > im ? re : im);
  const double root =
      impl::sqrt(sum_of_squares(times_power_of_two(re, scale), times_power_of_two(im, scale)));
  return as_result<double>(times_power_of_two(root, -scale));
}

/// 1 / x.
template <class Real>
KOKKOS_INLINE_FUNCTION Real reciprocal_of(Real x) {
  return as_result<Real>(div(Real(1), x));
}

/// What 1 / x is where x has an infinite part, or is zero. The signs are bits: a GPU's negation of
/// a NaN may have any (PTX ISA, "neg").
template <class Real>
KOKKOS_INLINE_FUNCTION Kokkos::complex<Real> special_reciprocal(Kokkos::complex<Real> x) {
  if (x.real() == Real(0) && x.imag() == Real(0))
    return {div(Real(1), x.real()), canonical_nan<Real>()};
  const bool re = ieee<Real>::is_negative(x.real()), im = ieee<Real>::is_negative(x.imag());
  return {re ? Real(-0.0) : Real(0), im ? Real(0) : Real(-0.0)};
}
template <class Real>
KOKKOS_INLINE_FUNCTION bool has_special_reciprocal(Kokkos::complex<Real> x) {
  return (x.real() == Real(0) && x.imag() == Real(0)) || is_infinite(x.real()) ||
         is_infinite(x.imag());
}

KOKKOS_INLINE_FUNCTION Kokkos::complex<float> reciprocal_of(Kokkos::complex<float> x) {
  if (has_special_reciprocal(x)) return special_reciprocal(x);
  const double re = x.real(), im = x.imag(), squares = sum_of_squares(re, im);
  return {as_result<float>(div(re, squares)), as_result<float>(div(-im, squares))};
}
KOKKOS_INLINE_FUNCTION Kokkos::complex<double> reciprocal_of(Kokkos::complex<double> x) {
  if (has_special_reciprocal(x)) return special_reciprocal(x);
  const double larger = std::fabs(x.real()) > std::fabs(x.imag()) ? x.real() : x.imag();
  const int scale = exponent_for_squares(std::fabs(larger));
  const double re = times_power_of_two(x.real(), scale), im = times_power_of_two(x.imag(), scale);
  const double squares = sum_of_squares(re, im);
  return {as_result<double>(times_power_of_two(div(re, squares), scale)),
          as_result<double>(times_power_of_two(div(-im, squares), scale))};
}

/// The bits of |x|, which are ordered as the moduli are; NaN is above infinity.
template <class T>
KOKKOS_INLINE_FUNCTION std::uint64_t modulus_bits(T x) {
  using bits = std::conditional_t<std::is_same_v<real_t<T>, float>, std::uint32_t, std::uint64_t>;
  return Kokkos::bit_cast<bits>(modulus(x));
}

}  // namespace acc::impl

#endif
