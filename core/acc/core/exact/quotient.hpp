// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_QUOTIENT_HPP
#define ACC_CORE_EXACT_QUOTIENT_HPP

/// \file
/// Quotients of exact sums and of their products, rounded once: what means and variances are. The
/// integers are natural numbers of 32-bit digits, multiplied and divided as on paper; the sign is
/// the caller's.

#include <acc/core/exact/exact_part.hpp>
#include <acc/core/exact/long_integer.hpp>
#include <acc/core/exact/rounding.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
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
  /// A carried magnitude divided by 2^drop, of which it is a multiple.
  template <int Limbs>
  KOKKOS_INLINE_FUNCTION natural(const long_integer<Limbs>& x, int drop) {
    const int bits = x.leading_bit() + 1 - drop;
    length = bits <= 0 ? 0 : (bits + 31) / 32;
    for (int i = 0; i < length; ++i) digit[i] = std::uint32_t(x.bits_from(drop + 32 * i));
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
    if (length == 0) return;
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

 private:
  KOKKOS_INLINE_FUNCTION void trim() {
    while (length > 0 && digit[length - 1] == 0) --length;
  }
};

/// a / b 2^unit, rounded to nearest even. Neither is 0.
template <class T, int Digits>
KOKKOS_INLINE_FUNCTION T rounded_quotient(natural<Digits> a, natural<Digits> b, int unit,
                                          bool negative) {
  // Both with their highest bit set, so that 1/2 < a / b < 2 up to a power of two.
  const int shift_a = leading_zeros(a.digit[a.length - 1]);
  const int shift_b = leading_zeros(b.digit[b.length - 1]);
  a.shift_left(shift_a);
  b.shift_left(shift_b);
  int exponent = 32 * (a.length - b.length) + shift_b - shift_a;
  int rest = a.length;  // digits of a that are not used yet
  const auto next = [&] { return rest > 0 ? a.digit[--rest] : 0u; };
  natural<Digits> left;  // a's leading digits, less what of b was subtracted
  left.length = b.length;
  for (int i = b.length - 1; i >= 0; --i) left.digit[i] = next();
  const bool has_one = compare(left, b) >= 0;
  if (has_one) left.subtract(b);
  for (; left.length < b.length;) left.digit[left.length++] = 0;
  const std::uint32_t first = left.next_quotient_digit(b, next());
  const std::uint32_t second = left.next_quotient_digit(b, next());
  std::uint64_t bits = std::uint64_t(first) << 32 | second;
  bool is_more = false;
  if (has_one) {
    is_more = bits % 2 != 0;
    bits = std::uint64_t(1) << 63 | bits >> 1;
  } else {
    --exponent;
  }
  for (int i = 0; i < b.length; ++i) is_more = is_more || left.digit[i] != 0;
  for (int i = 0; i < rest; ++i) is_more = is_more || a.digit[i] != 0;
  return rounded_number<T>({bits, is_more, unit + exponent - 63, negative}, rounding::nearest);
}

/// A sum of numbers, or of products of two, of type T (float or double), as sign and magnitude.
template <class T>
struct signed_sum {
  using sum = superaccumulator<T>;
  /// The product of two sums of numbers, and a few digits for counts.
  static constexpr int digits = 2 * ((sum::limbs * 32 + 31 + ieee<T>::lowest) / 32 + 1) + 8;
  using integer = natural<digits>;

  integer magnitude;
  bool negative;

  /// In units of 2^(2 lowest), or (of a sum of numbers alone) of 2^lowest.
  KOKKOS_INLINE_FUNCTION static signed_sum of_products(const sum& s) { return {s, 0}; }
  KOKKOS_INLINE_FUNCTION static signed_sum of_numbers(const sum& s) {
    return {s, -ieee<T>::lowest};
  }

  KOKKOS_INLINE_FUNCTION signed_sum(const sum& s, int drop) {
    exact_part<sum::limbs> part;
    part.take(s);
    negative = part.negative;
    magnitude = integer(part.magnitude, drop);
  }
};

/// A sum of n numbers divided by n; NaN where there is none.
template <class T>
KOKKOS_INLINE_FUNCTION T rounded_mean(const superaccumulator<T>& s, std::int64_t n) {
  if (n <= 0) return canonical_nan<T>();
  if (!s.kinds().finite()) return nonfinite_sum<T>(s.kinds());
  using sum = signed_sum<T>;
  const sum numbers = sum::of_numbers(s);
  if (numbers.magnitude.is_zero()) return zero_sum<T>(s.kinds());
  return rounded_quotient<T>(numbers.magnitude, typename sum::integer(std::uint64_t(n)),
                             ieee<T>::lowest, numbers.negative);
}

/// A sum of products divided by a sum of numbers, as IEEE arithmetic divides them: also where one
/// is zero or not finite.
template <class T>
KOKKOS_INLINE_FUNCTION T rounded_ratio(const superaccumulator<T>& p, const superaccumulator<T>& d) {
  using sum = signed_sum<T>;
  const sum a = sum::of_products(p), b = sum::of_numbers(d);
  const auto like = [](const superaccumulator<T>& s, const sum& digits) {
    if (!s.kinds().finite()) return nonfinite_sum<T>(s.kinds());
    if (digits.magnitude.is_zero()) return zero_sum<T>(s.kinds());
    return digits.negative ? T(-1) : T(1);
  };
  const T x = like(p, a), y = like(d, b);
  if (!is_finite(x) || !is_finite(y) || x == T(0) || y == T(0)) {
    const T r = x / y;
    return r != r ? canonical_nan<T>() : r;
  }
  return rounded_quotient<T>(a.magnitude, b.magnitude, ieee<T>::lowest, a.negative != b.negative);
}

/// (n p - x y) / (n d): with p the sum of the products of n pairs, x and y the sums of their
/// numbers, and d > 0, sum of (x_i - mean of x) (y_i - mean of y) / d.
template <class T>
KOKKOS_INLINE_FUNCTION T rounded_covariance(std::uint64_t n, const superaccumulator<T>& p,
                                            const superaccumulator<T>& x,
                                            const superaccumulator<T>& y, std::uint64_t d) {
  using sum = signed_sum<T>;
  using integer = typename sum::integer;
  const sum products = sum::of_products(p), a = sum::of_numbers(x), b = sum::of_numbers(y);
  integer first = integer(n) * products.magnitude;
  integer second = a.magnitude * b.magnitude;
  const bool second_negative = a.negative == b.negative;  // it is subtracted
  bool negative = products.negative;
  if (first.is_zero() || second.is_zero() || negative == second_negative) {
    if (first.is_zero()) negative = second_negative;
    first.add(second);
  } else if (compare(first, second) >= 0) {
    first.subtract(second);
  } else {
    second.subtract(first);
    first = second;
    negative = second_negative;
  }
  if (first.is_zero()) return T(0);
  return rounded_quotient<T>(first, integer(n) * integer(d), 2 * ieee<T>::lowest, negative);
}

}  // namespace acc::impl

#endif
