// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_CALL_HPP
#define ACC_BLAS_CALL_HPP

/// \file
/// One call of an entry point as a value, and what may be wrong with it.

#include <acc/core/checks/transpose_op.hpp>

namespace acc::blas {

/// Places of xGEMM's arguments. In cblas_xgemm, after the layout, each is one more.
enum place : int {
  none = 0,
  of_transa = 1,
  of_transb,
  of_m,
  of_n,
  of_k,
  of_a = 7,
  of_lda,
  of_b,
  of_ldb,
  of_c = 12,
  of_ldc
};

/// The arguments that are not of the matrices' type.
struct shape {
  bool row_major;
  char transa, transb;  ///< 'N', 'T', 'C', or '\0' where it is none of these
  int m, n, k, lda, ldb, ldc;
};

template <class T>
struct call : shape {
  T alpha, beta;
  const T *a, *b;
  T* c;

  /// The products count; if not, A and B are not read.
  bool reads_products() const { return k > 0 && alpha != T(0); }
  /// C stays as it is.
  bool is_done() const { return m == 0 || n == 0 || (!reads_products() && beta == T(1)); }
};

/// The first argument that the reference BLAS would refuse, in the order in which it looks.
place illegal_argument(const shape& s);

using impl::transpose_op;
/// The letter of a CBLAS_TRANSPOSE, or '\0'.
char operation_of_constant(int constant);

}  // namespace acc::blas

#endif
