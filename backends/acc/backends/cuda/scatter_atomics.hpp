// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SCATTER_ATOMICS_HPP
#define ACC_BACKENDS_CUDA_SCATTER_ATOMICS_HPP

/// \file
/// The additions of sums by index (scatter.hpp) on NVIDIA GPUs.

#include <acc/backends/cuda/launch_teams.hpp>
#include <acc/backends/generic/scatter_atomics.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::cuda {

struct scatter_atomics {
  /// By the instruction for shared memory: the compiler does not see that the address is there.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t fetch_add_scratch(std::uint32_t* word,
                                                                     std::uint32_t v) {
#if defined(__CUDA_ARCH__)
    std::uint32_t before;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(word))), "r"(v)
                 : "memory");
    return before;
#else
    return generic::scatter_atomics::fetch_add_scratch(word, v);
#endif
  }

  /// Lanes of a warp that add to the same limb add up first, in a tree of pairs, and the first of
  /// them adds to the limb.
  KOKKOS_FORCEINLINE_FUNCTION static void add_contended(std::int64_t* limb, std::int64_t v) {
#if defined(__CUDA_ARCH__)
    const unsigned active = __activemask();
    const unsigned lane =
        (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
    const unsigned same = __match_any_sync(
        active, static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(limb)));
    unsigned above = same & (0xfffffffeu << lane);
    unsigned rank = __popc(same & ((1u << lane) - 1));
    const bool first = rank == 0;
    // In each round the lanes of odd rank are added to those before them, and drop out.
    while (__any_sync(active, above != 0)) {
      const int next = __ffs(int(above));
      const long long more =
          __shfl_sync(active, static_cast<long long>(v), next != 0 ? next - 1 : int(lane));
      if (next != 0) v += more;
      above &= ~__ballot_sync(active, (rank & 1) != 0);
      rank >>= 1;
    }
    if (first) Kokkos::atomic_add(limb, v);
#else
    generic::scatter_atomics::add_contended(limb, v);
#endif
  }
  /// \throws std::runtime_error naming the function
  template <class Policy, class Kernel>
  static void launch_teams(const char* label, const Policy& policy, const Kernel& kernel) {
    cuda::launch_teams(label, policy, kernel);
  }
};

}  // namespace acc::backends::cuda

#endif
