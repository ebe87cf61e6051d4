// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_TEAM_REDUCTION_HPP
#define ACC_BACKENDS_TEAM_REDUCTION_HPP

/// \file
/// Leaves and subtrees of the canonical order by any Kokkos team, through team scratch memory: the
/// engine of the generic machine, and of acc::team_sum and acc::team_dot.

#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/guarded.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends {

/// What a team shares while it sums.
template <class R>
struct team_memory {
  static constexpr int max_levels = 48;  // 2^48 leaves
  static constexpr int results = R::terms::results;
  using Acc = typename R::accumulator;
  using node = typename R::leaf_node;

  union groups_union {
    impl::sums<Acc, results> plain[impl::groups_per_stripe];
    impl::sums<impl::rescaled<Acc, R::guarded == impl::guard::none ? impl::guard::sums : R::guarded,
                              impl::range::huge>,
               results>
        rescaled[impl::groups_per_stripe];
    KOKKOS_FUNCTION groups_union() {}
  } groups;
  node waiting[max_levels];
  node root;
  bool is_last;

  KOKKOS_FUNCTION team_memory() {}
};

/// One leaf, by all threads of a team. Every thread returns the leaf's sums.
template <class Acc, class R, class Team>
KOKKOS_INLINE_FUNCTION impl::sums<Acc, R::terms::results> team_leaf(const Team& team,
                                                                    team_memory<R>& memory,
                                                                    const R& r, std::int64_t leaf) {
  using sums = impl::sums<Acc, R::terms::results>;
  static_assert(sizeof(sums[impl::groups_per_stripe]) <= sizeof(memory.groups));
  sums* groups = reinterpret_cast<sums*>(&memory.groups);
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int(impl::groups_per_stripe)),
                       [&](int g) { groups[g] = impl::sum_group<Acc>(r, leaf, g); });
  team.team_barrier();
  for (int stride = impl::groups_per_stripe / 2; stride > 0; stride /= 2) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, stride),
                         [&](int g) { groups[g].merge(groups[g + stride]); });
    team.team_barrier();
  }
  const sums total = groups[0];
  team.team_barrier();  // before the next leaf overwrites groups
  return total;
}

/// The subtree of leaves [first, end), by all threads of a team. Every thread returns its root.
template <class R, class Team>
KOKKOS_INLINE_FUNCTION typename R::leaf_node team_subtree(const Team& team, team_memory<R>& memory,
                                                          const R& r, std::int64_t first,
                                                          std::int64_t end) {
  using node = typename R::leaf_node;
  impl::leaf_tree<node> tree(memory.waiting);  // only the thread that Kokkos::single picks uses it
  for (std::int64_t leaf = first; leaf < end; ++leaf) {
    const auto sums = team_leaf<typename R::accumulator>(team, memory, r, leaf);
    const node n = impl::make_node<R>(sums, impl::range_check<R>(sums), [&](auto tag) {
      return team_leaf<decltype(tag)>(team, memory, r, leaf);
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] { tree.push(n); });
  }
  Kokkos::single(Kokkos::PerTeam(team), [&] { memory.root = tree.root(); });
  team.team_barrier();
  const node root = memory.root;
  team.team_barrier();
  return root;
}

}  // namespace acc::backends

#endif
