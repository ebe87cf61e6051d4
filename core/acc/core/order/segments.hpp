// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_SEGMENTS_HPP
#define ACC_CORE_ORDER_SEGMENTS_HPP

/// \file
/// One call of segmented_sum as a value: a reduction for each segment of a vector.

#include <acc/core/order/canonical_order.hpp>
#include <acc/core/exact/prefix.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/order_free.hpp>
#include <acc/core/order/reduction.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace acc::impl {

/// The last i in [low, high] with s.offset(i) <= position. That of low is, or low is -1.
template <class Segments>
KOKKOS_INLINE_FUNCTION std::int64_t last_segment_begun(const Segments& s, std::int64_t position,
                                                       std::int64_t low, std::int64_t high) {
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (s.offset(middle) <= position) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// R: the reduction, of either kind, of one segment. Index: the type of the offsets.
template <class R, class Result, class Index>
struct segments {
  using reduction = R;
  using element = typename R::element;
  static constexpr int components = decltype(R::x)::components;
  /// Elements of a stripe of the canonical order, and of a leaf: what one work item sums, and what
  /// several may.
  static constexpr int stripe = lanes<element> / components;
  static constexpr int leaf = stripe * stripes_per_leaf;

  decltype(R::x) x;  ///< all elements
  Result* r;
  std::int64_t r_stride;
  const Index* offsets;
  std::int64_t offset_stride;
  std::int64_t count;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t size() const { return x.size / components; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(std::int64_t i) const {
    return std::int64_t(offsets[i * offset_stride]);
  }
  /// The reduction of segment i, which is elements [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION R of(std::int64_t i, std::int64_t begin, std::int64_t end) const {
    const decltype(R::x) part{x.data + begin * x.stride, x.stride, (end - begin) * components};
    return R{part, part, r + i * r_stride};
  }

  /// last_segment_begun.
  KOKKOS_INLINE_FUNCTION std::int64_t last_begun(std::int64_t position, std::int64_t low,
                                                 std::int64_t high) const {
    return last_segment_begun(*this, position, low, high);
  }
};

/// A leaf, by one work item; of one stripe, its lanes have an element each. The groups' tree halves
/// strides (combine_by_halving), so its order from left to right is that of the groups' numbers
/// with their bits reversed; a group beyond the end is empty, and changes nothing. (Except of
/// complex products: there it has padding, which makes +0 of -0.)
template <class Acc, class R>
KOKKOS_INLINE_FUNCTION sums<Acc, R::terms::results> sum_one_stripe(const R& r) {
  using node = sums<Acc, R::terms::results>;
  const int groups = R::terms::sums == 2 || r.x.size >= R::stripe
                         ? groups_per_stripe
                         : int((r.x.size + R::width - 1) / R::width);
  int half = 1;
  while (2 * half < groups) half *= 2;
  node waiting[6];
  leaf_tree<node> tree(waiting);
  for (int k = 0, g = 0; k < (groups > 1 ? 2 * half : 1); ++k) {
    const node empty;
    tree.push(g < groups ? sum_group<Acc>(r, 0, g) : empty);
    int bit = half;  // counts up in g's reversed bits
    for (; (g & bit) != 0; bit /= 2) g ^= bit;
    g |= bit;
  }
  return tree.root();
}

/// Sums a segment of at most a stripe, and writes the result.
template <class Terms, class Method, class E, int C, class Finish, class Result>
KOKKOS_INLINE_FUNCTION void sum_short_segment(
    const reduction<Terms, Method, E, C, Finish, Result>& r) {
  using R = reduction<Terms, Method, E, C, Finish, Result>;
  using node = typename R::leaf_node;
  if (r.x.size == 0) return r.finish(node());
  const auto sums = sum_one_stripe<typename R::accumulator>(r);
  r.finish(make_node<R>(sums, range_check<R>(sums),
                        [&](auto tag) { return sum_one_stripe<decltype(tag)>(r); }));
}

/// The totals of a segment's parts, in the form that merges at once.
template <class R>
using exact_totals = sums<exact_total<typename R::scalar>, R::terms::results>;

/// The elements first, first + step, ... of a segment, whose components go to part 0 and 1.
template <class R>
KOKKOS_INLINE_FUNCTION exact_totals<R> sum_exactly(const R& r, std::int64_t first,
                                                   std::int64_t step, std::int64_t end) {
  constexpr int parts = R::terms::results;
  exact_depositor<typename R::scalar> sum[parts];
  for (std::int64_t k = first * parts; k < end * parts; k += step * parts)
    for (int p = 0; p < parts; ++p) sum[p].add(typename R::scalar(r.x[k + p]));
  exact_totals<R> total;
  for (int p = 0; p < parts; ++p) total.part[p] = sum[p].total();
  return total;
}

template <class Terms, class E, int C, class Finish, class Result>
KOKKOS_INLINE_FUNCTION void sum_short_segment(
    const order_free_reduction<Terms, exact, E, C, Finish, Result>& r) {
  sums<exact_depositor<E>, Terms::results> sum;
  for (std::int64_t k = 0; k < r.x.size; k += Terms::results)
    for (int p = 0; p < Terms::results; ++p) sum.part[p].add(r.x[k + p]);
  r.finish(sum);
}

}  // namespace acc::impl

#endif
