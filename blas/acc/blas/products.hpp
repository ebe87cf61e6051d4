// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_PRODUCTS_HPP
#define ACC_BLAS_PRODUCTS_HPP

#include "call.hpp"
#include "memory.hpp"

namespace acc::blas {

/// C = alpha op(A) op(B) + beta C in this memory, by acc::ngemm with its default options; C is
/// there on return. T is float or double.
///
/// \throws std::invalid_argument if C overlaps A or B; where memory is short, what Kokkos throws
template <class T>
void non_negative_product(memory where, const call<T>& c);

/// The same by acc::gemm with its default method, also of Kokkos::complex.
template <class T>
void accurate_product(memory where, const call<T>& c);

/// The same where the calling thread alone can compute it, faster than the call would be prepared;
/// or false, and nothing has been done: the product is not small, not in host memory, or its
/// arguments may have to be refused; or Kokkos does not run yet. T as of accurate_product.
template <class T>
bool accurate_product_at_once(const call<T>& c) noexcept;

/// The same by the method exact.
template <class T>
void exact_product(memory where, const call<T>& c);

/// y = alpha op(A) x + beta y by acc::gemv with its default method. T is float, double or
/// Kokkos::complex of them.
///
/// \throws std::invalid_argument if y overlaps A or x; where memory is short, what Kokkos throws
template <class T>
void matrix_vector_product(memory where, const gemv_call<T>& c);

/// As accurate_product_at_once.
template <class T>
bool matrix_vector_product_at_once(const gemv_call<T>& c) noexcept;

/// Of products that are always prepared.
template <class Call>
bool never_at_once(const Call&) noexcept {
  return false;
}

}  // namespace acc::blas

#endif
