// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_NUMBERS_COMPLEX_SUM_HPP
#define ACC_CORE_NUMBERS_COMPLEX_SUM_HPP

/// \file
/// What the complex accumulators share: a complex sum is a pair of real ones.

#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/macros.hpp>

#include <Kokkos_Complex.hpp>

namespace acc::impl {

/// Real and imaginary part are sums of type Part. Sum is the type derived from it.
template <class Sum, class Part>
struct complex_sum {
  using real_type = typename Part::scalar_type;
  using scalar_type = Kokkos::complex<real_type>;

  Part re, im;

  ACC_DEFAULTED_FUNCTION complex_sum() = default;
  ACC_FUNCTION complex_sum(const Part& real, const Part& imag) : re(real), im(imag) {}

  ACC_FUNCTION void add(scalar_type x) {
    re.add(x.real());
    im.add(x.imag());
  }
  /// Deposits x * y (no conjugation).
  ACC_FUNCTION void add_product(scalar_type x, scalar_type y) {
    const real_type a[2] = {x.real(), x.imag()}, b[2] = {y.real(), y.imag()};
    add_complex_product(re, im, a, b);
  }
  ACC_FUNCTION void merge(const Sum& other) {
    re.merge(other.re);
    im.merge(other.im);
  }
  ACC_FUNCTION scalar_type value() const { return {re.value(), im.value()}; }
};

}  // namespace acc::impl

#endif
