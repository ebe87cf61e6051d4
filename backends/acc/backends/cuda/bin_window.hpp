// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_BIN_WINDOW_HPP
#define ACC_BACKENDS_CUDA_BIN_WINDOW_HPP

/// \file
/// The bins of a binned sum in the registers of a GPU's thread, and how a number enters them.

#include <acc/core/binned.hpp>

namespace acc::backends {

/// A thread's K bins from the top down. A number enters a bin by the addition of 1.5 * 2^52 of its
/// units, M, which rounds it to a multiple of the unit: the bits of x + M less those of M count
/// units (docs/arithmetic.md, "On a GPU").
template <int K>
struct bin_window {
  static constexpr int bin_width = binned<double, K>::bin_width;

  std::int64_t units[K] = {};
  int top = K - 1;  ///< the same in all threads of a warp

  /// High words of |x| from here on are above the window.
  __device__ unsigned limit() const { return unsigned(bin_width * top - 12) << 20; }
  /// The top bin of numbers whose largest high word is `word`.
  __device__ static int top_of(unsigned word) {
    return max(K - 1, (int(word >> 20) + 52) / bin_width);
  }

  /// Deposits N numbers side by side: one by one, each addition would wait for the one before.
  template <int N>
  __device__ void deposit(double (&x)[N]) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const int high = ((bin_width * (top - k) + 1) << 20) | 0x80000;
      const double m = __hiloint2double(high, 0);
      double t[N];
#pragma unroll
      for (int i = 0; i < N; ++i) t[i] = __dadd_rn(x[i], m);
#pragma unroll
      for (int i = 0; i < N; ++i)
        units[k] += __double_as_longlong(t[i]) - (std::int64_t(high) << 32);
      if (k + 1 == K) return;
#pragma unroll
      for (int i = 0; i < N; ++i) t[i] = __dsub_rn(t[i], m);
#pragma unroll
      for (int i = 0; i < N; ++i) x[i] = __dsub_rn(x[i], t[i]);
    }
  }
  /// Drops bins from the bottom.
  __device__ void raise(int to) {
#pragma unroll 1
    for (int shift = min(to - top, K); shift > 0; --shift) {
#pragma unroll
      for (int k = K - 1; k > 0; --k) units[k] = units[k - 1];
      units[0] = 0;
    }
    top = max(top, to);
  }
};

}  // namespace acc::backends

#endif
