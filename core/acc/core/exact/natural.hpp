// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_NATURAL_HPP
#define ACC_CORE_EXACT_NATURAL_HPP

/// \file
/// Natural numbers of 32-bit digits, multiplied and divided as on paper, and long integers as such
/// numbers: what exact sums, their means, variances and norms are rounded from.

#include <acc/core/exact/long_integer.hpp>
#include <acc/core/exact/rounding.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/numbers/ieee_number.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc::impl {

/// A natural number of up to Digits digits. No operation may need more.
template <int Digits>
struct natural {
  std::uint32_t digit[Digits] = {};
  int length = 0;  ///< digits in use; the highest of them is not 0

  KOKKOS_DEFAULTED_FUNCTION natural() = default;
  KOKKOS_INLINE_FUNCTION explicit natural(std::uint64_t x) {
    for (; x != 0; x >>= 32) digit[length++] = std::uint32_t(x);
  }

  KOKKOS_INLINE_FUNCTION bool is_zero() const { return length == 0; }
  /// The number of bits, 0 of 0.
  KOKKOS_INLINE_FUNCTION int bits() const {
    return length == 0 ? 0 : 32 * length - leading_zeros(digit[length - 1]);
  }

  KOKKOS_INLINE_FUNCTION friend natural operator*(const natural& a, const natural& b) {
    natural r;
    r.length = a.length == 0 || b.length == 0 ? 0 : a.length + b.length;
    for (int i = 0; i < r.length; ++i) r.digit[i] = 0;
    for (int i = 0; i < a.length; ++i) {
      std::uint64_t c = 0;
      for (int j = 0; j < b.length; ++j) {
        c += std::uint64_t(a.digit[i]) * b.digit[j] + r.digit[i + j];
        r.digit[i + j] = std::uint32_t(c);
        c >>= 32;
      }
      r.digit[i + b.length] = std::uint32_t(c);
    }
    r.trim();
    return r;
  }
  /// -1, 0, 1 for a < b, a = b, a > b.
  KOKKOS_INLINE_FUNCTION friend int compare(const natural& a, const natural& b) {
    if (a.length != b.length) return a.length < b.length ? -1 : 1;
    for (int i = a.length - 1; i >= 0; --i)
      if (a.digit[i] != b.digit[i]) return a.digit[i] < b.digit[i] ? -1 : 1;
    return 0;
  }
  KOKKOS_INLINE_FUNCTION void add(const natural& b) {
    std::uint64_t c = 0;
    const int n = length > b.length ? length : b.length;
    for (int i = 0; i < n || c != 0; ++i) {
      c += std::uint64_t(i < length ? digit[i] : 0) + (i < b.length ? b.digit[i] : 0);
      digit[i] = std::uint32_t(c);
      c >>= 32;
      if (i >= length) length = i + 1;
    }
  }
  /// Subtracts b, which is no larger.
  KOKKOS_INLINE_FUNCTION void subtract(const natural& b) {
    std::int64_t c = 0;
    for (int i = 0; i < length; ++i) {
      c += std::int64_t(digit[i]) - (i < b.length ? std::int64_t(b.digit[i]) : 0);
      digit[i] = std::uint32_t(c);
      c >>= 32;
    }
    trim();
  }
  KOKKOS_INLINE_FUNCTION void shift_left(int bits) {
    if (length == 0 || bits == 0) return;
    const int whole = bits / 32, rest = bits % 32;
    const int n = length;
    digit[n + whole] = 0;
    for (int i = n - 1; i >= 0; --i) {
      const std::uint64_t v = std::uint64_t(digit[i]) << rest;
      digit[i + whole + 1] |= std::uint32_t(v >> 32);
      digit[i + whole] = std::uint32_t(v);
    }
    for (int i = 0; i < whole; ++i) digit[i] = 0;
    length = n + whole + 1;
    trim();
  }

  /// The leading bits of the number times 2^unit, with this sign. It is not zero.
  KOKKOS_INLINE_FUNCTION leading_bits leading(int unit, bool negative) const {
    const auto from_top = [&](int i) { return i <= length ? digit[length - i] : 0u; };
    const int zeros = leading_zeros(from_top(1));
    const std::uint64_t high = std::uint64_t(from_top(1)) << 32 | from_top(2);
    const std::uint64_t low = std::uint64_t(from_top(3)) << zeros;
    bool below = std::uint32_t(low) != 0;
    for (int i = 0; i < length - 3; ++i) below = below || digit[i] != 0;
    return {high << zeros | low >> 32, below, unit + 32 * (length - 2) - zeros, negative};
  }

  /// Appends a digit, subtracts b as often as it fits, and returns how often: the next digit of a
  /// quotient. b's highest bit is set, and this is less than b, of as many digits (the highest of
  /// which may be 0 here). Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D: the digit
  /// that the leading digits give is at most 2 too large.
  KOKKOS_INLINE_FUNCTION std::uint32_t next_quotient_digit(const natural& b, std::uint32_t next) {
    const int n = b.length;
    const std::uint32_t top = digit[n - 1], divisor = b.digit[n - 1];
    for (int i = n - 1; i > 0; --i) digit[i] = digit[i - 1];
    digit[0] = next;
    std::uint64_t q =
        top >= divisor ? 0xffffffffu : (std::uint64_t(top) << 32 | digit[n - 1]) / divisor;
    std::uint64_t product = 0;
    std::int64_t borrow = 0;
    for (int i = 0; i < n; ++i) {
      product += q * b.digit[i];
      borrow += std::int64_t(digit[i]) - std::int64_t(std::uint32_t(product));
      digit[i] = std::uint32_t(borrow);
      product >>= 32;
      borrow >>= 32;
    }
    std::int64_t left = std::int64_t(top) - std::int64_t(product) + borrow;  // 0, -1 or -2
    for (; left < 0; --q) {
      std::uint64_t c = 0;
      for (int i = 0; i < n; ++i) {
        c += std::uint64_t(digit[i]) + b.digit[i];
        digit[i] = std::uint32_t(c);
        c >>= 32;
      }
      left += std::int64_t(c);
    }
    return std::uint32_t(q);
  }
  /// Forgets zeros above its digits.
  KOKKOS_INLINE_FUNCTION void trim() {
    while (length > 0 && digit[length - 1] == 0) --length;
  }
};

/// Limbs `low` to `high` of a long integer, the others being 0: magnitude 2^(32 low) and a sign.
/// Its length is that of the digits in use, however many limbs there are.
template <int Digits>
struct signed_natural {
  natural<Digits> magnitude;
  int low = 0;
  bool negative = false;

  KOKKOS_INLINE_FUNCTION signed_natural() {}
  template <int Limbs>
  KOKKOS_INLINE_FUNCTION explicit signed_natural(const long_integer<Limbs>& x) {
    static_assert(Digits > Limbs);
    int high = Limbs;
    while (low < high && x.limb[low] == 0) ++low;
    while (low < high && x.limb[high - 1] == 0) --high;
    // Carried, with the sign in one more digit.
    std::int64_t carry = 0;
    for (int i = low; i < high; ++i) {
      carry += x.limb[i];
      magnitude.digit[i - low] = std::uint32_t(carry);
      carry >>= 32;  // rounds down: C++20 has two's complement
    }
    magnitude.digit[high - low] = std::uint32_t(carry);
    magnitude.length = high - low + 1;
    negative = carry < 0;
    if (negative) {
      std::uint64_t c = 1;
      for (int i = 0; i < magnitude.length; ++i) {
        c += std::uint32_t(~magnitude.digit[i]);
        magnitude.digit[i] = std::uint32_t(c);
        c >>= 32;
      }
    }
    magnitude.trim();
  }

  /// The number times 2^unit, rounded to T. It is not zero.
  template <class T>
  KOKKOS_INLINE_FUNCTION T value(int unit, rounding mode) const {
    return rounded_number<T>(magnitude.leading(unit + 32 * low, negative), mode);
  }
};

}  // namespace acc::impl

#endif
