// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas.hpp"

#include <dlfcn.h>
#include <type_traits>

// C's interface to BLAS; its enumerations are ints. Where its header lies differs between
// libraries.
extern "C" {
float cblas_sdot(int, const float*, int, const float*, int);
double cblas_ddot(int, const double*, int, const double*, int);
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                 float*, int);
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int,
                 double, double*, int);
void cblas_cgemm(int, int, int, int, int, int, const void*, const void*, int, const void*, int,
                 const void*, void*, int);
void cblas_zgemm(int, int, int, int, int, int, const void*, const void*, int, const void*, int,
                 const void*, void*, int);
void cblas_sgemv(int, int, int, int, float, const float*, int, const float*, int, float, float*,
                 int);
void cblas_dgemv(int, int, int, int, double, const double*, int, const double*, int, double,
                 double*, int);
}

namespace perf::blas {

namespace {

constexpr int column_major = 102;
int letter(bool transposed) { return transposed ? 112 : 111; }

/// What `library` answers when asked by `name`, or `otherwise` where it has no such function.
template <class R, class... A>
R ask(void* library, const char* name, R otherwise, A... arguments) {
  void* const f = dlsym(library, name);
  return f ? reinterpret_cast<R (*)(A...)>(f)(arguments...) : otherwise;
}

}  // namespace

std::string description() {
  Dl_info where{};
  if (!dladdr(reinterpret_cast<void*>(&cblas_sgemm), &where)) return "a BLAS";
  std::string text = where.dli_fname;
  text.erase(0, text.rfind('/') + 1);
  void* const library = dlopen(where.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  if (!library) return text;
  const char* const unknown = "?";
  int threads = 0;
  if (dlsym(library, "openblas_get_config")) {
    text = ask(library, "openblas_get_config", unknown) + std::string(", kernels for ") +
           ask(library, "openblas_get_corename", unknown) + ", " + text;
    threads = ask(library, "openblas_get_num_threads", 0);
  } else if (dlsym(library, "bli_info_get_version_str")) {
    const int kind = ask(library, "bli_arch_query_id", 0);
    text = std::string("BLIS ") + ask(library, "bli_info_get_version_str", unknown) +
           ", kernels for " + ask(library, "bli_arch_string", unknown, kind) + ", " + text;
    threads = int(ask(library, "bli_thread_get_num_threads", std::int64_t(0)));
    if (threads < 1) threads = 1;  // it has not been told, and takes one
  }
  dlclose(library);
  return threads > 0 ? text + ", threads: " + std::to_string(threads) : text;
}

template <class T>
void dot(std::int64_t n, const T* x, const T* y, T* r) {
  if constexpr (sizeof(T) == 4)
    *r = cblas_sdot(int(n), x, 1, y, 1);
  else
    *r = cblas_ddot(int(n), x, 1, y, 1);
}

template <class T>
void gemm(const matrix<const T>& a, const matrix<const T>& b, const matrix<T>& c) {
  const by_columns<T> p(a, b, c);
  const T one = 1, zero = 0;
  const auto call = [&](auto function, auto alpha, auto beta) {
    function(column_major, letter(p.trans_a), letter(p.trans_b), p.m, p.n, p.k, alpha, p.a, p.lda,
             p.b, p.ldb, beta, p.c, p.ldc);
  };
  if constexpr (std::is_same_v<T, float>) call(cblas_sgemm, one, zero);
  if constexpr (std::is_same_v<T, double>) call(cblas_dgemm, one, zero);
  if constexpr (std::is_same_v<T, Kokkos::complex<float>>) call(cblas_cgemm, &one, &zero);
  if constexpr (std::is_same_v<T, Kokkos::complex<double>>) call(cblas_zgemm, &one, &zero);
}

template <class T>
void gemv(const matrix<const T>& a, const T* x, T* y) {
  const int rows = int(a.by_rows ? a.columns : a.rows), columns = int(a.size() / rows);
  const auto call = [&](auto function) {
    function(column_major, letter(a.transposed != a.by_rows), rows, columns, T(1), a.data,
             int(a.step), x, 1, T(0), y, 1);
  };
  if constexpr (sizeof(T) == 4)
    call(cblas_sgemv);
  else
    call(cblas_dgemv);
}

template <class T>
void batched_gemm(int count, const matrix<const T>& a, const matrix<const T>& b,
                  const matrix<T>& c) {
  auto a_i = a, b_i = b;
  auto c_i = c;
  for (int i = 0; i < count; ++i) {
    gemm(a_i, b_i, c_i);
    a_i.data += a.size();
    b_i.data += b.size();
    c_i.data += c.size();
  }
}

PERF_INSTANTIATE_BLAS

}  // namespace perf::blas
