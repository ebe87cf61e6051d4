// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "entry_points.hpp"

// The names are the BLAS's, and its headers are not ours: <cblas.h> declares them with types that
// differ from one BLAS to the next. The reference tells xerbla_ six letters, so there is a space.
extern "C" {
ACC_BLAS_ENTRY_POINTS(sgemm, "SGEMM ", float, accurate_product)
ACC_BLAS_ENTRY_POINTS(dgemm, "DGEMM ", double, accurate_product)
}
