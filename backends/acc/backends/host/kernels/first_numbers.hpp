// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_FIRST_NUMBERS_HPP
#define ACC_BACKENDS_HOST_KERNELS_FIRST_NUMBERS_HPP

/// \file
/// A part of a register in memory: the last numbers of a row or a vector.

#include <acc/backends/host/kernels/simd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host::ACC_HOST_ISA {

/// The first `count` numbers of a register, 1 to W: of memory, the others are neither read nor
/// written. The reads' others are 0.
template <class S>
class first_numbers {
  static constexpr int W = vector_width<S>;
  using V = simd<S, W>;

 public:
  ACC_SIMD_INLINE explicit first_numbers(std::int64_t count)
      : count_(int(count))
#if defined(__AVX512F__)
        ,
        mask_(mask((std::uint64_t(1) << count) - 1))
#elif defined(__AVX2__)
        ,
        mask_(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(
            all_and_none.data() + (32 - count * std::int64_t(sizeof(S))))))
#endif
  {
  }
  ACC_SIMD_INLINE V load(const S* p) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(S) == 4) return V::of(_mm512_maskz_loadu_ps(mask_, p));
    if constexpr (sizeof(S) == 8) return V::of(_mm512_maskz_loadu_pd(mask_, p));
#elif defined(__AVX2__)
    if constexpr (sizeof(S) == 4) return V::of(_mm256_maskload_ps(p, mask_));
    if constexpr (sizeof(S) == 8) return V::of(_mm256_maskload_pd(p, mask_));
#endif
    V x(S(0));
    for (int i = 0; i < count_; ++i) x.v[i] = p[i];
    return x;
  }
  /// The same, and the others repeat the first number: what is computed with them raises no
  /// floating-point exception that the first one does not.
  ACC_SIMD_INLINE V load_and_repeat(const S* p) const {
    V x(*p);
#if defined(__AVX512F__)
    if constexpr (sizeof(S) == 4) return V::of(_mm512_mask_loadu_ps(x.v, mask_, p));
    if constexpr (sizeof(S) == 8) return V::of(_mm512_mask_loadu_pd(x.v, mask_, p));
#elif defined(__AVX2__)
    if constexpr (sizeof(S) == 4)
      return V::of(_mm256_blendv_ps(x.v, load(p).v, _mm256_castsi256_ps(mask_)));
    if constexpr (sizeof(S) == 8)
      return V::of(_mm256_blendv_pd(x.v, load(p).v, _mm256_castsi256_pd(mask_)));
#endif
    for (int i = 1; i < count_; ++i) x.v[i] = p[i];
    return x;
  }
  ACC_SIMD_INLINE void store(S* p, V x) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(S) == 4) return _mm512_mask_storeu_ps(p, mask_, x.v);
    if constexpr (sizeof(S) == 8) return _mm512_mask_storeu_pd(p, mask_, x.v);
#elif defined(__AVX2__)
    if constexpr (sizeof(S) == 4) return _mm256_maskstore_ps(p, mask_, x.v);
    if constexpr (sizeof(S) == 8) return _mm256_maskstore_pd(p, mask_, x.v);
#endif
    for (int i = 0; i < count_; ++i) p[i] = x[i];
  }

 private:
  int count_;
#if defined(__AVX512F__)
  using mask = std::conditional_t<sizeof(S) == 4, __mmask16, __mmask8>;
  mask mask_;
#elif defined(__AVX2__)
  static constexpr auto all_and_none = [] {
    std::array<signed char, 64> bytes{};
    for (std::size_t i = 0; i < 32; ++i) bytes[i] = -1;
    return bytes;
  }();
  __m256i mask_;
#endif
};

}  // namespace acc::backends::host::ACC_HOST_ISA

#endif
