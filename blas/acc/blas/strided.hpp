// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_STRIDED_HPP
#define ACC_BLAS_STRIDED_HPP

#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "views.hpp"

namespace acc::blas {

/// A number at an address that is aligned for its parts alone.
template <class T>
T read(const T* from) {
  T x;
  std::memcpy(static_cast<void*>(&x), static_cast<const void*>(from), sizeof x);
  return x;
}
template <class T>
void write(T* to, const T& x) {
  std::memcpy(static_cast<void*>(to), static_cast<const void*>(&x), sizeof x);
}

/// A matrix of the BLAS.
template <class T>
struct strided {
  T* data;
  std::int64_t row_stride, column_stride;

  strided(T* first, int leading, bool row_major)
      : data(first), row_stride(row_major ? leading : 1), column_stride(row_major ? 1 : leading) {}

  T* at(std::int64_t i, std::int64_t j) const { return data + i * row_stride + j * column_stride; }
  auto operator()(std::int64_t i, std::int64_t j) const { return read(at(i, j)); }
  /// m rows from i on, n columns from j on.
  matrix_view<Kokkos::DefaultHostExecutionSpace, T> part(int i, int m, int j, int n) const {
    return matrix_view<Kokkos::DefaultHostExecutionSpace, T>(
        m == 0 || n == 0 ? data : at(i, j),
        Kokkos::LayoutStride(std::size_t(m), std::size_t(row_stride), std::size_t(n),
                             std::size_t(column_stride)));
  }
  impl::matrix_data<T> whole(int m, int n) const { return {data, m, n, row_stride, column_stride}; }
};

template <class T>
T conjugate(const T& x) {
  if constexpr (impl::components_of<T> == 2)
    return T(x.real(), -x.imag());
  else
    return x;
}

/// A Hermitian matrix's diagonal is real, whatever is stored.
template <class T>
T without_imaginary_part(const T& x) {
  if constexpr (impl::components_of<T> == 2)
    return T(x.real());
  else
    return x;
}

}  // namespace acc::blas

#endif
