// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_HPP
#define ACC_BACKENDS_CUDA_GEMM_HPP

/// \file
/// Matrix products on NVIDIA GPUs: which tile serves which product, and the order of tiles.

#include <acc/backends/cuda/mma_tile.hpp>
#include <acc/backends/cuda/simt_tile.hpp>
#include <acc/backends/cuda/team_ops.hpp>

#include <algorithm>

namespace acc::backends {

/// The tile of a product: the tensor cores' where sums are of doubles, smaller where there are
/// totals to keep, so that all fits the registers.
template <class Problem, class Ops>
struct cuda_tile_of {
  static constexpr bool is_float = std::is_same_v<typename Problem::real, float>;
  static constexpr int totals = Problem::totals::components;
  using type = std::conditional_t<is_float, simt_tile<Problem, Ops, totals <= 1 ? 8 : 4>,
                                  mma_tile<Problem, Ops, totals == 0 ? 4 : 2>>;
};

/// What the generic tiles keep: complex products, half precision, compensated.
template <class Problem>
inline constexpr bool has_cuda_tile =
    Problem::parts == 1 && !impl::is_half_scalar<typename Problem::in> &&
    Problem::chain::components == 1;

template <class Problem, class Ops = cuda_ops>
class cuda_tiles {
 public:
  using team_tile = typename cuda_tile_of<Problem, Ops>::type;
  using shape = typename team_tile::shape;

  Problem problem;
  std::int64_t grid_rows, grid_columns, count;
  std::int64_t depth;
  static constexpr int piece = shape::piece;
  panel_route a_route, b_route;
  bool aligned;

  explicit cuda_tiles(const Problem& p) : problem(p) {
    // C's columns shall be contiguous: else C^T = B^T A^T is computed.
    if (p.c.row_stride != 1 && p.c.column_stride == 1) {
      problem.a = p.b.transposed();
      problem.b = p.a.transposed();
      problem.c = p.c.transposed();
    }
    if (!problem.reads_products()) problem.a.columns = problem.b.rows = 0;
    const auto& a = problem.a;
    const auto& b = problem.b;
    a_route = panel_route_of(a.data, a.row_stride, a.column_stride, a.batch_stride);
    b_route = panel_route_of(b.data, b.column_stride, b.row_stride, b.batch_stride);
    aligned = has_aligned_columns(problem.c);
    depth = problem.depth();
    grid_rows = (problem.c.rows + shape::rows - 1) / shape::rows;
    grid_columns = (problem.c.columns + shape::columns - 1) / shape::columns;
    count = grid_rows * grid_columns * problem.batches;
  }

  std::size_t bytes() const { return 0; }
  void use(void*) {}
  template <class Exec>
  auto policy(const Exec& exec) const {
    constexpr std::int64_t most = 1 << 30;
    return Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<shape::threads, 1>>(
               exec, int(std::min(count, most)), shape::threads)
        .set_scratch_size(0, Kokkos::PerTeam(team_tile::stages::bytes + 128));
  }

  template <class Team>
  class tile;
};

template <class Problem, class Ops>
template <class Team>
class cuda_tiles<Problem, Ops>::tile {
 public:
  KOKKOS_FORCEINLINE_FUNCTION tile(const cuda_tiles& tiles, const Team& team)
      : t_(tiles),
        team_(team),
        tile_(tiles, team.team_rank(),
              team.team_scratch(0).get_shmem_aligned(int(team_tile::stages::bytes), 128)) {}

  /// Tiles in columns of sixteen, so that those at work together share rows and columns in the
  /// cache.
  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t index) {
    constexpr std::int64_t high = 16;
    const std::int64_t tiles = t_.grid_rows * t_.grid_columns;
    problem_ = t_.problem.of_batch(index / tiles);
    const std::int64_t at = index % tiles, group = at / (high * t_.grid_columns);
    const std::int64_t rest = t_.grid_rows - group * high, rows = rest < high ? rest : high;
    const std::int64_t in_group = at - group * high * t_.grid_columns;
    first_row_ = (group * high + in_group % rows) * shape::rows;
    first_column_ = in_group / rows * shape::columns;
    until_close_ = problem_.strip;
    team_.team_barrier();  // until the tile before is done with the stages
    tile_.begin(problem_, first_row_, first_column_);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(std::int64_t) { tile_.load(team_); }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t k) {
    const int count = int(t_.depth - k < piece ? t_.depth - k : std::int64_t(piece));
    tile_.multiply(count, until_close_, problem_.strip);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish() {
    if (until_close_ != problem_.strip) tile_.close(problem_.strip);
    tile_.write(problem_, t_.aligned, first_row_, first_column_);
  }

 private:
  const cuda_tiles& t_;
  const Team& team_;
  team_tile tile_;
  Problem problem_;
  std::int64_t first_row_ = 0, first_column_ = 0, until_close_ = 0;
};

}  // namespace acc::backends

#endif
