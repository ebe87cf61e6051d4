// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_CRS_ROWS_HPP
#define ACC_BACKENDS_HOST_CRS_ROWS_HPP

/// \file
/// Products of CRS matrices with a vector on hosts, in canonical order. A work item has rows that
/// begin in a share of the entries, and sums those of at most a leaf: it copies a row's values and
/// the elements of x that they meet, which lie apart, and a vector kernel sums the copies. Most
/// rows are shorter than a stripe. As many neighbors of these as a line of the cache has numbers
/// are copied at once, interleaved, so that a row is a lane of the kernel's registers. Longer rows
/// are divided into tiles, as long segments are (generic/segments.hpp).

#include <acc/backends/generic/segments.hpp>
#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/reduce.hpp>
#include <acc/backends/host/segments.hpp>
#include <acc/backends/host/sums/gather.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/gemm/crs_rows.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

namespace acc::backends::host {

/// The kernel of neighboring rows that are shorter than a stripe; where there is none, a null
/// pointer.
template <class R>
auto kernel_of_short_rows() {
  using terms = typename R::terms;
  using method = typename R::method;
  using element = typename R::element;
  if constexpr (has_interleaved_kernel<terms, method, element>)
    return interleaved_for_this_processor<terms, method, element>();
  else
    return nullptr;
}

/// Sums rows of at most a leaf.
template <class R>
struct row_sum {
  using element = typename R::element;
  using function = typename subtree_reduction<R>::function;
  static constexpr std::int64_t longest = impl::leaf_size<element>;
  static constexpr bool has_short =
      has_interleaved_kernel<typename R::terms, typename R::method, element>;
  /// Short rows that are summed at once.
  static constexpr int at_once = has_short ? interleaved_line<element> : 1;

  function sum_stripes = subtree_reduction<R>::function_for_this_processor();
  decltype(kernel_of_short_rows<R>()) sum_interleaved = kernel_of_short_rows<R>();

  void operator()(const R& r) const {
    if (r.x.size == 0) return r.finish(typename R::leaf_node());
    if (r.x.size <= R::stripe) return sum<R::stripe>(r);
    sum<longest>(r);
  }
  static bool is_short(std::int64_t size) { return has_short && size > 0 && size < R::stripe; }

  /// at_once rows, or fewer, that are short.
  void sum_short(const R* rows, int count) const {
    if constexpr (has_short) {
      if (count < at_once / 4) {
        for (int b = 0; b < count; ++b) (*this)(rows[b]);
        return;
      }
      alignas(64) element a[R::stripe * at_once], x[R::stripe * at_once];
      std::int64_t size = 0, all = 0;
      for (int b = 0; b < count; ++b) {
        size = std::max(size, rows[b].x.size);
        all += rows[b].x.size;
      }
      for (int b = 0; b < at_once; ++b) {
        const std::int64_t present = b < count ? rows[b].x.size : 0;
        if (present > 0) interleave(rows[b], a + b, x + b);
        for (std::int64_t k = present; k < size; ++k) {
          a[k * at_once + b] = impl::padding<element>::x;
          x[k * at_once + b] = impl::padding<element>::y;
        }
      }
      // As many entries as these rows have, while the kernel adds.
      prefetch(rows[count - 1].x.data + rows[count - 1].x.size, all);
      prefetch(rows[count - 1].y.index + rows[count - 1].x.size, all);
      typename R::accumulator sums[at_once];
      sum_interleaved({a, at_once, false}, {x, at_once, false}, 1, int(size), sums);
      for (int b = 0; b < count; ++b)
        rows[b].finish(subtree_reduction<R>{rows[b], sum_stripes}.checked(0, {{sums[b]}}));
    }
  }

 private:
  template <class T>
  static void prefetch(const T* p, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += 64 / sizeof(T)) __builtin_prefetch(p + i);
  }
  /// Copies a row's values and elements of x to every at_once-th number.
  static void interleave(const R& r, element* a, element* x) {
    const std::int64_t size = r.x.size;
    if (r.x.index == nullptr && r.x.stride == 1 && r.y.stride == 1 && r.y.index_stride == 1) {
      const element *const from = r.x.data, *const of_x = r.y.data;
      const auto* const index = r.y.index;
      for (std::int64_t k = 0; k < size; ++k) {
        a[k * at_once] = from[k];
        x[k * at_once] = of_x[index[k]];
      }
    } else {
      for (std::int64_t k = 0; k < size; ++k) {
        a[k * at_once] = r.x[k];
        x[k * at_once] = r.y[k];
      }
    }
  }
  /// A row of at most Size real elements, a multiple of a stripe.
  template <std::int64_t Size>
  __attribute__((noinline)) void sum(const R& r) const {
    alignas(64) element a[Size], x[Size];
    const std::int64_t size = r.x.size, padded = std::int64_t(r.stripes(0)) * R::stripe;
    gather(r.x, 0, size, a);
    gather(r.y, 0, size, x);
    std::fill(a + size, a + padded, impl::padding<element>::x);
    std::fill(x + size, x + padded, impl::padding<element>::y);
    r.finish(subtree_reduction<R>{r, sum_stripes}.sum_copied_leaf(0, a, x));
  }
};

/// A work item has the rows of a share of rows and entries together: row i begins at offset(i) + i.
template <class S>
struct shares_of_rows {
  S rows;
  row_sum<typename S::reduction> sum;
  std::int64_t share;

  void operator()(std::int64_t item) const {
    using R = typename S::reduction;
    constexpr int at_once = row_sum<R>::at_once;
    const std::int64_t end = first_of(item + 1);
    R waiting[at_once];
    int count = 0;
    std::int64_t last = rows.offset(first_of(item));
    for (std::int64_t i = first_of(item); i < end; ++i) {
      const std::int64_t first = last;
      last = rows.offset(i + 1);
      if (last - first > S::leaf) continue;
      const R r = rows.of(i, first, last);
      if (!sum.is_short(r.x.size)) {
        sum(r);
        continue;
      }
      waiting[count++] = r;
      if (count == at_once) {
        sum.sum_short(waiting, count);
        count = 0;
      }
    }
    if (count > 0) sum.sum_short(waiting, count);
  }

 private:
  /// The first row that begins at `item` shares or later.
  std::int64_t first_of(std::int64_t item) const {
    std::int64_t low = 0, high = rows.count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (rows.offset(middle) + middle < item * share)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// The engine of generic::launch_tiles_by for rows of more than a leaf.
template <class R>
using long_rows = thread_segments<R, generic::longer_than_leaf, crs_tuning::min_leaves>;

/// Enqueues the products on exec.
template <class Exec, class S>
void crs_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s,
              std::int64_t max_tiles = nodes_bytes /
                                       (2 *
                                        sizeof(typename long_rows<typename S::reduction>::node))) {
  const std::int64_t work = s.size() + s.count;
  const std::int64_t items =
      std::min<std::int64_t>(crs_tuning::shares_per_thread * exec.concurrency(), s.count);
  // The first row may begin after entry 0, and entries after the last row count, too.
  const std::int64_t share = (work + items - 1) / items;
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, (work + share - 1) / share),
                       shares_of_rows<S>{s, {}, share});
  if (s.size() > S::leaf)
    generic::launch_tiles_by<long_rows<typename S::reduction>>(exec, memory, label, s, max_tiles);
}

}  // namespace acc::backends::host

#endif
