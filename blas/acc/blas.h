/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ACC_BLAS_H
#define ACC_BLAS_H

/**
 * \file
 * acc's matrix products, and its functions of vectors, for who calls a BLAS: prototypes and
 * arguments are the BLAS's, under names with one letter more after that of the type. N, for
 * non-negative A and B, is the proposal of Badin, D'Alberto, Bic, Dillencourt and Nicolau (ICS
 * 2013, section 6): Winograd's recursion, acc::ngemm with its default options. A is for accurate:
 * acc::gemm with its default method, selective<seeded>{.strip = 256}, for any A and B, of real or
 * complex numbers. X is for exact: acc::gemm with acc::exact, whose entries are alpha op(A) op(B) +
 * beta C, rounded once. All have the same bits on every machine. For C and C++; link acc::blas.
 * Other functions have the letter A alone (below).
 *
 *     C = alpha op(A) op(B) + beta C,   op(A) m x k, op(B) k x n, C m x n
 *
 * The matrices lie in host memory; where Kokkos has CUDA, all of them may also be in memory of its
 * GPU instead (managed memory is either), and are then multiplied there. A call returns when C is
 * there; of a GPU's matrices, A, B and C must be ready when it is made. A C that shares memory with
 * A or B is refused. With alpha = 0 or k = 0 A and B are not read, with beta = 0 C is not.
 *
 * Kokkos: where the program has not initialized it, the first call does, with the environment's
 * settings (KOKKOS_NUM_THREADS and so on), and it is finalized at exit. A program with Kokkos of
 * its own initializes it before the first call, and makes none after Kokkos::finalize: that is an
 * error as below, for Kokkos cannot be initialized again. Threads may call at the same time, those
 * of an OpenMP parallel region too; with Kokkos's OpenMP they take turns, each with all of Kokkos's
 * threads, so that many small products are made faster outside of a region.
 *
 * Forks: in a process that was forked after Kokkos had started, a call computes on the calling
 * thread alone, with the same bits, and Kokkos is not finalized at exit. fork() waits for the calls
 * of other threads. Where Kokkos has a GPU, or a host space other than OpenMP and Serial, it does
 * not survive a fork: a call in the child is an error as below. Where the fork came first, the
 * child has a Kokkos of its own.
 *
 * Errors: a wrong argument leaves C as it is and is reported with its place among the arguments,
 * from 1, by the functions of the reference BLAS,
 *
 *     void xerbla_(const char* name, const int* place, size_t length_of_name);
 *     void cblas_xerbla(int place, const char* name, const char* format, ...);
 *
 * of these the ones that the program itself or a BLAS linked to it defines. Where there are none, a
 * line on stderr says the same and the call returns. What is wrong, and which of several faults is
 * reported, is as in the reference. Beyond it: the place of a null pointer to a matrix that has
 * elements, of the first matrix in another memory than those before it, of C where it overlaps A or
 * B; and place 0 where no argument is at fault (no memory, no Kokkos). Of these xerbla_ is told
 * after a line on stderr that says why; cblas_xerbla gets it as its format's argument. With place 0
 * a call does not return: where there is no such function, or it returns, the process is aborted
 * with a line on stderr.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** The values of CBLAS_LAYOUT and CBLAS_TRANSPOSE. Under names of our own, and passed as int: so
 *  this header stands beside any <cblas.h>, whose constants may be passed as well. */
enum { AccRowMajor = 101, AccColMajor = 102 };
enum { AccNoTrans = 111, AccTrans = 112, AccConjTrans = 113 };

/* Every argument by address, as Fortran passes it. Fortran's hidden lengths of transa and transb
 * are not declared: a compiler appends them to the arguments, and in the calling conventions of
 * 64-bit systems, as in cdecl, the caller removes what a callee does not look at. */

/** Non-negative A and B, of single precision. */
void sngemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
             const float* beta, float* c, const int* ldc);
/** Non-negative A and B, of double precision. */
void dngemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
             const double* beta, double* c, const int* ldc);
/** Any A and B, of single precision, with selective compensation. */
void sagemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
             const float* beta, float* c, const int* ldc);
/** Any A and B, of double precision, with selective compensation. */
void dagemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
             const double* beta, double* c, const int* ldc);
/** Any A and B, of single precision; every entry rounded once. */
void sxgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
             const float* beta, float* c, const int* ldc);
/** Any A and B, of double precision; every entry rounded once. */
void dxgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
             const double* beta, double* c, const int* ldc);

/** sngemm_ by rows or by columns; the same bits either way. */
void cblas_sngemm(int layout, int transa, int transb, int m, int n, int k, float alpha,
                  const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
/** dngemm_ by rows or by columns. */
void cblas_dngemm(int layout, int transa, int transb, int m, int n, int k, double alpha,
                  const double* a, int lda, const double* b, int ldb, double beta, double* c,
                  int ldc);
/** sagemm_ by rows or by columns. */
void cblas_sagemm(int layout, int transa, int transb, int m, int n, int k, float alpha,
                  const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
/** dagemm_ by rows or by columns. */
void cblas_dagemm(int layout, int transa, int transb, int m, int n, int k, double alpha,
                  const double* a, int lda, const double* b, int ldb, double beta, double* c,
                  int ldc);
/** sxgemm_ by rows or by columns. */
void cblas_sxgemm(int layout, int transa, int transb, int m, int n, int k, float alpha,
                  const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
/** dxgemm_ by rows or by columns. */
void cblas_dxgemm(int layout, int transa, int transb, int m, int n, int k, double alpha,
                  const double* a, int lda, const double* b, int ldb, double beta, double* c,
                  int ldc);

/** GEMM of complex numbers, as sagemm_ and dagemm_. Complex numbers lie as two real ones each, the
 *  real part first, and are void here as in <cblas.h>. */
void cagemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const void* alpha, const void* a, const int* lda, const void* b, const int* ldb,
             const void* beta, void* c, const int* ldc);
/** The same of double precision. */
void zagemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const void* alpha, const void* a, const int* lda, const void* b, const int* ldb,
             const void* beta, void* c, const int* ldc);
/** cagemm_ by rows or by columns. */
void cblas_cagemm(int layout, int transa, int transb, int m, int n, int k, const void* alpha,
                  const void* a, int lda, const void* b, int ldb, const void* beta, void* c,
                  int ldc);
/** zagemm_ by rows or by columns. */
void cblas_zagemm(int layout, int transa, int transb, int m, int n, int k, const void* alpha,
                  const void* a, int lda, const void* b, int ldb, const void* beta, void* c,
                  int ldc);

/* y = alpha op(A) x + beta y by acc::gemv with its default method: the bits of xAGEMM with one
 * column. A is m x n. Memory and errors as above, but what xGEMV refuses (an increment of 0, for
 * example). As in the BLAS, y stays as it is where A has no elements. A y that overlaps A or x is
 * refused at its place. */

/** y = alpha op(A) x + beta y of single precision; s, d, c and z alike. */
void sagemv_(const char* trans, const int* m, const int* n, const float* alpha, const float* a,
             const int* lda, const float* x, const int* incx, const float* beta, float* y,
             const int* incy);
/** Of double precision. */
void dagemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a,
             const int* lda, const double* x, const int* incx, const double* beta, double* y,
             const int* incy);
/** Of complex numbers. */
void cagemv_(const char* trans, const int* m, const int* n, const void* alpha, const void* a,
             const int* lda, const void* x, const int* incx, const void* beta, void* y,
             const int* incy);
/** Of complex numbers of double precision. */
void zagemv_(const char* trans, const int* m, const int* n, const void* alpha, const void* a,
             const int* lda, const void* x, const int* incx, const void* beta, void* y,
             const int* incy);
/** sagemv_ by rows or by columns; the same bits either way. */
void cblas_sagemv(int layout, int trans, int m, int n, float alpha, const float* a, int lda,
                  const float* x, int incx, float beta, float* y, int incy);
/** dagemv_ by rows or by columns. */
void cblas_dagemv(int layout, int trans, int m, int n, double alpha, const double* a, int lda,
                  const double* x, int incx, double beta, double* y, int incy);
/** cagemv_ by rows or by columns. */
void cblas_cagemv(int layout, int trans, int m, int n, const void* alpha, const void* a, int lda,
                  const void* x, int incx, const void* beta, void* y, int incy);
/** zagemv_ by rows or by columns. */
void cblas_zagemv(int layout, int trans, int m, int n, const void* alpha, const void* a, int lda,
                  const void* x, int incx, const void* beta, void* y, int incy);

/* Functions of vectors, with the bits of acc::dot, dotu, nrm2, asum, axpy and scal by their default
 * method. They report nothing, as in the BLAS: n <= 0 is no element, and a sum of none is +0. A
 * negative increment begins at the last element in memory; with it, or with 0, asum is 0 and scal
 * changes nothing, as in the reference BLAS. Where elements of y share a place with others, axpy
 * computes them in turn. A call that cannot compute ends the process, as above. */

/** The dot product of x and y. */
float sadot_(const int* n, const float* x, const int* incx, const float* y, const int* incy);
/** Of double precision. */
double dadot_(const int* n, const double* x, const int* incx, const double* y, const int* incy);
/** sadot_ from C. */
float cblas_sadot(int n, const float* x, int incx, const float* y, int incy);
/** dadot_ from C. */
double cblas_dadot(int n, const double* x, int incx, const double* y, int incy);
#ifndef __cplusplus /* C++ has no complex numbers of C */
/** sum x_i y_i, which gfortran's calls expect by value. */
float _Complex cadotu_(const int* n, const void* x, const int* incx, const void* y,
                       const int* incy);
/** sum conj(x_i) y_i. */
float _Complex cadotc_(const int* n, const void* x, const int* incx, const void* y,
                       const int* incy);
/** cadotu_ of double precision. */
double _Complex zadotu_(const int* n, const void* x, const int* incx, const void* y,
                        const int* incy);
/** cadotc_ of double precision. */
double _Complex zadotc_(const int* n, const void* x, const int* incx, const void* y,
                        const int* incy);
#endif
/** cadotu_ into *result. */
void cblas_cadotu_sub(int n, const void* x, int incx, const void* y, int incy, void* result);
/** cadotc_ into *result. */
void cblas_cadotc_sub(int n, const void* x, int incx, const void* y, int incy, void* result);
/** zadotu_ into *result. */
void cblas_zadotu_sub(int n, const void* x, int incx, const void* y, int incy, void* result);
/** zadotc_ into *result. */
void cblas_zadotc_sub(int n, const void* x, int incx, const void* y, int incy, void* result);

/** The Euclidean norm. */
float sanrm2_(const int* n, const float* x, const int* incx);
/** sanrm2_ from C. */
float cblas_sanrm2(int n, const float* x, int incx);
/** The Euclidean norm. */
double danrm2_(const int* n, const double* x, const int* incx);
/** danrm2_ from C. */
double cblas_danrm2(int n, const double* x, int incx);
/** The Euclidean norm of complex numbers. */
float scanrm2_(const int* n, const void* x, const int* incx);
/** scanrm2_ from C. */
float cblas_scanrm2(int n, const void* x, int incx);
/** The Euclidean norm of complex numbers. */
double dzanrm2_(const int* n, const void* x, const int* incx);
/** dzanrm2_ from C. */
double cblas_dzanrm2(int n, const void* x, int incx);
/** The sum of magnitudes. */
float saasum_(const int* n, const float* x, const int* incx);
/** saasum_ from C. */
float cblas_saasum(int n, const float* x, int incx);
/** The sum of magnitudes. */
double daasum_(const int* n, const double* x, const int* incx);
/** daasum_ from C. */
double cblas_daasum(int n, const double* x, int incx);
/** The sum of abs(re) + abs(im). */
float scaasum_(const int* n, const void* x, const int* incx);
/** scaasum_ from C. */
float cblas_scaasum(int n, const void* x, int incx);
/** The sum of abs(re) + abs(im). */
double dzaasum_(const int* n, const void* x, const int* incx);
/** dzaasum_ from C. */
double cblas_dzaasum(int n, const void* x, int incx);
/** y = alpha x + y. */
void saaxpy_(const int* n, const float* alpha, const float* x, const int* incx, float* y,
             const int* incy);
/** saaxpy_ from C. */
void cblas_saaxpy(int n, float alpha, const float* x, int incx, float* y, int incy);
/** y = alpha x + y. */
void daaxpy_(const int* n, const double* alpha, const double* x, const int* incx, double* y,
             const int* incy);
/** daaxpy_ from C. */
void cblas_daaxpy(int n, double alpha, const double* x, int incx, double* y, int incy);
/** y = alpha x + y. */
void caaxpy_(const int* n, const void* alpha, const void* x, const int* incx, void* y,
             const int* incy);
/** caaxpy_ from C. */
void cblas_caaxpy(int n, const void* alpha, const void* x, int incx, void* y, int incy);
/** y = alpha x + y. */
void zaaxpy_(const int* n, const void* alpha, const void* x, const int* incx, void* y,
             const int* incy);
/** zaaxpy_ from C. */
void cblas_zaaxpy(int n, const void* alpha, const void* x, int incx, void* y, int incy);
/** x = alpha x. */
void sascal_(const int* n, const float* alpha, float* x, const int* incx);
/** sascal_ from C. */
void cblas_sascal(int n, float alpha, float* x, int incx);
/** x = alpha x. */
void dascal_(const int* n, const double* alpha, double* x, const int* incx);
/** dascal_ from C. */
void cblas_dascal(int n, double alpha, double* x, int incx);
/** x = alpha x. */
void cascal_(const int* n, const void* alpha, void* x, const int* incx);
/** cascal_ from C. */
void cblas_cascal(int n, const void* alpha, void* x, int incx);
/** x = alpha x. */
void zascal_(const int* n, const void* alpha, void* x, const int* incx);
/** zascal_ from C. */
void cblas_zascal(int n, const void* alpha, void* x, int incx);
/** x = alpha x. */
void csascal_(const int* n, const float* alpha, void* x, const int* incx);
/** csascal_ from C. */
void cblas_csascal(int n, float alpha, void* x, int incx);
/** x = alpha x. */
void zdascal_(const int* n, const double* alpha, void* x, const int* incx);
/** zdascal_ from C. */
void cblas_zdascal(int n, double alpha, void* x, int incx);

/* Symmetric, Hermitian and triangular matrices, of which the triangle `uplo` ("U" or "L"; 121 or
 * 122 in C, as in <cblas.h>, where sides are 141 and 142, diagonals 131 and 132) is read or
 * written. They compute by gemm and gemv of the default method; docs/arithmetic.md ("Triangles")
 * has their arithmetic. Matrices lie in host memory. Errors are those of the BLAS's functions
 * without the letter A, and an overlap as above. */

/** y = alpha A x + beta y, A symmetric. */
void sasymv_(const char* uplo, const int* n, const float* alpha, const float* a, const int* lda,
             const float* x, const int* incx, const float* beta, float* y, const int* incy);
/** sasymv_ by rows or by columns. */
void cblas_sasymv(int layout, int uplo, int n, float alpha, const float* a, int lda, const float* x,
                  int incx, float beta, float* y, int incy);
/** y = alpha A x + beta y, A symmetric. */
void dasymv_(const char* uplo, const int* n, const double* alpha, const double* a, const int* lda,
             const double* x, const int* incx, const double* beta, double* y, const int* incy);
/** dasymv_ by rows or by columns. */
void cblas_dasymv(int layout, int uplo, int n, double alpha, const double* a, int lda,
                  const double* x, int incx, double beta, double* y, int incy);
/** y = alpha A x + beta y, A Hermitian. */
void cahemv_(const char* uplo, const int* n, const void* alpha, const void* a, const int* lda,
             const void* x, const int* incx, const void* beta, void* y, const int* incy);
/** cahemv_ by rows or by columns. */
void cblas_cahemv(int layout, int uplo, int n, const void* alpha, const void* a, int lda,
                  const void* x, int incx, const void* beta, void* y, int incy);
/** y = alpha A x + beta y, A Hermitian. */
void zahemv_(const char* uplo, const int* n, const void* alpha, const void* a, const int* lda,
             const void* x, const int* incx, const void* beta, void* y, const int* incy);
/** zahemv_ by rows or by columns. */
void cblas_zahemv(int layout, int uplo, int n, const void* alpha, const void* a, int lda,
                  const void* x, int incx, const void* beta, void* y, int incy);
/** C = alpha A B + beta C, or alpha B A + beta C, A symmetric. */
void sasymm_(const char* side, const char* uplo, const int* m, const int* n, const float* alpha,
             const float* a, const int* lda, const float* b, const int* ldb, const float* beta,
             float* c, const int* ldc);
/** sasymm_ by rows or by columns. */
void cblas_sasymm(int layout, int side, int uplo, int m, int n, float alpha, const float* a,
                  int lda, const float* b, int ldb, float beta, float* c, int ldc);
/** C = alpha A B + beta C, or alpha B A + beta C, A symmetric. */
void dasymm_(const char* side, const char* uplo, const int* m, const int* n, const double* alpha,
             const double* a, const int* lda, const double* b, const int* ldb, const double* beta,
             double* c, const int* ldc);
/** dasymm_ by rows or by columns. */
void cblas_dasymm(int layout, int side, int uplo, int m, int n, double alpha, const double* a,
                  int lda, const double* b, int ldb, double beta, double* c, int ldc);
/** C = alpha A B + beta C, or alpha B A + beta C, A symmetric. */
void casymm_(const char* side, const char* uplo, const int* m, const int* n, const void* alpha,
             const void* a, const int* lda, const void* b, const int* ldb, const void* beta,
             void* c, const int* ldc);
/** casymm_ by rows or by columns. */
void cblas_casymm(int layout, int side, int uplo, int m, int n, const void* alpha, const void* a,
                  int lda, const void* b, int ldb, const void* beta, void* c, int ldc);
/** C = alpha A B + beta C, or alpha B A + beta C, A symmetric. */
void zasymm_(const char* side, const char* uplo, const int* m, const int* n, const void* alpha,
             const void* a, const int* lda, const void* b, const int* ldb, const void* beta,
             void* c, const int* ldc);
/** zasymm_ by rows or by columns. */
void cblas_zasymm(int layout, int side, int uplo, int m, int n, const void* alpha, const void* a,
                  int lda, const void* b, int ldb, const void* beta, void* c, int ldc);
/** C = alpha A B + beta C, or alpha B A + beta C, A Hermitian. */
void cahemm_(const char* side, const char* uplo, const int* m, const int* n, const void* alpha,
             const void* a, const int* lda, const void* b, const int* ldb, const void* beta,
             void* c, const int* ldc);
/** cahemm_ by rows or by columns. */
void cblas_cahemm(int layout, int side, int uplo, int m, int n, const void* alpha, const void* a,
                  int lda, const void* b, int ldb, const void* beta, void* c, int ldc);
/** C = alpha A B + beta C, or alpha B A + beta C, A Hermitian. */
void zahemm_(const char* side, const char* uplo, const int* m, const int* n, const void* alpha,
             const void* a, const int* lda, const void* b, const int* ldb, const void* beta,
             void* c, const int* ldc);
/** zahemm_ by rows or by columns. */
void cblas_zahemm(int layout, int side, int uplo, int m, int n, const void* alpha, const void* a,
                  int lda, const void* b, int ldb, const void* beta, void* c, int ldc);
/** C = alpha A A^T + beta C, or alpha A^T A + beta C: one triangle. */
void sasyrk_(const char* uplo, const char* trans, const int* n, const int* k, const float* alpha,
             const float* a, const int* lda, const float* beta, float* c, const int* ldc);
/** sasyrk_ by rows or by columns. */
void cblas_sasyrk(int layout, int uplo, int trans, int n, int k, float alpha, const float* a,
                  int lda, float beta, float* c, int ldc);
/** C = alpha A A^T + beta C, or alpha A^T A + beta C: one triangle. */
void dasyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
             const double* a, const int* lda, const double* beta, double* c, const int* ldc);
/** dasyrk_ by rows or by columns. */
void cblas_dasyrk(int layout, int uplo, int trans, int n, int k, double alpha, const double* a,
                  int lda, double beta, double* c, int ldc);
/** C = alpha A A^T + beta C, or alpha A^T A + beta C: one triangle. */
void casyrk_(const char* uplo, const char* trans, const int* n, const int* k, const void* alpha,
             const void* a, const int* lda, const void* beta, void* c, const int* ldc);
/** casyrk_ by rows or by columns. */
void cblas_casyrk(int layout, int uplo, int trans, int n, int k, const void* alpha, const void* a,
                  int lda, const void* beta, void* c, int ldc);
/** C = alpha A A^T + beta C, or alpha A^T A + beta C: one triangle. */
void zasyrk_(const char* uplo, const char* trans, const int* n, const int* k, const void* alpha,
             const void* a, const int* lda, const void* beta, void* c, const int* ldc);
/** zasyrk_ by rows or by columns. */
void cblas_zasyrk(int layout, int uplo, int trans, int n, int k, const void* alpha, const void* a,
                  int lda, const void* beta, void* c, int ldc);
/** C = alpha A A^H + beta C, or alpha A^H A + beta C: one triangle. */
void caherk_(const char* uplo, const char* trans, const int* n, const int* k, const float* alpha,
             const void* a, const int* lda, const float* beta, void* c, const int* ldc);
/** caherk_ by rows or by columns. */
void cblas_caherk(int layout, int uplo, int trans, int n, int k, float alpha, const void* a,
                  int lda, float beta, void* c, int ldc);
/** C = alpha A A^H + beta C, or alpha A^H A + beta C: one triangle. */
void zaherk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
             const void* a, const int* lda, const double* beta, void* c, const int* ldc);
/** zaherk_ by rows or by columns. */
void cblas_zaherk(int layout, int uplo, int trans, int n, int k, double alpha, const void* a,
                  int lda, double beta, void* c, int ldc);
/** Solves op(A) x = b, x in the place of b. */
void satrsv_(const char* uplo, const char* trans, const char* diag, const int* n, const float* a,
             const int* lda, float* x, const int* incx);
/** satrsv_ by rows or by columns. */
void cblas_satrsv(int layout, int uplo, int trans, int diag, int n, const float* a, int lda,
                  float* x, int incx);
/** Solves op(A) x = b, x in the place of b. */
void datrsv_(const char* uplo, const char* trans, const char* diag, const int* n, const double* a,
             const int* lda, double* x, const int* incx);
/** datrsv_ by rows or by columns. */
void cblas_datrsv(int layout, int uplo, int trans, int diag, int n, const double* a, int lda,
                  double* x, int incx);
/** Solves op(A) x = b, x in the place of b. */
void catrsv_(const char* uplo, const char* trans, const char* diag, const int* n, const void* a,
             const int* lda, void* x, const int* incx);
/** catrsv_ by rows or by columns. */
void cblas_catrsv(int layout, int uplo, int trans, int diag, int n, const void* a, int lda, void* x,
                  int incx);
/** Solves op(A) x = b, x in the place of b. */
void zatrsv_(const char* uplo, const char* trans, const char* diag, const int* n, const void* a,
             const int* lda, void* x, const int* incx);
/** zatrsv_ by rows or by columns. */
void cblas_zatrsv(int layout, int uplo, int trans, int diag, int n, const void* a, int lda, void* x,
                  int incx);
/** Solves op(A) X = alpha B, or X op(A) = alpha B, X in the place of B. */
void satrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
             const int* n, const float* alpha, const float* a, const int* lda, float* b,
             const int* ldb);
/** satrsm_ by rows or by columns. */
void cblas_satrsm(int layout, int side, int uplo, int transa, int diag, int m, int n, float alpha,
                  const float* a, int lda, float* b, int ldb);
/** Solves op(A) X = alpha B, or X op(A) = alpha B, X in the place of B. */
void datrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
             const int* n, const double* alpha, const double* a, const int* lda, double* b,
             const int* ldb);
/** datrsm_ by rows or by columns. */
void cblas_datrsm(int layout, int side, int uplo, int transa, int diag, int m, int n, double alpha,
                  const double* a, int lda, double* b, int ldb);
/** Solves op(A) X = alpha B, or X op(A) = alpha B, X in the place of B. */
void catrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
             const int* n, const void* alpha, const void* a, const int* lda, void* b,
             const int* ldb);
/** catrsm_ by rows or by columns. */
void cblas_catrsm(int layout, int side, int uplo, int transa, int diag, int m, int n,
                  const void* alpha, const void* a, int lda, void* b, int ldb);
/** Solves op(A) X = alpha B, or X op(A) = alpha B, X in the place of B. */
void zatrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
             const int* n, const void* alpha, const void* a, const int* lda, void* b,
             const int* ldb);
/** zatrsm_ by rows or by columns. */
void cblas_zatrsm(int layout, int side, int uplo, int transa, int diag, int m, int n,
                  const void* alpha, const void* a, int lda, void* b, int ldb);

#ifdef __cplusplus
}
#endif

#endif
