// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_LAUNCH_CHECK_HPP
#define ACC_BACKENDS_CUDA_GEMM_LAUNCH_CHECK_HPP

/// \file
/// Whether CUDA took a launch. Kokkos does not ask unless it is built for debugging; what large
/// tiles need of a multiprocessor may be refused, and C would stay as it was.

#include <acc/backends/cuda/launch_teams.hpp>

namespace acc::backends::cuda {

/// Made before launches, asked after them.
class launch_check {
 public:
#if defined(__CUDACC__)  // tests compile the tiles of GEMM for hosts
  launch_check() { clear_error(); }
  /// \throws std::runtime_error naming the function
  void verify(const char* label) const {
    const cudaError_t now = cudaPeekAtLastError();
    if (now != cudaSuccess) throw_refused(label, now);
  }
#endif
  /// \throws std::runtime_error naming the function
  template <class Policy, class Kernel>
  static void launch(const char* label, const Policy& policy, const Kernel& kernel) {
    launch_teams(label, policy, kernel);
  }
};

}  // namespace acc::backends::cuda

#endif
