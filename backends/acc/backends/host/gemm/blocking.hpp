// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_GEMM_BLOCKING_HPP
#define ACC_BACKENDS_HOST_GEMM_BLOCKING_HPP

/// \file
/// How a matrix product is cut into blocks and pieces for the host's caches and threads.

#include <acc/backends/host/topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends::host {

/// How a product is cut for the host; extents count real numbers, as the kernels do.
struct host_gemm_plan {
  std::int64_t rows, columns, depth;  ///< of the product: complex numbers are taken apart
  std::int64_t block_rows, block_columns, piece;
  std::int64_t grid_rows, grid_columns;  ///< blocks
  std::int64_t cached_rows;              ///< rows of A that stay in the second cache
  int tile_rows, tile_columns, components;
  bool b_in_place;  ///< full panels of B are read where they lie
  bool packs_b;     ///< the whole block of B at once, else a panel at a time

  // Where things lie in a team's memory, in numbers.
  std::int64_t a_size() const { return block_rows * piece; }
  std::int64_t b_size() const { return packs_b ? block_columns * piece : tile_columns * piece; }
  std::int64_t tile_size() const { return std::int64_t(tile_rows) * tile_columns * components; }
  std::int64_t state_size() const {
    const std::int64_t tiles =
        depth > piece ? (block_rows / tile_rows) * (block_columns / tile_columns) : 1;
    return tiles * tile_size();
  }
  /// For tiles that are computed again: a piece of both panels, and chains.
  static constexpr std::int64_t spare_piece = 256;
  std::int64_t spare_size() const {
    return (tile_rows + tile_columns) * spare_piece + tile_rows * tile_columns;
  }
  std::int64_t team_size() const {
    const std::int64_t size = a_size() + b_size() + state_size() + spare_size();
    return (size + 63) / 64 * 64;
  }
};

inline std::int64_t round_up(std::int64_t x, std::int64_t multiple) {
  return (x + multiple - 1) / multiple * multiple;
}
inline std::int64_t divide_up(std::int64_t x, std::int64_t y) { return (x + y - 1) / y; }

/// Cuts an extent into blocks of whole tiles, none larger than `largest`.
inline std::int64_t block_extent(std::int64_t extent, std::int64_t tile, std::int64_t largest) {
  const std::int64_t blocks = std::max<std::int64_t>(1, divide_up(extent, largest));
  return std::max(tile, round_up(divide_up(extent, blocks), tile));
}

inline host_gemm_plan plan_for_host(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                                    std::int64_t batches, bool b_in_place, int tile_rows,
                                    int tile_columns, int components, std::size_t real_bytes,
                                    int threads) {
  const host::cache_sizes cache = host::caches();
  host_gemm_plan p{};
  p.rows = rows;
  p.columns = columns;
  p.depth = depth;
  p.tile_rows = tile_rows;
  p.tile_columns = tile_columns;
  p.components = components;
  // In the second cache: the rows of A in three eighths, a panel of B and the next one in an eighth
  // each; the rest is for what passes through. Short pieces would fit the first cache, but chains
  // and totals wait in the last one, or in memory, from piece to piece.
  const std::int64_t numbers = std::int64_t(cache.second / real_bytes);
  p.piece = std::clamp<std::int64_t>(numbers / 8 / tile_columns / 64 * 64, 256, 2048);
  p.piece = std::min(p.piece, std::max<std::int64_t>(1, depth));
  p.cached_rows = std::max<std::int64_t>(1, numbers * 3 / 8 / p.piece / tile_rows) * tile_rows;
  // Packing takes time in proportion to 1 / block_rows + 1 / block_columns; blocks are smaller
  // only where threads would have nothing to do.
  constexpr std::int64_t largest_block = 2048;
  p.block_rows = block_extent(rows, tile_rows, largest_block);
  p.block_columns = block_extent(columns, tile_columns, largest_block);
  const auto count = [&] {
    return divide_up(rows, p.block_rows) * divide_up(columns, p.block_columns) * batches;
  };
  while (threads > 1 && count() < 2 * std::int64_t(threads) &&
         (p.block_rows > tile_rows || p.block_columns > tile_columns)) {
    const bool halves_rows = p.block_rows * 2 > p.block_columns ? p.block_rows > tile_rows
                                                                : p.block_columns <= tile_columns;
    std::int64_t& extent = halves_rows ? p.block_rows : p.block_columns;
    extent = round_up(divide_up(extent, 2), halves_rows ? tile_rows : tile_columns);
  }
  p.grid_rows = divide_up(rows, p.block_rows);
  p.grid_columns = divide_up(columns, p.block_columns);
  // A panel of B that meets all rows at once is packed just before, if at all: where few rows share
  // it, packing costs more than it saves. Then a piece is a few whole rows of B, in memory's order.
  p.packs_b = p.block_rows > p.cached_rows;
  const bool few_rows = p.block_rows <= 2 * tile_rows;
  const bool small = depth * columns <= numbers / 4;
  p.b_in_place = b_in_place && !p.packs_b && (few_rows || small);
  if (p.b_in_place && !small) p.piece = std::min<std::int64_t>(p.piece, 32);
  return p;
}

}  // namespace acc::backends::host

#endif
