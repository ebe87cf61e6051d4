// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_HPP
#define ACC_BACKENDS_CUDA_HPP

/// \file
/// Reductions on NVIDIA GPUs: a warp a leaf, a thread a group of lanes (16 bytes), several rows in
/// flight in registers. What limits a sum here is whatever keeps a warp from loading: a fence, a
/// counter, a spilled register, an instruction that has to be fetched first.

#include <acc/backends/cuda/mailbox.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/reduction.hpp>

#include <algorithm>
#include <bit>

namespace acc::backends {

/// How a kernel is shaped, as measured on Hopper (docs/performance.md): rows of a leaf in flight in
/// each thread's registers, rows whose code is written out, and warps that a multiprocessor has
/// registers for. Small: there are fewer leaves than warps that fit the GPU, so the time is that of
/// one leaf, and a thread has as much of it in flight as it can.
template <class R, bool Small>
struct cuda_shape {
  static constexpr bool is_double = sizeof(typename R::scalar) == 8;
  static constexpr bool is_long = R::accumulator::components > 2;  ///< more additions than loads
  static constexpr int depth = (Small ? 32 : is_long ? 8 : 16) / R::terms::inputs;
  static constexpr int unrolled = is_long ? 2 * depth : impl::rows_per_leaf;
  static constexpr int warps = Small ? 1 : !is_long ? 16 : is_double ? 12 : 20;
};

/// The first `workers` warps each sum a subtree of leaves. Above them, level by level, a warp
/// combines `siblings` roots; the last warp of all has the level with one.
template <class R, bool Small>
struct cuda_kernel {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using Acc = typename R::accumulator;
  using terms = typename R::terms;
  using node = typename R::leaf_node;
  using shape = cuda_shape<R, Small>;

  static constexpr bool has_y = terms::inputs == 2;
  static constexpr int depth = shape::depth;
  /// Whether a group is 16 bytes, so that one load brings it.
  static constexpr bool has_fast_path = sizeof(element) * R::width == 16;
  /// Roots that a thread combines before the warp does.
  static constexpr int nodes_a_thread = sizeof(node) <= 96 ? 4 : 2;
  static constexpr int siblings = nodes_a_thread * warp_size;
  /// Levels of a worker's subtree: enough for 2^15 leaves, so for a vector of 2^42 elements.
  static constexpr int max_levels = 16;

  R reduction;
  std::int64_t leaves, leaves_per_worker;
  int workers, warps;
  int whole_leaves;  ///< so many workers each have one leaf, full and aligned
  bool aligned;      ///< contiguous and on 16-byte boundaries
  std::uint32_t* partials;

  using policy = Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::LaunchBounds<warp_size, shape::warps>,
                                     Kokkos::IndexType<int>>;

  /// Warps that a level of `nodes` roots needs above it.
  KOKKOS_FUNCTION static constexpr int combiners(int nodes) {
    return (nodes + siblings - 1) / siblings;
  }

  __device__ void operator()(int thread) const {
    const int index = thread / warp_size, lane = thread % warp_size;
    if constexpr (has_fast_path) {
      if (index < whole_leaves) {
        const auto sums = combine_groups(sum_full_leaf(index, lane));
        const bool is_ordinary = impl::leaf_verdict<R>(sums).is_ordinary();
        if (__shfl_sync(all_lanes, int(is_ordinary), 0)) {
          if (lane == 0) mailbox<node>(partials).give(index, impl::make_ordinary_node<R>(sums));
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
  __device__ __noinline__ static void run(cuda_kernel k) {
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
      k.reduction.finish(root);
    } else {
      roots.give(index, root);
    }
  }

  /// `count` roots in adjacent pairs, level by level; lane 0 has the result. Code that runs once a
  /// launch waits for its instructions more than for data, so there is little of it.
  __device__ static node combine_roots(const mailbox<node>& roots, int first, int count, int lane) {
    if (lane == 0) roots.wait_for(first + count - 1);
    __syncwarp();
    const int each = count <= warp_size ? 1 : nodes_a_thread;
    const int mine = min(count - lane * each, each);
    node n[nodes_a_thread];
    roots.take(first + lane * each, mine, n);
#pragma unroll
    for (int stride = 1; stride < nodes_a_thread; stride *= 2)
#pragma unroll
      for (int k = 0; k < nodes_a_thread; k += 2 * stride)
        if (k + stride < mine) n[k].merge(n[k + stride]);
    node root = n[0];
    __syncwarp();
#pragma unroll 1
    for (int stride = 1; stride * each < count; stride *= 2) root.merge(shuffle_down(root, stride));
    return root;
  }

  /// Leaves [first, end) by a warp; lane 0 has the root.
  __device__ node sum_subtree(std::int64_t first, std::int64_t end, int lane) const {
    __shared__ alignas(node) std::byte waiting[max_levels * sizeof(node)];
    impl::leaf_tree<node> tree(reinterpret_cast<node*>(waiting));
    std::int64_t leaf = first;
    if constexpr (has_fast_path) {
      const std::int64_t full = aligned ? min(end, reduction.x.size / impl::leaf_size<element>) : 0;
      for (; leaf < full; ++leaf) push(tree, leaf, lane, sum_full_leaf(leaf, lane));
    }
    for (; leaf < end; ++leaf) push(tree, leaf, lane, sum_any_leaf<Acc>(reduction, leaf, lane));
    return lane == 0 ? tree.root() : node();
  }

  /// Combines the groups, one a thread, into the leaf's node, and hands that to the tree.
  __device__ void push(impl::leaf_tree<node>& tree, std::int64_t leaf, int lane,
                       typename R::leaf_sums group) const {
    const auto sums = combine_groups(group);  // complete in lane 0
    impl::leaf_verdict<R> verdict(sums);
    if constexpr (R::guarded != impl::guard::none)
      verdict.huge = __shfl_sync(all_lanes, int(verdict.huge), 0);
    if constexpr (R::guarded == impl::guard::squares)
      verdict.tiny = __shfl_sync(all_lanes, int(verdict.tiny), 0);
    const node n = impl::make_node<R>(sums, verdict, [&](auto tag) {
      return combine_groups(sum_any_leaf<decltype(tag)>(reduction, leaf, lane));
    });
    if (lane == 0) tree.push(n);
  }

  /// A thread's group of a leaf of any layout, or of a leaf that is looked at again.
  template <class Sum>
  __device__ __noinline__ static impl::sums<Sum, terms::results> sum_any_leaf(R r,
                                                                              std::int64_t leaf,
                                                                              int group) {
    return impl::sum_group<Sum>(r, leaf, group);
  }

  template <class Sums>
  __device__ static Sums combine_groups(Sums group) {
#pragma unroll
    for (int stride = warp_size / 2; stride > 0; stride /= 2)
      group.merge(shuffle_down(group, stride));
    return group;
  }

  /// A thread's groups of a leaf, row by row, `depth` of them on their way from memory.
  struct row_stream {
    uint4 buffer[depth];
    const uint4* next;

    template <class Data>
    __device__ row_stream(const Data& v, std::int64_t leaf, int lane)
        : next(reinterpret_cast<const uint4*>(v.data + leaf * impl::leaf_size<element>) + lane) {
#pragma unroll
      for (int i = 0; i < depth; ++i) refill(i);
      advance();
    }
    __device__ void take(int i, scalar (&group)[R::width]) const {
      struct elements {
        element e[R::width];
      };
      const auto loaded = Kokkos::bit_cast<elements>(buffer[i]);
#pragma unroll
      for (int j = 0; j < R::width; ++j) group[j] = scalar(loaded.e[j]);
    }
    /// Called after the group was used, so that the load takes over its registers.
    __device__ void refill(int i) { buffer[i] = load_streaming(next + i * warp_size); }
    __device__ void advance() { next += depth * warp_size; }
  };

  __device__ typename R::leaf_sums sum_full_leaf(std::int64_t leaf, int thread) const {
    row_stream x(reduction.x, leaf, thread), y(has_y ? reduction.y : reduction.x, leaf, thread);
    Acc lane[R::width][terms::sums];
    const auto add_rows = [&](auto more) {
#pragma unroll
      for (int i = 0; i < depth; ++i) {
        scalar xs[R::width], ys[R::width] = {};
        x.take(i, xs);
        if constexpr (has_y) y.take(i, ys);
#pragma unroll
        for (int j = 0; j < R::width; ++j) terms::deposit(lane[j], xs[j], ys[j], ys[j ^ 1], j);
        if constexpr (decltype(more)::value) {
          x.refill(i);
          if constexpr (has_y) y.refill(i);
        }
      }
      x.advance();
      if constexpr (has_y) y.advance();
    };
    constexpr int trips = shape::unrolled / depth;
#pragma unroll trips
    for (int row = depth; row < impl::rows_per_leaf; row += depth) add_rows(std::true_type{});
    add_rows(std::false_type{});
    return impl::combine_lanes<Acc, R>(lane);
  }
};

template <bool Small, class R>
void launch_cuda_kernel(const Kokkos::Cuda& exec, workspace<Kokkos::Cuda>& memory,
                        const char* label, const R& r) {
  using kernel = cuda_kernel<R, Small>;
  using node = typename kernel::node;
  const auto on_boundary = [](const auto& v) {
    return v.contiguous() && reinterpret_cast<std::uintptr_t>(v.data) % 16 == 0;
  };
  const std::int64_t leaves = r.leaves();
  // Warps that wait must not keep those that they wait for from starting. GPUs start warps in the
  // order of their index; if one did not, a multiprocessor still holds 12 or more warps, and of
  // those that wait there are 8 for each and a few.
  const std::int64_t max_workers = std::min<std::int64_t>(
      std::int64_t(8) * exec.cuda_device_prop().multiProcessorCount * kernel::siblings,
      partials_bytes / sizeof(node) * 7 / 8);
  const std::int64_t per_worker =
      std::bit_ceil(std::uint64_t((leaves + max_workers - 1) / max_workers));
  const int workers = int((leaves + per_worker - 1) / per_worker);
  int warps = workers;
  for (int level = workers; level > 1; level = kernel::combiners(level))
    warps += kernel::combiners(level);
  const bool is_aligned = on_boundary(r.x) && (!kernel::has_y || on_boundary(r.y));
  const kernel k{.reduction = r,
                 .leaves = leaves,
                 .leaves_per_worker = per_worker,
                 .workers = workers,
                 .warps = warps,
                 .whole_leaves = is_aligned && per_worker == 1 && workers > 1
                                     ? int(r.x.size / impl::leaf_size<typename R::element>)
                                     : 0,
                 .aligned = is_aligned,
                 .partials = memory.partials.data()};
  Kokkos::parallel_for(label, typename kernel::policy(exec, 0, warps * warp_size), k);
}

/// Runs r on exec.
template <class R>
void launch_on_cuda(const Kokkos::Cuda& exec, workspace<Kokkos::Cuda>& memory, const char* label,
                    const R& r) {
  constexpr int warps_a_processor = 8;
  if (r.leaves() <= std::int64_t(warps_a_processor) * exec.cuda_device_prop().multiProcessorCount)
    return launch_cuda_kernel<true>(exec, memory, label, r);
  launch_cuda_kernel<false>(exec, memory, label, r);
}

}  // namespace acc::backends

#endif
