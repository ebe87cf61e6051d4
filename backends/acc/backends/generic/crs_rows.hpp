// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_CRS_ROWS_HPP
#define ACC_BACKENDS_GENERIC_CRS_ROWS_HPP

/// \file
/// Products of CRS matrices with a vector. A row is a segment whose terms are products. In
/// canonical order a row of at most a stripe is summed by one work item, and longer ones by teams,
/// as segments are (generic/segments.hpp). Exact sums need no order: a team, on hosts a work item,
/// has a row.

#include <acc/backends/generic/segments.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/exact/exact_part.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/gemm/crs_rows.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

namespace acc::backends::generic {

/// One work item per row: sums it if it is short.
template <class S>
struct short_rows {
  S rows;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t begin = rows.offset(i), end = rows.offset(i + 1);
    if (end - begin <= S::stripe) impl::sum_short_row(rows.of(i, begin, end));
  }
};

/// Enqueues the products in canonical order. Engine: of launch_tiles_by.
template <class Engine, class Exec, class S>
void launch_rows_by(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s,
                    std::int64_t max_tiles = nodes_bytes / (2 * sizeof(typename Engine::node))) {
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, s.count),
                       short_rows<S>{s});
  if (s.size() > S::stripe) launch_tiles_by<Engine>(exec, memory, label, s, max_tiles);
}

/// Enqueues the products of s, impl::crs_rows of at least one row, on exec.
template <class Exec, class S>
void crs_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  launch_rows_by<team_segments<typename S::reduction>>(exec, memory, label, s);
}

/// Exact sums, a row by a work item.
template <class S>
struct exact_rows_by_items {
  using real = typename S::real;
  using accumulator = superaccumulator<real>;
  S rows;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    accumulator sum[S::parts];
    const std::int64_t begin = rows.offset(i), end = rows.offset(i + 1);
    for (std::int64_t k = begin; k < end; ++k)
      rows.for_each_product(k, [&](int part, real a, real b) { sum[part].add_product(a, b); });
    impl::exact_part<accumulator::limbs> s[S::parts];
    for (int part = 0; part < S::parts; ++part) s[part].take(sum[part]);
    rows.finish(i, begin == end, s);
  }
};

/// A team's threads on a GPU, in a kernel that most rows leave little to do.
inline constexpr int exact_team_size = 32;

/// Exact sums, rows by a team one after the other: all threads add to one sum.
template <class S>
struct exact_rows_by_teams {
  using real = typename S::real;
  using part = impl::exact_long_part<real>;

  S rows;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const s = static_cast<part*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(part) * S::parts, alignof(part)));
    for (std::int64_t i = team.league_rank(); i < rows.count; i += team.league_size())
      sum_row(team, i, s);
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void sum_row(const Team& team, std::int64_t i, part* s) const {
    constexpr int limbs = superaccumulator<real>::limbs;
    const std::int64_t begin = rows.offset(i), end = rows.offset(i + 1);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, S::parts * limbs),
                         [&](int k) { s[k / limbs].magnitude.limb[k % limbs] = 0; });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int p = 0; p < S::parts; ++p) {
        s[p].unit = superaccumulator<real>::unit_exponent;
        s[p].negative = s[p].skips = false;
        s[p].kinds = {};
        s[p].bound = 0;
      }
    });
    team.team_barrier();
    // An entry deposits two products in a part at most.
    constexpr std::int64_t together = part::max_products / 2;
    for (std::int64_t first = begin; first < end; first += together) {
      const std::int64_t size = end - first < together ? end - first : together;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size), [&](std::int64_t k) {
        element_kinds kinds[S::parts];
        rows.for_each_product(first + k,
                              [&](int p, real a, real b) { kinds[p].merge(s[p].deposit(a, b)); });
        for (int p = 0; p < S::parts; ++p) Kokkos::atomic_or(&s[p].kinds.bits, kinds[p].bits);
      });
      team.team_barrier();
      if (first + together < end) {
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          for (int p = 0; p < S::parts; ++p) s[p].magnitude.carry();
        });
        team.team_barrier();
      }
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int p = 0; p < S::parts; ++p) s[p].settle();
      rows.finish(i, begin == end, s);
    });
    team.team_barrier();
  }
};

/// Enqueues exact products on exec, a row by a team of so many threads.
template <class Exec, class S>
void exact_rows_by(const Exec& exec, const char* label, const S& s, int team_size) {
  using kernel = exact_rows_by_teams<S>;
  const int league = int(std::min<std::int64_t>(s.count, 1 << 20));
  const auto scratch = Kokkos::PerTeam(int(S::parts * sizeof(typename kernel::part)) + 16);
  Kokkos::TeamPolicy<Exec> policy(exec, league, team_size);
  Kokkos::parallel_for(label, policy.set_scratch_size(0, scratch), kernel{s});
}

/// Enqueues the exact products of s, impl::exact_crs_rows of at least one row, on exec.
template <class Exec, class S>
void exact_rows(const Exec& exec, const char* label, const S& s) {
  if constexpr (runs_on_host<Exec>) {
    using schedule = Kokkos::Schedule<Kokkos::Dynamic>;
    Kokkos::parallel_for(
        label,
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>, schedule>(exec, 0, s.count),
        exact_rows_by_items<S>{s});
  } else {
    exact_rows_by(exec, label, s, exact_team_size);
  }
}

}  // namespace acc::backends::generic

#endif
