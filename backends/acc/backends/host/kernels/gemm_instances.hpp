// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_GEMM_INSTANCES_HPP
#define ACC_BACKENDS_HOST_KERNELS_GEMM_INSTANCES_HPP

/// \file
/// Every matrix product kernel of the host library. The method widened is plain in double.

/// X(method, type, type of C)
#define ACC_GEMM_METHODS(X, T) \
  X(plain, T, T)               \
  X(blocked, T, T)             \
  X(selective<kahan>, T, T)    \
  X(selective<priest>, T, T)   \
  X(selective<seeded>, T, T)   \
  X(compensated, T, T)

#define ACC_GEMM_TILES(X)    \
  ACC_GEMM_METHODS(X, float) \
  ACC_GEMM_METHODS(X, double)
#define ACC_GEMM_FINISHES(X) \
  ACC_GEMM_TILES(X)          \
  X(plain, double, float)

/// X(type of the matrix, type of the panel)
#define ACC_GEMM_PANELS(X) \
  X(float, float)          \
  X(double, double)        \
  X(float, double)

#endif
