// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_AT_ONCE_HPP
#define ACC_BLAS_AT_ONCE_HPP

/// \file
/// Small products of two matrices from the arguments of an entry point to the kernel: inlined in
/// the entry point, so that nothing is written to memory and read again on the way but the kernel's
/// own arguments. Of a product of four numbers that takes longer than the kernel.

#include <acc/backends/host/kernels/gemm.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/gemm_default.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <cstdint>

#include "call.hpp"
#include "chosen_kernel.hpp"
#include "memory.hpp"
#include "products.hpp"
#include "runtime.hpp"

namespace acc::blas {

/// The kernel of small products by the default method.
template <class T>
using small_kernel = chosen_kernel<&backends::host::small_gemm_for_this_processor<
    impl::gemm_default_t<T>, impl::real_t<T>, impl::components_of<T>>>;

/// Products of two real numbers up to which the kernel is taken. Where the host has one thread they
/// are more: to blocks, which are slower up to there, no others would help. Kokkos runs.
inline std::int64_t most_products() {
  constexpr std::int64_t of_threads = backends::host::small_gemm_tuning::of_matrix;
  return host_threads() == 1 ? 8 * of_threads : of_threads;
}

/// accurate_product_at_once of most calls. The rows of C whose numbers are neighbors are the
/// kernel's rows: of a call by columns they are C's columns, and C^T = op(B)^T op(A)^T.
template <class T>
[[gnu::always_inline]] inline bool multiply_at_once(const call<T>& c) noexcept {
  using tuning = backends::host::small_gemm_tuning;
  using real = impl::real_t<T>;
  constexpr std::int64_t parts = impl::components_of<T>;
  constexpr int strip = gemm_default<T>.strip;
  // Columns of the right-hand factor may have to be packed: all of k.
  static_assert(strip <= tuning::packed / (64 / std::int64_t(sizeof(real))));
  if (!is_all_host_memory || !runs_already()) return false;

  const bool by_rows = c.row_major;
  const int rows = by_rows ? c.m : c.n, columns = by_rows ? c.n : c.m, k = c.k;
  // x has the kernel's rows, y its columns: in memory so many lines of so many neighbors.
  const T *const x = by_rows ? c.a : c.b, *const y = by_rows ? c.b : c.a;
  const int x_step = by_rows ? c.lda : c.ldb, y_step = by_rows ? c.ldb : c.lda;
  const char x_letter = by_rows ? c.transa : c.transb, y_letter = by_rows ? c.transb : c.transa;
  const bool x_by_rows = x_letter == 'N', y_by_rows = y_letter == 'N';
  const int x_lines = x_by_rows ? rows : k, x_neighbors = x_by_rows ? k : rows;
  const int y_lines = y_by_rows ? k : columns, y_neighbors = y_by_rows ? columns : k;

  // Without branches, as nearly always all is well. What is not is refused elsewhere, or done.
  const int is_served = int(x_letter != '\0') & int(y_letter != '\0') & int(rows > 0) &
                        int(columns > 0) & int(unsigned(k) - 1 < unsigned(strip)) &
                        int(x_step >= x_neighbors) & int(y_step >= y_neighbors) &
                        int(c.ldc >= columns) & int(x != nullptr) & int(y != nullptr) &
                        int(c.c != nullptr);
  if (!is_served || c.alpha == T(0)) return false;
  // A column of several entries would have a register for each: there is another way.
  if (columns == 1 && rows != 1) return false;
  const std::int64_t products = parts * rows * std::int64_t(columns) * k;
  if (products > (rows == 1 ? tuning::of_vector : most_products())) return false;
  const auto end_of = [](const T* first, int lines, int step, int neighbors) {
    return reinterpret_cast<std::uintptr_t>(first + (std::int64_t(lines - 1) * step + neighbors));
  };
  const auto address = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const std::uintptr_t end = end_of(c.c, rows, c.ldc, columns);
  const int is_apart =
      (int(end <= address(x)) | int(end_of(x, x_lines, x_step, x_neighbors) <= address(c.c))) &
      (int(end <= address(y)) | int(end_of(y, y_lines, y_step, y_neighbors) <= address(c.c)));
  if (!is_apart) return false;

  backends::host::small_gemm_arguments<real, int(parts)> r;
  r.m = rows;
  r.n = parts * columns;
  r.k = k;
  r.a = reinterpret_cast<const real*>(x);
  r.a_row = parts * (x_by_rows ? x_step : 1);
  r.a_k = parts * (x_by_rows ? 1 : x_step);
  r.b = reinterpret_cast<const real*>(y);
  r.b_k = parts * (y_by_rows ? y_step : 1);
  r.b_column = parts * (y_by_rows || columns == 1 ? 1 : y_step);
  r.c = reinterpret_cast<real*>(c.c);
  r.c_row = parts * c.ldc;
  if constexpr (parts == 1) {
    r.alpha = c.alpha;
    r.beta = c.beta;
  } else {
    r.alpha = c.alpha.real();
    r.alpha_im = c.alpha.imag();
    r.beta = c.beta.real();
    r.beta_im = c.beta.imag();
    r.b_is_first = !by_rows;
    r.conjugates_first = c.transa == 'C';
    r.conjugates_second = c.transb == 'C';
  }
  small_kernel<T>::run(r);
  return true;
}

/// accurate_product_at_once of the call that `make` returns, with its most frequent case in the
/// caller. Each time it is made anew: one whose address another function sees would be in memory.
template <class Make>
[[gnu::always_inline]] inline bool accurate_product_in_place(const Make& make) noexcept {
  if (multiply_at_once(make())) return true;
  const auto c = make();
  return (c.m == 1 || c.n == 1) && accurate_product_at_once(c);
}

}  // namespace acc::blas

#endif
