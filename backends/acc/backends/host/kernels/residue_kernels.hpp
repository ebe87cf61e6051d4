// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// The kernels of exact products by residues, by vector registers (residues.hpp says what they do).
/// All arithmetic is of integers; where it is done in floating-point registers, every number is an
/// integer that the type holds.

#include <acc/backends/host/kernels/residues.hpp>
#include <acc/backends/host/kernels/simd.hpp>
#include <acc/core/exact/crt.hpp>
#include <acc/core/exact/moduli.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace acc::backends::host::ACC_HOST_ISA {

#if defined(__AVX512VNNI__)
using moduli = impl::byte_moduli;
inline constexpr int residue_mr = 14, residues_per_unit = 4;
#elif defined(__AVX2__)
using moduli = impl::word_moduli;
inline constexpr int residue_mr = 6, residues_per_unit = 2;
#else
using moduli = impl::word_moduli;
inline constexpr int residue_mr = 4, residues_per_unit = 2;
#endif
inline constexpr int lanes = vector_bytes / 4;
inline constexpr int residue_nr = 2 * lanes;
/// A unit of B's bytes is not signed, and less than p.
/// Sums of bytes stay below 2^27, for reduced_sum.
inline constexpr std::int64_t steps_at_once = residues_per_unit == 4
                                                  ? (std::int64_t(1) << 27) / (255 * 128 * 4) - 64
                                                  : impl::max_residue_products<moduli> / 2;

typedef std::int32_t int_lanes __attribute__((vector_size(vector_bytes)));
typedef float float_lanes __attribute__((vector_size(vector_bytes)));

template <class V>
ACC_SIMD_INLINE V load_lanes(const void* p) {
  V v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}
template <class V>
ACC_SIMD_INLINE void store_lanes(void* p, const V& v) {
  std::memcpy(p, &v, sizeof(v));
}

// ---- from numbers to residues ----

inline constexpr float round_float =
    12582912.0f;  // 1.5 * 2^23: x + it is an integer, for |x| < 2^22

ACC_SIMD_INLINE float_lanes multiply_add(float_lanes a, float_lanes b, float_lanes c) {
  return fma(simd<float, lanes>::of(a), simd<float, lanes>::of(b), simd<float, lanes>::of(c)).v;
}

/// The digits of the numbers, the highest first: each is what a magic number (core/exact/magic.hpp)
/// leaves of what the higher ones left. The last one is the nearest integer, ties to even.
ACC_SIMD_INLINE void take_digits(const residue_source& s, int q) {
  constexpr int W = vector_width<double>;
  typedef double V __attribute__((vector_size(vector_bytes)));
  typedef float F __attribute__((vector_size(vector_bytes / 2)));
  double magic[residue_kernels::most_digits], unit[residue_kernels::most_digits];
  for (int t = 0; t < s.digits; ++t) {
    const std::int64_t up = std::int64_t(t) * s.digit_bits;
    const std::uint64_t m = std::uint64_t(1023 + 52 + up) << 52 | std::uint64_t(1) << 51;
    const std::uint64_t u = std::uint64_t(1023 - up) << 52;
    std::memcpy(&magic[t], &m, 8);
    std::memcpy(&unit[t], &u, 8);
  }
  for (std::int64_t e = 0; e < s.count; e += W) {
    V x = load_lanes<V>(s.number[q] + e);
    for (int t = s.digits - 1; t >= 0; --t) {
      const V digit = (x + magic[t]) - magic[t];
      x = x - digit;
      const F f = __builtin_convertvector(digit * unit[t], F);
      store_lanes(s.digit + (t * residues_per_unit + q) * residue_kernels::max_units + e, f);
    }
  }
}

/// Digits times weights is v, |v| < 2^23, so every step is exact except the quotient, which may be
/// off by less than 1/2 + 2^-8 (for p = 256, 1/2): |r| <= 127, or 128 for 256, where that is -128
/// (words: 2048). For p = 255 this needs less than 1/2 + 1/510, and there is: residues of 2^12 and
/// 2^13 are so small that |v| < 2^22 / 1.8, which is off by less than 1/2 + 2^-9.9.
template <int Digits>
ACC_SIMD_INLINE int_lanes residue_of_digits(const float* digit, int digits, const float* weight,
                                            float p, float reciprocal) {
  constexpr std::int64_t next = residues_per_unit * residue_kernels::max_units;
  float_lanes v = load_lanes<float_lanes>(digit) * weight[0];
  if constexpr (Digits > 0) {
    for (int t = 1; t < Digits; ++t)
      v = multiply_add(load_lanes<float_lanes>(digit + t * next), float_lanes{} + weight[t], v);
  } else {
    for (int t = 1; t < digits; ++t)
      v = multiply_add(load_lanes<float_lanes>(digit + t * next), float_lanes{} + weight[t], v);
  }
  const float_lanes quotient = (v * reciprocal + round_float) - round_float;
  return __builtin_convertvector(multiply_add(quotient, float_lanes{} - p, v), int_lanes);
}

template <int Digits>
ACC_SIMD_INLINE void convert_digits(const residue_source& s) {
  for (int l = 0; l < s.moduli; ++l) {
    const auto p = std::int32_t(moduli::modulus(l));
    const float* const weight = s.weights + l * s.digits;
    float w[residue_kernels::most_digits];
    for (int t = 0; t < s.digits; ++t) w[t] = weight[t];
    for (std::int64_t e = 0; e < s.count; e += lanes) {
      int_lanes unit{};
      for (int q = 0; q < residues_per_unit; ++q) {
        int_lanes r = residue_of_digits<Digits>(s.digit + q * residue_kernels::max_units + e,
                                                s.digits, w, float(p), 1.0f / float(p));
        if constexpr (residues_per_unit == 4) {
          if (s.of_b) r += (r >> 31) & p;
          unit |= (r & 255) << (8 * q);
        } else {
          unit |= (r & 65535) << (16 * q);
        }
      }
      store_lanes(s.units + l * s.modulus_stride + e, unit);
    }
  }
}

inline void convert_residues(const residue_source& s) {
  for (int q = 0; q < residues_per_unit; ++q) take_digits(s, q);
  switch (s.digits) {
    case 2:
      return convert_digits<2>(s);
    case 3:
      return convert_digits<3>(s);
    case 4:
      return convert_digits<4>(s);
    case 5:
      return convert_digits<5>(s);
    case 7:
      return convert_digits<7>(s);
    default:
      return convert_digits<0>(s);
  }
}

// ---- products ----

/// c plus the products of units.
ACC_SIMD_INLINE int_lanes add_unit_products(int_lanes c, std::uint32_t a, int_lanes b) {
#if defined(__AVX512VNNI__)
  return (int_lanes)_mm512_dpbusd_epi32((__m512i)c, (__m512i)b, _mm512_set1_epi32(int(a)));
#elif defined(__AVX512BW__)  // the baseline of a build for x86-64-v4
  return c + (int_lanes)_mm512_madd_epi16((__m512i)b, _mm512_set1_epi32(int(a)));
#elif defined(__AVX2__) && !defined(__AVX512F__)
  return c + (int_lanes)_mm256_madd_epi16((__m256i)b, _mm256_set1_epi32(int(a)));
#elif defined(__x86_64__) && !defined(__AVX512F__)
  return c + (int_lanes)_mm_madd_epi16((__m128i)b, _mm_set1_epi32(int(a)));
#else
  const auto low = std::int32_t(std::int16_t(a & 65535)), high = std::int32_t(a) >> 16;
  return c + ((b << 16) >> 16) * low + (b >> 16) * high;
#endif
}

/// A sum modulo p, between -1.2 p and 1.2 p. The quotient is off by less than 1, as it is
/// truncated, and by three roundings: 3 * 2^-24 * 2^27 / 151 < 0.2 of bytes, 3 * 2^-24 * 2^31 /
/// 4027 < 0.1 of words.
ACC_SIMD_INLINE int_lanes reduced_sum(int_lanes sum, std::int32_t p, float reciprocal) {
  const float_lanes x = __builtin_convertvector(sum, float_lanes) * reciprocal;
  return sum - __builtin_convertvector(x, int_lanes) * p;
}

inline void multiply_residues(const residue_product& s) {
  const auto p = std::int32_t(moduli::modulus(s.modulus));
  const float reciprocal = 1.0f / float(p);
  typedef std::uint16_t narrow __attribute__((vector_size(vector_bytes / 2)));
  int_lanes sum[residue_mr][2];
  for (int r = 0; r < residue_mr; ++r)
    for (int c = 0; c < 2; ++c)
      sum[r][c] = s.first
                      ? int_lanes{}
                      : __builtin_convertvector(
                            load_lanes<narrow>(s.residues + r * residue_nr + c * lanes), int_lanes);
  const std::uint32_t* a = s.a;
  const std::uint32_t* b = s.b;
  for (std::int64_t step = 0; step < s.steps;) {
    const std::int64_t end = s.steps - step < steps_at_once ? s.steps : step + steps_at_once;
    for (; step < end; ++step) {
      const int_lanes b0 = load_lanes<int_lanes>(b), b1 = load_lanes<int_lanes>(b + lanes);
      unrolled<residue_mr>(ACC_UNROLLED(r) {
        sum[r][0] = add_unit_products(sum[r][0], a[r], b0);
        sum[r][1] = add_unit_products(sum[r][1], a[r], b1);
      });
      a += residue_mr;
      b += residue_nr;
    }
    unrolled<2 * residue_mr>(
        ACC_UNROLLED(i) { sum[i / 2][i % 2] = reduced_sum(sum[i / 2][i % 2], p, reciprocal); });
  }
  for (int r = 0; r < residue_mr; ++r) {
    for (int c = 0; c < 2; ++c) {
      int_lanes x = sum[r][c];
      x += (x >> 31) & p;
      x += (x >> 31) & p;
      store_lanes(s.residues + r * residue_nr + c * lanes, __builtin_convertvector(x, narrow));
    }
  }
}

// ---- integers ----

/// Numbers below 2^32 in the 64-bit words of a register, as crt.hpp asks for.
struct wide_lanes {
  static constexpr int count = vector_bytes / 8;
  typedef std::uint64_t vector __attribute__((vector_size(vector_bytes)));
  vector v;

  wide_lanes() = default;
  ACC_SIMD_INLINE explicit wide_lanes(std::uint64_t x) : v(vector{} + x) {}
  ACC_SIMD_INLINE static wide_lanes of(vector x) {
    wide_lanes r;
    r.v = x;
    return r;
  }
  ACC_SIMD_INLINE friend wide_lanes operator+(wide_lanes a, wide_lanes b) { return of(a.v + b.v); }
  ACC_SIMD_INLINE friend wide_lanes operator-(wide_lanes a, wide_lanes b) { return of(a.v - b.v); }
  ACC_SIMD_INLINE friend wide_lanes wide_product(wide_lanes a, std::uint32_t b) {
#if defined(__AVX512F__)
    return of((vector)_mm512_mul_epu32((__m512i)a.v, _mm512_set1_epi64(std::int64_t(b))));
#elif defined(__AVX2__)
    return of((vector)_mm256_mul_epu32((__m256i)a.v, _mm256_set1_epi64x(std::int64_t(b))));
#elif defined(__x86_64__)
    return of((vector)_mm_mul_epu32((__m128i)a.v, _mm_set1_epi64x(std::int64_t(b))));
#else
    return of((a.v & 0xffffffffu) * std::uint64_t(b));
#endif
  }
  ACC_SIMD_INLINE friend wide_lanes lower_word(wide_lanes a) { return of(a.v & 0xffffffffu); }
  ACC_SIMD_INLINE friend wide_lanes upper_word(wide_lanes a) { return of(a.v >> 32); }
};

template <int L>
void combine_residues(const std::uint16_t* residues, std::int64_t stride, int count,
                      std::uint32_t* words) {
  static constexpr impl::crt_constants<moduli> constants(L);
  constexpr int groups = impl::groups_of<moduli>(L), width = impl::words_of_moduli<moduli>(L);
  constexpr int n = wide_lanes::count;
  typedef std::uint16_t narrow __attribute__((vector_size(2 * n)));
  typedef std::uint32_t word __attribute__((vector_size(4 * n)));
  for (int e = 0; e < count; e += n) {
    wide_lanes r[groups * moduli::group], x[width];
    // By way of 32 bits: compilers make one instruction of each step, and many of both at once.
    unrolled<groups * moduli::group>(ACC_UNROLLED(l) {
      if constexpr (l < L)
        r[l].v = __builtin_convertvector(
            __builtin_convertvector(load_lanes<narrow>(residues + l * stride + e), word),
            wide_lanes::vector);
      else
        r[l] = wide_lanes(0);
    });
    impl::combine<groups, width>(constants, r, x);
    for (int j = 0; j < width; ++j)
      store_lanes(words + j * count + e, __builtin_convertvector(x[j].v, word));
  }
}

inline void combine_any(int L, const std::uint16_t* residues, std::int64_t stride, int count,
                        std::uint32_t* words) {
  using function = void (*)(const std::uint16_t*, std::int64_t, int, std::uint32_t*);
  static constexpr auto table = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<function, sizeof...(I)>{combine_residues<I + 1>...};
  }(std::make_integer_sequence<int, moduli::count>{});
  table[std::size_t(L - 1)](residues, stride, count, words);
}

const residue_kernels& get_residue_kernels() {
  static constexpr residue_kernels kernels{
      residues_per_unit == 4, residues_per_unit, residue_mr, residue_nr,
      convert_residues,       multiply_residues, combine_any};
  return kernels;
}

}  // namespace acc::backends::host::ACC_HOST_ISA
