// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_TILE_HPP
#define ACC_BACKENDS_CUDA_GEMM_TILE_HPP

/// \file
/// What the GPU's tiles of matrix products share: a team's way from piece to piece through a ring
/// of stages in scratch memory, and an entry's way to C.

#include <acc/backends/cuda/panel_stage.hpp>
#include <acc/core/gemm_problem.hpp>

#include <Kokkos_Core.hpp>

namespace acc::backends {

/// The entry (i, j) by plain, for the rare one that its own method makes NaN. The problem is a
/// copy: the address of a caller's would keep its tile in memory.
template <class Problem>
ACC_COLD_FUNCTION typename Problem::real plain_entry(Problem p, std::int64_t i, std::int64_t j,
                                                     typename Problem::real c) {
  using real = typename Problem::real;
  impl::fma_chain<real> chain;
  for (std::int64_t k = 0; k < p.depth(); ++k) chain.add_product(real(p.a(i, k)), real(p.b(k, j)));
  const impl::entry_part<real> part{chain.sum, real(0), c};
  return impl::scaled<false, 1>(p.scale, part, part, real(1));
}

/// Shape: rows, columns, piece, stages, threads of a team's tile, and row_step, column_step: the
/// distance of depths in scratch memory.
template <class Problem, class Shape, class Ops>
struct tile_stages {
  using in = typename Problem::in;
  using a_stage = panel_stage<Ops, in, Shape::rows, Shape::piece, Shape::row_step, Shape::threads>;
  using b_stage =
      panel_stage<Ops, in, Shape::columns, Shape::piece, Shape::column_step, Shape::threads>;
  static constexpr int a_size = Shape::piece * Shape::row_step;
  static constexpr int size = a_size + Shape::piece * Shape::column_step;
  static constexpr int bytes = Shape::stages * size * int(sizeof(in));

  a_stage a;
  b_stage b;
  in* memory;
  int slot = 0;

  KOKKOS_FORCEINLINE_FUNCTION tile_stages(panel_route a_route, panel_route b_route, int thread,
                                          void* scratch)
      : a(a_route, thread), b(b_route, thread), memory(static_cast<in*>(scratch)) {}

  /// Begins the copies of the first pieces.
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column) {
    a.begin(p.a.data, p.a.row_stride, p.a.column_stride, first_row, p.c.rows, p.depth());
    b.begin(p.b.data, p.b.column_stride, p.b.row_stride, first_column, p.c.columns, p.depth());
    slot = Shape::stages - 1;
#pragma unroll
    for (int s = 0; s < Shape::stages - 1; ++s) copy(s);
  }
  /// Waits for the next piece, and begins the copies of the one `stages` - 1 after it, where the
  /// one before it was.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team) {
    Ops::template wait<Shape::stages - 2>();
    team.team_barrier();
    copy(slot);
    slot = slot + 1 == Shape::stages ? 0 : slot + 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION const in* a_piece() const { return memory + slot * size; }
  KOKKOS_FORCEINLINE_FUNCTION const in* b_piece() const { return a_piece() + a_size; }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void copy(int to) {
    a.copy(memory + to * size);
    b.copy(memory + to * size + a_size);
    Ops::commit();
  }
};

/// One real entry in the making.
template <class Problem>
struct entry_sum {
  typename Problem::chain chain;
  typename Problem::totals totals;
};

/// Scales Run entries of one column, rows [i, i + Run), and writes them.
template <int Run, class Problem>
KOKKOS_FORCEINLINE_FUNCTION void write_run(const Problem& p, bool aligned, std::int64_t i,
                                           std::int64_t j, const entry_sum<Problem> (&sums)[Run]) {
  using real = typename Problem::real;
  using out = typename Problem::out;
  if (j >= p.c.columns) return;
  const bool reads_c = p.reads_c();
  out value[Run];
#pragma unroll
  for (int r = 0; r < Run; ++r) {
    const bool inside = i + r < p.c.rows;
    const real c = reads_c && inside ? real(p.c(i + r, j)) : real(0);
    const auto& s = sums[r];
    const impl::entry_part<real> part{s.totals.high(s.chain), s.totals.low(s.chain), c};
    real v = impl::scaled<Problem::has_low, 1>(p.scale, part, part, real(1));
    if constexpr (Problem::has_low)
      if (v != v && inside) v = plain_entry(p, i + r, j, c);
    value[r] = impl::as_result<out>(v);
  }
  if constexpr (Run * sizeof(out) == 16) {
    if (aligned && i + Run <= p.c.rows) {
      struct alignas(16) vector {
        out x[Run];
      } v;
#pragma unroll
      for (int r = 0; r < Run; ++r) v.x[r] = value[r];
      *reinterpret_cast<vector*>(&p.c(i, j)) = v;
      return;
    }
  }
#pragma unroll
  for (int r = 0; r < Run; ++r)
    if (i + r < p.c.rows) p.c(i + r, j) = value[r];
}

/// Whether runs that begin at a multiple of 16 bytes of a column may be written at once.
template <class T>
bool has_aligned_columns(const impl::matrix_data<T>& c) {
  return panel_route_of(c.data, c.row_stride, c.column_stride, c.batch_stride) ==
         panel_route::vectors;
}

}  // namespace acc::backends

#endif
