// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_UNROLL_HPP
#define ACC_BACKENDS_CUDA_UNROLL_HPP

/// \file
/// Before a loop of a kernel: every round written out, or n at a time, or none. Hosts, which do not
/// know the pragma, ignore it.

#if defined(__CUDA_ARCH__)
#define ACC_UNROLL_PRAGMA(text) _Pragma(#text)
#define ACC_UNROLL ACC_UNROLL_PRAGMA(unroll)
#define ACC_UNROLL_BY(n) ACC_UNROLL_PRAGMA(unroll n)
#define ACC_NO_UNROLL ACC_UNROLL_PRAGMA(unroll 1)
#else
#define ACC_UNROLL
#define ACC_UNROLL_BY(n)
#define ACC_NO_UNROLL
#endif

#endif
