// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_TRANSPOSE_HPP
#define ACC_BACKENDS_HOST_KERNELS_TRANSPOSE_HPP

#include <acc/backends/host/kernels/simd.hpp>

#include <bit>
#include <utility>

namespace acc::backends::host::ACC_HOST_ISA {

template <int Run, int Which, class T, int W, int... I>
ACC_SIMD_INLINE simd<T, W> interleaved(simd<T, W> a, simd<T, W> b,
                                       std::integer_sequence<int, I...>) {
  return simd<T, W>::of(__builtin_shufflevector(
      a.v, b.v, (I / Run % 2 * W + (I / (2 * Run) * 2 + Which) * Run + I % Run)...));
}
/// The even (Which = 0) or the odd runs of Run numbers of a, each before the same one of b.
template <int Run, int Which, class T, int W>
ACC_SIMD_INLINE simd<T, W> interleaved(simd<T, W> a, simd<T, W> b) {
  return interleaved<Run, Which>(a, b, std::make_integer_sequence<int, W>{});
}

/// Run j of register i becomes run i of register j; a run is W / N numbers.
template <class S, int W, int N>
ACC_SIMD_INLINE void transpose(simd<S, W> (&x)[N]) {
  const auto exchange = ACC_UNROLLED(log) {
    constexpr int half = 1 << log;
    unrolled<N>(ACC_UNROLLED(i) {
      if constexpr ((i & half) == 0) {
        const simd<S, W> a = x[i], b = x[i + half];
        x[i] = interleaved<half*(W / N), 0>(a, b);
        x[i + half] = interleaved<half*(W / N), 1>(a, b);
      }
    });
  };
  unrolled<std::countr_zero(unsigned(N))>(exchange);
}

}  // namespace acc::backends::host::ACC_HOST_ISA

#endif
