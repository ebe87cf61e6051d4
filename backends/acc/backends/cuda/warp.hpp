// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_WARP_HPP
#define ACC_BACKENDS_CUDA_WARP_HPP

/// \file
/// What kernels for NVIDIA GPUs use beside Kokkos: the unrolling of loops, shuffles in a warp, and
/// loads of 16 bytes.

#include <acc/core/order/canonical_order.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <type_traits>

// Before a loop of a kernel: unroll it, unroll it n times, or do not unroll it. Host compilers do
// not know the pragma.
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

namespace acc::backends::cuda {

inline constexpr int warp_size = 32;
inline constexpr unsigned full_warp = 0xffffffff;  ///< the mask of all its threads
static_assert(warp_size == impl::groups_per_stripe);

/// Elements before the first one on a boundary of 16 bytes; -1 if v is not contiguous.
template <class Data>
KOKKOS_FUNCTION std::int64_t elements_before_boundary(const Data& v) {
  if (!v.contiguous()) return -1;
  const auto past = reinterpret_cast<std::uintptr_t>(v.data) % 16;
  return past == 0 ? 0 : std::int64_t((16 - past) / sizeof(typename Data::element));
}

#if defined(__CUDACC__)  // tests compile the tiles of GEMM for hosts

/// What other threads have, word by word: shuffle gives a word of theirs for one's own.
template <class T, class Shuffle>
__device__ T shuffle_words(const T& value, const Shuffle& shuffle) {
  static_assert(sizeof(T) % 4 == 0);
  struct words {
    unsigned w[sizeof(T) / 4];
  } in = Kokkos::bit_cast<words>(value), out;
  for (unsigned i = 0; i < sizeof(T) / 4; ++i) out.w[i] = shuffle(in.w[i]);
  return Kokkos::bit_cast<T>(out);
}
/// The value of the thread whose lane_id is higher by `distance`.
template <class T>
__device__ T shuffle_down(const T& value, int distance) {
  return shuffle_words(value,
                       [=](unsigned word) { return __shfl_down_sync(full_warp, word, distance); });
}
/// The value of thread `lane_id`.
template <class T>
__device__ T shuffle_from(const T& value, int lane_id) {
  return shuffle_words(value, [=](unsigned word) { return __shfl_sync(full_warp, word, lane_id); });
}

/// 16 bytes in registers of the elements' type: to split words later, a thread would have to copy
/// them, and to wait for them.
template <class T>
struct loaded {
  T e[16 / sizeof(T)];
};
/// Loads 16 bytes past the first-level cache: each byte is used once.
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

/// Ends the thread. The range has one iteration per thread; Kokkos's loop over further iterations
/// would keep registers that the kernel needs.
__device__ inline void end_thread() {
  asm volatile("exit;");
  __builtin_unreachable();
}

#endif

}  // namespace acc::backends::cuda

#endif
