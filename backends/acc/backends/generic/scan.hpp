// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_SCAN_HPP
#define ACC_BACKENDS_GENERIC_SCAN_HPP

/// \file
/// Prefix sums in any Kokkos execution space: totals of parts of the vector, prefixes of the
/// totals, then the prefixes within each part.
///
///  - By chunks: a chunk belongs to one work item, and one chunk takes one pass. So are scanned all
///    prefixes on hosts, and exact ones everywhere.
///  - By teams: a team scans tiles in its scratch memory. Elements pass through scratch, so that
///    neighbors in a warp read and write neighbors in memory. So are scanned compensated prefixes
///    on GPUs.

#include <acc/backends/workspace.hpp>
#include <acc/core/order/prefix_sum.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace acc::backends::generic {

/// What impl::prefix_tree gives, for nodes in memory, by a team, in two sweeps. After this one a[k
/// - 1] is the subtree of the nodes k - low to k - 1; the total of them all, if `count` is a power
/// of two, is the last.
template <class Team, class Node>
KOKKOS_INLINE_FUNCTION void subtrees_in_place(const Team& team, Node* a, int count) {
  for (int stride = 1; 2 * stride <= count; stride *= 2) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count / (2 * stride)), [&](int i) {
      Node left = a[2 * stride * i + stride - 1];
      left.merge(a[2 * stride * (i + 1) - 1]);
      a[2 * stride * (i + 1) - 1] = left;
    });
    team.team_barrier();
  }
}
/// After this one a[k - 1] is P(k); `before` is P(0).
template <class Team, class Node>
KOKKOS_INLINE_FUNCTION void prefixes_in_place(const Team& team, Node* a, int count,
                                              const Node& before) {
  int stride = 1;
  while (2 * stride <= count) stride *= 2;
  for (; stride >= 1; stride /= 2) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, (count / stride + 1) / 2), [&](int i) {
      Node p = i == 0 ? before : a[2 * stride * i - 1];
      p.merge(a[stride * (2 * i + 1) - 1]);
      a[stride * (2 * i + 1) - 1] = p;
    });
    team.team_barrier();
  }
}

/// Whether a scan is to be computed, as a kernel finds it: of most, always.
struct always {
  KOKKOS_FUNCTION bool operator()() const { return true; }
};

/// Prefixes of nodes in memory, by one team or, on hosts, by one work item (Kokkos allocates memory
/// for a host's teams): nodes[i] becomes the sum of nodes 0 to i.
template <class Node, class Wanted>
struct node_prefixes {
  Node* nodes;
  int count;
  Wanted is_wanted;

  template <class Team>
    requires requires(const Team& team) { team.team_barrier(); }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (!is_wanted()) return;
    const Node nothing;
    subtrees_in_place(team, nodes, count);
    prefixes_in_place(team, nodes, count, nothing);
  }
  void operator()(int) const {
    if (!is_wanted()) return;
    impl::prefix_tree<Node, 20> tree;
    tree.begin(Node());
    for (int i = 0; i < count; ++i) {
      tree.push(nodes[i]);
      nodes[i] = tree.prefix();
    }
  }

  template <class Exec>
  static void launch(const Exec& exec, const char* label, Node* nodes, int count,
                     const Wanted& is_wanted) {
    const node_prefixes kernel{nodes, count, is_wanted};
    if constexpr (runs_on_host<Exec>) {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, 1),
                           kernel);
    } else {
      Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, 1, Kokkos::AUTO), kernel);
    }
  }
};

template <class S, class Wanted>
struct chunk_totals {
  S scan;
  std::int64_t chunk;
  typename S::node* totals;
  Wanted is_wanted;

  KOKKOS_FUNCTION void operator()(int i) const {
    if (is_wanted()) totals[i] = scan.total(i * chunk, (i + 1) * chunk);
  }
};

template <class S, class Wanted>
struct chunk_prefixes {
  S scan;
  std::int64_t chunk;
  const typename S::node* before;  ///< before[i]: the sum of chunks 0 to i
  Wanted is_wanted;

  KOKKOS_FUNCTION void operator()(int i) const {
    if (!is_wanted()) return;
    const std::int64_t first = i * chunk, end = first + chunk;
    const typename S::node nothing;
    scan.run(i == 0 ? nothing : before[i - 1], first, end < scan.size() ? end : scan.size());
  }
};

/// Scans by at most max_chunks work items, of at least min_chunk elements each.
template <class Exec, class S, class Wanted = always>
void launch_scan_by_chunks(const Exec& exec, const char* label, const S& s, std::int64_t max_chunks,
                           std::int64_t min_chunk, typename S::node* nodes,
                           const Wanted& is_wanted = {}) {
  // Aligned powers of two, as the tree of the compensated scan has them.
  const std::int64_t wanted = std::max(min_chunk, (s.size() + max_chunks - 1) / max_chunks);
  const auto chunk = std::int64_t(std::bit_ceil(std::uint64_t(wanted)));
  const int chunks = int((s.size() + chunk - 1) / chunk);
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;
  if (chunks > 1) {
    Kokkos::parallel_for(label, range(exec, 0, chunks - 1),
                         chunk_totals<S, Wanted>{s, chunk, nodes, is_wanted});
    node_prefixes<typename S::node, Wanted>::launch(exec, label, nodes, chunks - 1, is_wanted);
  }
  Kokkos::parallel_for(label, range(exec, 0, chunks),
                       chunk_prefixes<S, Wanted>{s, chunk, nodes, is_wanted});
}

/// What a team shares while it scans a tile: 128 groups, or 16 KiB of elements. Kokkos's hosts give
/// a team 32 KiB in all.
template <class S>
struct tile_memory {
  using element = typename S::element;
  using node = typename S::node;
  static constexpr int parts = S::components;
  static constexpr int fitting = 16384 / int(impl::scan_group * parts * sizeof(element));
  static constexpr int groups = fitting < 128 ? fitting : 128;
  static constexpr int size = groups * impl::scan_group;

  /// Each part of a group has room for one element more, so that the parts begin in different
  /// banks.
  element value[groups * parts][impl::scan_group + 1];
  node group[groups];
  node before;
  impl::prefix_tree<node, 24> tree;  // of at most 2^24 tiles per team

  KOKKOS_FUNCTION tile_memory() {}
};

/// Each team has tiles_per_team tiles. Pass 1 finds their totals, pass 2 writes prefixes.
template <class S, bool Totals>
struct tile_scan {
  using memory = tile_memory<S>;
  using node = typename S::node;
  using group_values = typename S::group;

  S scan;
  std::int64_t tiles_per_team;
  node* nodes;  ///< pass 1: team i's total; pass 2: the sum of what teams 0 to i have

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto& m = *static_cast<memory*>(team.team_scratch(0).get_shmem_aligned(sizeof(memory), 16));
    const int rank = team.league_rank();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      const node nothing;
      m.tree.begin(Totals || rank == 0 ? nothing : nodes[rank - 1]);
    });
    const std::int64_t begin = rank * tiles_per_team * memory::size;
    const std::int64_t stop = begin + tiles_per_team * memory::size;
    const std::int64_t end = stop < scan.size() ? stop : scan.size();
    for (std::int64_t first = begin; first < end; first += memory::size) {
      const int present = end - first < memory::size ? int(end - first) : memory::size;
      load(team, m, first, present);
      // A group that is not full is the last: nobody needs its total.
      const int full = present / impl::scan_group;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, full),
                           [&](int g) { m.group[g] = scan.group_total(get(m, g)); });
      team.team_barrier();
      subtrees_in_place(team, m.group, full);
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        m.before = m.tree.prefix();
        if (present == memory::size) m.tree.push(m.group[memory::groups - 1]);
      });
      team.team_barrier();
      if constexpr (!Totals) write(team, m, first, present);
    }
    if constexpr (Totals)
      Kokkos::single(Kokkos::PerTeam(team), [&] { nodes[rank] = m.tree.prefix(); });
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void load(const Team& team, memory& m, std::int64_t first, int present) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, memory::size * memory::parts), [&](int i) {
      const int k = i / memory::parts, part = i % memory::parts;
      at(m, k, part) = k < present ? scan.load(first + k, part) : typename S::element(-0.0);
    });
    team.team_barrier();
  }
  template <class Team>
  KOKKOS_FUNCTION void write(const Team& team, memory& m, std::int64_t first, int present) const {
    prefixes_in_place(team, m.group, present / impl::scan_group, m.before);
    const int groups = (present + impl::scan_group - 1) / impl::scan_group;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, groups), [&](int g) {
      scan.run_group(g == 0 ? m.before : m.group[g - 1], get(m, g));
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, present * memory::parts), [&](int i) {
      const int k = i / memory::parts, part = i % memory::parts;
      scan.store(first + k, part, at(m, k, part));
    });
    team.team_barrier();
  }
  KOKKOS_FUNCTION static typename S::element& at(memory& m, int k, int part) {
    return m.value[k / impl::scan_group * memory::parts + part][k % impl::scan_group];
  }
  KOKKOS_FUNCTION static group_values get(memory& m, int g) {
    group_values v;
    for (int p = 0; p < memory::parts; ++p) v.part[p] = m.value[g * memory::parts + p];
    return v;
  }
};

template <class Exec, class S>
void launch_scan_by_teams(const Exec& exec, const char* label, const S& s, typename S::node* nodes,
                          std::int64_t most_teams = nodes_bytes / sizeof(typename S::node)) {
  using tile = tile_memory<S>;
  using node = typename S::node;
  const std::int64_t tiles = (s.size() + tile::size - 1) / tile::size;
  const auto per_team =
      std::int64_t(std::bit_ceil(std::uint64_t((tiles + most_teams - 1) / most_teams)));
  const int teams = int((tiles + per_team - 1) / per_team);
  const auto policy = [&](int league) {
    Kokkos::TeamPolicy<Exec> p(exec, league, Kokkos::AUTO);
    return p.set_scratch_size(0, Kokkos::PerTeam(int(sizeof(tile)) + 16));
  };
  if (teams > 1) {
    Kokkos::parallel_for(label, policy(teams - 1), tile_scan<S, true>{s, per_team, nodes});
    node_prefixes<node, always>::launch(exec, label, nodes, teams - 1, {});
  }
  Kokkos::parallel_for(label, policy(teams), tile_scan<S, false>{s, per_team, nodes});
}

/// Enqueues a scan of at least one element on exec.
template <class Exec, class S>
void scan(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  using node = typename S::node;
  node* const nodes = reinterpret_cast<node*>(memory.nodes());
  constexpr std::int64_t room = nodes_bytes / sizeof(node);
  if constexpr (S::is_order_free) {
    launch_scan_by_chunks(exec, label, s, room, 256, nodes);
  } else {
    launch_scan_by_teams(exec, label, s, nodes);
  }
}

}  // namespace acc::backends::generic

#endif
