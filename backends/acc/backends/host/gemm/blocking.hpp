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
#include <optional>

namespace acc::backends::host {

/// x / y, rounded up; without a division where they are small, as in a small product.
inline std::int64_t divide_up(std::int64_t x, std::int64_t y) {
  return x <= y ? (x > 0 ? 1 : 0) : (x + y - 1) / y;
}
inline std::int64_t round_up(std::int64_t x, std::int64_t multiple) {
  return divide_up(x, multiple) * multiple;
}

/// BLIS's names. Extents count real numbers, as the kernels do: a complex number is two of them.
///
/// A thread has a block of C, block_m by block_n. block_n is BLIS's nc. block_m is many times mc:
/// all of the block's part of A is packed at once, because the tiles of a block wait in memory from
/// one kc of k to the next: their states within a section of k, their sums from section to section.
struct gemm_blocking {
  std::int64_t m, n, k;  ///< of the product
  std::int64_t section;  ///< of k
  int mr, nr;            ///< a tile of C, by the microkernel
  int components;        ///< numbers in a tile's state for each entry
  int sum_components;    ///< numbers in the sum of its sections
  std::int64_t block_m, block_n;
  bool divides_k;               ///< whether each section of a block is work of its own
  std::int64_t kc;              ///< how much of k the panels have at once
  std::int64_t mc;              ///< rows of A that stay in the second cache
  std::int64_t grid_m, grid_n;  ///< blocks
  bool packs_b;                 ///< the block's part of B at once, else a panel at a time
  bool b_in_place;              ///< full panels of B are not packed, but read where they are
  bool a_in_place;              ///< and A is

  std::int64_t sections() const { return divide_up(k, section); }
  /// Blocks of all batches, or sections of blocks.
  std::int64_t items(std::int64_t batches) const {
    return divide_up(m, block_m) * divide_up(n, block_n) * batches * (divides_k ? sections() : 1);
  }

  // What a team's memory holds, in numbers.
  std::int64_t a_size() const { return a_in_place ? 0 : block_m * kc; }
  std::int64_t b_size() const {
    if (b_in_place && block_n % nr == 0 && n % nr == 0) return 0;
    return packs_b ? block_n * kc : nr * kc;
  }
  std::int64_t tiles() const { return (block_m / mr) * (block_n / nr); }
  std::int64_t tile_size() const { return std::int64_t(mr) * nr * components; }
  bool states_wait() const { return std::min(k, section) > kc; }
  std::int64_t state_size() const { return (states_wait() ? tiles() : 1) * tile_size(); }
  std::int64_t sum_size() const { return std::int64_t(mr) * nr * sum_components; }
  std::int64_t sums_size() const {
    return sections() <= 1 ? 0 : (divides_k ? 1 : tiles()) * sum_size();
  }
  std::int64_t team_size() const {
    const std::int64_t size = a_size() + b_size() + state_size() + sums_size();
    return (size + 63) / 64 * 64;
  }
};

/// Cuts an extent into blocks of whole tiles, none larger than `largest`.
inline std::int64_t block_extent(std::int64_t extent, std::int64_t tile, std::int64_t largest) {
  if (extent <= largest) return std::max(tile, round_up(extent, tile));
  const std::int64_t blocks = divide_up(extent, largest);
  return std::max(tile, round_up(divide_up(extent, blocks), tile));
}

/// Chooses block_m and block_n for this many threads.
inline void choose_block(gemm_blocking& p, std::int64_t batches, int threads) {
  // Blocks are smaller than they may be only where threads would have nothing to do.
  p.block_m = block_extent(p.m, p.mr, gemm_tuning::max_block);
  p.block_n = block_extent(p.n, p.nr, gemm_tuning::max_block);
  while (threads > 1 && p.items(batches) < gemm_tuning::blocks_per_thread * std::int64_t(threads) &&
         (p.block_m > p.mr || p.block_n > p.nr)) {
    const bool halves_m = p.block_m * 2 > p.block_n ? p.block_m > p.mr : p.block_n <= p.nr;
    std::int64_t& extent = halves_m ? p.block_m : p.block_n;
    extent = round_up(divide_up(extent, 2), halves_m ? p.mr : p.nr);
  }
}

/// How long the product takes by these blocks, in the time of a product of two numbers.
inline double estimated_time(const gemm_blocking& p, std::int64_t batches, int threads) {
  const double area = double(p.block_m) * double(p.block_n);
  const double packed = double(p.block_m) + double(p.block_n);
  const double depth = double(p.divides_k ? std::min(p.section, p.k) : p.k);
  const double rounds = double(divide_up(p.items(batches), threads));
  const double time = rounds * (area + gemm_tuning::packing_time * packed) * depth;
  if (!p.divides_k) return time;
  const double sums = double(p.m * p.n * batches * p.sections()) / threads;
  return time + gemm_tuning::division_time + gemm_tuning::sum_time * sums;
}

/// Chooses the blocks of p, whose m, n, k, section, mr, nr, components and sum_components are
/// given. may_read_a, may_read_b: whether A can be read in place, and B, whose rows have to be
/// contiguous. divides_k: whether to divide the product by k, if that is not to be chosen here.
inline void choose_blocks(gemm_blocking& p, std::int64_t batches, bool may_read_a, bool may_read_b,
                          std::size_t bytes_of_real, int threads,
                          std::optional<bool> divides_k = std::nullopt) {
  using tuning = gemm_tuning;
  const std::int64_t numbers = std::int64_t(caches().second / bytes_of_real);
  const auto part_of_cache = [&](tuning::share s) { return numbers * s.numerator / s.denominator; };

  // Steps of about the same length: a section is not cut more often than it has to be.
  p.kc = std::max<std::int64_t>(1, std::min(p.section, p.k));
  if (p.kc > tuning::min_kc) {
    const std::int64_t length = p.kc;
    const std::int64_t most = threads > 1 ? tuning::max_kc_of_threads : tuning::max_kc;
    const std::int64_t fitting =
        std::clamp(part_of_cache(tuning::b_panel) / p.nr, tuning::min_kc, most);
    const std::int64_t steps =
        divide_up(length, fitting / tuning::kc_multiple * tuning::kc_multiple);
    p.kc = std::min(length, round_up(divide_up(length, steps), tuning::kc_multiple));
  }
  const std::int64_t a_numbers = part_of_cache(tuning::a_rows);
  p.mc = round_up(p.m, p.mr);
  if (p.mc * p.kc > a_numbers) p.mc = std::max<std::int64_t>(1, a_numbers / p.kc / p.mr) * p.mr;

  p.divides_k = false;
  choose_block(p, batches, threads);
  if (p.sections() > 1 && divides_k.value_or(threads > 1)) {
    gemm_blocking divided = p;
    divided.divides_k = true;
    choose_block(divided, batches, threads);
    if (divides_k ||
        estimated_time(divided, batches, threads) < estimated_time(p, batches, threads))
      p = divided;
  }
  p.grid_m = divide_up(p.m, p.block_m);
  p.grid_n = divide_up(p.n, p.block_n);

  // A panel of B that meets all rows at once is packed just before, if at all: where few rows share
  // it, packing costs more than it saves.
  p.packs_b = p.block_m > p.mc;
  const bool few_rows = p.block_m <= tuning::in_place_tiles * p.mr;
  const bool small_b = p.k * p.n <= part_of_cache(tuning::in_place_b);
  p.b_in_place = may_read_b && !p.packs_b && (few_rows || small_b);
  p.a_in_place = may_read_a && p.m * p.k <= part_of_cache(tuning::in_place_a);
  if (p.b_in_place && !small_b) p.kc = std::min<std::int64_t>(p.kc, tuning::in_place_kc);
}

}  // namespace acc::backends::host

#endif
