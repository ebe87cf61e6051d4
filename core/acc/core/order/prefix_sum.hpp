// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_PREFIX_SUM_HPP
#define ACC_CORE_ORDER_PREFIX_SUM_HPP

/// \file
/// One call of prefix_sum as a value, and the order in which it adds. docs/arithmetic.md
/// defines that in words: groups of 16 consecutive elements, a binary tree of group totals, and for
/// each group a prefix from the totals of the aligned subtrees before it.

#include <acc/core/numbers/bit_counts.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/eft.hpp>
#include <acc/core/exact/prefix.hpp>
#include <acc/core/exact/windowed_sum.hpp>
#include <acc/core/expansion.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/order/guarded.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/order/vector_data.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// Consecutive elements of a vector that a scan adds one after the other.
inline constexpr int scan_group = 16;

/// The prefixes of consecutive nodes, from left to right: with P(0) the sum of what is before and
/// low the lowest bit set of k, P(k) = P(k - low) merged with the subtree of nodes k - low to k - 1
/// (Blelloch 1990). Two merges a node on average. Levels hold fewer than 2^Levels nodes.
template <class Node, int Levels>
class prefix_tree {
 public:
  KOKKOS_INLINE_FUNCTION void begin(const Node& before) {
    at_[Levels] = before;
    count_ = 0;
    current_ = Levels;
  }

  /// P(k) for k nodes pushed.
  KOKKOS_INLINE_FUNCTION const Node& prefix() const { return at_[current_]; }
  KOKKOS_INLINE_FUNCTION void push(Node right) {
    int level = 0;
    for (std::uint64_t digits = count_; digits & 1; digits >>= 1, ++level) {
      Node left = total_[level];
      left.merge(right);
      right = left;
    }
    total_[level] = right;
    ++count_;
    const std::uint64_t rest = count_ & (count_ - 1);
    Node p = at_[rest == 0 ? Levels : trailing_zeros(rest)];
    p.merge(right);
    at_[level] = p;
    current_ = level;
  }

 private:
  /// total_[i]: the subtree of 2^i nodes that ends at a k whose bit i is set; at_[i]: P(k) of the
  /// last k whose lowest bit was i; at_[Levels]: P(0).
  Node total_[Levels], at_[Levels + 1];
  std::uint64_t count_;
  int current_;
};

/// What scans of all methods have: the elements, and where their prefixes go. In place is allowed:
/// who writes r[k] has read x[k], and nobody else reads it afterwards.
template <class Element, int Components>
struct scan_data {
  using element = Element;
  static constexpr int components = Components;

  vector_data<Element, Components> x;
  Element* r;
  std::int64_t stride;     ///< of r, in real elements
  bool exclusive = false;  ///< r[k] is the sum of the elements before k, and begins with 0

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t size() const { return x.size / Components; }
  KOKKOS_FORCEINLINE_FUNCTION const Element* place(std::int64_t k, int part) const {
    return x.data + k * x.stride + part;
  }
  KOKKOS_FORCEINLINE_FUNCTION Element load(std::int64_t k, int part) const {
    return *place(k, part);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t k, int part, Element value) const {
    r[k * stride + part] = value;
  }
  /// An exclusive prefix: the sum of 0 and elements, so no zero is -0.
  KOKKOS_FORCEINLINE_FUNCTION static Element from_zero(Element sum) {
    return sum == Element(0) ? Element(0) : sum;
  }
  /// A group's inclusive prefixes become exclusive ones. before: the value of what is before it.
  KOKKOS_FORCEINLINE_FUNCTION static void make_exclusive(Element* prefix, Element before) {
    for (int j = scan_group - 1; j > 0; --j) prefix[j] = from_zero(prefix[j - 1]);
    prefix[0] = from_zero(before);
  }
};

/// total(first, end): the sum of elements first to end - 1; run(before, first, end): writes their
/// prefixes. first is a multiple of the group, end too or the end of the vector.
template <class Method, class Element, int Components>
struct prefix_scan;

/// Any order will do.
template <class Element, int Components>
struct prefix_scan<exact, Element, Components> : scan_data<Element, Components> {
  using node = sums<exact_total<Element>, Components>;
  static constexpr bool is_order_free = true;

  KOKKOS_INLINE_FUNCTION node total(std::int64_t first, std::int64_t end) const {
    exact_depositor<Element> sum[Components];
    for (std::int64_t k = first; k < end; ++k)
      for (int p = 0; p < Components; ++p) sum[p].add(this->load(k, p));
    node n;
    for (int p = 0; p < Components; ++p) n.part[p] = sum[p].total();
    return n;
  }
  KOKKOS_INLINE_FUNCTION void run(const node& before, std::int64_t first, std::int64_t end) const {
    for (int p = 0; p < Components; ++p) {
      exact_prefix<Element> sum(before.part[p]);
      if (this->exclusive) {
        Element prefix = before.part[p].value();
        for (std::int64_t k = first; k < end; ++k) {
          const Element number = this->load(k, p);
          this->store(k, p, this->from_zero(prefix));
          prefix = sum.add(number);
        }
      } else {
        for (std::int64_t k = first; k < end; ++k) this->store(k, p, sum.add(this->load(k, p)));
      }
    }
  }
};

/// Where the elements of a group are, and then their prefixes; -0 beyond the end of the vector.
/// Pointers, not values: the second look at a group takes an address, which would keep a GPU's
/// registers in memory.
template <class Element, int Components>
struct group_values {
  Element* part[Components];
};

/// The exact scan of a vector whose elements fit into a window (windowed_sum.hpp), by groups or by
/// chunks.
template <class Element, int Components>
struct windowed_scan : scan_data<Element, Components> {
  using node = sums<windowed_sum<Element>, Components>;
  using group = group_values<Element, Components>;

  element_span span;  ///< of the vector
  bool words_hold = false;

  KOKKOS_FORCEINLINE_FUNCTION void set_span(const element_span& of_vector) {
    span = of_vector;
    words_hold = windowed_words<Element>::hold(span, std::uint64_t(this->size()));
  }
  KOKKOS_FORCEINLINE_FUNCTION bool fits() const { return span.fits(std::uint64_t(this->size())); }

  KOKKOS_FORCEINLINE_FUNCTION node group_total(const group& g) const {
    const int unit = span.unit();
    node n;
    for (int p = 0; p < Components; ++p) {
      if (words_hold) {
        windowed_words<Element> sum(n.part[p], unit);
        for (int j = 0; j < scan_group; ++j) sum.add(g.part[p][j]);
        n.part[p] = sum.sum();
      } else {
        for (int j = 0; j < scan_group; ++j) n.part[p].add(g.part[p][j], unit);
      }
    }
    return n;
  }
  KOKKOS_FORCEINLINE_FUNCTION void run_group(const node& before, const group& g) const {
    const int unit = span.unit();
    for (int p = 0; p < Components; ++p) {
      if (words_hold) {
        windowed_words<Element> sum(before.part[p], unit);
        for (int j = 0; j < scan_group; ++j) {
          sum.add(g.part[p][j]);
          g.part[p][j] = sum.value(unit);
        }
      } else {
        windowed_sum<Element> sum = before.part[p];
        for (int j = 0; j < scan_group; ++j) {
          sum.add(g.part[p][j], unit);
          g.part[p][j] = sum.value(unit);
        }
      }
      if (this->exclusive) this->make_exclusive(g.part[p], before.part[p].value(unit));
    }
  }

  KOKKOS_INLINE_FUNCTION node total(std::int64_t first, std::int64_t end) const {
    node n;
    for (int p = 0; p < Components; ++p)
      visit(n.part[p], first, end, p, [](const auto&, std::int64_t) {});
    return n;
  }
  KOKKOS_INLINE_FUNCTION void run(const node& before, std::int64_t first, std::int64_t end) const {
    const int unit = span.unit();
    for (int p = 0; p < Components; ++p) {
      windowed_sum<Element> sum = before.part[p];
      if (this->exclusive) {
        Element prefix = sum.value(unit);
        visit(sum, first, end, p, [&](const auto& so_far, std::int64_t k) {
          this->store(k, p, this->from_zero(prefix));
          prefix = so_far.value(unit);
        });
      } else {
        visit(sum, first, end, p,
              [&](const auto& so_far, std::int64_t k) { this->store(k, p, so_far.value(unit)); });
      }
    }
  }

 private:
  /// Adds part p of elements first to end - 1 to sum. After each calls f(the sum, its place).
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void visit(windowed_sum<Element>& sum, std::int64_t first,
                                         std::int64_t end, int p, const F& f) const {
    const int unit = span.unit();
    if (!words_hold) {
      for (std::int64_t k = first; k < end; ++k) {
        sum.add(this->load(k, p), unit);
        f(sum, k);
      }
      return;
    }
    for (std::int64_t begin = first; begin < end;) {
      const std::int64_t rest = end - begin, most = windowed_words<Element>::most_elements;
      const std::int64_t stop = begin + (rest < most ? rest : most);
      windowed_words<Element> words(sum, unit);
      for (std::int64_t k = begin; k < stop; ++k) {
        words.add(this->load(k, p));
        f(words, k);
      }
      sum = words.sum();
      begin = stop;
    }
  }
};

template <class Element, int Components>
struct prefix_scan<compensated, Element, Components> : scan_data<Element, Components> {
  using accumulator = expansion<Element, 2>;
  using real_node = impl::node<accumulator, guard::sums>;
  using rescaled_sum = rescaled<accumulator, guard::sums, range::huge>;
  using node = sums<real_node, Components>;
  using group = group_values<Element, Components>;
  static constexpr bool is_order_free = false;
  static constexpr int max_levels = 44;  // 2^44 groups

  /// A group's elements, copied.
  struct loaded_group {
    Element value[Components][scan_group];

    KOKKOS_FORCEINLINE_FUNCTION loaded_group(const prefix_scan& scan, std::int64_t first) {
      const std::int64_t rest = scan.size() - first;
      for (int j = 0; j < scan_group; ++j)
        for (int p = 0; p < Components; ++p)
          value[p][j] = j < rest ? scan.load(first + j, p) : Element(-0.0);
    }
    KOKKOS_FORCEINLINE_FUNCTION group values() {
      group g;
      for (int p = 0; p < Components; ++p) g.part[p] = value[p];
      return g;
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION void store_group(std::int64_t first, const group& g) const {
    const std::int64_t rest = this->size() - first;
    for (int j = 0; j < scan_group; ++j)
      for (int p = 0; p < Components; ++p)
        if (j < rest) this->store(first + j, p, g.part[p][j]);
  }

  KOKKOS_FORCEINLINE_FUNCTION static node group_total(const group& g) {
    node n;
    for (int p = 0; p < Components; ++p) {
      accumulator sum;
      for (int j = 0; j < scan_group; ++j) sum.add(g.part[p][j]);
      n.part[p] = real_node::is_huge(sum) ? scaled_total(g.part[p]) : real_node(sum);
    }
    return n;
  }
  KOKKOS_FORCEINLINE_FUNCTION static Element value_of(const real_node& before) {
    return as_result<Element>(rounded_value(before));
  }
  /// Turns a group's elements into their prefixes.
  KOKKOS_FORCEINLINE_FUNCTION void run_group(const node& before, const group& g) const {
    for (int p = 0; p < Components; ++p) {
      accumulator sum = before.part[p].sum;
      Element prefix[scan_group];
      for (int j = 0; j < scan_group; ++j) {
        sum.add(g.part[p][j]);
        prefix[j] = value_of_finite(sum);
      }
      // An overflow on the way has left an infinity or NaN in the sum.
      if (before.part[p].scale == range::normal && !real_node::is_huge(sum)) {
        for (int j = 0; j < scan_group; ++j) g.part[p][j] = prefix[j];
      } else {
        run_scaled(before.part[p], g.part[p]);
      }
      if (this->exclusive) this->make_exclusive(g.part[p], value_of(before.part[p]));
    }
  }

  KOKKOS_INLINE_FUNCTION node total(std::int64_t first, std::int64_t end) const {
    node waiting[max_levels];
    leaf_tree<node> tree(waiting);
    for (std::int64_t k = first; k < end; k += scan_group)
      tree.push(group_total(loaded_group(*this, k).values()));
    return tree.root();
  }
  KOKKOS_INLINE_FUNCTION void run(const node& before, std::int64_t first, std::int64_t end) const {
    prefix_tree<node, max_levels> tree;
    tree.begin(before);
    for (std::int64_t k = first; k < end; k += scan_group) {
      loaded_group loaded(*this, k);
      const group g = loaded.values();
      const node sum = group_total(g);
      run_group(tree.prefix(), g);
      store_group(k, g);
      tree.push(sum);
    }
  }

 private:
  /// sum.value() without its test for infinities.
  KOKKOS_FORCEINLINE_FUNCTION static Element value_of_finite(const accumulator& sum) {
    return sum.c[1] == Element(0) ? sum.c[0] : impl::add(sum.c[0], sum.c[1]);
  }
  /// The second look at a group that leaves the range of numbers (guarded.hpp).
  ACC_COLD_FUNCTION static real_node scaled_total(const Element* x) {
    rescaled_sum sum;
    for (int j = 0; j < scan_group; ++j) sum.add(x[j]);
    return real_node(sum);
  }
  /// Prefixes before the one where the sum became huge keep the bits of the first look: to them,
  /// small elements may matter that scaling loses.
  ACC_COLD_FUNCTION static void run_scaled(const real_node& before, Element* x) {
    bool is_huge = before.scale != range::normal;
    accumulator plain = before.sum;
    rescaled_sum sum;
    if (before.scale == range::special) {
      sum.special = before.sum.component(0);
    } else {
      const int shift = is_huge ? 0 : rescaled_sum::exponent;
      for (int k = 0; k < accumulator::components; ++k)
        sum.sum.component(k) = times_power_of_two(before.sum.component(k), shift);
    }
    for (int j = 0; j < scan_group; ++j) {
      plain.add(x[j]);
      sum.add(x[j]);
      is_huge = is_huge || real_node::is_huge(plain);
      x[j] = is_huge ? as_result<Element>(rounded_value(real_node(sum))) : plain.value();
    }
  }
};

/// A scan of x into r.
template <class Method, class X, class R>
auto make_prefix_sum(const R& r, const X& x, bool exclusive = false) {
  const auto xs = vector_data_of(x);
  using data = decltype(xs);
  using element = typename data::element;
  prefix_scan<Method, element, data::components> s;
  s.x = xs;
  s.r = reinterpret_cast<element*>(r.data());
  s.stride = std::int64_t(r.stride(0)) * data::components;
  s.exclusive = exclusive;
  return s;
}

}  // namespace acc::impl

#endif
