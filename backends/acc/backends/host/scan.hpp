// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SCAN_HPP
#define ACC_BACKENDS_HOST_SCAN_HPP

/// \file
/// Prefix sums on hosts: the chunks of the generic machine, several per thread. With one thread,
/// one chunk. What scans a chunk:
///
///   method       numbers                    by
///   compensated  real                       blocks: kernels/scans.hpp and a tree over the groups
///   exact        all of them span 128 bits  the core's windowed_scan, after a look at all elements
///   others                                  the core's prefix_scan

#include <acc/backends/generic/scan.hpp>
#include <acc/backends/host/kernels/scans.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/exact/windowed_sum.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/guarded.hpp>
#include <acc/core/order/prefix_sum.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acc::backends::host {

/// A compensated scan of real numbers, block by block.
template <class S>
class block_scan {
 public:
  using element = typename S::element;
  using node = typename S::node;
  static_assert(S::components == 1 && scan_block_group == impl::scan_group);

  explicit block_scan(const S& s) : s_(s) {}

  KOKKOS_FUNCTION std::int64_t size() const { return s_.size(); }

  /// Of whole blocks.
  node total(std::int64_t first, std::int64_t end) const {
    node waiting[S::max_levels];
    impl::leaf_tree<node> tree(waiting);
    block b;
    for (std::int64_t k = first; k < end; k += scan_block) tree.push(b.begin(s_, k));
    return tree.root();
  }

  void run(const node& before, std::int64_t first, std::int64_t end) const {
    impl::prefix_tree<node, S::max_levels> tree;
    tree.begin(before);
    block b;
    for (std::int64_t k = first; k < end; k += scan_block) {
      if (end - k <= scan_tuning::few_groups * impl::scan_group)
        return s_.run(tree.prefix(), k, end);
      const node total = b.begin(s_, k);
      b.run(s_, tree.prefix());
      tree.push(total);
    }
  }

 private:
  using real_node = typename S::real_node;
  static constexpr element limit = real_node::traits::huge;

  /// Sums that reach the limit are left to prefix_scan, which scales them.
  class block {
   public:
    /// Finds the subtrees of the block from element k on, which has -0 beyond the end of the
    /// vector, and returns its total.
    node begin(const S& s, std::int64_t k) {
      first_ = k;
      count_ = int(std::min<std::int64_t>(s.size() - k, scan_block));
      if (s.x.stride == 1 && count_ == scan_block) {
        x_ = s.place(k, 0);
      } else {
        for (int i = 0; i < scan_block; ++i)
          copy_[i] = i < count_ ? s.load(k + i, 0) : element(-0.0);
        x_ = copy_;
      }
      fits_ = kernels_.subtrees(x_, limit, tree_);
      if (!fits_) return s.total(k, k + count_);
      return node_of(tree_.high[tree_.size - 1], tree_.low[tree_.size - 1]);
    }

    /// Writes the prefixes after `before`.
    void run(const S& s, const node& before) {
      high_[0] = before.part[0].sum.c[0];
      low_[0] = before.part[0].sum.c[1];
      if (before.part[0].scale != impl::range::normal || !fits_ ||
          !kernels_.prefixes(x_, limit, tree_, high_, low_, values_))
        return s.run(before, first_, first_ + count_);
      if (s.exclusive)
        for (int g = 0; g < scan_block_groups; ++g)
          S::make_exclusive(values_ + g * impl::scan_group,
                            S::value_of(node_of(high_[g], low_[g]).part[0]));
      for (int i = 0; i < count_; ++i) s.store(first_ + i, 0, values_[i]);
    }

   private:
    static node node_of(element high, element low) {
      typename S::accumulator sum;
      sum.c[0] = high;
      sum.c[1] = low;
      node n;
      n.part[0] = real_node(sum);
      return n;
    }

    const scan_kernels<element>& kernels_ = scan_kernels_for_this_processor<element>();
    const element* x_;
    std::int64_t first_;
    int count_;
    bool fits_;
    scan_tree<element> tree_;
    element high_[scan_block_groups], low_[scan_block_groups];
    alignas(64) element values_[scan_block];
    element copy_[scan_block];
  };

  S s_;
};

/// An exact scan by whichever sums the elements fit into.
template <class S>
class exact_scan {
 public:
  using windowed = impl::windowed_scan<typename S::element, S::components>;
  struct node {
    typename windowed::node in_window;
    typename S::node any;

    void merge(const node& other) {
      in_window.merge(other.in_window);
      any.merge(other.any);
    }
  };

  /// spans: of `count` pieces of the vector; without, it is looked at as a whole.
  exact_scan(const S& s, const impl::element_span* spans, int count)
      : s_(s), spans_(spans), count_(count) {}

  KOKKOS_FUNCTION std::int64_t size() const { return s_.size(); }

  node total(std::int64_t first, std::int64_t end) const {
    node n;
    if (const windowed w = in_window(); w.fits())
      n.in_window = w.total(first, end);
    else
      n.any = s_.total(first, end);
    return n;
  }
  void run(const node& before, std::int64_t first, std::int64_t end) const {
    if (const windowed w = in_window(); w.fits())
      w.run(before.in_window, first, end);
    else
      s_.run(before.any, first, end);
  }

  static impl::element_span span_of(const S& s, std::int64_t first, std::int64_t end) {
    impl::element_span span;
    for (std::int64_t k = first; k < end; ++k)
      for (int p = 0; p < S::components; ++p) span.add(s.load(k, p));
    return span;
  }

 private:
  windowed in_window() const {
    impl::element_span span;
    if (spans_ == nullptr) span = span_of(s_, 0, s_.size());
    for (int i = 0; i < count_; ++i) span.merge(spans_[i]);
    windowed w{s_, {}};
    w.set_span(span);
    return w;
  }

  S s_;
  const impl::element_span* spans_;
  int count_;
};

/// What a piece of the vector spans.
template <class S>
struct piece_spans {
  S scan;
  std::int64_t piece;
  impl::element_span* spans;

  void operator()(int i) const {
    spans[i] = exact_scan<S>::span_of(scan, i * piece, std::min((i + 1) * piece, scan.size()));
  }
};

template <class Exec, class S>
void scan(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  const std::int64_t threads = exec.concurrency();
  const auto by_chunks = [&]<class Chunks>(const Chunks& chunks, std::size_t skipped) {
    using node = typename Chunks::node;
    const auto room = std::int64_t((nodes_bytes - skipped) / sizeof(node));
    const std::int64_t most =
        threads == 1 ? 1 : std::min(scan_tuning::chunks_per_thread * threads, room);
    generic::launch_scan_by_chunks(
        exec, label, chunks, most, scan_tuning::min_chunk,
        reinterpret_cast<node*>(reinterpret_cast<std::byte*>(memory.nodes()) + skipped));
  };
  if constexpr (S::is_order_free) {
    // Chunks write where others look, so the look at more than one chunk comes before.
    const std::int64_t pieces_wanted =
        (s.size() + scan_tuning::min_chunk - 1) / scan_tuning::min_chunk;
    const int pieces =
        int(threads == 1 ? 1
                         : std::min({pieces_wanted, scan_tuning::chunks_per_thread * threads,
                                     scan_tuning::max_pieces}));
    if (pieces == 1) return by_chunks(exact_scan<S>(s, nullptr, 0), 0);
    auto* const spans = reinterpret_cast<impl::element_span*>(memory.nodes());
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, pieces),
                         piece_spans<S>{s, (s.size() + pieces - 1) / pieces, spans});
    by_chunks(exact_scan<S>(s, spans, pieces),
              aligned_size(std::size_t(pieces) * sizeof(impl::element_span)));
  } else if constexpr (S::components == 1) {
    static_assert(scan_tuning::min_chunk % scan_block == 0);
    by_chunks(block_scan<S>(s), 0);
  } else {
    by_chunks(s, 0);
  }
}

}  // namespace acc::backends::host

#endif
