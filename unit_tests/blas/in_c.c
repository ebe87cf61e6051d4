/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: acc_blas_in_c [xerbla | cblas_xerbla]
 * A C program without Kokkos or an xerbla_ of its own: exits with 0 if its products are right; with
 * an argument, makes one wrong call, whose message the test reads. */
#include <acc/blas.h>

#include <stdio.h>

#include "each_beside.h" /* the functions that beside_cblas.in became */

#define DECLARE(function) int function(void);
EACH_BESIDE(DECLARE)

static const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 1, 2, 3, 5, 8}; /* 2 x 3 and 3 x 2 */
static const double by_rows[] = {20, 31, 44, 67};
static const double by_columns[] = {14, 18, 58, 74};

static int differ(const double* x, const double* y) {
  int i, count = 0;
  for (i = 0; i < 4; ++i) count += x[i] != y[i];
  return count;
}

int main(int argc, char** argv) {
  const int two = 2, three = 3, minus_one = -1;
  const float f[] = {1, 2, 3, 4, 5, 6}, half = 0.5f, zero_f = 0;
  const double one = 1, zero = 0;
  double c[4];
  float r[4] = {0, 0, 0, 0};
  int wrong = 0;

  if (argc > 1) {
    if (argv[1][0] == 'x')
      sagemm_("N", "N", &minus_one, &two, &three, &half, f, &two, f, &three, &zero_f, r, &two);
    else
      cblas_dagemm(AccRowMajor, AccNoTrans, AccNoTrans, 2, 2, 3, 1, a, 2, b, 2, 0, c, 2);
    return 0;
  }

  dagemm_("N", "N", &two, &two, &three, &one, a, &two, b, &three, &zero, c, &two);
  wrong += differ(c, by_columns);
  dngemm_("N", "N", &two, &two, &three, &one, a, &two, b, &three, &zero, c, &two);
  wrong += differ(c, by_columns);
  cblas_dagemm(AccRowMajor, AccNoTrans, AccNoTrans, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2);
  wrong += differ(c, by_rows);
  cblas_dngemm(AccRowMajor, AccNoTrans, AccNoTrans, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2);
  wrong += differ(c, by_rows);
  sagemm_("T", "T", &two, &two, &three, &half, f, &three, f, &two, &zero_f, r, &two);
  wrong += r[0] != 11 || r[1] != 24.5f || r[2] != 14 || r[3] != 32;

#define COUNT(function) wrong += function();
  EACH_BESIDE(COUNT)
  if (wrong != 0) printf("%d numbers are wrong\n", wrong);
  return wrong != 0;
}
