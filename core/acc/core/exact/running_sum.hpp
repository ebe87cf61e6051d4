// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_RUNNING_SUM_HPP
#define ACC_CORE_EXACT_RUNNING_SUM_HPP

/// \file
/// An exact sum that is rounded after every deposit. A superaccumulator (superaccumulator.hpp)
/// takes deposits fast and carries all its limbs for a value; here every deposit carries, so that a
/// value needs the leading digits alone.

#include <acc/core/exact/rounding.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc::impl {

/// The exact sum of finite numbers of type T, in units of T's smallest number, for up to 2^63 of
/// them. It is
///
///   sum of limb_k 2^(32 k) over bottom <= k < top, less 2^(32 top) if negative,
///
/// limb_(top - 1) not being what the sign alone would have there. So the leading bit is one of
/// limb_(top - 1), and a sum that changes its sign borrows through no more digits than it has.
template <class T>
class running_sum {
  using format = ieee<T>;

 public:
  /// 2^1024 2^63 in units of 2^-1074 and a sign (float: 2^128, 2^-149).
  static constexpr int limbs = format::is_float ? 11 : 68;

  /// The empty sum, 0. Not one limb is written.
  KOKKOS_INLINE_FUNCTION running_sum() : bottom_(0), top_(0), fill_(0) {}

  /// Deposits a finite number, which may have a wider type: it must be a multiple of T's smallest.
  template <class U>
  KOKKOS_INLINE_FUNCTION void add(U x) {
    const number_parts p = ieee<U>::parts(x);
    if (p.mantissa == 0) return;
    int position = p.exponent - format::lowest;
    std::uint64_t word = p.mantissa;
    if (position < 0) {
      word >>= -position;
      position = 0;
    }
    const int i = position / 32, shift = position % 32;
    const std::uint32_t digit[3] = {std::uint32_t(word << shift),
                                    std::uint32_t((word << shift) >> 32),
                                    std::uint32_t(word >> 1 >> (63 - shift))};
    cover(i, i + 3);
    // All of a 32-bit digit and a carry in 64 bits: below zero it borrows.
    std::int64_t carry = 0;
    for (int k = 0; k < 3; ++k)
      carry = put(i + k, carry + (p.negative ? -std::int64_t(digit[k]) : std::int64_t(digit[k])));
    for (int k = i + 3; carry != 0 && k < top_; ++k) carry = put(k, carry);
    close(carry - (fill_ != 0 ? 1 : 0));
  }

  /// Adds another sum.
  KOKKOS_INLINE_FUNCTION void merge(const running_sum& other) {
    if (other.is_zero()) return;
    cover(other.bottom_, other.top_);
    std::int64_t carry = 0;
    for (int k = other.bottom_; k < top_; ++k) carry = put(k, carry + std::int64_t(other.digit(k)));
    close(carry - (fill_ != 0 ? 1 : 0) - (other.fill_ != 0 ? 1 : 0));
  }

  KOKKOS_INLINE_FUNCTION bool is_zero() const { return top_ == bottom_ && fill_ == 0; }

  /// The sum, rounded to nearest even; +0 for zero. (Forgets zero digits at the lower end.)
  KOKKOS_INLINE_FUNCTION T value() {
    if (is_zero()) return T(0);
    // The three leading digits as a 96-bit number, and whether anything is below.
    const int base = top_ - 3;
    std::uint64_t high = digit(top_ - 1);
    std::uint64_t low = std::uint64_t(digit(top_ - 2)) << 32 | digit(base);
    bool below = has_digits_below(base);
    const bool negative = fill_ != 0;
    if (negative) {  // 2^96 less that number, less the fraction below it
      low = ~low + (below ? 0 : 1);
      high = (~high & 0xffffffffu) + (low == 0 && !below ? 1 : 0);
    }
    // At least 2^64, so that there are 64 leading bits.
    const int length = format::length(high);
    const leading_bits x{high << (64 - length) | low >> length, below || low << (64 - length) != 0,
                         format::lowest + 32 * base + length, negative};
    return rounded_number<T>(x, rounding::nearest);
  }

 private:
  KOKKOS_INLINE_FUNCTION std::uint32_t digit(int k) const {
    return k < bottom_ ? 0 : k < top_ ? limb_[k] : fill_;
  }
  /// Makes [low, high) part of the digits.
  KOKKOS_INLINE_FUNCTION void cover(int low, int high) {
    if (is_zero()) bottom_ = top_ = low;
    while (bottom_ > low) limb_[--bottom_] = 0;
    while (top_ < high) limb_[top_++] = fill_;
  }
  /// Adds to a digit; the carry.
  KOKKOS_INLINE_FUNCTION std::int64_t put(int k, std::int64_t x) {
    const std::int64_t v = std::int64_t(limb_[k]) + x;
    limb_[k] = std::uint32_t(v);
    return v >> 32;  // rounds down: C++20 has two's complement
  }
  /// What is above the digits, -2 to 1 units of 2^(32 top), as a digit and a sign.
  KOKKOS_INLINE_FUNCTION void close(std::int64_t above) {
    fill_ = above < 0 ? 0xffffffffu : 0;
    if (above == 1 || above == -2) limb_[top_++] = std::uint32_t(above);
    while (top_ > bottom_ && limb_[top_ - 1] == fill_) --top_;
  }
  KOKKOS_INLINE_FUNCTION bool has_digits_below(int base) {
    int k = base < top_ ? base : top_;
    while (k > bottom_)
      if (limb_[--k] != 0) return true;
    if (bottom_ < base) bottom_ = base;
    return false;
  }

  std::uint32_t limb_[limbs];
  int bottom_, top_;
  std::uint32_t fill_;
};

}  // namespace acc::impl

#endif
