// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SEGMENTS_HPP
#define ACC_BACKENDS_HOST_SEGMENTS_HPP

/// \file
/// Blocks of segmented sums in host execution spaces: an iteration of a parallel_for has a block,
/// and sums its units as the host backends sum vectors.

#include <acc/backends/host/reduce.hpp>
#include <acc/backends/host/order_free.hpp>
#include <acc/backends/generic/segments.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/order_free.hpp>
#include <acc/core/order/segments.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::host {

template <class R>
struct host_unit {
  using node = typename R::leaf_node;
  static constexpr std::int64_t min_leaves = 1;

  typename host_leaves<R>::function leaf_function = host_leaves<R>::function_for_this_processor();

  void sum_segment(const R& r, std::int64_t size, int leaf) const {
    r.finish(sum(r, 0, size, leaf));
  }
  node sum(const R& r, std::int64_t from, std::int64_t to, int leaf) const {
    return host_leaves<R>{r, leaf_function}.sum_subtree(from / leaf, (to + leaf - 1) / leaf);
  }
};

template <class Terms, class E, int C, class Finish, class Result>
struct host_unit<impl::order_free_reduction<Terms, exact, E, C, Finish, Result>> {
  using R = impl::order_free_reduction<Terms, exact, E, C, Finish, Result>;
  using node = typename R::total;
  /// A unit's superaccumulator costs the time of a thousand elements.
  static constexpr std::int64_t min_leaves = 4;
  /// Below, three doubles are faster than windows and a superaccumulator.
  static constexpr int few = 144;

  void sum_segment(const R& r, std::int64_t size, int leaf) const {
    if (size <= few) return impl::sum_short_segment(r);
    r.finish(sum(r, 0, size, leaf));
  }
  node sum(const R& r, std::int64_t from, std::int64_t to, int) const {
    node total;
    order_free_kernel<R>{r, 0, 0, nullptr, nullptr}.add(total, from * C, to * C);
    return total;
  }
};

template <class Blocks>
struct host_blocks {
  using S = typename Blocks::segments_type;
  using R = typename S::reduction;

  Blocks blocks;
  host_unit<R> unit;

  void operator()(std::int64_t block) const {
    const auto find = [&](std::int64_t leaf, const auto& sum) {
      const S& s = blocks.segments;
      std::int64_t low = s.last_begun(leaf - 1, -1, s.count);
      const std::int64_t high = s.last_begun(leaf + S::leaf, low, s.count);
      for (int j = 0; low < high && j < impl::stripes_per_leaf; ++j) {
        const std::int64_t i = blocks.segment_beginning_in(leaf, j, low, high);
        if (i < 0) continue;
        low = i;
        sum(i);
      }
    };
    blocks.for_each_unit(block, find,
                         [&](std::int64_t i, std::int64_t begin, std::int64_t end, std::int64_t u,
                             std::int64_t from, std::int64_t to) {
                           const R r = blocks.segments.of(i, begin, end);
                           if (u < 0) return unit.sum_segment(r, end - begin, int(S::leaf));
                           (u == 0 ? blocks.first : blocks.later)[block] =
                               unit.sum(r, from, to, int(S::leaf));
                         });
  }
};

template <class R>
struct host_segments {
  using node = typename host_unit<R>::node;
  static constexpr std::int64_t min_leaves = host_unit<R>::min_leaves;

  template <class Exec, class Blocks>
  static void launch(const Exec& exec, const char* label, const Blocks& blocks) {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, blocks.count),
        host_blocks<Blocks>{blocks, {}});
  }
};

/// Enqueues the segmented sum on exec.
template <class Exec, class S>
void segments(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  generic::launch_segments_by<host_segments<typename S::reduction>>(exec, memory, label, s);
}

}  // namespace acc::backends::host

#endif
