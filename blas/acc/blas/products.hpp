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

/// The same by acc::gemm with its default method.
template <class T>
void accurate_product(memory where, const call<T>& c);

/// The same by the method exact.
template <class T>
void exact_product(memory where, const call<T>& c);

}  // namespace acc::blas

#endif
