// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_MEMORY_HPP
#define ACC_BLAS_MEMORY_HPP

#include <Kokkos_Macros.hpp>

#include <span>

namespace acc::blas {

/// The memory, and so the execution space, of a product's matrices.
enum class memory { host, device };

/// Whether there is none but the host's.
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr bool is_all_host_memory = false;
#else
inline constexpr bool is_all_host_memory = true;
#endif

struct location {
  memory where;
  int stranger;  ///< the first pointer into another memory than those before it; -1: there is none
};

/// Where these pointers all point to. Managed memory is the device's, unless another pointer is the
/// host's.
location locate(std::span<const void* const> pointers);

}  // namespace acc::blas

#endif
