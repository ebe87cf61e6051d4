// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "entry_points.hpp"
#include "triangle_entry_points.hpp"

// The names are the BLAS's, and its headers are not ours: <cblas.h> declares them with types that
// differ from one BLAS to the next. The reference tells xerbla_ six letters, so there are spaces.
#define ACC_BLAS_STANDARD_NAME(type, function) type##function
#define ACC_BLAS_STANDARD_ROUTINE(TYPE, FUNCTION) TYPE FUNCTION " "

extern "C" {
ACC_BLAS_FUNCTIONS(ACC_BLAS_STANDARD_NAME, ACC_BLAS_STANDARD_ROUTINE)
ACC_BLAS_TRIANGLES(ACC_BLAS_STANDARD_NAME, ACC_BLAS_STANDARD_ROUTINE)
}
