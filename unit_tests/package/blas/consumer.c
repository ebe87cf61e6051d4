/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <acc/blas.h>
#include <acc/c.h>

int main(void) {
  const double a[] = {1, 2, 3, 4}, b[] = {5, 6};
  double c[] = {1, 1};
  cblas_dngemm(AccRowMajor, AccNoTrans, AccNoTrans, 2, 1, 2, 1, a, 2, b, 1, -1, c, 1);
  double sum = 0;
  if (acc_dsum_exact(4, a, 1, &sum) != ACC_SUCCESS) return 2;
  return c[0] == 16 && c[1] == 38 && sum == 10 ? 0 : 1;
}
