// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_RESIDUES_FINISH_HPP
#define ACC_BACKENDS_CUDA_RESIDUES_FINISH_HPP

/// \file
/// Entries from residues.

#include <acc/backends/cuda/kernels/residue_products.hpp>
#include <acc/backends/cuda/residues/plan.hpp>
#include <acc/core/exact/complex_residues.hpp>
#include <acc/core/exact/crt.hpp>
#include <acc/core/exact/exact_part.hpp>
#include <acc/core/exact/moduli.hpp>
#include <acc/core/exact/rounding.hpp>
#include <acc/core/exact/row_scale.hpp>
#include <acc/core/exact/scaled_integer.hpp>
#include <acc/core/gemm/exact_entry.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/gemm_method.hpp>
#include <acc/core/numbers/element_kinds.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// Four numbers below 2^32 in words of 64 bits: `combine` reads its constants once for all.
struct word_quad {
  std::uint64_t x[4];

  word_quad() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit word_quad(std::uint64_t v) : x{v, v, v, v} {}
  KOKKOS_FORCEINLINE_FUNCTION friend word_quad operator+(word_quad a, const word_quad& b) {
    for (int i = 0; i < 4; ++i) a.x[i] += b.x[i];
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend word_quad operator-(word_quad a, const word_quad& b) {
    for (int i = 0; i < 4; ++i) a.x[i] -= b.x[i];
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend word_quad wide_product(word_quad a, std::uint32_t b) {
    for (int i = 0; i < 4; ++i) a.x[i] = std::uint64_t(std::uint32_t(a.x[i])) * b;
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend word_quad lower_word(word_quad a) {
    for (int i = 0; i < 4; ++i) a.x[i] = std::uint32_t(a.x[i]);
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend word_quad upper_word(word_quad a) {
    for (int i = 0; i < 4; ++i) a.x[i] >>= 32;
    return a;
  }
};

/// Entries from residues: a thread has a word of four residues of each modulus (residue_tile).
/// RoundsOnly: alpha is 1, beta is 0, and the result is float or double. Most: moduli.
template <class Problem, bool RoundsOnly, int Most>
struct residue_finish_kernel {
  using family = impl::byte_moduli;
  static constexpr int parts = Problem::parts, planes = impl::residue_planes<parts>;

  Problem problem;
  residue_rows rows, columns;
  const residue_plan* plan;
  const std::uint8_t* square_moduli;
  int moduli_of_residues;  ///< residue_products::moduli
  const residue_tables* tables;
  const std::uint32_t* residues;
  int x_tiles, y_tiles;
  std::int64_t first_row, end_row, first_column, end_column;  ///< of the block
  int k_parts;
  bool y_is_rows;
  /// Sums of residues in place of residues (narrow.hpp), where Y has few rows.
  const std::uint64_t* sums = nullptr;
  int tile_words = residue_tile::words;  ///< a power of two

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const auto at = place(int(n & (tile_words - 1)));
    write_word(n, int(n >> Kokkos::countr_zero(unsigned(tile_words))), at.x, at.y);
  }

 private:
  static constexpr int most_words = impl::words_of_moduli<family>(Most);

  /// What is left to do with entries: all of it but rounding is so much code that it is there once,
  /// and not for each number of moduli.
  struct zeros_of_entries {
    int zeros = 0;  ///< bit after bit: which integers are 0
  };
  struct integers_of_entries {
    std::uint32_t word[4][parts][most_words];
  };
  using unwritten = std::conditional_t<RoundsOnly, zeros_of_entries, integers_of_entries>;
  /// Words of four residues, where they are put together from those of parts of k.
  static constexpr int whole_groups = impl::groups_of<family>(Most) * family::group;
  struct residues_of_parts {
    std::uint32_t word[planes][whole_groups];
  };

  /// Of the first residue of a tile's word.
  KOKKOS_FORCEINLINE_FUNCTION residue_tile::place place(int word) const {
    if (tile_words == narrow_tile<4>::words) return narrow_tile<4>::at(word);
    if (tile_words == narrow_tile<8>::words) return narrow_tile<8>::at(word);
    return residue_tile::at(word);
  }
  /// Entries of word n, whose first residue is of a tile's rows x and y.
  KOKKOS_FORCEINLINE_FUNCTION void write_word(std::int64_t n, int tile, int x, int y) const {
    const std::int64_t x_at = std::int64_t(tile / y_tiles) * residue_tile::x + x;
    const std::int64_t y_at = std::int64_t(tile % y_tiles) * residue_tile::y + y;
    const std::int64_t row = first_row + (y_is_rows ? y_at : x_at);
    const std::int64_t column = first_column + (y_is_rows ? x_at : y_at);
    if (row >= end_row || column >= end_column) return;
    const residue_squares squares{x_tiles / 2, y_tiles};
    const int moduli = square_moduli[squares.index(tile / y_tiles / 2, tile % y_tiles)];
    residues_of_parts added;
    if (adds_parts()) add_parts(n, moduli, added);
    unwritten left;
    find_entries(n, moduli, row, column, added, left);
#pragma unroll 1
    for (int entry = 0; entry < 4; ++entry) {
      if constexpr (RoundsOnly) {
        if ((left.zeros >> entry & 1) == 0) continue;
      }
      const std::int64_t r = row + (y_is_rows ? entry % 2 : entry / 2 * 8);
      const std::int64_t c = column + (y_is_rows ? entry / 2 * 8 : entry % 2);
      if (r >= end_row || c >= end_column) continue;
      const located of_row = at(rows, r), of_column = at(columns, c);
      if (!of_row.scale.finite() || !of_column.scale.finite()) continue;
      const std::int64_t i = of_row.index, j = of_column.index;
      if constexpr (RoundsOnly)
        problem.c(i, j) = impl::zero_sum<typename Problem::out>(kinds(i, j));
      else
        write(i, j, of_row.scale.unit + of_column.scale.unit, left.word[entry]);
    }
  }
  /// Groups of moduli, and the words that so many moduli need.
  KOKKOS_FORCEINLINE_FUNCTION void find_entries(std::int64_t n, int moduli, std::int64_t row,
                                                std::int64_t column, const residues_of_parts& added,
                                                unwritten& left) const {
    if (moduli <= 3) return entries<3>(n, moduli, row, column, added, left);
    if (moduli <= 6) return entries<6>(n, moduli, row, column, added, left);
    if (moduli <= 8) return entries<8>(n, moduli, row, column, added, left);
    if (moduli <= 9) return entries<9>(n, moduli, row, column, added, left);
    if (moduli <= 12) return entries<12>(n, moduli, row, column, added, left);
    if (moduli <= 15) return entries<15>(n, moduli, row, column, added, left);
    if (moduli <= 16) return entries<16>(n, moduli, row, column, added, left);
    if constexpr (Most > 16) {
      if (moduli <= 18) return entries<18>(n, moduli, row, column, added, left);
      if (moduli <= 21) return entries<21>(n, moduli, row, column, added, left);
      return entries<24>(n, moduli, row, column, added, left);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION bool adds_parts() const { return sums != nullptr || k_parts > 1; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t words_of_modulus() const {
    return std::int64_t(x_tiles) * y_tiles * tile_words;
  }
  /// Into memory of the thread: one copy of this code serves each number of moduli.
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(std::int64_t n, int moduli,
                                             residues_of_parts& added) const {
    const std::int64_t plane_words = moduli_of_residues * words_of_modulus();
#pragma unroll 1
    for (int plane = 0; plane < planes; ++plane) {
      if (sums != nullptr)
        add(sums + n, 1, 0, moduli, added.word[plane]);
      else
        add(residues + plane * plane_words + n, k_parts, planes * plane_words, moduli,
            added.word[plane]);
    }
  }
  /// Sums modulo p_l of `terms` words, a step apart: of residues, or of sums of residues
  /// (narrow_tile), whose one word has them all.
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Word* from, int terms, std::int64_t step, int moduli,
                                       std::uint32_t (&added)[whole_groups]) const {
    static_assert(residue_products::max_parts * 256 <= 0xffff);
    constexpr int together = 8;  // loads of a thread that are under way
    const std::int64_t words = words_of_modulus();
#pragma unroll 1
    for (int first = 0; first < moduli; first += together) {
      // Four sums of 16 bits: the first and the third in the lower half.
      std::uint64_t sum[together] = {};
      const Word* at = from + first * words;
#pragma unroll 2
      for (int q = 0; q < terms; ++q, at += step) {
#pragma unroll
        for (int l = 0; l < together; ++l) {
          const Word next = first + l < moduli ? at[l * words] : 0;
          if constexpr (sizeof(Word) == 8)
            sum[l] += next;
          else
            sum[l] += std::uint64_t(next >> 8 & 0x00ff00ff) << 32 | (next & 0x00ff00ff);
        }
      }
#pragma unroll
      for (int l = 0; l < together; ++l)
        if (first + l < moduli) added[first + l] = reduced(sum[l], tables->modulus[first + l]);
    }
  }
  /// Four sums modulo p.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t reduced(std::uint64_t sums_of_four,
                                                           const impl::modulus_constants& m) {
    std::uint32_t bytes = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const auto sum = std::int32_t(sums_of_four >> (32 * (e % 2) + 16 * (e / 2)) & 0xffff);
      bytes |= impl::residue_of_sum(sum, m) << 8 * e;
    }
    return bytes;
  }
  /// A plane's residues.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void read(std::int64_t n, int moduli, int plane,
                                        const residues_of_parts& added,
                                        std::uint32_t (&packed)[Count]) const {
    if (adds_parts()) {
#pragma unroll
      for (int l = 0; l < Count; ++l) packed[l] = l < moduli ? added.word[plane][l] : 0;
    } else {
      const std::int64_t words = words_of_modulus();
      const std::uint32_t* const from = residues + plane * moduli_of_residues * words + n;
#pragma unroll
      for (int l = 0; l < Count; ++l) packed[l] = l < moduli ? from[l * words] : 0;
    }
  }

  /// A row of A or a column of B.
  struct located {
    impl::row_scale scale{0, impl::number_range::far};
    std::int64_t index = 0;
  };
  KOKKOS_FORCEINLINE_FUNCTION static located at(const residue_rows& side, std::int64_t place) {
    const std::int64_t i = side.rows[place];
    return {side.scales[i], i};
  }

  /// Upto: so many moduli at most. Row and column: places.
  template <int Upto, int Groups = impl::groups_of<family>(Upto),
            int Words = impl::words_of_moduli<family>(Upto)>
  KOKKOS_FORCEINLINE_FUNCTION void entries(std::int64_t n, int moduli, std::int64_t row,
                                           std::int64_t column, const residues_of_parts& added,
                                           unwritten& left) const {
    constexpr int most = Groups * family::group;
    // Read before it is needed. Residue e: X's place x + 8 (e / 2), Y's y + e % 2. What is outside
    // does not fit, either.
    located of_x[2], of_y[2];
    if constexpr (RoundsOnly) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const std::int64_t r = row + (y_is_rows ? e : 8 * e), c = column + (y_is_rows ? 8 * e : e);
        const located of_row = r < end_row ? at(rows, r) : located{};
        const located of_column = c < end_column ? at(columns, c) : located{};
        of_x[e] = y_is_rows ? of_column : of_row;
        of_y[e] = y_is_rows ? of_row : of_column;
      }
    }
    // Both parts of a complex entry are put together at once: two entries, then the other two.
    std::uint32_t packed[planes][most];
#pragma unroll
    for (int t = 0; t < planes; ++t) read(n, moduli, t, added, packed[t]);
#pragma unroll 1
    for (int first = 0; first < 4; first += 4 / parts) {
      word_quad r[most], v[Words];
#pragma unroll
      for (int l = 0; l < most; ++l)
#pragma unroll
        for (int e = 0; e < 4; e += parts) {
          std::uint32_t of_plane[planes];
#pragma unroll
          for (int t = 0; t < planes; ++t)
            of_plane[t] = packed[t][l] >> 8 * (first + e / parts) & 255;
          if constexpr (parts == 1) {
            r[l].x[e] = of_plane[0];
          } else {
            const std::uint32_t p = family::modulus(l);
            r[l].x[e] = impl::real_residue(of_plane[0], of_plane[1], p);
            r[l].x[e + 1] = impl::imaginary_residue(of_plane[0], of_plane[1], of_plane[2], p);
          }
        }
      impl::combine<Groups, Words>(tables->crt[moduli - 1], r, v, plan->nonnegative != 0);
      if constexpr (RoundsOnly && Words <= 2) {
        if (convert_entries<Words>(v, of_x, of_y)) return;
      }
      if constexpr (RoundsOnly) {
        // Four copies of what follows would be more code than instruction caches hold.
#pragma unroll 1
        for (int entry = 0; entry < 4; ++entry) {
          const located x = entry / 2 == 0 ? of_x[0] : of_x[1];
          const located y = entry % 2 == 0 ? of_y[0] : of_y[1];
          if (!x.scale.finite() || !y.scale.finite()) continue;
          std::uint64_t word[Words], any = 0;
#pragma unroll
          for (int q = 0; q < Words; ++q) any |= word[q] = v[q].x[entry];
          if (any == 0)
            left.zeros |= 1 << entry;
          else
            problem.c(y_is_rows ? y.index : x.index, y_is_rows ? x.index : y.index) =
                impl::rounded_words<typename Problem::out, Words>(word,
                                                                  x.scale.unit + y.scale.unit);
        }
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
          for (int q = 0; q < most_words; ++q)
            left.word[first + e / parts][e % parts][q] =
                std::uint32_t(q < Words ? v[q].x[e] : sign_word(v[Words - 1].x[e]));
      }
    }
  }
  /// All four entries of a word, if a conversion rounds each of them: most words of few moduli.
  template <int Words>
  KOKKOS_FORCEINLINE_FUNCTION bool convert_entries(const word_quad (&v)[Words],
                                                   const located (&of_x)[2],
                                                   const located (&of_y)[2]) const {
    bool all = true;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const impl::row_scale x = of_x[e / 2].scale, y = of_y[e % 2].scale;
      std::uint64_t any = 0;
#pragma unroll
      for (int q = 0; q < Words; ++q) any |= v[q].x[e];
      all = all && x.finite() && y.finite() && any != 0 &&
            impl::conversion_rounds<typename Problem::out>(x.unit + y.unit);
    }
    if (!all) return false;
    std::int64_t at_x[2], at_y[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      at_x[e] = of_x[e].index * (y_is_rows ? problem.c.column_stride : problem.c.row_stride);
      at_y[e] = of_y[e].index * (y_is_rows ? problem.c.row_stride : problem.c.column_stride);
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      std::uint64_t word[Words];
#pragma unroll
      for (int q = 0; q < Words; ++q) word[q] = v[q].x[e];
      problem.c.data[at_x[e / 2] + at_y[e % 2]] =
          impl::converted_words<typename Problem::out, Words>(
              word, of_x[e / 2].scale.unit + of_y[e % 2].scale.unit);
    }
    return true;
  }
  /// What is above a number's last word.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t sign_word(std::uint64_t last) {
    return std::uint32_t(std::int32_t(std::uint32_t(last)) >> 31);
  }

  /// Entry (i, j) from its parts' words.
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t i, std::int64_t j, int unit,
                                         const std::uint32_t (&word)[parts][most_words]) const {
    impl::exact_part<most_words> s[parts];
    for (int part = 0; part < parts; ++part) {
      std::uint32_t any = 0;
      for (int q = 0; q < most_words; ++q) any |= word[part][q];
      s[part].magnitude = impl::carried_integer<most_words>(word[part]);
      s[part].unit = unit;
      s[part].kinds = any == 0 ? kinds(i, parts * j + part) : element_kinds{element_kinds::nonzero};
      s[part].settle();
    }
    impl::write_exact_entry(problem, i, j, s);
  }

  /// Of the products of a real entry whose sum is zero.
  KOKKOS_FUNCTION element_kinds kinds(std::int64_t i, std::int64_t column) const {
    const impl::exact_operands<typename Problem::in> operands{problem.a, problem.b};
    constexpr bool cuts = impl::cuts_numbers<typename Problem::method>;
    constexpr bool rounds = !impl::is_entry_accumulator<typename Problem::out>;
    return impl::kinds_of_products<cuts, rounds>(operands, i, column);
  }
};

}  // namespace acc::backends::cuda

#endif
