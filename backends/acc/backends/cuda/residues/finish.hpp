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
  const std::uint8_t* square_moduli;
  int moduli_of_residues;  ///< residue_products::moduli
  const residue_tables* tables;
  const std::uint32_t* residues;
  int x_tiles, y_tiles;
  std::int64_t first_row, end_row, first_column, end_column;  ///< of the block
  int k_parts;
  bool y_is_rows;
  /// Sums of residues in place of residues (narrow.hpp), `copies` of them, where Y has few rows.
  const unsigned long long* sums = nullptr;
  int tile_words = residue_tile::words, copies = 0;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    switch (tile_words) {
      case narrow_tile<4>::words:
        return word_of_narrow_tile<4>(n);
      case narrow_tile<8>::words:
        return word_of_narrow_tile<8>(n);
      default:
        const int w = int(n % residue_tile::words);
        const int thread = w / 4 % 128, j = 4 * (w / 512 % 8) + w % 4;
        write_word(n, int(n / residue_tile::words),
                   64 * (w / 4096) + 16 * (thread / 32) + thread % 32 / 4,
                   8 * j + 2 * (thread % 4));
    }
  }

 private:
  template <int YTiles>
  KOKKOS_FORCEINLINE_FUNCTION void word_of_narrow_tile(std::int64_t n) const {
    using tile = narrow_tile<YTiles>;
    const auto at = tile::at(int(n % tile::words));
    write_word(n, int(n / tile::words), at.x, at.y);
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
    // Groups of moduli, and the words that so many moduli need.
    if (moduli <= 3) return entries<3>(n, moduli, row, column);
    if (moduli <= 6) return entries<6>(n, moduli, row, column);
    if (moduli <= 8) return entries<8>(n, moduli, row, column);
    if (moduli <= 9) return entries<9>(n, moduli, row, column);
    if (moduli <= 12) return entries<12>(n, moduli, row, column);
    if (moduli <= 15) return entries<15>(n, moduli, row, column);
    if (moduli <= 16) return entries<16>(n, moduli, row, column);
    if constexpr (Most > 16) {
      if (moduli <= 18) return entries<18>(n, moduli, row, column);
      if (moduli <= 21) return entries<21>(n, moduli, row, column);
      return entries<24>(n, moduli, row, column);
    }
  }

  /// A plane's residues: those of the parts of k, added, modulo p_l.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void read(std::int64_t n, int moduli, int plane,
                                        std::uint32_t (&packed)[Count]) const {
    const std::int64_t words = std::int64_t(x_tiles) * y_tiles * tile_words;
    if (sums != nullptr) {
      unsigned long long sum[Count] = {};
#pragma unroll 2
      for (int copy = 0; copy < copies; ++copy) {
        const unsigned long long* const of_copy =
            sums + std::int64_t(copy) * moduli_of_residues * words + n;
#pragma unroll
        for (int l = 0; l < Count; ++l) sum[l] += l < moduli ? of_copy[l * words] : 0;
      }
#pragma unroll
      for (int l = 0; l < Count; ++l)
        packed[l] = l < moduli ? reduced(std::uint32_t(sum[l]), std::uint32_t(sum[l] >> 32), l) : 0;
      return;
    }
    const std::uint32_t* const from =
        residues + std::int64_t(plane) * moduli_of_residues * words + n;
    if (k_parts == 1) {
#pragma unroll
      for (int l = 0; l < Count; ++l) packed[l] = l < moduli ? from[l * words] : 0;
    } else {
      add_parts(from, moduli, words, packed);
    }
  }
  /// Two sums of 16 bits a word.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(const std::uint32_t* from, int moduli,
                                             std::int64_t words,
                                             std::uint32_t (&packed)[Count]) const {
    static_assert(residue_products::max_parts * 256 <= 0xffff);
    std::uint32_t even[Count] = {}, odd[Count] = {};
#pragma unroll 2
    for (int q = 0; q < k_parts; ++q) {
      const std::uint32_t* const part =
          from + std::int64_t(q) * planes * moduli_of_residues * words;
#pragma unroll
      for (int l = 0; l < Count; ++l) {
        const std::uint32_t next = l < moduli ? part[l * words] : 0;
        even[l] += next & 0x00ff00ff;
        odd[l] += next >> 8 & 0x00ff00ff;
      }
    }
#pragma unroll
    for (int l = 0; l < Count; ++l) packed[l] = l < moduli ? reduced(even[l], odd[l], l) : 0;
  }
  /// Four sums modulo p_l: of 16 bits each, two in a word.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t reduced(std::uint32_t even, std::uint32_t odd,
                                                    int l) const {
    std::uint32_t bytes = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const std::uint32_t sum = (e % 2 == 0 ? even : odd) >> 16 * (e / 2) & 0xffff;
      bytes |= impl::residue_of_sum(std::int32_t(sum), tables->modulus[l]) << 8 * e;
    }
    return bytes;
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
                                           std::int64_t column) const {
    constexpr int most = Groups * family::group;
    // Read before it is needed. Residue e: X's place x + 8 (e / 2), Y's y + e % 2. What is outside
    // does not fit, either.
    located of_x[2], of_y[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const std::int64_t r = row + (y_is_rows ? e : 8 * e), c = column + (y_is_rows ? 8 * e : e);
      const located of_row = r < end_row ? at(rows, r) : located{};
      const located of_column = c < end_column ? at(columns, c) : located{};
      of_x[e] = y_is_rows ? of_column : of_row;
      of_y[e] = y_is_rows ? of_row : of_column;
    }
    // Both parts of a complex entry are put together at once: two entries, then the other two.
    std::uint32_t packed[planes][most];
#pragma unroll
    for (int t = 0; t < planes; ++t) read(n, moduli, t, packed[t]);
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
      impl::combine<Groups, Words>(tables->crt[moduli - 1], r, v);
#pragma unroll
      for (int e = 0; e < 4; e += parts) {
        const int entry = first + e / parts;
        const located x = entry / 2 == 0 ? of_x[0] : of_x[1];
        const located y = entry % 2 == 0 ? of_y[0] : of_y[1];
        if (!x.scale.finite() || !y.scale.finite()) continue;
        write(y_is_rows ? y.index : x.index, y_is_rows ? x.index : y.index,
              x.scale.unit + y.scale.unit, v, e);
      }
    }
  }

  /// Entry (i, j) from element e, or e and e + 1, of v.
  template <int Words>
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t i, std::int64_t j, int unit,
                                         const word_quad (&v)[Words], int e) const {
    if constexpr (RoundsOnly) {
      std::uint64_t word[Words], any = 0;
#pragma unroll
      for (int q = 0; q < Words; ++q) any |= word[q] = v[q].x[e];
      using out = typename Problem::out;
      problem.c(i, j) =
          any != 0 ? impl::rounded_words<out, Words>(word, unit) : impl::zero_sum<out>(kinds(i, j));
    } else {
      impl::exact_part<Words> s[parts];
      for (int part = 0; part < parts; ++part) {
        std::uint64_t word[Words], any = 0;
#pragma unroll
        for (int q = 0; q < Words; ++q) any |= word[q] = v[q].x[e + part];
        s[part].magnitude = impl::carried_integer<Words>(word);
        s[part].unit = unit;
        s[part].kinds =
            any == 0 ? kinds(i, parts * j + part) : element_kinds{element_kinds::nonzero};
        s[part].settle();
      }
      impl::write_exact_entry(problem, i, j, s);
    }
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
