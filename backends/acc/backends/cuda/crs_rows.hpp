// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_CRS_ROWS_HPP
#define ACC_BACKENDS_CUDA_CRS_ROWS_HPP

/// \file
/// Products of CRS matrices with a vector on NVIDIA GPUs, in canonical order.
///
///   rows of            are summed
///   a few entries      by a thread each, in place, if all rows of its warp are so (staged_rows)
///   a stripe or less   by a thread each, from shared memory (staged_rows), or where rows have more
///                      entries, or complex ones, by some threads of a warp, which has several of
///                      them at once (packed_rows), for sums of two numbers those of about the
///                      same length (sorted_rows)
///   somewhat more      by that warp, one after the other, or, where lists_all, as longer ones
///   more than that     by another kernel (listed_rows), those of a few stripes by a warp each,
///                      leaves of others by a team each. The first kernel lists them, as the row
///                      map is known to the device alone. In which order they are listed changes no
///                      bit: a row's leaves are joined in the row's own tree.

#include <acc/backends/cuda/sparse/listed_rows.hpp>
#include <acc/backends/cuda/sparse/row_list.hpp>
#include <acc/backends/cuda/sparse/short_rows.hpp>
#include <acc/backends/cuda/sparse/warp_row.hpp>
#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/generic/crs_rows.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace acc::backends::cuda {

/// Kernel: packed_rows or sorted_rows.
template <class Kernel, class Exec, class S>
void launch_rows(const Exec& exec, const char* label, const warp_row<S>& row,
                 const row_list<typename warp_row<S>::node>& list, std::int64_t longest) {
  const std::int64_t warps = (row.rows.count + Kernel::in_warp - 1) / Kernel::in_warp;
  Kokkos::parallel_for(label, typename Kernel::template policy<Exec>(exec, 0, warps * warp_size),
                       Kernel{{row, list, longest}});
}
template <class Exec, class S>
void launch_staged_rows(const Exec& exec, const char* label, const warp_row<S>& row,
                        const row_list<typename warp_row<S>::node>& list, std::int64_t longest) {
  using kernel = staged_rows<S>;
  // 16 more bytes of smem: its first place is aligned.
  const int capacity = kernel::capacity_for(row.rows.size() / row.rows.count + 1);
  const std::int64_t teams = (row.rows.count + kernel::in_team - 1) / kernel::in_team;
  Kokkos::parallel_for(label,
                       typename kernel::template policy<Exec>(exec, int(teams), kernel::in_team, 1)
                           .set_scratch_size(0, Kokkos::PerTeam(kernel::bytes(capacity) + 16)),
                       kernel{{row, list, longest}, capacity});
}

template <class Exec, class S>
void launch_listed_rows(const Exec& exec, const char* label, const warp_row<S>& row,
                        const row_list<typename warp_row<S>::node>& list) {
  using kernel = listed_rows<S>;
  constexpr int teams_per_sm =
      tuning::rounds_of_listed_rows * tuning::warps_of_listed_rows / kernel::warps;
  const auto teams = int(std::min<std::int64_t>(
      list.places, teams_per_sm * exec.cuda_device_prop().multiProcessorCount));
  // 16 more bytes of smem: its first place is aligned.
  Kokkos::parallel_for(label,
                       typename kernel::template policy<Exec>(exec, teams, kernel::threads, 1)
                           .set_scratch_size(0, Kokkos::PerTeam(kernel::bytes + 16)),
                       kernel{row, list});
}

/// An empty list in the workspace, for rows of more than `longest` elements.
template <class Exec, class S>
row_list<typename warp_row<S>::node> list_of_rows(const Exec& exec, workspace<Exec>& memory,
                                                  const char* label, const S& s,
                                                  std::int64_t longest) {
  using node = typename warp_row<S>::node;
  using piece = typename row_list<node>::piece;
  // A row of n leaves has more entries than it could have without being listed for each, or n - 1
  // whole leaves and n < 2n - 1.
  const auto most = [&](std::int64_t unlisted) {
    return std::size_t(std::max(s.size() / unlisted, 2 * s.size() / S::leaf));
  };
  const std::size_t places = most(longest);
  const std::size_t leaves = most(std::max<std::int64_t>(longest, listed_by_warp<S>));
  const std::size_t counters = aligned_size((2 + leaves) * sizeof(unsigned));
  const std::size_t pieces = aligned_size(places * sizeof(piece));
  auto* const bytes = memory.list_memory(counters + pieces + leaves * sizeof(node));
  auto* const count = reinterpret_cast<unsigned*>(bytes);
  fill_with_zeros(exec, label, bytes, counters);
  return {.leaves_of_long_rows = count,
          .short_rows = count + 1,
          .arrived = count + 2,
          .pieces = reinterpret_cast<piece*>(bytes + counters),
          .places = unsigned(places),
          .nodes = reinterpret_cast<node*>(bytes + counters + pieces)};
}

/// Enqueues the products on exec.
template <class Exec, class S>
void crs_rows(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  // Matrices are contiguous. Others have generic kernels, and x of such strides.
  constexpr std::int64_t element_bytes = sizeof(typename S::element);
  if (s.values.stride != S::components || s.x.index_stride != 1 ||
      std::abs(s.x.stride) > std::numeric_limits<int>::max() / element_bytes)
    return generic::crs_rows(exec, memory, label, s);
  const warp_row<S> row{s, int(s.x.stride * element_bytes)};
  constexpr auto shape = tuning::staged_shape_of(S::reduction::accumulator::components);
  const bool are_staged = S::components == 1 && s.size() <= shape.most_entries * s.count;
  const std::int64_t groups = s.size() * S::components / (s.count * S::reduction::width);
  constexpr bool sorts = S::components == 1 && S::reduction::accumulator::components > 1;
  const int threads = are_staged                    ? 1
                      : groups <= (sorts ? 32 : 16) ? 4
                      : groups <= 32                ? 8
                                                    : warp_size;
  // Where most rows are long, the first kernel has enough warps for them.
  const std::int64_t longest =
      lists_all<S>(threads)
          ? std::int64_t(S::stripe)
          : std::clamp<std::int64_t>(tuning::mean_rows_unlisted * (s.size() / s.count),
                                     tuning::stripes_unlisted * S::stripe, S::leaf);
  const bool may_list = s.size() > longest;
  row_list<typename warp_row<S>::node> list{};
  if (may_list) list = list_of_rows(exec, memory, label, s, longest);
  if (are_staged) {
    if constexpr (S::components == 1) launch_staged_rows(exec, label, row, list, longest);
  } else if (threads == 4) {
    if constexpr (sorts)
      launch_rows<sorted_rows<S>>(exec, label, row, list, longest);
    else
      launch_rows<packed_rows<S, 4>>(exec, label, row, list, longest);
  } else if (threads == 8) {  // sorted rows have four
    if constexpr (!sorts) launch_rows<packed_rows<S, 8>>(exec, label, row, list, longest);
  } else
    launch_rows<packed_rows<S, warp_size>>(exec, label, row, list, longest);
  if (may_list) launch_listed_rows(exec, label, row, list);
}

}  // namespace acc::backends::cuda

#endif
