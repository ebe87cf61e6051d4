/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ACC_C_MPI_H
#define ACC_C_MPI_H

/**
 * \file
 * Exact sums and dot products over the ranks of an MPI communicator, for C (Fortran: module
 * acc_mpi). Link acc::c_mpi. They are acc::mpi's: every rank gets the same bits, those of
 * acc_dsum_exact or acc_ddot_exact of the elements of all ranks, for any number of ranks and any
 * distribution. A rank may have no elements.
 *
 * Calls are collective: every rank makes them, with the same type. Vectors and their memory are as
 * in <acc/c.h>; messages go through host memory. An exact sum is 128 bytes of a message (float:
 * 100), and, where the sums of ranks span more than 260 decades, 1128 more. Where there are many
 * sums, all of them travel in one message, up to 2^20; a message of two integers before it compares
 * their number.
 *
 * Errors are as in <acc/c.h>. Beyond them ACC_INVALID_ARGUMENT says that comm is MPI_COMM_NULL or
 * an inter-communicator, or, on all ranks, that ranks have different numbers of sums; ACC_FAILURE
 * that MPI is not initialized or has been finalized, or reports an error. What is wrong on one rank
 * alone is refused there before any message, and the other ranks wait for it.
 */

#include <acc/c.h>
#include <acc/exact_sums.h>

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Comm: MPI_Comm; for Fortran, under names with f_, the integer that MPI_Comm_f2c takes. */
#define ACC_DECLARE_OF_TYPE(prefix, Comm, type, T)                                                 \
  /** The sum of the n numbers of each rank. */                                                    \
  int acc_mpi_##prefix##type##sum_exact(Comm comm, int64_t n, const T* x, int64_t incx,            \
                                        T* result);                                                \
  /** The sum of the n products x[k] y[k] of each rank. */                                         \
  int acc_mpi_##prefix##type##dot_exact(Comm comm, int64_t n, const T* x, int64_t incx,            \
                                        const T* y, int64_t incy, T* result);                      \
  /** m sums in one message: result[j] of the n numbers x[j ldx], x[j ldx + 1], ... of each rank.  \
   *  m is the same on all ranks; n and ldx need not be. Errors also: m < 0, ldx < n. */           \
  int acc_mpi_##prefix##type##sums_exact(Comm comm, int64_t n, int64_t m, const T* x, int64_t ldx, \
                                         T* result);                                               \
  /** The same of the products w[0] x[j ldx], w[1] x[j ldx + 1], ...: m weighted sums. */          \
  int acc_mpi_##prefix##type##dots_exact(Comm comm, int64_t n, int64_t m, const T* w, const T* x,  \
                                         int64_t ldx, T* result);
#define ACC_DECLARE_MPI(prefix, Comm)                                                            \
  ACC_DECLARE_OF_TYPE(prefix, Comm, s, float)                                                    \
  ACC_DECLARE_OF_TYPE(prefix, Comm, d, double)                                                   \
  /** Merges the sums of all ranks, each with those in its place. Every rank gets the result. */ \
  int acc_mpi_##prefix##exact_sums_all_reduce(Comm comm, acc_exact_sums* sums);                  \
  /** The same, but the rank `root` alone gets the result; the others' sums are unchanged.       \
   *  Errors also: comm has no rank `root`. */                                                   \
  int acc_mpi_##prefix##exact_sums_reduce(Comm comm, int root, acc_exact_sums* sums);
ACC_DECLARE_MPI(, MPI_Comm)
ACC_DECLARE_MPI(f_, MPI_Fint)
#undef ACC_DECLARE_MPI
#undef ACC_DECLARE_OF_TYPE

#ifdef __cplusplus
}
#endif

#endif
