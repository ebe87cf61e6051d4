// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_TILE_HPP
#define ACC_BACKENDS_CUDA_GEMM_TILE_HPP

/// \file
/// What the GPU's tiles of matrix products share: a team's way from piece to piece through a ring
/// of stages in scratch memory, and an entry's way to C.

#include <acc/backends/cuda/panel_stage.hpp>
#include <acc/backends/cuda/unroll.hpp>
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
  static constexpr bool any_strides = false;
};

/// A shape whose panels come number by number.
template <class Shape>
struct with_any_strides : Shape {
  static constexpr bool any_strides = true;
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
  template <int Width, int Step>
  using stage =
      std::conditional_t<Shape::any_strides,
                         scalar_stage<Ops, in, Width, Shape::piece, Step, Shape::threads>,
                         vector_stage<Ops, in, Width, Shape::piece, Step, Shape::threads>>;

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

  stage<Shape::rows, Shape::row_step> a_;
  stage<Shape::columns, Shape::column_step> b_;
  in* memory_;
  int at_ = 0;    ///< where the piece in use begins
  int left_ = 0;  ///< depths from the next piece to be copied on
};

/// N numbers of a panel, read at once.
template <class T, int N>
struct alignas(N * sizeof(T)) panel_vector {
  T x[N];
};

/// One real entry in the making.
template <class Problem>
struct entry_sum {
  typename Problem::chain chain;
  typename Problem::totals totals;
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
  KOKKOS_FORCEINLINE_FUNCTION void close(real (&chains)[Entries]) {
    ACC_UNROLL for (int e = 0; e < Entries; e += vector) {
      totals t[vector];
      get(e, t);
      ACC_UNROLL for (int i = 0; i < vector; ++i) {
        typename Problem::chain chain{chains[e + i]};
        t[i].close(chain);
        chains[e + i] = chain.sum;
      }
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
/// Entries entries.
template <class Problem, class Shape, class Ops, int Entries, int TotalsInScratch>
class tile_sums {
 public:
  using in = typename Problem::in;
  using real = typename Problem::real;
  using shape = Shape;
  using stages = tile_stages<Problem, Shape, Ops>;
  using totals = entry_totals<Problem, Entries, Shape::threads, TotalsInScratch>;
  static constexpr int bytes = stages::bytes + totals::bytes;

  KOKKOS_FORCEINLINE_FUNCTION tile_sums(int thread, void* scratch)
      : stages_(thread, scratch), totals_(thread, static_cast<char*>(scratch) + stages::bytes) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column) {
    stages_.begin(p, first_row, first_column);
    totals_.begin();
    ACC_UNROLL for (real& chain : chains_) { chain = 0; }
  }
  KOKKOS_FORCEINLINE_FUNCTION void look_ahead(std::int64_t depth) { stages_.look_ahead(depth); }
  KOKKOS_FORCEINLINE_FUNCTION void close() { totals_.close(chains_); }
  KOKKOS_FORCEINLINE_FUNCTION void end() const { stages_.end(); }

 protected:
  KOKKOS_FORCEINLINE_FUNCTION entry_sum<Problem> sum_of(int e) const {
    return {{chains_[e]}, totals_.at(e)};
  }

  stages stages_;
  totals totals_;
  real chains_[Entries];
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
  ACC_UNROLL for (int r = 0; r < Run; ++r) {
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
      ACC_UNROLL for (int r = 0; r < Run; ++r) { v.x[r] = value[r]; }
      *reinterpret_cast<vector*>(&p.c(i, j)) = v;
      return;
    }
  }
  ACC_UNROLL for (int r = 0; r < Run; ++r) {
    if (i + r < p.c.rows) p.c(i + r, j) = value[r];
  }
}

}  // namespace acc::backends

#endif
