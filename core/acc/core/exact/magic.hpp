// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_MAGIC_HPP
#define ACC_CORE_EXACT_MAGIC_HPP

/// \file
/// Deposits by magic numbers: how a number enters bins of integers by floating-point additions
/// (docs/arithmetic.md, "By vector registers" and "On a GPU").
///
/// The magic number of a bin is M = 1.5 * 2^52 units of the bin. For -2^51 <= x/unit < 2^51 - 1/2
///  - counted(x, M) = x + M has the exponent of M, so it rounds x to the nearest multiple of the
///    unit, ties to even, and its bits less those of M, as integers, are that multiple in units;
///  - counted_part(counted(x, M), M) is the multiple itself, exact;
///  - left_over(x, part) = x - part is what the next bin down gets: exact, at most half a unit.
/// Other numbers leave M's exponent, which the bits show (or, at -2^51 - 1/4, count rightly). When
/// bits are subtracted, one by one or at the end, is the kernel's choice.
///
/// V is double, in host and device code, or a register of doubles of the host kernels. x must not
/// be a product of the caller that a compiler could contract (eft.hpp).

#include <acc/core/eft.hpp>
#include <acc/core/numbers/macros.hpp>

#include <bit>
#include <cstdint>

namespace acc::impl {

/// The bits of M for the unit 2^unit.
struct magic_number {
  static constexpr int fraction_bits = 52, bias = 1023;
  /// The units whose M is a normal, finite number.
  static constexpr int lowest_unit = 1 - bias - fraction_bits;
  static constexpr int highest_unit = 2046 - bias - fraction_bits;

  /// The upper 32 bits; the lower ones are 0.
  ACC_FUNCTION static constexpr int high_word(int unit) {
    return ((unit + fraction_bits + bias) << 20) + (1 << 19);
  }
  ACC_FUNCTION static constexpr std::uint64_t bits(int unit) {
    return std::uint64_t(unit + fraction_bits + bias) << fraction_bits | std::uint64_t(1) << 51;
  }
};

/// x rounded to a multiple of M's unit, plus M.
template <class V>
ACC_FUNCTION V counted(V x, V m) {
  return add(x, m);
}
/// The same of x * scale, a power of two, where that is not a number of V or was not computed.
template <class V>
ACC_FUNCTION V counted(V x, V scale, V m) {
  using impl::fma;
  return fma(x, scale, m);
}
template <class V>
ACC_FUNCTION V counted_part(V t, V m) {
  return sub(t, m);
}
template <class V>
ACC_FUNCTION V left_over(V x, V part) {
  return sub(x, part);
}
template <class V>
ACC_FUNCTION V left_over(V x, V scale, V part) {
  using impl::fma;
  return fma(x, scale, V(-part));
}

/// x * scale in two bins. M is the magic number of the upper one, N that of the lower one; m_and_n
/// is M + N, which must be a number. upper's bits less M's count units of the upper bin; lower is
/// what is left over, plus N: its bits less N's count units of the lower bin.
template <class V>
struct counted_twice {
  V upper, lower;
};
template <class V>
ACC_FUNCTION counted_twice<V> counted_in_two(V x, V scale, V m, V m_and_n) {
  const V t = counted(x, scale, m);
  return {t, left_over(x, scale, counted_part(t, m_and_n))};
}

}  // namespace acc::impl

#endif
