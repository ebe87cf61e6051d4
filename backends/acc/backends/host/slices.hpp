// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SLICES_HPP
#define ACC_BACKENDS_HOST_SLICES_HPP

/// \file
/// Reductions of columns and along axes on hosts. A thread sums a piece of a slice as it sums
/// vectors. Neighbors that are interleaved in memory it sums together, as registers of neighbors;
/// where there is no kernel for that it copies a leaf or tile of each, line by line of memory, and
/// sums the copies.

#include <acc/backends/generic/slices.hpp>
#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/order_free.hpp>
#include <acc/backends/host/reduce.hpp>
#include <acc/backends/host/sums/order_free_tile.hpp>
#include <acc/backends/host/sums/short_sums.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/slices.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

/// Copies of a part of some neighboring slices, each contiguous: rows whose distance is no power of
/// two, so that they do not meet in the same places of a cache.
template <class T, int Neighbors, std::int64_t Numbers>
struct slice_copies {
  static constexpr std::int64_t pitch = Numbers + 64 / sizeof(T);
  alignas(64) T row[Neighbors][pitch];

  /// Real elements [begin, begin + size) of `count` slices, whose distance is `step`.
  template <class Data>
  void copy(const Data& first, std::int64_t step, int count, std::int64_t begin,
            std::int64_t size) {
    if (count == Neighbors)
      copy_rows(first, step, std::integral_constant<int, Neighbors>{}, begin, size);
    else
      copy_rows(first, step, count, begin, size);
  }
  void pad(int count, std::int64_t from, std::int64_t to, T padding) {
    for (int b = 0; b < count; ++b) std::fill(row[b] + from, row[b] + to, padding);
  }

 private:
  template <class Data, class Count>
  void copy_rows(const Data& first, std::int64_t step, Count count, std::int64_t begin,
                 std::int64_t size) {
    constexpr int parts = Data::components;
    constexpr std::int64_t ahead = slices_tuning::prefetch_rows * parts;
    const auto* from = first.data + begin / parts * first.stride;
    for (std::int64_t i = 0; i < size; i += parts, from += first.stride) {
      if (i + ahead < size) __builtin_prefetch(from + ahead / parts * first.stride);
      for (int b = 0; b < count; ++b)
        for (int p = 0; p < parts; ++p) row[b][i + p] = T(from[b * step + p]);
    }
  }
};

/// How a thread sums pieces of slices. Methods with a canonical order: by leaves.
template <class R>
struct slice_sums {
  using node = typename R::leaf_node;
  using element = typename R::element;
  using tree = subtree_reduction<R>;
  using T = typename tree::kernel_element;
  using terms = typename R::terms;
  using method = typename R::method;
  static constexpr std::int64_t unit = impl::leaf_size<element>;  ///< pieces are multiples
  static constexpr int components = decltype(R::x)::components;
  static constexpr bool has_kernel =
      components == 1 && has_interleaved_kernel<terms, method, T> && std::is_same_v<element, T>;
  /// Neighbors that are copied at once, and neighbors of a block.
  static constexpr int copied = slices_tuning::neighbors(sizeof(element) * components);
  static constexpr int neighbors =
      has_kernel ? max_interleaved_lines * interleaved_line<T> : copied;

  typename tree::function sum_stripes = tree::function_for_this_processor();

  /// Whether neighbors make lines of memory that the kernel for interleaved vectors sums.
  template <class S>
  static bool are_lines(const S& s) {
    return has_kernel && s.are_interleaved() && s.dimension[0].x == 1 && s.dimension[0].y <= 1 &&
           s.dimension[0].extent >= interleaved_line<T>;
  }

  node sum(const R& r, std::int64_t from, std::int64_t to) const {
    return tree{r, sum_stripes}.sum_subtree(from / unit, (to + unit - 1) / unit);
  }
  /// Calls put(b, node) for each slice of a block.
  template <class S, class Put>
  void sum_neighbors(const S& s, const typename S::block& block, std::int64_t from, std::int64_t to,
                     const Put& put) const {
    int done = 0;
    if constexpr (has_kernel) {
      if (are_lines(s)) done = block.count / interleaved_line<T> * interleaved_line<T>;
      if (done > 0) sum_in_place(s, {block.first, done}, from, to, put);
    }
    for (; done < block.count; done += copied)
      sum_copies(s, {block.first + done, std::min(copied, block.count - done)}, from, to,
                 [&](int b, const node& n) { put(done + b, n); });
  }

 private:
  /// The trees of leaves of some slices.
  template <int Count>
  struct trees {
    /// A piece has at most 2^15 leaves (generic::divided_slices).
    static constexpr int max_levels = 16;
    node waiting[Count][max_levels];
    std::uint64_t leaves = 0;

    /// make(b): the next leaf's node of slice b.
    template <class Make>
    void push(int count, const Make& make) {
      for (int b = 0; b < count; ++b) impl::leaf_tree<node>(waiting[b], leaves).push(make(b));
      ++leaves;
    }
    template <class Put>
    void finish(int count, const Put& put) {
      for (int b = 0; b < count; ++b) put(b, impl::leaf_tree<node>(waiting[b], leaves).root());
    }
  };

  /// By the kernel for interleaved vectors: whole lines of neighbors, which lie next to each other.
  template <class S, class Put>
  void sum_in_place(const S& s, const typename S::block& block, std::int64_t from, std::int64_t to,
                    const Put& put) const {
    if (to - from <= unit) return sum_leaf_in_place(s, block, from, to, put);
    trees<neighbors> of;
    for (std::int64_t begin = from; begin < to; begin += unit) {
      node leaf[neighbors];
      sum_leaf_in_place(s, block, begin, std::min(begin + unit, to),
                        [&](int b, const node& n) { leaf[b] = n; });
      of.push(block.count, [&](int b) { return leaf[b]; });
    }
    of.finish(block.count, put);
  }
  /// The same of at most a leaf.
  template <class S, class Put>
  void sum_leaf_in_place(const S& s, const typename S::block& block, std::int64_t from,
                         std::int64_t to, const Put& put) const {
    const auto kernel = interleaved_for_this_processor<terms, method, T>();
    const R first = s.of(block.first);
    typename R::accumulator sums[neighbors];
    kernel({first.x.data + from * first.x.stride, first.x.stride, false},
           {first.y.data + from * first.y.stride, first.y.stride, s.dimension[0].y == 0},
           block.count / interleaved_line<T>, int(to - from), sums);
    for (int b = 0; b < block.count; ++b) {
      const typename R::leaf_sums of_leaf{{sums[b]}};
      put(b, tree{s.of(block.first + b), sum_stripes}.checked(from / unit, of_leaf));
    }
  }
  /// Any others.
  template <class S, class Put>
  void sum_copies(const S& s, const typename S::block& block, std::int64_t from, std::int64_t to,
                  const Put& put) const {
    using copies = slice_copies<T, copied, unit>;
    copies x;
    [[maybe_unused]] std::conditional_t<tree::has_y, copies, char> y;
    const R first = s.of(block.first);
    trees<copied> of;
    for (std::int64_t begin = from; begin < to; begin += unit) {
      const std::int64_t leaf = begin / unit;
      const std::int64_t present = std::min(unit, to - begin);
      const std::int64_t padded = std::int64_t(first.stripes(leaf)) * R::stripe;
      x.copy(first.x, s.dimension[0].x, block.count, begin, present);
      x.pad(block.count, present, padded, impl::padding<T>::x);
      const T* of_y[copied] = {};
      if constexpr (tree::has_y) {
        // One y for all slices is copied once.
        const int count = s.dimension[0].y == 0 ? 1 : block.count;
        y.copy(first.y, s.dimension[0].y, count, begin, present);
        y.pad(count, present, padded, impl::padding<T>::y);
        for (int b = 0; b < block.count; ++b) of_y[b] = y.row[b < count ? b : 0];
      }
      of.push(block.count, [&](int b) {
        return tree{s.of(block.first + b), sum_stripes}.sum_copied_leaf(
            leaf, x.row[b], tree::has_y ? of_y[b] : x.row[b]);
      });
    }
    of.finish(block.count, put);
  }
};

/// Sums without an order: by tiles.
template <class R>
  requires impl::is_order_free<typename R::method>
struct slice_sums<R> {
  using node = typename R::total;
  using T = typename R::scalar;
  using kernel = order_free_kernel<R>;
  static constexpr std::int64_t unit = tile_numbers;
  static constexpr int neighbors =
      std::min(slices_tuning::max_order_free_neighbors,
               slices_tuning::neighbors(sizeof(typename R::element) * decltype(R::x)::components));

  node sum(const R& r, std::int64_t from, std::int64_t to) const {
    node total;
    kernel{r, 0, 0, nullptr, nullptr}.add(total, from, to);
    return total;
  }
  template <class S, class Put>
  void sum_neighbors(const S& s, const typename S::block& block, std::int64_t from, std::int64_t to,
                     const Put& put) const {
    using copies = slice_copies<T, neighbors, unit>;
    copies x;
    [[maybe_unused]] std::conditional_t<kernel::has_y, copies, char> y;
    typename kernel::tiles tiles[neighbors];
    node sum[neighbors];
    const R first = s.of(block.first);
    const std::int64_t whole = from + (to - from) / tile_step * tile_step;
    for (std::int64_t begin = from; begin < whole; begin += unit) {
      const int size = int(std::min(unit, whole - begin));
      x.copy(first.x, s.dimension[0].x, block.count, begin, size);
      int of_y = 0;
      if constexpr (kernel::has_y) {
        of_y = s.dimension[0].y == 0 ? 1 : block.count;
        y.copy(first.y, s.dimension[0].y, of_y, begin, size);
      }
      for (int b = 0; b < block.count; ++b) {
        const T* other = x.row[b];
        if constexpr (kernel::has_y) other = y.row[b < of_y ? b : 0];
        tiles[b].add(sum[b], order_free_tile<T>{x.row[b], other, size});
      }
    }
    for (int b = 0; b < block.count; ++b) {
      tiles[b].flush(sum[b]);
      const R r = s.of(block.first + b);
      for (std::int64_t k = whole; k < to; ++k) r.deposit(sum[b], k);
      put(b, sum[b]);
    }
  }
};

/// A work item per piece of a slice, or of a block of neighbors.
template <class S>
struct slices_kernel {
  using R = typename S::reduction;
  using node = typename slice_sums<R>::node;

  S slices;
  slice_sums<R> sums;
  int block_size;
  std::int64_t piece_size, pieces;
  node* nodes;

  void operator()(std::int64_t item) const {
    const std::int64_t at = pieces == 1 ? item : item / pieces;
    const auto block = block_size == 1 ? typename S::block{at, 1} : slices.block_at(at, block_size);
    const std::int64_t piece = item - at * pieces, from = piece * piece_size;
    const std::int64_t to = std::min(from + piece_size, slices.x.size);
    const auto put = [&](int b, const node& n) {
      const std::int64_t s = block.first + b;
      if (pieces == 1)
        slices.of(s).finish(n);
      else
        nodes[s * pieces + piece] = n;
    };
    if (block_size > 1) return sums.sum_neighbors(slices, block, from, to, put);
    const R r = slices.of(block.first);
    if constexpr (has_short_sums<R>)
      if (r.x.size <= short_sums_tuning::max_by_three_doubles(sizeof(typename R::scalar)) &&
          sum_by_three_doubles(r))
        return;
    put(0, sums.sum(r, from, to));
  }
};

/// Enqueues s on exec.
template <class Exec, class S>
void slices(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  using R = typename S::reduction;
  using kernel = slices_kernel<S>;
  using sums = slice_sums<R>;
  using node = typename kernel::node;
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  if constexpr (!impl::is_order_free<typename R::method>) {
    // The kernels are worth their beginning and end.
    const bool are_contiguous = s.x.contiguous() && (R::terms::inputs == 1 || s.y.contiguous());
    const bool by_kernel = (are_contiguous && s.x.size >= slices_tuning::min_contiguous) ||
                           (sums::are_lines(s) && s.x.size >= slices_tuning::min_interleaved);
    if (s.x.size <= R::stripe && !by_kernel)
      return Kokkos::parallel_for(label, policy(exec, 0, s.count), generic::short_slices<S>{s});
  }
  const int block = s.are_interleaved() ? sums::neighbors : 1;
  const std::int64_t blocks = s.blocks(block), units = (s.x.size + sums::unit - 1) / sums::unit;
  const std::int64_t threads = exec.concurrency();
  const std::int64_t enough = threads == 1 ? 1 : slices_tuning::pieces_per_thread * threads;
  const auto [per_piece, pieces] = generic::divided_slices<node>(s.count, blocks, units, 1, enough);
  auto* const nodes = reinterpret_cast<node*>(memory.nodes());
  Kokkos::parallel_for(label, policy(exec, 0, blocks * pieces),
                       kernel{s, {}, block, per_piece * sums::unit, pieces, nodes});
  if (pieces > 1)
    Kokkos::parallel_for(label, policy(exec, 0, s.count),
                         generic::slice_pieces<S, node>{s, nodes, pieces});
}

}  // namespace acc::backends::host

#endif
