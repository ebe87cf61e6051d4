// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_TRANSPOSE_HPP
#define ACC_BACKENDS_HOST_KERNELS_TRANSPOSE_HPP

/// \file
/// Squares of numbers, transposed in registers: first within 16 bytes, then runs of 16 bytes. Each
/// step is an instruction for two registers that needs no table of places.

#include <acc/backends/host/kernels/simd.hpp>

#include <utility>

namespace acc::backends::host::ACC_HOST_ISA {

template <int Which, int Lane, int Run, class T, int W, int... I>
ACC_SIMD_INLINE simd<T, W> zip(simd<T, W> a, simd<T, W> b, std::integer_sequence<int, I...>) {
  return simd<T, W>::of(
      __builtin_shufflevector(a.v, b.v,
                              (I / Lane * Lane + Which * Lane / 2 + I % Lane / (2 * Run) * Run +
                               I % Run + I / Run % 2 * W)...));
}
/// In each part of Lane numbers: the runs of Run numbers of the first half (Which = 0) or second
/// half of a's and of b's, in turn.
template <int Which, int Lane, int Run = 1, class T, int W>
ACC_SIMD_INLINE simd<T, W> zip(simd<T, W> a, simd<T, W> b) {
  return zip<Which, Lane, Run>(a, b, std::make_integer_sequence<int, W>{});
}

/// Each 16 bytes of B registers are a square of runs of Run numbers: they are transposed.
template <int Run, int B, class V>
ACC_SIMD_INLINE void transpose_within_16_bytes(V* x) {
  constexpr int Q = B * Run;
  if constexpr (B == 4) {
    V t[4];
    unrolled<4>(ACC_UNROLLED(i) { t[i] = zip<i % 2, Q>(x[i / 2], x[i / 2 + 2]); });
    unrolled<4>(ACC_UNROLLED(i) { x[i] = zip<i % 2, Q>(t[i / 2], t[i / 2 + 2]); });
  } else if constexpr (B == 2) {
    const V a = x[0], b = x[1];
    x[0] = zip<0, Q, Run>(a, b);
    x[1] = zip<1, Q, Run>(a, b);
  } else {
    static_assert(B == 1);
  }
}

/// Registers x[0], x[Step], ..., as many as they have runs of Q numbers: run j of register i
/// becomes run i of register j.
template <int Q, int Step, class T, int W>
ACC_SIMD_INLINE void transpose_runs(simd<T, W>* x) {
  using V = simd<T, W>;
  constexpr int runs = W / Q;
  if constexpr (runs == 4) {
    V s[4];
    unrolled<4>(ACC_UNROLLED(i) {
      s[i] = every_other<Q, i % 2>(x[i / 2 * 2 * Step], x[(i / 2 * 2 + 1) * Step]);
    });
    unrolled<4>(ACC_UNROLLED(i) { x[i * Step] = every_other<Q, i / 2>(s[i % 2], s[i % 2 + 2]); });
  } else if constexpr (runs == 2) {
    const V a = x[0], b = x[Step];
    x[0] = every_other<Q, 0>(a, b);
    x[Step] = every_other<Q, 1>(a, b);
  } else {
    static_assert(runs == 1);
  }
}

/// Run j of register i becomes run i of register j; a run is W / N numbers, 16 bytes at most.
template <class T, int W, int N>
ACC_SIMD_INLINE void transpose(simd<T, W> (&x)[N]) {
  constexpr int run = W / N, Q = 16 / int(sizeof(T)), B = Q / run;
  unrolled<N / B>(ACC_UNROLLED(g) { transpose_within_16_bytes<run, B>(x + g * B); });
  unrolled<B>(ACC_UNROLLED(c) { transpose_runs<Q, B>(x + c); });
}

}  // namespace acc::backends::host::ACC_HOST_ISA

#endif
