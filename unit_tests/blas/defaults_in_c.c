/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C = A B by each entry point, by columns, called from C: test_defaults.cpp compares the bits. */
#include <acc/blas.h>

#define FROM_C(name, real)                                                              \
  void name##_from_c(int m, int n, int k, const real* a, const real* b, real* c);       \
  void name##_from_c(int m, int n, int k, const real* a, const real* b, real* c) {      \
    cblas_##name(AccColMajor, AccNoTrans, AccNoTrans, m, n, k, 1, a, m, b, k, 0, c, m); \
  }
FROM_C(sagemm, float)
FROM_C(dagemm, double)
FROM_C(sngemm, float)
FROM_C(dngemm, double)
