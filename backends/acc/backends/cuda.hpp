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

template <class R>
struct cuda_kernel {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using Acc = typename R::accumulator;
  using terms = typename R::terms;
  using node = typename R::leaf_node;
  static_assert(sizeof(node) <= max_partial_bytes);

  static constexpr int threads = 256;
  static constexpr int max_warps = threads / warp_size;
  static constexpr bool has_y = terms::inputs == 2;
  /// A warp's subtree has at most 2^24 leaves: 2^36 elements and more, times max_partials * warps.
  static constexpr int max_levels = 25;
  /// Whether a group is 16 bytes, so that one load brings it.
  static constexpr bool has_fast_path = sizeof(element) * R::width == 16;
  /// Rows of each vector in flight.
  static constexpr int depth = has_y ? 4 : 8;

  R reduction;
  std::int64_t leaves, leaves_per_warp;
  unsigned teams;
  bool aligned;  ///< contiguous and on 16-byte boundaries
  node* partials;
  unsigned* finished;

  using policy = Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<threads, 4>>;
  using member = typename policy::member_type;

  struct shared {
    node waiting[max_warps][max_levels];
    node warp_root[threads];  // also the last team's threads
    bool is_last;
  };

  __device__ void operator()(const member& team) const {
    auto& memory =
        *static_cast<shared*>(team.team_scratch(0).get_shmem_aligned(sizeof(shared), 16));
    const int warps = team.team_size() / warp_size;
    const int warp = team.team_rank() / warp_size, lane = team.team_rank() % warp_size;

    const std::int64_t first = (std::int64_t(team.league_rank()) * warps + warp) * leaves_per_warp;
    const std::int64_t end = min(first + leaves_per_warp, leaves);
    node root;
    if (first < end) root = sum_subtree(memory.waiting[warp], first, end, lane);
    if (lane == 0) memory.warp_root[warp] = root;
    root = combine_neighbours(team, memory, warps);
    if (team.team_rank() == 0) {
      if (teams == 1) {
        reduction.finish(root);
        memory.is_last = false;
      } else {
        partials[team.league_rank()] = root;
        __threadfence();
        memory.is_last = atomicAdd(finished, 1u) + 1 == teams;
      }
    }
    team.team_barrier();
    if (memory.is_last) combine_partials(team, memory);
  }

 private:
  /// memory.warp_root[0 .. count) combined in adjacent pairs, level by level; thread 0 has the root.
  __device__ node combine_neighbours(const member& team, shared& memory, int count) const {
    for (int stride = 1; stride < count; stride *= 2) {
      team.team_barrier();
      const int i = 2 * stride * team.team_rank();
      if (i + stride < count) memory.warp_root[i].merge(memory.warp_root[i + stride]);
    }
    return memory.warp_root[0];
  }

  __device__ void combine_partials(const member& team, shared& memory) const {
    __threadfence();
    const int size = team.team_size(), rank = team.team_rank();
    const int each = pow2_at_least((int(teams) + size - 1) / size);
    node waiting[13];
    impl::leaf_tree<node> tree(waiting);
    for (int i = rank * each; i < min((rank + 1) * each, int(teams)); ++i) tree.push(partials[i]);
    memory.warp_root[rank] = rank * each < int(teams) ? tree.root() : node();
    const node root = combine_neighbours(team, memory, size);
    if (rank == 0) {
      *finished = 0;
      reduction.finish(root);
    }
  }

  __device__ static int pow2_at_least(int n) { return n <= 1 ? 1 : 1 << (32 - __clz(n - 1)); }

  /// Leaves [first, end) by a warp; lane 0 has the root.
  __device__ node sum_subtree(node* waiting, std::int64_t first, std::int64_t end, int lane) const {
    impl::leaf_tree<node> tree(waiting);
    std::int64_t leaf = first;
    if constexpr (has_fast_path) {
      if (aligned) {
        const std::int64_t full = min(end, reduction.x.size / impl::leaf_size<element>);
        if (leaf < full) {
          row_stream x(reduction.x, leaf, full, lane), y(has_y ? reduction.y : reduction.x, leaf, full, lane);
          for (; leaf < full; ++leaf) push(tree, leaf, lane, sum_full_leaf(x, y));
        }
      }
    }
    for (; leaf < end; ++leaf) push(tree, leaf, lane, impl::sum_group<Acc>(reduction, leaf, lane));
    return lane == 0 ? tree.root() : node();
  }

  /// Combines the groups, one a thread, into the leaf's node, and hands that to the tree.
  __device__ void push(impl::leaf_tree<node>& tree, std::int64_t leaf, int lane,
                       typename R::leaf_sums group) const {
    const auto sums = combine_groups(group);
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

  /// A thread's groups of consecutive rows, `depth` of them on their way from memory.
  struct row_stream {
    uint4 buffer[depth];
    const uint4 *next, *end;

    template <class Data>
    __device__ row_stream(const Data& v, std::int64_t leaf, std::int64_t full, int lane)
        : next(reinterpret_cast<const uint4*>(v.data + leaf * impl::leaf_size<element>) + lane),
          end(reinterpret_cast<const uint4*>(v.data + full * impl::leaf_size<element>)) {
#pragma unroll
      for (int i = 0; i < depth; ++i) buffer[i] = load_streaming(next + i * warp_size);
      next += depth * warp_size;
    }
    __device__ void take(int i, scalar (&group)[R::width]) {
      struct elements {
        element e[R::width];
      } loaded = Kokkos::bit_cast<elements>(buffer[i]);
      if (next < end) buffer[i] = load_streaming(next + i * warp_size);
#pragma unroll
      for (int j = 0; j < R::width; ++j) group[j] = scalar(loaded.e[j]);
    }
    __device__ void advance() { next += depth * warp_size; }
  };

  __device__ typename R::leaf_sums sum_full_leaf(row_stream& x, row_stream& y) const {
    Acc lane[R::width][terms::sums];
#pragma unroll 1
    for (int row = 0; row < impl::rows_per_leaf; row += depth) {
#pragma unroll
      for (int i = 0; i < depth; ++i) {
        scalar xs[R::width], ys[R::width] = {};
        x.take(i, xs);
        if constexpr (has_y) y.take(i, ys);
#pragma unroll
        for (int j = 0; j < R::width; ++j) terms::deposit(lane[j], xs[j], ys[j], ys[j ^ 1], j);
      }
      x.advance();
      if constexpr (has_y) y.advance();
    }
    return impl::combine_lanes<Acc, R>(lane);
  }
};

template <class R>
void launch_on_cuda(const Kokkos::Cuda& exec, workspace<Kokkos::Cuda>& memory, const char* label,
                    const R& r) {
  using kernel = cuda_kernel<R>;
  constexpr bool has_y = kernel::has_y;
  const auto on_boundary = [](const auto& v) {
    return v.contiguous() && reinterpret_cast<std::uintptr_t>(v.data) % 16 == 0;
  };
  const std::int64_t leaves = r.leaves();
  // Small problems: few warps a team, so that every multiprocessor gets some. Large ones: as many
  // leaves a warp as keep the teams, and the partials, to a few rounds.
  const int processors = exec.cuda_device_prop().multiProcessorCount;
  int warps = kernel::max_warps;
  while (warps > 1 && leaves < std::int64_t(warps) * processors) warps /= 2;
  std::int64_t per_warp = 1;
  while ((leaves + per_warp * warps - 1) / (per_warp * warps) > max_partials) per_warp *= 2;
  const unsigned teams = unsigned((leaves + per_warp * warps - 1) / (per_warp * warps));
  const kernel k{r,
                 leaves,
                 per_warp,
                 teams,
                 on_boundary(r.x) && (!has_y || on_boundary(r.y)),
                 reinterpret_cast<typename kernel::node*>(memory.partials.data()),
                 memory.finished_teams.data()};
  typename kernel::policy policy(exec, int(teams), warps * warp_size);
  const int scratch = int(sizeof(typename kernel::shared)) + 16;
  Kokkos::parallel_for(label, policy.set_scratch_size(0, Kokkos::PerTeam(scratch)), k);
}

}  // namespace acc::backends

#endif
