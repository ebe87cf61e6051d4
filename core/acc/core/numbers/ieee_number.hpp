// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_NUMBERS_IEEE_NUMBER_HPP
#define ACC_CORE_NUMBERS_IEEE_NUMBER_HPP

/// \file
/// Floating-point numbers taken apart into integers and put together again.

// Kokkos_Core.hpp first: on CUDA, Kokkos_Half.hpp alone before it does not compile.
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc {

/// How an exact sum becomes a floating-point number. The sign of a zero sum does not depend on it.
enum class rounding {
  nearest,      ///< to the nearest number, ties to the one with an even last bit
  upward,       ///< to the least number that is not below
  downward,     ///< to the greatest number that is not above
  toward_zero,  ///< to the number of greatest magnitude that is not above in magnitude
};

namespace impl {

/// |x| = mantissa * 2^exponent.
struct number_parts {
  std::uint64_t mantissa;
  int exponent;
  bool negative;
};

template <class T>
struct ieee {
  static constexpr bool is_float = std::is_same_v<T, float>;
  static_assert(is_float || std::is_same_v<T, double>, "acc: the real type is float or double");
  using bits_type = std::conditional_t<is_float, std::uint32_t, std::uint64_t>;

  /// Bits of the mantissa.
  static constexpr int digits = is_float ? 24 : 53;
  /// Every finite number is a multiple of 2^lowest and below 2^highest.
  static constexpr int lowest = is_float ? -149 : -1074;
  static constexpr int highest = is_float ? 128 : 1024;

  KOKKOS_INLINE_FUNCTION static bool is_negative(T x) {
    return Kokkos::bit_cast<bits_type>(x) >> (is_float ? 31 : 63) != 0;
  }
  /// x must be finite.
  KOKKOS_INLINE_FUNCTION static number_parts parts(T x) {
    const bits_type bits = Kokkos::bit_cast<bits_type>(x);
    const bits_type hidden = bits_type(1) << (digits - 1);
    const int field = int(bits >> (digits - 1)) & ((is_float ? 256 : 2048) - 1);
    const bits_type fraction = bits & (hidden - 1);
    return {field == 0 ? fraction : fraction | hidden, lowest + (field == 0 ? 0 : field - 1),
            is_negative(x)};
  }

  /// Bits needed to write m: 0 for 0.
  KOKKOS_INLINE_FUNCTION static int length(std::uint64_t m) {
    return 64 - Kokkos::Experimental::countl_zero_builtin(m);
  }

  /// mantissa * 2^exponent, which must be a number of T or not below 2^highest; where it is the
  /// latter, what `mode` makes of an overflow.
  KOKKOS_INLINE_FUNCTION static T number(number_parts x, rounding mode) {
    const bits_type infinity = bits_type(is_float ? 255 : 2047) << (digits - 1);
    bits_type bits;
    if (x.mantissa == 0) {
      bits = 0;
    } else if (x.exponent + length(x.mantissa) > highest) {
      const bool away = mode == rounding::nearest || (mode == rounding::upward && !x.negative) ||
                        (mode == rounding::downward && x.negative);
      bits = away ? infinity : infinity - 1;
    } else {
      // The hidden bit, where there is one, counts the exponent field up by one.
      int shift = digits - length(x.mantissa);
      if (shift > x.exponent - lowest) shift = x.exponent - lowest;
      if (shift < 0) {  // 2^digits: rounded up to the next power of two
        x.mantissa >>= -shift;
      } else {
        x.mantissa <<= shift;
      }
      bits = (bits_type(x.exponent - shift - lowest) << (digits - 1)) + bits_type(x.mantissa);
    }
    if (x.negative) bits |= bits_type(1) << (is_float ? 31 : 63);
    return Kokkos::bit_cast<T>(bits);
  }
};

}  // namespace impl
}  // namespace acc

#endif
