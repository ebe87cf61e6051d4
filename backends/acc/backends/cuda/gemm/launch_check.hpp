// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_LAUNCH_CHECK_HPP
#define ACC_BACKENDS_CUDA_GEMM_LAUNCH_CHECK_HPP

/// \file
/// Whether CUDA took a launch. Kokkos does not ask unless it is built for debugging; what large
/// tiles need of a multiprocessor may be refused, and C would stay as it was.

#include <stdexcept>
#include <string>

namespace acc::backends::cuda {

/// Made before launches, asked after them. An error from before is not theirs.
class launch_check {
#if defined(__CUDACC__)  // tests compile the tiles of GEMM for hosts
 public:
  /// \throws std::runtime_error naming the function
  void verify(const char* label) const {
    const cudaError_t now = cudaPeekAtLastError();
    if (before_ == cudaSuccess && now != cudaSuccess)
      throw std::runtime_error(std::string(label) + ": CUDA refused to launch a kernel (" +
                               cudaGetErrorString(now) + "); nothing was computed");
  }

 private:
  cudaError_t before_ = cudaPeekAtLastError();
#endif
};

}  // namespace acc::backends::cuda

#endif
