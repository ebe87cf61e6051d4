// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_CRS_ROWS_HPP
#define ACC_BACKENDS_HOST_CRS_ROWS_HPP

/// \file
/// Products of CRS matrices with a vector on hosts, in canonical order. A work item has rows that
/// begin in a share of the entries, and sums those of at most a leaf. Of real numbers the library
/// has a kernel for some rows at once (kernels/crs.hpp). A row of others is copied, its values and
/// the elements of x that they meet, and a vector kernel sums the copies. Longer rows are divided
/// into tiles, as long segments are (generic/segments.hpp).

#include <acc/backends/generic/segments.hpp>
#include <acc/backends/host/kernels/crs.hpp>
#include <acc/backends/host/reduce.hpp>
#include <acc/backends/host/segments.hpp>
#include <acc/backends/host/sums/gather.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/gemm/crs_rows.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/guarded.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

/// Sums rows of at most a leaf one after the other.
template <class S>
class rows_in_turn {
  using R = typename S::reduction;
  using element = typename R::element;

 public:
  explicit rows_in_turn(const S& s) : rows_(s) {}

  /// Those of rows [first, end).
  void sum(std::int64_t first, std::int64_t end) const {
    std::int64_t last = rows_.offset(first);
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t begin = last;
      last = rows_.offset(i + 1);
      if (last - begin > S::leaf) continue;
      const R r = rows_.of(i, begin, last);
      if (r.x.size == 0)
        r.finish(typename R::leaf_node());
      else if (r.x.size <= R::stripe)
        sum_row<R::stripe>(r);
      else
        sum_row<impl::leaf_size<element>>(r);
    }
  }

 private:
  /// A row of at most Size real elements, a multiple of a stripe.
  template <std::int64_t Size>
  __attribute__((noinline)) void sum_row(const R& r) const {
    alignas(64) element a[Size], x[Size];
    const std::int64_t size = r.x.size, padded = std::int64_t(r.stripes(0)) * R::stripe;
    gather(r.x, 0, size, a);
    gather(r.y, 0, size, x);
    std::fill(a + size, a + padded, impl::padding<element>::x);
    std::fill(x + size, x + padded, impl::padding<element>::y);
    r.finish(subtree_reduction<R>{r, sum_stripes_}.sum_copied_leaf(0, a, x));
  }

  const S& rows_;
  typename subtree_reduction<R>::function sum_stripes_ =
      subtree_reduction<R>::function_for_this_processor();
};

/// Sums rows of at most a leaf by the kernel. Of arrays that it cannot read, entries are copied,
/// with columns that count x's stride.
template <class S, bool Copies>
class rows_together {
  using R = typename S::reduction;
  using element = typename R::element;
  using method = typename R::method;
  using index = std::conditional_t<Copies, std::int64_t, typename S::ordinal>;

 public:
  rows_together(const rows_together&) = delete;
  rows_together& operator=(const rows_together&) = delete;
  explicit rows_together(const S& s) : rows_(s), entries_{s.values.data, nullptr, s.x.data} {
    if constexpr (Copies)
      entries_ = {values_, columns_, s.x.data};
    else
      entries_.columns = s.x.index;
  }

  /// Those of rows [first, end).
  void sum(std::int64_t first, std::int64_t end) {
    std::int64_t last = rows_.offset(first);
    for (std::int64_t i = first; i < end;) {
      int count = 0;
      std::int64_t copied = 0;
      list_has_empty_ = false;
      for (; i < end && count < crs_row_list::most; ++i) {
        const std::int64_t begin = last, next = rows_.offset(i + 1), size = next - begin;
        if constexpr (Copies) {
          if (size <= S::leaf && copied + size > S::leaf) break;
        } else if (const std::int64_t run = run_at(i, end, begin, size); run > 0) {
          sum_run(i, run, begin, size);
          i += run - 1;
          last = begin + run * size;
          continue;
        }
        last = next;
        if (size > S::leaf) continue;
        row_[count] = i;
        list_.begin[count] = Copies ? copied : begin;
        list_.size[count] = std::int32_t(size);
        list_has_empty_ = list_has_empty_ | (size == 0);
        ++count;
        if constexpr (Copies) copied = copy(begin, size, copied);
      }
      list_.count = count;
      if (count > 0) sum_rows(list_, list_has_empty_, [&](int k) { return row_[k]; });
    }
  }

 private:
  /// How many rows from row i on have as many entries, if they are a run that the kernel takes; row
  /// i has `size` entries from `begin` on.
  std::int64_t run_at(std::int64_t i, std::int64_t end, std::int64_t begin,
                      std::int64_t size) const {
    constexpr int least = crs_row_list::run_least;
    if (size < 1 || size > crs_row_list::run_entries || i + least > end) return 0;
    // This tells most rows that begin no run.
    if (rows_.offset(i + least) != begin + least * size) return 0;
    std::int64_t run = 1;
    while (i + run < end && rows_.offset(i + run + 1) == begin + (run + 1) * size) ++run;
    return run < least ? 0 : run;
  }
  /// Rows of `size` entries each: row first and the `count` - 1 after it.
  __attribute__((noinline)) void sum_run(std::int64_t first, std::int64_t count, std::int64_t begin,
                                         std::int64_t size) {
    constexpr int most = crs_row_list::most, least = crs_row_list::run_least;
    run_.size[0] = std::int32_t(size);
    run_.is_run = true;
    while (count > 0) {
      run_.begin[0] = begin;
      // The next part is a run, too.
      run_.count = int(count > most && count < most + least ? count - least
                                                            : std::min<std::int64_t>(count, most));
      sum_rows(run_, false, [&](int k) { return first + k; });
      first += run_.count;
      begin += run_.count * size;
      count -= run_.count;
    }
  }
  /// Appends entries to the first `copied` ones; how many there are then.
  std::int64_t copy(std::int64_t begin, std::int64_t size, std::int64_t copied) {
    const auto of_x = rows_.x_of(begin, begin + size);
    gather(rows_.values_of(begin, begin + size), 0, size, values_ + copied);
    for (std::int64_t k = 0; k < size; ++k)
      columns_[copied + k] = std::int64_t(of_x.index[k * of_x.index_stride]) * of_x.stride;
    return copied + size;
  }
  /// Rows of a list, of which number k is row(k) of the matrix.
  template <class Row>
  void sum_rows(const crs_row_list& list, bool has_empty, const Row& row) {
    const auto& scale = rows_.scale;
    if (scale.beta[0] != element(0))
      for (int k = 0; k < list.count; ++k) of_y_[k] = rows_.y[row(k) * rows_.y_stride];
    crs_row_sums<element> sums;
    const bool are_ordinary =
        sum_(entries_, list, impl::range_traits<element>::huge, scale, of_y_, sums);
    if (are_ordinary && scale.keeps_sums() && !has_empty) {
      if (list.is_run && rows_.y_stride == 1)
        return write_run(rows_.y + row(0), sums.value, list.count);
      auto* const y = rows_.y;
      const std::int64_t stride = rows_.y_stride;
      for (int j = 0; j < list.count; ++j)
        y[row(sums.row[j]) * stride] = impl::as_result<element>(sums.value[j]);
      return;
    }
    for (int j = 0; j < list.count; ++j) {
      const int k = sums.row[j];
      const std::int64_t i = row(k);
      const std::int64_t begin = rows_.offset(i), size = rows_.offset(i + 1) - begin;
      const element value = sums.value[j];
      // What impl::crs_row asks about results of corrected sums.
      const bool is_plain = R::accumulator::components == 1 || scale.keeps_sums();
      if (are_ordinary && size != 0 && (is_plain || value < element(0) || value > element(0)))
        rows_.y[i * rows_.y_stride] = impl::as_result<element>(value);
      else
        finish_row(rows_.of(i, begin, begin + size), j, sums);
    }
  }
  static void write_run(element* y, const element* sums, int count) {
    for (int j = 0; j < count; ++j) y[j] = impl::as_result<element>(sums[j]);
  }
  /// A row whose sum is number j.
  void finish_row(const R& r, int j, const crs_row_sums<element>& sums) {
    typename R::leaf_sums s;
    for (int c = 0; c < R::accumulator::components; ++c)
      s.part[0].component(c) = sums.component[c][j];
    r.finish(subtree_reduction<R>{r, nullptr}.checked(0, s));
  }

  const S& rows_;
  crs_function<method, element, index> sum_ = crs_for_this_processor<method, element, index>();
  crs_entries<element, index> entries_;
  crs_row_list list_, run_;
  bool list_has_empty_ = false;
  std::int64_t row_[crs_row_list::most];
  element of_y_[crs_row_list::most];
  alignas(64) element values_[Copies ? S::leaf : 1];
  std::int64_t columns_[Copies ? S::leaf : 1];
};

/// A work item has the rows of a share of rows and entries together: row i begins at offset(i) + i.
template <class S>
struct shares_of_rows {
  S rows;
  std::int64_t share;

  void operator()(std::int64_t item) const {
    using R = typename S::reduction;
    using ordinal = typename S::ordinal;
    if constexpr (S::components == 1 && has_crs_kernel<typename R::method, typename R::element>) {
      if constexpr (std::is_same_v<ordinal, std::int32_t> || std::is_same_v<ordinal, std::int64_t>)
        if (rows.values.stride == 1 && rows.x.stride == 1 && rows.x.index_stride == 1)
          return sum<rows_together<S, false>>(item);
      sum<rows_together<S, true>>(item);
    } else {
      sum<rows_in_turn<S>>(item);
    }
  }

 private:
  template <class Sum>
  __attribute__((noinline)) void sum(std::int64_t item) const {
    Sum(rows).sum(first_of(item), first_of(item + 1));
  }
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
  const std::int64_t share = std::max((work + items - 1) / items, crs_tuning::min_share);
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, (work + share - 1) / share),
                       shares_of_rows<S>{s, share});
  if (s.size() > S::leaf)
    generic::launch_tiles_by<long_rows<typename S::reduction>>(exec, memory, label, s, max_tiles);
}

}  // namespace acc::backends::host

#endif
