// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_TRIANGLE_CALLS_HPP
#define ACC_BLAS_TRIANGLE_CALLS_HPP

/// \file
/// Calls of functions whose matrix is given, or computed, as one triangle: values as in call.hpp.
/// Letters are upper-case, or '\0' where they are none of the function's.

#include "call.hpp"

#include <cstddef>

namespace acc::blas {

/// The upper-case form of a letter if it is one of these, else '\0'.
constexpr char letter_of(char letter, const char* of) {
  for (; *of != '\0'; ++of)
    if (letter == *of || letter == char(*of - 'A' + 'a')) return *of;
  return '\0';
}
/// The letter of a CBLAS_SIDE, CBLAS_UPLO or CBLAS_DIAG, or '\0'.
constexpr char side_of_constant(int c) { return c == 141 ? 'L' : c == 142 ? 'R' : '\0'; }
constexpr char uplo_of_constant(int c) { return c == 121 ? 'U' : c == 122 ? 'L' : '\0'; }
constexpr char diag_of_constant(int c) { return c == 131 ? 'N' : c == 132 ? 'U' : '\0'; }

/// y = alpha A x + beta y, A symmetric or Hermitian.
template <class T>
struct symv_call {
  enum : int { at_uplo = 1, at_n, at_a = 4, at_lda, at_x, at_incx, at_y = 9, at_incy };
  bool row_major, hermitian;
  char uplo;
  int n, lda, incx, incy;
  T alpha, beta;
  const T *a, *x;
  T* y;

  bool reads_products() const { return alpha != T(0); }
  bool is_done() const { return n == 0 || (!reads_products() && beta == T(1)); }
  operands_of_call operands() const {
    return {{{{a, at_a}, {x, at_x}, {y, at_y}}}, reads_products() ? std::size_t(3) : 1};
  }
};
template <class T>
int illegal_argument(const symv_call<T>& c) {
  using at = symv_call<T>;
  return first_fault({{c.uplo == '\0', at::at_uplo},
                      {c.n < 0, at::at_n},
                      {too_short(c.lda, c.n), at::at_lda},
                      {c.incx == 0, at::at_incx},
                      {c.incy == 0, at::at_incy}});
}

/// C = alpha A B + beta C (side L), or alpha B A + beta C, A symmetric or Hermitian.
template <class T>
struct symm_call {
  enum : int {
    at_side = 1,
    at_uplo,
    at_m,
    at_n,
    at_a = 6,
    at_lda,
    at_b,
    at_ldb,
    at_c = 11,
    at_ldc
  };
  bool row_major, hermitian;
  char side, uplo;
  int m, n, lda, ldb, ldc;
  T alpha, beta;
  const T *a, *b;
  T* c;

  bool reads_products() const { return alpha != T(0); }
  bool is_done() const { return m == 0 || n == 0 || (!reads_products() && beta == T(1)); }
  operands_of_call operands() const {
    return {{{{a, at_a}, {b, at_b}, {c, at_c}}}, reads_products() ? std::size_t(3) : 1};
  }
};
template <class T>
int illegal_argument(const symm_call<T>& c) {
  using at = symm_call<T>;
  const fault of_m{c.m < 0, at::at_m}, of_n{c.n < 0, at::at_n};
  const int span = c.row_major ? c.n : c.m;
  return first_fault({{c.side == '\0', at::at_side},
                      {c.uplo == '\0', at::at_uplo},
                      c.row_major ? of_n : of_m,
                      c.row_major ? of_m : of_n,
                      {too_short(c.lda, c.side == 'L' ? c.m : c.n), at::at_lda},
                      {too_short(c.ldb, span), at::at_ldb},
                      {too_short(c.ldc, span), at::at_ldc}});
}

/// The triangle of C = alpha A A^T + beta C (trans N), or alpha A^T A + beta C; Hermitian: ^H, with
/// real alpha and beta.
template <class T>
struct syrk_call {
  enum : int { at_uplo = 1, at_trans, at_n, at_k, at_a = 6, at_lda, at_c = 9, at_ldc };
  bool row_major, hermitian;
  char uplo, trans;
  int n, k, lda, ldc;
  T alpha, beta;
  const T* a;
  T* c;

  bool reads_products() const { return k > 0 && alpha != T(0); }
  bool is_done() const { return n == 0 || (!reads_products() && beta == T(1)); }
  operands_of_call operands() const {
    return {{{{}, {a, at_a}, {c, at_c}}}, reads_products() ? std::size_t(2) : 1};
  }
};
template <class T>
int illegal_argument(const syrk_call<T>& c) {
  using at = syrk_call<T>;
  return first_fault({{c.uplo == '\0', at::at_uplo},
                      {c.trans == '\0', at::at_trans},
                      {c.n < 0, at::at_n},
                      {c.k < 0, at::at_k},
                      {too_short(c.lda, c.row_major == (c.trans == 'N') ? c.k : c.n), at::at_lda},
                      {too_short(c.ldc, c.n), at::at_ldc}});
}

/// Solves op(A) x = b, x in the place of b, A triangular.
template <class T>
struct trsv_call {
  enum : int { at_uplo = 1, at_trans, at_diag, at_n, at_a, at_lda, at_x, at_incx };
  bool row_major;
  char uplo, trans, diag;
  int n, lda, incx;
  const T* a;
  T* x;

  bool reads_products() const { return true; }
  bool is_done() const { return n == 0; }
  operands_of_call operands() const { return {{{{}, {a, at_a}, {x, at_x}}}, 2}; }
};
template <class T>
int illegal_argument(const trsv_call<T>& c) {
  using at = trsv_call<T>;
  return first_fault({{c.uplo == '\0', at::at_uplo},
                      {c.trans == '\0', at::at_trans},
                      {c.diag == '\0', at::at_diag},
                      {c.n < 0, at::at_n},
                      {too_short(c.lda, c.n), at::at_lda},
                      {c.incx == 0, at::at_incx}});
}

/// Solves op(A) X = alpha B (side L), or X op(A) = alpha B, X in the place of B, A triangular.
template <class T>
struct trsm_call {
  enum : int {
    at_side = 1,
    at_uplo,
    at_trans,
    at_diag,
    at_m,
    at_n,
    at_a = 8,
    at_lda,
    at_b,
    at_ldb
  };
  bool row_major;
  char side, uplo, trans, diag;
  int m, n, lda, ldb;
  T alpha;
  const T* a;
  T* b;

  bool reads_products() const { return alpha != T(0); }
  bool is_done() const { return m == 0 || n == 0; }
  operands_of_call operands() const {
    return {{{{}, {a, at_a}, {b, at_b}}}, reads_products() ? std::size_t(2) : 1};
  }
};
template <class T>
int illegal_argument(const trsm_call<T>& c) {
  using at = trsm_call<T>;
  const fault of_m{c.m < 0, at::at_m}, of_n{c.n < 0, at::at_n};
  return first_fault({{c.side == '\0', at::at_side},
                      {c.uplo == '\0', at::at_uplo},
                      {c.trans == '\0', at::at_trans},
                      {c.diag == '\0', at::at_diag},
                      c.row_major ? of_n : of_m,
                      c.row_major ? of_m : of_n,
                      {too_short(c.lda, c.side == 'L' ? c.m : c.n), at::at_lda},
                      {too_short(c.ldb, c.row_major ? c.n : c.m), at::at_ldb}});
}

}  // namespace acc::blas

#endif
