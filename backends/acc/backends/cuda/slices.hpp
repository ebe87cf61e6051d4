// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SLICES_HPP
#define ACC_BACKENDS_CUDA_SLICES_HPP

/// \file
/// Reductions of columns and along axes on NVIDIA GPUs: selection, kernels and launch. Short slices
/// are a work item's each, as on any machine (generic/slices.hpp). Else:
///
///   method         slices                              kernel
///   with an order  contiguous, on 16-byte boundaries   contiguous_slices: a warp sums a leaf as it
///                                                      does a vector's (sums/canonical_leaf.hpp)
///                  interleaved                         generic's, of some neighbors at once;
///                                                      streamed_group keeps loads in flight
///                  others                              the same of one slice
///   exact          interleaved, of real numbers        neighbor_sums: a thread has a slice
///                                                      (sums/neighbor_sums.hpp)
///   order-free     others                              order_free_slices: teams sum a slice as a
///                                                      vector (sums/order_free_kernel.hpp)
///
/// Where slices are summed in pieces, combined_pieces follows: a warp per slice.

#include <acc/backends/cuda/order_free.hpp>
#include <acc/backends/cuda/sums/canonical_leaf.hpp>
#include <acc/backends/cuda/sums/neighbor_sums.hpp>
#include <acc/backends/cuda/sums/order_free_kernel.hpp>
#include <acc/backends/cuda/sums/tree.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/generic/slices.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/reduction.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// A group of a whole leaf, of any strides: the loads of some stripes are under way at once.
struct streamed_group {
  template <class Acc, class R>
  __device__ static impl::sums<Acc, R::terms::results> sum(const R& r, std::int64_t leaf,
                                                           int group) {
    using element = typename R::element;
    using scalar = typename R::scalar;
    using terms = typename R::terms;
    constexpr int components = decltype(r.x)::components;
    constexpr bool has_y = terms::inputs == 2;
    constexpr int stripes = tuning::strided_loads_in_flight / (R::width * terms::inputs);
    static_assert(stripes > 0 && impl::stripes_per_leaf % stripes == 0);
    if ((leaf + 1) * impl::leaf_size<element> > r.x.size)
      return impl::sum_group<Acc>(r, leaf, group);
    const std::int64_t begin = (leaf * impl::leaf_size<element> + group * R::width) / components;
    const element *x = r.x.data + begin * r.x.stride, *y = r.y.data + begin * r.y.stride;
    const std::int64_t x_step = R::stripe / components * r.x.stride,
                       y_step = R::stripe / components * r.y.stride;
    Acc lane[R::width][terms::sums];
    ACC_NO_UNROLL for (int first = 0; first < impl::stripes_per_leaf; first += stripes) {
      element xs[stripes][R::width], ys[has_y ? stripes : 1][R::width];
      ACC_UNROLL for (int i = 0; i < stripes; ++i) {
        ACC_UNROLL for (int j = 0; j < R::width; ++j) {
          xs[i][j] = x[j / components * r.x.stride + j % components];
          if constexpr (has_y) ys[i][j] = y[j / components * r.y.stride + j % components];
        }
        x += x_step;
        if constexpr (has_y) y += y_step;
      }
      ACC_UNROLL for (int i = 0; i < stripes; ++i) {
        scalar a[R::width], b[R::width] = {};
        ACC_UNROLL for (int j = 0; j < R::width; ++j) {
          a[j] = scalar(xs[i][j]);
          if constexpr (has_y) b[j] = scalar(ys[i][j]);
        }
        ACC_UNROLL for (int j = 0; j < R::width; ++j) {
          terms::deposit(lane[j], a[j], b[j], b[j ^ 1], j);
        }
      }
    }
    return impl::combine_lanes<Acc, R>(lane);
  }
};

/// A warp per piece.
template <class S>
struct contiguous_slices {
  using R = typename S::reduction;
  using leaf_type = canonical_leaf<R, false>;
  using node = typename R::leaf_node;
  /// 2^15 leaves, the most of a piece.
  static constexpr int max_levels = 16;

  S slices;
  std::int64_t leaves;
  generic::slice_division division;
  bool pieces_together;  ///< warps that run together have the same piece of neighboring slices
  node* nodes;

  template <class Exec>
  using policy =
      Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<warp_size, leaf_type::shape.warps_per_sm>,
                          Kokkos::IndexType<std::int64_t>>;

  __device__ void operator()(std::int64_t thread) const {
    const std::int64_t item = thread / warp_size;
    const int lane_id = int(thread % warp_size);
    const std::int64_t n = pieces_together ? slices.count : division.pieces;
    const std::int64_t outer = item / n, inner = item - outer * n;
    const std::int64_t s = pieces_together ? inner : outer;
    const std::int64_t piece = pieces_together ? outer : inner;
    if (division.leaves_per_piece == 1) {
      const leaf_type of_slice(slices.of(s));
      node sum;
      if (piece < of_slice.full_leaves() && of_slice.try_full(piece, lane_id, sum)) {
        if (lane_id == 0) put(s, piece, sum);
        return;
      }
    }
    run(*this, s, piece, lane_id);
  }

 private:
  /// Out of line and by value, as in reduction_tree.
  __device__ __noinline__ static void run(contiguous_slices k, std::int64_t s, std::int64_t piece,
                                          int lane_id) {
    __shared__ alignas(node) std::byte waiting[max_levels * sizeof(node)];
    const leaf_type of_slice(k.slices.of(s));
    const std::int64_t first = piece * k.division.leaves_per_piece;
    const std::int64_t end = min(first + k.division.leaves_per_piece, k.leaves);
    // Where a piece is one leaf, operator() has tried it.
    const std::int64_t full = k.division.leaves_per_piece == 1 ? 0 : of_slice.full_leaves();
    impl::leaf_tree<node> tree(reinterpret_cast<node*>(waiting));
    for (std::int64_t leaf = first; leaf < end; ++leaf) {
      node n;
      if (leaf >= full || !of_slice.try_full(leaf, lane_id, n)) n = of_slice.sum_any(leaf, lane_id);
      if (lane_id == 0) tree.push(n);
    }
    if (lane_id == 0) k.put(s, piece, tree.root());
  }
  __device__ void put(std::int64_t s, std::int64_t piece, const node& n) const {
    if (division.pieces == 1)
      slices.of(s).finish(n);
    else
      nodes[s * division.pieces + piece] = n;
  }
};

/// A warp per slice combines the nodes of its pieces.
template <class S>
struct combined_pieces {
  using node = typename S::reduction::leaf_node;
  static constexpr int per_thread = tuning::tree_shape_of(sizeof(node)).nodes_per_thread;
  static constexpr int together = per_thread * warp_size;
  static constexpr int max_levels = 20;  ///< more pieces than memory has nodes

  S slices;
  const node* nodes;  ///< of slice s: from s * pieces on
  std::int64_t pieces;

  template <class Exec>
  using policy = Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<warp_size, 1>,
                                     Kokkos::IndexType<std::int64_t>>;

  __device__ void operator()(std::int64_t thread) const {
    __shared__ alignas(node) std::byte waiting[max_levels * sizeof(node)];
    const std::int64_t s = thread / warp_size;
    const int lane_id = int(thread % warp_size);
    impl::leaf_tree<node> tree(reinterpret_cast<node*>(waiting));
    for (std::int64_t first = 0; first < pieces; first += together) {
      const int count = int(min(pieces - first, std::int64_t(together)));
      const node* const from = nodes + s * pieces + first + lane_id * per_thread;
      node n[per_thread];
      ACC_UNROLL for (int k = 0; k < per_thread; ++k) {
        if (lane_id * per_thread + k < count) n[k] = from[k];
      }
      const node root = combine_nodes(n, count, per_thread, lane_id);
      if (lane_id == 0) tree.push(root);
    }
    if (lane_id == 0) slices.of(s).finish(tree.root());
  }
};

/// `teams` teams per slice.
template <class S>
struct order_free_slices {
  using R = typename S::reduction;
  using kernel = order_free_kernel<R, false, 1>;

  S slices;
  int teams;
  bool neighbors_first;               ///< teams that run together have neighboring slices
  typename kernel::shared_sum* sums;  ///< one per slice, zero before; unused if teams is 1

  template <class Team>
  __device__ void operator()(const Team& team) const {
    const std::int64_t rank = team.league_rank();
    const std::int64_t s = neighbors_first ? rank % slices.count : rank / teams;
    const std::int64_t index = neighbors_first ? rank / slices.count : rank % teams;
    order_free_kernel_of<kernel>(slices.of(s), teams, sums + s).run(team, index, teams);
  }
};

template <class Exec, class S>
void launch_order_free_slices(const Exec& exec, workspace<Exec>& memory, const char* label,
                              const S& s) {
  using slices_kernel = order_free_slices<S>;
  using kernel = typename slices_kernel::kernel;
  using shared_sum = typename kernel::shared_sum;
  const std::int64_t max_teams =
      std::int64_t(kernel::teams_per_sm) * exec.cuda_device_prop().multiProcessorCount;
  constexpr std::int64_t batch = kernel::loads_of_team * kernel::width * kernel::batches;
  const bool have_room = s.count <= std::int64_t(nodes_bytes / sizeof(shared_sum));
  const int teams =
      have_room
          ? int(std::clamp<std::int64_t>(max_teams / s.count, 1, (s.x.size + batch - 1) / batch))
          : 1;
  auto* const sums = teams == 1 ? nullptr : reinterpret_cast<shared_sum*>(memory.nodes());
  if (teams > 1) fill_with_zeros(exec, label, sums, s.count * sizeof(shared_sum));
  Kokkos::parallel_for(label, order_free_policy<kernel>(exec, int(s.count * teams)),
                       slices_kernel{s, teams, s.are_interleaved(), sums});
}

/// Whether all slices begin on boundaries of 16 bytes, and are contiguous.
template <class S>
bool are_aligned(const S& s) {
  using R = typename S::reduction;
  bool result = elements_before_boundary(s.x) == 0 &&
                (R::terms::inputs == 1 || elements_before_boundary(s.y) == 0);
  constexpr std::int64_t width = 16 / sizeof(typename R::element);
  for (const auto& d : s.dimension) result = result && d.x % width == 0 && d.y % width == 0;
  return result;
}

/// Whether the slices have two vectors and share one of them. Warps that run together should then
/// read the same part of it.
template <class S>
bool have_common_vector(const S& s) {
  bool x = true, y = true;
  for (const auto& d : s.dimension) {
    x = x && d.x == 0;
    y = y && d.y == 0;
  }
  return S::reduction::terms::inputs == 2 && (x || y);
}

template <class Exec, class S>
void launch_combined_pieces(const Exec& exec, workspace<Exec>& memory, const char* label,
                            const S& s, std::int64_t pieces) {
  using kernel = combined_pieces<S>;
  if (pieces == 1) return;
  Kokkos::parallel_for(
      label, typename kernel::template policy<Exec>(exec, 0, s.count * warp_size),
      kernel{s, reinterpret_cast<const typename kernel::node*>(memory.nodes()), pieces});
}

/// Enqueues s on exec.
template <class Exec, class S>
void slices(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  using R = typename S::reduction;
  using element = typename R::element;
  if constexpr (impl::is_order_free<typename R::method>) {
    if constexpr (std::is_same_v<typename R::method, exact> && R::terms::results == 1 &&
                  S::data::components == 1) {
      if (s.are_interleaved() && s.x.size >= tuning::short_neighbors && neighbor_sums<S>::holds(s))
        return launch_neighbor_sums(exec, memory, label, s);
    }
    if (s.x.size < tuning::short_order_free_slice || s.count > max_league_size)
      return generic::slices(exec, memory, label, s);
    launch_order_free_slices(exec, memory, label, s);
  } else {
    if (s.x.size <= R::stripe) return generic::slices(exec, memory, label, s);
    if constexpr (canonical_leaf<R, false>::has_fast_path) {
      if (are_aligned(s)) {
        using kernel = contiguous_slices<S>;
        const std::int64_t leaves = s.of(0).leaves();
        const auto division = generic::divided_slices<typename kernel::node>(
            s.count, s.count, leaves, 1, tuning::pieces_of_slices);
        auto* const nodes = division.pieces == 1
                                ? nullptr
                                : reinterpret_cast<typename kernel::node*>(memory.nodes());
        Kokkos::parallel_for(
            label,
            typename kernel::template policy<Exec>(exec, 0, s.count * division.pieces * warp_size),
            kernel{s, leaves, division, have_common_vector(s), nodes});
        return launch_combined_pieces(exec, memory, label, s, division.pieces);
      }
    }
    const auto by_teams = [&]<int Block>() {
      constexpr int threads = Block * impl::groups_per_stripe;
      constexpr int teams_per_sm =
          tuning::slice_threads_per_sm(sizeof(typename R::accumulator)) / threads;
      using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, teams_per_sm>>;
      const auto division = generic::sum_pieces_by_teams<Block, streamed_group, policy>(
          exec, memory, label, s, 1, tuning::teams_of_slices, threads);
      launch_combined_pieces(exec, memory, label, s, division.pieces);
    };
    if (s.are_interleaved())
      by_teams.template operator()<generic::slices_at_once<R>>();
    else
      by_teams.template operator()<1>();
  }
}

}  // namespace acc::backends::cuda

#endif
