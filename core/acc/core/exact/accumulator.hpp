// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_ACCUMULATOR_HPP
#define ACC_CORE_EXACT_ACCUMULATOR_HPP

/// \file
/// What superaccumulator and binned have in common: operators, the exact order, complex pairs.

#include <acc/core/numbers/complex_sum.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/exact/long_integer.hpp>
#include <acc/core/exact/rounding.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/exact/wire.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// Operators and loops over Sum's add, add_product, merge, negate and compare. compare(a, b) is -1,
/// 0 or 1, and 2 where a or b is NaN, which is neither equal nor smaller nor greater than anything,
/// itself included.
template <class Sum, class T>
struct accumulator_operators {
  KOKKOS_INLINE_FUNCTION friend Sum& operator+=(Sum& a, T x) { return a.add(x), a; }
  KOKKOS_INLINE_FUNCTION friend Sum& operator+=(Sum& a, const Sum& b) { return a.merge(b), a; }
  KOKKOS_INLINE_FUNCTION friend Sum& operator-=(Sum& a, T x) { return a.add(-x), a; }
  KOKKOS_INLINE_FUNCTION friend Sum& operator-=(Sum& a, const Sum& b) { return a.merge(-b), a; }
  KOKKOS_INLINE_FUNCTION friend Sum operator+(Sum a, const Sum& b) { return a += b; }
  KOKKOS_INLINE_FUNCTION friend Sum operator-(Sum a, const Sum& b) { return a -= b; }
  KOKKOS_INLINE_FUNCTION friend Sum operator-(Sum a) { return a.negate(), a; }

  /// Deposits x[0], x[stride], ..., n of them.
  KOKKOS_INLINE_FUNCTION void add(const T* x, std::int64_t n, std::int64_t stride = 1) {
    for (std::int64_t i = 0; i < n; ++i) static_cast<Sum*>(this)->add(x[i * stride]);
  }
  /// Deposits the n products x[i] * y[i].
  KOKKOS_INLINE_FUNCTION void add_products(const T* x, const T* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) static_cast<Sum*>(this)->add_product(x[i], y[i]);
  }
};

template <class Sum>
struct exact_order {
  KOKKOS_INLINE_FUNCTION friend bool operator==(const Sum& a, const Sum& b) {
    return compare(a, b) == 0;
  }
  KOKKOS_INLINE_FUNCTION friend bool operator<(const Sum& a, const Sum& b) {
    return compare(a, b) == -1;
  }
  KOKKOS_INLINE_FUNCTION friend bool operator>(const Sum& a, const Sum& b) { return b < a; }
  KOKKOS_INLINE_FUNCTION friend bool operator<=(const Sum& a, const Sum& b) {
    const int c = compare(a, b);
    return c == -1 || c == 0;
  }
  KOKKOS_INLINE_FUNCTION friend bool operator>=(const Sum& a, const Sum& b) { return b <= a; }
};

/// What real sums share: the deposit of a number, apart from where its digits go, which is Sum's
/// (private) deposit(parts, shift).
template <class Sum, class T>
struct real_accumulator : accumulator_operators<Sum, T>, exact_order<Sum> {
  using accumulator_operators<Sum, T>::add;
  /// Deposits x.
  KOKKOS_INLINE_FUNCTION void add(T x) {
    Sum& sum = *static_cast<Sum*>(this);
    const element_kinds kind = element_kinds::of(x);
    sum.add_kinds(kind);
    if (kind.bits == element_kinds::nonzero) sum.deposit(Sum::format::parts(x), 0);
  }
};

/// Where two sums are not both finite, their order: -1, 0, 1, or 2 for NaN.
KOKKOS_INLINE_FUNCTION int compare_infinite(element_kinds a, element_kinds b) {
  if (a.invalid() || b.invalid()) return 2;
  return a.infinity() == b.infinity() ? 0 : a.infinity() < b.infinity() ? -1 : 1;
}

/// A sum of `sum` units of 2^unit and of elements of certain kinds, rounded once to T.
template <class T, int Limbs>
KOKKOS_INLINE_FUNCTION T rounded_sum(long_integer<Limbs> sum, int unit, element_kinds kinds,
                                     rounding mode) {
  if (!kinds.finite()) return nonfinite_sum<T>(kinds);
  sum.carry();
  if (sum.is_zero()) return zero_sum<T>(kinds);
  return sum.template value<T>(unit, mode);
}

/// A complex sum, as a pair of real ones. Sum is the type derived from it.
template <class Sum, class Part>
struct complex_accumulator
    : complex_sum<Sum, Part>,
      accumulator_operators<Sum, Kokkos::complex<typename Part::scalar_type>> {
  using base = complex_sum<Sum, Part>;
  using typename base::scalar_type;
  static constexpr int wire_words = 2 * Part::wire_words;

  using base::add;
  using base::im, base::re;
  using accumulator_operators<Sum, scalar_type>::add;

  KOKKOS_INLINE_FUNCTION void negate() {
    re.negate();
    im.negate();
  }
  KOKKOS_INLINE_FUNCTION void normalise() {
    re.normalise();
    im.normalise();
  }
  KOKKOS_INLINE_FUNCTION scalar_type value(rounding mode = rounding::nearest) const {
    return {re.value(mode), im.value(mode)};
  }
  /// The real part's wire form, then the imaginary part's.
  KOKKOS_INLINE_FUNCTION void to_wire(std::int64_t* words) const {
    re.to_wire(words);
    im.to_wire(words + Part::wire_words);
  }
  KOKKOS_INLINE_FUNCTION static Sum from_wire(const std::int64_t* words, std::int64_t n) {
    check_wire_length(Part::from_wire_name, n, wire_words);
    Sum sum;
    sum.re = Part::from_wire(words, Part::wire_words);
    sum.im = Part::from_wire(words + Part::wire_words, Part::wire_words);
    return sum;
  }
  KOKKOS_INLINE_FUNCTION friend bool operator==(const Sum& a, const Sum& b) {
    return a.re == b.re && a.im == b.im;
  }
  KOKKOS_INLINE_FUNCTION friend bool identical(const Sum& a, const Sum& b) {
    return identical(a.re, b.re) && identical(a.im, b.im);
  }
};

}  // namespace acc::impl

#endif
