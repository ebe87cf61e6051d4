// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_PREFIX_HPP
#define ACC_CORE_EXACT_PREFIX_HPP

/// \file
/// Exact prefix sums, each correctly rounded: three doubles as long as they hold the sum, which is
/// tested at every deposit, and a running_sum while they do not.

#include <acc/core/eft.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/exact/rounding.hpp>
#include <acc/core/exact/running_sum.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

/// s + e, the rounded sum and its error, as one double: s if e = 0, else that neighbour of the
/// exact sum in double whose last bit is odd (rounding to odd).
KOKKOS_INLINE_FUNCTION double rounded_to_odd(sum_and_error<double> s) {
  std::uint64_t bits = Kokkos::bit_cast<std::uint64_t>(s.value);
  // An inexact sum is no zero, so the neighbours are one bit up or down in magnitude.
  if (s.error != 0 && (bits & 1) == 0)
    bits += (s.value > 0) == (s.error > 0) ? 1 : ~std::uint64_t(0);
  return Kokkos::bit_cast<double>(bits);
}

/// a + b + c rounded once to T, for sums that overflow nowhere: Add3 of Boldo and Melquiond, IEEE
/// Trans. Computers 57(4), 2008. To float by way of the double with an odd last bit, which has the
/// more than two bits more than a float that make a second rounding harmless (theorem 1 there).
template <class T>
KOKKOS_INLINE_FUNCTION T sum_of_three(double a, double b, double c) {
  const auto low = two_sum_of_rounded(b, c);
  const auto high = two_sum_of_rounded(a, low.value);
  const double rest = rounded_to_odd(two_sum_of_rounded(high.error, low.error));
  if constexpr (std::is_same_v<T, double>) {
    return add(high.value, rest);
  } else {
    return T(rounded_to_odd(two_sum_of_rounded(high.value, rest)));
  }
}

/// An exact sum of doubles as three of them, the running sum, its errors, and theirs (expansion<T,
/// 3> with a test): a number that leaves a fourth is not taken. Floats enter as doubles.
struct three_doubles {
  double c[3] = {0, 0, 0};

  /// Deposits x if the sum stays exact and far from overflow; whether it did. NaN and infinities
  /// are not taken.
  KOKKOS_FORCEINLINE_FUNCTION bool add(double x) {
    const auto s = two_sum_of_rounded(c[0], x);
    const auto t = two_sum_of_rounded(c[1], s.error);
    const auto v = two_sum_of_rounded(c[2], t.error);
    // c[1] is a sum of errors of c[0], far below it where that is near the limit.
    if (!(v.error == 0) || !magnitude_below(s.value, 0x1p1000)) return false;
    c[0] = s.value;
    c[1] = t.value;
    c[2] = v.value;
    return true;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T value() const {
    return sum_of_three<T>(c[0], c[1], c[2]);
  }
};

/// The exact sum of some elements in a form that merges: where a prefix begins.
template <class T>
struct exact_total {
  running_sum<T> sum;
  /// What the elements were; of finite ones, only whether all of them were -0.
  element_kinds kinds;

  KOKKOS_INLINE_FUNCTION void merge(const exact_total& other) {
    sum.merge(other.sum);
    kinds.merge(other.kinds);
  }
  KOKKOS_INLINE_FUNCTION void add(const three_doubles& terms) {
    for (const double c : terms.c) sum.add(c);
  }
  KOKKOS_INLINE_FUNCTION void add(T x) {
    kinds.merge(element_kinds::of(x));
    if (is_finite(x)) sum.add(x);
  }
  KOKKOS_INLINE_FUNCTION T value() {
    if (!kinds.finite()) return nonfinite_sum<T>(kinds);
    return sum.is_zero() ? zero_sum<T>(kinds) : sum.value();
  }
  KOKKOS_INLINE_FUNCTION T value() const {
    exact_total copy = *this;
    return copy.value();
  }
};

/// A sum of numbers that come one by one, as three doubles that know the sign of a zero.
template <class T>
struct short_exact_sum {
  using bits = typename ieee<T>::bits_type;
  static constexpr bits minus_zero = bits(1) << (ieee<T>::is_float ? 31 : 63);

  three_doubles terms;
  bits all = ~bits(0), any = 0;

  /// three_doubles::add. One that is not taken changes nothing but the sign of a zero.
  KOKKOS_FORCEINLINE_FUNCTION bool add(T x) {
    all &= Kokkos::bit_cast<bits>(x);
    any |= Kokkos::bit_cast<bits>(x);
    return terms.add(double(x));
  }
  /// The sum, rounded once.
  KOKKOS_FORCEINLINE_FUNCTION T value() const {
    const T v = terms.value<T>();
    return v == T(0) ? zero_sum<T>(kinds()) : v;
  }
  /// Of finite elements: that they are zeros only matters if all are.
  KOKKOS_INLINE_FUNCTION element_kinds kinds() const {
    if (all == ~bits(0) && any == 0) return {};  // no element
    return {all == minus_zero && any == minus_zero ? element_kinds::minus_zero
                                                   : element_kinds::plus_zero};
  }
};

/// The same of any numbers, for their total.
template <class T>
class exact_depositor {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void add(T x) {
    if (!short_.add(x)) rest_.add(x);
  }
  KOKKOS_INLINE_FUNCTION exact_total<T> total() const {
    exact_total<T> r = rest_;
    r.add(short_.terms);
    r.kinds.merge(short_.kinds());
    return r;
  }
  /// The sum, rounded once.
  KOKKOS_INLINE_FUNCTION T value() const {
    return rest_.kinds.bits != 0 ? total().value() : short_.value();
  }

 private:
  short_exact_sum<T> short_;
  exact_total<T> rest_;
};

/// A prefix that grows: deposit, round, deposit, round.
template <class T>
class exact_prefix {
 public:
  /// Begins with the sum of all elements before.
  KOKKOS_INLINE_FUNCTION explicit exact_prefix(const exact_total<T>& before) : long_(before) {
    is_minus_zero_ = long_.kinds.bits == 0 || long_.kinds.zero_is_negative();
    shorten();
  }

  /// Deposits x; the sum of all that were deposited, rounded to nearest even.
  KOKKOS_FORCEINLINE_FUNCTION T add(T x) {
    if (is_short_ && terms_.add(double(x))) {
      is_minus_zero_ &= Kokkos::bit_cast<bits>(x) == Kokkos::bit_cast<bits>(T(-0.0));
      const T v = terms_.value<T>();
      if (v != T(0)) return v;
      return is_minus_zero_ ? T(-0.0) : T(0);
    }
    return add_long(x);
  }

 private:
  using bits = typename ieee<T>::bits_type;
  static constexpr int max_wait = 256;

  ACC_COLD_FUNCTION T add_long(T x) {
    if (is_short_) {  // x is not taken, so it is no zero: the sign of zeros matters no more
      is_short_ = false;
      patience_ = wait_;
      long_ = exact_total<T>();
      long_.add(terms_);
    }
    long_.add(x);
    is_minus_zero_ = long_.kinds.zero_is_negative();
    const T v = long_.value();
    if (--patience_ == 0) shorten();
    return v;
  }
  /// Changes to three doubles if they hold the sum. That takes the time of some deposits, so it is
  /// tried less and less often.
  KOKKOS_INLINE_FUNCTION void shorten() {
    patience_ = wait_;
    if (wait_ < max_wait) wait_ *= 2;
    if (!long_.kinds.finite()) return;
    running_sum<T> rest = long_.sum;
    for (double& c : terms_.c) {
      const T v = rest.value();
      if (!is_finite(v)) return;  // the sum is beyond T's numbers, and stays long
      c = v;
      rest.add(-c);
    }
    is_short_ = rest.is_zero() && magnitude_below(terms_.c[0], 0x1p1000);
  }

  three_doubles terms_;
  exact_total<T> long_;
  bool is_short_ = false, is_minus_zero_;
  int patience_ = 0, wait_ = 4;
};

}  // namespace acc::impl

#endif
