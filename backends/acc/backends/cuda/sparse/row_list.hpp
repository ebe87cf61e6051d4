// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SPARSE_ROW_LIST_HPP
#define ACC_BACKENDS_CUDA_SPARSE_ROW_LIST_HPP

/// \file
/// The list of rows that the first kernel of a sparse product leaves to the second.

#include <acc/backends/cuda/tuning.hpp>
#include <acc/backends/cuda/warp.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::cuda {

/// Rows that another kernel sums: leaves of long rows from the first place on, where those of a row
/// are neighbors, and short rows from the last place back. So the kernel can begin with what takes
/// longest.
template <class Node>
struct row_list {
  /// A leaf of a long row, or a short row.
  struct piece {
    std::int64_t row;
    std::int64_t first;  ///< entry
    int size;            ///< in entries
    int number;          ///< among the row's leaves
  };

  unsigned *leaves_of_long_rows, *short_rows;  ///< counts
  unsigned* arrived;  ///< of a leaf of a long row: a counter of nodes that are there
  piece* pieces;
  unsigned places;
  Node* nodes;  ///< of a leaf, where its row has several

  __device__ const piece& short_row(unsigned k) const { return pieces[places - 1 - k]; }

  /// Row i, entries [begin, end), by a warp. Leaf, Short: entries of a leaf, and of a short row at
  /// most.
  template <int Leaf, int Short>
  __device__ void add(std::int64_t i, std::int64_t begin, std::int64_t end, int lane_id) const {
    static_assert(Short <= Leaf);
    const std::int64_t size = end - begin;
    if (size <= Short) {
      if (lane_id == 0)
        pieces[places - 1 - Kokkos::atomic_fetch_add(short_rows, 1u)] = {i, begin, int(size), 0};
      return;
    }
    const std::int64_t count = (size + Leaf - 1) / Leaf;
    unsigned place = 0;
    if (lane_id == 0) place = Kokkos::atomic_fetch_add(leaves_of_long_rows, unsigned(count));
    place = __shfl_sync(full_warp, place, 0);
    for (std::int64_t k = lane_id; k < count; k += warp_size) {
      const std::int64_t before = k * Leaf, left = size - before;
      pieces[place + k] = {i, begin + before, left < Leaf ? int(left) : Leaf, int(k)};
    }
  }
};

/// Entries of a listed row that a warp sums, at most.
template <class S>
inline constexpr int listed_by_warp = tuning::stripes_of_warp * int(S::stripe);

}  // namespace acc::backends::cuda

#endif
