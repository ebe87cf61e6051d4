// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_VIEWS_HPP
#define ACC_BLAS_VIEWS_HPP

/// \file
/// A call's matrices as Views of the execution space that multiplies them.

#include "call.hpp"
#include "memory.hpp"
#include "runtime.hpp"
#include "wait.hpp"

#include <acc/core/gemm/matrix_data.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace acc::blas {

/// Both layouts are strides of one type: acc's products see no more of a layout than these, and
/// there is half as much to compile.
template <class Exec, class T>
using matrix_view =
    Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;

template <class Exec, class T>
matrix_view<Exec, T> view_of(T* data, int rows, int columns, int leading, bool row_major) {
  const auto m = std::size_t(rows), n = std::size_t(columns), ld = std::size_t(leading);
  const Kokkos::LayoutStride by_rows(m, ld, n, 1), by_columns(m, 1, n, ld);
  return matrix_view<Exec, T>(data, row_major ? by_rows : by_columns);
}

/// The first element of n, which a negative increment leads down from.
template <class T>
T* first_of(T* data, std::int64_t n, std::int64_t increment) {
  return increment < 0 ? data + (1 - n) * increment : data;
}

/// The memory of a vector's n elements, from the lowest address on, for checks of overlaps.
template <class T>
impl::matrix_data<T> memory_of_vector(T* lowest, int n, int increment) {
  return {lowest, n, 1, std::abs(std::int64_t(increment)), 0};
}

/// Calls multiply(exec, transA, transB, alpha, A, B, beta, C) and waits for it. By rows the
/// operands stay as they are: C^T = op(B)^T op(A)^T has the same entries, but Winograd's recursion
/// forms them in other ways.
template <class Exec, class T, class Multiply>
void multiply_on(const Exec& exec, const call<T>& c, const Multiply& multiply) {
  const int depth = c.reads_products() ? c.k : 0;  // A and B are then without elements, maybe null
  const bool n_a = c.transa == 'N', n_b = c.transb == 'N';
  const char transa[] = {c.transa, '\0'}, transb[] = {c.transb, '\0'};
  multiply(exec, transa, transb, c.alpha,
           view_of<Exec>(c.a, n_a ? c.m : depth, n_a ? depth : c.m, c.lda, c.row_major),
           view_of<Exec>(c.b, n_b ? depth : c.n, n_b ? c.n : depth, c.ldb, c.row_major), c.beta,
           view_of<Exec>(c.c, c.m, c.n, c.ldc, c.row_major));
  wait_for(exec);
}

template <class T, class Multiply>
void multiply_in(memory where, const call<T>& c, const Multiply& multiply) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (where == memory::device) return multiply_on(Kokkos::Cuda(), c, multiply);
#endif
  (void)where;
  multiply_on(host_space(), c, multiply);
}

}  // namespace acc::blas

#endif
