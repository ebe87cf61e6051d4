// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_CRS_ROWS_HPP
#define ACC_BACKENDS_CUDA_CRS_ROWS_HPP

/// \file
/// Products of CRS matrices with a vector on NVIDIA GPUs, in canonical order.
///
///   rows of            are summed
///   a stripe or less   by some threads of a warp, which has several such rows at once
///   a leaf or less     by that warp, one after the other
///   more               by teams, in tiles (generic/segments.hpp), by another kernel. It ends at
///                      once where the first one has met no such row.

#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/generic/crs_rows.hpp>
#include <acc/backends/generic/segments.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/gemm/crs_rows.hpp>
#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace acc::backends::cuda {

/// Threads: of a row of at most a stripe.
template <class S, int Threads>
struct packed_rows {
  using R = typename S::reduction;
  using element = typename S::element;
  using ordinal = typename S::ordinal;
  using Acc = typename R::accumulator;
  using terms = typename R::terms;
  using sums = typename R::leaf_sums;
  static constexpr int width = R::width, components = S::components;
  static constexpr int in_warp = warp_size / Threads;  ///< rows
  static constexpr int slots = impl::groups_per_stripe / Threads;
  /// Whether a group of padding is as none. (Of complex products it makes +0 of -0.)
  static constexpr bool skips_padding = terms::sums == 1;

  template <class Exec>
  using policy =
      Kokkos::RangePolicy<Exec,
                          Kokkos::LaunchBounds<tuning::threads_of_rows, tuning::teams_of_rows>,
                          Kokkos::IndexType<std::int64_t>>;

  S rows;
  int x_bytes;         ///< between elements of x: one multiplication addresses one
  unsigned* any_long;  ///< set where a row has more than a leaf

  __device__ void operator()(std::int64_t thread) const {
    const int lane_id = int(thread % warp_size), of_row = lane_id % Threads;
    const std::int64_t i = thread / warp_size * in_warp + lane_id / Threads;
    std::int64_t begin = 0, end = 0;
    const bool exists = i < rows.count;
    if (exists) {
      begin = rows.offset(i);
      end = rows.offset(i + 1);
    }
    const std::int64_t ahead = (thread / warp_size + tuning::warps_ahead_of_rows) * in_warp;
    std::int64_t ahead_begin = 0, ahead_end = 0;
    if (ahead + in_warp <= rows.count) {
      ahead_begin = rows.offset(ahead);
      ahead_end = rows.offset(ahead + in_warp);
    }
    const std::int64_t size = end - begin;
    const bool is_short = size <= S::stripe;
    const sums total = sum_stripe(row_from(begin, is_short ? size : 0), of_row);
    prefetch(ahead_begin, ahead_end, lane_id);
    if (of_row == 0 && exists && is_short) finish(i, begin, end, total);
    if (of_row == 0 && size > S::leaf) *any_long = 1;
    // Those that are left, by the warp.
    unsigned left = __ballot_sync(full_warp, of_row == 0 && !is_short && size <= S::leaf);
    ACC_NO_UNROLL for (; left != 0; left &= left - 1) {
      const int from = impl::trailing_zeros(left);
      const std::int64_t row = __shfl_sync(full_warp, i, from),
                         first = __shfl_sync(full_warp, begin, from),
                         last = __shfl_sync(full_warp, end, from);
      const sums of_leaf = sum_leaf(row_from(first, last - first), lane_id);
      if (lane_id == 0) finish(row, first, last, of_leaf);
    }
  }

 private:
  static constexpr int line = 128;  ///< of the cache, in bytes

  /// Brings entries [begin, end) to the cache, where rows of another warp are, which comes later: a
  /// line by each thread. They are found by the row map alone, so this is right for any matrix.
  /// What a warp waits for is the latency of three loads in turn (the row map, columns, x), and it
  /// has too few of them under way to hide that of DRAM.
  __device__ void prefetch(std::int64_t begin, std::int64_t end, int lane_id) const {
    if (end - begin > S::leaf) return;
    const int entries = int(end - begin);
    prefetch_lines(rows.values.data + begin * components,
                   entries * int(components * sizeof(element)), lane_id);
    prefetch_lines(rows.x.index + begin, entries * int(sizeof(ordinal)), lane_id);
  }
  __device__ static void prefetch_lines(const void* data, int size, int lane_id) {
    const int at = line * lane_id;
    if (at < size)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(data) + at));
  }

  /// A group's numbers, and those of x that they meet.
  struct group {
    element a[width], x[width];
  };
  __device__ group pad() const {
    group g;
    ACC_UNROLL for (int j = 0; j < width; ++j) {
      g.a[j] = impl::padding<element>::x;
      g.x[j] = impl::padding<element>::y;
    }
    return g;
  }
  /// A row's values and columns.
  struct row {
    const element* values;
    const ordinal* index;
    int size;  ///< in real elements
  };
  __device__ row row_from(std::int64_t begin, std::int64_t size) const {
    return {rows.values.data + begin * components, rows.x.index + begin, int(size) * components};
  }
  /// A row's real elements from `first` on.
  __device__ group load(const row& r, int first) const {
    group g = pad();
    ACC_UNROLL for (int j = 0; j < width; j += components) {
      if (first + j < r.size) {
        const std::int64_t column = r.index[(first + j) / components];
        const auto* const b = reinterpret_cast<const element*>(
            reinterpret_cast<const char*>(rows.x.data) + column * x_bytes);
        ACC_UNROLL for (int c = 0; c < components; ++c) {
          g.a[j + c] = r.values[first + j + c];
          g.x[j + c] = b[c];
        }
      }
    }
    return g;
  }
  __device__ static void deposit(Acc (&lane)[width][terms::sums], const group& g) {
    ACC_UNROLL for (int j = 0; j < width; ++j)
        terms::deposit(lane[j], g.a[j], g.x[j], g.x[j ^ 1], j);
  }
  /// Adds what the threads have, of which there are `threads` in a row, by halving strides.
  template <int Count>
  __device__ static sums combine_threads(sums s) {
    ACC_UNROLL for (int stride = Count / 2; stride > 0; stride /= 2)
        s.merge(shuffle_down(s, stride));
    return s;
  }

  /// A row of at most a stripe: a thread has every Threads-th group, from its own number on. It
  /// loads `together` of them at once; more need registers that other warps lack then.
  __device__ sums sum_stripe(const row& r, int of_row) const {
    constexpr int together = slots < 4 ? slots : 4;
    sums of_slot[slots];
    ACC_UNROLL for (int first = 0; first < slots; first += together) {
      if (!skips_padding || first * Threads * width < r.size) {
        group g[together];
        ACC_UNROLL for (int s = 0; s < together; ++s) g[s] =
            load(r, ((first + s) * Threads + of_row) * width);
        ACC_UNROLL for (int s = 0; s < together; ++s) {
          if (!skips_padding || (first + s) * Threads * width < r.size) {
            Acc lane[width][terms::sums];
            deposit(lane, g[s]);
            of_slot[first + s] = impl::combine_lanes<Acc, R>(lane);
          }
        }
      }
    }
    ACC_UNROLL for (int stride = slots / 2; stride > 0; stride /= 2) {
      ACC_UNROLL for (int s = 0; s < stride; ++s) {
        if (!skips_padding || (s + stride) * Threads * width < r.size)
          of_slot[s].merge(of_slot[s + stride]);
      }
    }
    return combine_threads<Threads>(of_slot[0]);
  }
  /// A row of at most a leaf: a thread has a group of each stripe.
  __device__ sums sum_leaf(const row& r, int lane_id) const {
    constexpr int in_flight = tuning::row_groups_in_flight;
    Acc lane[width][terms::sums];
    const int own = lane_id * width;
    ACC_NO_UNROLL for (int stripe = 0; stripe < r.size; stripe += in_flight * R::stripe) {
      group g[in_flight];
      ACC_UNROLL for (int k = 0; k < in_flight; ++k) g[k] = load(r, stripe + k * R::stripe + own);
      ACC_UNROLL for (int k = 0; k < in_flight; ++k) {
        // A stripe that the row has, for all threads.
        if (stripe + k * R::stripe < r.size) deposit(lane, g[k]);
      }
    }
    return combine_threads<warp_size>(impl::combine_lanes<Acc, R>(lane));
  }

  __device__ void finish(std::int64_t i, std::int64_t begin, std::int64_t end,
                         const sums& total) const {
    const R r = rows.of(i, begin, end);
    if (impl::range_check<R>(total).is_ordinary())
      r.finish(impl::make_ordinary_node<R>(total));
    else
      finish_again(r);
  }
  /// Out of line, as few rows need it.
  __device__ __noinline__ static void finish_again(R r) { impl::sum_short_row(r); }
};

/// A team per tile, of rows of more than a leaf.
template <class Tiles>
struct long_row_tiles {
  using memory = typename generic::team_piece<typename Tiles::segments_type::reduction>::memory;

  Tiles tiles;
  const unsigned* any_long;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (*any_long == 0) return;
    auto& m = *static_cast<memory*>(team.team_scratch(0).get_shmem_aligned(sizeof(memory), 16));
    generic::sum_tile_by_team(team, tiles, m, [&](std::int64_t leaf, const auto& sum) {
      generic::longer_than_leaf{}(tiles, leaf, sum);
    });
  }
};

/// generic::long_segments, where there are such rows.
template <class Tiles>
struct long_row_pieces {
  generic::long_segments<Tiles> pieces;
  const unsigned* any_long;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (*any_long != 0) pieces(team);
  }
};

/// Enqueues the kernels of rows of more than a leaf.
template <class Exec, class S>
void launch_long_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s,
                      const unsigned* any_long) {
  using node = typename generic::team_piece<typename S::reduction>::node;
  using tiles_type = generic::segment_tiles<S, node>;
  using kernel = long_row_tiles<tiles_type>;
  const std::int64_t sms = exec.cuda_device_prop().multiProcessorCount;
  const std::int64_t most = std::min<std::int64_t>(tuning::tiles_of_rows_per_sm * sms,
                                                   (nodes_bytes - 64) / (2 * sizeof(node)));
  const std::int64_t leaves = (s.size() + S::leaf - 1) / S::leaf;
  const std::int64_t size =
      S::leaf * std::int64_t(std::bit_ceil(std::uint64_t((leaves + most - 1) / most)));
  const std::int64_t count = (s.size() + size - 1) / size;
  auto* const nodes = reinterpret_cast<node*>(memory.nodes());
  const tiles_type tiles{s, size, count, nodes, nodes + count};
  Kokkos::TeamPolicy<Exec> policy(exec, int(count), Kokkos::AUTO);
  Kokkos::parallel_for(
      label, policy.set_scratch_size(0, Kokkos::PerTeam(int(sizeof(typename kernel::memory)) + 16)),
      kernel{tiles, any_long});
  if (count > 1)
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, int(count - 1), Kokkos::AUTO),
                         long_row_pieces<tiles_type>{{tiles}, any_long});
}

template <int Threads, class Exec, class S>
void launch_packed_rows(const Exec& exec, const char* label, const S& s, unsigned* any_long) {
  using kernel = packed_rows<S, Threads>;
  const std::int64_t warps = (s.count + kernel::in_warp - 1) / kernel::in_warp;
  Kokkos::parallel_for(label, typename kernel::template policy<Exec>(exec, 0, warps * warp_size),
                       kernel{s, int(s.x.stride * sizeof(typename S::element)), any_long});
}

/// Enqueues the products on exec.
template <class Exec, class S>
void crs_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  // Matrices are contiguous. Others have generic kernels, and x of such strides.
  constexpr std::int64_t element_bytes = sizeof(typename S::element);
  if (s.values.stride != S::components || s.x.index_stride != 1 ||
      std::abs(s.x.stride) > std::numeric_limits<int>::max() / element_bytes)
    return generic::crs_rows(exec, memory, label, s);
  // The last word of the nodes' memory, of which tiles leave some.
  auto* const any_long =
      reinterpret_cast<unsigned*>(reinterpret_cast<std::byte*>(memory.nodes()) + nodes_bytes - 8);
  const bool may_be_long = s.size() > S::leaf;
  if (may_be_long) fill_with_zeros(exec, label, any_long, sizeof(unsigned));
  const std::int64_t groups = s.size() * S::components / (s.count * S::reduction::width);
  if (groups <= 16)
    launch_packed_rows<4>(exec, label, s, any_long);
  else if (groups <= 32)
    launch_packed_rows<8>(exec, label, s, any_long);
  else
    launch_packed_rows<32>(exec, label, s, any_long);
  if (may_be_long) launch_long_rows(exec, memory, label, s, any_long);
}

}  // namespace acc::backends::cuda

#endif
