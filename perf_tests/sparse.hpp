// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_SPARSE_HPP
#define ACC_PERF_TESTS_SPARSE_HPP

/// \file
/// The peers of products of sparse matrices: cuSPARSE with CUDA, else a loop over the rows by
/// Kokkos; and KokkosSparse where there is one.

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <memory>

namespace perf::sparse {

/// A matrix in compressed rows, in memory of the default execution space.
template <class T>
struct matrix {
  std::int64_t rows, columns, entries;
  const int *row_map, *column;
  const T* value;
};

/// The names of the peer's algorithms, which counters of rows have.
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr const char* names[] = {"ratio", "ratio of ALG2"};
#else
inline constexpr const char* names[] = {"ratio"};
#endif

/// y = A x by the peer, asynchronous on the default instance. What it looks up and allocates before
/// the first product is done when it is made.
template <class T>
class product {
 public:
  product(const matrix<T>& a, const T* x, T* y, int algorithm);
  ~product();
  void operator()() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

#if defined(ACC_HAS_KOKKOS_KERNELS)
/// The names of KokkosSparse's algorithms. Where it was built with cuSPARSE, the first one is
/// cuSPARSE's.
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr const char* kokkos_names[] = {
    "ratio of KokkosSparse", "ratio of KokkosSparse native", "ratio of KokkosSparse merge"};
#else
inline constexpr const char* kokkos_names[] = {"ratio of KokkosSparse"};
#endif

/// The same by KokkosSparse.
template <class T>
class kokkos_product {
 public:
  kokkos_product(const matrix<T>& a, const T* x, T* y, int algorithm);
  ~kokkos_product();
  void operator()() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};
#endif

}  // namespace perf::sparse

#endif
