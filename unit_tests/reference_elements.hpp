// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What docs/arithmetic.md, "Element by element", says of one element, written anew with std::fma.
#pragma once

#include "device.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace acc_test {

template <class T>
struct CoefficientTerm {
  T coefficient, x;
};

template <class R>
R one_nan(R x) {
  return std::isnan(x) ? std::numeric_limits<R>::quiet_NaN() : x;
}

/// A product of reals on its own: stored, so that no compiler makes an FMA of it.
template <class R>
R stored_product(R a, R b) {
  volatile R p = a * b;
  return p;
}

/// A real sum in the order given: the first product is rounded, the others enter by FMA; a product
/// whose factor is zero and `may_go` is not there.
template <class R>
class ReferenceSum {
 public:
  void add(R factor, R x, bool may_go = true) {
    if (may_go && factor == 0) return;
    sum_ = empty_ ? stored_product(factor, x) : std::fma(factor, x, sum_);
    empty_ = false;
  }
  R value() const { return one_nan(sum_); }
  R raw() const { return sum_; }

 private:
  R sum_ = 0;
  bool empty_ = true;
};

template <class R>
R combined(const std::vector<CoefficientTerm<R>>& terms) {
  ReferenceSum<R> sum;
  for (const auto& t : terms) sum.add(t.coefficient, t.x);
  return sum.value();
}
template <class R>
Kokkos::complex<R> combined(const std::vector<CoefficientTerm<Kokkos::complex<R>>>& terms) {
  ReferenceSum<R> re, im;
  for (const auto& t : terms) {
    re.add(t.coefficient.real(), t.x.real());
    if (t.coefficient.imag() != 0) re.add(-t.coefficient.imag(), t.x.imag());
    im.add(t.coefficient.real(), t.x.imag());
    im.add(t.coefficient.imag(), t.x.real());
  }
  return {re.value(), im.value()};
}

/// gamma y + (alpha a) x.
template <class R>
R multiplied(R gamma, R y, R alpha, R a, R x) {
  ReferenceSum<R> sum;
  sum.add(gamma, y);
  if (alpha != 0) sum.add(stored_product(alpha, a), x, false);
  return sum.value();
}
template <class R>
Kokkos::complex<R> multiplied(Kokkos::complex<R> gamma, Kokkos::complex<R> y,
                              Kokkos::complex<R> alpha, Kokkos::complex<R> a,
                              Kokkos::complex<R> x) {
  ReferenceSum<R> re, im, t_re, t_im;
  re.add(gamma.real(), y.real());
  if (gamma.imag() != 0) re.add(-gamma.imag(), y.imag());
  im.add(gamma.real(), y.imag());
  im.add(gamma.imag(), y.real());
  if (alpha.real() != 0 || alpha.imag() != 0) {
    t_re.add(alpha.real(), a.real());
    if (alpha.imag() != 0) t_re.add(-alpha.imag(), a.imag());
    t_im.add(alpha.real(), a.imag());
    t_im.add(alpha.imag(), a.real());
    re.add(t_re.raw(), x.real(), false);
    re.add(-t_im.raw(), x.imag(), false);
    im.add(t_re.raw(), x.imag(), false);
    im.add(t_im.raw(), x.real(), false);
  }
  return {re.value(), im.value()};
}

/// The new x and y of a rotation.
template <class T>
std::pair<T, T> rotated(real_t<T> c, T s, T x, T y) {
  T minus_conj = -s;
  if constexpr (is_complex<T>) minus_conj = T(-s.real(), s.imag());
  return {combined<real_t<T>>(std::vector<CoefficientTerm<T>>{{s, y}, {T(c), x}}),
          combined<real_t<T>>(std::vector<CoefficientTerm<T>>{{minus_conj, x}, {T(c), y}})};
}

}  // namespace acc_test
