// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_GEMM_HPP
#define ACC_BACKENDS_GENERIC_GEMM_HPP

/// \file
/// GEMM by any Kokkos team. A tile of C is a grid of small squares, one per thread, whose sums stay
/// in registers. A and B pass through team scratch memory, kc of k at a time.

#include <acc/backends/divided_sums.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm_method.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends::generic {

template <class Problem>
class gemm_tiles {
 public:
  using in_kernel = gemm_tiles;
  using problem_type = Problem;
  using in = typename Problem::in;
  using real = typename Problem::real;
  static constexpr int parts = Problem::parts;
  /// Rows and columns of a thread's square.
  static constexpr int square = sizeof(real) * parts * Problem::chain::components <= 8 ? 4 : 2;
  static constexpr int kc = 16;
  static constexpr std::int64_t section = gemm_section;

  Problem problem;
  int thread_rows, thread_columns;
  std::int64_t grid_rows, grid_columns, count;
  std::int64_t depth;
  divided_sums<Problem> divided;  ///< never in use

  template <class Exec>
  gemm_tiles(const Exec&, const Problem& p) : problem(p) {
    if (!problem.reads_products()) problem.a.columns = problem.b.rows = 0;
    depth = problem.depth();
    // As square a grid of threads as a power of two allows.
    const int threads = runs_on_host<Exec> ? 1 : 256;
    thread_columns = 1;
    while (thread_columns * thread_columns < threads) thread_columns *= 2;
    thread_rows = threads / thread_columns;
    grid_rows = (problem.c.rows + tile_rows() - 1) / tile_rows();
    grid_columns = (problem.c.columns + tile_columns() - 1) / tile_columns();
    count = grid_rows * grid_columns * problem.batches;
  }

  KOKKOS_FORCEINLINE_FUNCTION int tile_rows() const { return thread_rows * square; }
  KOKKOS_FORCEINLINE_FUNCTION int tile_columns() const { return thread_columns * square; }
  std::size_t bytes() const { return 0; }
  void use(void*) {}
  template <class Exec>
  void prepare(const Exec&) const {}
  std::size_t scratch_bytes() const {
    return std::size_t(kc) * std::size_t(tile_rows() + tile_columns()) * sizeof(in) + 64;
  }
  template <class Exec>
  auto policy(const Exec& exec, std::int64_t items) const {
    return Kokkos::TeamPolicy<Exec>(exec, int(std::min(items, max_league_size)),
                                    thread_rows * thread_columns)
        .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes()));
  }

  template <class Team>
  class tile;
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION auto tile_of(const Team& team) const {
    return tile<Team>(*this, team);
  }
};

template <class Problem>
template <class Team>
class gemm_tiles<Problem>::tile {
 public:
  KOKKOS_FORCEINLINE_FUNCTION tile(const gemm_tiles& tiles, const Team& team)
      : t_(tiles),
        team_(team),
        a_(static_cast<in*>(team.team_scratch(0).get_shmem_aligned(
            std::ptrdiff_t(sizeof(in)) * kc * t_.tile_rows(), 16))),
        b_(static_cast<in*>(team.team_scratch(0).get_shmem_aligned(
            std::ptrdiff_t(sizeof(in)) * kc * t_.tile_columns(), 16))),
        row_(team.team_rank() % t_.thread_rows),
        column_(team.team_rank() / t_.thread_rows) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t index, std::int64_t, std::int64_t) {
    const std::int64_t tiles = t_.grid_rows * t_.grid_columns;
    problem_ = t_.problem.of_batch(index / tiles);
    first_row_ = index % tiles % t_.grid_rows * t_.tile_rows();
    first_column_ = index % tiles / t_.grid_rows * t_.tile_columns();
    begin_section();
    fresh_ = true;
    for (auto& rows : sums_)
      for (auto& s : rows) s = {};
  }

  /// Loads [k, k + kc) of A's rows and of B's columns, zero beyond the edges.
  KOKKOS_FORCEINLINE_FUNCTION void load(std::int64_t k, std::int64_t) {
    team_.team_barrier();  // until all have used what was there
    const int rows = t_.tile_rows(), columns = t_.tile_columns();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team_, kc * rows), [&](int e) {
      const std::int64_t i = first_row_ + e % rows, kk = k + e / rows;
      a_[e] = i < problem_.c.rows && kk < t_.depth ? problem_.a(i, kk) : in(0);
    });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team_, kc * columns), [&](int e) {
      const std::int64_t j = first_column_ + e % columns, kk = k + e / columns;
      b_[e] = j < problem_.c.columns && kk < t_.depth ? problem_.b(kk, j) : in(0);
    });
    team_.team_barrier();
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t k, std::int64_t end) {
    const int steps = int(end - k < kc ? end - k : std::int64_t(kc));
    for (int kk = 0; kk < steps; ++kk) {
      for (int r = 0; r < square; ++r) {
        for (int c = 0; c < square; ++c) {
          impl::add_entry_product(problem_, section_[r][c],
                                  a_[kk * t_.tile_rows() + row_ + r * t_.thread_rows],
                                  b_[kk * t_.tile_columns() + column_ + c * t_.thread_columns]);
        }
      }
      if (--until_close_ == 0) {
        close();
        until_close_ = problem_.strip;
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void end_section(bool) {
    if (until_close_ != problem_.strip) close();
    for (int r = 0; r < square; ++r) {
      for (int c = 0; c < square; ++c) {
        if (fresh_)
          sums_[r][c] = section_[r][c].sum();
        else
          sums_[r][c].add(section_[r][c].sum());
      }
    }
    fresh_ = false;
    begin_section();
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t) {
    for (int r = 0; r < square; ++r) {
      for (int c = 0; c < square; ++c) {
        const std::int64_t i = first_row_ + row_ + r * t_.thread_rows;
        const std::int64_t j = first_column_ + column_ + c * t_.thread_columns;
        if (i < problem_.c.rows && j < problem_.c.columns)
          impl::write_entry(problem_, i, j, sums_[r][c]);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void begin_section() {
    until_close_ = problem_.strip;
    for (auto& rows : section_)
      for (auto& s : rows) s = {};
  }
  KOKKOS_FORCEINLINE_FUNCTION void close() {
    for (auto& rows : section_)
      for (auto& s : rows) s.close();
  }

  const gemm_tiles& t_;
  const Team& team_;
  in *a_, *b_;
  int row_, column_;
  Problem problem_;
  std::int64_t first_row_ = 0, first_column_ = 0, until_close_ = 0;
  bool fresh_ = true;  ///< no section has ended yet
  impl::entry_section<Problem> section_[square][square];
  impl::entry_sum<Problem> sums_[square][square];
};

}  // namespace acc::backends::generic

#endif
