// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_SEGMENTS_HPP
#define ACC_BACKENDS_GENERIC_SEGMENTS_HPP

/// \file
/// Segmented sums. Segments of at most a row of the canonical order are summed by a work item each.
/// For longer ones the vector is divided into blocks of equal size, as the offsets are known to the
/// device alone: whoever has a block sums the segments that begin in it. One that is longer than a
/// block is cut into units of a block's size, from its own beginning on; a unit belongs to the
/// block that it begins in. So all have about the same work, whatever the segments are.
///
/// At most one long segment begins in a block, and one unit that is not a segment's first: the node
/// of either has a place. If segment i's first unit begins in block b, unit u does in block b + u.
///
/// Here a team sums a block; on hosts a work item does (host/segments.hpp).

#include <acc/backends/team_reduction.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/order_free.hpp>
#include <acc/core/order/segments.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace acc::backends::generic {

/// One work item a segment: sums it if it is short.
template <class S>
struct short_segments {
  S segments;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t begin = segments.offset(i), end = segments.offset(i + 1);
    if (end - begin <= S::stripe) impl::sum_short_segment(segments.of(i, begin, end));
  }
};

/// The blocks, and nodes of long segments' units.
template <class S, class Node>
struct segment_blocks {
  using segments_type = S;
  using node = Node;

  S segments;
  std::int64_t size;  ///< elements of a block: leaves, a power of two of them
  std::int64_t count;
  Node *first, *later;

  KOKKOS_FUNCTION Node& unit(std::int64_t block, std::int64_t u) const {
    return u == 0 ? first[block] : later[block + u];
  }

  /// Calls sum(segment, begin, end, unit, from, to): elements from `from` to `to` of the segment,
  /// counted from its beginning, are to be summed; unit is -1 where they are all of it. `find(leaf,
  /// i)` gives the segments with more than a row that begin in row i of the leaf, or -1, by
  /// segment_beginning_in.
  template <class Find, class Sum>
  KOKKOS_FUNCTION void for_each_unit(std::int64_t block, const Find& find, const Sum& sum) const {
    const std::int64_t low = block * size;
    const std::int64_t i = segments.last_begun(low, -1, segments.count);
    if (i >= 0 && i < segments.count) {
      const std::int64_t begin = segments.offset(i), end = segments.offset(i + 1);
      const std::int64_t u = (low - begin + size - 1) / size;
      if (u > 0 && end - begin > size && begin + u * size < end)
        sum(i, begin, end, u, u * size, lesser((u + 1) * size, end - begin));
    }
    const std::int64_t stop = lesser(low + size, segments.size());
    for (std::int64_t leaf = low; leaf < stop; leaf += S::leaf) {
      find(leaf, [&](std::int64_t k) {
        const std::int64_t begin = segments.offset(k), end = segments.offset(k + 1);
        const bool is_long = end - begin > size;
        sum(k, begin, end, is_long ? 0 : -1, 0, is_long ? size : end - begin);
      });
    }
  }
  /// The segment of more than a row that begins in row j of a leaf, or -1: it has the first element
  /// of row j + 1. low and high: segments before and after which it is not.
  KOKKOS_FUNCTION std::int64_t segment_beginning_in(std::int64_t leaf, int j, std::int64_t low,
                                                    std::int64_t high) const {
    const std::int64_t row = leaf + j * S::stripe, next = row + S::stripe;
    if (next >= segments.size()) return -1;
    const std::int64_t i = segments.last_begun(next, low, high);
    if (i < 0 || i >= segments.count) return -1;
    const std::int64_t begin = segments.offset(i);
    // One that begins with row j + 1 is that row's, unless it is the next leaf's.
    const bool begins = begin >= row && begin < next;
    return begins && segments.offset(i + 1) - begin > S::stripe ? i : -1;
  }
  /// The long segment that begins in a block, or -1.
  KOKKOS_FUNCTION std::int64_t long_segment_beginning_in(std::int64_t block) const {
    const std::int64_t low = block * size, next = low + size;
    if (next >= segments.size()) return -1;
    const std::int64_t i = segments.last_begun(next - 1, -1, segments.count);
    if (i < 0 || i >= segments.count || segments.offset(i) < low) return -1;
    return segments.offset(i + 1) - segments.offset(i) > size ? i : -1;
  }

  KOKKOS_FUNCTION static std::int64_t lesser(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }
};

/// Adds up the units of the long segment that begins in a block, if one does, in the tree of
/// leaf_tree (sums that need no order, too): by a team a block or, on hosts, a work item, as Kokkos
/// allocates memory for a host's teams.
template <class Blocks>
struct long_segments {
  using node = typename Blocks::node;
  Blocks blocks;

  template <class Team>
    requires requires(const Team& team) { team.team_barrier(); }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t b = team.league_rank(), units = units_from(b);
    if (units == 0) return;
    for (std::int64_t stride = 1; stride < units; stride *= 2) {
      const int pairs = int((units - stride + 2 * stride - 1) / (2 * stride));
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, pairs), [&](int k) {
        blocks.unit(b, 2 * stride * k).merge(blocks.unit(b, 2 * stride * k + stride));
      });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { finish(b, blocks.unit(b, 0)); });
  }
  void operator()(std::int64_t b) const {
    const std::int64_t units = units_from(b);
    if (units == 0) return;
    node waiting[24];  // more units than memory has nodes
    impl::leaf_tree<node> tree(waiting);
    for (std::int64_t u = 0; u < units; ++u) tree.push(blocks.unit(b, u));
    finish(b, tree.root());
  }

 private:
  KOKKOS_FUNCTION std::int64_t units_from(std::int64_t b) const {
    const std::int64_t i = blocks.long_segment_beginning_in(b);
    if (i < 0) return 0;
    const std::int64_t size = blocks.segments.offset(i + 1) - blocks.segments.offset(i);
    return (size + blocks.size - 1) / blocks.size;
  }
  KOKKOS_FUNCTION void finish(std::int64_t b, const node& sum) const {
    const std::int64_t i = blocks.long_segment_beginning_in(b);
    blocks.segments.of(i, blocks.segments.offset(i), blocks.segments.offset(i + 1)).finish(sum);
  }
};

/// Engine: what sums units, a type with `node`, the node of a unit; `min_leaves`, of a block; and
/// launch(exec, label, blocks), which enqueues the kernel of all blocks.
template <class Engine, class Exec, class S>
void launch_segments_by(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s,
                        std::int64_t max_blocks = nodes_bytes /
                                                  (2 * sizeof(typename Engine::node))) {
  using node = typename Engine::node;
  if (s.count == 0) return;
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, s.count),
                       short_segments<S>{s});
  if (s.size() <= S::stripe) return;  // all are short
  const std::int64_t leaves = (s.size() + S::leaf - 1) / S::leaf;
  const std::int64_t wanted = std::max(Engine::min_leaves, (leaves + max_blocks - 1) / max_blocks);
  const std::int64_t size = S::leaf * std::int64_t(std::bit_ceil(std::uint64_t(wanted)));
  const std::int64_t count = (s.size() + size - 1) / size;
  node* const nodes = reinterpret_cast<node*>(memory.nodes());
  const segment_blocks<S, node> blocks{s, size, count, nodes, nodes + count};
  Engine::launch(exec, label, blocks);
  if (count == 1) return;  // none is long
  const long_segments<segment_blocks<S, node>> kernel{blocks};
  if constexpr (runs_on_host<Exec>) {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count - 1),
        kernel);
  } else {
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, int(count - 1), Kokkos::AUTO),
                         kernel);
  }
}

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
    std::int64_t found[impl::stripes_per_leaf];
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
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int(impl::stripes_per_leaf)), [&](int j) {
        m.found[j] = blocks.segment_beginning_in(leaf, j, low, high);
      });
      team.team_barrier();
      for (int j = 0; j < impl::stripes_per_leaf; ++j)
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

/// Enqueues the segmented sum on exec.
template <class Exec, class S>
void segments(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  launch_segments_by<team_segments<typename S::reduction>>(exec, memory, label, s);
}

}  // namespace acc::backends::generic

#endif
