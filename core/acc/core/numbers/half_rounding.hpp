// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_NUMBERS_HALF_ROUNDING_HPP
#define ACC_CORE_NUMBERS_HALF_ROUNDING_HPP

/// \file
/// How a double becomes a number of half precision: rounded once, and alike on every machine.
///
/// Kokkos's own conversion is not used for it. With HIP, and of bhalf_t with CUDA before compute
/// capability 8.0, Kokkos converts to float first, and so rounds twice.

#include <acc/core/eft.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc::impl {

/// A format of 16 bits, as ieee (ieee_number.hpp) describes the wider ones.
struct half_format {
  int digits;           ///< bits of the mantissa
  int lowest, highest;  ///< finite numbers are multiples of 2^lowest and below 2^highest
};
inline constexpr half_format binary16{11, -24, 16}, bfloat16{8, -133, 128};

/// x, not NaN, rounded to the nearest number of the format, ties to even. What overflows stays a
/// double of at least 2^highest. So every conversion of the result to the format is exact, or gives
/// the infinity.
KOKKOS_INLINE_FUNCTION double rounded_to_half(half_format format, double x) {
  constexpr int stored = 52, bias = 1023;
  constexpr std::uint64_t sign = std::uint64_t(1) << 63;
  const auto bits = Kokkos::bit_cast<std::uint64_t>(x);
  const int exponent = int((bits & ~sign) >> stored) - bias;
  if (exponent >= format.highest) return x;
  int unit = exponent - (format.digits - 1);
  if (unit < format.lowest) unit = format.lowest;
  // From 2^(unit + 52) to its double, doubles are the multiples of 2^unit. The difference is exact.
  const auto shift = Kokkos::bit_cast<double>(std::uint64_t(unit + stored + bias) << stored);
  const double magnitude = Kokkos::bit_cast<double>(bits & ~sign);
  const double rounded = sub(add(magnitude, shift), shift);
  return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(rounded) | (bits & sign));
}

}  // namespace acc::impl

#endif
