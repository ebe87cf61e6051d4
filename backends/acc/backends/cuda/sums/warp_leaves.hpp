// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SUMS_WARP_LEAVES_HPP
#define ACC_BACKENDS_CUDA_SUMS_WARP_LEAVES_HPP

/// \file
/// Segments and pieces of them by a warp, for methods with a canonical order: leaves that may be
/// short and may begin anywhere in memory. As in canonical_leaf.hpp a thread has a group of each
/// stripe; here it copies its groups of the next stripes to a ring in shared memory, so that many
/// loads are under way without a register for each. A thread reads what it has copied itself.

#include <acc/backends/cuda/gemm/ptx.hpp>
#include <acc/backends/cuda/sums/canonical_leaf.hpp>
#include <acc/backends/cuda/sums/tree.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>

#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// The copies of a thread's groups of a leaf, by 16 bytes or one element at a time.
template <class R, bool ByGroups, class Ops>
struct leaf_groups {
  using element = typename R::element;
  static constexpr int components = decltype(R::x)::components;

  const element* group;  ///< the thread's, of the leaf's first stripe
  std::int64_t stride, step;

  __device__ leaf_groups(const R& r, std::int64_t leaf, int lane_id)
      : group(r.x.data +
              (leaf * impl::leaf_size<element> + lane_id * R::width) / components * r.x.stride),
        stride(r.x.stride),
        step(R::stripe / components * r.x.stride) {}

  __device__ void copy(loaded<element>& to, int stripe) const {
    if constexpr (ByGroups) {
      Ops::copy16(&to, group + stripe * R::stripe, true);
    } else {
      ACC_UNROLL for (int j = 0; j < R::width; ++j) {
        const element* const from = group + offset(stripe, j);
        if constexpr (sizeof(element) == 2) {
          to.e[j] = *from;  // no asynchronous copy is as short
        } else {
          Ops::copy(&to.e[j], from, true);
        }
      }
    }
  }
  /// Element j of the thread's group of a stripe.
  __device__ element at(int stripe, int j) const { return group[offset(stripe, j)]; }

 private:
  __device__ std::int64_t offset(int stripe, int j) const {
    return stripe * step + j / components * stride + j % components;
  }
};

template <class R, class Ops>
struct warp_leaves {
  using element = typename R::element;
  using scalar = typename R::scalar;
  using Acc = typename R::accumulator;
  using terms = typename R::terms;
  using leaf_type = canonical_leaf<R, false>;
  using node = typename R::leaf_node;
  static_assert(terms::inputs == 1 && terms::sums == 1);
  static_assert(sizeof(loaded<element>) == R::width * sizeof(element));

  static constexpr int warps_per_sm = tuning::segment_warps;
  static constexpr int per_thread = tuning::tree_shape_of(sizeof(node)).nodes_per_thread;
  static constexpr int together = per_thread * warp_size;
  static constexpr int max_levels = 24;  ///< more leaves than memory has
  /// Stripes under way, and one more, which is being read.
  static constexpr int stages = tuning::segment_stripes_in_flight, places = stages + 1;

  struct memory {
    loaded<element> ring[places][warp_size];
    alignas(node) std::byte waiting[max_levels * sizeof(node)];
  };

  memory& m;
  int lane_id;

  __device__ warp_leaves(memory& shared, int lane) : m(shared), lane_id(lane) {}

  /// A sum that lane_id 0 has.
  using partial = node;

  /// Sums elements `from`, the first of a leaf, to `to`.
  __device__ partial sum(const R& r, std::int64_t from, std::int64_t to, std::int64_t leaf) const {
    const std::int64_t first = from / leaf, end = (to + leaf - 1) / leaf;
    tree leaves(reinterpret_cast<node*>(m.waiting));
    node n;
    ACC_NO_UNROLL for (std::int64_t i = first; i < end; ++i) {
      n = sum_leaf(r, i);
      if (lane_id == 0 && end - first > 1) leaves.push(n);
    }
    return lane_id == 0 && end - first > 1 ? leaves.root() : n;
  }
  /// Combines nodes node_of(0), ... of adjacent subtrees, all of one size except the last.
  template <class NodeOf>
  __device__ partial combined(const NodeOf& node_of, int count) const {
    tree roots(reinterpret_cast<node*>(m.waiting));
    ACC_NO_UNROLL for (int first = 0; first < count; first += together) {
      const int here = min(count - first, int(together));
      node n[per_thread];
      ACC_UNROLL for (int k = 0; k < per_thread; ++k) {
        if (lane_id * per_thread + k < here) n[k] = *node_of(first + lane_id * per_thread + k);
      }
      const node root = combine_nodes(n, here, per_thread, lane_id);
      if (lane_id == 0) roots.push(root);
    }
    return lane_id == 0 ? roots.root() : node();
  }
  __device__ void give(const partial& root, node* to) const {
    if (lane_id == 0) *to = root;
  }
  __device__ void finish(const R& r, const partial& root) const {
    if (lane_id == 0) r.finish(root);
  }

 private:
  using tree = impl::leaf_tree<node>;

  /// lane_id 0 has the node.
  __device__ node sum_leaf(const R& r, std::int64_t leaf) const {
    const bool by_groups = elements_before_boundary(r.x) == 0;
    const auto sums = leaf_type::combine_groups(
        by_groups ? sum_groups(r, leaf, leaf_groups<R, true, Ops>(r, leaf, lane_id))
                  : sum_groups(r, leaf, leaf_groups<R, false, Ops>(r, leaf, lane_id)));
    const bool is_ordinary = impl::range_check<R>(sums).is_ordinary();
    if (__shfl_sync(full_warp, int(is_ordinary), 0)) return impl::make_ordinary_node<R>(sums);
    return sum_again(r, leaf, lane_id);
  }
  /// Out of line, as few leaves need it.
  __device__ __noinline__ static node sum_again(R r, std::int64_t leaf, int lane_id) {
    return leaf_type(r).sum_any(leaf, lane_id);
  }

  /// A thread's groups of a leaf, as impl::sum_group adds them.
  template <class Groups>
  __device__ typename R::leaf_sums sum_groups(const R& r, std::int64_t leaf,
                                              const Groups& groups) const {
    const std::int64_t rest = r.x.size - leaf * impl::leaf_size<element>;
    const int stripes = r.stripes(leaf);
    const int whole = int(min(rest / R::stripe, std::int64_t(impl::stripes_per_leaf)));
    loaded<element>* const ring = &m.ring[0][lane_id];
    ACC_UNROLL for (int i = 0; i < stages; ++i) {
      if (i < whole) groups.copy(ring[i * warp_size], i);
      Ops::commit();
    }
    // The last stripe, where it is not whole.
    scalar last[R::width];
    ACC_UNROLL for (int j = 0; j < R::width; ++j) {
      last[j] = impl::padding<scalar>::x;
      if (whole < stripes && whole * R::stripe + lane_id * R::width + j < rest)
        last[j] = scalar(groups.at(whole, j));
    }
    Acc lane[R::width][1];
    int read = 0, written = stages * warp_size;  // places of the ring
    ACC_UNROLL_BY(2) for (int i = 0; i < whole; ++i) {
      Ops::template wait<stages - 1>();
      Ops::sync_warp();  // for the compiler: what was copied is read after this
      const loaded<element> v = ring[read];
      if (i + stages < whole) groups.copy(ring[written], i + stages);
      Ops::commit();
      written = read;
      read = read == stages * warp_size ? 0 : read + warp_size;
      ACC_UNROLL for (int j = 0; j < R::width; ++j) {
        const scalar x = scalar(v.e[j]);
        terms::deposit(lane[j], x, x, x, j);
      }
    }
    if (whole < stripes) {
      ACC_UNROLL for (int j = 0; j < R::width; ++j) {
        terms::deposit(lane[j], last[j], last[j], last[j], j);
      }
    }
    return impl::combine_lanes<Acc, R>(lane);
  }
};

}  // namespace acc::backends::cuda

#endif
