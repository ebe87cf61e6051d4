/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: acc_blas_standard_names bits | message_of_xerbla | message_of_zgemv |
 * message_of_cblas_xerbla A C program that calls the BLAS by its own names: exits with 0 if the
 * bits are those of acc's names; or makes one wrong call, whose message the test reads. */
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

/* Complex numbers are void, as in acc's header. */
#define DECLARE_MATRICES(t, T, A)                                                                  \
  void t##gemv_(const char* trans, const int* m, const int* n, const T* alpha, const T* a,         \
                const int* lda, const T* x, const int* incx, const T* beta, T* y,                  \
                const int* incy);                                                                  \
  void cblas_##t##gemv(int layout, int trans, int m, int n, A alpha, const T* a, int lda,          \
                       const T* x, int incx, A beta, T* y, int incy);                              \
  void t##axpy_(const int* n, const T* alpha, const T* x, const int* incx, T* y, const int* incy); \
  void cblas_##t##axpy(int n, A alpha, const T* x, int incx, T* y, int incy);                      \
  void t##scal_(const int* n, const T* alpha, T* x, const int* incx);                              \
  void cblas_##t##scal(int n, A alpha, T* x, int incx);
DECLARE_MATRICES(s, float, float)
DECLARE_MATRICES(d, double, double)
DECLARE_MATRICES(c, void, const void*)
DECLARE_MATRICES(z, void, const void*)
#define DECLARE_NORMS(t, R, T)                           \
  R t##nrm2_(const int* n, const T* x, const int* incx); \
  R cblas_##t##nrm2(int n, const T* x, int incx);        \
  R t##asum_(const int* n, const T* x, const int* incx); \
  R cblas_##t##asum(int n, const T* x, int incx);
DECLARE_NORMS(s, float, float)
DECLARE_NORMS(d, double, double)
DECLARE_NORMS(sc, float, void)
DECLARE_NORMS(dz, double, void)
#define DECLARE_REAL(t, T)                                                           \
  T t##dot_(const int* n, const T* x, const int* incx, const T* y, const int* incy); \
  T cblas_##t##dot(int n, const T* x, int incx, const T* y, int incy);
DECLARE_REAL(s, float)
DECLARE_REAL(d, double)
#define DECLARE_COMPLEX(t, rt, R)                                                                  \
  void t##gemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,  \
                const void* alpha, const void* a, const int* lda, const void* b, const int* ldb,   \
                const void* beta, void* c, const int* ldc);                                        \
  void cblas_##t##gemm(int layout, int transa, int transb, int m, int n, int k, const void* alpha, \
                       const void* a, int lda, const void* b, int ldb, const void* beta, void* c,  \
                       int ldc);                                                                   \
  R _Complex t##dotu_(const int* n, const void* x, const int* incx, const void* y,                 \
                      const int* incy);                                                            \
  R _Complex t##dotc_(const int* n, const void* x, const int* incx, const void* y,                 \
                      const int* incy);                                                            \
  void cblas_##t##dotu_sub(int n, const void* x, int incx, const void* y, int incy, void* r);      \
  void cblas_##t##dotc_sub(int n, const void* x, int incx, const void* y, int incy, void* r);      \
  void rt##scal_(const int* n, const R* alpha, void* x, const int* incx);                          \
  void cblas_##rt##scal(int n, R alpha, void* x, int incx);
DECLARE_COMPLEX(c, cs, float)
DECLARE_COMPLEX(z, zd, double)

enum { m = 5, n = 7, k = 301 };
static int wrong = 0, zeros = 0;

/* The BLAS's function and acc's, of the same numbers, leave the same. */
#define FILL(T, x, length) \
  for (i = 0; i < (length); ++i) x[i] = (T)(i * 7919 % 1009 - 504) / (T)(1 << (i * 31 % 23))
#define SAME(name, x, y) SAME_OF(name, x, y, sizeof *(x))
#define SAME_VECTORS(name, x, y) SAME_OF(name, x, y, sizeof(x))
#define SAME_OF(name, x, y, size)        \
  if (memcmp((x), (y), (size)) != 0) {   \
    printf("%s has other bits\n", name); \
    ++wrong;                             \
  }                                      \
  zeros += *(x) == 0
#define VECTORS(t, rt, T, R, A)                                                            \
  static void t##_vectors(void) {                                                          \
    static T a[m * k], x[3 * k], y[k], z[k];                                               \
    const T alpha = (T)1.25, beta = (T) - 0.75;                                            \
    const int rows = m, depth = k, three = 3, one = 1, minus_one = -1;                     \
    R p, q;                                                                                \
    int i;                                                                                 \
    FILL(T, a, m * k);                                                                     \
    FILL(T, x, 3 * k);                                                                     \
    FILL(T, y, k);                                                                         \
    FILL(T, z, k);                                                                         \
    p = rt##nrm2_(&depth, x, &three), q = rt##anrm2_(&depth, x, &three);                   \
    SAME(#rt "nrm2_", &p, &q);                                                             \
    p = cblas_##rt##nrm2(k, x, 3), q = cblas_##rt##anrm2(k, x, 3);                         \
    SAME("cblas_" #rt "nrm2", &p, &q);                                                     \
    p = rt##asum_(&depth, x, &three), q = rt##aasum_(&depth, x, &three);                   \
    SAME(#rt "asum_", &p, &q);                                                             \
    p = cblas_##rt##asum(k, x, 3), q = cblas_##rt##aasum(k, x, 3);                         \
    SAME("cblas_" #rt "asum", &p, &q);                                                     \
    t##axpy_(&depth, &alpha, x, &three, y, &minus_one);                                    \
    t##aaxpy_(&depth, &alpha, x, &three, z, &minus_one);                                   \
    SAME_VECTORS(#t "axpy_", y, z);                                                        \
    cblas_##t##axpy(k, A(alpha), x, 3, y, -1), cblas_##t##aaxpy(k, A(alpha), x, 3, z, -1); \
    SAME_VECTORS("cblas_" #t "axpy", y, z);                                                \
    t##scal_(&depth, &alpha, y, &one), t##ascal_(&depth, &alpha, z, &one);                 \
    SAME_VECTORS(#t "scal_", y, z);                                                        \
    cblas_##t##scal(k, A(alpha), y, 1), cblas_##t##ascal(k, A(alpha), z, 1);               \
    SAME_VECTORS("cblas_" #t "scal", y, z);                                                \
    t##gemv_("T", &depth, &rows, &alpha, a, &depth, x, &three, &beta, y, &one);            \
    t##agemv_("T", &depth, &rows, &alpha, a, &depth, x, &three, &beta, z, &one);           \
    SAME_VECTORS(#t "gemv_", y, z);                                                        \
    cblas_##t##gemv(AccRowMajor, AccNoTrans, m, k, A(alpha), a, k, x, 3, A(beta), y, 1);   \
    cblas_##t##agemv(AccRowMajor, AccNoTrans, m, k, A(alpha), a, k, x, 3, A(beta), z, 1);  \
    SAME_VECTORS("cblas_" #t "gemv", y, z);                                                \
  }
#define VALUE(x) (x)
#define ADDRESS(x) (&(x))
VECTORS(s, s, float, float, VALUE)
VECTORS(d, d, double, double, VALUE)
VECTORS(c, sc, float _Complex, float, ADDRESS)
VECTORS(z, dz, double _Complex, double, ADDRESS)

#define REAL_DOTS(t, T)                                                      \
  static void t##_dots(void) {                                               \
    static T x[k], y[k];                                                     \
    const int depth = k, one = 1, minus_one = -1;                            \
    T p, q;                                                                  \
    int i;                                                                   \
    FILL(T, x, k);                                                           \
    FILL(T, y, k);                                                           \
    p = t##dot_(&depth, x, &one, y, &minus_one);                             \
    q = t##adot_(&depth, x, &one, y, &minus_one);                            \
    SAME(#t "dot_", &p, &q);                                                 \
    p = cblas_##t##dot(k, x, 1, y, -1), q = cblas_##t##adot(k, x, 1, y, -1); \
    SAME("cblas_" #t "dot", &p, &q);                                         \
  }
REAL_DOTS(s, float)
REAL_DOTS(d, double)

/* Numbers with both parts: what conjugates has another result. */
#define COMPLEX_DOTS(t, rt, art, T, R)                                                             \
  static void t##_dots(void) {                                                                     \
    static R x[2 * k], y[2 * k], a[2 * m * k], b[2 * k * n], c[2 * m * n], d[2 * m * n];           \
    const R alpha[2] = {(R)1.25, (R)0.5}, beta[2] = {(R) - 0.75, (R)2};                            \
    const int rows = m, columns = n, depth = k, one = 1, minus_one = -1;                           \
    T p, q;                                                                                        \
    int i;                                                                                         \
    FILL(R, x, 2 * k);                                                                             \
    FILL(R, y, 2 * k);                                                                             \
    FILL(R, a, 2 * m * k);                                                                         \
    FILL(R, b, 2 * k * n);                                                                         \
    FILL(R, c, 2 * m * n);                                                                         \
    memcpy(d, c, sizeof c);                                                                        \
    p = t##dotu_(&depth, x, &one, y, &minus_one), q = t##adotu_(&depth, x, &one, y, &minus_one);   \
    SAME(#t "dotu_", &p, &q);                                                                      \
    cblas_##t##dotu_sub(k, x, 1, y, -1, &p);                                                       \
    SAME("cblas_" #t "dotu_sub", &p, &q);                                                          \
    cblas_##t##adotu_sub(k, x, 1, y, -1, &p);                                                      \
    SAME("cblas_" #t "adotu_sub", &p, &q);                                                         \
    p = t##dotc_(&depth, x, &one, y, &minus_one);                                                  \
    if (p == q) printf("%s does not conjugate\n", #t "dotc_"), ++wrong;                            \
    q = t##adotc_(&depth, x, &one, y, &minus_one);                                                 \
    SAME(#t "dotc_", &p, &q);                                                                      \
    cblas_##t##dotc_sub(k, x, 1, y, -1, &p);                                                       \
    SAME("cblas_" #t "dotc_sub", &p, &q);                                                          \
    cblas_##t##adotc_sub(k, x, 1, y, -1, &p);                                                      \
    SAME("cblas_" #t "adotc_sub", &p, &q);                                                         \
    rt##scal_(&depth, alpha, x, &one), memcpy(y, x, sizeof x), art##scal_(&depth, alpha, y, &one); \
    cblas_##rt##scal(k, alpha[0], x, 1);                                                           \
    SAME(#rt "scal_", (T*)x, (T*)y);                                                               \
    t##gemm_("C", "t", &rows, &columns, &depth, alpha, a, &depth, b, &columns, beta, c, &rows);    \
    t##agemm_("C", "t", &rows, &columns, &depth, alpha, a, &depth, b, &columns, beta, d, &rows);   \
    wrong += memcmp(c, d, sizeof c) != 0;                                                          \
    cblas_##t##gemm(AccRowMajor, AccNoTrans, AccConjTrans, m, n, k, alpha, a, k, b, k, beta, c,    \
                    n);                                                                            \
    cblas_##t##agemm(AccRowMajor, AccNoTrans, AccConjTrans, m, n, k, alpha, a, k, b, k, beta, d,   \
                     n);                                                                           \
    wrong += memcmp(c, d, sizeof c) != 0;                                                          \
  }
COMPLEX_DOTS(c, cs, csa, float _Complex, float)
COMPLEX_DOTS(z, zd, zda, double _Complex, double)

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
  if (argc > 1 && strcmp(argv[1], "message_of_xerbla") == 0) {
    const int one = 1, minus_one = -1;
    const double x = 1;
    double y = 1;
    dgemm_("N", "N", &minus_one, &one, &one, &x, &x, &one, &x, &one, &x, &y, &one);
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "message_of_zgemv") == 0) {
    const int one = 1, zero = 0;
    const double x[2] = {1, 1};
    double y[2];
    zgemv_("C", &one, &one, x, x, &one, x, &zero, x, y, &one);
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
  s_vectors(), d_vectors(), c_vectors(), z_vectors();
  s_dots(), d_dots(), c_dots(), z_dots();
  if (wrong != 0) printf("%d results have other bits\n", wrong);
  return wrong != 0 || zeros != 0;
}
