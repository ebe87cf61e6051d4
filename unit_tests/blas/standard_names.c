/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: acc_blas_standard_names bits | message_of_xerbla | message_of_cblas_xerbla
 * A C program that calls the BLAS by its own names: exits with 0 if the bits are those of acc's
 * names; or makes one wrong call, whose message the test reads. */
#include <acc/blas.h>

#include <stdio.h>
#include <string.h>

/* As a program without a header of the BLAS declares them. */
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
void cblas_dgemm(int layout, int transa, int transb, int m, int n, int k, double alpha,
                 const double* a, int lda, const double* b, int ldb, double beta, double* c,
                 int ldc);

enum { m = 5, n = 7, k = 301 };

/* Each pair of functions multiplies the same numbers, into the same C. The exponents are far enough
 * apart for a plain sum to have other bits, and alpha, beta and both transposes count. */
#define COMPARE(T, fortran, accs_fortran, c_name, accs_c_name)                                     \
  {                                                                                                \
    static T a[m * k], b[k * n], expected[m * n], c[m * n];                                        \
    const T alpha = (T)1.25, beta = (T) - 0.75;                                                    \
    const int rows = m, columns = n, depth = k;                                                    \
    int i;                                                                                         \
    for (i = 0; i < m * k; ++i) a[i] = (T)(i * 7919 % 1009 - 504) / (T)(1 << (i * 31 % 23));       \
    for (i = 0; i < k * n; ++i) b[i] = (T)(i * 104729 % 1013 - 506) / (T)(1 << (i * 17 % 19));     \
    for (i = 0; i < m * n; ++i) expected[i] = c[i] = (T)(i - 11) / 3;                              \
    accs_fortran("T", "n", &rows, &columns, &depth, &alpha, a, &depth, b, &depth, &beta, expected, \
                 &rows);                                                                           \
    fortran("T", "n", &rows, &columns, &depth, &alpha, a, &depth, b, &depth, &beta, c, &rows);     \
    wrong += memcmp(c, expected, sizeof c) != 0;                                                   \
    accs_c_name(AccRowMajor, AccNoTrans, AccTrans, m, n, k, alpha, a, k, b, k, beta, expected, n); \
    c_name(AccRowMajor, AccNoTrans, AccTrans, m, n, k, alpha, a, k, b, k, beta, c, n);             \
    wrong += memcmp(c, expected, sizeof c) != 0;                                                   \
    for (i = 0; i < m * n; ++i) zeros += c[i] == 0;                                                \
  }

int main(int argc, char** argv) {
  int wrong = 0, zeros = 0;
  if (argc > 1 && strcmp(argv[1], "message_of_xerbla") == 0) {
    const int one = 1, minus_one = -1;
    const double x = 1;
    double y = 1;
    dgemm_("N", "N", &minus_one, &one, &one, &x, &x, &one, &x, &one, &x, &y, &one);
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "message_of_cblas_xerbla") == 0) {
    const float x[4] = {1, 2, 3, 4};
    float y[4];
    cblas_sgemm(AccRowMajor, AccNoTrans, AccNoTrans, 2, 2, 2, 1, x, 1, x, 2, 0, y, 2);
    return 0;
  }
  COMPARE(float, sgemm_, sagemm_, cblas_sgemm, cblas_sagemm)
  COMPARE(double, dgemm_, dagemm_, cblas_dgemm, cblas_dagemm)
  if (wrong != 0) printf("%d products have other bits\n", wrong);
  return wrong != 0 || zeros != 0;
}
