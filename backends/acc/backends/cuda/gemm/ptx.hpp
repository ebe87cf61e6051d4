// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_PTX_HPP
#define ACC_BACKENDS_CUDA_GEMM_PTX_HPP

/// \file
/// The instructions of the tiles: copies from global to team scratch memory that run beside the
/// arithmetic, and the multiplication of the FP64 tensor cores. They are a type, so that tests can
/// run the tiles on a host with other ones.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace acc::backends::cuda {

struct cuda_ops {
  /// Copies 16 bytes, or writes zeros if they are absent; both aligned to 16. Absent bytes are not
  /// read.
  KOKKOS_FORCEINLINE_FUNCTION static void copy16([[maybe_unused]] void* dst,
                                                 [[maybe_unused]] const void* src,
                                                 [[maybe_unused]] bool present) {
#if defined(__CUDA_ARCH__)
    asm volatile(
        "{ .reg .pred absent; setp.eq.u32 absent, %2, 0;\n"
        "cp.async.cg.shared.global [%0], [%1], 16, absent; }\n" ::"r"(shared(dst)),
        "l"(src), "r"(int(present)));
#endif
  }
  /// Copies the first `bytes` of 16 bytes, and writes zeros for the others; both aligned to 16.
  KOKKOS_FORCEINLINE_FUNCTION static void copy16_part([[maybe_unused]] void* dst,
                                                      [[maybe_unused]] const void* src,
                                                      [[maybe_unused]] int bytes) {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(shared(dst)), "l"(src),
                 "r"(bytes));
#endif
  }
  /// Reads an element. (On a host the tests look at the address.)
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T read(const T* from) {
    return *from;
  }
  /// Copies an element of 4, 8 or 16 bytes, or writes zeros.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void copy([[maybe_unused]] T* dst,
                                               [[maybe_unused]] const T* src,
                                               [[maybe_unused]] bool present) {
#if defined(__CUDA_ARCH__)
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
    if constexpr (sizeof(T) == 16) {
      copy16(dst, src, present);
    } else if constexpr (sizeof(T) == 4) {
      asm volatile(
          "{ .reg .pred absent; setp.eq.u32 absent, %2, 0;\n"
          "cp.async.ca.shared.global [%0], [%1], 4, absent; }\n" ::"r"(shared(dst)),
          "l"(src), "r"(int(present)));
    } else {
      asm volatile(
          "{ .reg .pred absent; setp.eq.u32 absent, %2, 0;\n"
          "cp.async.ca.shared.global [%0], [%1], 8, absent; }\n" ::"r"(shared(dst)),
          "l"(src), "r"(int(present)));
    }
#endif
  }
  /// Ends a group of this thread's copies: those of a stage.
  KOKKOS_FORCEINLINE_FUNCTION static void commit() {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.commit_group;\n" ::);
#endif
  }
  /// Waits until at most N groups are unfinished.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static void wait() {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.wait_group %0;\n" ::"n"(N));
#endif
  }

  /// c += a b on the FP64 tensor cores, by a warp: 16 x 4 K4 times 4 K4 x 8. Each entry is an
  /// ascending chain of 4 K4 FMAs, each rounded to nearest (measured: docs/dev/gemm-cuda.md). With
  /// g = lane_id / 4 and q = lane_id % 4: a holds rows g and g + 8 of column q, then of column q +
  /// 4; b rows q and q + 4 of column g; c rows g, g, g + 8, g + 8 of columns 2 q, 2 q + 1, 2 q, 2 q
  /// + 1.
  template <int K4>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply([[maybe_unused]] double (&c)[4],
                                                   [[maybe_unused]] const double (&a)[K4][2],
                                                   [[maybe_unused]] const double (&b)[K4]) {
    static_assert(K4 == 1 || K4 == 2);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (K4 == 1) {
      asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
          "{%0,%1,%2,%3};\n"
          : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
          : "d"(a[0][0]), "d"(a[0][1]), "d"(b[0]));
    } else {
      asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};\n"
          : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
          : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
    }
#endif
  }

  /// A barrier of the warp. What its threads have copied, and waited for, all of them see after it.
  KOKKOS_FORCEINLINE_FUNCTION static void sync_warp() {
#if defined(__CUDA_ARCH__)
    __syncwarp();
#endif
  }
  /// A barrier of the team, whose size is more than one.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void barrier([[maybe_unused]] const Team& team) {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#else
    team.team_barrier();
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t shared(const void* p) {
    return std::uint32_t(__cvta_generic_to_shared(p));
  }
#endif
};

}  // namespace acc::backends::cuda

#endif
