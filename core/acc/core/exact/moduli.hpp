// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_MODULI_HPP
#define ACC_CORE_EXACT_MODULI_HPP

/// \file
/// The moduli of exact matrix products, how large an integer so many of them hold, and the
/// constants by which integers are divided by them (docs/arithmetic.md, "Exact products").
///
/// Sums of integers are computed modulo small numbers p_l that have no common factor, by the
/// integer products of matrix units, and put together again by the Chinese remainder theorem
/// (crt.hpp). Nothing is rounded on the way, so no bit depends on how many moduli there are, or on
/// which (Ozaki, Uchino, Imamura 2025, arXiv:2504.08009, "Ozaki scheme II").
///
/// What a kernel needs, in a few words:
///  - byte_moduli, word_moduli: the families; residues of A and B are bytes, or words of 16 bits;
///  - capacity(L), moduli_for(bits): which integers L moduli hold; row_norm.hpp has closer bounds;
///  - modulus_constants<Family>(l), crt_constants<Family>(L): made at compile time or on the host;
///    a kernel gets them as arguments, which lie in a GPU's constant memory;
///  - residues.hpp: from numbers to residues; crt.hpp: from sums of products to integers, and to
///    numbers.
/// This header needs no Kokkos: the host kernels include it.

#include <acc/core/numbers/macros.hpp>

#include <cstdint>

namespace acc::impl {

/// Residues in [-128, 127], for products of bytes with sums of 32 bits: 256, and the largest
/// numbers below it without a common factor with those before.
struct byte_moduli {
  static constexpr int count = 24;
  /// The product of so many is below 2^24.
  static constexpr int group = 3;
  /// The largest magnitude of a residue, as residues.hpp makes it.
  static constexpr std::int64_t largest_residue = 128;
  ACC_FUNCTION static constexpr std::uint32_t modulus(int l) {
    constexpr std::uint32_t p[count] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217,
                                        211, 199, 197, 193, 191, 181, 179, 173, 167, 163, 157, 151};
    return p[l];
  }
};

/// Residues in [-2048, 2048], for products of words of 16 bits with sums of 32 bits: 4096, and the
/// largest numbers below it without a common factor with those before.
struct word_moduli {
  static constexpr int count = 16;
  static constexpr int group = 2;
  static constexpr std::int64_t largest_residue = 2048;
  ACC_FUNCTION static constexpr std::uint32_t modulus(int l) {
    constexpr std::uint32_t p[count] = {4096, 4095, 4093, 4091, 4087, 4079, 4073, 4063,
                                        4061, 4057, 4051, 4049, 4037, 4033, 4031, 4027};
    return p[l];
  }
};

/// Products of residues whose sum a signed word of 32 bits holds, for any residues: 2^17 - 1 of
/// bytes. Longer sums are cut, and residues of their parts added.
template <class Family>
inline constexpr std::int64_t max_residue_products =
    ((std::int64_t(1) << 31) - 1) / (Family::largest_residue * Family::largest_residue);

/// Nonnegative integers for tables, of 32-bit words.
struct table_integer {
  static constexpr int words = 8;
  std::uint32_t word[words] = {};

  constexpr table_integer(std::uint32_t x) { word[0] = x; }
  constexpr table_integer times(std::uint32_t x) const {
    table_integer r = *this;
    std::uint64_t carry = 0;
    for (auto& w : r.word) {
      carry += std::uint64_t(w) * x;
      w = std::uint32_t(carry);
      carry >>= 32;
    }
    return r;
  }
  constexpr table_integer divided(std::uint32_t x) const {
    table_integer r = *this;
    std::uint64_t rest = 0;
    for (int j = words; j-- > 0;) {
      rest = rest << 32 | r.word[j];
      r.word[j] = std::uint32_t(rest / x);
      rest %= x;
    }
    return r;
  }
  constexpr std::uint32_t modulo(std::uint32_t x) const {
    std::uint64_t rest = 0;
    for (int j = words; j-- > 0;) rest = (rest << 32 | word[j]) % x;
    return std::uint32_t(rest);
  }
  constexpr table_integer minus(const table_integer& b) const {
    table_integer r = *this;
    std::uint64_t carry = 1;
    for (int j = 0; j < words; ++j) {
      carry += std::uint64_t(word[j]) + std::uint32_t(~b.word[j]);
      r.word[j] = std::uint32_t(carry);
      carry >>= 32;
    }
    return r;
  }
  /// Bits needed to write it.
  constexpr int length() const {
    for (int j = words; j-- > 0;)
      for (int bit = 32; bit-- > 0;)
        if (word[j] >> bit & 1) return 32 * j + bit + 1;
    return 0;
  }
  /// Its upper 32 bits, the first of which is 1; the number is not zero.
  constexpr std::uint32_t upper_word() const {
    const int first = length() - 32;
    if (first <= 0) return word[0] << -first;
    const std::uint64_t above = first / 32 + 1 < words ? word[first / 32 + 1] : 0;
    return std::uint32_t((above << 32 | word[first / 32]) >> first % 32);
  }
};

/// P, the product of the first L moduli.
template <class Family>
constexpr table_integer product_of_moduli(int L) {
  table_integer p(1);
  for (int l = 0; l < L; ++l) p = p.times(Family::modulus(l));
  return p;
}

/// Groups of the first L moduli, and words of an integer below 2^capacity(L) with its sign.
template <class Family>
constexpr int groups_of(int L) {
  return (L + Family::group - 1) / Family::group;
}
template <class Family>
constexpr int words_of_moduli(int L) {
  return (product_of_moduli<Family>(L).length() + 31) / 32;
}

/// The quotient X/P is found from a fraction of 32 bits that is too small by less than the sum of
/// the residues, each below 2 p (crt.hpp), in units of 2^-32: by less than 2^-margin.
template <class Family>
inline constexpr int crt_margin = Family::group == 3 ? 18 : 14;

/// L moduli hold every integer X with 2 |X| at most this, P (1 - 2^(1 - margin)), rounded down:
/// X/P + 1/2 lies in [2^-margin, 1), and in [0, 1) after the error. Where X is known not to be
/// negative, so does X/P + 2^-margin, for X at most this.
template <class Family>
constexpr table_integer twice_the_largest(int L) {
  const table_integer p = product_of_moduli<Family>(L);
  return p.minus(p.divided(1u << (crt_margin<Family> - 1))).minus(table_integer(1));
}
/// L moduli hold every integer |X| <= 2^capacity(L).
template <class Family>
constexpr int capacity(int L) {
  return twice_the_largest<Family>(L).length() - 2;
}

/// 2^(31 + i / 8), rounded down, for 0 <= i < 8: logarithms in eighths are found by comparison.
ACC_FUNCTION constexpr std::uint32_t eighth_root(int i) {
  constexpr std::uint32_t roots[8] = {2147483648, 2341847523, 2553802833, 2784941737,
                                      3037000499, 3311872529, 3611622602, 3938502375};
  return roots[i];
}
/// The largest q for which L moduli are known to hold every integer |X| <= 2^(q / 8).
template <class Family>
constexpr int capacity_in_eighths(int L) {
  const table_integer twice = twice_the_largest<Family>(L);
  const std::uint32_t upper = twice.upper_word();
  int i = 0;
  while (i < 7 && upper > eighth_root(i + 1)) ++i;
  return 8 * (twice.length() - 2) + i;
}
/// The same for integers 0 <= X <= 2^(q / 8): twice as large ones, where the words of X have a bit
/// left for its sign.
template <class Family>
constexpr int nonnegative_capacity_in_eighths(int L) {
  const int by_moduli = capacity_in_eighths<Family>(L) + 8;
  const int by_words = 8 * (32 * words_of_moduli<Family>(L) - 1) - 1;
  return by_moduli < by_words ? by_moduli : by_words;
}
/// Of each L, as kernels take them: made when this is compiled.
template <class Family>
struct capacities_in_eighths {
  /// [whether X is known not to be negative]
  int of[2][Family::count + 1] = {{-1}, {-1}};

  constexpr capacities_in_eighths() {
    for (int l = 1; l <= Family::count; ++l) {
      of[0][l] = capacity_in_eighths<Family>(l);
      of[1][l] = nonnegative_capacity_in_eighths<Family>(l);
    }
  }
};
template <class Family>
inline constexpr capacities_in_eighths<Family> all_capacities_in_eighths{};

/// The least number of moduli that hold every integer |X| <= 2^bits; 0 where all of them do not.
///
/// A row of A whose numbers are integers |a'| <= 2^wA in units of its own, and a column of B alike,
/// have |sum of k products| <= 2^(wA + wB + ceil(log2 k)): these are the bits.
template <class Family>
constexpr int moduli_for(int bits) {
  for (int L = 1; L <= Family::count; ++L)
    if (bits <= capacity<Family>(L)) return L;
  return 0;
}
/// ceil(log2 k), for k >= 1.
constexpr int depth_bits(std::int64_t k) {
  int bits = 0;
  while (std::int64_t(1) << bits < k) ++bits;
  return bits;
}

/// What the functions of residues.hpp need of a modulus.
struct modulus_constants {
  /// Words of 32 bits of a scaled number at most.
  static constexpr int max_words = 5;

  std::uint32_t p;
  std::uint32_t lower;  ///< 2^32 / p, rounded down
  /// The least multiple of p that is at least 2^31: a signed sum and it are not negative together.
  std::uint32_t lift;
  /// 256^(4 t + j) modulo p, four bytes a word, for a scaled number's bytes.
  std::uint32_t weights[max_words];
  /// The bits of the float 2^23, plus what makes it -2^(32 w - 1) modulo p, for w = 1, 2, ...
  /// words. An integer added to them is added to the float.
  std::uint32_t offset[max_words];
  float number;      ///< p
  float reciprocal;  ///< 1 / p, to nearest
  /// 1.5 2^23 + K, where K is the least multiple of 256 for which K p >= 2^23 + 512.
  float shift;

  constexpr explicit modulus_constants(std::uint32_t modulus)
      : p(modulus),
        lower(std::uint32_t((std::uint64_t(1) << 32) / modulus)),
        lift(((std::uint32_t(1) << 31) + modulus - 1) / modulus * modulus),
        weights{},
        offset{},
        number(float(modulus)),
        reciprocal(1.0f / float(modulus)),
        shift(12582912.0f +
              float(((std::uint32_t(1) << 23) + 512 + 256 * modulus - 1) / (256 * modulus) * 256)) {
    constexpr std::uint32_t bits_of_2_23 = 0x4b000000;
    std::uint32_t power = 1;
    for (int t = 0; t < max_words; ++t) {
      for (int j = 0; j < 4; ++j) {
        weights[t] |= (power & 255) << (8 * j);
        power = power * 256 % p;
      }
      // power is 2^(32 (t + 1)) now: half of it, modulo p.
      std::uint32_t half = 1;
      for (int i = 0; i < 32 * (t + 1) - 1; ++i) half = half * 2 % p;
      offset[t] = bits_of_2_23 + (2 * p - half - (std::uint32_t(1) << 23) % p) % p;
    }
  }
};

/// What `combine` (crt.hpp) needs of the first L moduli. They are taken in groups whose products
/// Q_g are below 2^24, so that no sum of products overflows 64 bits.
template <class Family>
struct crt_constants {
  static constexpr int max_groups = Family::count / Family::group;
  static constexpr int max_words = 6;
  static_assert(Family::count % Family::group == 0);

  int L;
  /// Of modulus l of group g: the number below Q_g that is 1 / (P / p_l) modulo p_l, times
  /// Q_g / p_l. 0 beyond L.
  std::uint32_t weight[Family::count];
  /// The same over Q_g, in units of 2^-32, rounded down.
  std::uint32_t fraction[Family::count];
  std::uint32_t group_product[max_groups];        ///< Q_g
  std::uint32_t cofactor[max_groups][max_words];  ///< P / Q_g
  std::uint32_t minus_product[max_words];         ///< -P modulo 2^(32 max_words)

  constexpr explicit crt_constants(int moduli)
      : L(moduli), weight{}, fraction{}, group_product{}, cofactor{}, minus_product{} {
    const table_integer product = product_of_moduli<Family>(L);
    const table_integer negative = table_integer(0).minus(product);
    for (int j = 0; j < max_words; ++j) minus_product[j] = negative.word[j];
    for (int g = 0; g < max_groups; ++g) {
      const int first = g * Family::group;
      const int end = first + Family::group < L ? first + Family::group : L;
      std::uint32_t q = 1;
      for (int l = first; l < end; ++l) q *= Family::modulus(l);
      group_product[g] = q;
      const table_integer others = product.divided(q);
      if (first < L)
        for (int j = 0; j < max_words; ++j) cofactor[g][j] = others.word[j];
      for (int l = first; l < end; ++l) {
        const std::uint32_t p = Family::modulus(l), rest = product.divided(p).modulo(p);
        std::uint32_t inverse = 0;
        for (std::uint32_t i = 1; i < p; ++i)
          if (rest * i % p == 1) inverse = i;
        weight[l] = inverse * (q / p);
        fraction[l] = std::uint32_t((std::uint64_t(inverse) << 32) / p);
      }
    }
  }
};

}  // namespace acc::impl

#endif
