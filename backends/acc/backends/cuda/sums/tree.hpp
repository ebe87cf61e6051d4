// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_TREE_HPP
#define ACC_BACKENDS_CUDA_SUMS_TREE_HPP

/// \file
/// A tree of nodes over the leaves of a vector on NVIDIA GPUs: a warp a leaf, level by level. What
/// limits a sum here is whatever keeps a warp from loading: a fence, a counter, a spilled register,
/// an instruction that has to be fetched first.

#include <acc/backends/cuda/sums/mailbox.hpp>
#include <acc/backends/cuda/unroll.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/workspace.hpp>

#include <algorithm>
#include <bit>

namespace acc::backends::cuda {

/// The first `workers` warps each sum a subtree of leaves. Above them, level by level, a warp
/// combines `siblings` roots; the last warp of all has the level with one.
///
/// Leaf has a type node; warps, so many per multiprocessor; has_fast_path; leaves() and
/// full_leaves(), the first leaves, of which each can be tried by try_full(leaf, lane, node&): true
/// where lane 0 has the node; sum_any(leaf, lane), any leaf's node in lane 0; align(node (&)[N]),
/// called by a warp before it merges its nodes by merge(node&, const node&); and finish(root).
template <class Leaf>
struct cuda_tree {
  using node = typename Leaf::node;

  /// Roots that a thread combines before the warp does.
  static constexpr int nodes_per_thread = sizeof(node) <= 96 ? 4 : 2;
  static constexpr int siblings = nodes_per_thread * warp_size;
  /// Levels of a worker's subtree: enough for 2^15 leaves, so for a vector of 2^42 elements.
  static constexpr int max_levels = 16;

  Leaf leaf;
  std::int64_t leaves, leaves_per_worker;
  int workers, warps;
  int whole_leaves;  ///< so many workers each have one leaf, a full one
  std::uint32_t* partials;

  template <class Exec>
  using policy = Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<warp_size, Leaf::warps>,
                                     Kokkos::IndexType<int>>;

  /// Warps that a level of `nodes` roots needs above it.
  KOKKOS_FUNCTION static constexpr int combiners(int nodes) {
    return (nodes + siblings - 1) / siblings;
  }

  __device__ void operator()(int thread) const {
    const int index = thread / warp_size, lane = thread % warp_size;
    if constexpr (Leaf::has_fast_path) {
      if (index < whole_leaves) {
        node n;
        if (leaf.try_full(index, lane, n)) {
          if (lane == 0) mailbox<node>(partials).give(index, n);
          end_thread();
        }
      }
    }
    run(*this);
    end_thread();
  }

 private:
  /// Everything but whole leaves of ordinary data. Out of line and by value, so that the registers
  /// of those are all there is to allocate: a single spill to memory costs them 0.5% of the speed.
  __device__ __noinline__ static void run(cuda_tree k) {
    const int thread = blockIdx.x * blockDim.y + threadIdx.y;  // as Kokkos counts them
    const int index = thread / warp_size, lane = thread % warp_size;
    const mailbox<node> roots(k.partials);
    node root;
    if (index < k.workers) {
      const std::int64_t first = index * k.leaves_per_worker;
      root = k.sum_subtree(first, min(first + k.leaves_per_worker, k.leaves), lane);
    } else {
      // The level of this warp starts at `start` and combines those from `below`.
      int below = 0, start = k.workers;
      while (index - start >= combiners(start - below)) {
        const int next = start + combiners(start - below);
        below = start;
        start = next;
      }
      const int first = below + (index - start) * siblings;
      root = combine_roots(roots, first, min(siblings, start - first), lane);
    }
    if (lane != 0) return;
    if (index == k.warps - 1) {
      k.leaf.finish(root);
    } else {
      roots.give(index, root);
    }
  }

  /// `count` roots in adjacent pairs, level by level; lane 0 has the result. Code that runs once a
  /// launch waits for its instructions more than for data, so there is little of it.
  __device__ static node combine_roots(const mailbox<node>& roots, int first, int count, int lane) {
    if (lane == 0) roots.wait_for(first + count - 1);
    __syncwarp();
    const int each = count <= warp_size ? 1 : nodes_per_thread;
    const int mine = min(count - lane * each, each);
    node n[nodes_per_thread];
    roots.take(first + lane * each, mine, n);
    Leaf::align(n);
    ACC_UNROLL for (int stride = 1; stride < nodes_per_thread; stride *= 2) {
      ACC_UNROLL for (int k = 0; k < nodes_per_thread; k += 2 * stride) {
        if (k + stride < mine) Leaf::merge(n[k], n[k + stride]);
      }
    }
    node root = n[0];
    __syncwarp();
    ACC_NO_UNROLL for (int stride = 1; stride * each < count; stride *= 2) {
      Leaf::merge(root, shuffle_down(root, stride));
    }
    return root;
  }

  /// Leaves [first, end) by a warp; lane 0 has the root.
  __device__ node sum_subtree(std::int64_t first, std::int64_t end, int lane) const {
    __shared__ alignas(node) std::byte waiting[max_levels * sizeof(node)];
    impl::leaf_tree<node> tree(reinterpret_cast<node*>(waiting));
    const std::int64_t full = whole_leaves == 0 ? leaf.full_leaves() : 0;  // else tried before
    for (std::int64_t i = first; i < end; ++i) {
      node n;
      bool done = false;
      if constexpr (Leaf::has_fast_path) done = i < full && leaf.try_full(i, lane, n);
      if (!done) n = leaf.sum_any(i, lane);
      if (lane == 0) tree.push(n);
    }
    return lane == 0 ? tree.root() : node();
  }
};

template <class Exec, class Leaf>
void launch_cuda_tree(const Exec& exec, workspace<Exec>& memory, const char* label,
                      const Leaf& leaf) {
  using kernel = cuda_tree<Leaf>;
  const std::int64_t leaves = leaf.leaves();
  // Warps that wait must not keep those that they wait for from starting. GPUs start warps in the
  // order of their index; if one did not, a multiprocessor still holds 12 or more warps, and of
  // those that wait there are 8 for each and a few.
  const std::int64_t max_workers = std::min<std::int64_t>(
      std::int64_t(8) * exec.cuda_device_prop().multiProcessorCount * kernel::siblings,
      partials_bytes / sizeof(typename kernel::node) * 7 / 8);
  const std::int64_t per_worker =
      std::bit_ceil(std::uint64_t((leaves + max_workers - 1) / max_workers));
  const int workers = int((leaves + per_worker - 1) / per_worker);
  int warps = workers;
  for (int level = workers; level > 1; level = kernel::combiners(level))
    warps += kernel::combiners(level);
  const kernel k{.leaf = leaf,
                 .leaves = leaves,
                 .leaves_per_worker = per_worker,
                 .workers = workers,
                 .warps = warps,
                 .whole_leaves = per_worker == 1 && workers > 1 ? int(leaf.full_leaves()) : 0,
                 .partials = memory.mailboxes()};
  Kokkos::parallel_for(label, typename kernel::template policy<Exec>(exec, 0, warps * warp_size),
                       k);
}

/// Whether there are fewer leaves than warps that fit the GPU: then the time is that of one leaf.
template <class Exec>
bool is_small(const Exec& exec, std::int64_t leaves) {
  constexpr int warps_per_sm = 8;
  return leaves <= std::int64_t(warps_per_sm) * exec.cuda_device_prop().multiProcessorCount;
}

}  // namespace acc::backends::cuda

#endif
