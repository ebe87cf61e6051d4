// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_MMA_TILE_HPP
#define ACC_BACKENDS_CUDA_MMA_TILE_HPP

/// \file
/// Tiles whose products the FP64 tensor cores sum: of doubles, and of floats for `widened`. A warp
/// multiplies 16 x 4 by 4 x 8 at a time and keeps Blocks x 4 such blocks of C in registers.
///
/// A lane reads numbers that lie side by side, so the rows of a block are not adjacent rows of C; k
/// is in its place. Where fewer than four products are due, before a strip's end or at the end of
/// depth, the others are -0 times +0, which change no sum, not even a zero's sign.

#include <acc/backends/cuda/gemm_tile.hpp>

namespace acc::backends {

/// Two by two warps.
template <class In, int Blocks>
struct mma_shape {
  static constexpr int warp_rows = 16 * Blocks, warp_columns = 32;
  static constexpr int rows = 2 * warp_rows, columns = 2 * warp_columns, threads = 128;
  static constexpr int piece = sizeof(In) == 4 ? 16 : 8, stages = 3;
  /// 32 bytes of padding: the four depths that a warp reads at once lie in different banks.
  static constexpr int row_step = rows + 32 / int(sizeof(In));
  static constexpr int column_step = columns + 32 / int(sizeof(In));
};

template <class Problem, class Ops, int Blocks>
class mma_tile {
 public:
  using in = typename Problem::in;
  using shape = mma_shape<in, Blocks>;
  using stages = tile_stages<Problem, shape, Ops>;
  using sum = entry_sum<Problem>;
  static_assert(std::is_same_v<typename Problem::real, double>);

  template <class Tiles>
  KOKKOS_FORCEINLINE_FUNCTION mma_tile(const Tiles& tiles, int thread, void* scratch)
      : stages_(tiles.a_route, tiles.b_route, thread, scratch),
        g_(thread % 32 / 4),
        q_(thread % 4),
        warp_row_(thread / 32 % 2 * shape::warp_rows),
        warp_column_(thread / 64 * shape::warp_columns) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column) {
    stages_.begin(p, first_row, first_column);
#pragma unroll
    for (auto& block : chains_)
#pragma unroll
      for (auto& entries : block)
#pragma unroll
        for (double& x : entries) x = 0;
#pragma unroll
    for (auto& block : totals_)
#pragma unroll
      for (auto& entries : block)
#pragma unroll
        for (auto& x : entries) x = {};
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team& team) {
    stages_.advance(team);
  }

  /// The piece's `count` products; until_close counts down to the strip's end.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(int count, std::int64_t& until_close,
                                            std::int64_t strip) {
    if (count == shape::piece && until_close >= shape::piece) {
#pragma unroll
      for (int k = 0; k < shape::piece; k += 4) multiply_four(k, 0, 4);
      until_close -= shape::piece;
      if (until_close == 0) until_close = close(strip);
      return;
    }
    for (int k = 0; k < count; k += 4) {
      const int last = count - k < 4 ? count - k : 4;
      for (int first = 0; first < last;) {
        const int end = until_close < last - first ? first + int(until_close) : last;
        multiply_four(k, first, end);
        until_close -= end - first;
        if (until_close == 0) until_close = close(strip);
        first = end;
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t close(std::int64_t strip) {
#pragma unroll
    for (int b = 0; b < Blocks; ++b) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          impl::fma_chain<double> chain{chains_[b][c][e]};
          totals_[b][c][e].close(chain);
          chains_[b][c][e] = chain.sum;
        }
      }
    }
    return strip;
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(const Problem& p, bool aligned, std::int64_t first_row,
                                         std::int64_t first_column) const {
    // A lane's rows of two blocks of floats, or of one of doubles, lie side by side.
    constexpr int run = narrow ? 4 : 2;
#pragma unroll
    for (int b = 0; b < Blocks; b += run / 2) {
      const std::int64_t i = first_row + warp_row_ + (narrow ? 16 * b + 4 * g_ : 16 * b + 2 * g_);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
#pragma unroll
        for (int f = 0; f < 2; ++f) {
          const std::int64_t j =
              first_column + warp_column_ +
              (narrow ? 8 * q_ + 4 * f + c : 16 * (c / 2) + 4 * q_ + 2 * f + c % 2);
          sum sums[run];
#pragma unroll
          for (int r = 0; r < run; ++r) {
            sums[r].chain.sum = chains_[b + r / 2][c][r % 2 * 2 + f];
            sums[r].totals = totals_[b + r / 2][c][r % 2 * 2 + f];
          }
          write_run<run>(p, aligned, i, j, sums);
        }
      }
    }
  }

 private:
  static constexpr bool narrow = sizeof(in) == 4;
  /// 16 bytes of a panel.
  struct alignas(16) vector {
    in x[16 / sizeof(in)];
  };
  static KOKKOS_FORCEINLINE_FUNCTION vector load(const in* p) {
    return *reinterpret_cast<const vector*>(p);
  }

  /// Products [first, end) of the four from depth k of the piece on.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_four(int k, int first, int end) {
    const in* const a = stages_.a_piece() + (k + q_) * shape::row_step + warp_row_;
    const in* const b = stages_.b_piece() + (k + q_) * shape::column_step + warp_column_;
    const bool mine = first <= q_ && q_ < end;
    double rows[Blocks][2], columns[4];
    constexpr int width = 16 / int(sizeof(in));
#pragma unroll
    for (int v = 0; v < 2 * Blocks / width; ++v) {
      const vector x = load(a + v * 8 * width + g_ * width);
#pragma unroll
      for (int e = 0; e < width; ++e)
        rows[(v * width + e) / 2][e % 2] = mine ? double(x.x[e]) : -0.0;
    }
#pragma unroll
    for (int v = 0; v < 4 / width; ++v) {
      const vector x = load(b + v * 8 * width + g_ * width);
#pragma unroll
      for (int e = 0; e < width; ++e) columns[v * width + e] = mine ? double(x.x[e]) : 0.0;
    }
#pragma unroll
    for (int r = 0; r < Blocks; ++r)
#pragma unroll
      for (int c = 0; c < 4; ++c) Ops::multiply(chains_[r][c], rows[r][0], rows[r][1], columns[c]);
  }

  stages stages_;
  int g_, q_, warp_row_, warp_column_;
  double chains_[Blocks][4][4];
  typename Problem::totals totals_[Blocks][4][4];
};

}  // namespace acc::backends

#endif
