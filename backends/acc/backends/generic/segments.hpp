// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_SEGMENTS_HPP
#define ACC_BACKENDS_GENERIC_SEGMENTS_HPP

/// \file
/// Segmented sums. A segment of at most a stripe of the canonical order is summed by one work item.
/// For longer ones the vector is divided into tiles of equal size, as the offsets are known to the
/// device alone: whoever has a tile sums the segments that begin in it. A segment that is longer
/// than a tile is cut into pieces of a tile's size, from its own beginning on, and a piece belongs
/// to the tile that it begins in. So all have about the same work, whatever the segments are.
///
/// At most one long segment begins in a tile, and one piece that is not a segment's first: each of
/// the two nodes has a place. If segment i's first piece begins in tile t, piece p does in t + p.
///
/// Here a team sums a tile; on hosts a work item does (host/segments.hpp).

#include <acc/backends/team_reduction.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/macros.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/order_free.hpp>
#include <acc/core/order/segments.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace acc::backends::generic {

/// One work item per segment: sums it if it is short.
template <class S>
struct short_segments {
  S segments;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t begin = segments.offset(i), end = segments.offset(i + 1);
    if (end - begin <= S::stripe) impl::sum_short_segment(segments.of(i, begin, end));
  }
};

/// The tiles, and nodes of long segments' pieces.
template <class S, class Node>
struct segment_tiles {
  using segments_type = S;
  using node = Node;

  S segments;
  std::int64_t size;  ///< elements of a tile: leaves, a power of two of them
  std::int64_t count;
  Node *first, *later;

  /// Piece p of the long segment that begins in a tile.
  KOKKOS_FUNCTION Node& piece(std::int64_t tile, std::int64_t p) const {
    return p == 0 ? first[tile] : later[tile + p];
  }

  /// Calls sum for segment k, or for its first piece.
  template <class Sum>
  struct piece_of_segment {
    const segment_tiles& tiles;
    const Sum& sum;

    ACC_NO_EXECUTION_CHECK
    KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t k) const {
      const std::int64_t begin = tiles.segments.offset(k), end = tiles.segments.offset(k + 1);
      const bool is_long = end - begin > tiles.size;
      sum(k, begin, end, is_long ? 0 : -1, 0, is_long ? tiles.size : end - begin);
    }
  };

  /// Calls sum(segment, begin, end, piece, from, to): elements from `from` to `to` of the segment,
  /// counted from its beginning, are to be summed; piece is -1 where they are all of it. find(leaf,
  /// f) calls f(segment) for every segment of more than a stripe that begins in the leaf, which it
  /// finds by segment_beginning_in.
  ACC_NO_EXECUTION_CHECK
  template <class Find, class Sum>
  KOKKOS_FUNCTION void for_each_piece(std::int64_t tile, const Find& find, const Sum& sum) const {
    const std::int64_t low = tile * size;
    const std::int64_t i = segments.last_begun(low, -1, segments.count);
    if (i >= 0 && i < segments.count) {
      const std::int64_t begin = segments.offset(i), end = segments.offset(i + 1);
      const std::int64_t p = (low - begin + size - 1) / size;
      if (p > 0 && end - begin > size && begin + p * size < end)
        sum(i, begin, end, p, p * size, lesser((p + 1) * size, end - begin));
    }
    const std::int64_t stop = lesser(low + size, segments.size());
    for (std::int64_t leaf = low; leaf < stop; leaf += S::leaf) {
      find(leaf, piece_of_segment<Sum>{*this, sum});
    }
  }
  /// The segment of more than a stripe that begins in stripe j of a leaf, or -1: it has the first
  /// element of stripe j + 1. low and high: segments before and after which it is not.
  KOKKOS_FUNCTION std::int64_t segment_beginning_in(std::int64_t leaf, int j, std::int64_t low,
                                                    std::int64_t high) const {
    const std::int64_t first_of_stripe = leaf + j * S::stripe, next = first_of_stripe + S::stripe;
    if (next >= segments.size()) return -1;
    const std::int64_t i = segments.last_begun(next, low, high);
    if (i < 0 || i >= segments.count) return -1;
    const std::int64_t begin = segments.offset(i);
    // One that begins with stripe j + 1 is that stripe's, unless it is the next leaf's.
    const bool begins = begin >= first_of_stripe && begin < next;
    return begins && segments.offset(i + 1) - begin > S::stripe ? i : -1;
  }
  /// The segment of more than a leaf that begins in a leaf, or -1: it has the leaf's last element.
  KOKKOS_FUNCTION std::int64_t segment_longer_than_leaf_in(std::int64_t leaf) const {
    const std::int64_t next = leaf + S::leaf;
    if (next >= segments.size()) return -1;
    const std::int64_t i = segments.last_begun(next - 1, -1, segments.count);
    if (i < 0 || i >= segments.count) return -1;
    const std::int64_t begin = segments.offset(i);
    return begin >= leaf && segments.offset(i + 1) - begin > S::leaf ? i : -1;
  }
  /// The long segment that begins in a tile, or -1.
  KOKKOS_FUNCTION std::int64_t long_segment_beginning_in(std::int64_t tile) const {
    const std::int64_t low = tile * size, next = low + size;
    if (next >= segments.size()) return -1;
    const std::int64_t i = segments.last_begun(next - 1, -1, segments.count);
    if (i < 0 || i >= segments.count || segments.offset(i) < low) return -1;
    return segments.offset(i + 1) - segments.offset(i) > size ? i : -1;
  }

  KOKKOS_FUNCTION static std::int64_t lesser(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }
};

/// `find` of for_each_piece where others sum all segments of up to a leaf.
struct longer_than_leaf {
  template <class Tiles, class Sum>
  KOKKOS_FUNCTION void operator()(const Tiles& tiles, std::int64_t leaf, const Sum& sum) const {
    const std::int64_t i = tiles.segment_longer_than_leaf_in(leaf);
    if (i >= 0) sum(i);
  }
};

/// Adds up the pieces of the long segment that begins in a tile, if one does, in the tree of
/// leaf_tree (sums that need no order, too): by a team per tile or, on hosts, a work item, as
/// Kokkos allocates memory for a host's teams.
template <class Tiles>
struct long_segments {
  using node = typename Tiles::node;
  Tiles tiles;

  template <class Team>
    requires requires(const Team& team) { team.team_barrier(); }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t t = team.league_rank(), pieces = pieces_from(t);
    if (pieces == 0) return;
    for (std::int64_t stride = 1; stride < pieces; stride *= 2) {
      const int pairs = int((pieces - stride + 2 * stride - 1) / (2 * stride));
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, pairs), [&](int k) {
        tiles.piece(t, 2 * stride * k).merge(tiles.piece(t, 2 * stride * k + stride));
      });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { finish(t, tiles.piece(t, 0)); });
  }
  void operator()(std::int64_t t) const {
    const std::int64_t pieces = pieces_from(t);
    if (pieces == 0) return;
    node waiting[24];  // more pieces than memory has nodes
    impl::leaf_tree<node> tree(waiting);
    for (std::int64_t p = 0; p < pieces; ++p) tree.push(tiles.piece(t, p));
    finish(t, tree.root());
  }

 private:
  KOKKOS_FUNCTION std::int64_t pieces_from(std::int64_t t) const {
    const std::int64_t i = tiles.long_segment_beginning_in(t);
    if (i < 0) return 0;
    const std::int64_t size = tiles.segments.offset(i + 1) - tiles.segments.offset(i);
    return (size + tiles.size - 1) / tiles.size;
  }
  KOKKOS_FUNCTION void finish(std::int64_t t, const node& sum) const {
    const std::int64_t i = tiles.long_segment_beginning_in(t);
    tiles.segments.of(i, tiles.segments.offset(i), tiles.segments.offset(i + 1)).finish(sum);
  }
};

/// The segments of more than a stripe. Engine: what sums pieces, a type with `node`, the node of a
/// piece; `min_leaves`, of a tile; launch(exec, label, tiles), which enqueues the kernel of all
/// tiles; and short_kernel(s), that of the segments of up to a stripe.
template <class Engine, class Exec, class S>
void launch_tiles_by(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s,
                     std::int64_t max_tiles = nodes_bytes / (2 * sizeof(typename Engine::node))) {
  using node = typename Engine::node;
  const std::int64_t leaves = (s.size() + S::leaf - 1) / S::leaf;
  const std::int64_t wanted = std::max(Engine::min_leaves, (leaves + max_tiles - 1) / max_tiles);
  const std::int64_t size = S::leaf * std::int64_t(std::bit_ceil(std::uint64_t(wanted)));
  const std::int64_t count = (s.size() + size - 1) / size;
  node* const nodes = reinterpret_cast<node*>(memory.nodes());
  const segment_tiles<S, node> tiles{s, size, count, nodes, nodes + count};
  Engine::launch(exec, label, tiles);
  if (count == 1) return;  // none is long
  const long_segments<segment_tiles<S, node>> kernel{tiles};
  if constexpr (runs_on_host<Exec>) {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count - 1),
        kernel);
  } else {
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, int(count - 1), Kokkos::AUTO),
                         kernel);
  }
}

/// All segments.
template <class Engine, class Exec, class S>
void launch_segments_by(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s,
                        std::int64_t max_tiles = nodes_bytes /
                                                 (2 * sizeof(typename Engine::node))) {
  if (s.count == 0) return;
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, s.count),
                       Engine::short_kernel(s));
  if (s.size() > S::stripe) launch_tiles_by<Engine>(exec, memory, label, s, max_tiles);
}

/// How a team sums a piece. Methods with a canonical order: as the team-level callables do.
template <class R>
struct team_piece {
  using node = typename R::leaf_node;
  using memory = team_memory<R>;
  static constexpr int max_team_size = 0;  // any

  template <class Team>
  KOKKOS_FUNCTION static node sum(const Team& team, memory& m, const R& r, std::int64_t from,
                                  std::int64_t to, int leaf) {
    return team_subtree(team, m, r, from / leaf, (to + leaf - 1) / leaf);
  }
};

/// Exact sums: a total per thread, in scratch memory.
template <class Terms, class E, int C, class Finish, class Result>
struct team_piece<impl::order_free_reduction<Terms, exact, E, C, Finish, Result>> {
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
    team.team_barrier();  // before the next piece overwrites it
    return total;
  }
};

/// Sums the pieces of the team's tile. find: as of for_each_piece.
template <class Team, class Tiles, class Memory, class Find>
KOKKOS_FUNCTION void sum_tile_by_team(const Team& team, const Tiles& tiles, Memory& m,
                                      const Find& find) {
  using S = typename Tiles::segments_type;
  using R = typename S::reduction;
  const std::int64_t tile = team.league_rank();
  tiles.for_each_piece(tile, find,
                       [&](std::int64_t i, std::int64_t begin, std::int64_t end, std::int64_t p,
                           std::int64_t from, std::int64_t to) {
                         const R r = tiles.segments.of(i, begin, end);
                         const auto node = team_piece<R>::sum(team, m, r, from, to, int(S::leaf));
                         Kokkos::single(Kokkos::PerTeam(team), [&] {
                           if (p < 0) {
                             r.finish(node);
                           } else {
                             (p == 0 ? tiles.first : tiles.later)[tile] = node;
                           }
                         });
                       });
}

/// A team per tile: sums the segments and pieces that begin in it.
template <class Tiles>
struct team_tiles {
  using S = typename Tiles::segments_type;
  using R = typename S::reduction;
  using piece = team_piece<R>;
  struct memory {
    typename piece::memory piece_memory;
    std::int64_t found[impl::stripes_per_leaf];
    KOKKOS_FUNCTION memory() {}
  };

  Tiles tiles;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto& m = *static_cast<memory*>(team.team_scratch(0).get_shmem_aligned(sizeof(memory), 16));
    const auto find = [&](std::int64_t leaf, const auto& sum) {
      const S& s = tiles.segments;
      const std::int64_t low = s.last_begun(leaf - 1, -1, s.count);
      const std::int64_t high = s.last_begun(leaf + S::leaf, low, s.count);
      if (low == high) return;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int(impl::stripes_per_leaf)), [&](int j) {
        m.found[j] = tiles.segment_beginning_in(leaf, j, low, high);
      });
      team.team_barrier();
      for (int j = 0; j < impl::stripes_per_leaf; ++j)
        if (m.found[j] >= 0) sum(m.found[j]);
      team.team_barrier();
    };
    sum_tile_by_team(team, tiles, m.piece_memory, find);
  }
};

/// The engine of launch_segments_by.
template <class R>
struct team_segments {
  using node = typename team_piece<R>::node;
  static constexpr std::int64_t min_leaves = 1;

  template <class S>
  static short_segments<S> short_kernel(const S& s) {
    return {s};
  }

  template <class Exec, class Tiles>
  static void launch(const Exec& exec, const char* label, const Tiles& tiles) {
    const team_tiles<Tiles> kernel{tiles};
    const auto scratch = Kokkos::PerTeam(int(sizeof(typename team_tiles<Tiles>::memory)) + 16);
    const int league = int(tiles.count);
    if constexpr (team_piece<R>::max_team_size == 0) {
      Kokkos::TeamPolicy<Exec> policy(exec, league, Kokkos::AUTO);
      Kokkos::parallel_for(label, policy.set_scratch_size(0, scratch), kernel);
    } else {
      Kokkos::TeamPolicy<Exec> any(exec, league, 1);
      any.set_scratch_size(0, scratch);
      const int size = any.team_size_max(kernel, Kokkos::ParallelForTag{});
      Kokkos::TeamPolicy<Exec> policy(exec, league, std::min(size, team_piece<R>::max_team_size));
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
