// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers_cuda.hpp"

#include <Kokkos_Core.hpp>
#include <cub/device/device_reduce.cuh>
#include <stdexcept>
#include <string>
#include <type_traits>

#if CUB_VERSION >= 300100
#include <cuda/execution.determinism.h>
#include <cuda/execution.require.h>
#include <cuda/std/execution>
#include <cuda/stream_ref>
#endif

namespace peers {

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("CUB: ") + cudaGetErrorString(error));
}

/// At least `bytes` of device memory, kept from call to call.
void* scratch(std::size_t bytes) {
  using buffer = Kokkos::View<char*, Kokkos::CudaSpace>;
  static buffer kept;
  static bool hooked = false;
  if (!hooked) {
    Kokkos::push_finalize_hook([] { kept = {}; });
    hooked = true;
  }
  if (kept.size() < bytes) kept = buffer("scratch", bytes);
  return kept.data();
}

}  // namespace

template <class T>
void cub_sum(cudaStream_t stream, const T* x, std::int64_t n, T* r) {
  // Asked once for each n, as an application that repeats a sum would.
  static std::int64_t asked = -1;
  static std::size_t bytes = 0;
  if (n != asked) check(cub::DeviceReduce::Sum(nullptr, bytes, x, r, n, stream));
  asked = n;
  check(cub::DeviceReduce::Sum(scratch(bytes), bytes, x, r, n, stream));
}
template void cub_sum(cudaStream_t, const float*, std::int64_t, float*);
template void cub_sum(cudaStream_t, const double*, std::int64_t, double*);

#if CUB_VERSION >= 300100

namespace {

/// By default the pool gives its memory back at every synchronization, and each call allocates
/// anew.
void keep_pool() {
  static bool done = false;
  if (done) return;
  int device = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t most = ~std::uint64_t(0);
  check(cudaGetDevice(&device));
  check(cudaDeviceGetDefaultMemPool(&pool, device));
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most));
  done = true;
}

}  // namespace

template <class T>
void cub_sum_gpu_to_gpu(cudaStream_t stream, const T* x, std::int64_t n, T* r) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "CUB refuses gpu_to_gpu sums of all floating-point types except float and double");
  keep_pool();
  const auto require = cuda::execution::require(cuda::execution::determinism::gpu_to_gpu);
  const auto environment = cuda::std::execution::env{cuda::stream_ref{stream}, require};
  check(cub::DeviceReduce::Sum(x, r, n, environment));
}
template void cub_sum_gpu_to_gpu(cudaStream_t, const float*, std::int64_t, float*);
template void cub_sum_gpu_to_gpu(cudaStream_t, const double*, std::int64_t, double*);

#endif

}  // namespace peers
