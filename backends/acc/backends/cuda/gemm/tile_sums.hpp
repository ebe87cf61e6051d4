// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_TILE_SUMS_HPP
#define ACC_BACKENDS_CUDA_GEMM_TILE_SUMS_HPP

/// \file
/// What the GPU's tiles of matrix products share: a team's way from piece to piece through a ring
/// of stages in scratch memory, and the chains and totals of its entries.

#include <acc/backends/cuda/gemm/k_contiguous_panel.hpp>
#include <acc/backends/cuda/gemm/epilogue.hpp>
#include <acc/backends/cuda/gemm/panel_stage.hpp>
#include <acc/backends/cuda/unroll.hpp>
#include <acc/core/gemm/problem.hpp>

#include <Kokkos_Core.hpp>

namespace acc::backends::cuda {

/// A team of WarpsDown x WarpsAcross warps, each with a tile of WarpRows x WarpColumns; Padding
/// bytes between the depths of a panel in scratch memory.
template <class In, int WarpsDown, int WarpsAcross, int WarpRows, int WarpColumns, int Padding,
          int Piece, int Stages>
struct team_shape {
  static constexpr int warps_down = WarpsDown, threads = 32 * WarpsDown * WarpsAcross;
  static constexpr int warp_rows = WarpRows, warp_columns = WarpColumns;
  static constexpr int rows = WarpsDown * WarpRows, columns = WarpsAcross * WarpColumns;
  static constexpr int row_step = rows + Padding / int(sizeof(In));
  static constexpr int column_step = columns + Padding / int(sizeof(In));
  static constexpr int piece = Piece, stages = Stages;
  static constexpr int row_run = 1, column_run = 1;  ///< see deep_order
  static constexpr bool any_strides = false;
  static constexpr bool deep_rows = false, deep_columns = false;
};

/// A shape whose panels come number by number.
template <class Shape>
struct with_any_strides : Shape {
  static constexpr bool any_strides = true;
};

/// A shape whose rows, columns or both come in vectors of depths.
template <class Shape, bool Rows, bool Columns>
struct with_deep_panels : Shape {
  static constexpr bool deep_rows = Rows, deep_columns = Columns;
  static constexpr int row_step = Rows ? Shape::rows : Shape::row_step;
  static constexpr int column_step = Columns ? Shape::columns : Shape::column_step;
};

/// A's rows and B's columns as panels.
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION panel_data<const typename Problem::in> rows_of(const Problem& p) {
  return {p.a.data, p.a.rows, p.a.columns, p.a.row_stride, p.a.column_stride, p.a.batch_stride};
}
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION panel_data<const typename Problem::in> columns_of(const Problem& p) {
  return {p.b.data, p.b.columns, p.b.rows, p.b.column_stride, p.b.row_stride, p.b.batch_stride};
}

/// The stages of a team's panels.
template <class Problem, class Shape, class Ops>
class tile_stages {
 public:
  using in = typename Problem::in;
  static constexpr int a_size = Shape::piece * Shape::row_step;
  static constexpr int size = a_size + Shape::piece * Shape::column_step;
  static constexpr int bytes = Shape::stages * size * int(sizeof(in));

  KOKKOS_FORCEINLINE_FUNCTION tile_stages(int thread, void* scratch)
      : a_(thread), b_(thread), memory_(static_cast<in*>(scratch)) {}

  /// Begins the copies of the first pieces.
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column) {
    a_.begin(rows_of(p), first_row);
    b_.begin(columns_of(p), first_column);
    at_ = 0;
    left_ = bounded(p.depth());
    ACC_UNROLL for (int s = 0; s < Shape::stages; ++s) { copy(memory_ + s * size); }
  }
  /// Says how deep the product is from the piece in use on.
  KOKKOS_FORCEINLINE_FUNCTION void look_ahead(std::int64_t depth) {
    left_ = bounded(depth - Shape::stages * Shape::piece);
  }
  /// Waits for the first piece.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void first(const Team& team) {
    Ops::template wait<Shape::stages - 1>();
    Ops::barrier(team);
  }
  /// Waits for the next piece, and begins the copies of a later one where the last one was, which
  /// all threads have in registers by now.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team) {
    Ops::template wait<Shape::stages - 2>();
    Ops::barrier(team);
    copy(memory_ + at_);
    at_ = at_ + size == Shape::stages * size ? 0 : at_ + size;
  }
  /// Waits for the copies of zeros after the last piece.
  KOKKOS_FORCEINLINE_FUNCTION void end() const { Ops::template wait<0>(); }
  KOKKOS_FORCEINLINE_FUNCTION const in* a_piece() const { return memory_ + at_; }
  KOKKOS_FORCEINLINE_FUNCTION const in* b_piece() const { return a_piece() + a_size; }

 private:
  template <int Width, int Step, bool Deep, int Run>
  static auto choose_stage() {
    constexpr int piece = Shape::piece, threads = Shape::threads;
    if constexpr (Shape::any_strides)
      return std::type_identity<scalar_stage<Ops, in, Width, piece, Step, threads>>{};
    else if constexpr (Deep)
      return std::type_identity<deep_stage<Ops, in, Width, piece, Run, threads>>{};
    else
      return std::type_identity<vector_stage<Ops, in, Width, piece, Step, threads>>{};
  }
  template <int Width, int Step, bool Deep, int Run>
  using stage = typename decltype(choose_stage<Width, Step, Deep, Run>())::type;

  static KOKKOS_FORCEINLINE_FUNCTION int bounded(std::int64_t depth) {
    constexpr std::int64_t most = 1 << 30;
    return int(depth < most ? depth : most);
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy(in* to) {
    a_.copy(to, left_);
    b_.copy(to + a_size, left_);
    Ops::commit();
    left_ -= Shape::piece;
  }

  stage<Shape::rows, Shape::row_step, Shape::deep_rows, Shape::row_run> a_;
  stage<Shape::columns, Shape::column_step, Shape::deep_columns, Shape::column_run> b_;
  in* memory_;
  int at_ = 0;    ///< where the piece in use begins
  int left_ = 0;  ///< depths from the next piece to be copied on
};

/// The totals of a thread's Entries entries. Of each total the last InScratch numbers lie in team
/// scratch memory, in vectors of 16 bytes, the others in registers.
template <class Problem, int Entries, int Threads, int InScratch>
class entry_totals {
  using real = typename Problem::real;
  using totals = typename Problem::totals;
  static constexpr int kept = totals::components - InScratch;
  static constexpr int vector = 16 / int(sizeof(real));
  static_assert(kept >= 0 && Entries % vector == 0);

 public:
  static constexpr int bytes = InScratch * Entries * Threads * int(sizeof(real));

  KOKKOS_FORCEINLINE_FUNCTION entry_totals(int thread, void* scratch)
      : memory_(static_cast<panel_vector<real, vector>*>(scratch) + thread) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin() {
    ACC_UNROLL for (int e = 0; e < Entries; e += vector) {
      totals t[vector];
      put(e, t);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void close(typename Problem::chain (&chains)[Entries]) {
    ACC_UNROLL for (int e = 0; e < Entries; e += vector) {
      totals t[vector];
      get(e, t);
      ACC_UNROLL for (int i = 0; i < vector; ++i) { t[i].close(chains[e + i]); }
      put(e, t);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION totals at(int e) const {
    totals t[vector];
    get(e / vector * vector, t);
    return t[e % vector];
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void get(int e, totals (&t)[vector]) const {
    if constexpr (totals::components > 0) {
      ACC_UNROLL for (int k = 0; k < totals::components; ++k) {
        if (k < kept) {
          ACC_UNROLL for (int i = 0; i < vector; ++i) { t[i].component(k) = kept_[k][e + i]; }
        } else {
          const auto v = memory_[((k - kept) * Entries + e) / vector * Threads];
          ACC_UNROLL for (int i = 0; i < vector; ++i) { t[i].component(k) = v.x[i]; }
        }
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int e, totals (&t)[vector]) {
    if constexpr (totals::components > 0) {
      ACC_UNROLL for (int k = 0; k < totals::components; ++k) {
        if (k < kept) {
          ACC_UNROLL for (int i = 0; i < vector; ++i) { kept_[k][e + i] = t[i].component(k); }
        } else {
          panel_vector<real, vector> v;
          ACC_UNROLL for (int i = 0; i < vector; ++i) { v.x[i] = t[i].component(k); }
          memory_[((k - kept) * Entries + e) / vector * Threads] = v;
        }
      }
    }
  }

  panel_vector<real, vector>* memory_;
  real kept_[kept > 0 ? kept : 1][Entries];
};

/// What tiles have in common: the stages of their panels, and the chains and totals of a thread's
/// Entries entries, the imaginary parts of complex ones after all real parts.
template <class Problem, class Shape, class Ops, int Entries, int TotalsInScratch>
class tile_sums {
 public:
  using in = typename Problem::in;
  using real = typename Problem::real;
  using shape = Shape;
  static constexpr int parts = Problem::parts;
  using stages = tile_stages<Problem, Shape, Ops>;
  using totals = entry_totals<Problem, parts * Entries, Shape::threads, TotalsInScratch>;
  static constexpr int bytes = stages::bytes + totals::bytes;

  KOKKOS_FORCEINLINE_FUNCTION tile_sums(int thread, void* scratch)
      : stages_(thread, scratch), totals_(thread, static_cast<char*>(scratch) + stages::bytes) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column) {
    stages_.begin(p, first_row, first_column);
    totals_.begin();
    ACC_UNROLL for (auto& chain : chains_) { chain = {}; }
  }
  KOKKOS_FORCEINLINE_FUNCTION void look_ahead(std::int64_t depth) { stages_.look_ahead(depth); }
  KOKKOS_FORCEINLINE_FUNCTION void close() { totals_.close(chains_); }
  KOKKOS_FORCEINLINE_FUNCTION void end() const { stages_.end(); }

 protected:
  KOKKOS_FORCEINLINE_FUNCTION entry_sum<Problem> sum_of(int e) const {
    entry_sum<Problem> sum;
    ACC_UNROLL for (int p = 0; p < parts; ++p) {
      sum.chain[p] = chains_[p * Entries + e];
      sum.totals[p] = totals_.at(p * Entries + e);
    }
    return sum;
  }

  stages stages_;
  totals totals_;
  typename Problem::chain chains_[parts * Entries];
};

}  // namespace acc::backends::cuda

#endif
