// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_HPP
#define ACC_BACKENDS_GENERIC_HPP

/// \file
/// Reductions by any Kokkos team, through team scratch memory: the backend of every execution space
/// that has no better one, and the engine of the team-level callables.

#include <acc/backends/workspace.hpp>
#include <acc/core/canonical_order.hpp>
#include <acc/core/guarded.hpp>
#include <acc/core/reduction.hpp>
#include <acc/core/terms.hpp>

#include <Kokkos_Core.hpp>
#include <bit>
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
    impl::sums<Acc, results> plain[impl::groups_per_row];
    impl::sums<impl::rescaled<Acc, R::guarded == impl::guard::none ? impl::guard::sums : R::guarded,
                              impl::range::huge>,
               results>
        rescaled[impl::groups_per_row];
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
  static_assert(sizeof(sums[impl::groups_per_row]) <= sizeof(memory.groups));
  sums* groups = reinterpret_cast<sums*>(&memory.groups);
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int(impl::groups_per_row)),
                       [&](int g) { groups[g] = impl::sum_group<Acc>(r, leaf, g); });
  team.team_barrier();
  for (int stride = impl::groups_per_row / 2; stride > 0; stride /= 2) {
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
    const node n = impl::make_node<R>(sums, impl::leaf_verdict<R>(sums), [&](auto tag) {
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

template <class R>
struct generic_kernel {
  using node = typename R::leaf_node;
  static_assert(max_teams * sizeof(node) <= partials_bytes);

  R reduction;
  std::int64_t leaves, leaves_per_team;
  unsigned teams;
  node* partials;
  unsigned* finished;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto& memory = *static_cast<team_memory<R>*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(team_memory<R>), 16));
    const std::int64_t first = team.league_rank() * leaves_per_team;
    const std::int64_t end = first + leaves_per_team < leaves ? first + leaves_per_team : leaves;
    const node root = team_subtree(team, memory, reduction, first, end);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (teams == 1) return reduction.finish(root);
      partials[team.league_rank()] = root;
      Kokkos::memory_fence();
      memory.is_last = Kokkos::atomic_fetch_add(finished, 1u) + 1 == teams;
    });
    team.team_barrier();
    if (teams > 1 && memory.is_last) combine_partials(team);
  }

 private:
  /// The partials' tree, level by level in place.
  template <class Team>
  KOKKOS_FUNCTION void combine_partials(const Team& team) const {
    Kokkos::memory_fence();
    for (unsigned stride = 1; stride < teams; stride *= 2) {
      const int pairs = int((teams - stride + 2 * stride - 1) / (2 * stride));
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, pairs), [&](int i) {
        partials[2 * stride * i].merge(partials[2 * stride * i + stride]);
      });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *finished = 0;
      reduction.finish(partials[0]);
    });
  }
};

template <class Exec, class R>
void launch_generic(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  const std::int64_t leaves = r.leaves();
  const auto per_team =
      std::int64_t(std::bit_ceil(std::uint64_t((leaves + max_teams - 1) / max_teams)));
  const unsigned teams = unsigned((leaves + per_team - 1) / per_team);
  const generic_kernel<R> kernel{r,
                                 leaves,
                                 per_team,
                                 teams,
                                 reinterpret_cast<typename R::leaf_node*>(memory.partials.data()),
                                 memory.finished.data()};
  Kokkos::TeamPolicy<Exec> policy(exec, int(teams), Kokkos::AUTO);
  Kokkos::parallel_for(
      label, policy.set_scratch_size(0, Kokkos::PerTeam(int(sizeof(team_memory<R>)) + 16)), kernel);
}

}  // namespace acc::backends

#endif
