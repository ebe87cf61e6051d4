// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_SIMT_TILE_HPP
#define ACC_BACKENDS_CUDA_GEMM_SIMT_TILE_HPP

/// \file
/// Tiles by FMA instructions. A thread keeps thread_m x thread_n entries in registers. A warp is
/// 8 x 4 threads; its rows and columns belong to them in turn: as many at a time as are 16 bytes of
/// a panel, or one at a time if the panel comes along k.

#include <acc/backends/cuda/gemm/tile_sums.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/numbers/complex_product.hpp>

#include <cstdint>

namespace acc::backends::cuda {

/// How a thread of a warp reads a panel of a stage: Count elements along mn, which it and Lanes - 1
/// other threads have in turn.
template <class In, int Count, int Lanes, int Ld, panel_access Access>
class simt_panel {
  static constexpr bool along_k = Access == panel_access::k_vectors;
  static constexpr int of_16_bytes = 16 / int(sizeof(In));

 public:
  /// Elements along mn that are adjacent.
  static constexpr int vector = along_k ? 1 : Count < of_16_bytes ? Count : of_16_bytes;
  static_assert(Count % vector == 0);
  static_assert(!along_k || Ld / of_16_bytes % 2 == 1);  // see padded_k_order

  /// For K steps of k.
  template <int K>
  struct fragment {
    static constexpr int side = along_k ? K : vector;
    panel_vector<In, side> x[K * Count / side];

    KOKKOS_FORCEINLINE_FUNCTION const In& at(int k, int i) const {
      return along_k ? x[i].x[k] : x[k * (Count / side) + i / side].x[i % side];
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION simt_panel(int first_mn, int lane)
      : first(first_mn + lane * vector), at_(along_k ? first * Ld : first) {}

  /// K steps from k on, a multiple of K.
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION fragment<K> read(const In* stage, int k) const {
    fragment<K> f;
    using side = panel_vector<In, fragment<K>::side>;
    const In* const from = stage + at_ + k * (along_k ? 1 : Ld);
    constexpr int outer = along_k ? 1 : K, inner = Count / vector;
    ACC_UNROLL for (int o = 0; o < outer; ++o) {
      ACC_UNROLL for (int i = 0; i < inner; ++i) {
        f.x[o * inner + i] =
            *reinterpret_cast<const side*>(from + o * Ld + i * Lanes * (along_k ? Ld : vector));
      }
    }
    return f;
  }
  /// Of this thread's element i, from its first on.
  static KOKKOS_FORCEINLINE_FUNCTION int offset(int i) {
    return i / vector * Lanes * vector + i % vector;
  }

  int first;  ///< this thread's first element of the tile

 private:
  int at_;
};

/// Panels are padded by 16 bytes, so that the elements that element_stage writes at once are in
/// different banks, and the vectors along k that a warp reads at once.
template <tuning::simt_tile_shape Shape>
inline constexpr team_extents simt_extents = {.warps_m = Shape.warps_m,
                                              .warps_n = Shape.warps_n,
                                              .warp_tile_m = 8 * Shape.thread_m,
                                              .warp_tile_n = 4 * Shape.thread_n,
                                              .tile_k = Shape.tile_k,
                                              .stages = Shape.stages,
                                              .smem_padding = 16,
                                              .pads_k = true};

template <class Problem, tuning::simt_tile_shape Shape, panel_access A, panel_access B, class Ops>
using simt_sums = tile_sums<Problem, tile_layout<typename Problem::in, simt_extents<Shape>, A, B>,
                            Ops, Shape.thread_m * Shape.thread_n, Shape.totals_in_smem, Shape.sums,
                            Shape.sums != tuning::sums_in::smem>;

/// A, B: how the panels reach scratch memory.
template <class Problem, tuning::simt_tile_shape Shape, panel_access A, panel_access B, class Ops>
class simt_tile : public simt_sums<Problem, Shape, A, B, Ops> {
  using base = simt_sums<Problem, Shape, A, B, Ops>;
  using base::chains_;
  using base::panels_;
  using base::parts;
  using typename base::in;
  using typename base::real;
  static constexpr int thread_m = Shape.thread_m, thread_n = Shape.thread_n;

 public:
  using typename base::layout;
  /// Otherwise operands that are to be conjugated are packed.
  static constexpr bool conjugates = A != panel_access::mn_vectors || B != panel_access::mn_vectors;
  static constexpr int teams_per_sm = Shape.teams_per_sm;
  /// Additions and products share a pipe.
  static constexpr bool closes_late = false;
  /// The same tile with panels that reach scratch memory in other ways.
  template <panel_access OtherA, panel_access OtherB>
  using with_access = simt_tile<Problem, Shape, OtherA, OtherB, Ops>;

  /// Threads two by two, so that a quarter of a warp reads few different numbers of either panel.
  KOKKOS_FORCEINLINE_FUNCTION simt_tile(int thread, void* scratch)
      : base(thread, scratch),
        rows_(thread / 32 % layout::warps_m * layout::warp_tile_m, thread / 2 % 8),
        columns_(thread / 32 / layout::warps_m * layout::warp_tile_n,
                 thread % 2 + thread / 16 % 2 * 2) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column, std::int64_t first_k,
                                         std::int64_t end_k) {
    base::begin(p, first_row, first_column, first_k, end_k);
    a_sign_ = p.a.conjugate ? real(-1) : real(1);
    b_sign_ = p.b.conjugate ? real(-1) : real(1);
  }
  /// Waits for the first stage.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void first_stage(const Team& team) {
    panels_.first(team);
    now_ = read<step>(0);
  }
  /// Leaves a stage whose last products multiply_some took.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void next_stage(const Team& team) {
    panels_.advance(team);
    now_ = read<step>(0);
  }
  /// Multiplies all of the stage, and goes on to the next: the first elements of the next stage are
  /// read before the last of this one are multiplied.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_stage(const Team& team) {
    ACC_UNROLL_BY(unrolled_k) for (int k = step; k <= layout::tile_k; k += step) {
      if (k == layout::tile_k) panels_.advance(team);
      const fragments<step> next = read<step>(k % layout::tile_k);
      multiply(now_);
      now_ = next;
    }
  }
  /// Multiplies k in [first, end) of the stage.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_some(int first, int end) {
    ACC_NO_UNROLL for (int k = first; k < end; ++k) { multiply(read<1>(k)); }
  }

  /// Group n vectors + v: vector v of the thread's column n.
  KOKKOS_FORCEINLINE_FUNCTION void write(const Problem& p, const entry_sink<Problem>& sink,
                                         std::int64_t first_row, std::int64_t first_column) const {
    constexpr int vector = a_panel::vector, vectors = thread_m / vector;
    const auto entry = [](int g, int r) { return g * vector + r; };
    const auto place = [&](int g) {
      return entry_place{first_row + rows_.first + a_panel::offset(g % vectors * vector),
                         first_column + columns_.first + b_panel::offset(g / vectors)};
    };
    this->template write_groups<vector>(p, sink, entry, place);
  }

 private:
  static constexpr int unrolled_k =
      Problem::chain::components == 1 ? layout::tile_k : tuning::compensated_unrolled_k;
  using a_panel = simt_panel<in, thread_m, 8, layout::a_smem_ld, A>;
  using b_panel = simt_panel<in, thread_n, 4, layout::b_smem_ld, B>;
  /// k that are read at once.
  static constexpr bool along_k = A == panel_access::k_vectors || B == panel_access::k_vectors;
  static constexpr int step = along_k ? 16 / int(sizeof(in)) : 1;

  /// A thread's elements of A's rows and B's columns for K steps of k.
  template <int K>
  struct fragments {
    typename a_panel::template fragment<K> a;
    typename b_panel::template fragment<K> b;
  };

  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION fragments<K> read(int k) const {
    return {rows_.template read<K>(panels_.a(), k), columns_.template read<K>(panels_.b(), k)};
  }

  /// Down one column and up the next: two consecutive instructions share an operand.
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const fragments<K>& f) {
    ACC_UNROLL for (int k = 0; k < K; ++k) {
      ACC_UNROLL for (int n = 0; n < thread_n; ++n) {
        ACC_UNROLL for (int i = 0; i < thread_m; ++i) {
          const int m = n % 2 == 0 ? i : thread_m - 1 - i;
          multiply(n * thread_m + m, f.a.at(k, m), f.b.at(k, n));
        }
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(int e, const in& a, const in& b) {
    if constexpr (parts == 1) {
      chains_[e].add_product(real(a), real(b));
    } else {
      const real x[2] = {real(a.real()), conjugated(a.imag(), a_sign_)};
      const real y[2] = {real(b.real()), conjugated(b.imag(), b_sign_)};
      impl::add_complex_product(chains_[e], chains_[thread_m * thread_n + e], x, y);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static real conjugated(real imag, real sign) {
    return conjugates ? sign * imag : imag;
  }

  a_panel rows_;
  b_panel columns_;
  real a_sign_ = 1, b_sign_ = 1;  ///< of imaginary parts
  fragments<step> now_;
};

}  // namespace acc::backends::cuda

#endif
