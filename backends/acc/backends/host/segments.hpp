// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SEGMENTS_HPP
#define ACC_BACKENDS_HOST_SEGMENTS_HPP

/// \file
/// Segmented sums on hosts: generic/segments.hpp with a thread per tile, which sums segments and
/// their pieces as the host machine sums vectors.

#include <acc/backends/generic/segments.hpp>
#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/order_free.hpp>
#include <acc/backends/host/reduce.hpp>
#include <acc/backends/host/sums/short_sums.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/order_free.hpp>
#include <acc/core/order/segments.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::host {

/// How a thread sums a segment, or a piece of a long one. Methods with a canonical order: by
/// leaves.
template <class R>
struct thread_piece {
  using node = typename R::leaf_node;
  static constexpr std::int64_t min_leaves = segments_tuning::min_leaves;

  typename subtree_reduction<R>::function sum_stripes =
      subtree_reduction<R>::function_for_this_processor();

  void sum_segment(const R& r, std::int64_t size, int leaf) const {
    r.finish(sum(r, 0, size, leaf));
  }
  /// Of up to a stripe.
  void sum_short(const R& r, std::int64_t size, int leaf) const {
    if constexpr (has_few_kernel<typename R::terms, typename R::method, typename R::element>)
      if (size > 0 && r.x.contiguous()) return sum_segment(r, size, leaf);
    impl::sum_short_segment(r);
  }
  node sum(const R& r, std::int64_t from, std::int64_t to, int leaf) const {
    return subtree_reduction<R>{r, sum_stripes}.sum_subtree(from / leaf, (to + leaf - 1) / leaf);
  }
};

/// Exact sums: by order-free tiles.
template <class Terms, class E, int C, class Finish, class Result>
struct thread_piece<impl::order_free_reduction<Terms, exact, E, C, Finish, Result>> {
  using R = impl::order_free_reduction<Terms, exact, E, C, Finish, Result>;
  using node = typename R::total;
  static constexpr std::int64_t min_leaves = segments_tuning::min_leaves_exact;

  void sum_segment(const R& r, std::int64_t size, int leaf) const {
    if (size <= short_sums_tuning::max_by_three_doubles(sizeof(E))) return sum_short(r, size, leaf);
    r.finish(sum(r, 0, size, leaf));
  }
  void sum_short(const R& r, std::int64_t, int) const {
    if (!sum_by_three_doubles(r)) impl::sum_short_segment(r);
  }
  node sum(const R& r, std::int64_t from, std::int64_t to, int) const {
    node total;
    order_free_kernel<R>{r, 0, 0, nullptr, nullptr}.add(total, from * C, to * C);
    return total;
  }
};

/// One work item per segment: sums it if it is short.
template <class S>
struct short_segments {
  S segments;
  thread_piece<typename S::reduction> piece;

  void operator()(std::int64_t i) const {
    const std::int64_t begin = segments.offset(i), end = segments.offset(i + 1);
    if (end - begin <= S::stripe)
      piece.sum_short(segments.of(i, begin, end), end - begin, int(S::leaf));
  }
};

/// `find` of for_each_piece by a thread: the segments of more than a stripe.
struct longer_than_stripe {
  template <class Tiles, class Sum>
  void operator()(const Tiles& tiles, std::int64_t leaf, const Sum& sum) const {
    using S = typename Tiles::segments_type;
    const S& s = tiles.segments;
    std::int64_t low = s.last_begun(leaf - 1, -1, s.count);
    const std::int64_t high = s.last_begun(leaf + S::leaf, low, s.count);
    for (int j = 0; low < high && j < impl::stripes_per_leaf; ++j) {
      const std::int64_t i = tiles.segment_beginning_in(leaf, j, low, high);
      if (i < 0) continue;
      low = i;
      sum(i);
    }
  }
};

/// One work item per tile: sums the segments that Find finds, and pieces, that begin in it.
template <class Tiles, class Find>
struct thread_tiles {
  using S = typename Tiles::segments_type;
  using R = typename S::reduction;

  Tiles tiles;
  thread_piece<R> piece;

  void operator()(std::int64_t tile) const {
    const auto find = [&](std::int64_t leaf, const auto& sum) { Find{}(tiles, leaf, sum); };
    tiles.for_each_piece(tile, find,
                         [&](std::int64_t i, std::int64_t begin, std::int64_t end, std::int64_t p,
                             std::int64_t from, std::int64_t to) {
                           const R r = tiles.segments.of(i, begin, end);
                           if (p < 0) return piece.sum_segment(r, end - begin, int(S::leaf));
                           (p == 0 ? tiles.first : tiles.later)[tile] =
                               piece.sum(r, from, to, int(S::leaf));
                         });
  }
};

/// The engine of generic::launch_tiles_by.
template <class R, class Find = longer_than_stripe,
          std::int64_t MinLeaves = thread_piece<R>::min_leaves>
struct thread_segments {
  using node = typename thread_piece<R>::node;
  static constexpr std::int64_t min_leaves = MinLeaves;

  template <class S>
  static short_segments<S> short_kernel(const S& s) {
    return {s, {}};
  }

  template <class Exec, class Tiles>
  static void launch(const Exec& exec, const char* label, const Tiles& tiles) {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, tiles.count),
        thread_tiles<Tiles, Find>{tiles, {}});
  }
};

/// Enqueues the segmented sum on exec.
template <class Exec, class S>
void segments(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  generic::launch_segments_by<thread_segments<typename S::reduction>>(exec, memory, label, s);
}

}  // namespace acc::backends::host

#endif
