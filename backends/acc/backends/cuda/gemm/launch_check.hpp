// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_LAUNCH_CHECK_HPP
#define ACC_BACKENDS_CUDA_GEMM_LAUNCH_CHECK_HPP

/// \file
/// Whether CUDA took a launch. Kokkos does not ask unless it is built for debugging; what large
/// tiles need of a multiprocessor may be refused, and C would stay as it was.

#include <acc/backends/cuda/launch_teams.hpp>

namespace acc::backends::cuda {

/// Made before launches, asked after them. An error from before is not theirs.
class launch_check {
 public:
  /// \throws std::runtime_error naming the function
  template <class Policy, class Kernel>
  static void launch(const char* label, const Policy& policy, const Kernel& kernel) {
    launch_teams(label, policy, kernel);
  }
#if defined(__CUDACC__)  // tests compile the tiles of GEMM for hosts
  /// \throws std::runtime_error naming the function
  void verify(const char* label) const {
    const cudaError_t now = cudaPeekAtLastError();
    if (now != cudaSuccess && now != before_) throw_refused(label, now);
  }

 private:
  cudaError_t before_ = cudaPeekAtLastError();
#endif
};

}  // namespace acc::backends::cuda

#endif
