// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SCATTER_ATOMICS_HPP
#define ACC_BACKENDS_CUDA_SCATTER_ATOMICS_HPP

/// \file
/// The additions of sums by index (scatter.hpp) on NVIDIA GPUs.

#include <acc/backends/cuda/launch_teams.hpp>
#include <acc/backends/generic/scatter_atomics.hpp>
#include <acc/core/exact/shared_limbs.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::cuda {

#if defined(__CUDA_ARCH__)
/// The lanes of a warp that are here, in groups of those that have the same limb.
class warp_gather {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit warp_gather(const std::int64_t* limb)
      : active_(__activemask()),
        lane_((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32),
        same_(__match_any_sync(
            active_, static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(limb)))) {}

  KOKKOS_FORCEINLINE_FUNCTION bool is_first() const { return rank() == 0; }
  /// The first lane's: the sum of its group, in a tree of pairs. Integers may have any order.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t sum(std::int64_t v) const {
    unsigned above = same_ & (0xfffffffeu << lane_);
    int place = rank();
    // In each round the lanes of odd place are added to those before them, and drop out.
    while (__any_sync(active_, above != 0)) {
      const int next = __ffs(int(above));
      const std::int64_t more = of_lane(v, next != 0 ? next - 1 : int(lane_));
      if (next != 0) v += more;
      above &= ~__ballot_sync(active_, (place & 1) != 0);
      place >>= 1;
    }
    return v;
  }
  /// What the first lane of the group has.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t of_first(std::int64_t v) const {
    return of_lane(v, __ffs(int(same_)) - 1);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int rank() const { return __popc(same_ & ((1u << lane_) - 1)); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t of_lane(std::int64_t v, int lane) const {
    return __shfl_sync(active_, static_cast<long long>(v), lane);
  }
  unsigned active_, lane_, same_;
};
#endif

/// How a caller's kernel adds to a sum: by atomics, and where some lane finds another one of its
/// warp with the same sum, what lanes add to the same limb is added up first.
class warp_additions : impl::atomic_additions {
 public:
  using atomic_additions::alone;
  /// Each lane asks five others for their sums: a neighbor, and such ones that lanes with sums in
  /// turn meet for every number of sums up to 31, except for 24. That takes no time beside an
  /// atomic addition, and a match of all lanes would (measured: docs/dev/sums.md). What a lane that
  /// is not here answers changes time alone.
  KOKKOS_FORCEINLINE_FUNCTION explicit warp_additions([[maybe_unused]] std::int64_t sum) {
#if defined(__CUDA_ARCH__)
    const unsigned active = __activemask();
    const int own = int(sum);
    const auto meets = [&](int lanes) { return __shfl_xor_sync(active, own, lanes) == own; };
    // Without short circuits: all lanes take part.
    const int met =
        int(meets(1)) | int(meets(16)) | int(meets(28)) | int(meets(30)) | int(meets(31));
    contended_ = __any_sync(active, met);
#endif
  }
  KOKKOS_FORCEINLINE_FUNCTION impl::limb_change add(std::int64_t& limb, std::int64_t v) const {
#if defined(__CUDA_ARCH__)
    if (contended_) {
      const warp_gather gather(&limb);
      v = gather.sum(v);
      impl::limb_change change{0, 0};
      if (gather.is_first()) change = atomic_additions::add(limb, v);
      return {gather.of_first(change.before), gather.of_first(change.after)};
    }
#endif
    return atomic_additions::add(limb, v);
  }

 private:
  [[maybe_unused]] bool contended_ = false;
};

struct scatter_atomics {
  using additions = warp_additions;
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

  /// Lanes of a warp that add to the same limb add up first, and the first of them adds to the
  /// limb.
  KOKKOS_FORCEINLINE_FUNCTION static void add_contended(std::int64_t* limb, std::int64_t v) {
#if defined(__CUDA_ARCH__)
    const warp_gather gather(limb);
    v = gather.sum(v);
    if (gather.is_first()) Kokkos::atomic_add(limb, v);
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
