// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_GEMM_MATRIX_DATA_HPP
#define ACC_CORE_GEMM_MATRIX_DATA_HPP

/// \file
/// A rank-2 View, a rank-1 View or a rank-3 View of a batch, seen as matrices of scalars.

#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc::impl {

/// A batch of matrices; strides count scalars.
template <class T>
struct matrix_data {
  T* data;
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;
  std::int64_t batch_stride = 0;
  bool conjugate = false;

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(std::int64_t i, std::int64_t j) const {
    return data[i * row_stride + j * column_stride];
  }
  KOKKOS_FORCEINLINE_FUNCTION matrix_data of_batch(std::int64_t b) const {
    matrix_data m = *this;
    m.data += b * batch_stride;
    return m;
  }
  KOKKOS_FORCEINLINE_FUNCTION matrix_data transposed() const {
    return {data, columns, rows, column_stride, row_stride, batch_stride, conjugate};
  }
};

/// The matrix that a rank-2 View refers to; a vector as one column; a rank-3 View as a batch, whose
/// first index counts the matrices.
template <class View>
auto matrix_data_of(const View& v) {
  using T = typename View::value_type;
  matrix_data<T> m{v.data(), std::int64_t(v.extent(0)), 1, std::int64_t(v.stride(0)), 0};
  if constexpr (View::rank == 2) {
    m.columns = std::int64_t(v.extent(1));
    m.column_stride = std::int64_t(v.stride(1));
  }
  if constexpr (View::rank == 3) {
    m = {v.data(),
         std::int64_t(v.extent(1)),
         std::int64_t(v.extent(2)),
         std::int64_t(v.stride(1)),
         std::int64_t(v.stride(2)),
         std::int64_t(v.stride(0))};
  }
  return m;
}

}  // namespace acc::impl

#endif
