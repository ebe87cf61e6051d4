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

/// Where a team's entries go.
template <class Problem>
struct entry_sink {
  bool aligned;  ///< 16 bytes of C's columns can be written at once
  /// Of a divided product: where its sums of this section and batch begin, by columns; else null.
  entry_sum<Problem>* sums;
};

/// The first entry of some in a column.
struct entry_place {
  std::int64_t i, j;
};

/// Scales N entries of one column, rows [i, i + N), and writes them; of a divided product it writes
/// their sums.
template <int N, class Problem>
KOKKOS_FORCEINLINE_FUNCTION void write_entries(const Problem& p, const entry_sink<Problem>& sink,
                                               std::int64_t i, std::int64_t j,
                                               const entry_sum<Problem> (&sums)[N]) {
  using out = typename Problem::out;
  if (j >= p.c.columns) return;
  if (sink.sums != nullptr) {
    ACC_UNROLL for (int r = 0; r < N; ++r) {
      if (i + r < p.c.rows) sink.sums[j * p.c.rows + i + r] = sums[r];
    }
    return;
  }
  const bool reads_c = p.reads_c();
  out* const at = &p.c(i, j);
  const std::int64_t step = p.c.row_stride;
  out value[N];
  ACC_UNROLL for (int r = 0; r < N; ++r) {
    const bool inside = i + r < p.c.rows;
    entry_value<Problem> c{};
    if (reads_c && inside) c = parts_of<Problem>(at[r * step]);
    value[r] = impl::as_scalar<Problem>(impl::entry_of(p, i + r, j, sums[r], c, inside));
  }
  if constexpr (N * sizeof(out) == 16) {
    if (sink.aligned && i + N <= p.c.rows) {
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
