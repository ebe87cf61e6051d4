// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_GEMM_SCALING_HPP
#define ACC_CORE_GEMM_SCALING_HPP

/// \file
/// What becomes of an entry of op(A) op(B): alpha times it, plus beta times C's
/// (docs/arithmetic.md, "Matrix products").
///
/// An entry is 1 (real) or 2 (complex) real parts. Each part of the result is a sum of products in
/// a fixed order: beta times C's parts, then alpha times the entry's; of these the factor's real
/// part times the own part, then its imaginary part times the other one, as in a complex product
/// factor * entry (complex_product.hpp). A product whose factor is
/// zero is left out, so that beta = 0 reads no C and a real factor moves no NaN from part to part.

#include <acc/core/eft.hpp>
#include <acc/core/numbers/macros.hpp>

namespace acc::impl {

template <class T>
struct scaling {
  T alpha[2];  ///< real and imaginary part
  T beta[2];

  /// Whether an entry of one number is its sum, rounded to its type: what the formulas below give,
  /// without a multiplication. An empty sum counts as alpha = 0.
  ACC_FUNCTION bool keeps_sums() const { return alpha[0] == T(1) && beta[0] == T(0); }
};

/// The sum of such products, for entries of one number: the first product is rounded, the others
/// enter by FMA.
template <class V, bool HasLow>
struct scaled_sum {
  V value_ = V(0);
  bool empty = true;

  ACC_FUNCTION void add(V factor, V high, V) {
    using impl::fma;
    value_ = empty ? impl::mul(factor, high) : fma(factor, high, value_);
    empty = false;
  }
  ACC_FUNCTION V value() const { return value_; }
};

/// For entries of two numbers: a sum in twice the precision, rounded once.
template <class V>
struct scaled_sum<V, true> {
  V high_ = V(0), low_ = V(0);
  bool empty = true;

  ACC_FUNCTION void add(V factor, V high, V low) {
    using impl::fma;
    using impl::two_sum_of_rounded;
    const auto product = two_prod(factor, high);
    const V rest = fma(factor, low, product.error);
    if (empty) {
      high_ = product.value;
      low_ = rest;
    } else {
      const auto s = two_sum_of_rounded(high_, product.value);
      high_ = s.value;
      low_ = impl::add(low_, impl::add(rest, s.error));
    }
    empty = false;
  }
  /// NaN where a correction has overflowed: then low_ is infinite, and low_ - low_ is NaN.
  ACC_FUNCTION V value() const {
    const V low = impl::sub(low_, impl::sub(low_, low_));
    return impl::add(high_, low);
  }
};

/// One part of an entry, and the same part of C.
template <class V>
struct entry_part {
  V high, low, c;
};

/// The result's part: `own` is the entry's same part, `other` the other one of a complex entry, and
/// `sign` -1 in the real part and +1 in the imaginary one. C is not looked at where beta is zero.
template <bool HasLow, int Parts, class T, class V>
ACC_FUNCTION V scaled(const scaling<T>& s, const entry_part<V>& own, const entry_part<V>& other,
                      V sign) {
  scaled_sum<V, HasLow> sum;
  const auto factor = [&](T x) { return impl::mul(sign, V(x)); };
  if (s.beta[0] != T(0)) sum.add(V(s.beta[0]), own.c, V(0));
  if (Parts == 2 && s.beta[1] != T(0)) sum.add(factor(s.beta[1]), other.c, V(0));
  if (s.alpha[0] != T(0)) sum.add(V(s.alpha[0]), own.high, own.low);
  if (Parts == 2 && s.alpha[1] != T(0)) sum.add(factor(s.alpha[1]), other.high, other.low);
  return sum.value();
}

}  // namespace acc::impl

#endif
