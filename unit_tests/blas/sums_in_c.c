/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A C program without Kokkos that calls every function of <acc/c.h>: exits with 0 if all 80 are
 * right. The results are small integers, which every method finds exactly. */
#include <acc/c.h>

#include <complex.h>
#include <stdio.h>
#include <string.h>

static int calls, wrong;

static void check(int status, int is_right, const char* function) {
  ++calls;
  if (status == ACC_SUCCESS && is_right) return;
  ++wrong;
  printf("%s is wrong, status %d\n", function, status);
}

/* The real numbers, and as complex ones in pairs. */
#define NUMBERS(prefix, T) static const T prefix##x[] = {2, -4, 5, 6}, prefix##y[] = {5, 6, -7, 8};
NUMBERS(s, float)
NUMBERS(d, double)
#define COMPLEX_NUMBERS(prefix, T, from) \
  static const T *const prefix##x = (const T*)from##x, *const prefix##y = (const T*)from##y;
COMPLEX_NUMBERS(c, acc_complex_float, s)
COMPLEX_NUMBERS(z, acc_complex_double, d)

enum { s_n = 4, d_n = 4, c_n = 2, z_n = 2 };
/* sum, dot, dotu: of reals in their real part */
static const double reals[3][2] = {{9, 0}, {-1, 0}, {-1, 0}};
static const double complexes[3][2] = {{7, 2}, {-1, 114}, {-49, -10}};
#define s_expected reals
#define d_expected reals
#define c_expected complexes
#define z_expected complexes

static int is(double complex got, const double want[2]) {
  return creal(got) == want[0] && cimag(got) == want[1];
}

#define CALL(type, T, R, method)                                              \
  {                                                                           \
    T r;                                                                      \
    R q;                                                                      \
    int status = acc_##type##sum_##method(type##_n, type##x, 1, &r);          \
    check(status, is(r, type##_expected[0]), "acc_" #type "sum_" #method);    \
    status = acc_##type##asum_##method(type##_n, type##x, 1, &q);             \
    check(status, q == 17, "acc_" #type "asum_" #method);                     \
    status = acc_##type##nrm2_##method(type##_n, type##x, 1, &q);             \
    check(status, q == 9, "acc_" #type "nrm2_" #method);                      \
    status = acc_##type##dot_##method(type##_n, type##x, 1, type##y, 1, &r);  \
    check(status, is(r, type##_expected[1]), "acc_" #type "dot_" #method);    \
    status = acc_##type##dotu_##method(type##_n, type##x, 1, type##y, 1, &r); \
    check(status, is(r, type##_expected[2]), "acc_" #type "dotu_" #method);   \
  }

int main(void) {
  const double hard[] = {1, 1e100, 1, -1e100};
  double sum = 0;
  int status;
  ACC_EACH_TYPE_AND_METHOD(CALL)
  status = acc_dsum_exact(4, hard, 1, &sum);
  check(status, sum == 2, "acc_dsum_exact of hard numbers");
  status = acc_dsum_exact(2, hard, -2, &sum);
  check(status, sum == 2, "acc_dsum_exact backwards");
  if (acc_dsum_exact(-1, hard, 1, &sum) != ACC_INVALID_ARGUMENT ||
      strcmp(acc_last_error(), "acc_dsum_exact: n is -1") != 0) {
    printf("a wrong argument: %s\n", acc_last_error());
    ++wrong;
  }
  if (calls != 82) printf("%d calls\n", calls);
  return wrong != 0 || calls != 82;
}
