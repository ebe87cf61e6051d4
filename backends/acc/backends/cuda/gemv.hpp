// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMV_HPP
#define ACC_BACKENDS_CUDA_GEMV_HPP

/// \file
/// Products with one column on NVIDIA GPUs. gemv_rows (gemm/gemv_rows.hpp) has those of acc::gemv
/// with many short rows that are neighbors in memory, gemv_tiles (gemm/gemv_tiles.hpp) all others.
/// A reaches the warps of gemv_tiles in one of three ways:
///
///   A's elements are contiguous        access
///   along k, rows aligned              k_vectors: 16 bytes at a time
///   along its rows, columns aligned    mn_vectors: the same
///   otherwise                          elements, one at a time

#include <acc/backends/cuda/gemm/gemv_rows.hpp>
#include <acc/backends/cuda/gemm/gemv_tiles.hpp>
#include <acc/backends/cuda/gemm/ptx.hpp>
#include <acc/backends/cuda/tuning.hpp>

#include <cstdint>

namespace acc::backends::cuda {

/// Whether C is one column or, of real numbers, one row.
template <class Problem>
bool is_gemv(const Problem& p) {
  return p.c.columns == 1 || (Problem::parts == 1 && p.c.rows == 1);
}

/// Calls f with the tiles of p for `sms` multiprocessors. has_short: also with those for short k
/// (acc::gemv), each of which is one more kernel to compile.
template <bool has_short = true, class Ops = cuda_ops, class Problem, class F>
auto with_cuda_gemv_tiles(Problem p, std::int64_t sms, const F& f) {
  using enum panel_access;
  if constexpr (Problem::parts == 1)
    if (p.c.columns != 1) p = p.transposed();
  if (!p.reads_products()) p.a.columns = p.b.rows = 0;
  if constexpr (has_short)
    if (gemv_rows<Problem, Ops>::serves(p, sms)) return f(gemv_rows<Problem, Ops>(p));
  const auto with = [&]<panel_access Access>() {
    constexpr bool compensated = Problem::chain::components == 2;
    constexpr auto shapes =
        tuning::gemv_shapes_of(Access == k_vectors, compensated, int(sizeof(typename Problem::in)));
    if constexpr (has_short && Access != elements)
      if (p.sections() <= 1) return f(gemv_tiles<Problem, Access, shapes.short_k, Ops>(p, sms));
    return f(gemv_tiles<Problem, Access, shapes.long_k, Ops>(p, sms));
  };
  const auto& a = p.a;
  if (is_16_byte_vectorizable(a.data, a.column_stride, a.row_stride, a.batch_stride))
    return with.template operator()<k_vectors>();
  if (is_16_byte_vectorizable(a.data, a.row_stride, a.column_stride, a.batch_stride))
    return with.template operator()<mn_vectors>();
  return with.template operator()<elements>();
}

/// Calls f with the tiles of p, for which is_gemv.
template <bool has_short = true, class Exec, class Problem, class F>
auto with_gemv_tiles(const Exec& exec, const Problem& p, const F& f) {
  return with_cuda_gemv_tiles<has_short>(p, exec.cuda_device_prop().multiProcessorCount, f);
}

}  // namespace acc::backends::cuda

#endif
