// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_TREE_HPP
#define ACC_BACKENDS_CUDA_SUMS_TREE_HPP

/// \file
/// The kernel of canonical reductions: a tree of nodes over the leaves of a vector, one warp per
/// leaf or per node of a level, and the mailboxes through which warps hand nodes to each other.
///
/// Whatever keeps a warp from loading limits a sum: a fence, a counter, a spilled register, an
/// instruction that has to be fetched first.

#include <acc/backends/cuda/sums/canonical_leaf.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order/canonical_order.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// Nodes on their way from one warp to another through global memory, without a fence or a counter:
/// a warp that waits for a fence or a counter loads nothing, and a sum loses 3% of its speed. Here
/// a word itself says whether it has arrived. take() leaves `unset` behind, a NaN; give() replaces
/// this NaN by another one.
template <class Node>
class mailbox {
 public:
  using word = std::conditional_t<alignof(Node) == 8, std::uint64_t, std::uint32_t>;
  static_assert(sizeof(Node) % sizeof(word) == 0);

  __device__ explicit mailbox(std::uint32_t* memory) : memory_(reinterpret_cast<word*>(memory)) {}

  __device__ void give(int index, const Node& node) const {
    const auto words = Kokkos::bit_cast<words_of_node>(node);
    for (int i = 0; i < words_per_node; ++i)
      at(index, i) = words.w[i] == unset ? word(words.w[i] ^ 1) : words.w[i];
  }

  /// Waits for a node with one load at a time: many loads would keep the memory busy.
  __device__ void wait_for(int index) const {
    while (at(index, 0) == unset) __nanosleep(100);
  }

  /// Waits for nodes first .. first + count - 1, at most N, and takes them; the rest are empty.
  template <int N>
  __device__ void take(int first, int count, Node (&nodes)[N]) const {
    words_of_node words[N];
    for (bool complete = false; !complete;) {
      complete = true;
      ACC_UNROLL for (int n = 0; n < N; ++n) {
        ACC_UNROLL for (int i = 0; i < words_per_node; ++i) {
          words[n].w[i] = n < count ? word(at(first + n, i)) : word(0);
        }
      }
      ACC_UNROLL for (int n = 0; n < N; ++n) {
        ACC_UNROLL for (int i = 0; i < words_per_node; ++i) {
          complete = complete && words[n].w[i] != unset;
        }
      }
    }
    ACC_UNROLL for (int n = 0; n < N; ++n) {
      if (n >= count) continue;
      nodes[n] = Kokkos::bit_cast<Node>(words[n]);
      for (int i = 0; i < words_per_node; ++i) at(first + n, i) = unset;
    }
  }

 private:
  static constexpr int words_per_node = sizeof(Node) / sizeof(word);
  struct words_of_node {
    word w[words_per_node];
  };
  static constexpr word unset = word(std::uint64_t(unset_word) << 32 | unset_word);

  /// Volatile: every access goes to the cache that all multiprocessors share.
  __device__ volatile word& at(int index, int i) const {
    return memory_[std::int64_t(index) * words_per_node + i];
  }

  word* memory_;
};

/// Combines `count` nodes in adjacent pairs, level by level: the first per_thread of n are a
/// thread's, as far as there are so many. lane_id 0 has the result.
template <int N, class Node>
__device__ Node combine_nodes(Node (&n)[N], int count, int per_thread, int lane_id) {
  const int mine = min(count - lane_id * per_thread, per_thread);
  ACC_UNROLL for (int stride = 1; stride < N; stride *= 2) {
    ACC_UNROLL for (int k = 0; k < N; k += 2 * stride) {
      if (k + stride < mine) n[k].merge(n[k + stride]);
    }
  }
  Node root = n[0];
  ACC_NO_UNROLL for (int stride = 1; stride * per_thread < count; stride *= 2) {
    root.merge(shuffle_down(root, stride));
  }
  return root;
}

/// The first `workers` warps sum a subtree of leaves each. Above them, level by level, a warp
/// combines `siblings` roots. The last warp has the root of all.
template <class R, bool IsSmall>
struct reduction_tree {
  using leaf_type = canonical_leaf<R, IsSmall>;
  using node = typename leaf_type::node;

  static constexpr tuning::tree_shape shape = tuning::tree_shape_of(sizeof(node));
  static constexpr int nodes_per_thread = shape.nodes_per_thread;
  static constexpr int siblings = nodes_per_thread * warp_size;
  /// Levels of a worker's subtree: enough for 2^15 leaves, so for a vector of 2^42 elements.
  static constexpr int max_levels = 16;

  leaf_type leaf;
  std::int64_t leaves, leaves_per_worker;
  int workers, warps;
  int whole_leaves;  ///< so many workers each have one leaf, a full one
  std::uint32_t* partials;

  template <class Exec>
  using policy =
      Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<warp_size, leaf_type::shape.warps_per_sm>,
                          Kokkos::IndexType<int>>;

  /// Warps that a level of `nodes` roots needs above it.
  KOKKOS_FUNCTION static constexpr int combiners(int nodes) {
    return (nodes + siblings - 1) / siblings;
  }

  __device__ void operator()(int thread) const {
    const int index = thread / warp_size, lane_id = thread % warp_size;
    if constexpr (leaf_type::has_fast_path) {
      if (index < whole_leaves) {
        node n;
        if (leaf.try_full(index, lane_id, n)) {
          if (lane_id == 0) mailbox<node>(partials).give(index, n);
          end_thread();
        }
      }
    }
    run(*this);
    end_thread();
  }

 private:
  /// Everything except whole leaves of ordinary data. Out of line and by value, so that only the
  /// registers of those leaves are allocated: a single spill to memory costs them 0.5% of the
  /// speed.
  __device__ __noinline__ static void run(reduction_tree k) {
    const int thread = blockIdx.x * blockDim.y + threadIdx.y;  // as Kokkos counts them
    const int index = thread / warp_size, lane_id = thread % warp_size;
    const mailbox<node> roots(k.partials);
    node root;
    if (index < k.workers) {
      const std::int64_t first = index * k.leaves_per_worker;
      root = k.sum_subtree(first, min(first + k.leaves_per_worker, k.leaves), lane_id);
    } else {
      // The level of this warp starts at `start` and combines the roots from `below` on.
      int below = 0, start = k.workers;
      while (index - start >= combiners(start - below)) {
        const int next = start + combiners(start - below);
        below = start;
        start = next;
      }
      const int first = below + (index - start) * siblings;
      root = combine_roots(roots, first, min(siblings, start - first), lane_id);
    }
    if (lane_id != 0) return;
    if (index == k.warps - 1) {
      k.leaf.reduction.finish(root);
    } else {
      roots.give(index, root);
    }
  }

  /// Combines `count` roots in adjacent pairs, level by level; lane_id 0 has the result. Code that
  /// runs once per launch waits for its instructions more than for data, so it is short.
  __device__ static node combine_roots(const mailbox<node>& roots, int first, int count,
                                       int lane_id) {
    if (lane_id == 0) roots.wait_for(first + count - 1);
    __syncwarp();
    const int per_thread = count <= warp_size ? 1 : nodes_per_thread;
    const int mine = min(count - lane_id * per_thread, per_thread);
    node n[nodes_per_thread];
    roots.take(first + lane_id * per_thread, mine, n);
    __syncwarp();
    return combine_nodes(n, count, per_thread, lane_id);
  }

  /// Sums leaves [first, end) by a warp; lane_id 0 has the root.
  __device__ node sum_subtree(std::int64_t first, std::int64_t end, int lane_id) const {
    __shared__ alignas(node) std::byte waiting[max_levels * sizeof(node)];
    impl::leaf_tree<node> tree(reinterpret_cast<node*>(waiting));
    // Where there are whole leaves, operator() has tried them.
    const std::int64_t full = whole_leaves == 0 ? leaf.full_leaves() : 0;
    for (std::int64_t i = first; i < end; ++i) {
      node n;
      bool done = false;
      if constexpr (leaf_type::has_fast_path) done = i < full && leaf.try_full(i, lane_id, n);
      if (!done) n = leaf.sum_any(i, lane_id);
      if (lane_id == 0) tree.push(n);
    }
    return lane_id == 0 ? tree.root() : node();
  }
};

}  // namespace acc::backends::cuda

#endif
