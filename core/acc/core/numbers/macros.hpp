// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_NUMBERS_MACROS_HPP
#define ACC_CORE_NUMBERS_MACROS_HPP

/// \file
/// How functions on numbers are marked: as Kokkos marks them, or, in the host kernels (which are
/// compiled by the host compiler alone, without Kokkos), as always-inlined host functions.

/// Before a function that calls what its caller gives it, which on a host may be a host's: nvcc
/// would warn of that where nothing is wrong. It does not warn there of what is wrong, either.
#if defined(__NVCC__)
#define ACC_NO_EXECUTION_CHECK _Pragma("nv_exec_check_disable")
#else
#define ACC_NO_EXECUTION_CHECK
#endif

#if defined(ACC_HOST_KERNELS)
#define ACC_FUNCTION inline __attribute__((always_inline))
#define ACC_DEFAULTED_FUNCTION
#else
#include <Kokkos_Macros.hpp>  // IWYU pragma: export
#define ACC_FUNCTION KOKKOS_FORCEINLINE_FUNCTION
#define ACC_DEFAULTED_FUNCTION KOKKOS_DEFAULTED_FUNCTION
/// A function that ordinary data never calls: kept out of line, so that its registers and
/// instructions do not weigh on the caller.
#define ACC_COLD_FUNCTION KOKKOS_FUNCTION __attribute__((noinline))
#endif

/// A loop of such a function: written out, its registers would count for the kernel that calls it.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define ACC_COLD_LOOP _Pragma("unroll 1")
#else
#define ACC_COLD_LOOP
#endif

#endif
