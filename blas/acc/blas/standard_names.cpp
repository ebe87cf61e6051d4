// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "entry_points.hpp"

// The names are the BLAS's, and its headers are not ours: <cblas.h> declares them with types that
// differ from one BLAS to the next. The reference tells xerbla_ six letters, so there are spaces.
extern "C" {
ACC_BLAS_GEMM(sgemm, "SGEMM ", float, accurate_product)
ACC_BLAS_GEMM(dgemm, "DGEMM ", double, accurate_product)
ACC_BLAS_GEMM(cgemm, "CGEMM ", acc::blas::complex_float, accurate_product)
ACC_BLAS_GEMM(zgemm, "ZGEMM ", acc::blas::complex_double, accurate_product)
ACC_BLAS_GEMV(sgemv, "SGEMV ", float)
ACC_BLAS_GEMV(dgemv, "DGEMV ", double)
ACC_BLAS_GEMV(cgemv, "CGEMV ", acc::blas::complex_float)
ACC_BLAS_GEMV(zgemv, "ZGEMV ", acc::blas::complex_double)
ACC_BLAS_DOT(sdot, float, acc_sdot_compensated)
ACC_BLAS_DOT(ddot, double, acc_ddot_compensated)
ACC_BLAS_COMPLEX_DOT(cdotu, float, acc_cdotu_compensated)
ACC_BLAS_COMPLEX_DOT(cdotc, float, acc_cdot_compensated)
ACC_BLAS_COMPLEX_DOT(zdotu, double, acc_zdotu_compensated)
ACC_BLAS_COMPLEX_DOT(zdotc, double, acc_zdot_compensated)
ACC_BLAS_NORM(snrm2, float, float, acc_snrm2_compensated)
ACC_BLAS_NORM(dnrm2, double, double, acc_dnrm2_compensated)
ACC_BLAS_NORM(scnrm2, float, acc::blas::complex_float, acc_cnrm2_compensated)
ACC_BLAS_NORM(dznrm2, double, acc::blas::complex_double, acc_znrm2_compensated)
ACC_BLAS_ASUM(sasum, float, float, acc_sasum_compensated)
ACC_BLAS_ASUM(dasum, double, double, acc_dasum_compensated)
ACC_BLAS_ASUM(scasum, float, acc::blas::complex_float, acc_casum_compensated)
ACC_BLAS_ASUM(dzasum, double, acc::blas::complex_double, acc_zasum_compensated)
ACC_BLAS_AXPY(saxpy, float)
ACC_BLAS_AXPY(daxpy, double)
ACC_BLAS_AXPY(caxpy, acc::blas::complex_float)
ACC_BLAS_AXPY(zaxpy, acc::blas::complex_double)
ACC_BLAS_SCAL(sscal, float, float)
ACC_BLAS_SCAL(dscal, double, double)
ACC_BLAS_SCAL(cscal, acc::blas::complex_float, acc::blas::complex_float)
ACC_BLAS_SCAL(zscal, acc::blas::complex_double, acc::blas::complex_double)
ACC_BLAS_SCAL(csscal, float, acc::blas::complex_float)
ACC_BLAS_SCAL(zdscal, double, acc::blas::complex_double)
}
