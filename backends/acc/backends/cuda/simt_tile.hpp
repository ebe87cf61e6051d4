// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SIMT_TILE_HPP
#define ACC_BACKENDS_CUDA_SIMT_TILE_HPP

/// \file
/// Tiles of floats by ordinary FMA instructions: four warps side by side, each 64 rows by 4 *
/// Columns columns, a thread 8 x Columns entries in squares of four.

#include <acc/backends/cuda/gemm_tile.hpp>

namespace acc::backends {

template <int Columns>
struct simt_shape {
  static constexpr int rows = 64, warp_columns = 4 * Columns, columns = 4 * warp_columns;
  static constexpr int threads = 128, piece = 16, stages = 3;
  static constexpr int row_step = rows, column_step = columns;
};

template <class Problem, class Ops, int Columns>
class simt_tile {
 public:
  using in = typename Problem::in;
  using real = typename Problem::real;
  using shape = simt_shape<Columns>;
  using stages = tile_stages<Problem, shape, Ops>;
  using sum = entry_sum<Problem>;
  static_assert(std::is_same_v<real, float> && std::is_same_v<in, float>);

  template <class Tiles>
  KOKKOS_FORCEINLINE_FUNCTION simt_tile(const Tiles& tiles, int thread, void* scratch)
      : stages_(tiles.a_route, tiles.b_route, thread, scratch),
        row_(thread % 8 * 4),
        column_(thread / 32 * shape::warp_columns + thread % 32 / 8 * 4) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column) {
    stages_.begin(p, first_row, first_column);
#pragma unroll
    for (auto& rows : sums_)
#pragma unroll
      for (auto& s : rows) s = {};
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team& team) {
    stages_.advance(team);
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply(int count, std::int64_t& until_close,
                                            std::int64_t strip) {
    const in* const a = stages_.a_piece() + row_;
    const in* const b = stages_.b_piece() + column_;
    if (count == shape::piece && until_close >= shape::piece) {
#pragma unroll
      for (int k = 0; k < shape::piece; ++k)
        multiply_one(a + k * shape::row_step, b + k * shape::column_step);
      until_close -= shape::piece;
      if (until_close == 0) until_close = close(strip);
      return;
    }
    for (int k = 0; k < count; ++k) {
      multiply_one(a + k * shape::row_step, b + k * shape::column_step);
      if (--until_close == 0) until_close = close(strip);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t close(std::int64_t strip) {
#pragma unroll
    for (auto& rows : sums_)
#pragma unroll
      for (auto& s : rows) s.totals.close(s.chain);
    return strip;
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(const Problem& p, bool aligned, std::int64_t first_row,
                                         std::int64_t first_column) const {
#pragma unroll
    for (int r = 0; r < 8; r += 4) {
#pragma unroll
      for (int c = 0; c < Columns; ++c) {
        sum sums[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[e] = sums_[r + e][c];
        write_run<4>(p, aligned, first_row + row_ + r / 4 * 32,
                     first_column + column_ + c / 4 * 16 + c % 4, sums);
      }
    }
  }

 private:
  struct alignas(16) vector {
    in x[4];
  };

  KOKKOS_FORCEINLINE_FUNCTION void multiply_one(const in* a, const in* b) {
    vector rows[2], columns[Columns / 4];
#pragma unroll
    for (int v = 0; v < 2; ++v) rows[v] = *reinterpret_cast<const vector*>(a + 32 * v);
#pragma unroll
    for (int v = 0; v < Columns / 4; ++v) columns[v] = *reinterpret_cast<const vector*>(b + 16 * v);
#pragma unroll
    for (int c = 0; c < Columns; ++c)
#pragma unroll
      for (int r = 0; r < 8; ++r)
        sums_[r][c].chain.add_product(rows[r / 4].x[r % 4], columns[c / 4].x[c % 4]);
  }

  stages stages_;
  int row_, column_;
  sum sums_[8][Columns];
};

}  // namespace acc::backends

#endif
