// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_SIMD_HPP
#define ACC_BACKENDS_HOST_KERNELS_SIMD_HPP

/// \file
/// simd<T, W>: a vector register of W numbers, for the host kernels. It is one of the compiler's
/// vector types. Kokkos SIMD would follow the architecture that Kokkos was configured for; here
/// each kernel source is compiled for its own.
///
/// All of it is in a namespace named after the instruction set, so that no function compiled for a
/// newer processor can be linked into code for an older one.

#include <acc/core/eft.hpp>

#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef ACC_HOST_ISA
#error "define ACC_HOST_ISA, the name of the instruction set, before including simd.hpp"
#endif

namespace acc::backends::host {
/// 1, eight and sixteen times, defined where the compiler of a kernel cannot see it.
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

/// Whether there are 32 vector registers, else 16.
#if defined(__AVX512F__) || !defined(__x86_64__)
inline constexpr bool has_32_registers = true;
#else
inline constexpr bool has_32_registers = false;
#endif

/// Numbers of type T in a register.
template <class T>
inline constexpr int vector_width = vector_bytes / int(sizeof(T));

#define ACC_SIMD_INLINE inline __attribute__((always_inline))

/// f(0), ..., f(N - 1), written out: a loop would keep an array of registers in memory.
template <int N, class F>
ACC_SIMD_INLINE void unrolled(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, N>{});
}
#define ACC_UNROLLED(i) [&](auto i) __attribute__((always_inline))

template <class T, int W>
struct simd {
  typedef T vector __attribute__((vector_size(W * sizeof(T))));
  vector v;

  ACC_SIMD_INLINE simd() = default;
  ACC_SIMD_INLINE explicit simd(T x) : v(all(x, std::make_integer_sequence<int, W>{})) {}
  /// The register x. (A constructor would clash with simd(T): GCC 12 takes a dependent vector type
  /// for its element type there.)
  ACC_SIMD_INLINE static simd of(vector x) {
    simd r;
    r.v = x;
    return r;
  }

  /// W numbers from memory of any alignment.
  ACC_SIMD_INLINE static simd load(const T* p) {
    simd x;
    std::memcpy(&x.v, p, sizeof(vector));
    return x;
  }
  ACC_SIMD_INLINE void store(T* p) const { std::memcpy(p, &v, sizeof(vector)); }
  ACC_SIMD_INLINE T operator[](int i) const { return v[i]; }

  ACC_SIMD_INLINE simd operator-() const { return of(-v); }
  ACC_SIMD_INLINE friend simd operator+(simd a, simd b) { return of(a.v + b.v); }
  ACC_SIMD_INLINE friend simd operator-(simd a, simd b) { return of(a.v - b.v); }
  ACC_SIMD_INLINE friend simd operator*(simd a, simd b) { return of(a.v * b.v); }

  /// The kernels are compiled with contraction off.
  ACC_SIMD_INLINE friend simd rounded(simd a) { return a; }

  ACC_SIMD_INLINE friend simd fma(simd a, simd b, simd c) {
#if defined(__AVX512F__)
    if constexpr (sizeof(vector) == 64 && sizeof(T) == 8) return of(_mm512_fmadd_pd(a.v, b.v, c.v));
    if constexpr (sizeof(vector) == 64 && sizeof(T) == 4) return of(_mm512_fmadd_ps(a.v, b.v, c.v));
#endif
#if defined(__FMA__)
    if constexpr (sizeof(vector) == 32 && sizeof(T) == 8) return of(_mm256_fmadd_pd(a.v, b.v, c.v));
    if constexpr (sizeof(vector) == 32 && sizeof(T) == 4) return of(_mm256_fmadd_ps(a.v, b.v, c.v));
#endif
    simd r;
    for (int i = 0; i < W; ++i) {
      if constexpr (sizeof(T) == 8) r.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
      if constexpr (sizeof(T) == 4) r.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
    }
    return r;
  }

  ACC_SIMD_INLINE friend simd magnitude(simd a) {
    using integer = std::conditional_t<sizeof(T) == 8, long long, int>;
    typedef integer mask __attribute__((vector_size(W * sizeof(T))));
    const integer all_but_sign =
        sizeof(T) == 8 ? integer(0x7fffffffffffffffLL) : integer(0x7fffffff);
    return of((vector)((mask)a.v & (mask{} + all_but_sign)));
  }

 private:
  /// Written out: GCC 12 makes two halves of a loop.
  template <int... I>
  ACC_SIMD_INLINE static vector all(T x, std::integer_sequence<int, I...>) {
    return vector{((void)I, x)...};
  }
};

#if defined(__FMA__)
/// Knuth's TwoSum with every other addition done by an FMA with 1: the same rounded numbers. Zen
/// processors have two pipes that add and two others that multiply and fuse, and additions alone
/// leave half of them idle. On other processors the FMA costs what the addition does. The ones come
/// from memory because a compiler that saw them would make additions of them again.
template <class T, int W>
ACC_SIMD_INLINE sum_and_error<simd<T, W>> two_sum_of_rounded(simd<T, W> a, simd<T, W> b) {
  using V = simd<T, W>;
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

/// As core's of scalars (strip_sum.hpp): a and b, the one of larger magnitude first.
template <class T, int W>
ACC_SIMD_INLINE void larger_first(simd<T, W>& a, simd<T, W>& b) {
  const auto swap = !(magnitude(a).v >= magnitude(b).v);
  const auto larger = simd<T, W>::of(swap ? b.v : a.v);
  b = simd<T, W>::of(swap ? a.v : b.v);
  a = larger;
}

/// W elements of type T as W numbers of type S.
template <class S, int W, class T>
ACC_SIMD_INLINE simd<S, W> load_as(const T* p) {
  if constexpr (std::is_same_v<S, T>) {
    return simd<S, W>::load(p);
  } else {
    typedef T narrow __attribute__((vector_size(W * sizeof(T))));
    narrow x;
    __builtin_memcpy(&x, p, sizeof(x));
    return simd<S, W>::of(__builtin_convertvector(x, typename simd<S, W>::vector));
  }
}

/// The Lane argument of Terms::deposit (core/order/terms.hpp) for a whole register: even and odd
/// lanes in turn.
struct all_lanes {};

template <class T, int W>
ACC_SIMD_INLINE simd<T, W> negate_odd(simd<T, W> a, all_lanes) {
  using integer = std::conditional_t<sizeof(T) == 8, long long, int>;
  typedef integer mask __attribute__((vector_size(W * sizeof(T))));
  const integer sign = sizeof(T) == 8 ? integer(1ULL << 63) : integer(1U << 31);
  mask odd;
  for (int i = 0; i < W; ++i) odd[i] = (i & 1) ? sign : 0;
  return simd<T, W>::of((typename simd<T, W>::vector)((mask)a.v ^ odd));
}

template <class T, int W, int... I>
ACC_SIMD_INLINE simd<T, W> swap_pairs(simd<T, W> a, std::integer_sequence<int, I...>) {
  return simd<T, W>::of(__builtin_shufflevector(a.v, a.v, (I ^ 1)...));
}
/// Neighboring numbers exchanged: real and imaginary parts.
template <class T, int W>
ACC_SIMD_INLINE simd<T, W> swap_pairs(simd<T, W> a) {
  return swap_pairs(a, std::make_integer_sequence<int, W>{});
}

template <int Half, class T, int W, int... I>
ACC_SIMD_INLINE simd<T, W> upper_half(simd<T, W> a, std::integer_sequence<int, I...>) {
  return simd<T, W>::of(__builtin_shufflevector(a.v, a.v, (I % Half + Half)...));
}
/// Of the first 2 Half numbers the second half, also in place of the first. (Number by number the
/// compiler would go by way of memory.)
template <int Half, class T, int W>
ACC_SIMD_INLINE simd<T, W> upper_half(simd<T, W> a) {
  return upper_half<Half>(a, std::make_integer_sequence<int, W>{});
}

template <int Run, int Which, class T, int W, int... I>
ACC_SIMD_INLINE simd<T, W> every_other(simd<T, W> a, simd<T, W> b,
                                       std::integer_sequence<int, I...>) {
  return simd<T, W>::of(
      __builtin_shufflevector(a.v, b.v, ((I / Run * 2 + Which) * Run + I % Run)...));
}
/// Of the 2 W numbers of a and b, in runs of Run numbers: the even (Which = 0) or the odd runs.
template <int Run, int Which, class T, int W>
ACC_SIMD_INLINE simd<T, W> every_other(simd<T, W> a, simd<T, W> b) {
  return every_other<Run, Which>(a, b, std::make_integer_sequence<int, W>{});
}

}  // namespace acc::backends::host::ACC_HOST_ISA

#endif
