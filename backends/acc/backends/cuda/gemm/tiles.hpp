// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_TILES_HPP
#define ACC_BACKENDS_CUDA_GEMM_TILES_HPP

/// \file
/// The tiles of C that gemm_kernel (backends/gemm_kernel.hpp) asks for: their order, what is packed
/// before, and how a team goes along k, stage by stage and strip by strip.

#include <acc/backends/cuda/gemm/pack_panels.hpp>
#include <acc/backends/cuda/gemm/tile_sums.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// p, or of real numbers C^T = B^T A^T if that makes C's columns contiguous.
template <class Problem>
Problem by_columns(Problem p) {
  if constexpr (Problem::parts == 1)
    if (p.c.row_stride != 1 && p.c.column_stride == 1) p = p.transposed();
  if (!p.reads_products() || p.depth() == 0) {
    // Nothing is read. Addresses are formed nevertheless, so they must be aligned.
    using in = typename Problem::in;
    const auto aligned = reinterpret_cast<std::uintptr_t>(p.c.data) / 16 * 16;
    const auto* const data = reinterpret_cast<const in*>(aligned);
    p.a = {data, p.c.rows, 0, 1, 0};
    p.b = {data, 0, p.c.columns, 0, 1};
  }
  return p;
}

template <class Problem, class TeamTile>
class gemm_tiles {
 public:
  using in_kernel = gemm_tiles;
  using team_tile = TeamTile;
  using layout = typename team_tile::layout;
  static constexpr int scratch_bytes = team_tile::bytes + 128;  ///< aligned to 128
  static_assert(scratch_bytes <= 48 << 10);

  Problem problem;
  std::int64_t grid_rows, grid_columns, count;
  std::int64_t depth;
  /// What gemm_kernel takes of k in a step: many stages, and no more than an int can count.
  static constexpr std::int64_t kc = 1 << 20;
  bool aligned;  ///< 16 bytes of C's columns can be written at once
  void* memory = nullptr;

  explicit gemm_tiles(const Problem& p) : problem(by_columns(p)) {
    const auto& c = problem.c;
    aligned = is_16_byte_vectorizable(c.data, c.row_stride, c.column_stride, c.batch_stride);
    depth = problem.depth();
    grid_rows = (problem.c.rows + layout::tile_m - 1) / layout::tile_m;
    grid_columns = (problem.c.columns + layout::tile_n - 1) / layout::tile_n;
    count = grid_rows * grid_columns * problem.batches;
  }

  std::size_t bytes() const { return a_bytes() + b_bytes(); }
  void use(void* m) { memory = m; }

  template <class Exec>
  void prepare(const Exec& exec) {
    pack([&](const auto& kernel) { launch_pack_panel(exec, kernel); });
  }
  /// Packs what the tiles cannot read in place, by kernels that launch(kernel) runs.
  template <class Launch>
  void pack(const Launch& launch) {
    using in = typename Problem::in;
    const std::size_t of_a = a_bytes(), of_b = b_bytes();
    if (of_a > 0) {
      const auto packed = packed_panel(rows_of(problem), static_cast<in*>(memory));
      launch(pack_panel_kernel<in>(rows_of(problem), packed, problem.batches, problem.a.conjugate));
      problem.a = {packed.data, problem.a.rows, depth, 1, packed.k_stride, packed.batch_stride};
    }
    if (of_b > 0) {
      in* const after_a = reinterpret_cast<in*>(static_cast<char*>(memory) + of_a);
      const auto packed = packed_panel(columns_of(problem), after_a);
      launch(
          pack_panel_kernel<in>(columns_of(problem), packed, problem.batches, problem.b.conjugate));
      problem.b = {packed.data, depth, problem.b.columns, packed.k_stride, 1, packed.batch_stride};
    }
  }

  template <class Exec>
  auto policy(const Exec& exec) const {
    return Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<layout::threads, 1>>(
               exec, int(std::min(count, max_league_size)), layout::threads)
        .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
  }

  template <class Team>
  class tile;

 private:
  /// Bytes of the packed panel, unless the tiles read it in place.
  template <class Panel>
  std::size_t bytes_of(const Panel& p, panel_access access, bool conjugate) const {
    const bool in_place = access != panel_access::mn_vectors || p.has_mn_vectors();
    if (in_place && (team_tile::conjugates || !conjugate)) return 0;
    return packed_bytes<typename Problem::in>(p, problem.batches);
  }
  std::size_t a_bytes() const {
    return bytes_of(rows_of(problem), layout::a_access, problem.a.conjugate);
  }
  std::size_t b_bytes() const {
    return bytes_of(columns_of(problem), layout::b_access, problem.b.conjugate);
  }
};

template <class Problem, class TeamTile>
template <class Team>
class gemm_tiles<Problem, TeamTile>::tile {
 public:
  KOKKOS_FORCEINLINE_FUNCTION tile(const gemm_tiles& tiles, const Team& team)
      : t_(tiles),
        team_(team),
        tile_(team.team_rank(),
              team.team_scratch(0).get_shmem_aligned(int(team_tile::bytes), 128)) {}

  /// Tiles are taken column by column from bands of rows of tiles, so that those at work together
  /// share rows and columns in the cache.
  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t index) {
    constexpr std::int64_t band_rows = tuning::band_rows;
    const std::int64_t tiles = t_.grid_rows * t_.grid_columns;
    problem_ = t_.problem.of_batch(index / tiles);
    const std::int64_t at = index % tiles, band = at / (band_rows * t_.grid_columns);
    const std::int64_t rest = t_.grid_rows - band * band_rows,
                       rows = rest < band_rows ? rest : band_rows;
    const std::int64_t in_band = at - band * band_rows * t_.grid_columns;
    first_row_ = (band * band_rows + in_band % rows) * layout::tile_m;
    first_column_ = in_band / rows * layout::tile_n;
    strip_left_ = problem_.strip;
    team_.team_barrier();  // the stages are free once the tile before is done
    tile_.begin(problem_, first_row_, first_column_);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(std::int64_t k) {
    if (k == 0)
      tile_.first_stage(team_);
    else
      tile_.set_remaining(t_.depth - k);
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t k) {
    int left = int(t_.depth - k < kc ? t_.depth - k : kc);
    int at = 0;  // products taken of the stage
    while (left > 0) {
      const int run = strip_left_ < left ? int(strip_left_) : left;
      int done = 0;
      if (at == 0 && run >= layout::tile_k) {
        // A loop of its own: it is up to a tenth slower with the other branch inside it.
        ACC_NO_UNROLL for (; done + layout::tile_k <= run; done += layout::tile_k) {
          tile_.multiply_stage(team_);
        }
      } else {
        done = run < layout::tile_k - at ? run : layout::tile_k - at;
        tile_.multiply_some(at, at + done);
        at += done;
        if (at == layout::tile_k) {
          tile_.next_stage(team_);
          at = 0;
        }
      }
      left -= done;
      strip_left_ -= done;
      if (strip_left_ == 0) close();
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish() {
    tile_.drain();
    if (strip_left_ != problem_.strip) close();
    tile_.write(problem_, t_.aligned, first_row_, first_column_);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void close() {
    tile_.close();
    strip_left_ = problem_.strip;
  }

  const gemm_tiles& t_;
  const Team& team_;
  team_tile tile_;
  Problem problem_;
  std::int64_t first_row_ = 0, first_column_ = 0;
  std::int64_t strip_left_ = 0;  ///< products until the strip ends
};

}  // namespace acc::backends::cuda

#endif
