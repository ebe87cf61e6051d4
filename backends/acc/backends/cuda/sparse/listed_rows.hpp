// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SPARSE_LISTED_ROWS_HPP
#define ACC_BACKENDS_CUDA_SPARSE_LISTED_ROWS_HPP

/// \file
/// The second kernel of a sparse product: the rows of the list.

#include <acc/backends/cuda/sparse/row_list.hpp>
#include <acc/backends/cuda/sparse/warp_row.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/cuda/warp_arrival.hpp>
#include <acc/core/order/canonical_order.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace acc::backends::cuda {

/// What is listed. One warp would take most of the kernel's time for a leaf, so a team has it: a
/// thread adds a lane's numbers, or those of the two lanes of complex ones. The last team to sum a
/// leaf of a group of a row's leaves joins the group, and the last of these the groups. Then a warp
/// has one short row after the other.
template <class S>
struct listed_rows : warp_row<S> {
  using base = warp_row<S>;
  using base::width;
  using typename base::Acc, typename base::R, typename base::element, typename base::node,
      typename base::ordinal, typename base::row, typename base::sums, typename base::terms;
  static constexpr int parts = S::components;
  static constexpr int threads = int(S::stripe), warps = threads / warp_size;  ///< of a team
  static constexpr std::int64_t group_size = tuning::pieces_of_group;
  /// Stripes of a leaf that are loaded at once.
  static constexpr int together = tuning::listed_stripes_in_flight / parts;
  static_assert(threads % warp_size == 0);

  using lane_sums = Acc[terms::sums];
  static constexpr std::size_t bytes = threads * parts * sizeof(lane_sums);  ///< of smem

  template <class Exec>
  using policy =
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tuning::warps_of_listed_rows * warp_size, 1>>;

  row_list<node> list;

  template <class Team>
  __device__ void operator()(const Team& team) const {
    const int lane_id = team.team_rank() % warp_size;
    auto* const lanes = static_cast<lane_sums*>(
        team.team_scratch(0).get_shmem_aligned(std::size_t{bytes}, sizeof(Acc)));
    const unsigned teams = unsigned(team.league_size()), own = unsigned(team.league_rank());
    const unsigned leaves = *list.leaves_of_long_rows, count = *list.short_rows;
    for (unsigned k = own; k < leaves; k += teams) {
      const auto leaf = list.pieces[k];
      const sums s = sum_leaf_by_team(team, lanes, this->row_from(leaf.first, leaf.size));
      if (team.team_rank() < warp_size) join_leaf(leaf, k, s, lane_id);
    }
    const unsigned step = teams * warps;
    unsigned k = own * warps + unsigned(team.team_rank() / warp_size);
    if (k >= count) return;
    auto next = list.short_row(k);
    for (; k < count; k += step) {
      const auto of_row = next;
      next = list.short_row(k + step < count ? k + step : k);  // is there when this one is summed
      const sums s = this->template sum_leaf<tuning::row_groups_in_flight>(
          this->row_from(of_row.first, of_row.size), lane_id);
      if (lane_id == 0) this->finish(of_row.row, of_row.first, of_row.first + of_row.size, s);
    }
  }

 private:
  /// A leaf's sums, in the first warp's lane 0. lanes: smem.
  template <class Team>
  __device__ sums sum_leaf_by_team(const Team& team, lane_sums* lanes, const row& r) const {
    constexpr int step = together * int(R::stripe);
    const int own = team.team_rank() * parts;
    Acc lane[parts][terms::sums];
    int first = 0;
    ACC_NO_UNROLL for (; first + step <= r.size; first += step)
        deposit_stripes<true>(lane, r, first, own);
    if (first < r.size) deposit_stripes<false>(lane, r, first, own);
    ACC_UNROLL for (int c = 0; c < parts; ++c) {
      ACC_UNROLL for (int s = 0; s < terms::sums; ++s) lanes[own + c][s] = lane[c][s];
    }
    team.team_barrier();
    sums total;
    if (team.team_rank() < warp_size) {
      Acc group[width][terms::sums];
      ACC_UNROLL for (int j = 0; j < width; ++j) {
        ACC_UNROLL for (int s = 0; s < terms::sums; ++s) group[j][s] =
            lanes[team.team_rank() * width + j][s];
      }
      total = base::template combine_threads<warp_size>(impl::combine_lanes<Acc, R>(group));
    }
    team.team_barrier();
    return total;
  }
  /// A thread's numbers of some stripes from `first` on. No load has a condition, so that all are
  /// under way together: threads without a number read the last one.
  template <bool IsWhole>
  __device__ void deposit_stripes(Acc (&lane)[parts][terms::sums], const row& r, int first,
                                  int own) const {
    constexpr int stripe = int(R::stripe);
    element a[together][parts], b[together][parts];
    ordinal column[together];
    ACC_UNROLL for (int k = 0; k < together; ++k) {
      const int at = first + k * stripe + own, last = r.size - parts;
      const int e = IsWhole || at < last ? at : last;
      column[k] = this->load_once(r.index + e / parts);
      ACC_UNROLL for (int c = 0; c < parts; ++c) a[k][c] = this->load_once(r.values + e + c);
    }
    ACC_UNROLL for (int k = 0; k < together; ++k) {
      const element* const x = this->x_at(column[k]);
      ACC_UNROLL for (int c = 0; c < parts; ++c) b[k][c] = x[c];
    }
    ACC_UNROLL for (int k = 0; k < together; ++k) {
      const int at = first + k * stripe;
      // A stripe that the row has, for all threads.
      if (IsWhole || at < r.size) {
        const bool is_there = IsWhole || at + own < r.size;
        ACC_UNROLL for (int c = 0; c < parts; ++c) {
          if (!is_there) a[k][c] = impl::padding<element>::x, b[k][c] = impl::padding<element>::y;
        }
        ACC_UNROLL for (int c = 0; c < parts; ++c)
            terms::deposit(lane[c], a[k][c], b[k][c], b[k][parts - 1 - c], c);
      }
    }
  }
  /// Of the leaf at place k, by a warp, whose lane 0 has its sums.
  __device__ void join_leaf(const typename row_list<node>::piece& leaf, unsigned k, const sums& s,
                            int lane_id) const {
    const std::int64_t begin = this->rows.offset(leaf.row), end = this->rows.offset(leaf.row + 1);
    const bool is_alone = end - begin <= S::leaf;
    if (lane_id == 0) {
      const node n = this->node_of_leaf(leaf.row, leaf.first, leaf.first + leaf.size, s);
      if (is_alone)
        this->rows.of(leaf.row, begin, end).finish(n);
      else
        list.nodes[k] = n;
    }
    if (!is_alone) join(leaf.row, begin, end, k - unsigned(leaf.number), leaf.number, lane_id);
  }
  /// first: the place of the row's first leaf.
  __device__ void join(std::int64_t i, std::int64_t begin, std::int64_t end, std::int64_t first,
                       std::int64_t number, int lane_id) const {
    const std::int64_t leaves = (end - begin + S::leaf - 1) / S::leaf;
    const std::int64_t groups = (leaves + group_size - 1) / group_size;
    const std::int64_t start = number / group_size * group_size;
    const std::int64_t in_group = leaves - start < group_size ? leaves - start : group_size;
    // A group's counter is at its first leaf, that of groups at the row's second one.
    if (!warp_arrives_last(list.arrived + first + start, in_group, lane_id)) return;
    join_nodes(list.nodes + first + start, 1, in_group, lane_id);
    if (groups > 1) {
      if (!warp_arrives_last(list.arrived + first + 1, groups, lane_id)) return;
      join_nodes(list.nodes + first, group_size, groups, lane_id);
    }
    if (lane_id == 0) this->rows.of(i, begin, end).finish(list.nodes[first]);
  }
  /// The tree of leaf_tree over nodes[0], nodes[step], ..., into the first.
  __device__ static void join_nodes(node* nodes, std::int64_t step, std::int64_t count,
                                    int lane_id) {
    for (std::int64_t stride = 1; stride < count; stride *= 2) {
      for (std::int64_t k = 2 * stride * lane_id; k + stride < count; k += 2 * stride * warp_size)
        nodes[k * step].merge(nodes[(k + stride) * step]);
      __syncwarp();
    }
  }
};

}  // namespace acc::backends::cuda

#endif
