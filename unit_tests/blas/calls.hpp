// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of an entry point as a value, the entry points of a type, and what they told xerbla_.
#pragma once

#include <acc/blas.h>
#include <acc/gemm.hpp>
#include <acc/ngemm.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace acc_test {

struct Report {
  std::string routine;
  int place;
  std::string text;
};
/// What xerbla_ and cblas_xerbla of this program (main.cpp) were told; taken from their list.
std::vector<Report> take_reports();

/// Arguments of xGEMM; the memory of the matrices is elsewhere.
template <class T>
struct Call {
  int layout = AccColMajor;
  char transa = 'N', transb = 'N';
  int m, n, k;
  T alpha = 1;
  const T* a;
  int lda;
  const T* b;
  int ldb;
  T beta = 0;
  T* c;
  int ldc;

  static int constant(char letter) {
    if (letter == 'N' || letter == 'n') return AccNoTrans;
    if (letter == 'T' || letter == 't') return AccTrans;
    if (letter == 'C' || letter == 'c') return AccConjTrans;
    return letter;  // none of them
  }
};

/// The two entry points of a product, and acc's call that they stand for.
template <class T>
struct Fortran {
  void (*function)(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
                   const int*, const T*, const int*, const T*, T*, const int*);
  void operator()(const Call<T>& c) const {
    function(&c.transa, &c.transb, &c.m, &c.n, &c.k, &c.alpha, c.a, &c.lda, c.b, &c.ldb, &c.beta,
             c.c, &c.ldc);
  }
};
template <class T>
struct Cblas {
  void (*function)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  void operator()(const Call<T>& c) const {
    function(c.layout, c.constant(c.transa), c.constant(c.transb), c.m, c.n, c.k, c.alpha, c.a,
             c.lda, c.b, c.ldb, c.beta, c.c, c.ldc);
  }
};

struct NonNegative {
  static constexpr const char *fortran_names[] = {"SNGEMM", "DNGEMM"},
                              *c_names[] = {"cblas_sngemm", "cblas_dngemm"};
  static Fortran<float> fortran(float) { return {sngemm_}; }
  static Fortran<double> fortran(double) { return {dngemm_}; }
  static Cblas<float> cblas(float) { return {cblas_sngemm}; }
  static Cblas<double> cblas(double) { return {cblas_dngemm}; }
  template <class... Arguments>
  static void in_acc(const Arguments&... arguments) {
    acc::ngemm(arguments...);
  }
};
struct Accurate {
  static constexpr const char *fortran_names[] = {"SAGEMM", "DAGEMM"},
                              *c_names[] = {"cblas_sagemm", "cblas_dagemm"};
  static Fortran<float> fortran(float) { return {sagemm_}; }
  static Fortran<double> fortran(double) { return {dagemm_}; }
  static Cblas<float> cblas(float) { return {cblas_sagemm}; }
  static Cblas<double> cblas(double) { return {cblas_dagemm}; }
  template <class... Arguments>
  static void in_acc(const Arguments&... arguments) {
    acc::gemm(arguments...);
  }
};
struct Exact {
  static constexpr const char *fortran_names[] = {"SXGEMM", "DXGEMM"},
                              *c_names[] = {"cblas_sxgemm", "cblas_dxgemm"};
  static Fortran<float> fortran(float) { return {sxgemm_}; }
  static Fortran<double> fortran(double) { return {dxgemm_}; }
  static Cblas<float> cblas(float) { return {cblas_sxgemm}; }
  static Cblas<double> cblas(double) { return {cblas_dxgemm}; }
  template <class... Arguments>
  static void in_acc(const Arguments&... arguments) {
    acc::gemm(arguments..., acc::exact{});
  }
};

/// A product for elements of a type, as a parameter of typed tests.
template <class Kind, class T>
struct Entry : Kind {
  using type = T;
  static std::string fortran_name() { return Kind::fortran_names[sizeof(T) / 8]; }
  static std::string c_name() { return Kind::c_names[sizeof(T) / 8]; }
  static void fortran(const Call<T>& c) { Kind::fortran(T())(c); }
  static void cblas(const Call<T>& c) { Kind::cblas(T())(c); }
};
using Entries =
    testing::Types<Entry<NonNegative, float>, Entry<NonNegative, double>, Entry<Accurate, float>,
                   Entry<Accurate, double>, Entry<Exact, float>, Entry<Exact, double>>;

}  // namespace acc_test
