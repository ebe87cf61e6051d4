// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_CRS_ROWS_HPP
#define ACC_BACKENDS_GENERIC_CRS_ROWS_HPP

/// \file
/// Products of CRS matrices with a vector. A row is a segment whose terms are products. In
/// canonical order a row of at most a stripe is summed by one work item, and longer ones by teams,
/// as segments are (generic/segments.hpp).
///
/// Exact sums need no order. Short rows are those of some vector lanes, on hosts of a work item,
/// which keep a window of a row's products in registers (exact_row.hpp). They list longer rows, and
/// those that a window does not decide, for teams.

#include <acc/backends/generic/merge_reducer.hpp>
#include <acc/backends/generic/segments.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/exact/exact_part.hpp>
#include <acc/core/gemm/exact_row.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/numbers/element_kinds.hpp>
#include <acc/core/gemm/crs_rows.hpp>
#include <acc/core/superaccumulator.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
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

/// write_exact_row's work by one work item.
struct by_one_item {
  template <class V, class F>
  KOKKOS_FORCEINLINE_FUNCTION V merged(std::int64_t n, const F& f) const {
    V v;
    for (std::int64_t k = 0; k < n; ++k) f(k, v);
    return v;
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION bool once(const F& f) const {
    return f();
  }
};
/// By a team's threads, or by the vector lanes of one of them.
template <class Team, bool ByTeam>
struct by_threads {
  const Team& team;

  template <class V, class F>
  KOKKOS_FORCEINLINE_FUNCTION V merged(std::int64_t n, const F& f) const {
    V v;
    const merge_reducer<V, typename Team::scratch_memory_space> reducer(v);
    if constexpr (ByTeam)
      Kokkos::parallel_reduce(Kokkos::TeamVectorRange(team, n), f, reducer);
    else
      Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, n), f, reducer);
    return v;
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION bool once(const F& f) const {
    const auto call = [&](int& r) { r = f() ? 1 : 0; };
    int result = 0;
    if constexpr (ByTeam)
      Kokkos::single(Kokkos::PerTeam(team), call, result);
    else
      Kokkos::single(Kokkos::PerThread(team), call, result);
    return result != 0;
  }
};

/// Exact sums, a row by a work item.
template <class S>
struct exact_rows_by_items {
  using real = typename S::real;
  using accumulator = superaccumulator<real>;
  S rows;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t begin = rows.offset(i), end = rows.offset(i + 1);
    if (impl::write_exact_row(rows, i, begin, end, by_one_item{})) return;
    accumulator sum[S::parts];
    for (std::int64_t k = begin; k < end; ++k)
      rows.for_each_product(k, [&](int part, real a, real b) { sum[part].add_product(a, b); });
    impl::exact_part<accumulator::limbs> s[S::parts];
    for (int part = 0; part < S::parts; ++part) s[part].take(sum[part]);
    rows.finish(i, begin == end, s);
  }
};

/// Rows that are left to teams.
struct listed_exact_rows {
  std::int64_t* count;
  std::int64_t* row;

  KOKKOS_FUNCTION void add(std::int64_t i) const {
    row[Kokkos::atomic_fetch_add(count, std::int64_t(1))] = i;
  }
};

/// Exact sums, a row by the vector lanes of a thread.
template <class S>
struct exact_rows_by_lanes {
  /// Entries of a row that is not listed.
  static constexpr std::int64_t longest = 512;

  S rows;
  listed_exact_rows list;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t i = std::int64_t(team.league_rank()) * team.team_size() + team.team_rank();
    if (i >= rows.count) return;
    const std::int64_t begin = rows.offset(i), end = rows.offset(i + 1);
    if (end - begin <= longest &&
        impl::write_exact_row(rows, i, begin, end, by_threads<Team, false>{team}))
      return;
    Kokkos::single(Kokkos::PerThread(team), [&] { list.add(i); });
  }
};

/// Exact sums of listed rows, by a team one after the other: windows of rows that had none yet,
/// then all threads add to one superaccumulator.
template <class S>
struct exact_rows_by_teams {
  using real = typename S::real;
  using part = impl::exact_long_part<real>;

  S rows;
  listed_exact_rows list;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const s = static_cast<part*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(part) * S::parts, alignof(part)));
    for (std::int64_t n = team.league_rank(); n < *list.count; n += team.league_size())
      sum_row(team, list.row[n], s);
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void sum_row(const Team& team, std::int64_t i, part* s) const {
    constexpr int limbs = superaccumulator<real>::limbs;
    const std::int64_t begin = rows.offset(i), end = rows.offset(i + 1);
    if (end - begin > exact_rows_by_lanes<S>::longest &&
        impl::write_exact_row(rows, i, begin, end, by_threads<Team, true>{team}))
      return;
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

/// How rows are summed on a GPU.
struct exact_rows_shape {
  int lanes, threads;  ///< of a row of up to exact_rows_by_lanes::longest entries; of a team
  int team;            ///< threads of a team that has a listed row
};
inline constexpr exact_rows_shape exact_rows_on_gpu{.lanes = 8, .threads = 16, .team = 256};

/// Enqueues exact products on exec, by lanes and by teams.
template <class Exec, class S>
void exact_rows_by(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s,
                   const exact_rows_shape& shape) {
  auto* const numbers = reinterpret_cast<std::int64_t*>(
      memory.list_memory(std::size_t(1 + s.count) * sizeof(std::int64_t)));
  fill_with_zeros(exec, label, numbers, sizeof(std::int64_t));
  const listed_exact_rows list{numbers, numbers + 1};
  const std::int64_t teams = (s.count + shape.threads - 1) / shape.threads;
  Kokkos::parallel_for(label,
                       Kokkos::TeamPolicy<Exec>(exec, int(teams), shape.threads, shape.lanes),
                       exact_rows_by_lanes<S>{s, list});
  using kernel = exact_rows_by_teams<S>;
  const int most = std::max(exec.concurrency() / shape.team, 1);
  const auto scratch = Kokkos::PerTeam(int(S::parts * sizeof(typename kernel::part)) + 16);
  Kokkos::TeamPolicy<Exec> policy(exec, int(std::min<std::int64_t>(s.count, most)), shape.team);
  Kokkos::parallel_for(label, policy.set_scratch_size(0, scratch), kernel{s, list});
}

/// Enqueues the exact products of s, impl::exact_crs_rows of at least one row, on exec.
template <class Exec, class S>
void exact_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  if constexpr (runs_on_host<Exec>) {
    using schedule = Kokkos::Schedule<Kokkos::Dynamic>;
    Kokkos::parallel_for(
        label,
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>, schedule>(exec, 0, s.count),
        exact_rows_by_items<S>{s});
  } else {
    exact_rows_by(exec, memory, label, s, exact_rows_on_gpu);
  }
}

}  // namespace acc::backends::generic

#endif
