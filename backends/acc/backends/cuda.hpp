// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_HPP
#define ACC_BACKENDS_CUDA_HPP

/// \file
/// Reductions on NVIDIA GPUs: a warp a leaf, a thread a group of lanes (16 bytes), several rows in
/// flight in registers. Bytes in flight, not additions, are what limits a sum here.

#include <acc/backends/workspace.hpp>
#include <acc/core/reduction.hpp>

#include <algorithm>
#include <bit>

namespace acc::backends {

inline constexpr int warp_size = 32;
static_assert(warp_size == impl::groups_per_row);

/// value of the thread `distance` higher in the warp.
template <class T>
__device__ T shuffle_down(const T& value, int distance) {
  static_assert(sizeof(T) % 4 == 0);
  struct words {
    unsigned w[sizeof(T) / 4];
  } in = Kokkos::bit_cast<words>(value), out;
  for (unsigned i = 0; i < sizeof(T) / 4; ++i)
    out.w[i] = __shfl_down_sync(0xffffffffu, in.w[i], distance);
  return Kokkos::bit_cast<T>(out);
}

/// A load that leaves the first-level cache to others: each byte is used once.
__device__ inline uint4 load_streaming(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p));
  return v;
}

/// How a kernel is shaped, as measured on Hopper (docs/performance.md): rows of a leaf in flight in
/// each thread's registers, threads a team, and teams that a multiprocessor has registers for.
/// Small: there are fewer leaves than warps that fit the GPU, so the time is that of one leaf, and
/// a thread has as much of it in flight as it can.
template <class R, bool Small>
struct cuda_shape {
  static constexpr int components = R::accumulator::components;
  static constexpr bool is_double = sizeof(typename R::scalar) == 8;
  static constexpr int depth = (Small ? 32 : 8) / R::terms::inputs;
  static constexpr int threads = Small ? 64 : 128;
  static constexpr int teams = Small ? 1 : components == 1 || (components > 2 && is_double) ? 5 : 6;
};

template <class R, bool Small>
struct cuda_kernel {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using Acc = typename R::accumulator;
  using terms = typename R::terms;
  using node = typename R::leaf_node;
  using shape = cuda_shape<R, Small>;
  static_assert(sizeof(node) <= max_partial_bytes);

  static constexpr int threads = shape::threads, warps = threads / warp_size;
  static constexpr bool has_y = terms::inputs == 2;
  static constexpr int depth = shape::depth;
  /// Levels of a warp's subtree: enough for 2^24 leaves a warp.
  static constexpr int max_levels = 25;
  /// Whether a group is 16 bytes, so that one load brings it.
  static constexpr bool has_fast_path = sizeof(element) * R::width == 16;
  /// Roots that a thread combines when its team is the last of its siblings, and siblings.
  static constexpr int nodes_a_thread = 4, siblings = nodes_a_thread * threads;

  R reduction;
  std::int64_t leaves, leaves_per_warp;
  int teams;
  bool aligned;  ///< contiguous and on 16-byte boundaries
  node* partials;
  unsigned* finished;

  using policy = Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<threads, shape::teams>>;
  using member = typename policy::member_type;

  struct shared {
    node waiting[warps][max_levels];
    node warp_root[warps];
    bool is_last;
  };

  __device__ void operator()(const member& team) const {
    auto& memory =
        *static_cast<shared*>(team.team_scratch(0).get_shmem_aligned(sizeof(shared), 16));
    const int warp = team.team_rank() / warp_size, lane = team.team_rank() % warp_size;
    const std::int64_t first = (std::int64_t(team.league_rank()) * warps + warp) * leaves_per_warp;
    const std::int64_t end = min(first + leaves_per_warp, leaves);
    node root;
    if (first < end) root = sum_subtree(memory.waiting[warp], first, end, lane);
    hand_up(team, memory, combine_warps(team, memory, root));
  }

 private:
  /// The tree above the teams: a team leaves its root in memory, and the last of `siblings`
  /// neighbouring teams to do so combines theirs and goes on one level higher; the last of all
  /// finishes. Counts return to zero for the next launch.
  __device__ void hand_up(const member& team, shared& memory, node root) const {
    node* level = partials;
    unsigned* count = finished;
    int index = team.league_rank(), nodes = teams;
    while (nodes > 1) {
      const int block = index / siblings, first = block * siblings;
      const int present = min(siblings, nodes - first);
      if (team.team_rank() == 0) {
        level[index] = root;
        __threadfence();
        memory.is_last = atomicAdd(&count[block], 1u) + 1 == unsigned(present);
        if (memory.is_last) count[block] = 0;
      }
      team.team_barrier();
      if (!memory.is_last) return;
      __threadfence();
      root = combine_siblings(team, memory, level + first, present);
      level += nodes;
      nodes = (nodes + siblings - 1) / siblings;
      count += nodes;
      index = block;
    }
    if (team.team_rank() == 0) reduction.finish(root);
  }

  __device__ node combine_siblings(const member& team, shared& memory, const node* from,
                                   int present) const {
    const int first = team.team_rank() * nodes_a_thread;
    node n[nodes_a_thread];
#pragma unroll
    for (int i = 0; i < nodes_a_thread; ++i)
      if (first + i < present) n[i] = from[first + i];
#pragma unroll
    for (int stride = 1; stride < nodes_a_thread; stride *= 2)
#pragma unroll
      for (int i = 0; i < nodes_a_thread; i += 2 * stride) n[i].merge(n[i + stride]);
    node root = n[0];
#pragma unroll 1
    for (int stride = 1; stride < warp_size && stride * nodes_a_thread < present; stride *= 2)
      root.merge(shuffle_down(root, stride));
    return combine_warps(team, memory, root);
  }

  /// The roots of the team's warps, in adjacent pairs level by level; thread 0 has the result.
  __device__ node combine_warps(const member& team, shared& memory, node root) const {
    const int warp = team.team_rank() / warp_size, lane = team.team_rank() % warp_size;
    if (lane == 0) memory.warp_root[warp] = root;
    team.team_barrier();
    if (warp == 0) {
      root = lane < warps ? memory.warp_root[lane] : node();
#pragma unroll 1
      for (int stride = 1; stride < warps; stride *= 2) root.merge(shuffle_down(root, stride));
    }
    team.team_barrier();  // before anyone writes warp_root again
    return root;
  }

  /// Leaves [first, end) by a warp; lane 0 has the root.
  __device__ node sum_subtree(node* waiting, std::int64_t first, std::int64_t end, int lane) const {
    impl::leaf_tree<node> tree(waiting);
    std::int64_t leaf = first;
    if constexpr (has_fast_path) {
      const std::int64_t full = aligned ? min(end, reduction.x.size / impl::leaf_size<element>) : 0;
      for (; leaf < full; ++leaf) push(tree, leaf, lane, sum_full_leaf(leaf, lane));
    }
    for (; leaf < end; ++leaf) push(tree, leaf, lane, impl::sum_group<Acc>(reduction, leaf, lane));
    return lane == 0 ? tree.root() : node();
  }

  /// Combines the groups, one a thread, into the leaf's node, and hands that to the tree.
  __device__ void push(impl::leaf_tree<node>& tree, std::int64_t leaf, int lane,
                       typename R::leaf_sums group) const {
    const auto sums = combine_groups(group);  // complete in lane 0
    impl::leaf_verdict<R> verdict(sums);
    if constexpr (R::guarded != impl::guard::none)
      verdict.huge = __shfl_sync(0xffffffffu, int(verdict.huge), 0);
    if constexpr (R::guarded == impl::guard::squares)
      verdict.tiny = __shfl_sync(0xffffffffu, int(verdict.tiny), 0);
    const node n = impl::make_node<R>(sums, verdict, [&](auto tag) {
      return combine_groups(impl::sum_group<decltype(tag)>(reduction, leaf, lane));
    });
    if (lane == 0) tree.push(n);
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
#pragma unroll 1
    for (int row = depth; row < impl::rows_per_leaf; row += depth) add_rows(std::true_type{});
    add_rows(std::false_type{});
    return impl::combine_lanes<Acc, R>(lane);
  }
};

template <bool Small, class R>
void launch_cuda_kernel(const Kokkos::Cuda& exec, workspace<Kokkos::Cuda>& memory,
                        const char* label, const R& r) {
  using kernel = cuda_kernel<R, Small>;
  const auto on_boundary = [](const auto& v) {
    return v.contiguous() && reinterpret_cast<std::uintptr_t>(v.data) % 16 == 0;
  };
  const std::int64_t leaves = r.leaves();
  std::int64_t per_team = kernel::warps;
  while ((leaves + per_team - 1) / per_team > max_teams) per_team *= 2;
  const int teams = int((leaves + per_team - 1) / per_team);
  const kernel k{r,
                 leaves,
                 per_team / kernel::warps,
                 teams,
                 on_boundary(r.x) && (!kernel::has_y || on_boundary(r.y)),
                 reinterpret_cast<typename kernel::node*>(memory.partials.data()),
                 memory.finished.data()};
  typename kernel::policy policy(exec, teams, kernel::threads);
  const int scratch = int(sizeof(typename kernel::shared)) + 16;
  Kokkos::parallel_for(label, policy.set_scratch_size(0, Kokkos::PerTeam(scratch)), k);
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
