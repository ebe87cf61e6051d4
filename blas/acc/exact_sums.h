/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ACC_EXACT_SUMS_H
#define ACC_EXACT_SUMS_H

/**
 * \file
 * Exact sums that are gathered piece by piece, for C, and for all that calls C (Fortran: the type
 * acc_exact_sums of module acc). Link acc::blas. Over the ranks of MPI: <acc/c_mpi.h>.
 *
 * An acc_exact_sums has m sums, 0 to m - 1: for example one for each field of a model. Each is an
 * acc::superaccumulator<double>: no number, product or merge that is added to it is rounded, and
 * its value is the exact sum, rounded once. So the value has the same bits for any order of the
 * calls and any division of the data into calls, objects, processes and runs: those of
 * acc_dsum_exact or acc_ddot_exact of all of the data. It takes floats, too, and their products.
 *
 *     acc_exact_sums* sums;
 *     double s;
 *     if (acc_exact_sums_create(1, &sums) != ACC_SUCCESS) ...
 *     while (there is more) acc_exact_sums_dadd(sums, 0, n, x, 1);
 *     acc_exact_sums_dvalues(sums, &s);
 *     acc_exact_sums_destroy(sums);
 *
 * A complex sum is two sums: of the real parts (increment 2) and of the imaginary parts.
 *
 * Bound: |value - sum| <= ulp / 2. Special values are those of acc_dsum_exact. A sum takes up to
 * 2^90 numbers or products, and has 1072 bytes.
 * Source: Kulisch, Computer Arithmetic and Validity, 2013; Neal 2015 (arXiv:1505.05571).
 *
 * Vectors, their memory and errors are as in <acc/c.h>. A call that fails changes no sum. The
 * object lies in host memory. Only the calls that add vectors need Kokkos; for a vector in memory
 * of a GPU they allocate one accumulator there. Threads may call at the same time for different
 * objects; for one object they take turns.
 */

#include <acc/c.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** m exact sums. */
typedef struct acc_exact_sums acc_exact_sums;

/** Makes *sums, with m empty sums of value +0. To be destroyed by acc_exact_sums_destroy.
 *  Errors: m < 0, a null pointer, no memory. */
int acc_exact_sums_create(int64_t m, acc_exact_sums** sums);
/** Makes *copy, with the sums of `sums`. */
int acc_exact_sums_copy(const acc_exact_sums* sums, acc_exact_sums** copy);
/** Frees it. A null pointer is allowed. */
void acc_exact_sums_destroy(acc_exact_sums* sums);
/** m; of a null pointer -1. */
int64_t acc_exact_sums_count(const acc_exact_sums* sums);
/** Makes all sums empty. */
int acc_exact_sums_reset(acc_exact_sums* sums);

/** Adds n numbers to sum i. Errors: no sum i, and those of acc_dsum_exact. */
int acc_exact_sums_dadd(acc_exact_sums* sums, int64_t i, int64_t n, const double* x, int64_t incx);
/** The same for floats. */
int acc_exact_sums_sadd(acc_exact_sums* sums, int64_t i, int64_t n, const float* x, int64_t incx);
/** Adds the n products x[k] y[k], exactly, to sum i. Errors: no sum i, and those of acc_ddot_exact.
 */
int acc_exact_sums_dadd_products(acc_exact_sums* sums, int64_t i, int64_t n, const double* x,
                                 int64_t incx, const double* y, int64_t incy);
/** The same for floats. */
int acc_exact_sums_sadd_products(acc_exact_sums* sums, int64_t i, int64_t n, const float* x,
                                 int64_t incx, const float* y, int64_t incy);
/** Adds each sum of `other` to the one of `sums` in its place. `other` may be `sums`.
 *  Errors: not the same number of sums. */
int acc_exact_sums_merge(acc_exact_sums* sums, const acc_exact_sums* other);

/** The m values, each the exact sum, rounded once to double. */
int acc_exact_sums_dvalues(const acc_exact_sums* sums, double* values);
/** The same, each rounded once to float: as acc_ssum_exact, not by way of a double. */
int acc_exact_sums_svalues(const acc_exact_sums* sums, float* values);

/** The 64-bit integers of the wire form: 141 m. Of a null pointer -1. */
int64_t acc_exact_sums_wire_words(const acc_exact_sums* sums);
/** Writes the sums to words, acc_exact_sums_wire_words of them: for a file, a checkpoint or a
 *  message. Equal sums give equal words. The integer sum, word by word, of the wire forms of up to
 *  2^30 objects is a wire form of their merged sums: MPI_SUM of MPI_INT64_T merges them.
 *  Errors: n is another number. */
int acc_exact_sums_to_wire(const acc_exact_sums* sums, int64_t n, int64_t* words);
/** Replaces the sums by those of n words that acc_exact_sums_to_wire wrote for the same number of
 *  sums, or by the merged ones of a sum of such words.
 *  Errors: n is another number; the words are no such words. */
int acc_exact_sums_from_wire(acc_exact_sums* sums, int64_t n, const int64_t* words);

#ifdef __cplusplus
}
#endif

#endif
