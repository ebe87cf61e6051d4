// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_WARP_HPP
#define ACC_BACKENDS_CUDA_WARP_HPP

/// \file
/// What a warp of an NVIDIA GPU can do that Kokkos does not offer.

#include <acc/core/order/canonical_order.hpp>

#include <Kokkos_BitManipulation.hpp>

namespace acc::backends::cuda {

inline constexpr int warp_size = 32;
inline constexpr unsigned all_lanes = 0xffffffff;
static_assert(warp_size == impl::groups_per_stripe);

/// value of the thread `distance` higher in the warp.
template <class T>
__device__ T shuffle_down(const T& value, int distance) {
  static_assert(sizeof(T) % 4 == 0);
  struct words {
    unsigned w[sizeof(T) / 4];
  } in = Kokkos::bit_cast<words>(value), out;
  for (unsigned i = 0; i < sizeof(T) / 4; ++i)
    out.w[i] = __shfl_down_sync(all_lanes, in.w[i], distance);
  return Kokkos::bit_cast<T>(out);
}

/// 16 bytes, by a load that leaves the first-level cache to others: each byte is used once. In
/// registers of the elements' type: to take words apart would copy them, and that waits for them.
template <class T>
struct loaded {
  T e[16 / sizeof(T)];
};
template <class T>
__device__ loaded<T> load_streaming(const T* p) {
  if constexpr (std::is_same_v<T, double>) {
    loaded<T> v;
    asm volatile("ld.global.nc.L1::no_allocate.v2.f64 {%0, %1}, [%2];"
                 : "=d"(v.e[0]), "=d"(v.e[1])
                 : "l"(p));
    return v;
  } else {
    float f[4];
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])
                 : "l"(p));
    return Kokkos::bit_cast<loaded<T>>(f);
  }
}

/// Ends the thread: the range has one iteration a thread, and Kokkos's loop over more of them would
/// keep registers that the kernel needs.
__device__ inline void end_thread() {
  asm volatile("exit;");
  __builtin_unreachable();
}

}  // namespace acc::backends::cuda

#endif
