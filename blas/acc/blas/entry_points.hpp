// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_ENTRY_POINTS_HPP
#define ACC_BLAS_ENTRY_POINTS_HPP

/// \file
/// An entry point of C and one of Fortran, from a name, a type and a product.

#include <acc/blas.h>

#include "products.hpp"
#include "report.hpp"
#include "run.hpp"

#include <cstdio>

namespace acc::blas {

template <class T>
using product = void(memory where, const call<T>& c);

template <class T>
void from_fortran(const char* routine, product<T>& multiply, const call<T>& c) {
  const failure f = run(c, multiply);
  if (!f.failed) return;
  report_to_xerbla(routine, f.where, f.why.data());
  if (f.where == none) end_process(routine);
}

inline void refuse_setting(const char* routine, int place, const char* name, int setting) {
  char why[64];
  std::snprintf(why, sizeof why, "Illegal %s setting, %d", name, setting);
  report_to_cblas_xerbla(routine, place, why);
}

template <class T>
void from_c(const char* routine, product<T>& multiply, int layout, int transa, int transb,
            const call<T>& c) {
  if (layout != AccRowMajor && layout != AccColMajor)
    return refuse_setting(routine, 1, "layout", layout);
  const failure f = run(c, multiply);
  if (!f.failed) return;
  if (f.where == of_transa) return refuse_setting(routine, of_transa + 1, "TransA", transa);
  if (f.where == of_transb) return refuse_setting(routine, of_transb + 1, "TransB", transb);
  report_to_cblas_xerbla(routine, f.where == none ? 0 : f.where + 1, f.why.data());
  if (f.where == none) end_process(routine);
}

}  // namespace acc::blas

// Both entry points of a product and a type. NAME is what xerbla_ is told.
#define ACC_BLAS_ENTRY_POINTS(name, NAME, T, product)                                             \
  void name##_(const char* transa, const char* transb, const int* m, const int* n, const int* k,  \
               const T* alpha, const T* a, const int* lda, const T* b, const int* ldb,            \
               const T* beta, T* c, const int* ldc) {                                             \
    using namespace acc::blas;                                                                    \
    from_fortran<T>(                                                                              \
        NAME, product<T>,                                                                         \
        {{false, transpose_op(*transa), transpose_op(*transb), *m, *n, *k, *lda, *ldb, *ldc},     \
         *alpha,                                                                                  \
         *beta,                                                                                   \
         a,                                                                                       \
         b,                                                                                       \
         c});                                                                                     \
  }                                                                                               \
  void cblas_##name(int layout, int transa, int transb, int m, int n, int k, T alpha, const T* a, \
                    int lda, const T* b, int ldb, T beta, T* c, int ldc) {                        \
    using namespace acc::blas;                                                                    \
    from_c<T>("cblas_" #name, product<T>, layout, transa, transb,                                 \
              {{layout == AccRowMajor, operation_of_constant(transa),                             \
                operation_of_constant(transb), m, n, k, lda, ldb, ldc},                           \
               alpha,                                                                             \
               beta,                                                                              \
               a,                                                                                 \
               b,                                                                                 \
               c});                                                                               \
  }

#endif
