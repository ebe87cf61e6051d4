// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_LARGEST_HPP
#define ACC_BACKENDS_GENERIC_LARGEST_HPP

/// \file
/// The largest elements of columns by any Kokkos teams: a column is a team's, or, where there is
/// one column, several teams' and the last to end finds the largest of theirs.

#include <acc/backends/generic/merge_reducer.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/elements/largest.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

namespace acc::backends::generic {

template <class Exec, class L>
struct largest_kernel {
  /// Elements of a team where a column is several teams'.
  static constexpr std::int64_t shortest_part = 4096;
  /// Elements that a thread reads before it compares them, so that as many loads are under way.
  static constexpr int elements_at_once = 8;

  L job;
  std::int64_t part;  ///< elements of a team
  unsigned parts;     ///< teams of a column
  impl::largest* partials;
  unsigned* arrived;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t column = parts == 1 ? team.league_rank() : 0;
    const std::int64_t first = parts == 1 ? 0 : team.league_rank() * part;
    const std::int64_t end = first + part < job.x.rows ? first + part : job.x.rows;
    const std::int64_t steps = (end - first + elements_at_once - 1) / elements_at_once;
    impl::largest found;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, std::int64_t(0), steps),
        [&](std::int64_t step, impl::largest& l) {
          std::int64_t at[elements_at_once];
          typename L::scalar x[elements_at_once];
          // Where there are no more elements, the last one is read again.
          for (int n = 0; n < elements_at_once; ++n) {
            at[n] = Kokkos::min(first + step + n * steps, end - 1);
            x[n] = job.x(at[n], column);
          }
          for (int n = 0; n < elements_at_once; ++n) l.add(x[n], at[n]);
        },
        merge_reducer<impl::largest, typename Exec::memory_space>(found));
    int is_last = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](int& last) {
          last = 0;
          if (parts == 1) return L::finish::write(job.result + column * job.stride, found);
          partials[team.league_rank()] = found;
          last = arrives_last(arrived, parts);
        },
        is_last);
    if (is_last) finish_parts(team);
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void finish_parts(const Team& team) const {
    Kokkos::memory_fence();
    impl::largest found;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, std::int64_t(0), std::int64_t(parts)),
        [&](std::int64_t p, impl::largest& l) { l.merge(partials[p]); },
        merge_reducer<impl::largest, typename Exec::memory_space>(found));
    Kokkos::single(Kokkos::PerTeam(team), [&] { L::finish::write(job.result, found); });
  }
};

/// Enqueues it; asynchronous if exec is.
template <class Exec, class L>
void largest(const Exec& exec, workspace<Exec>& memory, const char* label, const L& job) {
  using kernel = largest_kernel<Exec, L>;
  const std::int64_t n = job.x.rows, columns = job.x.columns;
  if (columns == 0) return;
  std::int64_t parts = 1;
  if (columns == 1)
    parts = std::clamp<std::int64_t>((n + kernel::shortest_part - 1) / kernel::shortest_part, 1,
                                     most_largest);
  const std::int64_t teams = columns == 1 ? parts : columns;
  Kokkos::parallel_for(
      label, Kokkos::TeamPolicy<Exec>(exec, int(teams), Kokkos::AUTO),
      kernel{job, (n + parts - 1) / parts, unsigned(parts),
             reinterpret_cast<impl::largest*>(memory.largest.data()), memory.arrived.data()});
}

}  // namespace acc::backends::generic

#endif
