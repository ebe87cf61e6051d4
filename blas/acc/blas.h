/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ACC_BLAS_H
#define ACC_BLAS_H

/**
 * \file
 * acc's matrix products for who calls a BLAS: prototypes and arguments of xGEMM, under names with
 * one letter more after that of the type. N, for non-negative A and B, is the proposal of Badin,
 * D'Alberto, Bic, Dillencourt and Nicolau (ICS 2013, section 6): Winograd's recursion, acc::ngemm
 * with its default options. A is for accurate: acc::gemm with its default method,
 * selective<seeded>{.strip = 256}, for any A and B. X is for exact: acc::gemm with acc::exact,
 * whose entries are alpha op(A) op(B) + beta C, rounded once. All have the same bits on every
 * machine. For C and C++; link acc::blas.
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

#ifdef __cplusplus
}
#endif

#endif
