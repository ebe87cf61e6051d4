// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_NAN_BITS_HPP
#define ACC_BACKENDS_HOST_KERNELS_NAN_BITS_HPP

/// \file
/// Which numbers of a register are NaN, and the one NaN in their places.

#include <acc/backends/host/kernels/simd.hpp>
#include <acc/core/gemm/entry.hpp>

#include <cstdint>

namespace acc::backends::host::ACC_HOST_ISA {

/// The numbers of two registers for which core's needs_fallback holds, as bits: those that are NaN
/// in either, which vector units find in one instruction.
template <class T, int W>
ACC_SIMD_INLINE std::uint64_t nan_bits(simd<T, W> x, simd<T, W> y) {
#if defined(__AVX512F__)
  if constexpr (sizeof(x.v) == 64 && sizeof(T) == 4)
    return _mm512_cmp_ps_mask(x.v, y.v, _CMP_UNORD_Q);
  if constexpr (sizeof(x.v) == 64 && sizeof(T) == 8)
    return _mm512_cmp_pd_mask(x.v, y.v, _CMP_UNORD_Q);
#elif defined(__AVX2__)
  if constexpr (sizeof(x.v) == 32 && sizeof(T) == 4)
    return unsigned(_mm256_movemask_ps(_mm256_cmp_ps(x.v, y.v, _CMP_UNORD_Q)));
  if constexpr (sizeof(x.v) == 32 && sizeof(T) == 8)
    return unsigned(_mm256_movemask_pd(_mm256_cmp_pd(x.v, y.v, _CMP_UNORD_Q)));
#endif
  std::uint64_t bits = 0;
  for (int i = 0; i < W; ++i)
    bits |= std::uint64_t(impl::needs_fallback(x[i]) || impl::needs_fallback(y[i])) << i;
  return bits;
}
template <class T, int W>
ACC_SIMD_INLINE std::uint64_t nan_bits(simd<T, W> x) {
  return nan_bits(x, x);
}

/// NaN of any bits becomes the one NaN.
template <class T, int W>
ACC_SIMD_INLINE simd<T, W> with_one_nan(simd<T, W> x) {
  const simd<T, W> nan(T(__builtin_nan("")));
  return simd<T, W>::of(x.v == x.v ? x.v : nan.v);
}
ACC_SIMD_INLINE float with_one_nan(float x) { return x == x ? x : __builtin_nanf(""); }
ACC_SIMD_INLINE double with_one_nan(double x) { return x == x ? x : __builtin_nan(""); }

}  // namespace acc::backends::host::ACC_HOST_ISA

#endif
