// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas.hpp"

#include <Kokkos_Core.hpp>
#include <cublas_v2.h>
#include <type_traits>

namespace perf::blas {

namespace {

/// Full precision: cuBLAS rounds no float to TF32 in this, its default, mode.
cublasHandle_t handle() {
  static cublasHandle_t h = nullptr;
  if (!h) cublasCreate(&h);
  cublasSetStream(h, Kokkos::Cuda().cuda_stream());
  return h;
}
cublasOperation_t letter(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

}  // namespace

std::string description() {
  int version = 0;
  cublasGetVersion(handle(), &version);
  return "cuBLAS " + std::to_string(version);
}

template <class T>
void dot(std::int64_t n, const T* x, const T* y, T* r) {
  const cublasHandle_t h = handle();
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
  if constexpr (sizeof(T) == 4)
    cublasSdot_64(h, n, x, 1, y, 1, r);
  else
    cublasDdot_64(h, n, x, 1, y, 1, r);
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
}

template <class T>
void gemm(const matrix<const T>& a, const matrix<const T>& b, const matrix<T>& c) {
  const by_columns<T> p(a, b, c);
  const auto call = [&](auto function, auto zero) {
    using number = decltype(zero);  // what cuBLAS calls T
    const number one{1};
    function(handle(), letter(p.trans_a), letter(p.trans_b), p.m, p.n, p.k, &one,
             reinterpret_cast<const number*>(p.a), p.lda, reinterpret_cast<const number*>(p.b),
             p.ldb, &zero, reinterpret_cast<number*>(p.c), p.ldc);
  };
  if constexpr (std::is_same_v<T, float>) call(cublasSgemm, 0.0f);
  if constexpr (std::is_same_v<T, double>) call(cublasDgemm, 0.0);
  if constexpr (std::is_same_v<T, Kokkos::complex<float>>) call(cublasCgemm, cuComplex());
  if constexpr (std::is_same_v<T, Kokkos::complex<double>>) call(cublasZgemm, cuDoubleComplex());
}

template <class T>
void gemv(const matrix<const T>& a, const T* x, T* y) {
  const T one = 1, zero = 0;
  const int rows = int(a.by_rows ? a.columns : a.rows), columns = int(a.size() / rows);
  const auto call = [&](auto function) {
    function(handle(), letter(a.transposed != a.by_rows), rows, columns, &one, a.data, int(a.step),
             x, 1, &zero, y, 1);
  };
  if constexpr (sizeof(T) == 4)
    call(cublasSgemv);
  else
    call(cublasDgemv);
}

template <class T>
void batched_gemm(int count, const matrix<const T>& a, const matrix<const T>& b,
                  const matrix<T>& c) {
  const by_columns<T> p(a, b, c);
  const T one = 1, zero = 0;
  const std::int64_t a_size = p.a == a.data ? a.size() : b.size();
  const std::int64_t b_size = a.size() + b.size() - a_size;
  const auto call = [&](auto function) {
    function(handle(), letter(p.trans_a), letter(p.trans_b), p.m, p.n, p.k, &one, p.a, p.lda,
             a_size, p.b, p.ldb, b_size, &zero, p.c, p.ldc, c.size(), count);
  };
  if constexpr (sizeof(T) == 4)
    call(cublasSgemmStridedBatched);
  else
    call(cublasDgemmStridedBatched);
}

PERF_INSTANTIATE_BLAS

}  // namespace perf::blas
