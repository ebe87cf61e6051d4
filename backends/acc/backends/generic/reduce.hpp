// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_REDUCE_HPP
#define ACC_BACKENDS_GENERIC_REDUCE_HPP

/// \file
/// Sums, dots and norms in canonical order by any Kokkos teams. A team sums a subtree of leaves,
/// and the last to end combines the roots of the subtrees.

#include <acc/backends/team_reduction.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order/reduction.hpp>

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>

namespace acc::backends::generic {

template <class R>
struct reduce_kernel {
  using node = typename R::leaf_node;
  static_assert(max_teams * sizeof(node) <= partials_bytes);

  R reduction;
  std::int64_t leaves, leaves_per_team;
  unsigned teams;
  node* partials;
  unsigned* arrived;

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
      memory.is_last = arrives_last(arrived, teams);
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
        const unsigned first = 2 * stride * unsigned(i);
        partials[first].merge(partials[first + stride]);
      });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { reduction.finish(partials[0]); });
  }
};

template <class Exec, class R>
void reduce(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  const std::int64_t leaves = r.leaves();
  const auto per_team =
      std::int64_t(std::bit_ceil(std::uint64_t((leaves + max_teams - 1) / max_teams)));
  const unsigned teams = unsigned((leaves + per_team - 1) / per_team);
  const reduce_kernel<R> kernel{r,
                                leaves,
                                per_team,
                                teams,
                                reinterpret_cast<typename R::leaf_node*>(memory.partials()),
                                memory.arrived.data()};
  Kokkos::TeamPolicy<Exec> policy(exec, int(teams), Kokkos::AUTO);
  Kokkos::parallel_for(
      label, policy.set_scratch_size(0, Kokkos::PerTeam(int(sizeof(team_memory<R>)) + 16)), kernel);
}

}  // namespace acc::backends::generic

#endif
