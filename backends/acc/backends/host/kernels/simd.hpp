// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_SIMD_HPP
#define ACC_BACKENDS_HOST_KERNELS_SIMD_HPP

/// \file
/// A vector register of W numbers, for the host kernels. The compiler's vector types rather than
/// Kokkos SIMD, which follows the architecture that Kokkos itself was configured for; here each
/// kernel file chooses its own.
///
/// Everything lives in a namespace named after the instruction set, so that no function compiled
/// for a newer processor can be linked into code for an older one.

#include <acc/core/eft.hpp>

#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef ACC_HOST_ISA
#error "define ACC_HOST_ISA, the name of the instruction set, before including pack.hpp"
#endif

namespace acc::backends::host {
/// Eight times 1, defined where the compiler of a kernel cannot see it.
extern const double ones[8];
extern const float ones_float[16];
}  // namespace acc::backends::host

namespace acc::backends::host::ACC_HOST_ISA {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

#define ACC_PACK_INLINE inline __attribute__((always_inline))

template <class T, int W>
struct pack {
  typedef T vector __attribute__((vector_size(W * sizeof(T))));
  vector v;

  ACC_PACK_INLINE pack() = default;
  ACC_PACK_INLINE explicit pack(T x) : v(all(x, std::make_integer_sequence<int, W>{})) {}
  /// A pack of the register x. (A constructor would clash with pack(T): GCC 12 takes a dependent
  /// vector type for its element type there.)
  ACC_PACK_INLINE static pack of(vector x) {
    pack r;
    r.v = x;
    return r;
  }

  /// W numbers from memory of any alignment.
  ACC_PACK_INLINE static pack load(const T* p) {
    pack x;
    std::memcpy(&x.v, p, sizeof(vector));
    return x;
  }
  ACC_PACK_INLINE void store(T* p) const { std::memcpy(p, &v, sizeof(vector)); }
  ACC_PACK_INLINE T operator[](int i) const { return v[i]; }

  ACC_PACK_INLINE pack operator-() const { return of(-v); }
  ACC_PACK_INLINE friend pack operator+(pack a, pack b) { return of(a.v + b.v); }
  ACC_PACK_INLINE friend pack operator-(pack a, pack b) { return of(a.v - b.v); }
  ACC_PACK_INLINE friend pack operator*(pack a, pack b) { return of(a.v * b.v); }

  /// These files are compiled with contraction off.
  ACC_PACK_INLINE friend pack rounded(pack a) { return a; }

  ACC_PACK_INLINE friend pack fma(pack a, pack b, pack c) {
#if defined(__AVX512F__)
    if constexpr (sizeof(vector) == 64 && sizeof(T) == 8) return of(_mm512_fmadd_pd(a.v, b.v, c.v));
    if constexpr (sizeof(vector) == 64 && sizeof(T) == 4) return of(_mm512_fmadd_ps(a.v, b.v, c.v));
#endif
#if defined(__FMA__)
    if constexpr (sizeof(vector) == 32 && sizeof(T) == 8) return of(_mm256_fmadd_pd(a.v, b.v, c.v));
    if constexpr (sizeof(vector) == 32 && sizeof(T) == 4) return of(_mm256_fmadd_ps(a.v, b.v, c.v));
#endif
    pack r;
    for (int i = 0; i < W; ++i) {
      if constexpr (sizeof(T) == 8) r.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
      if constexpr (sizeof(T) == 4) r.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
    }
    return r;
  }

  ACC_PACK_INLINE friend pack magnitude(pack a) {
    using integer = std::conditional_t<sizeof(T) == 8, long long, int>;
    typedef integer mask __attribute__((vector_size(W * sizeof(T))));
    const integer all_but_sign =
        sizeof(T) == 8 ? integer(0x7fffffffffffffffLL) : integer(0x7fffffff);
    return of((vector)((mask)a.v & (mask{} + all_but_sign)));
  }

 private:
  /// Written out: GCC 12 makes two halves of a loop.
  template <int... I>
  ACC_PACK_INLINE static vector all(T x, std::integer_sequence<int, I...>) {
    return vector{((void)I, x)...};
  }
};

#if defined(__FMA__)
/// Knuth's TwoSum with every other addition done by an FMA with 1: the same rounded numbers. Zen
/// processors have two pipes that add and two others that multiply and fuse, and additions alone
/// leave half of them idle; on others the FMA costs what the addition does. The ones come from
/// memory because a compiler that saw them would make additions of them again.
template <class T, int W>
ACC_PACK_INLINE sum_and_error<pack<T, W>> two_sum_of_rounded(pack<T, W> a, pack<T, W> b) {
  using V = pack<T, W>;
  V one;
  if constexpr (sizeof(T) == 8) one = V::load(ones);
  if constexpr (sizeof(T) == 4) one = V::load(ones_float);
  const V s = a + b;
  const V b_in_s = fma(-a, one, s);
  const V a_in_s = s - b_in_s;
  const V a_error = fma(-a_in_s, one, a);
  const V b_error = b - b_in_s;
  return {s, fma(a_error, one, b_error)};
}
#endif

/// The lane argument of deposit for a whole pack: even and odd lanes in turn.
struct all_lanes {};

template <class T, int W>
ACC_PACK_INLINE pack<T, W> negate_odd(pack<T, W> a, all_lanes) {
  using integer = std::conditional_t<sizeof(T) == 8, long long, int>;
  typedef integer mask __attribute__((vector_size(W * sizeof(T))));
  const integer sign = sizeof(T) == 8 ? integer(1ULL << 63) : integer(1U << 31);
  mask odd;
  for (int i = 0; i < W; ++i) odd[i] = (i & 1) ? sign : 0;
  return pack<T, W>::of((typename pack<T, W>::vector)((mask)a.v ^ odd));
}

template <class T, int W, int... I>
ACC_PACK_INLINE pack<T, W> swap_pairs(pack<T, W> a, std::integer_sequence<int, I...>) {
  return pack<T, W>::of(__builtin_shufflevector(a.v, a.v, (I ^ 1)...));
}
/// Neighbouring lanes exchanged: real and imaginary parts.
template <class T, int W>
ACC_PACK_INLINE pack<T, W> swap_pairs(pack<T, W> a) {
  return swap_pairs(a, std::make_integer_sequence<int, W>{});
}

template <int Block, int Which, class T, int W, int... I>
ACC_PACK_INLINE pack<T, W> blocks(pack<T, W> a, pack<T, W> b, std::integer_sequence<int, I...>) {
  return pack<T, W>::of(
      __builtin_shufflevector(a.v, b.v, ((I / Block * 2 + Which) * Block + I % Block)...));
}
/// Of the 2 W lanes of a and b, in blocks of Block lanes: the even (Which = 0) or odd blocks.
template <int Block, int Which, class T, int W>
ACC_PACK_INLINE pack<T, W> blocks(pack<T, W> a, pack<T, W> b) {
  return blocks<Block, Which>(a, b, std::make_integer_sequence<int, W>{});
}

}  // namespace acc::backends::host::ACC_HOST_ISA

#endif
