// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_KERNELS_RESIDUE_PRODUCTS_HPP
#define ACC_BACKENDS_CUDA_KERNELS_RESIDUE_PRODUCTS_HPP

/// \file
/// Products of matrices of signed bytes modulo small numbers, by Hopper's integer tensor cores: a
/// kernel that the library compiles, for the architecture's own instructions (sm_90a), once.
///
/// C_l = X_l Y_l^T modulo p_l, of as many moduli as each square of C takes, and of each plane
/// (core/exact/complex_residues.hpp). X and Y come in blocks
/// of 128 rows and 128 bytes of k, each of which lies in memory as it shall lie in shared memory:
/// one bulk copy fetches it, and no descriptor of the matrix is needed.

#include <acc/core/exact/moduli.hpp>
#include <acc/core/numbers/macros.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

struct CUstream_st;

namespace acc::backends::cuda {

/// How an operand's bytes lie in memory: plane after plane, modulus after modulus, blocks of rows,
/// blocks of k, rows of a block. Sixteen bytes of k change places with the row, so that eight rows'
/// are in different banks (the layout that PTX calls 128-byte swizzling).
struct residue_blocks {
  static constexpr int rows = 128, depth = 128, bytes = rows * depth;
};

/// How residues of C lie in memory: part of k after part, plane after plane, modulus after modulus,
/// tiles of 128 rows of X and 256 of Y, Y's fastest; in a tile, words of four residues: two rows of
/// X, eight apart, and of each two neighbouring rows of Y.
struct residue_tile {
  static constexpr int x = 128, y = 256, words = x * y / 4;
  /// Where Y has no more rows than these, others are not multiplied.
  static constexpr int few_y = 64;
  /// Rows of X and of Y in a tile.
  struct place {
    int x, y;
  };
  /// Of a word's first residue.
  ACC_FUNCTION static constexpr place at(int word) {
    const int thread = word / 4 % 128, j = 4 * (word / 512 % 8) + word % 4;
    return {64 * (word / 4096) + 16 * (thread / 32) + thread % 32 / 4, 8 * j + 2 * (thread % 4)};
  }
};

/// Sums of residues where Y has 8 YTiles rows at most (residues/narrow.hpp): a tile's other rows
/// have none. A word is of 64 bits, and has sums of four residues, of 16 bits each: the first and
/// the third in its lower half. Words of a warp's threads are neighbours.
template <int YTiles>
struct narrow_tile {
  static constexpr int words = residue_tile::x / 4 * (YTiles <= 4 ? 32 : 64);

  /// Of 16 rows of X and 8 of Y.
  ACC_FUNCTION static constexpr int word(int x16, int y8, int lane_id) {
    return (x16 * (words / 256) + y8) * 32 + lane_id;
  }
  /// Of a word's first residue.
  ACC_FUNCTION static constexpr residue_tile::place at(int word) {
    const int lane_id = word % 32, y8 = word / 32 % (words / 256), x16 = word / 32 / (words / 256);
    return {16 * x16 + lane_id / 4, 8 * y8 + 2 * (lane_id % 4)};
  }
};

/// A block of C in squares: two of X's tiles, which a pair of thread blocks computes, and one of
/// Y's. Squares that run at the same time share rows of X and of Y: so many of X's at once.
struct residue_squares {
  static constexpr int rows = 256, band = 8;
  int x, y;  ///< how many

  ACC_FUNCTION constexpr int count() const { return x * y; }
  ACC_FUNCTION constexpr int index(int at_x, int at_y) const {
    const int first = at_x / band * band;
    return first * y + at_y * here(first) + at_x - first;
  }
  struct place {
    int x, y;
  };
  ACC_FUNCTION constexpr place at(int index) const {
    const int first = index / (band * y) * band, in_band = index - first * y;
    return {first + in_band % here(first), in_band / here(first)};
  }

 private:
  ACC_FUNCTION constexpr int here(int first) const { return x - first < band ? x - first : band; }
};
/// The products of a square modulo p_l.
struct residue_item {
  std::int32_t x, y;  ///< of the square
  std::int32_t l;
};

struct residue_products {
  const std::uint8_t *x, *y;  ///< residue_blocks
  std::uint32_t* residues;    ///< in [0, p], of residue_tile
  const residue_item* items;  ///< of all squares and moduli that are wanted
  const int* item_count;
  int moduli;  ///< that X, Y and residues have room for, of each plane
  int planes;
  std::int64_t x_rows, y_rows;
  std::int64_t x_tiles;  ///< an even number
  std::int64_t y_tiles;
  /// Bytes from modulus to modulus. A plane's first one follows the last of the plane before.
  std::int64_t x_stride, y_stride;
  std::int64_t depth_blocks;  ///< blocks of k that X and Y have
  int parts;                  ///< of k, each a result of its own, none empty
  bool adds;                  ///< to the residues that are there, of as many parts or more

  /// Of a part: the sum of so many products and a residue is at most 2^30 in magnitude.
  static constexpr std::int64_t max_depth_blocks = 511;
  /// Their residues are added in 16 bits.
  static constexpr int max_parts = 128;
};

/// What kernels read of all moduli.
struct residue_tables {
  using family = impl::byte_moduli;

  impl::modulus_constants modulus[family::count];
  impl::crt_constants<family> crt[family::count];  ///< [L - 1]: of L moduli
  /// [w - 1]: for numbers of w words. A modulus' byte_divisor, as a team copies it into its memory.
  static constexpr int divisor_words = 12;
  std::uint32_t divisors[impl::modulus_constants::max_words][family::count][divisor_words];
};
/// Makes them, on the host.
template <std::size_t... L>
residue_tables make_residue_tables(std::index_sequence<L...>) {
  using family = residue_tables::family;
  residue_tables t{{impl::modulus_constants(family::modulus(int(L)))...},
                   {impl::crt_constants<family>(int(L) + 1)...},
                   {}};
  for (int w = 0; w < impl::modulus_constants::max_words; ++w)
    for (int l = 0; l < family::count; ++l) {
      const impl::modulus_constants& m = t.modulus[l];
      std::uint32_t* const words = t.divisors[w][l];
      words[0] = m.offset[w];
      words[1] = std::bit_cast<std::uint32_t>(m.number);
      words[2] = std::bit_cast<std::uint32_t>(m.reciprocal);
      words[3] = std::bit_cast<std::uint32_t>(m.shift);
      for (int j = 0; j <= w; ++j) words[4 + j] = m.weights[j];
    }
  return t;
}
inline residue_tables make_residue_tables() {
  return make_residue_tables(std::make_index_sequence<residue_tables::family::count>());
}
/// They lie in the current device's memory from the first call on.
const residue_tables* residue_tables_on_device();

/// Whether the current device has the instructions, and the library was compiled for them.
bool has_residue_products();
/// Enqueues the products.
void launch_residue_products(CUstream_st* stream, const residue_products& products);

}  // namespace acc::backends::cuda

#endif
