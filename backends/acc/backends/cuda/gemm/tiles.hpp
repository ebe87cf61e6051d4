// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_TILES_HPP
#define ACC_BACKENDS_CUDA_GEMM_TILES_HPP

/// \file
/// The tiles of C that gemm_kernel (backends/gemm_kernel.hpp) asks for: their order, what is packed
/// before, and how a team goes along k, stage by stage and strip by strip.

#include <acc/backends/cuda/gemm/launch_check.hpp>
#include <acc/backends/cuda/gemm/pack_panels.hpp>
#include <acc/backends/cuda/gemm/tile_sums.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/divided_sums.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/gemm_method.hpp>

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
    p.a = {reinterpret_cast<const in*>(aligned), p.c.rows, 0, 1, 0};
    p.b = {reinterpret_cast<const in*>(aligned), 0, p.c.columns, 0, 1};
  }
  return p;
}

template <class Problem, class TeamTile>
class gemm_tiles {
 public:
  using in_kernel = gemm_tiles;
  using problem_type = Problem;
  using launch_check = cuda::launch_check;
  using team_tile = TeamTile;
  using layout = typename team_tile::layout;
  static constexpr int scratch_bytes = team_tile::bytes + 128;  ///< aligned to 128

  Problem problem;
  std::int64_t grid_rows, grid_columns, count;
  std::int64_t depth;
  /// gemm_kernel takes a section in one step.
  static constexpr std::int64_t section = gemm_section, kc = gemm_section;
  static_assert(gemm_section % layout::tile_k == 0);
  bool aligned;  ///< 16 bytes of C's columns can be written at once
  divided_sums<Problem> divided;
  int teams = 0;  ///< in a launch, where their sums wait from one section to the next; else 0
  void* memory = nullptr;

  /// divides: by k. sms: multiprocessors.
  gemm_tiles(const Problem& p, std::int64_t sms, bool divides = false) : problem(by_columns(p)) {
    const auto& c = problem.c;
    aligned = is_16_byte_vectorizable(c.data, c.row_stride, c.column_stride, c.batch_stride);
    depth = problem.depth();
    grid_rows = (problem.c.rows + layout::tile_m - 1) / layout::tile_m;
    grid_columns = (problem.c.columns + layout::tile_n - 1) / layout::tile_n;
    count = grid_rows * grid_columns * problem.batches;
    if (divides && problem.sections() > 1) divided = divided_sums<Problem>(problem);
    if (team_tile::needs_memory ||
        (team_tile::waiting_bytes > 0 && problem.sections() > 1 && divided.sections == 0))
      teams = int(std::min(count, sms * tuning::waiting_threads_per_sm / layout::threads));
  }

  /// Of all tiles, those beyond the edges of C too.
  std::int64_t entries() const { return count * layout::tile_m * layout::tile_n; }
  std::size_t bytes() const {
    return a_bytes() + b_bytes() + std::size_t(teams) * team_tile::waiting_bytes;
  }
  /// Where sums wait, behind what is packed.
  KOKKOS_FORCEINLINE_FUNCTION void* waiting(int team) const {
    if (teams == 0) return nullptr;
    return static_cast<char*>(waiting_memory) + std::int64_t(team) * team_tile::waiting_bytes;
  }
  void* waiting_memory = nullptr;
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
    waiting_memory = static_cast<char*>(memory) + of_a + of_b;
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
  auto policy(const Exec& exec, std::int64_t items) const {
    const std::int64_t league = teams > 0 ? teams : std::min(items, max_league_size);
    return Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<layout::threads, team_tile::teams_per_sm>>(
               exec, int(league), layout::threads)
        .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
  }

  template <class Team>
  class tile;
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION auto tile_of(const Team& team) const {
    return tile<Team>(*this, team);
  }

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

/// What a team needs of its tile is computed from the launch's arguments where it is needed: during
/// the products, registers are for chains.
template <class Problem, class TeamTile>
template <class Team>
class gemm_tiles<Problem, TeamTile>::tile {
 public:
  KOKKOS_FORCEINLINE_FUNCTION tile(const gemm_tiles& tiles, const Team& team)
      : t_(tiles),
        team_(team),
        tile_(team.team_rank(),
              team.team_scratch(0).get_shmem_aligned(int(team_tile::bytes), 128)) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t index, std::int64_t first, std::int64_t end) {
    index_ = index;
    const place at = place_of(index);
    strip_left_ = int(t_.problem.strip);
    team_.team_barrier();  // the stages are free once the tile before is done
    tile_.begin(t_.problem.of_batch(at.batch), at.row, at.column, first, end);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(std::int64_t k, std::int64_t end) {
    if (tile_.is_fresh())
      tile_.first_stage(team_);
    else
      tile_.set_remaining(end - k);
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t k, std::int64_t end) {
    int left = int(end - k < kc ? end - k : kc);
    int at = 0;  // products taken of the stage
    while (left > 0) {
      const int run = strip_left_ < left ? strip_left_ : left;
      int done = 0;
      if (at == 0 && run >= layout::tile_k) {
        if constexpr (team_tile::closes_late) {
          if (ended_) {
            tile_.template multiply_stage<true>(team_);
            done = layout::tile_k;
            ended_ = false;
          }
        }
        // A loop of its own: it is up to a tenth slower with the other branch inside it.
        ACC_NO_UNROLL for (; done + layout::tile_k <= run; done += layout::tile_k) {
          tile_.multiply_stage(team_);
        }
      } else {
        if (ended_) close();
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
      if (strip_left_ == 0) end_strip();
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_section(bool last) {
    if (ended_ || strip_left_ != int(t_.problem.strip)) close();
    tile_.end_section(t_.waiting(team_.league_rank()), last);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t first) {
    tile_.drain();
    const place at = place_of(index_);
    entry_sink<Problem> sink{t_.aligned, nullptr};
    if (t_.divided.sections > 0) sink.sums = &t_.divided.at(first / section, at.batch, 0, 0);
    tile_.write(t_.problem.of_batch(at.batch), sink, at.row, at.column);
  }

 private:
  struct place {
    std::int64_t batch, row, column;
  };
  /// Tiles are taken column by column from bands of rows of tiles, so that those at work together
  /// share rows and columns in the cache.
  KOKKOS_FORCEINLINE_FUNCTION place place_of(std::int64_t index) const {
    constexpr std::int64_t band_rows = tuning::band_rows;
    const std::int64_t tiles = t_.grid_rows * t_.grid_columns;
    if (tiles == 1) return {index, 0, 0};  // of a batch of small products, divisions are a quarter
    const std::int64_t at = index % tiles, band = at / (band_rows * t_.grid_columns);
    const std::int64_t rest = t_.grid_rows - band * band_rows,
                       rows = rest < band_rows ? rest : band_rows;
    const std::int64_t in_band = at - band * band_rows * t_.grid_columns;
    return {index / tiles, (band * band_rows + in_band % rows) * layout::tile_m,
            in_band / rows * layout::tile_n};
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_strip() {
    strip_left_ = int(t_.problem.strip);
    if constexpr (team_tile::closes_late)
      ended_ = true;
    else
      close();
  }
  KOKKOS_FORCEINLINE_FUNCTION void close() {
    tile_.close();
    strip_left_ = int(t_.problem.strip);
    ended_ = false;
  }

  const gemm_tiles& t_;
  const Team& team_;
  team_tile tile_;
  std::int64_t index_ = 0;
  int strip_left_ = 0;  ///< products until the strip ends
  bool ended_ = false;  ///< whether a strip has ended that is not closed yet
};

}  // namespace acc::backends::cuda

#endif
