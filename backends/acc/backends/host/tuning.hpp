// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_TUNING_HPP
#define ACC_BACKENDS_HOST_TUNING_HPP

/// \file
/// Every constant of the host machine that changes time alone. What decides bits is in core
/// (canonical_order.hpp, strip_sum.hpp): nothing here can change it. docs/dev/sums.md and
/// docs/dev/gemm-host.md have the measurements. The kernels, which are compiled without Kokkos,
/// read this header as the rest of the machine does.

#include <cstddef>
#include <cstdint>
#include <utility>

namespace acc::backends::host {

/// Sums in canonical order: a thread sums subtrees of leaves.
struct reduce_tuning {
  /// Several, so that threads end together.
  static constexpr int subtrees_per_thread = 16;
  /// Leaves that the calling thread sums by itself: some take less time than to wake threads.
  static constexpr std::int64_t leaves_in_caller = 4;
  /// Of an array: leaves that are copied at once. Their numbers fit the second cache.
  static constexpr int gathered_leaves = 8;
};

/// The kernel of a leaf. Registers pass down the stripes of a leaf, some at a time.
struct leaf_tuning {
  /// By the numbers of an accumulator (components). Enough chains to hide the latency of an
  /// addition, few enough that their accumulators stay in registers.
  static constexpr int registers_at_once(int components) {
    return components == 1 ? 8 : components == 2 ? 4 : 1;
  }
  /// Stripes that they pass before the next registers do: 4 KiB of x, which the caches' prefetchers
  /// see as a stream, and long enough that loading and storing accumulators does not count.
  static constexpr int stripes_at_once = 8;
  /// Bytes ahead of their use at which numbers are fetched from memory, in ascending order whatever
  /// the order of use. The processor's own prefetchers do not see far enough ahead where a stripe
  /// takes several passes of arithmetic; plain sums are better left to them.
  static constexpr int prefetch_distance = 4096;
};

/// Order-free sums: a thread deposits chunks of the vector.
struct order_free_tuning {
  static constexpr int chunks_per_thread = 4;
  static constexpr std::int64_t min_chunk = 8192;  ///< elements
  /// Of the kernels: bytes ahead of their use at which numbers are fetched from memory.
  static constexpr int prefetch_distance = 4096;
  /// Of the kernels: registers of a vector that a step takes.
  static constexpr int max_registers_at_once = 4;
  /// Of exact sums: after so many tiles at most, a tile is summarized again to see whether a
  /// smaller window holds it.
  static constexpr int max_patience = 16;
};

/// Prefix sums: a thread scans chunks of the vector.
struct scan_tuning {
  static constexpr std::int64_t chunks_per_thread = 4;
  static constexpr std::int64_t min_chunk = 4096;   ///< elements
  static constexpr std::int64_t max_pieces = 4096;  ///< that are looked at before exact scans
  /// Groups at the end of a vector that are faster one by one than as a block.
  static constexpr int few_groups = 16;
};

/// The largest element: a thread has parts of a vector.
struct largest_tuning {
  static constexpr std::int64_t min_part = 4096;  ///< elements
  static constexpr int lanes = 8;                 ///< whose comparisons do not wait for one another
};

/// Segmented sums: a thread has the segments that begin in a tile of the vector.
struct segments_tuning {
  static constexpr std::int64_t min_leaves = 1;  ///< leaves of a tile
  /// Of exact sums: the superaccumulator of a piece of a long segment costs the time of a thousand
  /// elements.
  static constexpr std::int64_t min_leaves_exact = 4;
};

/// Exact sums of a few numbers.
struct short_sums_tuning {
  /// Numbers up to which three doubles are faster than windows and a superaccumulator.
  static constexpr int max_by_three_doubles(std::size_t bytes) { return bytes == 8 ? 80 : 40; }
};

/// Products of CRS matrices.
struct crs_tuning {
  /// Entries ahead of their use at which values and columns are fetched from memory.
  static constexpr int prefetch_entries = 512;
  static constexpr int shares_per_thread = 8;  ///< of rows
  /// Entries and rows of a share, if there are as many: fewer would not be worth a thread, and runs
  /// of rows would be cut.
  static constexpr std::int64_t min_share = 1024;
  static constexpr std::int64_t min_leaves = 4;  ///< leaves of a tile of long rows
};

/// Reductions of columns and along axes.
struct slices_tuning {
  /// Real elements of a slice that vector kernels sum; those of shorter ones are added one by one.
  /// Of a contiguous slice, and of a line of neighbors that are interleaved.
  static constexpr std::int64_t min_contiguous = 16, min_interleaved = 8;
  static constexpr int pieces_per_thread = 4;
  /// Slices that are copied at once where neighbors are interleaved: a line of the cache, of
  /// elements of so many bytes. Leaves of them fit the second cache.
  static constexpr int neighbors(int bytes) { return 64 / bytes; }
  /// Of sums without an order, whose tiles have memory of their own.
  static constexpr int max_order_free_neighbors = 8;
  /// Rows of neighbors ahead of their use at which they are fetched from memory.
  static constexpr int prefetch_rows = 16;
  /// The same where a lane of the canonical order is summed after another.
  static constexpr int prefetch_rows_of_lanes = 8;
};

/// Blocks of a matrix product (gemm/blocking.hpp).
struct gemm_tuning {
  /// The parts of the second cache for kc of a panel of B, and for mc rows of A. The next panel of
  /// B takes as much as the first; the rest is for what passes through.
  struct share {
    int numerator, denominator;
  };
  static constexpr share b_panel{1, 8}, a_rows{3, 8};
  /// With a smaller kc panels would fit the first cache. But from one kc to the next the chains and
  /// totals of a block wait in the last cache, or in memory.
  static constexpr std::int64_t min_kc = 256, max_kc = 2048, kc_multiple = 64;
  /// Where threads multiply beside each other: a core's second cache may not be one thread's alone.
  static constexpr std::int64_t max_kc_of_threads = 1024;
  /// Packing takes time in proportion to 1 / block_m + 1 / block_n.
  static constexpr std::int64_t max_block = 2048;
  /// Blocks are made smaller until each thread has so many.
  static constexpr int blocks_per_thread = 2;
  /// Whether a product is divided by k (estimated_time), in the time of a product of two numbers:
  /// what it takes to pack a number, to write and add a number of a divided product's sums, and to
  /// launch that addition.
  static constexpr double packing_time = 8, sum_time = 16, division_time = 500000;
  /// B is read in place, not packed, where at most so many tiles share a panel, or where all of B
  /// takes at most this part of the second cache.
  static constexpr std::int64_t in_place_tiles = 2;
  static constexpr share in_place_b{1, 4};
  /// kc of a larger B that is read in place: a few rows, in memory's order.
  static constexpr std::int64_t in_place_kc = 32;
  /// How many panels ahead such a B is fetched.
  static constexpr std::int64_t in_place_panels_ahead = 4;
  /// Where the numbers of one k are contiguous, panels are packed in turn, so much of k at a time.
  static constexpr std::int64_t packing_k = 32;
  /// kc where a tile is computed again.
  static constexpr std::int64_t spare_kc = 64;
  /// A is read in place where it takes at most this part of the second cache.
  static constexpr share in_place_a{1, 16};
  /// The products of a batch are fetched ahead where all of them take more than so many times the
  /// second cache: a last cache is no larger.
  static constexpr std::int64_t batch_in_caches = 16;
  /// Numbers of a thread's own memory: what needs no more needs no workspace.
  static constexpr std::int64_t own_numbers = 4096;
  /// Products of two numbers for which a thread is worth waking.
  static constexpr std::int64_t products_per_thread = 1 << 17;
};

/// Small matrix products (small_gemm.hpp).
struct small_gemm_tuning {
  /// Products of two numbers up to which they are faster than by blocks: of two matrices of 64 rows
  /// and columns, and of a matrix and a vector. Of complex numbers half as many, each of which is
  /// four products of real ones: what is larger threads may share.
  static constexpr std::int64_t of_matrix = 1 << 18, of_vector = 1 << 13;
  /// Numbers of C that may be copied, and of B that may be packed: on the stack.
  static constexpr std::int64_t copied = 2048, packed = 4096;
};

/// Exact matrix products.
struct exact_gemm_tuning {
  /// Products for which windows of vector registers are worth their beginning and end.
  static constexpr std::int64_t min_by_vectors = 32;
  /// A product alone takes so many times a product's time in a tile of the superaccumulator.
  static constexpr std::int64_t time_alone = 4;
  /// A panel of op(B), and the entries of an item of work.
  static constexpr std::int64_t panel_bytes = 262144, max_columns = 64, max_rows = 128;
  static constexpr int items_per_thread = 4;
  /// Products of two numbers for which a thread is worth waking.
  static constexpr std::int64_t products_per_thread = 1 << 13;
};

/// Exact matrix products by residues.
struct residue_gemm_tuning {
  /// Of C; and k of a section. They bound the workspace: a residue of a byte or two for each number
  /// of a block of A and of B, two bytes for each entry of a block of C, for each modulus.
  static constexpr std::int64_t block = 1024, section = 2048;
  /// Panels of an item of work.
  static constexpr std::int64_t panels_of_a = 16, panels_of_b = 16;
  /// Fewer rows, columns or entries do not repay the conversion; nor does it where fewer than one
  /// in so many rows fit, or where those that do not need so many launches.
  static constexpr std::int64_t least_rows = 8, least_entries = 1024;
  static constexpr std::int64_t few = 2, most_launches = 32;
};

/// The microkernel: mr rows by nr columns of C in registers.
struct microkernel_tuning {
  /// nr, in registers.
  static constexpr int registers_per_row = 2;
  /// The values of mr for which there are kernels. A row takes two registers, and one holds the
  /// number of A that they are multiplied by: so many rows fit 32 registers, or 16.
  using mr_of_32_registers = std::integer_sequence<int, 1, 2, 4, 8, 14>;
  using mr_of_16_registers = std::integer_sequence<int, 1, 2, 4, 6>;
  /// No larger than this.
  static constexpr int most_rows = 14;
  /// Of the method compensated, whose chains are two numbers: rows that fit the registers together.
  static constexpr int compensated_rows_at_once = 4;
  /// Both panels are in the second cache: how many products before its turn a line of A and of B is
  /// fetched from there.
  static constexpr int products_ahead_a = 32, products_ahead_b = 16;
  /// Packing: how far ahead memory is fetched, in k or in registers of a row.
  static constexpr int packing_ahead = 8;
};

/// Matrix times vector.
struct gemv_tuning {
  /// Cache lines of columns, or of rows, whose distance is a power of two compete for the same
  /// places in the first cache. Its bytes of one way, and how many ways they may take: where they
  /// take more, all is half as fast, and fewer columns or rows are gone through at a time.
  static constexpr std::int64_t first_cache_way = 4096;
  static constexpr int ways_of_columns = 4, ways_of_rows = 8;
  /// Down the columns: so many at a time, which go through a chain between its load and its store.
  static constexpr int columns_at_once = 8;
  /// Down the columns: numbers of y in a tile, bytes of each component. Chains and totals stay in
  /// the first cache, and a part of a column is a page of memory or more.
  static constexpr std::int64_t column_tile_bytes = 8192;
  /// Along the rows: where the lines of two groups compete, one is so many lines behind the other.
  static constexpr std::int64_t lines_apart = 8;
  /// Along the rows: so many groups of rows at a time at most.
  static constexpr int most_groups = 4;
  /// Along the rows: a tile has so many times the rows of a step. x is laid out once for it.
  static constexpr std::int64_t row_tiles = 32;
  /// Along the rows: cache lines of a row ahead of their use at which they are fetched.
  static constexpr int lines_ahead = 12;
  /// A is fetched ahead of its use where it takes at least so many times the second cache; smaller
  /// ones are in a cache, or the processor's own prefetchers do. Down columns, and along rows.
  static constexpr std::int64_t fetched_of_columns = 8, fetched_of_rows = 32;
  /// Columns that are copied at a time where A's strides fit no kernel.
  static constexpr std::int64_t copied_columns = 16;
  /// Tiles are made smaller until each thread has so many.
  static constexpr int tiles_per_thread = 4;
};

/// Functions of each element by itself (elements.hpp).
struct element_tuning {
  /// Elements of a block, or rows and columns where neighboring rows are not neighbors in memory.
  static constexpr std::int64_t block = 4096, strided_rows = 256, strided_columns = 16;
};

/// Kernels of single entries: a run of a column, so that loops over it can be vectorized.
struct elementwise_tuning {
  static constexpr int rows = 64, columns = 1;
};

}  // namespace acc::backends::host

#endif
