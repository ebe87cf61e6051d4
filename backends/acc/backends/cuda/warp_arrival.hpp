// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_WARP_ARRIVAL_HPP
#define ACC_BACKENDS_CUDA_WARP_ARRIVAL_HPP

/// \file
/// Which warp is the last one to have its part of a sum, and so joins the parts.

#include <acc/backends/cuda/warp.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::cuda {

/// arrives_last of a warp, by all its threads.
__device__ inline bool warp_arrives_last(unsigned* counter, std::int64_t count, int lane_id) {
  Kokkos::memory_fence();
  __syncwarp();
  int last = 0;
  if (lane_id == 0) last = arrives_last(counter, unsigned(count));
  last = __shfl_sync(full_warp, last, 0);
  Kokkos::memory_fence();
  return last != 0;
}

}  // namespace acc::backends::cuda

#endif
