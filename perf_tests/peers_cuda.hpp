// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_PEERS_CUDA_HPP
#define ACC_PERF_TESTS_PEERS_CUDA_HPP

/// \file
/// CUB's sums of float and double.

#include <cstdint>
#include <cub/version.cuh>
#include <cuda_runtime_api.h>

namespace peers {

/// CUB has determinism::gpu_to_gpu from CCCL 3.1 (CUDA 13.1) on.
inline constexpr bool has_gpu_to_gpu = CUB_VERSION >= 300100;

/// The sum of n numbers in device memory to *r, asynchronous on a stream, by default: the same bits
/// from run to run on one GPU.
template <class T>
void cub_sum(cudaStream_t stream, const T* x, std::int64_t n, T* r);

/// With determinism::gpu_to_gpu: the same bits on every GPU, for one version of CCCL. Of
/// floating-point numbers CUB takes float and double only: sums of half, complex or other types do
/// not compile. It allocates its scratch memory in each call, from the device's memory pool. Not
/// defined unless has_gpu_to_gpu.
template <class T>
void cub_sum_gpu_to_gpu(cudaStream_t stream, const T* x, std::int64_t n, T* r);

}  // namespace peers

#endif
