// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_TRIANGLE_ENTRY_POINTS_HPP
#define ACC_BLAS_TRIANGLE_ENTRY_POINTS_HPP

/// \file
/// Entry points of functions with triangles (triangles.hpp), as in entry_points.hpp.

#include "entry_points.hpp"
#include "triangles.hpp"

namespace acc::blas {

/// The letter of a CBLAS_TRANSPOSE if it is one of these, or '\0'.
inline char letter_of_constant(int constant, const char* of) {
  return letter_of(operation_of_constant(constant), of);
}

}  // namespace acc::blas

#define ACC_BLAS_SYMV(name, NAME, T, hermitian)                                                   \
  void name##_(const char* uplo, const int* n, acc::blas::in_c<T>::input alpha,                   \
               acc::blas::in_c<T>::input a, const int* lda, acc::blas::in_c<T>::input x,          \
               const int* incx, acc::blas::in_c<T>::input beta, acc::blas::in_c<T>::output y,     \
               const int* incy) {                                                                 \
    using namespace acc::blas;                                                                    \
    from_fortran<symv_call<T>>(                                                                   \
        NAME, symmetric_vector_product<T>, symmetric_vector_product_at_once<T>,                   \
        {false, hermitian, letter_of(*uplo, "UL"), *n, *lda, *incx, *incy, number_at<T>(alpha),   \
         number_at<T>(beta), input_of<T>(a), input_of<T>(x), output_of<T>(y)});                   \
  }                                                                                               \
  void cblas_##name(int layout, int uplo, int n, acc::blas::in_c<T>::number alpha,                \
                    acc::blas::in_c<T>::input a, int lda, acc::blas::in_c<T>::input x, int incx,  \
                    acc::blas::in_c<T>::number beta, acc::blas::in_c<T>::output y, int incy) {    \
    using namespace acc::blas;                                                                    \
    from_c<symv_call<T>>("cblas_" #name, symmetric_vector_product<T>,                             \
                         symmetric_vector_product_at_once<T>, layout,                             \
                         {{symv_call<T>::at_uplo, "Uplo", uplo}},                                 \
                         {layout == AccRowMajor, hermitian, uplo_of_constant(uplo), n, lda, incx, \
                          incy, number_of<T>(alpha), number_of<T>(beta), input_of<T>(a),          \
                          input_of<T>(x), output_of<T>(y)});                                      \
  }

#define ACC_BLAS_SYMM(name, NAME, T, hermitian)                                                    \
  void name##_(const char* side, const char* uplo, const int* m, const int* n,                     \
               acc::blas::in_c<T>::input alpha, acc::blas::in_c<T>::input a, const int* lda,       \
               acc::blas::in_c<T>::input b, const int* ldb, acc::blas::in_c<T>::input beta,        \
               acc::blas::in_c<T>::output c, const int* ldc) {                                     \
    using namespace acc::blas;                                                                     \
    from_fortran<symm_call<T>>(NAME, symmetric_product<T>, symmetric_product_at_once<T>,           \
                               {false, hermitian, letter_of(*side, "LR"), letter_of(*uplo, "UL"),  \
                                *m, *n, *lda, *ldb, *ldc, number_at<T>(alpha), number_at<T>(beta), \
                                input_of<T>(a), input_of<T>(b), output_of<T>(c)});                 \
  }                                                                                                \
  void cblas_##name(int layout, int side, int uplo, int m, int n,                                  \
                    acc::blas::in_c<T>::number alpha, acc::blas::in_c<T>::input a, int lda,        \
                    acc::blas::in_c<T>::input b, int ldb, acc::blas::in_c<T>::number beta,         \
                    acc::blas::in_c<T>::output c, int ldc) {                                       \
    using namespace acc::blas;                                                                     \
    from_c<symm_call<T>>(                                                                          \
        "cblas_" #name, symmetric_product<T>, symmetric_product_at_once<T>, layout,                \
        {{symm_call<T>::at_side, "Side", side}, {symm_call<T>::at_uplo, "Uplo", uplo}},            \
        {layout == AccRowMajor, hermitian, side_of_constant(side), uplo_of_constant(uplo), m, n,   \
         lda, ldb, ldc, number_of<T>(alpha), number_of<T>(beta), input_of<T>(a), input_of<T>(b),   \
         output_of<T>(c)});                                                                        \
  }

// A is the type of alpha and beta: T, of herk its real one. LETTERS: the operations that it has.
#define ACC_BLAS_SYRK(name, NAME, A, T, hermitian, LETTERS)                                        \
  void name##_(const char* uplo, const char* trans, const int* n, const int* k,                    \
               acc::blas::in_c<A>::input alpha, acc::blas::in_c<T>::input a, const int* lda,       \
               acc::blas::in_c<A>::input beta, acc::blas::in_c<T>::output c, const int* ldc) {     \
    using namespace acc::blas;                                                                     \
    from_fortran<syrk_call<T>>(                                                                    \
        NAME, rank_k_update<T>, rank_k_update_at_once<T>,                                          \
        {false, hermitian, letter_of(*uplo, "UL"), letter_of(*trans, LETTERS), *n, *k, *lda, *ldc, \
         T(number_at<A>(alpha)), T(number_at<A>(beta)), input_of<T>(a), output_of<T>(c)});         \
  }                                                                                                \
  void cblas_##name(int layout, int uplo, int trans, int n, int k,                                 \
                    acc::blas::in_c<A>::number alpha, acc::blas::in_c<T>::input a, int lda,        \
                    acc::blas::in_c<A>::number beta, acc::blas::in_c<T>::output c, int ldc) {      \
    using namespace acc::blas;                                                                     \
    from_c<syrk_call<T>>(                                                                          \
        "cblas_" #name, rank_k_update<T>, rank_k_update_at_once<T>, layout,                        \
        {{syrk_call<T>::at_uplo, "Uplo", uplo}, {syrk_call<T>::at_trans, "Trans", trans}},         \
        {layout == AccRowMajor, hermitian, uplo_of_constant(uplo),                                 \
         letter_of_constant(trans, LETTERS), n, k, lda, ldc, T(number_of<A>(alpha)),               \
         T(number_of<A>(beta)), input_of<T>(a), output_of<T>(c)});                                 \
  }

#define ACC_BLAS_TRSV(name, NAME, T)                                                               \
  void name##_(const char* uplo, const char* trans, const char* diag, const int* n,                \
               acc::blas::in_c<T>::input a, const int* lda, acc::blas::in_c<T>::output x,          \
               const int* incx) {                                                                  \
    using namespace acc::blas;                                                                     \
    from_fortran<trsv_call<T>>(                                                                    \
        NAME, solve_vector<T>, solve_vector_at_once<T>,                                            \
        {false, letter_of(*uplo, "UL"), operation_of_letter(*trans), letter_of(*diag, "UN"), *n,   \
         *lda, *incx, input_of<T>(a), output_of<T>(x)});                                           \
  }                                                                                                \
  void cblas_##name(int layout, int uplo, int trans, int diag, int n, acc::blas::in_c<T>::input a, \
                    int lda, acc::blas::in_c<T>::output x, int incx) {                             \
    using namespace acc::blas;                                                                     \
    from_c<trsv_call<T>>(                                                                          \
        "cblas_" #name, solve_vector<T>, solve_vector_at_once<T>, layout,                          \
        {{trsv_call<T>::at_uplo, "Uplo", uplo},                                                    \
         {trsv_call<T>::at_trans, "TransA", trans},                                                \
         {trsv_call<T>::at_diag, "Diag", diag}},                                                   \
        {layout == AccRowMajor, uplo_of_constant(uplo), operation_of_constant(trans),              \
         diag_of_constant(diag), n, lda, incx, input_of<T>(a), output_of<T>(x)});                  \
  }

#define ACC_BLAS_TRSM(name, NAME, T)                                                             \
  void name##_(const char* side, const char* uplo, const char* transa, const char* diag,         \
               const int* m, const int* n, acc::blas::in_c<T>::input alpha,                      \
               acc::blas::in_c<T>::input a, const int* lda, acc::blas::in_c<T>::output b,        \
               const int* ldb) {                                                                 \
    using namespace acc::blas;                                                                   \
    from_fortran<trsm_call<T>>(                                                                  \
        NAME, solve<T>, solve_at_once<T>,                                                        \
        {false, letter_of(*side, "LR"), letter_of(*uplo, "UL"), operation_of_letter(*transa),    \
         letter_of(*diag, "UN"), *m, *n, *lda, *ldb, number_at<T>(alpha), input_of<T>(a),        \
         output_of<T>(b)});                                                                      \
  }                                                                                              \
  void cblas_##name(int layout, int side, int uplo, int transa, int diag, int m, int n,          \
                    acc::blas::in_c<T>::number alpha, acc::blas::in_c<T>::input a, int lda,      \
                    acc::blas::in_c<T>::output b, int ldb) {                                     \
    using namespace acc::blas;                                                                   \
    from_c<trsm_call<T>>("cblas_" #name, solve<T>, solve_at_once<T>, layout,                     \
                         {{trsm_call<T>::at_side, "Side", side},                                 \
                          {trsm_call<T>::at_uplo, "Uplo", uplo},                                 \
                          {trsm_call<T>::at_trans, "TransA", transa},                            \
                          {trsm_call<T>::at_diag, "Diag", diag}},                                \
                         {layout == AccRowMajor, side_of_constant(side), uplo_of_constant(uplo), \
                          operation_of_constant(transa), diag_of_constant(diag), m, n, lda, ldb, \
                          number_of<T>(alpha), input_of<T>(a), output_of<T>(b)});                \
  }

// All of them, as ACC_BLAS_FUNCTIONS.
#define ACC_BLAS_TRIANGLES(NAME, ROUTINE)                                                       \
  ACC_BLAS_DEFINE(SYMV, NAME(s, symv), ROUTINE("S", "SYMV"), float, false)                      \
  ACC_BLAS_DEFINE(SYMV, NAME(d, symv), ROUTINE("D", "SYMV"), double, false)                     \
  ACC_BLAS_DEFINE(SYMV, NAME(c, hemv), ROUTINE("C", "HEMV"), acc::blas::complex_float, true)    \
  ACC_BLAS_DEFINE(SYMV, NAME(z, hemv), ROUTINE("Z", "HEMV"), acc::blas::complex_double, true)   \
  ACC_BLAS_DEFINE(SYMM, NAME(s, symm), ROUTINE("S", "SYMM"), float, false)                      \
  ACC_BLAS_DEFINE(SYMM, NAME(d, symm), ROUTINE("D", "SYMM"), double, false)                     \
  ACC_BLAS_DEFINE(SYMM, NAME(c, symm), ROUTINE("C", "SYMM"), acc::blas::complex_float, false)   \
  ACC_BLAS_DEFINE(SYMM, NAME(z, symm), ROUTINE("Z", "SYMM"), acc::blas::complex_double, false)  \
  ACC_BLAS_DEFINE(SYMM, NAME(c, hemm), ROUTINE("C", "HEMM"), acc::blas::complex_float, true)    \
  ACC_BLAS_DEFINE(SYMM, NAME(z, hemm), ROUTINE("Z", "HEMM"), acc::blas::complex_double, true)   \
  ACC_BLAS_DEFINE(SYRK, NAME(s, syrk), ROUTINE("S", "SYRK"), float, float, false, "NTC")        \
  ACC_BLAS_DEFINE(SYRK, NAME(d, syrk), ROUTINE("D", "SYRK"), double, double, false, "NTC")      \
  ACC_BLAS_DEFINE(SYRK, NAME(c, syrk), ROUTINE("C", "SYRK"), acc::blas::complex_float,          \
                  acc::blas::complex_float, false, "NT")                                        \
  ACC_BLAS_DEFINE(SYRK, NAME(z, syrk), ROUTINE("Z", "SYRK"), acc::blas::complex_double,         \
                  acc::blas::complex_double, false, "NT")                                       \
  ACC_BLAS_DEFINE(SYRK, NAME(c, herk), ROUTINE("C", "HERK"), float, acc::blas::complex_float,   \
                  true, "NC")                                                                   \
  ACC_BLAS_DEFINE(SYRK, NAME(z, herk), ROUTINE("Z", "HERK"), double, acc::blas::complex_double, \
                  true, "NC")                                                                   \
  ACC_BLAS_DEFINE(TRSV, NAME(s, trsv), ROUTINE("S", "TRSV"), float)                             \
  ACC_BLAS_DEFINE(TRSV, NAME(d, trsv), ROUTINE("D", "TRSV"), double)                            \
  ACC_BLAS_DEFINE(TRSV, NAME(c, trsv), ROUTINE("C", "TRSV"), acc::blas::complex_float)          \
  ACC_BLAS_DEFINE(TRSV, NAME(z, trsv), ROUTINE("Z", "TRSV"), acc::blas::complex_double)         \
  ACC_BLAS_DEFINE(TRSM, NAME(s, trsm), ROUTINE("S", "TRSM"), float)                             \
  ACC_BLAS_DEFINE(TRSM, NAME(d, trsm), ROUTINE("D", "TRSM"), double)                            \
  ACC_BLAS_DEFINE(TRSM, NAME(c, trsm), ROUTINE("C", "TRSM"), acc::blas::complex_float)          \
  ACC_BLAS_DEFINE(TRSM, NAME(z, trsm), ROUTINE("Z", "TRSM"), acc::blas::complex_double)

#endif
