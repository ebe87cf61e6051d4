// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_CRT_HPP
#define ACC_CORE_EXACT_CRT_HPP

/// \file
/// From sums of products of residues to the integer that they are residues of (the Chinese
/// remainder theorem), by integer operations alone:
///  - lazy_residue, residue_of_sum: a 32-bit sum modulo p;
///  - combine: the residues of L moduli to an integer in two's complement.
/// scaled_integer.hpp rounds that integer. This header needs no Kokkos.
///
/// X = sum_l r_l W_l - q P, where W_l is 1 modulo p_l and 0 modulo the others. A group g of moduli
/// with product Q_g has W_l = (P / Q_g) w_l, w_l < Q_g, so X = sum_g y_g P / Q_g - q P, where
/// y_g = sum_l r_l w_l modulo Q_g is of 24 bits: fewer products than one for each word of each W_l.
///
/// Quotients come from fractions of 32 bits: sum_l r_l w_l / Q_g = sum_l r_l f_l 2^-32 + e with
/// 0 <= e < sum_l r_l 2^-32. So y_g may be one Q_g too large, where the true one is next to zero,
/// and the same fractions give q: X/P + 1/2 less an error below 2^-crt_margin, which capacity
/// leaves room for. (Of X that is not negative, X/P + 2^-crt_margin.)

#include <acc/core/exact/moduli.hpp>
#include <acc/core/numbers/macros.hpp>

#include <cstdint>

namespace acc::impl {

/// The upper half of a product.
ACC_FUNCTION constexpr std::uint32_t upper_product(std::uint32_t a, std::uint32_t b) {
  return std::uint32_t(std::uint64_t(a) * b >> 32);
}

/// A number in [0, 2 p) that is equal to `sum` modulo p, for sum < 2^31 - p: `combine` asks for no
/// less. The quotient is one too small at most, as lower p > 2^32 - p.
ACC_FUNCTION constexpr std::uint32_t lazy_residue(std::int32_t sum, const modulus_constants& m) {
  const std::uint32_t u = std::uint32_t(sum) + m.lift;
  return u - upper_product(u, m.lower) * m.p;
}
/// The same in [0, p): a byte or a word of 16 bits. Residues of parts of a sum may be added, up to
/// 2^31, and reduced again.
ACC_FUNCTION constexpr std::uint32_t residue_of_sum(std::int32_t sum, const modulus_constants& m) {
  const std::uint32_t r = lazy_residue(sum, m);
  return r >= m.p ? r - m.p : r;
}

/// Numbers below 2^32 in words of 64 bits. A register of them (the host kernels') has functions of
/// the same names.
ACC_FUNCTION constexpr std::uint64_t wide_product(std::uint64_t a, std::uint32_t b) {
  return std::uint64_t(std::uint32_t(a)) * b;
}
ACC_FUNCTION constexpr std::uint64_t lower_word(std::uint64_t a) { return std::uint32_t(a); }
ACC_FUNCTION constexpr std::uint64_t upper_word(std::uint64_t a) { return a >> 32; }

/// The integer |X| <= 2^capacity(L) with residues r[l] < 2 p_l, as Words words in two's complement.
/// Groups >= groups_of(L), and Words >= words_of_moduli(L). r has Groups * Family::group elements;
/// those from L on may be anything below 2^32. Nonnegative: X is, and may be of
/// nonnegative_capacity_in_eighths(L).
template <int Groups, int Words, class Family, class V>
ACC_FUNCTION constexpr void combine(const crt_constants<Family>& c, const V* r, V* x,
                                    bool nonnegative = false) {
  V sum[Words];
  V quotient = V(std::uint64_t(1) << (nonnegative ? 32 - crt_margin<Family> : 31));
  for (int j = 0; j < Words; ++j) sum[j] = V(0);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int g = 0; g < Groups; ++g) {
    V y = V(0), fraction = V(0);
    for (int i = 0; i < Family::group; ++i) {
      const int l = g * Family::group + i;
      y = y + wide_product(r[l], c.weight[l]);
      fraction = fraction + wide_product(r[l], c.fraction[l]);
    }
    quotient = quotient + lower_word(fraction);
    // Of 25 bits: the difference of the lower words has them all.
    y = lower_word(y - wide_product(upper_word(fraction), c.group_product[g]));
    for (int j = 0; j < Words; ++j) sum[j] = sum[j] + wide_product(y, c.cofactor[g][j]);
  }
  quotient = upper_word(quotient);
  V carry = V(0);
  for (int j = 0; j < Words; ++j) {
    carry = carry + sum[j] + wide_product(quotient, c.minus_product[j]);
    x[j] = lower_word(carry);
    carry = upper_word(carry);
  }
}

}  // namespace acc::impl

#endif
