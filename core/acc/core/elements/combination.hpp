// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ELEMENTS_COMBINATION_HPP
#define ACC_CORE_ELEMENTS_COMBINATION_HPP

/// \file
/// The arithmetic of axpby, scal, update and mult (docs/arithmetic.md, "Element by element").
///
/// Each part of a combination sum c_k x_k of elements is a sum of products in a fixed order:
/// ascending k, and of each c_k its real part times the element's own part, then its imaginary part
/// times the other one, as in a complex product c_k x_k (complex_product.hpp). The first product is
/// rounded, the others enter by FMA. A product whose coefficient is zero is left out. So these are
/// the sums of scaling.hpp.

#include <acc/core/eft.hpp>
#include <acc/core/numbers/macros.hpp>

namespace acc::impl {

/// The coefficients of N elements: real and imaginary parts.
template <class Real, int N>
struct combination {
  Real re[N], im[N];

  /// Whether the sum has products of element k.
  ACC_FUNCTION bool has(int k) const { return re[k] != Real(0) || im[k] != Real(0); }
};

/// A sum of products in the order in which they are added.
template <class V>
struct product_sum {
  V sum = V(0);
  bool empty = true;

  ACC_FUNCTION void add(V factor, V x) {
    using impl::fma;
    sum = empty ? impl::mul(factor, x) : fma(factor, x, sum);
    empty = false;
  }
};

/// What an imaginary factor of part 0 or 1 of a number multiplies the other part by: minus it in
/// the real part.
template <class Real>
ACC_FUNCTION Real crossed(Real factor, int part) {
  return part == 0 ? -factor : factor;
}

/// Adds the products of all elements to one part, or to a register of parts: own(k) is that part of
/// element k, other(k) the other part, and cross(f) what an imaginary factor f is there.
template <class V, class Real, int N, class Own, class Other, class Cross>
ACC_FUNCTION void add_combination(product_sum<V>& sum, const combination<Real, N>& c,
                                  const Own& own, const Other& other, const Cross& cross) {
  for (int k = 0; k < N; ++k) {
    if (c.re[k] != Real(0)) sum.add(V(c.re[k]), own(k));
    if (c.im[k] != Real(0)) sum.add(cross(c.im[k]), other(k));
  }
}

/// The same of numbers of Parts parts: part `part`.
template <int Parts, class Real, int N>
ACC_FUNCTION void add_combination(product_sum<Real>& sum, const combination<Real, N>& c,
                                  const Real (&x)[N][Parts], int part) {
  add_combination(
      sum, c, [&](int k) { return x[k][part]; }, [&](int k) { return x[k][Parts - 1 - part]; },
      [&](Real factor) { return crossed(factor, part); });
}

/// Adds part `part` of the product a x of two elements. It leaves no product out.
template <int Parts, class Real>
ACC_FUNCTION void add_element_product(product_sum<Real>& sum, const Real (&a)[Parts],
                                      const Real (&x)[Parts], int part) {
  sum.add(a[0], x[part]);
  if constexpr (Parts == 2) sum.add(crossed(a[1], part), x[1 - part]);
}

/// The parts of gamma y + (alpha a) x. alpha a is rounded, and left out with x where alpha is zero.
template <int Parts, class Real>
ACC_FUNCTION void multiply_elements(const combination<Real, 1>& gamma, const Real (&y)[1][Parts],
                                    const combination<Real, 1>& alpha, const Real (&a)[1][Parts],
                                    const Real (&x)[Parts], Real (&result)[Parts]) {
  Real factor[Parts];
  for (int part = 0; part < Parts; ++part) {
    product_sum<Real> sum;
    add_combination<Parts>(sum, alpha, a, part);
    factor[part] = sum.sum;
  }
  for (int part = 0; part < Parts; ++part) {
    product_sum<Real> sum;
    add_combination<Parts>(sum, gamma, y, part);
    if (alpha.has(0)) add_element_product<Parts>(sum, factor, x, part);
    result[part] = sum.sum;
  }
}

}  // namespace acc::impl

#endif
