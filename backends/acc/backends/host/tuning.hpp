// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_TUNING_HPP
#define ACC_BACKENDS_HOST_TUNING_HPP

/// \file
/// How work is divided on hosts. These constants change time alone; docs/dev has what was measured.
/// The kernels' own, of registers and prefetching, stand beside them in host/kernels/.

#include <cstdint>

namespace acc::backends::host {

/// Prefix sums: a chunk is what a thread scans at once.
inline constexpr struct {
  std::int64_t chunks_per_thread = 4;
  std::int64_t min_chunk = 4096;  ///< elements
} scan_tuning;

}  // namespace acc::backends::host

#endif
