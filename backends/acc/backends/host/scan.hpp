// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_SCAN_HPP
#define ACC_BACKENDS_HOST_SCAN_HPP

/// \file
/// Prefix sums on hosts: the chunks of the generic machine, several per thread. With one thread,
/// one chunk, and so one pass.

#include <acc/backends/generic/scan.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/backends/workspace.hpp>

#include <algorithm>
#include <cstdint>

namespace acc::backends::host {

template <class Exec, class S>
void scan(const Exec& exec, workspace<Exec>& memory, const char* label, const S& s) {
  using node = typename S::node;
  constexpr std::int64_t room = nodes_bytes / sizeof(node);
  const std::int64_t threads = exec.concurrency();
  const std::int64_t max_chunks =
      threads == 1 ? 1 : std::min(scan_tuning::chunks_per_thread * threads, room);
  generic::launch_scan_by_chunks(exec, label, s, max_chunks, scan_tuning::min_chunk,
                                 reinterpret_cast<node*>(memory.nodes()));
}

}  // namespace acc::backends::host

#endif
