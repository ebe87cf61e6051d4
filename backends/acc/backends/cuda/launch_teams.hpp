// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_LAUNCH_TEAMS_HPP
#define ACC_BACKENDS_CUDA_LAUNCH_TEAMS_HPP

/// \file
/// Launches of teams that may have more scratch memory than CUDA gives without being asked.

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace acc::backends::cuda {

#if defined(__CUDACC__)  // tests compile the tiles of GEMM for hosts
/// An error of CUDA stays until it is asked for, and the same one after it would not be seen: this
/// clears it, before launches and once it is reported.
inline void clear_error() { static_cast<void>(cudaGetLastError()); }

/// \throws std::runtime_error naming the function
[[noreturn]] inline void throw_refused(const char* label, cudaError_t error) {
  clear_error();
  throw std::runtime_error(std::string(label) + ": CUDA refused to launch a kernel (" +
                           cudaGetErrorString(error) + "); nothing was computed");
}
#endif

/// Enqueues the kernel.
///
/// CUDA refuses more than 48 KiB of shared memory until a kernel's address is allowed to have it.
/// Kokkos 5.2 asks for that, and remembers for each type of kernel how much it has asked for. From
/// CUDA 13 on a kernel has an address of its own in each file that launches it (nvcc's
/// -static-global-template-stub). The second file's is not allowed, CUDA refuses the launch, and
/// Kokkos does not look. More memory than ever before makes Kokkos ask again, for this address: so
/// a refused kernel is launched again with more, twice as much more each time.
/// \throws std::runtime_error naming the function
template <class Policy, class Kernel>
void launch_teams(const char* label, Policy policy, const Kernel& kernel) {
#if defined(__CUDACC__)
  const auto asked = std::size_t(policy.scratch_size(0));
  const auto most = std::size_t(policy.scratch_size_max(0));
  clear_error();
  for (std::size_t more = 0;; more = more == 0 ? 16 : 2 * more) {
    const std::size_t bytes = asked + more < most ? asked + more : most;
    Kokkos::parallel_for(label, policy.set_scratch_size(0, Kokkos::PerTeam(bytes)), kernel);
    const cudaError_t now = cudaPeekAtLastError();
    if (now == cudaSuccess) return;
    if (now != cudaErrorInvalidValue || bytes == most) throw_refused(label, now);
    clear_error();
  }
#else
  Kokkos::parallel_for(label, policy, kernel);
#endif
}

}  // namespace acc::backends::cuda

#endif
