// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_CRS_ROWS_HPP
#define ACC_BACKENDS_HOST_CRS_ROWS_HPP

/// \file
/// Products of CRS matrices with a vector on hosts, in canonical order. A work item has rows that
/// begin in a share of the entries, and sums those of at most a leaf: it copies a row's values and
/// the elements of x that they meet, which lie apart, and a vector kernel sums the copies. Longer
/// rows are divided into tiles, as long segments are (generic/segments.hpp).

#include <acc/backends/generic/segments.hpp>
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

/// Sums rows of at most a leaf.
template <class R>
struct row_sum {
  using element = typename R::element;
  using function = typename subtree_reduction<R>::function;
  static constexpr std::int64_t longest = impl::leaf_size<element>;

  function sum_stripes = subtree_reduction<R>::function_for_this_processor();

  void operator()(const R& r) const {
    if (r.x.size == 0) return r.finish(typename R::leaf_node());
    if (r.x.size <= R::stripe) return sum<R::stripe>(r);
    sum<longest>(r);
  }

 private:
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
    const std::int64_t end = first_of(item + 1);
    for (std::int64_t i = first_of(item); i < end; ++i) {
      const std::int64_t first = rows.offset(i), last = rows.offset(i + 1);
      if (last - first <= S::leaf) sum(rows.of(i, first, last));
    }
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
