// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_NUMBERS_SCALAR_TRAITS_HPP
#define ACC_CORE_NUMBERS_SCALAR_TRAITS_HPP

/// \file
/// What acc knows of a scalar type: its real type, its components, and where its range ends.

#include <acc/core/eft.hpp>
#include <acc/core/numbers/half_rounding.hpp>

#include <Kokkos_Core.hpp>  // before its Kokkos_Half.hpp, which does not stand alone with CUDA
#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Complex.hpp>
#include <Kokkos_Half.hpp>
#include <Kokkos_NumericTraits.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

template <class T>
struct scalar_traits {
  using real = T;
  static constexpr int components = 1;
};
template <class T>
struct scalar_traits<Kokkos::complex<T>> {
  using real = T;
  static constexpr int components = 2;
};
template <class T>
using real_t = typename scalar_traits<T>::real;
template <class T>
inline constexpr int components_of = scalar_traits<T>::components;

template <class T>
inline constexpr bool is_full_scalar =
    std::is_same_v<real_t<T>, float> || std::is_same_v<real_t<T>, double>;
/// Where Kokkos has no half precision, its half_t is float itself.
template <class T>
inline constexpr bool is_half_scalar =
    !std::is_same_v<T, float> && (std::is_same_v<T, Kokkos::Experimental::half_t> ||
                                  std::is_same_v<T, Kokkos::Experimental::bhalf_t>);

/// The one NaN that acc returns: quiet, positive, no payload.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T canonical_nan() {
  return Kokkos::Experimental::quiet_NaN_v<T>;
}

/// The format of half_t or bhalf_t.
template <class Half>
inline constexpr half_format format_of_half =
    std::is_same_v<Half, Kokkos::Experimental::half_t> ? binary16 : bfloat16;

/// value in the type of the result, rounded once. A NaN is made here, after all arithmetic and
/// conversions: what bits those give it is the processor's choice.
template <class Result, class T>
KOKKOS_INLINE_FUNCTION Result as_result(T value) {
  if constexpr (is_half_scalar<Result>) {
    const double rounded = rounded_to_half(format_of_half<Result>, double(value));
    return value == value ? Result(float(rounded)) : canonical_nan<Result>();
  } else {
    return value == value ? Result(value) : canonical_nan<Result>();
  }
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_finite(T x) {
  constexpr T max = Kokkos::Experimental::finite_max_v<T>;
  return x <= max && -x <= max;
}

/// A word whose top bit says that x is infinite or NaN: what loops over many numbers collect by
/// vector instructions, without branches.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION auto not_finite_bit(T x) {
  using bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  constexpr int mantissa = std::is_same_v<T, float> ? 23 : 52;
  constexpr bits exponent = ~bits(0) >> 1 >> mantissa << mantissa;
  return bits((Kokkos::bit_cast<bits>(x) & exponent) + (bits(1) << mantissa));
}

/// Whether |x| < bound, false for NaN; by integer comparison, which no FP unit waits for.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool magnitude_below(T x, T bound) {
  using bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  return (Kokkos::bit_cast<bits>(x) & (~bits(0) >> 1)) < Kokkos::bit_cast<bits>(bound);
}

/// x * 2^exponent for even exponents up to twice those of T, rounded at most twice (only where the
/// result is subnormal).
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T times_power_of_two(T x, int exponent) {
  using bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  constexpr int mantissa = std::is_same_v<T, float> ? 23 : 52;
  constexpr int bias = std::is_same_v<T, float> ? 127 : 1023;
  const T half = Kokkos::bit_cast<T>(bits(bias + exponent / 2) << mantissa);
  return mul(mul(x, half), half);
}

}  // namespace acc::impl

#endif
