// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No include guard: a source made for each instruction set includes this once (CMakeLists.txt).

/// \file
/// Exponents of products, from the codes of their factors' exponents (core/gemm/exact_sum.hpp).

#include <acc/backends/host/kernels/simd.hpp>
#include <acc/backends/host/kernels/sums.hpp>

#include <cstdint>
#include <cstring>

namespace acc::backends::host::ACC_HOST_ISA {

namespace {

/// A register of codes, of those that all of the sets have instructions for.
constexpr int words_bytes = vector_bytes < 32 ? vector_bytes : 32, words_count = words_bytes / 2;
typedef std::int16_t words __attribute__((vector_size(words_bytes)));

exponent_extremes range_of_exponents(const std::int16_t* a, const std::int16_t* b, int n,
                                     int lowest) {
  static_assert(tile_step % (2 * words_count) == 0);
  const auto sum = [&](int k) {
    words x, y;
    std::memcpy(&x, a + k, sizeof(x));
    std::memcpy(&y, b + k, sizeof(y));
    return x + y;
  };
  const words none = words{} + std::int16_t(32767), limit = words{} + std::int16_t(lowest);
  words greatest[2] = {~none, ~none}, least[2] = {none, none};
  for (int k = 0; k < n; k += 2 * words_count) {
    for (int r = 0; r < 2; ++r) {
      const words e = sum(k + r * words_count), counted = e < limit ? none : e;
      greatest[r] = e > greatest[r] ? e : greatest[r];
      least[r] = counted < least[r] ? counted : least[r];
    }
  }
  exponent_extremes all{-32768, 32767};
  for (int r = 0; r < 2; ++r) {
    for (int i = 0; i < words_count; ++i) {
      all.greatest = greatest[r][i] > all.greatest ? greatest[r][i] : all.greatest;
      all.least = least[r][i] < all.least ? least[r][i] : all.least;
    }
  }
  return all;
}

/// 16 sums at a time, as bits of a word.
unsigned exponents_at_least(const std::int16_t* a, const std::int16_t* b, int limit) {
#if defined(__x86_64__)
  const __m128i below = _mm_set1_epi16(std::int16_t(limit - 1));
  const auto greater = [&](int k) {
    const auto load = [](const std::int16_t* p) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    };
    return _mm_cmpgt_epi16(_mm_add_epi16(load(a + k), load(b + k)), below);
  };
  return unsigned(_mm_movemask_epi8(_mm_packs_epi16(greater(0), greater(8))));
#else
  unsigned bits = 0;
  for (int k = 0; k < 16; ++k) bits |= unsigned(a[k] + b[k] >= limit) << k;
  return bits;
#endif
}

int select_exponents(const std::int16_t* a, const std::int16_t* b, int n, int limit,
                     std::int32_t* places) {
  static_assert(tile_step % 16 == 0);
  int count = 0;
  for (int k = 0; k < n; k += 16)
    for (unsigned bits = exponents_at_least(a + k, b + k, limit); bits != 0; bits &= bits - 1)
      places[count++] = k + __builtin_ctz(bits);
  return count;
}

}  // namespace

exponent_functions get_exponents() { return {&range_of_exponents, &select_exponents}; }

}  // namespace acc::backends::host::ACC_HOST_ISA
