// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_SEGMENTS_HPP
#define ACC_BACKENDS_GENERIC_SEGMENTS_HPP

/// \file
/// Blocks of segmented sums by any Kokkos teams.

#include <acc/backends/generic.hpp>
#include <acc/backends/segments.hpp>
#include <acc/core/canonical_order.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order_free.hpp>
#include <acc/core/segments.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

namespace acc::backends {

/// How a team sums a unit. Methods with a canonical order: as the team-level callables do.
template <class R>
struct team_unit {
  using node = typename R::leaf_node;
  using memory = team_memory<R>;
  static constexpr int max_team_size = 0;  // any

  template <class Team>
  KOKKOS_FUNCTION static node sum(const Team& team, memory& m, const R& r, std::int64_t from,
                                  std::int64_t to, int leaf) {
    return team_subtree(team, m, r, from / leaf, (to + leaf - 1) / leaf);
  }
};

/// Exact sums: a total a thread, in scratch memory.
template <class Terms, class E, int C, class Finish, class Result>
struct team_unit<impl::order_free_reduction<Terms, exact, E, C, Finish, Result>> {
  using R = impl::order_free_reduction<Terms, exact, E, C, Finish, Result>;
  using node = impl::exact_totals<R>;
  static constexpr int max_team_size = 64 / Terms::results;
  struct memory {
    node total[max_team_size];
  };

  template <class Team>
  KOKKOS_FUNCTION static node sum(const Team& team, memory& m, const R& r, std::int64_t from,
                                  std::int64_t to, int) {
    const int rank = team.team_rank(), size = team.team_size();
    m.total[rank] = impl::sum_exactly(r, from + rank, size, to);
    team.team_barrier();
    for (int stride = 1; stride < size; stride *= 2) {
      if (rank % (2 * stride) == 0 && rank + stride < size)
        m.total[rank].merge(m.total[rank + stride]);
      team.team_barrier();
    }
    const node total = m.total[0];
    team.team_barrier();  // before the next unit overwrites it
    return total;
  }
};

template <class Blocks>
struct team_blocks {
  using S = typename Blocks::segments_type;
  using R = typename S::reduction;
  using unit = team_unit<R>;
  struct memory {
    typename unit::memory unit_memory;
    std::int64_t found[impl::rows_per_leaf];
    KOKKOS_FUNCTION memory() {}
  };

  Blocks blocks;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto& m = *static_cast<memory*>(team.team_scratch(0).get_shmem_aligned(sizeof(memory), 16));
    const std::int64_t block = team.league_rank();
    const auto find = [&](std::int64_t leaf, const auto& sum) {
      const S& s = blocks.segments;
      const std::int64_t low = s.last_begun(leaf - 1, -1, s.count);
      const std::int64_t high = s.last_begun(leaf + S::leaf, low, s.count);
      if (low == high) return;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int(impl::rows_per_leaf)), [&](int j) {
        m.found[j] = blocks.segment_beginning_in(leaf, j, low, high);
      });
      team.team_barrier();
      for (int j = 0; j < impl::rows_per_leaf; ++j)
        if (m.found[j] >= 0) sum(m.found[j]);
      team.team_barrier();
    };
    blocks.for_each_unit(block, find,
                         [&](std::int64_t i, std::int64_t begin, std::int64_t end, std::int64_t u,
                             std::int64_t from, std::int64_t to) {
                           const R r = blocks.segments.of(i, begin, end);
                           const auto node =
                               unit::sum(team, m.unit_memory, r, from, to, int(S::leaf));
                           Kokkos::single(Kokkos::PerTeam(team), [&] {
                             if (u < 0) {
                               r.finish(node);
                             } else {
                               (u == 0 ? blocks.first : blocks.later)[block] = node;
                             }
                           });
                         });
  }
};

template <class R>
struct team_segments {
  using node = typename team_unit<R>::node;
  static constexpr std::int64_t min_leaves = 1;

  template <class Exec, class Blocks>
  static void launch(const Exec& exec, const char* label, const Blocks& blocks) {
    const team_blocks<Blocks> kernel{blocks};
    const auto scratch = Kokkos::PerTeam(int(sizeof(typename team_blocks<Blocks>::memory)) + 16);
    const int league = int(blocks.count);
    if constexpr (team_unit<R>::max_team_size == 0) {
      Kokkos::TeamPolicy<Exec> policy(exec, league, Kokkos::AUTO);
      Kokkos::parallel_for(label, policy.set_scratch_size(0, scratch), kernel);
    } else {
      Kokkos::TeamPolicy<Exec> any(exec, league, 1);
      any.set_scratch_size(0, scratch);
      const int size = any.team_size_max(kernel, Kokkos::ParallelForTag{});
      Kokkos::TeamPolicy<Exec> policy(exec, league, std::min(size, team_unit<R>::max_team_size));
      Kokkos::parallel_for(label, policy.set_scratch_size(0, scratch), kernel);
    }
  }
};

}  // namespace acc::backends

#endif
