// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_CACHE_HPP
#define ACC_BACKENDS_HOST_CACHE_HPP

/// \file
/// The processor's caches, for the shape of blocks.

#include <cstddef>

namespace acc::backends::host {

struct cache_sizes {
  std::size_t first, second;  ///< bytes of data that one core has for itself
};

/// As hwloc finds them (ACC_ENABLE_HWLOC), asked once; else 32 KiB and 512 KiB, which no current
/// server processor falls short of.
cache_sizes caches();

}  // namespace acc::backends::host

#endif
