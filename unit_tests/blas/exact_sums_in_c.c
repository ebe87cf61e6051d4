/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A C program without Kokkos that calls every function of <acc/exact_sums.h>: exits with 0 if all
 * are right. */
#include <acc/exact_sums.h>

#include <stdio.h>

static int wrong;

static void check(int is_right, const char* what) {
  if (is_right) return;
  ++wrong;
  printf("%s is wrong: %s\n", what, acc_last_error());
}

int main(void) {
  const double x[] = {1, 1e100, 1, -1e100};
  const float f[] = {3, 4};
  acc_exact_sums *a = NULL, *b = NULL;
  double d[2];
  float s[2];
  int64_t words[282];
  check(acc_exact_sums_create(2, &a) == ACC_SUCCESS, "create");
  check(acc_exact_sums_dadd(a, 0, 2, x, 1) == ACC_SUCCESS, "dadd");
  check(acc_exact_sums_dadd(a, 0, 2, x + 2, -1) == ACC_SUCCESS, "dadd");
  check(acc_exact_sums_sadd(a, 0, 2, f, 1) == ACC_SUCCESS, "sadd");
  check(acc_exact_sums_dadd_products(a, 1, 4, x, 1, x, 0) == ACC_SUCCESS, "dadd_products");
  check(acc_exact_sums_sadd_products(a, 1, 2, f, 1, f, 1) == ACC_SUCCESS, "sadd_products");
  check(acc_exact_sums_copy(a, &b) == ACC_SUCCESS, "copy");
  check(acc_exact_sums_merge(b, a) == ACC_SUCCESS, "merge");
  check(acc_exact_sums_dvalues(b, d) == ACC_SUCCESS && d[0] == 18 && d[1] == 54, "dvalues");
  check(acc_exact_sums_count(a) == 2 && acc_exact_sums_wire_words(a) == 282, "count");
  check(acc_exact_sums_to_wire(a, 282, words) == ACC_SUCCESS, "to_wire");
  check(acc_exact_sums_from_wire(b, 282, words) == ACC_SUCCESS, "from_wire");
  check(acc_exact_sums_svalues(b, s) == ACC_SUCCESS && s[0] == 9 && s[1] == 27, "svalues");
  check(acc_exact_sums_reset(b) == ACC_SUCCESS, "reset");
  check(acc_exact_sums_dvalues(b, d) == ACC_SUCCESS && d[0] == 0 && d[1] == 0, "dvalues");
  check(acc_exact_sums_dadd(a, 2, 1, x, 1) == ACC_INVALID_ARGUMENT, "a wrong argument");
  acc_exact_sums_destroy(a);
  acc_exact_sums_destroy(b);
  return wrong != 0;
}
