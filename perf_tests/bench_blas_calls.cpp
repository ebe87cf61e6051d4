// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of few numbers by the names that Fortran has for them: acc::blas beside the BLAS.
#include "products.hpp"

#include <acc/blas.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

// What the BLAS has by the name t##function_.
#define ACC_PERF_DECLARE(T, t)                                                                    \
  void t##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*, \
                const int*, const T*, const int*, const T*, T*, const int*);                      \
  void t##gemv_(const char*, const int*, const int*, const T*, const T*, const int*, const T*,    \
                const int*, const T*, T*, const int*);                                            \
  void t##symv_(const char*, const int*, const T*, const T*, const int*, const T*, const int*,    \
                const T*, T*, const int*);                                                        \
  void t##syrk_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, \
                const T*, T*, const int*);                                                        \
  void t##trsv_(const char*, const char*, const char*, const int*, const T*, const int*, T*,      \
                const int*);                                                                      \
  void t##trsm_(const char*, const char*, const char*, const char*, const int*, const int*,       \
                const T*, const T*, const int*, T*, const int*);                                  \
  T t##dot_(const int*, const T*, const int*, const T*, const int*);                              \
  T t##nrm2_(const int*, const T*, const int*);                                                   \
  T t##asum_(const int*, const T*, const int*);                                                   \
  void t##axpy_(const int*, const T*, const T*, const int*, T*, const int*);                      \
  void t##scal_(const int*, const T*, T*, const int*);
extern "C" {
ACC_PERF_DECLARE(float, s)
ACC_PERF_DECLARE(double, d)
}

namespace {

using namespace perf;

/// The functions of one library.
template <class T>
struct functions {
  void (*gemm)(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
               const int*, const T*, const int*, const T*, T*, const int*);
  void (*gemv)(const char*, const int*, const int*, const T*, const T*, const int*, const T*,
               const int*, const T*, T*, const int*);
  void (*symv)(const char*, const int*, const T*, const T*, const int*, const T*, const int*,
               const T*, T*, const int*);
  void (*syrk)(const char*, const char*, const int*, const int*, const T*, const T*, const int*,
               const T*, T*, const int*);
  void (*trsv)(const char*, const char*, const char*, const int*, const T*, const int*, T*,
               const int*);
  void (*trsm)(const char*, const char*, const char*, const char*, const int*, const int*, const T*,
               const T*, const int*, T*, const int*);
  T (*dot)(const int*, const T*, const int*, const T*, const int*);
  T (*nrm2)(const int*, const T*, const int*);
  T (*asum)(const int*, const T*, const int*);
  void (*axpy)(const int*, const T*, const T*, const int*, T*, const int*);
  void (*scal)(const int*, const T*, T*, const int*);
};
/// Of acc and of its peer.
template <class T>
struct libraries {
  functions<T> acc, peer;
};

/// What each measured call has: squares of n x n numbers and vectors of n. The diagonal is 1.
template <class T>
struct operands {
  int n, one = 1;
  T alpha = 1, beta = 0, small = T(1e-3), minus = -1;
  std::vector<T> a, b, c;
  T kept = 0;

  explicit operands(int size)
      : n(size), a(std::size_t(size) * std::size_t(size)), b(a.size()), c(a.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = T(i % 17 + 1) / 16;
      b[i] = T(i % 13) / 16 - T(0.4);
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
        benchmark::DoNotOptimize(o.kept);
        benchmark::ClobberMemory();
      };
      measure_product(
          state, calls * 2 * std::pow(n, power), [&] { repeat(from.acc, by_acc); },
          [&] { repeat(from.peer, by_peer); });
    });
  }
}

template <class T>
void add_type(const std::string& letter, const libraries<T>& from) {
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
  add_call(from, letter + "symv", 2, squares, [](const auto& f, auto& o) {
    f.symv("L", &o.n, &o.alpha, o.a.data(), &o.n, o.b.data(), &o.one, &o.beta, o.c.data(), &o.one);
  });
  add_call(from, letter + "syrk", 3, squares, [](const auto& f, auto& o) {
    f.syrk("L", "N", &o.n, &o.n, &o.alpha, o.a.data(), &o.n, &o.beta, o.c.data(), &o.n);
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
    o.kept += f.dot(&o.n, o.a.data(), &o.one, o.b.data(), &o.one);
  });
  add_call(from, letter + "nrm2", 1, vectors,
           [](const auto& f, auto& o) { o.kept += f.nrm2(&o.n, o.a.data(), &o.one); });
  add_call(from, letter + "asum", 1, vectors,
           [](const auto& f, auto& o) { o.kept += f.asum(&o.n, o.a.data(), &o.one); });
  // By -1: a BLAS may return at once where the factor is 1.
  add_call(from, letter + "scal", 1, vectors,
           [](const auto& f, auto& o) { f.scal(&o.n, &o.minus, o.a.data(), &o.one); });
  add_call(from, letter + "axpy", 1, vectors, [](const auto& f, auto& o) {
    f.axpy(&o.n, &o.small, o.a.data(), &o.one, o.c.data(), &o.one);
  });
}

#define ACC_PERF_FUNCTIONS(t)                                  \
  {t##gemm_, t##gemv_, t##symv_, t##syrk_, t##trsv_, t##trsm_, \
   t##dot_,  t##nrm2_, t##asum_, t##axpy_, t##scal_}
#define ACC_PERF_ACC_FUNCTIONS(t)                                    \
  {t##agemm_, t##agemv_, t##asymv_, t##asyrk_, t##atrsv_, t##atrsm_, \
   t##adot_,  t##anrm2_, t##aasum_, t##aaxpy_, t##ascal_}

const bool registered = [] {
  add_type<double>("d", {ACC_PERF_ACC_FUNCTIONS(d), ACC_PERF_FUNCTIONS(d)});
  add_type<float>("s", {ACC_PERF_ACC_FUNCTIONS(s), ACC_PERF_FUNCTIONS(s)});
  return true;
}();

}  // namespace
