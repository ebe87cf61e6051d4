// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_SCAN_HPP
#define ACC_BACKENDS_SCAN_HPP

/// \file
/// Prefix sums: a total for each chunk of the vector, prefixes of the totals, then the prefixes
/// within each chunk (reduce, then scan). A chunk belongs to one work item; with one chunk, all is
/// one pass. On GPUs compensated chunks belong to teams (generic_scan.hpp).

#include <acc/backends/generic_scan.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/prefix_scan.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace acc::backends {

template <class S>
struct chunk_totals {
  S scan;
  std::int64_t chunk;
  typename S::node* totals;

  KOKKOS_FUNCTION void operator()(int i) const {
    totals[i] = scan.total(i * chunk, (i + 1) * chunk);
  }
};

template <class S>
struct chunk_prefixes {
  S scan;
  std::int64_t chunk;
  const typename S::node* before;  ///< before[i]: the sum of chunks 0 to i

  KOKKOS_FUNCTION void operator()(int i) const {
    const std::int64_t first = i * chunk, end = first + chunk;
    const typename S::node nothing;
    scan.run(i == 0 ? nothing : before[i - 1], first, end < scan.size() ? end : scan.size());
  }
};

/// Scans by at most max_chunks work items, of at least min_chunk elements each.
template <class Exec, class S>
void launch_scan_by_chunks(const Exec& exec, const char* label, const S& s, std::int64_t max_chunks,
                           std::int64_t min_chunk, typename S::node* nodes) {
  // Aligned powers of two, as the tree of the compensated scan has them.
  const std::int64_t wanted = std::max(min_chunk, (s.size() + max_chunks - 1) / max_chunks);
  const auto chunk = std::int64_t(std::bit_ceil(std::uint64_t(wanted)));
  const int chunks = int((s.size() + chunk - 1) / chunk);
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;
  if (chunks > 1) {
    Kokkos::parallel_for(label, range(exec, 0, chunks - 1), chunk_totals<S>{s, chunk, nodes});
    node_prefixes<typename S::node>::launch(exec, label, nodes, chunks - 1);
  }
  Kokkos::parallel_for(label, range(exec, 0, chunks), chunk_prefixes<S>{s, chunk, nodes});
}

/// Enqueues a scan on exec.
template <class Exec, class S>
void launch_scan(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  if (s.size() == 0) return;
  using node = typename S::node;
  node* const nodes = reinterpret_cast<node*>(memory.nodes_memory());
  constexpr std::int64_t room = nodes_bytes / sizeof(node);
  if constexpr (std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>) {
    const int threads = exec.concurrency();
    const std::int64_t max_chunks = threads == 1 ? 1 : std::min<std::int64_t>(4 * threads, room);
    launch_scan_by_chunks(exec, label, s, max_chunks, 4096, nodes);
  } else if constexpr (S::is_order_free) {
    launch_scan_by_chunks(exec, label, s, room, 256, nodes);
  } else {
    launch_scan_by_teams(exec, label, s, nodes);
  }
}

}  // namespace acc::backends

#endif
