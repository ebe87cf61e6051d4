// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "entry_points.hpp"

// For C++ the header does not declare the functions that return a complex number of C.
extern "C" {
ACC_BLAS_GEMM(sngemm, "SNGEMM", float, non_negative_product, never_at_once)
ACC_BLAS_GEMM(dngemm, "DNGEMM", double, non_negative_product, never_at_once)
ACC_BLAS_GEMM(sxgemm, "SXGEMM", float, exact_product, never_at_once)
ACC_BLAS_GEMM(dxgemm, "DXGEMM", double, exact_product, never_at_once)
ACC_BLAS_FUNCTIONS(ACC_BLAS_OWN_NAME, ACC_BLAS_OWN_ROUTINE)
}
