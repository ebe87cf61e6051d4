// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_LAUNCH_HPP
#define ACC_BACKENDS_LAUNCH_HPP

/// \file
/// Which backend serves which execution space. This choice changes time, never bits.

#include <acc/backends/generic.hpp>
#include <acc/backends/generic_order_free.hpp>
#include <acc/backends/host.hpp>
#include <acc/backends/host_order_free.hpp>
#include <acc/backends/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <type_traits>

#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOS_COMPILER_NVCC)
#include <acc/backends/cuda.hpp>
#endif

namespace acc::backends {

template <class Exec>
inline constexpr bool is_host_space =
    std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// Enqueues r on exec; asynchronous where exec is.
template <class Exec, class R>
void launch(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  if constexpr (is_host_space<Exec>) {
    launch_on_host(exec, memory, label, r);
#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOS_COMPILER_NVCC)
  } else if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    launch_on_cuda(exec, memory, label, r);
#endif
  } else {
    launch_generic(exec, memory, label, r);
  }
}

/// The same for an order-free sum.
template <class Exec, class R>
void launch_order_free(const Exec& exec, workspace<Exec>& memory, const char* label, const R& r) {
  if constexpr (is_host_space<Exec>) {
    launch_order_free_on_host(exec, memory, label, r);
#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOS_COMPILER_NVCC)
  } else if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    launch_order_free_on_cuda(exec, memory, label, r);
#endif
  } else {
    launch_order_free_generic(exec, memory, label, r);
  }
}

}  // namespace acc::backends

#endif
