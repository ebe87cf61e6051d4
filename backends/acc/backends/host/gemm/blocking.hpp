// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_GEMM_BLOCKING_HPP
#define ACC_BACKENDS_HOST_GEMM_BLOCKING_HPP

/// \file
/// How a matrix product is blocked for the host's caches and threads. It changes time alone.

#include <acc/backends/host/topology.hpp>
#include <acc/backends/host/tuning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends::host {

/// BLIS's names. Extents count real numbers, as the kernels do: a complex number is two of them.
///
/// A thread has a block of C, block_m by block_n. block_n is BLIS's nc. block_m is many times mc:
/// all of the block's part of A is packed at once, because the tiles of a block wait in memory from
/// one kc of k to the next.
struct gemm_blocking {
  std::int64_t m, n, k;  ///< of the product
  int mr, nr;            ///< a tile of C, by the microkernel
  int components;        ///< numbers in a tile's state for each entry
  std::int64_t block_m, block_n;
  std::int64_t kc;              ///< how much of k the panels have at once
  std::int64_t mc;              ///< rows of A that stay in the second cache
  std::int64_t grid_m, grid_n;  ///< blocks
  bool packs_b;                 ///< the block's part of B at once, else a panel at a time
  bool b_in_place;              ///< full panels of B are not packed, but read where they are

  // What a team's memory holds, in numbers.
  std::int64_t a_size() const { return block_m * kc; }
  std::int64_t b_size() const { return packs_b ? block_n * kc : nr * kc; }
  std::int64_t tile_size() const { return std::int64_t(mr) * nr * components; }
  std::int64_t state_size() const {
    const std::int64_t tiles = k > kc ? (block_m / mr) * (block_n / nr) : 1;
    return tiles * tile_size();
  }
  /// For a tile that is computed again: spare_kc of both panels, and chains.
  std::int64_t spare_size() const { return (mr + nr) * gemm_tuning::spare_kc + mr * nr; }
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

/// Chooses the blocks of p, whose m, n, k, mr, nr and components are given. may_read_b: whether B's
/// rows are such that it can be read in place.
inline void choose_blocks(gemm_blocking& p, std::int64_t batches, bool may_read_b,
                          std::size_t bytes_of_real, int threads) {
  using tuning = gemm_tuning;
  const std::int64_t numbers = std::int64_t(caches().second / bytes_of_real);
  const auto part_of_cache = [&](tuning::share s) { return numbers * s.numerator / s.denominator; };

  const std::int64_t fitting = part_of_cache(tuning::b_panel) / p.nr;
  p.kc = std::clamp<std::int64_t>(fitting / tuning::kc_multiple * tuning::kc_multiple,
                                  tuning::min_kc, tuning::max_kc);
  p.kc = std::min(p.kc, std::max<std::int64_t>(1, p.k));
  p.mc = std::max<std::int64_t>(1, part_of_cache(tuning::a_rows) / p.kc / p.mr) * p.mr;

  // Blocks are smaller than they may be only where threads would have nothing to do.
  p.block_m = block_extent(p.m, p.mr, tuning::max_block);
  p.block_n = block_extent(p.n, p.nr, tuning::max_block);
  const auto count = [&] {
    return divide_up(p.m, p.block_m) * divide_up(p.n, p.block_n) * batches;
  };
  while (threads > 1 && count() < tuning::blocks_per_thread * std::int64_t(threads) &&
         (p.block_m > p.mr || p.block_n > p.nr)) {
    const bool halves_m = p.block_m * 2 > p.block_n ? p.block_m > p.mr : p.block_n <= p.nr;
    std::int64_t& extent = halves_m ? p.block_m : p.block_n;
    extent = round_up(divide_up(extent, 2), halves_m ? p.mr : p.nr);
  }
  p.grid_m = divide_up(p.m, p.block_m);
  p.grid_n = divide_up(p.n, p.block_n);

  // A panel of B that meets all rows at once is packed just before, if at all: where few rows share
  // it, packing costs more than it saves.
  p.packs_b = p.block_m > p.mc;
  const bool few_rows = p.block_m <= tuning::in_place_tiles * p.mr;
  const bool small_b = p.k * p.n <= part_of_cache(tuning::in_place_b);
  p.b_in_place = may_read_b && !p.packs_b && (few_rows || small_b);
  if (p.b_in_place && !small_b) p.kc = std::min<std::int64_t>(p.kc, tuning::in_place_kc);
}

}  // namespace acc::backends::host

#endif
