// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of few numbers by the names that Fortran has for them: acc::blas beside the BLAS.
#include "products.hpp"

#include <acc/blas.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

// What the BLAS has by the name t##function_: N is a number of type t, void if it is complex, and R
// a real one.
#define ACC_PERF_DECLARE(N, R, t, r, sy, syrk)                                                    \
  void t##gemm_(const char*, const char*, const int*, const int*, const int*, const N*, const N*, \
                const int*, const N*, const int*, const N*, N*, const int*);                      \
  void t##gemv_(const char*, const int*, const int*, const N*, const N*, const int*, const N*,    \
                const int*, const N*, N*, const int*);                                            \
  void t##sy##mv_(const char*, const int*, const N*, const N*, const int*, const N*, const int*,  \
                  const N*, N*, const int*);                                                      \
  void t##sy##mm_(const char*, const char*, const int*, const int*, const N*, const N*,           \
                  const int*, const N*, const int*, const N*, N*, const int*);                    \
  void t##syrk##_(const char*, const char*, const int*, const int*, const R*, const N*,           \
                  const int*, const R*, N*, const int*);                                          \
  void t##trsv_(const char*, const char*, const char*, const int*, const N*, const int*, N*,      \
                const int*);                                                                      \
  void t##trsm_(const char*, const char*, const char*, const char*, const int*, const int*,       \
                const N*, const N*, const int*, N*, const int*);                                  \
  R r##nrm2_(const int*, const N*, const int*);                                                   \
  R r##asum_(const int*, const N*, const int*);                                                   \
  void t##axpy_(const int*, const N*, const N*, const int*, N*, const int*);                      \
  void t##scal_(const int*, const N*, N*, const int*);
extern "C" {
ACC_PERF_DECLARE(float, float, s, s, sy, syrk)
ACC_PERF_DECLARE(double, double, d, d, sy, syrk)
ACC_PERF_DECLARE(void, float, c, sc, he, herk)
ACC_PERF_DECLARE(void, double, z, dz, he, herk)
float sdot_(const int*, const float*, const int*, const float*, const int*);
double ddot_(const int*, const double*, const int*, const double*, const int*);
void cblas_cdotc_sub(int, const void*, int, const void*, int, void*);
void cblas_zdotc_sub(int, const void*, int, const void*, int, void*);
}

namespace {

using namespace perf;

/// The types in the declarations above of numbers T, and the names of their functions.
template <class T>
struct types {
  using number = T;
  using real = T;
  static constexpr const char *symmetric = "sy", *letter = sizeof(T) == 4 ? "s" : "d";
};
template <class R>
struct types<std::complex<R>> {
  using number = void;
  using real = R;
  static constexpr const char *symmetric = "he", *letter = sizeof(R) == 4 ? "c" : "z";
};

/// C's function of a dot product of complex numbers, as Fortran's: what that returns is not C++'s.
template <class T, auto dot>
T dot_of(const int* n, const void* x, const int* incx, const void* y, const int* incy) {
  T r;
  dot(*n, x, *incx, y, *incy, &r);
  return r;
}

/// The functions of one library.
template <class T>
struct functions {
  using N = typename types<T>::number;
  using R = typename types<T>::real;
  void (*gemm)(const char*, const char*, const int*, const int*, const int*, const N*, const N*,
               const int*, const N*, const int*, const N*, N*, const int*);
  void (*gemv)(const char*, const int*, const int*, const N*, const N*, const int*, const N*,
               const int*, const N*, N*, const int*);
  void (*symv)(const char*, const int*, const N*, const N*, const int*, const N*, const int*,
               const N*, N*, const int*);
  void (*symm)(const char*, const char*, const int*, const int*, const N*, const N*, const int*,
               const N*, const int*, const N*, N*, const int*);
  void (*syrk)(const char*, const char*, const int*, const int*, const R*, const N*, const int*,
               const R*, N*, const int*);
  void (*trsv)(const char*, const char*, const char*, const int*, const N*, const int*, N*,
               const int*);
  void (*trsm)(const char*, const char*, const char*, const char*, const int*, const int*, const N*,
               const N*, const int*, N*, const int*);
  T (*dot)(const int*, const N*, const int*, const N*, const int*);
  R (*nrm2)(const int*, const N*, const int*);
  R (*asum)(const int*, const N*, const int*);
  void (*axpy)(const int*, const N*, const N*, const int*, N*, const int*);
  void (*scal)(const int*, const N*, N*, const int*);
};
/// Of acc and of its peer.
template <class T>
struct libraries {
  functions<T> acc, peer;
};

/// What each measured call has: squares of n x n numbers and vectors of n. The diagonal is 1.
template <class T>
struct operands {
  using real = typename types<T>::real;
  int n, one = 1;
  T alpha = 1, beta = 0, small = real(1e-3), minus = -1;
  real real_alpha = 1, real_beta = 0;
  std::vector<T> a, b, c;

  explicit operands(int size)
      : n(size), a(std::size_t(size) * std::size_t(size)), b(a.size()), c(a.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = real(i % 17 + 1) / 16;
      b[i] = real(i % 13) / 16 - real(0.4);
      if constexpr (!std::is_same_v<T, real>) {
        a[i].imag(real(i % 11) / 16);
        b[i].imag(real(i % 7) / 16 - real(0.2));
      }
    }
    for (int i = 0; i < size; ++i) a[std::size_t(i) * std::size_t(size + 1)] = 1;
  }
};

/// Calls per measured time, of so many products: a clock takes as long as a small call.
int calls_of(double products) { return int(std::clamp(1e7 / products, 1.0, 1000.0)); }

/// With 2 n^power operations.
template <class T, class Call>
void add_call(const libraries<T>& from, const std::string& name, double power,
              std::initializer_list<int> sizes, const Call& call) {
  for (const int n : sizes) {
    add_product("blas call/" + name + "/" + std::to_string(n), [=](benchmark::State& state) {
      operands<T> by_acc(n), by_peer(n);
      const int calls = calls_of(std::pow(n, power));
      const auto repeat = [=](const functions<T>& f, operands<T>& o) {
        for (int i = 0; i < calls; ++i) call(f, o);
        benchmark::ClobberMemory();
      };
      measure_product(
          state, calls * 2 * std::pow(n, power), [&] { repeat(from.acc, by_acc); },
          [&] { repeat(from.peer, by_peer); });
    });
  }
}

template <class T>
void add_type(const libraries<T>& from) {
  const std::string letter = types<T>::letter, symmetric = letter + types<T>::symmetric;
  const auto squares = {1, 2, 3, 4, 8, 12, 16, 32, 64, 1200};
  const auto vectors = {1, 2, 4, 8, 16, 64, 1024};
  for (const char* const transposed : {"N", "T"}) {
    const std::string which = *transposed == 'T' ? ", transposed" : "";
    add_call(from, letter + "gemm" + which, 3, squares, [=](const auto& f, auto& o) {
      f.gemm(transposed, "N", &o.n, &o.n, &o.n, &o.alpha, o.a.data(), &o.n, o.b.data(), &o.n,
             &o.beta, o.c.data(), &o.n);
    });
    add_call(from, letter + "gemv" + which, 2, squares, [=](const auto& f, auto& o) {
      f.gemv(transposed, &o.n, &o.n, &o.alpha, o.a.data(), &o.n, o.b.data(), &o.one, &o.beta,
             o.c.data(), &o.one);
    });
  }
  add_call(from, symmetric + "mv", 2, squares, [](const auto& f, auto& o) {
    f.symv("L", &o.n, &o.alpha, o.a.data(), &o.n, o.b.data(), &o.one, &o.beta, o.c.data(), &o.one);
  });
  add_call(from, symmetric + "mm", 3, squares, [](const auto& f, auto& o) {
    f.symm("L", "L", &o.n, &o.n, &o.alpha, o.a.data(), &o.n, o.b.data(), &o.n, &o.beta, o.c.data(),
           &o.n);
  });
  add_call(from, symmetric + "rk", 3, squares, [](const auto& f, auto& o) {
    f.syrk("L", "N", &o.n, &o.n, &o.real_alpha, o.a.data(), &o.n, &o.real_beta, o.c.data(), &o.n);
  });
  // Of zeros, which stay zeros: else x would grow from call to call.
  for (const char* const uplo : {"L", "U"}) {
    const std::string which = *uplo == 'U' ? ", upper" : "";
    for (const char* const transposed : {"N", "T"}) {
      add_call(from, letter + "trsv" + which + (*transposed == 'T' ? ", transposed" : ""), 2,
               squares, [=](const auto& f, auto& o) {
                 f.trsv(uplo, transposed, "N", &o.n, o.a.data(), &o.n, o.c.data(), &o.one);
               });
    }
  }
  for (const char* const side : {"L", "R"}) {
    add_call(from, letter + "trsm" + (*side == 'R' ? ", right" : ""), 3, squares,
             [=](const auto& f, auto& o) {
               f.trsm(side, "L", "N", "N", &o.n, &o.n, &o.alpha, o.a.data(), &o.n, o.c.data(),
                      &o.n);
             });
  }
  add_call(from, letter + "dot", 1, vectors, [](const auto& f, auto& o) {
    benchmark::DoNotOptimize(f.dot(&o.n, o.a.data(), &o.one, o.b.data(), &o.one));
  });
  add_call(from, letter + "nrm2", 1, vectors, [](const auto& f, auto& o) {
    benchmark::DoNotOptimize(f.nrm2(&o.n, o.a.data(), &o.one));
  });
  add_call(from, letter + "asum", 1, vectors, [](const auto& f, auto& o) {
    benchmark::DoNotOptimize(f.asum(&o.n, o.a.data(), &o.one));
  });
  // By -1: a BLAS may return at once where the factor is 1.
  add_call(from, letter + "scal", 1, vectors,
           [](const auto& f, auto& o) { f.scal(&o.n, &o.minus, o.a.data(), &o.one); });
  add_call(from, letter + "axpy", 1, vectors, [](const auto& f, auto& o) {
    f.axpy(&o.n, &o.small, o.a.data(), &o.one, o.c.data(), &o.one);
  });
}

#define ACC_PERF_FUNCTIONS(t, r, sy, syrk, dot)                      \
  {t##gemm_, t##gemv_, t##sy##mv_, t##sy##mm_, t##syrk##_, t##trsv_, \
   t##trsm_, dot,      r##nrm2_,   r##asum_,   t##axpy_,   t##scal_}

using z = std::complex<double>;
using c = std::complex<float>;
const bool registered = [] {
  add_type<double>(
      {ACC_PERF_FUNCTIONS(da, da, sy, syrk, dadot_), ACC_PERF_FUNCTIONS(d, d, sy, syrk, ddot_)});
  add_type<float>(
      {ACC_PERF_FUNCTIONS(sa, sa, sy, syrk, sadot_), ACC_PERF_FUNCTIONS(s, s, sy, syrk, sdot_)});
  add_type<z>({ACC_PERF_FUNCTIONS(za, dza, he, herk, (dot_of<z, cblas_zadotc_sub>)),
               ACC_PERF_FUNCTIONS(z, dz, he, herk, (dot_of<z, cblas_zdotc_sub>))});
  add_type<c>({ACC_PERF_FUNCTIONS(ca, sca, he, herk, (dot_of<c, cblas_cadotc_sub>)),
               ACC_PERF_FUNCTIONS(c, sc, he, herk, (dot_of<c, cblas_cdotc_sub>))});
  return true;
}();

}  // namespace
