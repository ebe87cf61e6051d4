// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_QUOTIENT_HPP
#define ACC_CORE_EXACT_QUOTIENT_HPP

/// \file
/// Quotients of exact sums and of their products, rounded once: what means and variances are.

#include <acc/core/exact/natural.hpp>
#include <acc/core/exact/rounding.hpp>
#include <acc/core/exact/signed_sum.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

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

/// A sum of n numbers divided by n; NaN where there is none.
template <class T>
KOKKOS_INLINE_FUNCTION T rounded_mean(const superaccumulator<T>& s, std::int64_t n) {
  if (n <= 0) return canonical_nan<T>();
  if (!s.kinds().finite()) return nonfinite_sum<T>(s.kinds());
  using sum = signed_sum<T>;
  const sum numbers(s);
  if (numbers.magnitude.is_zero()) return zero_sum<T>(s.kinds());
  return rounded_quotient<T>(numbers.magnitude, typename sum::integer(std::uint64_t(n)),
                             numbers.unit, numbers.negative);
}

/// A sum of products divided by a sum of numbers, as IEEE arithmetic divides them: also where one
/// is zero or not finite.
template <class T>
KOKKOS_INLINE_FUNCTION T rounded_ratio(const superaccumulator<T>& p, const superaccumulator<T>& d) {
  using sum = signed_sum<T>;
  const sum a(p), b(d);
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
  return rounded_quotient<T>(a.magnitude, b.magnitude, a.unit - b.unit, a.negative != b.negative);
}

/// (n p - x y) / (n d): with p the sum of the products of n pairs, x and y the sums of their
/// numbers, and d > 0, sum of (x_i - mean of x) (y_i - mean of y) / d.
template <class T>
KOKKOS_INLINE_FUNCTION T rounded_covariance(std::uint64_t n, const superaccumulator<T>& p,
                                            const superaccumulator<T>& x,
                                            const superaccumulator<T>& y, std::uint64_t d) {
  using sum = signed_sum<T>;
  using integer = typename sum::integer;
  const sum products(p), a(x), b(y);
  integer first = integer(n) * products.magnitude;
  integer second = a.magnitude * b.magnitude;
  // In one unit: that of a sum of nothing does not count.
  int unit = first.is_zero() ? a.unit + b.unit : products.unit;
  if (!first.is_zero() && !second.is_zero()) {
    const int above = a.unit + b.unit - unit;
    if (above > 0) second.shift_left(above);
    if (above < 0) first.shift_left(-above);
    if (above < 0) unit += above;
  }
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
  return rounded_quotient<T>(first, integer(n) * integer(d), unit, negative);
}

}  // namespace acc::impl

#endif
