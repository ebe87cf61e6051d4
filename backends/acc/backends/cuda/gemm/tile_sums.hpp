// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_TILE_SUMS_HPP
#define ACC_BACKENDS_CUDA_GEMM_TILE_SUMS_HPP

/// \file
/// What both kinds of tile share: the pipeline of a team's panels through stages in scratch memory,
/// and the chains and totals of a thread's entries.

#include <acc/backends/cuda/gemm/epilogue.hpp>
#include <acc/backends/cuda/gemm/panel_stage.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/gemm/problem.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// A team's warps and stages, as a tile's shape has them.
struct team_extents {
  int warps_m, warps_n, warp_tile_m, warp_tile_n, tile_k, stages;
  int smem_padding;  ///< bytes between k and k + 1 of a panel in a stage, besides its elements
  int vector_m = 1, vector_n = 1;  ///< see k_order
};

/// What follows from them for elements of type In; A and B: how the panels reach scratch memory.
template <class In, team_extents E, panel_access A, panel_access B>
struct tile_layout {
  static constexpr int warps_m = E.warps_m, threads = warp_size * E.warps_m * E.warps_n;
  static constexpr int warp_tile_m = E.warp_tile_m, warp_tile_n = E.warp_tile_n;
  static constexpr int tile_m = E.warps_m * E.warp_tile_m, tile_n = E.warps_n * E.warp_tile_n;
  static constexpr int tile_k = E.tile_k, stages = E.stages;
  static constexpr int padding = E.smem_padding / int(sizeof(In));
  static constexpr int a_smem_ld = tile_m + (A == panel_access::k_vectors ? 0 : padding);
  static constexpr int b_smem_ld = tile_n + (B == panel_access::k_vectors ? 0 : padding);
  static constexpr int vector_m = E.vector_m, vector_n = E.vector_n;
  static constexpr panel_access a_access = A, b_access = B;
};

/// A's rows as a panel.
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION panel_data<const typename Problem::in> rows_of(const Problem& p) {
  return {p.a.data, p.a.rows, p.a.columns, p.a.row_stride, p.a.column_stride, p.a.batch_stride};
}
/// B's columns as a panel.
template <class Problem>
KOKKOS_FORCEINLINE_FUNCTION panel_data<const typename Problem::in> columns_of(const Problem& p) {
  return {p.b.data, p.b.columns, p.b.rows, p.b.column_stride, p.b.row_stride, p.b.batch_stride};
}

/// The stages of a team's panels: a ring in scratch memory. While one is multiplied, the copies of
/// the next ones are under way.
template <class Problem, class Layout, class Ops>
class panel_pipeline {
 public:
  using in = typename Problem::in;
  static constexpr int a_size = Layout::tile_k * Layout::a_smem_ld;
  static constexpr int size = a_size + Layout::tile_k * Layout::b_smem_ld;
  static constexpr int bytes = Layout::stages * size * int(sizeof(in));

  KOKKOS_FORCEINLINE_FUNCTION panel_pipeline(int thread, void* scratch)
      : a_copies_(thread), b_copies_(thread), memory_(static_cast<in*>(scratch)) {}

  /// Begins the copies of the first stages.
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column) {
    a_copies_.begin(rows_of(p), first_row);
    b_copies_.begin(columns_of(p), first_column);
    at_ = 0;
    left_ = bounded(p.depth());
    ACC_UNROLL for (int s = 0; s < Layout::stages; ++s) { copy(memory_ + s * size); }
  }
  /// From the stage in use on there are `k` products of an entry.
  KOKKOS_FORCEINLINE_FUNCTION void set_remaining(std::int64_t k) {
    left_ = bounded(k - Layout::stages * Layout::tile_k);
  }
  /// Waits for the first stage.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void first(const Team& team) {
    Ops::template wait<Layout::stages - 1>();
    Ops::barrier(team);
  }
  /// Waits for the next stage. Begins the copies of a later one to the place of the last one, which
  /// all threads have in registers by now.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team) {
    Ops::template wait<Layout::stages - 2>();
    Ops::barrier(team);
    copy(memory_ + at_);
    at_ = at_ + size == Layout::stages * size ? 0 : at_ + size;
  }
  /// Waits for the copies of zeros after the last stage.
  KOKKOS_FORCEINLINE_FUNCTION void drain() const { Ops::template wait<0>(); }
  /// The panels of the stage in use.
  KOKKOS_FORCEINLINE_FUNCTION const in* a() const { return memory_ + at_; }
  KOKKOS_FORCEINLINE_FUNCTION const in* b() const { return a() + a_size; }

 private:
  template <panel_access Access, int TileMN, int Ld, int VectorMN>
  static auto choose_stage() {
    constexpr int tile_k = Layout::tile_k, threads = Layout::threads;
    if constexpr (Access == panel_access::elements)
      return std::type_identity<element_stage<Ops, in, TileMN, tile_k, Ld, threads>>{};
    else if constexpr (Access == panel_access::k_vectors)
      return std::type_identity<k_vector_stage<Ops, in, TileMN, tile_k, VectorMN, threads>>{};
    else
      return std::type_identity<mn_vector_stage<Ops, in, TileMN, tile_k, Ld, threads>>{};
  }
  template <panel_access Access, int TileMN, int Ld, int VectorMN>
  using stage = typename decltype(choose_stage<Access, TileMN, Ld, VectorMN>())::type;

  static KOKKOS_FORCEINLINE_FUNCTION int bounded(std::int64_t k) {
    constexpr std::int64_t bound = 1 << 30;
    return int(k < bound ? k : bound);
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy(in* to) {
    a_copies_.copy(to, left_);
    b_copies_.copy(to + a_size, left_);
    Ops::commit();
    left_ -= Layout::tile_k;
  }

  stage<Layout::a_access, Layout::tile_m, Layout::a_smem_ld, Layout::vector_m> a_copies_;
  stage<Layout::b_access, Layout::tile_n, Layout::b_smem_ld, Layout::vector_n> b_copies_;
  in* memory_;
  int at_ = 0;    ///< where the stage in use begins
  int left_ = 0;  ///< k from the next stage to be copied on
};

/// The totals of a thread's Entries entries. The last InSmem numbers of each total are in scratch
/// memory, in vectors of 16 bytes, the others in registers.
template <class Problem, int Entries, int Threads, int InSmem>
class entry_totals {
  using real = typename Problem::real;
  using totals = typename Problem::totals;
  static constexpr int kept = totals::components - InSmem;  ///< in registers
  static constexpr int vector = 16 / int(sizeof(real));
  static_assert(kept >= 0 && Entries % vector == 0);

 public:
  static constexpr int bytes = InSmem * Entries * Threads * int(sizeof(real));

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

/// The base of both kinds of tile: the pipeline of its panels, and the chains and totals of a
/// thread's Entries entries. The imaginary parts of complex entries follow all real parts.
template <class Problem, class Layout, class Ops, int Entries, int TotalsInSmem>
class tile_sums {
 public:
  using in = typename Problem::in;
  using real = typename Problem::real;
  using layout = Layout;
  static constexpr int parts = Problem::parts;
  using pipeline = panel_pipeline<Problem, Layout, Ops>;
  using totals = entry_totals<Problem, parts * Entries, Layout::threads, TotalsInSmem>;
  static constexpr int bytes = pipeline::bytes + totals::bytes;

  KOKKOS_FORCEINLINE_FUNCTION tile_sums(int thread, void* scratch)
      : panels_(thread, scratch), totals_(thread, static_cast<char*>(scratch) + pipeline::bytes) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column) {
    panels_.begin(p, first_row, first_column);
    totals_.begin();
    ACC_UNROLL for (auto& chain : chains_) { chain = {}; }
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_remaining(std::int64_t k) { panels_.set_remaining(k); }
  /// Ends a strip: closes the chains into the totals.
  KOKKOS_FORCEINLINE_FUNCTION void close() { totals_.close(chains_); }
  KOKKOS_FORCEINLINE_FUNCTION void drain() const { panels_.drain(); }

 protected:
  KOKKOS_FORCEINLINE_FUNCTION entry_sum<Problem> sum_of(int e) const {
    entry_sum<Problem> sum;
    ACC_UNROLL for (int p = 0; p < parts; ++p) {
      sum.chain[p] = chains_[p * Entries + e];
      sum.totals[p] = totals_.at(p * Entries + e);
    }
    return sum;
  }

  pipeline panels_;
  totals totals_;
  typename Problem::chain chains_[parts * Entries];
};

}  // namespace acc::backends::cuda

#endif
