// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_UNROLL_HPP
#define ACC_BACKENDS_CUDA_UNROLL_HPP

/// \file
/// Before a loop of a kernel: every round written out, or none. Hosts, which do not know the
/// pragma, ignore both.

#if defined(__CUDA_ARCH__)
#define ACC_UNROLL _Pragma("unroll")
#define ACC_NO_UNROLL _Pragma("unroll 1")
#else
#define ACC_UNROLL
#define ACC_NO_UNROLL
#endif

#endif
