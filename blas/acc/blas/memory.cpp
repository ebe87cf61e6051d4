// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace acc::blas {

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

struct reach {
  bool host, device;
};

reach reach_of(const void* pointer) {
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    (void)cudaGetLastError();  // it shall not be taken for one of the product's
    return {true, false};
  }
  const bool is_near = attributes.device == Kokkos::Cuda().cuda_device();
  switch (attributes.type) {
    case cudaMemoryTypeDevice:
      return {false, is_near};  // another GPU's is nobody's
    case cudaMemoryTypeManaged:
      return {true, true};
    default:  // pinned memory could be read by the GPU, but slowly
      return {true, false};
  }
}

}  // namespace

location locate(std::span<const void* const> pointers) {
  reach common{true, true};
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const reach r = reach_of(pointers[i]);
    common = {common.host && r.host, common.device && r.device};
    if (!common.host && !common.device) return {memory::host, int(i)};
  }
  return {common.device ? memory::device : memory::host, -1};
}

#else

location locate(std::span<const void* const>) { return {memory::host, -1}; }

#endif

}  // namespace acc::blas
