// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_BLAS_HPP
#define ACC_PERF_TESTS_BLAS_HPP

/// \file
/// The peer of dot and matrix products: cuBLAS with CUDA, else the BLAS that CMake's FindBLAS
/// found.

#include <Kokkos_Complex.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace perf::blas {

/// Whether there is one: ACC_HAS_BLAS, from CMake. Without one nothing below is defined.
#if defined(ACC_HAS_BLAS)
inline constexpr bool exists = true;
#else
inline constexpr bool exists = false;
#endif

/// Its name in rows.
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr const char* name = "cuBLAS";
#else
inline constexpr const char* name = "BLAS";
#endif

/// Which one answers the calls, and with how many threads: asked of the library that was loaded,
/// which LD_PRELOAD or Debian's alternatives may have made another than the one linked.
std::string description();

/// A matrix whose rows (else columns) are contiguous and `step` apart; its transpose takes part in
/// a product if `transposed`.
template <class T>
struct matrix {
  T* data;
  std::int64_t rows, columns, step;
  bool by_rows, transposed;

  std::int64_t size() const { return rows * columns; }
};

/// *r = x y; on a GPU *r is in device memory, and the call asynchronous, on the default instance.
template <class T>
void dot(std::int64_t n, const T* x, const T* y, T* r);
/// C = op(A) op(B), of complex numbers too; on a GPU asynchronous, on the default instance.
template <class T>
void gemm(const matrix<const T>& a, const matrix<const T>& b, const matrix<T>& c);
/// y = op(A) x
template <class T>
void gemv(const matrix<const T>& a, const T* x, T* y);
/// `count` products of matrices that follow each other: cuBLAS's strided batch; a BLAS has no such
/// call, so its gemm in a loop.
template <class T>
void batched_gemm(int count, const matrix<const T>& a, const matrix<const T>& b,
                  const matrix<T>& c);

/// A product in BLAS's terms, which stores matrices by columns.
template <class T>
struct by_columns {
  bool trans_a, trans_b;
  int m, n, k;
  const T* a;
  int lda;
  const T* b;
  int ldb;
  T* c;
  int ldc;

  /// A C by rows is computed as C^T = op(B)^T op(A)^T.
  by_columns(matrix<const T> first, matrix<const T> second, const matrix<T>& result)
      : m(int(result.rows)), n(int(result.columns)), c(result.data), ldc(int(result.step)) {
    if (result.by_rows) {
      std::swap(first, second);
      std::swap(m, n);
      first.transposed = !first.transposed;
      second.transposed = !second.transposed;
    }
    trans_a = first.transposed != first.by_rows;
    trans_b = second.transposed != second.by_rows;
    k = int(first.transposed ? first.rows : first.columns);
    a = first.data;
    lda = int(first.step);
    b = second.data;
    ldb = int(second.step);
  }
};

/// Defines the functions above for float and double, and gemm for complex numbers.
#define PERF_INSTANTIATE_BLAS                        \
  PERF_INSTANTIATE_BLAS_FOR(float)                   \
  PERF_INSTANTIATE_BLAS_FOR(double)                  \
  PERF_INSTANTIATE_BLAS_GEMM(Kokkos::complex<float>) \
  PERF_INSTANTIATE_BLAS_GEMM(Kokkos::complex<double>)
#define PERF_INSTANTIATE_BLAS_GEMM(T) \
  template void gemm(const matrix<const T>&, const matrix<const T>&, const matrix<T>&);
#define PERF_INSTANTIATE_BLAS_FOR(T)                        \
  PERF_INSTANTIATE_BLAS_GEMM(T)                             \
  template void dot(std::int64_t, const T*, const T*, T*);  \
  template void gemv(const matrix<const T>&, const T*, T*); \
  template void batched_gemm(int, const matrix<const T>&, const matrix<const T>&, const matrix<T>&);

}  // namespace perf::blas

#endif
