// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_SIMT_TILE_HPP
#define ACC_BACKENDS_CUDA_GEMM_SIMT_TILE_HPP

/// \file
/// Tiles by FMA instructions. A thread keeps thread_m x thread_n entries in registers, in squares
/// whose side is 16 bytes of a panel, or less if it has less. A warp is 8 x 4 threads; its squares
/// belong to them in turn.

#include <acc/backends/cuda/gemm/tile_sums.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/numbers/complex_product.hpp>

#include <cstdint>

namespace acc::backends::cuda {

/// Panels are padded by 16 bytes, so that the elements that element_stage writes at once are in
/// different banks.
template <tuning::simt_tile_shape Shape>
inline constexpr team_extents simt_extents = {.warps_m = Shape.warps_m,
                                              .warps_n = Shape.warps_n,
                                              .warp_tile_m = 8 * Shape.thread_m,
                                              .warp_tile_n = 4 * Shape.thread_n,
                                              .tile_k = Shape.tile_k,
                                              .stages = Shape.stages,
                                              .smem_padding = 16};

template <class Problem, tuning::simt_tile_shape Shape, panel_access Access, class Ops>
using simt_sums =
    tile_sums<Problem, tile_layout<typename Problem::in, simt_extents<Shape>, Access, Access>, Ops,
              Shape.thread_m * Shape.thread_n, Shape.totals_in_smem, Shape.sums,
              Shape.sums != tuning::sums_in::smem>;

/// Access: how both panels reach scratch memory.
template <class Problem, tuning::simt_tile_shape Shape, panel_access Access, class Ops>
class simt_tile : public simt_sums<Problem, Shape, Access, Ops> {
  using base = simt_sums<Problem, Shape, Access, Ops>;
  using base::chains_;
  using base::panels_;
  using base::parts;
  using typename base::in;
  using typename base::real;
  static constexpr int thread_m = Shape.thread_m, thread_n = Shape.thread_n;
  /// Elements that a thread reads at once: 16 bytes, or fewer if it has fewer.
  static constexpr int vector = 16 / int(sizeof(in));
  static constexpr int vector_m = thread_m < vector ? thread_m : vector,
                       vector_n = thread_n < vector ? thread_n : vector;
  static_assert(thread_m % vector_m == 0 && thread_n % vector_n == 0);

 public:
  using typename base::layout;
  /// Otherwise operands that are to be conjugated are packed.
  static constexpr bool conjugates = Access == panel_access::elements;
  static constexpr int teams_per_sm = Shape.teams_per_sm;
  static constexpr bool reads_k_vectors = false;
  /// Additions and products share a pipe.
  static constexpr bool closes_late = false;

  /// Threads two by two, so that a quarter of a warp reads few different numbers of either panel.
  KOKKOS_FORCEINLINE_FUNCTION simt_tile(int thread, void* scratch)
      : base(thread, scratch),
        row_(thread / 32 % layout::warps_m * layout::warp_tile_m + thread / 2 % 8 * vector_m),
        column_(thread / 32 / layout::warps_m * layout::warp_tile_n +
                (thread % 2 + thread / 16 % 2 * 2) * vector_n) {}

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
    now_ = read(0);
  }
  /// Leaves a stage whose last products multiply_some took.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void next_stage(const Team& team) {
    panels_.advance(team);
    now_ = read(0);
  }
  /// Multiplies all of the stage, and goes on to the next: the first elements of the next stage are
  /// read before the last of this one are multiplied.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_stage(const Team& team) {
    ACC_UNROLL_BY(unrolled_k) for (int k = 1; k <= layout::tile_k; ++k) {
      if (k == layout::tile_k) panels_.advance(team);
      const fragments next = read(k % layout::tile_k);
      multiply(now_);
      now_ = next;
    }
  }
  /// Multiplies k in [first, end) of the stage.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_some(int first, int end) {
    ACC_NO_UNROLL for (int k = first; k < end; ++k) { multiply(read(k)); }
  }

  /// Group n thread_m / vector_m + v: vector v of the thread's column n.
  KOKKOS_FORCEINLINE_FUNCTION void write(const Problem& p, const entry_sink<Problem>& sink,
                                         std::int64_t first_row, std::int64_t first_column) const {
    constexpr int vectors = thread_m / vector_m;
    const auto entry = [](int g, int r) { return g * vector_m + r; };
    const auto place = [&](int g) {
      const int n = g / vectors;
      return entry_place{first_row + row_ + g % vectors * vector_m * 8,
                         first_column + column_ + n / vector_n * 4 * vector_n + n % vector_n};
    };
    this->template write_groups<vector_m>(p, sink, entry, place);
  }

 private:
  static constexpr int unrolled_k =
      Problem::chain::components == 1 ? layout::tile_k : tuning::compensated_unrolled_k;

  /// A thread's elements of A's rows and B's columns for one k.
  struct fragments {
    panel_vector<in, vector_m> a[thread_m / vector_m];
    panel_vector<in, vector_n> b[thread_n / vector_n];
  };

  KOKKOS_FORCEINLINE_FUNCTION fragments read(int k) const {
    fragments f;
    const in* const a = panels_.a() + k * layout::a_smem_ld + row_;
    const in* const b = panels_.b() + k * layout::b_smem_ld + column_;
    ACC_UNROLL for (int v = 0; v < thread_m / vector_m; ++v) {
      f.a[v] = *reinterpret_cast<const panel_vector<in, vector_m>*>(a + 8 * vector_m * v);
    }
    ACC_UNROLL for (int v = 0; v < thread_n / vector_n; ++v) {
      f.b[v] = *reinterpret_cast<const panel_vector<in, vector_n>*>(b + 4 * vector_n * v);
    }
    return f;
  }

  /// Down one column and up the next: two consecutive instructions share an operand.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const fragments& f) {
    ACC_UNROLL for (int n = 0; n < thread_n; ++n) {
      ACC_UNROLL for (int i = 0; i < thread_m; ++i) {
        const int m = n % 2 == 0 ? i : thread_m - 1 - i;
        multiply(n * thread_m + m, f.a[m / vector_m].x[m % vector_m],
                 f.b[n / vector_n].x[n % vector_n]);
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

  int row_, column_;              ///< of the tile: this thread's first entry
  real a_sign_ = 1, b_sign_ = 1;  ///< of imaginary parts
  fragments now_;
};

}  // namespace acc::backends::cuda

#endif
