// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CRS_TRANSPOSE_HPP
#define ACC_BACKENDS_CRS_TRANSPOSE_HPP

/// \file
/// The transpose of a CRS matrix, in the workspace. A column's entries become a row, in the order
/// that they have in the matrix: so the order of a sum does not depend on who transposes. Work
/// items put entries into their rows in any order, and then a work item sorts a row by heapsort.

#include <acc/backends/segment_offsets.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace acc::backends {

/// A matrix whose arrays are in the workspace until the next call.
template <class T>
struct transposed_crs {
  std::int64_t* row_map;
  std::int64_t* entries;
  T* values;
  std::int64_t size;
};

/// Counts the entries of columns. Entries beyond the last row belong to no row.
template <class A>
struct count_columns {
  A a;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (k < std::int64_t(a.row_map[0])) return;
    if (k >= std::int64_t(a.row_map[a.rows * a.row_map_stride])) return;
    Kokkos::atomic_add(&counts[std::int64_t(a.entries[k * a.entry_stride])], std::int64_t(1));
  }
};
/// Puts the numbers of entries into their columns; counts go back to 0.
template <class A>
struct put_into_columns {
  A a;
  std::int64_t *counts, *row_map, *places;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (k < std::int64_t(a.row_map[0])) return;
    if (k >= std::int64_t(a.row_map[a.rows * a.row_map_stride])) return;
    const auto column = std::int64_t(a.entries[k * a.entry_stride]);
    const std::int64_t rest = Kokkos::atomic_fetch_add(&counts[column], std::int64_t(-1));
    places[row_map[column] + rest - 1] = k;
  }
};
/// Sorts the numbers of a column's entries.
struct sort_column {
  const std::int64_t* row_map;
  std::int64_t* places;

  KOKKOS_FUNCTION void operator()(std::int64_t column) const {
    std::int64_t* const v = places + row_map[column];
    const std::int64_t n = row_map[column + 1] - row_map[column];
    for (std::int64_t i = n / 2 - 1; i >= 0; --i) sift(v, i, n);
    for (std::int64_t end = n - 1; end > 0; --end) {
      const std::int64_t largest = v[0];
      v[0] = v[end];
      v[end] = largest;
      sift(v, 0, end);
    }
  }

 private:
  KOKKOS_FUNCTION static void sift(std::int64_t* v, std::int64_t at, std::int64_t n) {
    const std::int64_t x = v[at];
    while (2 * at + 1 < n) {
      std::int64_t child = 2 * at + 1;
      if (child + 1 < n && v[child + 1] > v[child]) ++child;
      if (v[child] <= x) break;
      v[at] = v[child];
      at = child;
    }
    v[at] = x;
  }
};
/// Makes of an entry's number its row and its value.
template <class A>
struct take_entries {
  A a;
  const std::int64_t* size;
  std::int64_t* places;
  typename A::value* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i >= *size) return;
    const std::int64_t k = places[i];
    values[i] = a.values[k * a.value_stride];
    std::int64_t low = 0, high = a.rows - 1;  // the last row that begins at k or before
    while (low < high) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      if (std::int64_t(a.row_map[middle * a.row_map_stride]) <= k)
        low = middle;
      else
        high = middle - 1;
    }
    places[i] = low;
  }
};
/// Lengths for find_offsets_of_lengths.
struct column_counts {
  const std::int64_t* counts;
  std::int64_t size;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return counts[i]; }
  std::int64_t extent(int) const { return size; }
};

/// Enqueues the transposition of a, a matrix as acc::impl::crs_views, on exec. Any order: of a
/// column's entries no order is needed.
template <class Exec, class A>
transposed_crs<typename A::value> transposed(const Exec& exec, workspace<Exec>& memory,
                                             const char* label, const A& a, bool any_order) {
  using T = typename A::value;
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t n = a.columns, size = a.rows == 0 ? 0 : a.size;
  const std::size_t offsets_bytes = aligned_size(std::size_t(n + 1) * sizeof(std::int64_t)),
                    counts_bytes = aligned_size(std::size_t(n) * sizeof(std::int64_t)),
                    places_bytes = aligned_size(std::size_t(size) * sizeof(std::int64_t));
  auto* const bytes = static_cast<std::byte*>(memory.scatter_memory(
      offsets_bytes + counts_bytes + places_bytes + std::size_t(size) * sizeof(T)));
  transposed_crs<T> t{reinterpret_cast<std::int64_t*>(bytes),
                      reinterpret_cast<std::int64_t*>(bytes + offsets_bytes + counts_bytes),
                      reinterpret_cast<T*>(bytes + offsets_bytes + counts_bytes + places_bytes),
                      size};
  auto* const counts = reinterpret_cast<std::int64_t*>(bytes + offsets_bytes);
  fill_with_zeros(exec, label, bytes, offsets_bytes + counts_bytes);
  if (size == 0 || n == 0) return t;
  Kokkos::parallel_for(label, range(exec, 0, size), count_columns<A>{a, counts});
  find_offsets_of_lengths(exec, label, column_counts{counts, n}, t.row_map);
  Kokkos::parallel_for(label, range(exec, 0, size),
                       put_into_columns<A>{a, counts, t.row_map, t.entries});
  if (!any_order) Kokkos::parallel_for(label, range(exec, 0, n), sort_column{t.row_map, t.entries});
  Kokkos::parallel_for(label, range(exec, 0, size),
                       take_entries<A>{a, t.row_map + n, t.entries, t.values});
  return t;
}

}  // namespace acc::backends

#endif
