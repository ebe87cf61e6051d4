// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_EPILOGUE_HPP
#define ACC_BACKENDS_CUDA_GEMM_EPILOGUE_HPP

/// \file
/// The epilogue: from a thread's sums to entries of C. core/gemm/entry.hpp decides their bits.

#include <acc/backends/cuda/warp.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/problem.hpp>

#include <Kokkos_Core.hpp>

namespace acc::backends::cuda {

using impl::entry_sum;
using impl::entry_value;
using impl::parts_of;

/// Scales N entries of one column, rows [i, i + N), and writes them. aligned: 16 bytes at once, if
/// N entries are 16 bytes.
template <int N, class Problem>
KOKKOS_FORCEINLINE_FUNCTION void write_entries(const Problem& p, bool aligned, std::int64_t i,
                                               std::int64_t j,
                                               const entry_sum<Problem> (&sums)[N]) {
  using out = typename Problem::out;
  if (j >= p.c.columns) return;
  const bool reads_c = p.reads_c();
  out* const at = &p.c(i, j);
  const std::int64_t step = p.c.row_stride;
  out value[N];
  ACC_UNROLL for (int r = 0; r < N; ++r) {
    const bool inside = i + r < p.c.rows;
    entry_value<Problem> c{};
    if (reads_c && inside) c = parts_of<Problem>(at[r * step]);
    value[r] = impl::as_scalar(impl::entry_of(p, i + r, j, sums[r], c, inside));
  }
  if constexpr (N * sizeof(out) == 16) {
    if (aligned && i + N <= p.c.rows) {
      struct alignas(16) vector {
        out x[N];
      } v;
      ACC_UNROLL for (int r = 0; r < N; ++r) { v.x[r] = value[r]; }
      *reinterpret_cast<vector*>(at) = v;
      return;
    }
  }
  ACC_UNROLL for (int r = 0; r < N; ++r) {
    if (i + r < p.c.rows) at[r * step] = value[r];
  }
}

}  // namespace acc::backends::cuda

#endif
