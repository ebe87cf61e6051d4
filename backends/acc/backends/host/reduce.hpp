// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_REDUCE_HPP
#define ACC_BACKENDS_HOST_REDUCE_HPP

/// \file
/// Sums, dots and norms in canonical order on hosts. A thread sums subtrees of leaves by the
/// library's vector kernels; the last to end combines the roots of the subtrees.

#include <acc/backends/host/kernels/sums.hpp>
#include <acc/backends/host/sums/gather.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/array_data.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

/// Subtrees of the leaves of a reduction, by the vector kernels.
template <class R>
struct subtree_reduction {
  using element = typename R::element;
  using kernel_element = std::conditional_t<impl::is_half_scalar<element>, float, element>;
  using node = typename R::leaf_node;
  using function = leaf_function<typename R::terms, typename R::method, kernel_element>;
  static constexpr bool has_y = R::terms::inputs == 2;
  static constexpr int max_levels = 64;

  R reduction;
  function sum_stripes;

  static function function_for_this_processor() {
    return leaf_for_this_processor<typename R::terms, typename R::method, kernel_element>();
  }
  /// The subtree of leaves [first, end).
  node sum_subtree(std::int64_t first, std::int64_t end) const {
    if constexpr (!impl::is_array_data<decltype(reduction.x)>)
      if (end - first == 1) return sum_leaf(first);
    node waiting[max_levels];
    impl::leaf_tree<node> tree(waiting);
    if constexpr (impl::is_array_data<decltype(reduction.x)>) {
      for (std::int64_t leaf = first; leaf < end; leaf += reduce_tuning::gathered_leaves)
        push_gathered(tree, leaf, std::min(leaf + reduce_tuning::gathered_leaves, end));
    } else {
      for (std::int64_t leaf = first; leaf < end; ++leaf) tree.push(sum_leaf(leaf));
    }
    return tree.root();
  }
  /// The node of a leaf whose numbers x and y are a contiguous copy, padded to whole stripes.
  node sum_copied_leaf(std::int64_t leaf, const kernel_element* x, const kernel_element* y) const {
    typename R::leaf_sums sums;
    sum_stripes({x, y, reduction.stripes(leaf)}, {}, sums.part);
    return checked(leaf, sums);
  }
  /// The node of a leaf with these sums, which may need a second look.
  node checked(std::int64_t leaf, const typename R::leaf_sums& sums) const {
    return impl::make_node<R>(sums, impl::range_check<R>(sums), [&](auto tag) {
      using Acc = decltype(tag);
      impl::sums<Acc, R::terms::results> groups[impl::groups_per_stripe];
      for (int g = 0; g < impl::groups_per_stripe; ++g)
        groups[g] = impl::sum_group<Acc>(reduction, leaf, g);
      impl::combine_by_halving(groups, impl::groups_per_stripe, 1);
      return groups[0];
    });
  }

 private:
  node sum_leaf(std::int64_t leaf) const {
    const std::int64_t begin = leaf * impl::leaf_size<element>;
    const int stripes = reduction.stripes(leaf);
    typename R::leaf_sums sums;
    if constexpr (std::is_same_v<element, kernel_element>) {
      if (reduction.x.contiguous() && (!has_y || reduction.y.contiguous())) {
        if constexpr (has_few_kernel<typename R::terms, typename R::method, element>) {
          if (reduction.x.size < 2 * R::stripe && reduction.x.size > 0) {
            few_for_this_processor<typename R::terms, typename R::method, element>()(
                reduction.x.data, has_y ? reduction.y.data : nullptr, int(reduction.x.size),
                sums.part);
            return checked(leaf, sums);
          }
        }
        const std::int64_t whole =
            std::min<std::int64_t>(stripes, (reduction.x.size - begin) / R::stripe);
        const stripes_of<element> first{reduction.x.data + begin,
                                        has_y ? reduction.y.data + begin : reduction.x.data + begin,
                                        int(whole)};
        if (whole == stripes)
          sum_stripes(first, {}, sums.part);
        else
          sum_with_last(first, begin + whole * R::stripe, sums);
        return checked(leaf, sums);
      }
    }
    sum_gathered(begin, stripes, sums);
    return checked(leaf, sums);
  }

  /// Stripes in place, and a last one of which some numbers are missing.
  void sum_with_last(const stripes_of<kernel_element>& first, std::int64_t begin,
                     typename R::leaf_sums& sums) const {
    alignas(64) kernel_element x[R::stripe];
    alignas(64) kernel_element y[has_y ? R::stripe : 1];
    gather_padded(reduction.x, begin, 1, impl::padding<kernel_element>::x, x);
    if constexpr (has_y) gather_padded(reduction.y, begin, 1, impl::padding<kernel_element>::y, y);
    sum_stripes(first, {x, has_y ? y : x, 1}, sums.part);
  }

  /// Leaves of an array: some at once, as they may share lines of the cache.
  __attribute__((noinline)) void push_gathered(impl::leaf_tree<node>& tree, std::int64_t first,
                                               std::int64_t end) const {
    constexpr std::int64_t size = impl::leaf_size<element>;
    alignas(64) kernel_element x[reduce_tuning::gathered_leaves * size];
    const int stripes = int(end - first - 1) * impl::stripes_per_leaf + reduction.stripes(end - 1);
    gather_padded(reduction.x, first * size, stripes, impl::padding<kernel_element>::x, x);
    for (std::int64_t leaf = first; leaf < end; ++leaf) {
      const kernel_element* const of_leaf = x + (leaf - first) * size;
      tree.push(sum_copied_leaf(leaf, of_leaf, of_leaf));
    }
  }

  /// Any stride, any alignment, the padded last stripe and half precision: by way of a contiguous
  /// copy that stays in cache.
  __attribute__((noinline)) void sum_gathered(std::int64_t begin, int stripes,
                                              typename R::leaf_sums& sums) const {
    alignas(64) kernel_element x[impl::leaf_size<element>];
    alignas(64) kernel_element y[has_y ? impl::leaf_size<element> : 1];
    gather_padded(reduction.x, begin, stripes, impl::padding<kernel_element>::x, x);
    if constexpr (has_y)
      gather_padded(reduction.y, begin, stripes, impl::padding<kernel_element>::y, y);
    sum_stripes({x, has_y ? y : x, stripes}, {}, sums.part);
  }

  template <class Data>
  static void gather_padded(const Data& data, std::int64_t begin, int stripes,
                            kernel_element padding, kernel_element* out) {
    const std::int64_t size = std::int64_t(stripes) * R::stripe;
    const std::int64_t present = std::min(size, data.size - begin);
    gather(data, begin, present, out);
    std::fill(out + present, out + size, padding);
  }
};

template <class R>
struct reduce_kernel {
  using node = typename R::leaf_node;
  static_assert(max_teams * sizeof(node) <= partials_bytes);

  subtree_reduction<R> tree;
  std::int64_t leaves, leaves_per_subtree;
  unsigned subtrees;
  node* partials;
  unsigned* arrived;

  void operator()(std::int64_t subtree) const {
    const std::int64_t first = subtree * leaves_per_subtree;
    const node root = tree.sum_subtree(first, std::min(first + leaves_per_subtree, leaves));
    if (subtrees == 1) return tree.reduction.finish(root);
    partials[subtree] = root;
    if (arrives_last(arrived, subtrees)) combine_partials();
  }

 private:
  void combine_partials() const {
    node waiting[subtree_reduction<R>::max_levels];
    impl::leaf_tree<node> roots(waiting);
    for (unsigned i = 0; i < subtrees; ++i) roots.push(partials[i]);
    tree.reduction.finish(roots.root());
  }
};

/// Reduces r in the calling thread, by no lock and nothing of Kokkos's. Or false where that would
/// take longer than a launch, and nothing has been done.
template <class R>
bool reduce_at_once(const R& r) {
  if (r.leaves() > reduce_tuning::leaves_in_caller) return false;
  const subtree_reduction<R> tree{r, subtree_reduction<R>::function_for_this_processor()};
  r.finish(tree.sum_subtree(0, r.leaves()));
  return true;
}

/// Reduces r in the calling thread, where it is so short that a launch would take longer. For
/// execution spaces whose kernels have run when their launches return.
template <class Exec, class R>
bool reduce_in_caller(const Exec& exec, const char* label, const R& r) {
  if (r.leaves() > reduce_tuning::leaves_in_caller) return false;
  if (!Kokkos::Tools::profileLibraryLoaded()) return reduce_at_once(r);
  // A tool is shown a launch and its end all the same.
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, 1),
                       [&](int) { reduce_at_once(r); });
  exec.fence(label);
  return true;
}

/// Enqueues r on exec.
template <class Exec, class R>
void reduce(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  using kernel = reduce_kernel<R>;
  const std::int64_t leaves = r.leaves();
  const std::int64_t wanted =
      std::min(reduce_tuning::subtrees_per_thread * exec.concurrency(), max_teams);
  const auto per_subtree =
      std::int64_t(std::bit_ceil(std::uint64_t((leaves + wanted - 1) / wanted)));
  const unsigned subtrees = unsigned((leaves + per_subtree - 1) / per_subtree);
  const kernel k{{r, subtree_reduction<R>::function_for_this_processor()},
                 leaves,
                 per_subtree,
                 subtrees,
                 reinterpret_cast<typename kernel::node*>(memory.partials()),
                 memory.arrived.data()};
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, subtrees), k);
}

}  // namespace acc::backends::host

#endif
