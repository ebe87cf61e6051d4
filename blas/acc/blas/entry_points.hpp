// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_ENTRY_POINTS_HPP
#define ACC_BLAS_ENTRY_POINTS_HPP

/// \file
/// Entry points of C and of Fortran, from a name, a type and what is to be computed: as macros,
/// since acc's names and the BLAS's have the same definitions.

#include <acc/blas.h>

#include "at_once.hpp"
#include "products.hpp"
#include "report.hpp"
#include "run.hpp"
#include "vectors.hpp"

#include <complex>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <type_traits>

namespace acc::blas {

template <class Call>
using product = void(memory where, const Call& c);

// Apart from the entry points, whose way to what is done at once is short.
template <class Call>
[[gnu::noinline]] void from_fortran(const char* routine, product<Call>& multiply, const Call& c) {
  const failure f = run(c, multiply);
  if (!f.failed) return;
  report_to_xerbla(routine, f.where, f.why.data());
  if (f.where == none) end_process(routine);
}

/// A product that may be done at once: true where it is.
template <class Call>
using product_at_once = bool(const Call& c) noexcept;
template <class Call>
void from_fortran(const char* routine, product<Call>& multiply, product_at_once<Call>& at_once,
                  const Call& c) {
  if (!at_once(c)) from_fortran(routine, multiply, c);
}

inline void refuse_setting(const char* routine, int place, const char* name, int setting,
                           bool row_major) {
  char why[64];
  std::snprintf(why, sizeof why, "Illegal %s setting, %d", name, setting);
  report_to_cblas_xerbla(routine, place, why, row_major);
}

/// An argument of the CBLAS that is one of some constants.
struct setting {
  int place;  ///< Fortran's
  const char* name;
  int value;
};

constexpr bool is_layout(int layout) { return layout == AccRowMajor || layout == AccColMajor; }

template <class Call>
[[gnu::noinline]] void from_c(const char* routine, product<Call>& multiply, int layout,
                              std::initializer_list<setting> settings, const Call& c) {
  if (!is_layout(layout)) return refuse_setting(routine, 1, "layout", layout, false);
  const bool row_major = layout == AccRowMajor;
  const failure f = run(c, multiply);
  if (!f.failed) return;
  for (const setting& s : settings)
    if (f.where == s.place) return refuse_setting(routine, s.place + 1, s.name, s.value, row_major);
  report_to_cblas_xerbla(routine, f.where == none ? 0 : f.where + 1, f.why.data(), row_major);
  if (f.where == none) end_process(routine);
}

template <class Call>
void from_c(const char* routine, product<Call>& multiply, product_at_once<Call>& at_once,
            int layout, std::initializer_list<setting> settings, const Call& c) {
  if (!is_layout(layout) || !at_once(c)) from_c(routine, multiply, layout, settings, c);
}

/// How C passes elements of a type: complex ones as void*, as <cblas.h> does.
template <class T>
struct in_c {
  using input = const T*;
  using output = T*;
  using number = T;  ///< by value
};
template <class Real>
struct in_c<Kokkos::complex<Real>> {
  using input = const void*;
  using output = void*;
  using number = const void*;
};
/// A number at an address that is aligned for its parts alone.
template <class T>
T number_at(const void* address) {
  T x;
  std::memcpy(static_cast<void*>(&x), address, sizeof x);
  return x;
}
template <class T>
T number_of(typename in_c<T>::number x) {
  if constexpr (std::is_pointer_v<typename in_c<T>::number>)
    return number_at<T>(x);
  else
    return x;
}
template <class T>
const T* input_of(typename in_c<T>::input x) {
  return static_cast<const T*>(x);
}
template <class T>
T* output_of(typename in_c<T>::output x) {
  return static_cast<T*>(x);
}

using complex_float = Kokkos::complex<float>;
using complex_double = Kokkos::complex<double>;

}  // namespace acc::blas

// Both entry points of a product and a type. NAME is what xerbla_ is told.
#define ACC_BLAS_GEMM(name, NAME, T, product, at_once)                                           \
  void name##_(const char* transa, const char* transb, const int* m, const int* n, const int* k, \
               acc::blas::in_c<T>::input alpha, acc::blas::in_c<T>::input a, const int* lda,     \
               acc::blas::in_c<T>::input b, const int* ldb, acc::blas::in_c<T>::input beta,      \
               acc::blas::in_c<T>::output c, const int* ldc) {                                   \
    using namespace acc::blas;                                                                   \
    const auto all = [=] {                                                                       \
      return call<T>{{false, operation_of_letter(*transa), operation_of_letter(*transb), *m, *n, \
                      *k, *lda, *ldb, *ldc},                                                     \
                     number_at<T>(alpha),                                                        \
                     number_at<T>(beta),                                                         \
                     input_of<T>(a),                                                             \
                     input_of<T>(b),                                                             \
                     output_of<T>(c)};                                                           \
    };                                                                                           \
    if (!at_once(all)) from_fortran<call<T>>(NAME, product<T>, all());                           \
  }                                                                                              \
  void cblas_##name(int layout, int transa, int transb, int m, int n, int k,                     \
                    acc::blas::in_c<T>::number alpha, acc::blas::in_c<T>::input a, int lda,      \
                    acc::blas::in_c<T>::input b, int ldb, acc::blas::in_c<T>::number beta,       \
                    acc::blas::in_c<T>::output c, int ldc) {                                     \
    using namespace acc::blas;                                                                   \
    const auto all = [=] {                                                                       \
      return call<T>{{layout == AccRowMajor, operation_of_constant(transa),                      \
                      operation_of_constant(transb), m, n, k, lda, ldb, ldc},                    \
                     number_of<T>(alpha),                                                        \
                     number_of<T>(beta),                                                         \
                     input_of<T>(a),                                                             \
                     input_of<T>(b),                                                             \
                     output_of<T>(c)};                                                           \
    };                                                                                           \
    if (is_layout(layout) && at_once(all)) return;                                               \
    from_c<call<T>>("cblas_" #name, product<T>, layout,                                          \
                    {{of_transa, "TransA", transa}, {of_transb, "TransB", transb}}, all());      \
  }

// Those of a matrix and a vector.
#define ACC_BLAS_GEMV(name, NAME, T, at_once)                                                    \
  void name##_(const char* trans, const int* m, const int* n, acc::blas::in_c<T>::input alpha,   \
               acc::blas::in_c<T>::input a, const int* lda, acc::blas::in_c<T>::input x,         \
               const int* incx, acc::blas::in_c<T>::input beta, acc::blas::in_c<T>::output y,    \
               const int* incy) {                                                                \
    using namespace acc::blas;                                                                   \
    const gemv_call<T> all{{false, operation_of_letter(*trans), *m, *n, *lda, *incx, *incy},     \
                           number_at<T>(alpha),                                                  \
                           number_at<T>(beta),                                                   \
                           input_of<T>(a),                                                       \
                           input_of<T>(x),                                                       \
                           output_of<T>(y)};                                                     \
    if (!at_once(all)) from_fortran<gemv_call<T>>(NAME, matrix_vector_product<T>, all);          \
  }                                                                                              \
  void cblas_##name(int layout, int trans, int m, int n, acc::blas::in_c<T>::number alpha,       \
                    acc::blas::in_c<T>::input a, int lda, acc::blas::in_c<T>::input x, int incx, \
                    acc::blas::in_c<T>::number beta, acc::blas::in_c<T>::output y, int incy) {   \
    using namespace acc::blas;                                                                   \
    const gemv_call<T> all{                                                                      \
        {layout == AccRowMajor, operation_of_constant(trans), m, n, lda, incx, incy},            \
        number_of<T>(alpha),                                                                     \
        number_of<T>(beta),                                                                      \
        input_of<T>(a),                                                                          \
        input_of<T>(x),                                                                          \
        output_of<T>(y)};                                                                        \
    if (is_layout(layout) && at_once(all)) return;                                               \
    from_c<gemv_call<T>>("cblas_" #name, matrix_vector_product<T>, layout,                       \
                         {{gemv_place::trans, "TransA", trans}}, all);                           \
  }

// Those of two real vectors, and of one: R is the type of the magnitudes of T. `function` is the
// one of <acc/c.h>.
#define ACC_BLAS_DOT(name, T, function)                                               \
  T name##_(const int* n, const T* x, const int* incx, const T* y, const int* incy) { \
    return acc::blas::result_of<T>(#name, function, *n, x, *incx, y, *incy);          \
  }                                                                                   \
  T cblas_##name(int n, const T* x, int incx, const T* y, int incy) {                 \
    return acc::blas::result_of<T>("cblas_" #name, function, n, x, incx, y, incy);    \
  }
#define ACC_BLAS_NORM(name, R, T, function)                               \
  R name##_(const int* n, acc::blas::in_c<T>::input x, const int* incx) { \
    return acc::blas::norm_of<R>(#name, function, *n, x, *incx);          \
  }                                                                       \
  R cblas_##name(int n, acc::blas::in_c<T>::input x, int incx) {          \
    return acc::blas::norm_of<R>("cblas_" #name, function, n, x, incx);   \
  }
// Of the reference BLAS's functions asum alone has no result for a negative increment.
#define ACC_BLAS_ASUM(name, R, T, function)                                                \
  R name##_(const int* n, acc::blas::in_c<T>::input x, const int* incx) {                  \
    return *incx <= 0 ? R(0) : acc::blas::norm_of<R>(#name, function, *n, x, *incx);       \
  }                                                                                        \
  R cblas_##name(int n, acc::blas::in_c<T>::input x, int incx) {                           \
    return incx <= 0 ? R(0) : acc::blas::norm_of<R>("cblas_" #name, function, n, x, incx); \
  }

// Of two complex vectors: gfortran's functions return a C complex number by value.
#define ACC_BLAS_COMPLEX_DOT(name, R, function)                                                    \
  acc::blas::c_complex<R> name##_(const int* n, const void* x, const int* incx, const void* y,     \
                                  const int* incy) {                                               \
    return acc::blas::to_c(                                                                        \
        acc::blas::result_of<std::complex<R>>(#name, function, *n, x, *incx, y, *incy));           \
  }                                                                                                \
  void cblas_##name##_sub(int n, const void* x, int incx, const void* y, int incy, void* result) { \
    const auto dot = acc::blas::result_of<std::complex<R>>("cblas_" #name "_sub", function, n, x,  \
                                                           incx, y, incy);                         \
    std::memcpy(result, &dot, sizeof dot);                                                         \
  }

#define ACC_BLAS_AXPY(name, T)                                                                     \
  void name##_(const int* n, acc::blas::in_c<T>::input alpha, acc::blas::in_c<T>::input x,         \
               const int* incx, acc::blas::in_c<T>::output y, const int* incy) {                   \
    using namespace acc::blas;                                                                     \
    add_multiple<T>(#name, *n, number_at<T>(alpha), input_of<T>(x), *incx, output_of<T>(y),        \
                    *incy);                                                                        \
  }                                                                                                \
  void cblas_##name(int n, acc::blas::in_c<T>::number alpha, acc::blas::in_c<T>::input x,          \
                    int incx, acc::blas::in_c<T>::output y, int incy) {                            \
    using namespace acc::blas;                                                                     \
    add_multiple<T>("cblas_" #name, n, number_of<T>(alpha), input_of<T>(x), incx, output_of<T>(y), \
                    incy);                                                                         \
  }

// A is the factor's type: T, or its real one.
#define ACC_BLAS_SCAL(name, A, T)                                                           \
  void name##_(const int* n, acc::blas::in_c<A>::input alpha, acc::blas::in_c<T>::output x, \
               const int* incx) {                                                           \
    using namespace acc::blas;                                                              \
    multiply_by<T>(#name, *n, T(number_at<A>(alpha)), output_of<T>(x), *incx);              \
  }                                                                                         \
  void cblas_##name(int n, acc::blas::in_c<A>::number alpha, acc::blas::in_c<T>::output x,  \
                    int incx) {                                                             \
    using namespace acc::blas;                                                              \
    multiply_by<T>("cblas_" #name, n, T(number_of<A>(alpha)), output_of<T>(x), incx);       \
  }

// ACC_BLAS_kind(...), whose arguments may be macros.
#define ACC_BLAS_DEFINE(kind, ...) ACC_BLAS_##kind(__VA_ARGS__)

// All of these that acc::blas and the BLAS have alike, under names made of a type's letters and a
// function: NAME(d, gemm), and for xerbla_ ROUTINE("D", "GEMM").
#define ACC_BLAS_FUNCTIONS(NAME, ROUTINE)                                                          \
  ACC_BLAS_DEFINE(GEMM, NAME(s, gemm), ROUTINE("S", "GEMM"), float, accurate_product,              \
                  accurate_product_in_place)                                                       \
  ACC_BLAS_DEFINE(GEMM, NAME(d, gemm), ROUTINE("D", "GEMM"), double, accurate_product,             \
                  accurate_product_in_place)                                                       \
  ACC_BLAS_DEFINE(GEMM, NAME(c, gemm), ROUTINE("C", "GEMM"), acc::blas::complex_float,             \
                  accurate_product, accurate_product_in_place)                                     \
  ACC_BLAS_DEFINE(GEMM, NAME(z, gemm), ROUTINE("Z", "GEMM"), acc::blas::complex_double,            \
                  accurate_product, accurate_product_in_place)                                     \
  ACC_BLAS_DEFINE(GEMV, NAME(s, gemv), ROUTINE("S", "GEMV"), float, matrix_vector_product_at_once) \
  ACC_BLAS_DEFINE(GEMV, NAME(d, gemv), ROUTINE("D", "GEMV"), double,                               \
                  matrix_vector_product_at_once)                                                   \
  ACC_BLAS_DEFINE(GEMV, NAME(c, gemv), ROUTINE("C", "GEMV"), acc::blas::complex_float,             \
                  matrix_vector_product_at_once)                                                   \
  ACC_BLAS_DEFINE(GEMV, NAME(z, gemv), ROUTINE("Z", "GEMV"), acc::blas::complex_double,            \
                  matrix_vector_product_at_once)                                                   \
  ACC_BLAS_DEFINE(DOT, NAME(s, dot), float, acc_sdot_compensated)                                  \
  ACC_BLAS_DEFINE(DOT, NAME(d, dot), double, acc_ddot_compensated)                                 \
  ACC_BLAS_DEFINE(COMPLEX_DOT, NAME(c, dotu), float, acc_cdotu_compensated)                        \
  ACC_BLAS_DEFINE(COMPLEX_DOT, NAME(c, dotc), float, acc_cdot_compensated)                         \
  ACC_BLAS_DEFINE(COMPLEX_DOT, NAME(z, dotu), double, acc_zdotu_compensated)                       \
  ACC_BLAS_DEFINE(COMPLEX_DOT, NAME(z, dotc), double, acc_zdot_compensated)                        \
  ACC_BLAS_DEFINE(NORM, NAME(s, nrm2), float, float, acc_snrm2_compensated)                        \
  ACC_BLAS_DEFINE(NORM, NAME(d, nrm2), double, double, acc_dnrm2_compensated)                      \
  ACC_BLAS_DEFINE(NORM, NAME(sc, nrm2), float, acc::blas::complex_float, acc_cnrm2_compensated)    \
  ACC_BLAS_DEFINE(NORM, NAME(dz, nrm2), double, acc::blas::complex_double, acc_znrm2_compensated)  \
  ACC_BLAS_DEFINE(ASUM, NAME(s, asum), float, float, acc_sasum_compensated)                        \
  ACC_BLAS_DEFINE(ASUM, NAME(d, asum), double, double, acc_dasum_compensated)                      \
  ACC_BLAS_DEFINE(ASUM, NAME(sc, asum), float, acc::blas::complex_float, acc_casum_compensated)    \
  ACC_BLAS_DEFINE(ASUM, NAME(dz, asum), double, acc::blas::complex_double, acc_zasum_compensated)  \
  ACC_BLAS_DEFINE(AXPY, NAME(s, axpy), float)                                                      \
  ACC_BLAS_DEFINE(AXPY, NAME(d, axpy), double)                                                     \
  ACC_BLAS_DEFINE(AXPY, NAME(c, axpy), acc::blas::complex_float)                                   \
  ACC_BLAS_DEFINE(AXPY, NAME(z, axpy), acc::blas::complex_double)                                  \
  ACC_BLAS_DEFINE(SCAL, NAME(s, scal), float, float)                                               \
  ACC_BLAS_DEFINE(SCAL, NAME(d, scal), double, double)                                             \
  ACC_BLAS_DEFINE(SCAL, NAME(c, scal), acc::blas::complex_float, acc::blas::complex_float)         \
  ACC_BLAS_DEFINE(SCAL, NAME(z, scal), acc::blas::complex_double, acc::blas::complex_double)       \
  ACC_BLAS_DEFINE(SCAL, NAME(cs, scal), float, acc::blas::complex_float)                           \
  ACC_BLAS_DEFINE(SCAL, NAME(zd, scal), double, acc::blas::complex_double)

// acc's own names have a letter more.
#define ACC_BLAS_OWN_NAME(type, function) type##a##function
#define ACC_BLAS_OWN_ROUTINE(TYPE, FUNCTION) TYPE "A" FUNCTION

#endif
