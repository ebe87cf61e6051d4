// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_TUNING_HPP
#define ACC_BACKENDS_CUDA_TUNING_HPP

/// \file
/// The shapes of all kernels of this machine, as measured on Hopper (docs/dev/gemm-cuda.md,
/// docs/dev/sums.md). Change them to make the kernels faster.
///
/// Nothing here decides a bit: every shape that compiles gives the same results. What decides bits
/// is in core/: the canonical order, strips, the widths of bins, every rounding. What a kernel
/// needs to be correct, such as the range of its bins, stands beside its code.
///
/// SM: a streaming multiprocessor. smem: its shared memory, Kokkos's team scratch.

#include <acc/core/gemm_method.hpp>

#include <Kokkos_Macros.hpp>
#include <type_traits>

namespace acc::backends::cuda::tuning {

/// Kokkos 5.2 gives a team all the scratch memory that a GPU has, earlier ones give it 48 KiB. To
/// measure large tiles with a Kokkos that was changed to do so, define ACC_CUDA_LARGE_SCRATCH as 1.
#if !defined(ACC_CUDA_LARGE_SCRATCH)
#define ACC_CUDA_LARGE_SCRATCH (KOKKOS_VERSION >= 50200)
#endif
inline constexpr bool large_scratch = ACC_CUDA_LARGE_SCRATCH;

template <class Shape>
consteval Shape by_scratch(Shape with_large_scratch, Shape otherwise) {
  return large_scratch ? with_large_scratch : otherwise;
}

// ---- Reductions in canonical order (reduce.hpp) ----

/// How a warp sums a leaf (sums/canonical_leaf.hpp).
struct leaf_shape {
  int loads_in_flight;  ///< of 16 bytes, of a thread, over all vectors of the reduction
  int unrolled_rounds;  ///< rounds of so many loads that are written out, or whole_leaf
  int warps_per_sm;     ///< for which the compiler leaves registers
};
inline constexpr int whole_leaf = 0;

/// small: for a vector of few leaves, whose time is that of one leaf.
struct leaf_shapes {
  leaf_shape small, large;
};

/// plain, compensated, double_word, widened: accumulators of one or two numbers.
inline constexpr leaf_shapes short_accumulators = {
    .small = {.loads_in_flight = 32, .unrolled_rounds = whole_leaf, .warps_per_sm = 1},
    .large = {.loads_in_flight = 16, .unrolled_rounds = whole_leaf, .warps_per_sm = 16}};
/// fold<K>, error bounds: more additions than loads.
inline constexpr leaf_shapes long_double_accumulators = {
    .small = {.loads_in_flight = 32, .unrolled_rounds = 2, .warps_per_sm = 1},
    .large = {.loads_in_flight = 8, .unrolled_rounds = 2, .warps_per_sm = 12}};
inline constexpr leaf_shapes long_float_accumulators = {
    .small = {.loads_in_flight = 32, .unrolled_rounds = 2, .warps_per_sm = 1},
    .large = {.loads_in_flight = 8, .unrolled_rounds = 2, .warps_per_sm = 20}};

/// For accumulators of `components` numbers of `bytes` bytes.
consteval leaf_shape leaf_shape_of(int components, int bytes, bool is_small) {
  const leaf_shapes& shapes = components <= 2 ? short_accumulators
                              : bytes == 8    ? long_double_accumulators
                                              : long_float_accumulators;
  return is_small ? shapes.small : shapes.large;
}

/// A vector of at most so many leaves is small.
inline constexpr int few_leaves_per_sm = 8;

/// The tree over the leaves (sums/tree.hpp).
struct tree_shape {
  int nodes_per_thread;  ///< that a thread combines before its warp does
  /// At most so many warps wait for nodes. GPUs start warps in the order of their index, so the
  /// warps that produce nodes start first. Less than 12 is right even if a GPU did not: an SM holds
  /// 12 warps or more.
  int combining_warps_per_sm;
};
inline constexpr tree_shape tree_of_small_nodes = {.nodes_per_thread = 4,
                                                   .combining_warps_per_sm = 8};
inline constexpr tree_shape tree_of_large_nodes = {.nodes_per_thread = 2,
                                                   .combining_warps_per_sm = 8};

consteval tree_shape tree_shape_of(int node_bytes) {
  return node_bytes <= 96 ? tree_of_small_nodes : tree_of_large_nodes;
}

// ---- Columns and axes (slices.hpp) ----

/// Loads of an element that a thread has under way at once.
inline constexpr int strided_loads_in_flight = 16;
/// Pieces of contiguous slices, a warp each, and of others, a team each, that fill the GPU several
/// times.
inline constexpr std::int64_t pieces_of_slices = 16384, teams_of_slices = 2048;
/// Threads of teams for which the compiler leaves registers, by an accumulator's bytes.
consteval int slice_threads_per_sm(int bytes) { return bytes <= 8 ? 1024 : 512; }
/// Below, one work item has some elements of an order-free slice.
inline constexpr std::int64_t short_order_free_slice = 1024;
/// The same where neighbors are summed together (sums/neighbor_sums.hpp).
inline constexpr std::int64_t short_neighbors = 256;
/// Rows of a thread in a batch, and batches in flight: of one vector, and of two.
inline constexpr int neighbor_rows = 8, neighbor_batches = 2;
inline constexpr int neighbor_rows_of_two = 4, neighbor_batches_of_two = 3;
/// Teams at most, in multiples of what fits the GPU at once; fewer where a thread would have fewer
/// rows than these, so that adding its bins up is a small part.
inline constexpr std::int64_t most_rounds_of_neighbors = 4, least_neighbor_rows = 32;

// ---- Prefix sums (scan.hpp) ----

/// A team's tile (sums/look_back.hpp). What a tile takes before and after its elements is much, so
/// tiles are large.
struct scan_shape {
  int threads;            ///< of a team
  int groups_per_thread;  ///< of 16 elements; 1 or 2
  int teams_per_sm;       ///< for which the compiler leaves registers
};
/// By the bytes of a real element, and the parts of a number. A larger team looks back less often;
/// complex numbers were not tried with one.
consteval scan_shape scan_shape_of(int bytes, int parts) {
  if (parts == 2)
    return {.threads = 128, .groups_per_thread = bytes == 4 ? 2 : 1, .teams_per_sm = 4};
  if (bytes == 4) return {.threads = 256, .groups_per_thread = 2, .teams_per_sm = 4};
  return by_scratch<scan_shape>({.threads = 256, .groups_per_thread = 2, .teams_per_sm = 3},
                                {.threads = 128, .groups_per_thread = 2, .teams_per_sm = 6});
}

// ---- Products of CRS matrices (crs_rows.hpp, sparse/) ----

/// Rows of so many entries, or fewer, are read in place if none of their warp has more.
inline constexpr int entries_in_place = 8;
/// How a warp stages rows. What it takes of smem is not cache for x.
struct staged_shape {
  int most_entries;     ///< on average, of rows that are staged
  int loads_in_flight;  ///< of a thread: of a value, a column and an element of x each
  int bytes_of_warp;    ///< of products
  int threads_per_sm;   ///< for which the compiler leaves registers
};
/// By the numbers of an accumulator. A warp takes as long as its longest row, and most for sums of
/// two numbers.
consteval staged_shape staged_shape_of(int components) {
  return components == 1 ? staged_shape{.most_entries = 40,
                                        .loads_in_flight = 7,
                                        .bytes_of_warp = 4096,
                                        .threads_per_sm = 1024}
                         : staged_shape{.most_entries = 12,
                                        .loads_in_flight = 8,
                                        .bytes_of_warp = 8192,
                                        .threads_per_sm = 768};
}
inline constexpr int warps_of_staged_rows = 2;  ///< of a team
/// Threads of a team that has other short rows, and teams for which the compiler leaves registers.
inline constexpr int threads_of_rows = 128, teams_of_rows = 6;
/// A warp prefetches the rows of the one that comes so many warps later: about as many as run at
/// once; sorted rows, which a warp has for longer, fewer.
inline constexpr std::int64_t warps_ahead_of_rows = 2048, warps_ahead_of_sorted_rows = 512;
/// Groups of a row of more than a stripe that a thread loads at once.
inline constexpr int row_groups_in_flight = 4;
/// Rows of so many stripes, and of so many times the mean length, are not listed for another
/// kernel.
inline constexpr std::int64_t stripes_unlisted = 8, mean_rows_unlisted = 4;
/// Of the rows that are listed, those of at most so many stripes are summed by a warp each, longer
/// ones by teams.
inline constexpr int stripes_of_warp = 8;
/// Warps of that kernel per SM for which the compiler leaves registers, how many times as many are
/// launched, so that those with less work make room, and stripes of real numbers of which a thread
/// loads its part at once.
inline constexpr int warps_of_listed_rows = 16, rounds_of_listed_rows = 3,
                     listed_stripes_in_flight = 16;

// ---- Segmented sums (segments.hpp) ----

/// Stripes of a warp, and warps for which the compiler leaves registers: a segment's time is that
/// of its loads, one after the other, so many warps count.
inline constexpr int segment_stripes_in_flight = 12, segment_warps = 24;
/// Loads of a thread, and warps, of exact sums: a load is of an element. Bins of doubles leave room
/// for 18 warps.
inline constexpr int exact_segment_loads_in_flight = 8, exact_segment_warps = 18;
/// Warps that have segments, as far as there are so many: several times what fits the GPU.
inline constexpr std::int64_t warps_of_segments_per_sm = 128;
/// Warps of tiles: each first searches for the segments that begin there.
inline constexpr std::int64_t segment_tiles_per_sm = 8;
/// A warp of n segments leaves those of up to n times this to a thread each.
inline constexpr int thread_elements_per_segment = 8;
/// Pieces of a segment that one warp combines; a power of two.
inline constexpr int pieces_of_group = 128;

// ---- Order-free sums (order_free.hpp) ----

/// How an order-free sum is divided (sums/order_free_kernel.hpp).
struct order_free_shape {
  int threads;       ///< of a team
  int teams_per_sm;  ///< for which the compiler leaves registers
  int terms;         ///< of a thread in a batch: deposited together, then loaded again
  int batches;       ///< in flight
  int chains;        ///< terms of a batch whose additions are interleaved
};

/// By what a term is.
struct order_free_shapes {
  order_free_shape floats, float_products, doubles, double_products;
};

/// exact: bins in smem.
inline constexpr order_free_shapes exact_shapes = {
    .floats = {.threads = 256, .teams_per_sm = 4, .terms = 8, .batches = 3, .chains = 4},
    .float_products = {.threads = 256, .teams_per_sm = 3, .terms = 4, .batches = 3, .chains = 4},
    .doubles = {.threads = 128, .teams_per_sm = 4, .terms = 8, .batches = 4, .chains = 4},
    .double_products = {.threads = 128, .teams_per_sm = 4, .terms = 4, .batches = 3, .chains = 4}};

/// reproducible<K> for K <= 4: bins in registers.
inline constexpr order_free_shapes reproducible_shapes = {
    .floats = {.threads = 256, .teams_per_sm = 3, .terms = 8, .batches = 3, .chains = 8},
    .float_products = {.threads = 256, .teams_per_sm = 3, .terms = 4, .batches = 3, .chains = 4},
    .doubles = {.threads = 256, .teams_per_sm = 3, .terms = 8, .batches = 2, .chains = 4},
    .double_products = {.threads = 128, .teams_per_sm = 5, .terms = 4, .batches = 2, .chains = 4}};
/// For larger K: more registers are bins. Two vectors need more registers per batch than one.
inline constexpr order_free_shape many_bins_one_vector = {
    .threads = 256, .teams_per_sm = 2, .terms = 4, .batches = 3, .chains = 4};
inline constexpr order_free_shape many_bins_two_vectors = {
    .threads = 256, .teams_per_sm = 2, .terms = 4, .batches = 2, .chains = 4};

consteval order_free_shape reproducible_shape(int bins, bool is_double, bool products,
                                              bool two_vectors) {
  if (bins > 4) return two_vectors ? many_bins_two_vectors : many_bins_one_vector;
  const order_free_shapes& s = reproducible_shapes;
  if (products) return is_double ? s.double_products : s.float_products;
  return is_double ? s.doubles : s.floats;
}

/// Steps of a thread in flight over elements that loads of 16 bytes cannot bring.
inline constexpr int strided_steps_in_flight = 4;

/// Copies of the sum in global memory, by the bins of a copy: more copies mean fewer atomics on one
/// word, and more to add up in the end.
consteval int copies_of_sum(int bins) { return bins > 128 ? 4 : 8; }

// ---- GEMM (gemm.hpp) ----
// m, n, k as in BLAS: C is m x n. A larger tile per thread or warp reads fewer elements from smem
// per product, but leaves room for fewer warps.

/// Where an entry's sum waits from one section of k to the next, and whence entries are written:
/// from registers (sums wait in global memory), or from the memory where they wait (gemm/
/// tile_sums.hpp).
enum class sums_in { registers, memory, smem };

/// A team's tile of C by FMA instructions (gemm/simt_tile.hpp). A warp is 8 x 4 threads, so the
/// tile is 8 warps_m thread_m x 4 warps_n thread_n.
struct simt_tile_shape {
  int warps_m, warps_n;    ///< of a team
  int thread_m, thread_n;  ///< entries of a thread, in registers
  int tile_k;              ///< k of a stage
  int stages;              ///< of the pipeline of copies to smem
  int totals_in_smem = 0;  ///< numbers of an entry's totals in smem; the others are in registers
  sums_in sums = sums_in::registers;
  int teams_per_sm = 1;  ///< for which the compiler leaves registers

  constexpr bool operator==(const simt_tile_shape&) const = default;
};

/// A team's tile of C by the FP64 tensor cores (gemm/mma_tile.hpp). An instruction multiplies
/// 16 x 4 mma_k4 by 4 mma_k4 x 8, so the tile is 16 warps_m mma_m x 8 warps_n mma_n.
struct mma_tile_shape {
  int warps_m, warps_n;    ///< of a team
  int mma_m, mma_n;        ///< instructions of a warp along m and n
  int mma_k4;              ///< k of an instruction, in fours: 1 or 2
  int tile_k;              ///< k of a stage
  int stages;              ///< of the pipeline of copies to smem
  int totals_in_smem = 0;  ///< as above
  sums_in sums = sums_in::registers;
  int teams_per_sm = 1;  ///< as above

  constexpr bool operator==(const mma_tile_shape&) const = default;
};

/// large: for products that fill the GPU with such tiles; medium: for smaller products; small: for
/// the smallest, and if one tile covers all rows or all columns of C. few, fewest: for products of
/// few entries and long k, which are divided by k. narrow: for few rows or columns. small and
/// narrow read any strides.
template <class Shape>
struct tile_shapes {
  Shape large, medium, small;
  Shape few = small, fewest = small, narrow = small;
};

// A table per type of the elements of A and B and kind of tile. Its rows: the numbers of an entry's
// totals, which stay in registers unless totals_in_smem says otherwise.
// clang-format off

inline constexpr mma_tile_shape
  mma_double_small  = {.warps_m = 2, .warps_n = 2, .mma_m = 1, .mma_n = 2, .mma_k4 = 1, .tile_k = 16, .stages = 3, .teams_per_sm = 4},
  mma_double_few    = by_scratch<mma_tile_shape>(
                      {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k = 16, .stages = 6},
                      {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 5}),
  mma_double_fewest = by_scratch<mma_tile_shape>(
                      {.warps_m = 2, .warps_n = 2, .mma_m = 1, .mma_n = 2, .mma_k4 = 2, .tile_k = 16, .stages = 8},
                      {.warps_m = 2, .warps_n = 2, .mma_m = 1, .mma_n = 2, .mma_k4 = 1, .tile_k = 16, .stages = 5}),
  mma_double_narrow = {.warps_m = 1, .warps_n = 2, .mma_m = 1, .mma_n = 1, .mma_k4 = 1, .tile_k = 32, .stages = 4};

/// double, by the tensor cores.
inline constexpr tile_shapes<mma_tile_shape> mma_double[] = {
  // 0 totals: plain
  {.large  = by_scratch<mma_tile_shape>(
             {.warps_m = 2, .warps_n = 4, .mma_m = 4, .mma_n = 4, .mma_k4 = 1, .tile_k = 16, .stages = 3},
             {.warps_m = 2, .warps_n = 2, .mma_m = 4, .mma_n = 4, .mma_k4 = 2, .tile_k =  8, .stages = 3}),
   .medium = {.warps_m = 4, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 3},
   .small  = mma_double_small, .few = mma_double_few, .fewest = mma_double_fewest, .narrow = mma_double_narrow},
  // 1 total: blocked, seeded
  {.large  = by_scratch<mma_tile_shape>(
             {.warps_m = 4, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 4, .sums = sums_in::smem},
             {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 2, .tile_k =  8, .stages = 5}),
   .medium = {.warps_m = 4, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 3},
   .small  = mma_double_small, .few = mma_double_few, .fewest = mma_double_fewest, .narrow = mma_double_narrow},
  // 2 totals: kahan
  {.large  = by_scratch<mma_tile_shape>(
             {.warps_m = 4, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 4, .totals_in_smem = 1, .sums = sums_in::memory},
             {.warps_m = 4, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 3}),
   .medium = {.warps_m = 4, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 3},
   .small  = mma_double_small, .few = mma_double_few, .fewest = mma_double_fewest, .narrow = mma_double_narrow},
  // 2 totals: priest, whose strips take longest to close
  {.large  = by_scratch<mma_tile_shape>(
             {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k = 16, .stages = 3, .totals_in_smem = 1, .sums = sums_in::memory},
             {.warps_m = 4, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 3}),
   .medium = {.warps_m = 4, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 3},
   .small  = mma_double_small, .few = mma_double_few, .fewest = mma_double_fewest, .narrow = mma_double_narrow}};

/// complex<double>, by the tensor cores. tile_k counts complex products.
inline constexpr tile_shapes<mma_tile_shape> mma_complex_double[] = {
  // 0 totals: plain
  {.large  = by_scratch<mma_tile_shape>(
             {.warps_m = 2, .warps_n = 4, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 4},
             {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 2, .tile_k =  4, .stages = 4}),
   .medium = {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 2, .mma_k4 = 1, .tile_k =  4, .stages = 4},
   .small  = {.warps_m = 2, .warps_n = 2, .mma_m = 1, .mma_n = 2, .mma_k4 = 1, .tile_k =  8, .stages = 3}},
  // 1 total: blocked, seeded
  {.large  = by_scratch<mma_tile_shape>(
             {.warps_m = 2, .warps_n = 4, .mma_m = 2, .mma_n = 4, .mma_k4 = 1, .tile_k =  8, .stages = 2, .totals_in_smem = 1, .sums = sums_in::memory},
             {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 2, .mma_k4 = 1, .tile_k =  4, .stages = 4}),
   .medium = {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 2, .mma_k4 = 1, .tile_k =  4, .stages = 4},
   .small  = {.warps_m = 2, .warps_n = 2, .mma_m = 1, .mma_n = 2, .mma_k4 = 1, .tile_k =  8, .stages = 3}},
  // 2 totals: kahan, priest
  {.large  = {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 2, .mma_k4 = 1, .tile_k =  4, .stages = 4},
   .medium = {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 2, .mma_k4 = 1, .tile_k =  4, .stages = 4},
   .small  = {.warps_m = 2, .warps_n = 2, .mma_m = 1, .mma_n = 2, .mma_k4 = 1, .tile_k =  8, .stages = 3}}};

/// float with widened, by the tensor cores.
inline constexpr tile_shapes<mma_tile_shape> mma_float = {
  .large  = {.warps_m = 2, .warps_n = 2, .mma_m = 4, .mma_n = 4, .mma_k4 = 2, .tile_k = 16, .stages = 3},
  .medium = {.warps_m = 2, .warps_n = 2, .mma_m = 4, .mma_n = 4, .mma_k4 = 2, .tile_k = 16, .stages = 3},
  .small  = {.warps_m = 2, .warps_n = 2, .mma_m = 1, .mma_n = 2, .mma_k4 = 1, .tile_k = 16, .stages = 3}};

/// complex<float> with widened, by the tensor cores.
inline constexpr tile_shapes<mma_tile_shape> mma_complex_float = {
  .large  = {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 4, .mma_k4 = 2, .tile_k =  8, .stages = 4},
  .medium = {.warps_m = 2, .warps_n = 2, .mma_m = 2, .mma_n = 2, .mma_k4 = 1, .tile_k =  8, .stages = 4},
  .small  = {.warps_m = 2, .warps_n = 2, .mma_m = 1, .mma_n = 2, .mma_k4 = 1, .tile_k =  8, .stages = 3}};

inline constexpr simt_tile_shape
  simt_float_small  = {.warps_m = 1, .warps_n = 2, .thread_m = 4, .thread_n =  4, .tile_k = 16, .stages = 3, .teams_per_sm = 8},
  simt_float_plain_medium = {.warps_m = 1, .warps_n = 4, .thread_m = 8, .thread_n =  8, .tile_k =  8, .stages = 4},
  simt_float_medium = {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  8, .tile_k = 16, .stages = 3},
  simt_float_seeded_medium = by_scratch<simt_tile_shape>(
                      {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  8, .tile_k = 16, .stages = 3, .totals_in_smem = 1, .teams_per_sm = 2},
                      simt_float_medium),
  simt_float_seeded_few = by_scratch<simt_tile_shape>(
                      {.warps_m = 1, .warps_n = 4, .thread_m = 8, .thread_n =  8, .tile_k = 16, .stages = 4, .totals_in_smem = 1},
                      simt_float_medium),
  simt_float_fewest = by_scratch<simt_tile_shape>(
                      {.warps_m = 1, .warps_n = 4, .thread_m = 4, .thread_n =  2, .tile_k = 32, .stages = 6},
                      {.warps_m = 1, .warps_n = 4, .thread_m = 4, .thread_n =  2, .tile_k = 32, .stages = 4}),
  simt_float_narrow = {.warps_m = 1, .warps_n = 4, .thread_m = 2, .thread_n =  1, .tile_k = 32, .stages = 6};

/// float, by FMA instructions.
inline constexpr tile_shapes<simt_tile_shape> simt_float[] = {
  // 0 totals: plain
  {.large  = {.warps_m = 4, .warps_n = 2, .thread_m = 8, .thread_n = 16, .tile_k =  8, .stages = 3},
   .medium = simt_float_plain_medium,
   .small  = simt_float_small, .few = simt_float_plain_medium, .fewest = simt_float_fewest, .narrow = simt_float_narrow},
  // 1 total: blocked, seeded
  {.large  = by_scratch<simt_tile_shape>(
             {.warps_m = 4, .warps_n = 2, .thread_m = 8, .thread_n = 16, .tile_k =  8, .stages = 3, .totals_in_smem = 1, .sums = sums_in::memory},
             {.warps_m = 2, .warps_n = 4, .thread_m = 8, .thread_n =  8, .tile_k = 16, .stages = 2}),
   .medium = simt_float_seeded_medium,
   .small  = simt_float_small, .few = simt_float_seeded_few, .fewest = simt_float_fewest, .narrow = simt_float_narrow},
  // 2 totals: kahan, priest
  {.large  = by_scratch<simt_tile_shape>(
             {.warps_m = 1, .warps_n = 4, .thread_m = 8, .thread_n =  8, .tile_k = 16, .stages = 3, .totals_in_smem = 2},
             {.warps_m = 1, .warps_n = 2, .thread_m = 8, .thread_n =  8, .tile_k =  8, .stages = 3, .totals_in_smem = 2}),
   .medium = simt_float_medium,
   .small  = simt_float_small, .few = simt_float_medium, .fewest = simt_float_fewest, .narrow = simt_float_narrow}};

/// complex<float>, by FMA instructions.
inline constexpr tile_shapes<simt_tile_shape> simt_complex_float[] = {
  // 0 totals: plain
  {.large  = {.warps_m = 2, .warps_n = 2, .thread_m = 8, .thread_n =  8, .tile_k =  4, .stages = 4},
   .medium = {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  4, .tile_k =  8, .stages = 3},
   .small  = {.warps_m = 1, .warps_n = 2, .thread_m = 4, .thread_n =  4, .tile_k = 16, .stages = 3}},
  // 1 total: blocked, seeded
  {.large  = {.warps_m = 2, .warps_n = 4, .thread_m = 8, .thread_n =  4, .tile_k =  8, .stages = 3},
   .medium = {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  4, .tile_k =  8, .stages = 3},
   .small  = {.warps_m = 1, .warps_n = 2, .thread_m = 4, .thread_n =  4, .tile_k = 16, .stages = 3}},
  // 2 totals: kahan, priest
  {.large  = {.warps_m = 1, .warps_n = 2, .thread_m = 8, .thread_n =  4, .tile_k =  4, .stages = 3,
                .totals_in_smem = 2},
   .medium = {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  4, .tile_k =  8, .stages = 3},
   .small  = {.warps_m = 1, .warps_n = 2, .thread_m = 4, .thread_n =  4, .tile_k = 16, .stages = 3}}};

// compensated, by FMA instructions: ten per product, and two numbers per sum. Registers decide: a
// thread has 128 bytes of sums.

/// float.
inline constexpr tile_shapes<simt_tile_shape> compensated_float = {
  .large  = {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  8, .tile_k = 16, .stages = 3},
  .medium = {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  8, .tile_k = 16, .stages = 3},
  .small  = {.warps_m = 1, .warps_n = 2, .thread_m = 4, .thread_n =  4, .tile_k = 16, .stages = 3}};

/// double, complex<float>.
inline constexpr tile_shapes<simt_tile_shape> compensated_8_bytes = {
  .large  = {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  4, .tile_k =  8, .stages = 3},
  .medium = {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  4, .tile_k =  8, .stages = 3},
  .small  = {.warps_m = 1, .warps_n = 2, .thread_m = 4, .thread_n =  4, .tile_k = 16, .stages = 3}};

/// complex<double>.
inline constexpr tile_shapes<simt_tile_shape> compensated_complex_double = {
  .large  = {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  2, .tile_k =  8, .stages = 3},
  .medium = {.warps_m = 2, .warps_n = 4, .thread_m = 4, .thread_n =  2, .tile_k =  8, .stages = 3},
  .small  = {.warps_m = 1, .warps_n = 2, .thread_m = 4, .thread_n =  4, .tile_k =  8, .stages = 3}};
// clang-format on

/// Steps of k whose code is written out for compensated. Other tiles by FMA instructions write out
/// all of a stage; here the instruction cache would not hold that.
inline constexpr int compensated_unrolled_k = 2;

/// The row of the tables for Problem, an impl::gemm_problem.
template <class Problem>
consteval auto gemm_tile_shapes() {
  using in = typename Problem::in;
  constexpr bool is_complex = Problem::parts == 2;
  constexpr bool is_float = sizeof(in) == (is_complex ? 8 : 4);
  constexpr int totals = Problem::totals::components;
  if constexpr (Problem::chain::components == 2) {
    return sizeof(in) == 4   ? compensated_float
           : sizeof(in) == 8 ? compensated_8_bytes
                             : compensated_complex_double;
  } else if constexpr (!std::is_same_v<typename Problem::real, double>) {
    return is_complex ? simt_complex_float[totals] : simt_float[totals];
  } else if constexpr (is_float) {
    static_assert(totals == 0);
    return is_complex ? mma_complex_float : mma_float;
  } else {
    constexpr bool is_priest = std::is_same_v<typename Problem::method, selective<priest>>;
    return is_complex ? mma_complex_double[totals] : mma_double[totals + is_priest];
  }
}

/// Which size of tile a product gets. A wave: as many tiles as the GPU works on at once.
struct tile_choice {
  int threads_per_sm;              ///< of large tiles, at work at once
  int min_waves;                   ///< large: at least so many waves,
  double min_wave_efficiency;      ///< which are full on average to this part
  double min_medium_tiles_per_sm;  ///< medium: at least so many tiles
};
/// A product is divided by k where it has fewer tiles per multiprocessor than tiles; few serve it
/// where their sections are at least so many, and where they have at most so many times the entries
/// that fewest has, those beyond the edges of C too. A product takes longer by fewest.
struct division_choice {
  double tiles, min_few, max_few_entries;
};
inline constexpr tile_choice real_and_complex_float = {.threads_per_sm = 256,
                                                       .min_waves = 2,
                                                       .min_wave_efficiency = 0.875,
                                                       .min_medium_tiles_per_sm = 0.5};
inline constexpr tile_choice complex_double = {.threads_per_sm = 256,
                                               .min_waves = 1,
                                               .min_wave_efficiency = 0.875,
                                               .min_medium_tiles_per_sm = 0.5};

/// By FMA instructions one team of `few` keeps a multiprocessor busy.
template <bool ByTensorCores>
inline constexpr division_choice divided = {
    .tiles = 0.75, .min_few = ByTensorCores ? 1.5 : 0.9, .max_few_entries = 1.25};

template <class In>
inline constexpr tile_choice choice_of = sizeof(In) == 16 ? complex_double : real_and_complex_float;

/// Which panels a tile of the tensor cores reads in place if their elements are contiguous in k.
/// Each choice is one more kernel to compile; other panels are packed first. Beside large tiles
/// packing costs little, and large tiles of floats are faster with packed panels.
enum class unpacked { none, b, b_or_both };
template <class Real>
inline constexpr unpacked unpacked_by_large = sizeof(Real) == 4 ? unpacked::none : unpacked::b;
inline constexpr unpacked unpacked_by_medium = unpacked::b_or_both;

/// A product of several sections is computed by so many threads per multiprocessor, whose sums wait
/// in memory from one section to the next.
inline constexpr int waiting_threads_per_sm = 512;

/// Loads of 16 bytes of them that a thread has under way at once.
inline constexpr int waiting_loads = 8;

/// Tiles are taken column by column from bands of so many rows of tiles: those at work together
/// share rows of A and columns of B in the cache.
inline constexpr int band_rows = 16;

/// Packing (gemm/pack_panels.hpp): a team copies squares by way of smem.
struct pack_shape {
  int side, threads;
};
template <class T>
inline constexpr pack_shape packing = {.side = sizeof(T) == 16 ? 32 : 64, .threads = 256};

// ---- Products with one column (gemv.hpp) ----

/// How such a product is divided (gemm/gemv_tiles.hpp). A warp's ring has stages * stage_bytes, and
/// a team's rings fit into smem. Memory is the limit, so bytes under way are what counts: of each
/// warp all stages but one.
struct gemv_shape {
  int stage_bytes;   ///< of A in a stage
  int stages;        ///< of a warp's ring
  int warps;         ///< of a team, at most: sections that are summed at once
  int min_rows;      ///< of a warp
  int warps_per_sm;  ///< a warp has the most rows, up to 32, with which there are so many
};

/// short_k: for products of one section, whose time is a warp's, so that a team is a warp with a
/// deep ring. long_k: for all others.
struct gemv_shapes {
  gemv_shape short_k, long_k;
};

/// k_vectors: whether the elements, of `bytes` bytes, are contiguous along k; compensated: ten
/// instructions per product, for which a warp's rows should be its threads.
consteval gemv_shapes gemv_shapes_of(bool k_vectors, bool compensated, int bytes) {
  const bool all_rows = compensated || (!k_vectors && bytes <= 4);
  return {.short_k = {.stage_bytes = k_vectors ? 4096 : 8192,
                      .stages = 4,
                      .warps = 1,
                      .min_rows = 4,
                      .warps_per_sm = 7},
          .long_k = {.stage_bytes = 4096,
                     .stages = 2,
                     .warps = 4,
                     .min_rows = 8,
                     .warps_per_sm = all_rows ? 7 : 15}};
}

/// Such products of many short rows: a thread has a row (gemm/gemv_rows.hpp).
struct gemv_rows_shape {
  int warps;                 ///< of a team
  int threads_per_sm;        ///< for which the compiler leaves registers
  int at_once;               ///< elements of A, and of x, that a thread loads at once
  std::int64_t rows_per_sm;  ///< the fewest
  std::int64_t most_k;       ///< the longest rows
  std::int64_t least_strip;  ///< the shortest strip that may end within a row
};

/// By the bytes of an element of A, and of a real number of the sums.
consteval gemv_rows_shape gemv_rows_shape_of(int bytes, int real_bytes) {
  return {.warps = 4,
          .threads_per_sm = bytes >= 8 || real_bytes == 8 ? 640 : 1024,
          .at_once = bytes == 2   ? 16
                     : bytes <= 8 ? 8
                                  : 4,
          .rows_per_sm = 512,
          .most_k = bytes == 2 ? 256 : 64,
          .least_strip = 32};
}

/// Exact products by residues.
struct residue_gemm {
  /// Residues are taken where the larger one of rows and columns is at least least_rows. If the
  /// smaller one is below it and no numbers are cut, k must be at least least_depth_of_few_rows.
  static constexpr std::int64_t least_rows = 16, least_depth_of_few_rows = 256;
  static constexpr double least_products = 1 << 18;
  /// Matrices of a batch are computed one after the other.
  static constexpr double least_products_of_batch = 1 << 24;
  /// So much of the device's memory is for residues, at most; smaller blocks of C take less.
  static constexpr int part_of_memory = 8;
  /// Products of few rows take no more: their matrices may fill the device.
  static constexpr double most_bytes_of_few_rows = 1 << 29;
  /// 125 bits: floats and their squares need no more unless they are far apart.
  static constexpr int most_moduli_of_float = 16;
  /// Where C has few tiles, k is divided so that tiles of so many moduli are so many rounds of all
  /// multiprocessors; a part has so many blocks at least.
  static constexpr int usual_moduli = 8, rounds_of_parts = 2, least_part_blocks = 8;
  /// Rows of A, and columns of B, that are not sorted for one modulus.
  static constexpr std::int64_t few_rows = 1024;
  /// One kernel makes residues and multiplies them where each strip of C has so many teams.
  static constexpr int least_teams_of_strip = 4;
  /// Teams that put entries together: more threads of a multiprocessor have fewer registers, which
  /// residues of many moduli do not fit into.
  struct shape {
    unsigned threads, teams_per_sm;
  };
  static consteval shape finish_shape(int most_moduli) {
    return most_moduli <= 16 ? shape{128, 5} : shape{256, 2};
  }
  /// Entries that the moduli do not hold.
  static constexpr int threads_of_others = 256, teams_of_others = 4;
};

}  // namespace acc::backends::cuda::tuning

#endif
