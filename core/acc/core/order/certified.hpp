// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_CERTIFIED_HPP
#define ACC_CORE_ORDER_CERTIFIED_HPP

/// \file
/// A compensated sum that bounds its own error: beside the sum and its compensation it adds up the
/// magnitudes of the errors that the compensation gathers, which are all that can go wrong, and of
/// the terms (Ogita, Rump, Oishi 2005, section 5: Dot2Err). docs/dev/proofs.md derives the bound.

#include <acc/core/eft.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/order/terms.hpp>

namespace acc::impl {

template <class T>
struct certified_expansion {
  using scalar_type = T;
  static constexpr int components = 4;

  T sum, compensation, errors, terms;

  ACC_FUNCTION certified_expansion()
      : sum(T(-0.0)), compensation(T(-0.0)), errors(T(0.0)), terms(T(0.0)) {}

  ACC_FUNCTION T& component(int k) {
    return k == 0 ? sum : k == 1 ? compensation : k == 2 ? errors : terms;
  }
  ACC_FUNCTION const T& component(int k) const {
    return k == 0 ? sum : k == 1 ? compensation : k == 2 ? errors : terms;
  }

  ACC_FUNCTION void add(T x) {
    using impl::rounded;
    x = rounded(x);
    const auto s = two_sum_of_rounded(sum, x);
    sum = s.value;
    compensation = impl::add(compensation, s.error);
    errors = impl::add(errors, magnitude(s.error));
    terms = impl::add(terms, magnitude(x));
  }
  ACC_FUNCTION void add_product(T x, T y) {
    const auto p = two_prod(x, y);
    add_pair(p.value, p.error);
  }
  /// Deposits p + e, e an error of p.
  ACC_FUNCTION void add_pair(T p, T e) {
    using impl::rounded;
    p = rounded(p);
    e = rounded(e);
    const auto s = two_sum_of_rounded(sum, p);
    sum = s.value;
    compensation = impl::add(compensation, impl::add(e, s.error));
    errors = impl::add(errors, impl::add(magnitude(e), magnitude(s.error)));
    terms = impl::add(terms, magnitude(p));
  }
  ACC_FUNCTION void merge(const certified_expansion& other) {
    const auto s = two_sum_of_rounded(sum, other.sum);
    sum = s.value;
    compensation = impl::add(compensation, impl::add(other.compensation, s.error));
    errors = impl::add(errors, impl::add(other.errors, magnitude(s.error)));
    terms = impl::add(terms, other.terms);
  }
  /// The sum, rounded: what compensated gives.
  ACC_FUNCTION T value() const {
    if (!(impl::sub(sum, sum) == T(0))) return sum;
    if (compensation == T(0)) return sum;
    return impl::add(sum, compensation);
  }
};

}  // namespace acc::impl

#endif
