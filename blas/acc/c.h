/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ACC_C_H
#define ACC_C_H

/**
 * \file
 * acc's sums, dot products and norms for C, and for all that calls C (Fortran: module acc in
 * share/acc/acc.f90; Python: python/). Link acc::blas. There are 80 functions,
 *
 *     int acc_{type}{function}_{method}(int64_t n, const T* x, int64_t incx, T* result);
 *     int acc_{type}{function}_{method}(int64_t n, const T* x, int64_t incx,
 *                                       const T* y, int64_t incy, T* result);
 *
 * {type}      s, d, c, z: float, double, acc_complex_float, acc_complex_double
 * {function}  of one vector: sum, asum (of complex x |re| + |im|, as in the BLAS), nrm2; the result
 *             of the last two is real. Of two: dot, which conjugates x, and dotu, which does not
 * {method}    plain, compensated, reproducible (acc::reproducible<3>), exact (rounded once)
 *
 * with the bits of acc::sum and its kin for the same numbers on any machine; arithmetic, special
 * values and bounds are theirs, too. For example
 *
 *     double s;
 *     if (acc_dsum_exact(n, x, 1, &s) != ACC_SUCCESS) fprintf(stderr, "%s\n", acc_last_error());
 *
 * Vectors are as in the BLAS: x is the address of n elements incx apart, the first of them x[0], or
 * where incx is negative the last in memory, x[(1 - n) * incx]. incx = 0 is one element n times.
 * Where n = 0 the result is +0 and x is not read. The vectors lie in host memory or, where Kokkos
 * has CUDA, both in memory of its GPU, which then computes; the result lies in host memory. Kokkos,
 * threads and exit are as with <acc/blas.h>.
 *
 * Errors: a call returns ACC_SUCCESS; else *result stays as it is, and acc_last_error() says why.
 */

#include <stdint.h>

#ifdef __cplusplus
#include <complex>
typedef std::complex<float> acc_complex_float;
typedef std::complex<double> acc_complex_double;
extern "C" {
#else
typedef float _Complex acc_complex_float;
typedef double _Complex acc_complex_double;
#endif

enum {
  ACC_SUCCESS = 0,
  ACC_INVALID_ARGUMENT = 1, /**< n < 0, a null pointer, or vectors in different memories */
  ACC_FAILURE = 2           /**< no memory; Kokkos is finalized, or does not survive a fork */
};

/** What was wrong in the calling thread's last call that failed: the function's name, a colon and
 *  the reason. Never null; overwritten by the next failure. */
const char* acc_last_error(void);

/** Starts Kokkos, if nobody has, as otherwise the first call does. */
int acc_initialize(void);

/** X(type, T, R, method) for each type and method; R is T's real type. */
#define ACC_EACH_TYPE_AND_METHOD(X)               \
  ACC_EACH_METHOD(X, s, float, float)             \
  ACC_EACH_METHOD(X, d, double, double)           \
  ACC_EACH_METHOD(X, c, acc_complex_float, float) \
  ACC_EACH_METHOD(X, z, acc_complex_double, double)
#define ACC_EACH_METHOD(X, type, T, R) \
  X(type, T, R, plain)                 \
  X(type, T, R, compensated)           \
  X(type, T, R, reproducible)          \
  X(type, T, R, exact)

#define ACC_DECLARE_FUNCTIONS(type, T, R, method)                                              \
  int acc_##type##sum_##method(int64_t n, const T* x, int64_t incx, T* result);                \
  int acc_##type##asum_##method(int64_t n, const T* x, int64_t incx, R* result);               \
  int acc_##type##nrm2_##method(int64_t n, const T* x, int64_t incx, R* result);               \
  int acc_##type##dot_##method(int64_t n, const T* x, int64_t incx, const T* y, int64_t incy,  \
                               T* result);                                                     \
  int acc_##type##dotu_##method(int64_t n, const T* x, int64_t incx, const T* y, int64_t incy, \
                                T* result);
ACC_EACH_TYPE_AND_METHOD(ACC_DECLARE_FUNCTIONS)
#undef ACC_DECLARE_FUNCTIONS

#ifdef __cplusplus
}
#endif

#endif
