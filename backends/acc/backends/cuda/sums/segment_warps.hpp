// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_SEGMENT_WARPS_HPP
#define ACC_BACKENDS_CUDA_SUMS_SEGMENT_WARPS_HPP

/// \file
/// The kernel of segmented sums. The offsets are known to the device alone, so a warp decides by
/// them what it sums:
///
///   warps              sum
///   of segments        some adjacent segments each: short ones by a thread each, others by the
///                      warp, one after the other, up to a budget of elements
///   of tiles           the vector is divided into tiles of a few leaves. A segment longer than a
///                      tile is cut into pieces of a tile's size, from its beginning on; a piece
///                      belongs to the tile that it begins in (generic/segments.hpp), and so does a
///                      segment beyond the budget of its warp.
///
/// So no warp has much more work than another, whatever the segments are. The last warp to sum a
/// piece of a group of pieces combines the group, and the last of these the groups.

#include <acc/backends/cuda/gemm/ptx.hpp>
#include <acc/backends/cuda/sums/warp_bins.hpp>
#include <acc/backends/cuda/sums/warp_leaves.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/cuda/warp_arrival.hpp>
#include <acc/backends/generic/segments.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/order/segments.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// How a warp sums.
template <class R, class Ops>
using warp_sum =
    std::conditional_t<impl::is_order_free<typename R::method>, warp_bins<R>, warp_leaves<R, Ops>>;

template <class S, class Ops = cuda_ops>
struct segment_warps {
  using R = typename S::reduction;
  using sum_type = warp_sum<R, Ops>;
  using memory = typename sum_type::memory;
  using node = typename sum_type::node;
  static constexpr int pieces_of_group = tuning::pieces_of_group;

  generic::segment_tiles<S, node> tiles;
  unsigned* arrived;    ///< counters_of_tile for each tile, zero between launches
  int in_warp;          ///< segments of a warp, a power of two
  std::int64_t groups;  ///< warps of segments
  bool has_short_ones;  ///< else another kernel sums segments of at most a stripe

  /// Of pieces of the first group of a segment that begins in the tile, of a later group's that
  /// does, and of groups.
  static constexpr int counters_of_tile = 3;

  template <class Exec>
  using policy = Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<warp_size, sum_type::warps_per_sm>,
                                     Kokkos::IndexType<std::int64_t>>;

  __device__ void operator()(std::int64_t thread) const {
    __shared__ alignas(16) std::byte shared[sizeof(memory)];
    run(*reinterpret_cast<memory*>(shared), thread / warp_size, int(thread % warp_size));
  }

  __device__ void run(memory& m, std::int64_t warp, int lane_id) const {
    if (warp < tiles.count) {
      sum_tile(m, warp, lane_id);
    } else {
      sum_group(m, warp - tiles.count, lane_id);
    }
  }

 private:
  __device__ const S& segments() const { return tiles.segments; }
  /// Elements that a warp of segments sums at most, of segments for which it takes a warp.
  __device__ std::int64_t budget() const { return 2 * tiles.size; }
  /// Up to so many elements a thread sums a segment, or nobody here does. One thread takes longer
  /// for a long one than the warp takes for all its segments.
  __device__ std::int64_t longest_of_thread() const {
    if (!has_short_ones) return S::stripe;
    return tiles.lesser(S::stripe, in_warp * std::int64_t(tuning::thread_elements_per_segment));
  }
  /// Whether a segment of a warp of segments whose first one begins at `first`, or its first piece,
  /// is beyond the budget.
  __device__ bool is_late(std::int64_t first, std::int64_t begin, std::int64_t end) const {
    return end - begin > S::stripe &&
           begin + tiles.lesser(end - begin, tiles.size) - first > budget();
  }

  __device__ void sum_group(memory& m, std::int64_t group, int lane_id) const {
    const std::int64_t i = group * in_warp + lane_id;
    std::int64_t begin = 0, end = 0;
    const bool present = lane_id < in_warp && i < segments().count;
    if (present) {
      begin = segments().offset(i);
      end = segments().offset(i + 1);
    }
    const std::int64_t first = __shfl_sync(full_warp, begin, 0);
    const bool by_thread = end - begin <= longest_of_thread();
    if (has_short_ones && present && by_thread)
      impl::sum_short_segment(segments().of(i, begin, end));
    sum_all(*this, m, !by_thread && !is_late(first, begin, end), {i, begin, end, 0}, lane_id);
  }

  __device__ void sum_tile(memory& m, std::int64_t tile, int lane_id) const {
    const S& s = segments();
    const std::int64_t from = tile * tiles.size;
    const std::int64_t low = last_begun(from, -1, s.count, lane_id);
    // The piece of a segment that began before.
    if (low >= 0 && low < s.count) {
      const std::int64_t begin = s.offset(low), end = s.offset(low + 1);
      const std::int64_t piece = (from - begin + tiles.size - 1) / tiles.size;
      if (piece > 0 && end - begin > tiles.size && begin + piece * tiles.size < end)
        sum_all(*this, m, lane_id == 0, {low, begin, end, piece}, lane_id);
    }
    // Segments that begin here, beyond the budget of their warp. Of the warps of segments, those
    // between the first and the last one have no more elements than the tile.
    const std::int64_t high = last_begun(from + tiles.size, low, s.count, lane_id);
    if (!exceeds_budget(low < 0 ? 0 : low) && !exceeds_budget(high)) return;
    const std::int64_t stop = tiles.lesser(from + tiles.size, s.size());
    for (std::int64_t leaf = from; leaf < stop; leaf += S::leaf) {
      for (int j = lane_id; j < impl::stripes_per_leaf; j += warp_size) {
        const std::int64_t i = tiles.segment_beginning_in(leaf, j, low, high);
        std::int64_t begin = 0, end = 0;
        bool mine = i >= 0;
        if (mine) {
          begin = s.offset(i);
          end = s.offset(i + 1);
          mine = is_late(s.offset(i / in_warp * in_warp), begin, end);
        }
        sum_all(*this, m, mine, {i, begin, end, 0}, lane_id);
      }
    }
  }
  /// Whether the warp of segment i has more elements than its budget.
  __device__ bool exceeds_budget(std::int64_t i) const {
    if (i >= segments().count) i = segments().count - 1;
    const std::int64_t first = i / in_warp * in_warp;
    return segments().offset(tiles.lesser(first + in_warp, segments().count)) -
               segments().offset(first) >
           budget();
  }

  /// A segment, elements [begin, end), or its piece of that number if it is longer than a tile.
  struct item {
    std::int64_t segment, begin, end, piece;
  };
  /// Sums the items of the threads that have one. Out of line and by value, as in reduction_tree:
  /// several places need it.
  __device__ __noinline__ static void sum_all(segment_warps k, memory& m, bool mine, item of_thread,
                                              int lane_id) {
    unsigned threads = __ballot_sync(full_warp, mine);
    if (threads == 0) return;
    const auto& tiles = k.tiles;
    sum_type sum(m, lane_id);
    ACC_NO_UNROLL for (; threads != 0; threads &= threads - 1) {
      const int thread = impl::trailing_zeros(threads);
      const item t = {__shfl_sync(full_warp, of_thread.segment, thread),
                      __shfl_sync(full_warp, of_thread.begin, thread),
                      __shfl_sync(full_warp, of_thread.end, thread),
                      __shfl_sync(full_warp, of_thread.piece, thread)};
      const std::int64_t size = t.end - t.begin, from = t.piece * tiles.size;
      const R r = tiles.segments.of(t.segment, t.begin, t.end);
      const auto partial = sum.sum(r, from, tiles.lesser(from + tiles.size, size), S::leaf);
      if (size <= tiles.size) {
        sum.finish(r, partial);
      } else {
        sum.give(partial, &tiles.piece(t.begin / tiles.size, t.piece));
        combine_pieces(k, m, t, lane_id);
      }
    }
  }

  /// If this warp is the last to have summed a piece of the group, or of all, combines them.
  __device__ __noinline__ static void combine_pieces(segment_warps k, memory& m, item t,
                                                     int lane_id) {
    const auto& tiles = k.tiles;
    const std::int64_t tile = t.begin / tiles.size;
    const std::int64_t pieces = (t.end - t.begin + tiles.size - 1) / tiles.size;
    const std::int64_t group = t.piece / pieces_of_group, start = group * pieces_of_group;
    const int count = int(tiles.lesser(pieces - start, pieces_of_group));
    const int groups = int((pieces + pieces_of_group - 1) / pieces_of_group);
    unsigned* const counters = k.arrived + tile * counters_of_tile;
    if (!warp_arrives_last(counters + start * counters_of_tile + (group == 0 ? 0 : 1), count,
                           lane_id))
      return;
    const R r = tiles.segments.of(t.segment, t.begin, t.end);
    sum_type sum(m, lane_id);
    auto partial = sum.combined([&](int i) { return &tiles.piece(tile, start + i); }, count);
    if (groups > 1) {
      sum.give(partial, &tiles.piece(tile, start));
      if (!warp_arrives_last(counters + 2, groups, lane_id)) return;
      partial = sum.combined(
          [&](int i) { return &tiles.piece(tile, std::int64_t(i) * pieces_of_group); }, groups);
    }
    sum.finish(r, partial);
  }
  /// impl::segments::last_begun by a warp.
  __device__ std::int64_t last_begun(std::int64_t position, std::int64_t low, std::int64_t high,
                                     int lane_id) const {
    while (low < high) {
      const std::int64_t step = (high - low + warp_size - 1) / warp_size;
      const std::int64_t probe = low + (lane_id + 1) * step;
      const bool has_begun = probe <= high && segments().offset(probe) <= position;
      const int begun = Kokkos::Experimental::popcount_builtin(__ballot_sync(full_warp, has_begun));
      low += begun * step;
      high = tiles.lesser(high, low + step - 1);
    }
    return low;
  }
};

}  // namespace acc::backends::cuda

#endif
