// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_TOPOLOGY_HPP
#define ACC_BACKENDS_HOST_TOPOLOGY_HPP

/// \file
/// What GEMM asks of the processor and its system: cache sizes, for its blocks, and large pages.

#include <cstddef>

namespace acc::backends::host {

struct cache_sizes {
  std::size_t first, second;  ///< bytes of data that one core has for itself
};

/// As hwloc finds them (ACC_ENABLE_HWLOC), asked once. Without hwloc 32 KiB and 512 KiB: no current
/// server processor has less.
cache_sizes caches();

/// Asks the system to back this memory, which is still untouched, by large pages: GEMM visits its
/// panels and totals in an order for which small pages have too many addresses.
void prefer_large_pages(void* memory, std::size_t bytes);

}  // namespace acc::backends::host

#endif
