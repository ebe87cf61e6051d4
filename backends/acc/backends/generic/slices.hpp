// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_SLICES_HPP
#define ACC_BACKENDS_GENERIC_SLICES_HPP

/// \file
/// Reductions of columns and along axes. A slice of at most a stripe of the canonical order is
/// summed by one work item. Of longer ones a team sums a piece, which is a subtree of leaves: where
/// neighbors are interleaved in memory, of a block of them at once, so that neighboring threads
/// read neighboring numbers. Sums without an order: a work item has some elements of a slice.
/// Where slices have several pieces, a second launch combines these.

#include <acc/backends/workspace.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/guarded.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/segments.hpp>
#include <acc/core/order/slices.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace acc::backends::generic {

/// A work item per slice of at most a stripe.
template <class S>
struct short_slices {
  S slices;

  KOKKOS_FUNCTION void operator()(std::int64_t s) const { impl::sum_short_segment(slices.of(s)); }
};

/// Combines the pieces of each slice: in canonical order, or where there is none in ascending
/// order, which needs less memory.
template <class S, class Node>
struct slice_pieces {
  S slices;
  const Node* nodes;  ///< of slice s: from s * pieces on
  std::int64_t pieces;

  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    const Node* const node = nodes + s * pieces;
    if constexpr (impl::is_order_free<typename S::reduction::method>) {
      Node sum = node[0];
      for (std::int64_t p = 1; p < pieces; ++p) sum.merge(node[p]);
      slices.of(s).finish(sum);
    } else {
      Node waiting[24];  // more pieces than memory has nodes
      impl::leaf_tree<Node> tree(waiting);
      for (std::int64_t p = 0; p < pieces; ++p) tree.push(node[p]);
      slices.of(s).finish(tree.root());
    }
  }
};

/// What a team shares while it sums leaves of Block neighboring slices.
template <class R, int Block>
struct slices_memory {
  static constexpr int results = R::terms::results;
  /// A tree of 16 levels takes 2^16 - 1 leaves. A piece has at most max_leaves_of_piece.
  static constexpr int max_levels = 16;
  using Acc = typename R::accumulator;
  using sums = typename R::leaf_sums;
  static constexpr impl::guard guarded =
      R::guarded == impl::guard::none ? impl::guard::sums : R::guarded;
  template <impl::range Range>
  using rescaled_sums = impl::sums<impl::rescaled<Acc, guarded, Range>, results>;

  union groups_union {
    sums plain[impl::groups_per_stripe * Block];
    rescaled_sums<impl::range::huge> rescaled[impl::groups_per_stripe * Block];
    KOKKOS_FUNCTION groups_union() {}
  } groups;
  sums of_leaf[Block];
  rescaled_sums<impl::range::huge> huge[Block];
  rescaled_sums<guarded == impl::guard::squares ? impl::range::tiny : impl::range::huge>
      tiny[Block];
  bool looks_huge[Block], looks_tiny[Block];
  typename R::leaf_node waiting[Block][max_levels];

  KOKKOS_FUNCTION slices_memory() {}
};

/// Neighbors that a team takes at once: 128 bytes of float or double, and of wide accumulators
/// fewer, for Kokkos's 32 KiB of scratch memory on hosts.
template <class R>
inline constexpr int slices_at_once = int(std::bit_floor(std::max<std::size_t>(
    1, std::min<std::size_t>(
           16, (8 << 10) / (impl::groups_per_stripe * sizeof(typename R::leaf_sums))))));

/// How a thread sums a group of a leaf.
struct group_by_elements {
  template <class Acc, class R>
  KOKKOS_FUNCTION static auto sum(const R& r, std::int64_t leaf, int group) {
    return impl::sum_group<Acc>(r, leaf, group);
  }
};

/// GroupSum: as group_by_elements.
template <class S, int Block, class GroupSum = group_by_elements>
struct team_slices {
  using R = typename S::reduction;
  using node = typename R::leaf_node;
  using memory = slices_memory<R, Block>;
  static_assert(sizeof(memory) <= 32000);

  S slices;
  std::int64_t leaves, leaves_per_piece, pieces, items;
  node* nodes;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto& m = *static_cast<memory*>(team.team_scratch(0).get_shmem_aligned(sizeof(memory), 16));
    // Teams that run together have neighbors: together they read whole lines of memory.
    const std::int64_t blocks = items / pieces;
    for (std::int64_t item = team.league_rank(); item < items; item += team.league_size())
      sum_piece(team, m, slices.block_at(item % blocks, Block), item / blocks);
  }

 private:
  using tree = impl::leaf_tree<node>;

  template <class Team>
  KOKKOS_FUNCTION void sum_piece(const Team& team, memory& m, const typename S::block& block,
                                 std::int64_t piece) const {
    const std::int64_t first = piece * leaves_per_piece;
    const std::int64_t end = first + leaves_per_piece < leaves ? first + leaves_per_piece : leaves;
    for (std::int64_t leaf = first; leaf < end; ++leaf)
      add_leaf(team, m, block, leaf, leaf - first);
    each(team, block.count, [&](int b) {
      const node root = tree(m.waiting[b], std::uint64_t(end - first)).root();
      if (pieces == 1)
        slices.of(block.first + b).finish(root);
      else
        nodes[(block.first + b) * pieces + piece] = root;
    });
  }
  template <class Team, class F>
  KOKKOS_FUNCTION static void each(const Team& team, int count, const F& f) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), f);
    team.team_barrier();
  }
  /// The sums of a leaf of each slice, to `to`.
  template <class Acc, class Team, class Sums>
  KOKKOS_FUNCTION void pass(const Team& team, memory& m, const typename S::block& block,
                            std::int64_t leaf, Sums* to) const {
    using sums = impl::sums<Acc, R::terms::results>;
    static_assert(sizeof(sums[impl::groups_per_stripe * Block]) <= sizeof(m.groups));
    sums* const groups = reinterpret_cast<sums*>(&m.groups);
    each(team, impl::groups_per_stripe * block.count, [&](int n) {
      const int g = n / block.count, b = n - g * block.count;
      groups[g * Block + b] = GroupSum::template sum<Acc>(slices.of(block.first + b), leaf, g);
    });
    for (int stride = impl::groups_per_stripe / 2; stride > 0; stride /= 2)
      each(team, stride * block.count, [&](int n) {
        const int g = n / block.count, b = n - g * block.count;
        groups[g * Block + b].merge(groups[(g + stride) * Block + b]);
      });
    each(team, block.count, [&](int b) { to[b] = groups[b]; });
  }
  /// Whether any of the block's slices has this mark: the same for all threads.
  KOKKOS_FUNCTION static bool any(const bool* mark, int count) {
    bool found = false;
    for (int b = 0; b < count; ++b) found = found || mark[b];
    return found;
  }
  template <class Team>
  KOKKOS_FUNCTION void add_leaf(const Team& team, memory& m, const typename S::block& block,
                                std::int64_t leaf, std::int64_t leaves_before) const {
    using Acc = typename R::accumulator;
    pass<Acc>(team, m, block, leaf, m.of_leaf);
    if constexpr (R::guarded != impl::guard::none) {
      each(team, block.count, [&](int b) {
        const impl::range_check<R> check(m.of_leaf[b]);
        m.looks_huge[b] = check.huge;
        m.looks_tiny[b] = check.tiny;
      });
      if (any(m.looks_huge, block.count))
        pass<impl::rescaled<Acc, R::guarded, impl::range::huge>>(team, m, block, leaf, m.huge);
      if constexpr (R::guarded == impl::guard::squares)
        if (any(m.looks_tiny, block.count))
          pass<impl::rescaled<Acc, R::guarded, impl::range::tiny>>(team, m, block, leaf, m.tiny);
    }
    each(team, block.count, [&](int b) {
      const auto& s = m.of_leaf[b];
      const node n = impl::make_node<R>(s, impl::range_check<R>(s), second_look{m, b});
      tree(m.waiting[b], std::uint64_t(leaves_before)).push(n);
    });
  }
  struct second_look {
    const memory& m;
    int b;
    template <impl::range Range>
    KOKKOS_FUNCTION auto operator()(
        impl::rescaled<typename R::accumulator, R::guarded, Range>) const {
      if constexpr (Range == impl::range::huge)
        return m.huge[b];
      else
        return m.tiny[b];
    }
  };
};

/// How slices are divided: into pieces of so many leaves, a power of two, except the last.
struct slice_division {
  std::int64_t leaves_per_piece, pieces;
};

/// The leaves that a piece may have: 2^15 where their nodes wait in a tree of 16 levels, and any
/// where sums have no order.
template <class Node>
inline constexpr std::int64_t max_leaves_of_piece = std::int64_t(1) << 62;
template <class Acc, impl::guard Guard, int N>
inline constexpr std::int64_t max_leaves_of_piece<impl::sums<impl::node<Acc, Guard>, N>> =
    std::int64_t(1) << 15;

/// The nodes of pieces that memory has room for.
template <class Node>
inline constexpr std::int64_t most_pieces = std::int64_t(nodes_bytes / sizeof(Node));

/// Whether there is room for the pieces of so many slices, where no piece has too many leaves. If
/// not, the numbers are more than any machine's memory has: slices share them, by strides of 0.
template <class Node>
constexpr bool have_room_for_pieces(std::int64_t count, std::int64_t leaves) {
  constexpr std::int64_t most = max_leaves_of_piece<Node>;
  return leaves <= most || (leaves - 1) / most + 1 <= most_pieces<Node> / count;
}

/// Pieces of at least so many leaves, so that about `enough` blocks of slices, which are summed at
/// once, have one; no more than have room (have_room_for_pieces). Sums without an order: tiles
/// count as leaves.
template <class Node>
slice_division divided_slices(std::int64_t count, std::int64_t blocks, std::int64_t leaves,
                              std::int64_t min_leaves, std::int64_t enough) {
  constexpr std::int64_t max_leaves = max_leaves_of_piece<Node>;
  leaves = std::max<std::int64_t>(leaves, 1);  // an empty slice has one piece, too
  const std::int64_t room = std::max<std::int64_t>(1, most_pieces<Node> / count);
  const std::int64_t wanted =
      std::min({(enough + blocks - 1) / blocks, (leaves + min_leaves - 1) / min_leaves, room});
  const auto per_piece = std::int64_t(std::bit_ceil(std::uint64_t((leaves + wanted - 1) / wanted)));
  const std::int64_t n = std::min(per_piece, max_leaves);
  return {n, (leaves + n - 1) / n};
}

/// Sums the pieces of s, Block neighboring slices at once; team_size: or Kokkos::AUTO. The nodes of
/// pieces are left in memory where there are several.
template <int Block, class GroupSum, class Policy, class Exec, class S, class TeamSize>
slice_division sum_pieces_by_teams(const Exec& exec, workspace<Exec>& memory, const char* label,
                                   const S& s, std::int64_t min_leaves, std::int64_t enough,
                                   TeamSize team_size) {
  using kernel = team_slices<S, Block, GroupSum>;
  using node = typename kernel::node;
  const std::int64_t leaves = s.of(0).leaves(), blocks = s.blocks(Block);
  const slice_division d = divided_slices<node>(s.count, blocks, leaves, min_leaves, enough);
  node* const nodes = d.pieces == 1 ? nullptr : reinterpret_cast<node*>(memory.nodes());
  const auto scratch = Kokkos::PerTeam(int(sizeof(typename kernel::memory)) + 16);
  const kernel k{s, leaves, d.leaves_per_piece, d.pieces, blocks * d.pieces, nodes};
  Policy policy(exec, int(std::min(k.items, max_league_size)), team_size);
  Kokkos::parallel_for(label, policy.set_scratch_size(0, scratch), k);
  return d;
}

template <int Block, class Exec, class S>
void launch_team_slices(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  using node = typename S::reduction::leaf_node;
  // Teams enough for any device.
  const slice_division d = sum_pieces_by_teams<Block, group_by_elements, Kokkos::TeamPolicy<Exec>>(
      exec, memory, label, s, 4, 4096, Kokkos::AUTO);
  if (d.pieces > 1)
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, s.count),
        slice_pieces<S, node>{s, reinterpret_cast<const node*>(memory.nodes()), d.pieces});
}

/// Sums without an order: part p of a slice is every parts-th element from p on. Of neighbors that
/// are interleaved the same part is next, of others the next part: so neighboring work items read
/// neighboring numbers.
template <class S>
struct order_free_slices {
  using R = typename S::reduction;
  using total = typename R::total;

  S slices;
  std::int64_t parts;
  bool neighbors_first;
  total* totals;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const std::int64_t s = neighbors_first ? item % slices.count : item / parts;
    const std::int64_t part = neighbors_first ? item / slices.count : item % parts;
    const R r = slices.of(s);
    total sum;
    for (std::int64_t k = part; k < r.x.size; k += parts) r.deposit(sum, k);
    if (parts == 1)
      r.finish(sum);
    else
      totals[s * parts + part] = sum;
  }
};

template <class Exec, class S>
void launch_order_free_slices(const Exec& exec, workspace<Exec>& memory, const char* label,
                              const S& s) {
  using kernel = order_free_slices<S>;
  using total = typename kernel::total;
  const std::int64_t most =
      std::max<std::int64_t>(1, std::int64_t(nodes_bytes / sizeof(total)) / s.count);
  const std::int64_t parts =
      std::max<std::int64_t>(1, std::min<std::int64_t>(most, (s.x.size + 15) / 16));
  total* const totals = parts == 1 ? nullptr : reinterpret_cast<total*>(memory.nodes());
  using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, policy(exec, 0, s.count * parts),
                       kernel{s, parts, s.are_interleaved(), totals});
  if (parts > 1)
    Kokkos::parallel_for(label, policy(exec, 0, s.count), slice_pieces<S, total>{s, totals, parts});
}

/// Enqueues s on exec.
template <class Exec, class S>
void slices(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  using R = typename S::reduction;
  if constexpr (impl::is_order_free<typename R::method>) {
    launch_order_free_slices(exec, memory, label, s);
  } else if (s.x.size <= R::stripe) {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, s.count),
        short_slices<S>{s});
  } else if (s.are_interleaved()) {
    launch_team_slices<slices_at_once<R>>(exec, memory, label, s);
  } else {
    launch_team_slices<1>(exec, memory, label, s);
  }
}

}  // namespace acc::backends::generic

#endif
