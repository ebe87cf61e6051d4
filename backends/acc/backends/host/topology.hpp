// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_TOPOLOGY_HPP
#define ACC_BACKENDS_HOST_TOPOLOGY_HPP

/// \file
/// What the kernels ask of the machine: its caches, for the shape of blocks, and large pages.

#include <cstddef>

namespace acc::backends::host {

struct cache_sizes {
  std::size_t first, second;  ///< bytes of data that one core has for itself
};

/// As hwloc finds them (ACC_ENABLE_HWLOC), asked once; else 32 KiB and 512 KiB, which no current
/// server processor falls short of.
cache_sizes caches();

/// Asks the system to back this memory, which is still untouched, by large pages: blocks and totals
/// of a matrix product are visited in an order that small ones have too many addresses for.
void prefer_large_pages(void* memory, std::size_t bytes);

}  // namespace acc::backends::host

#endif
