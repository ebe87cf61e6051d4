// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_RESIDUES_NARROW_HPP
#define ACC_BACKENDS_CUDA_RESIDUES_NARROW_HPP

/// \file
/// Products of residues where Y has few rows: one kernel that converts what it multiplies. Residues
/// stay in shared memory, so that each number is read once. (Where Y has many rows, each residue of
/// X would be made many times: convert.hpp makes it once, and writes it to memory.)
///
/// A team has a strip of X's rows and all of Y's, a part of k, and eight moduli: as many sums as
/// its registers hold. Teams add residues of their sums in global memory.

#include <acc/backends/cuda/kernels/residue_products.hpp>
#include <acc/backends/cuda/residues/convert.hpp>
#include <acc/backends/cuda/residues/plan.hpp>
#include <acc/backends/cuda/warp.hpp>
#include <acc/core/exact/crt.hpp>
#include <acc/core/exact/residues.hpp>
#include <acc/core/gemm/exact_sum.hpp>
#include <acc/core/gemm/matrix_data.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace acc::backends::cuda {

/// How a team's residues of one modulus lie in shared memory: rows of X and then of Y, 32 numbers
/// each. The halves of a row change places in every second four rows, so that eight rows' are in
/// different banks.
struct residue_strip {
  static constexpr int rows = 128, depth = 32, bytes = rows * depth;

  /// The byte of a row's number k.
  KOKKOS_FORCEINLINE_FUNCTION static int place(int row, int k) {
    return row * depth + ((k / 16 ^ row / 4) & 1) * 16 + k % 16;
  }
};

/// Products of bytes by a warp. With g = lane_id / 4 and q = lane_id % 4: a sum has rows g, g, g +
/// 8, g + 8 of 16 rows of X, and rows 2 q, 2 q + 1, 2 q, 2 q + 1 of 8 rows of Y.
struct byte_products {
  struct x_rows {
    std::uint32_t word[4];
  };
  struct y_rows {
    std::uint32_t word[2];
  };
  /// 16 rows of X, the first of which is at `rows`.
  KOKKOS_FORCEINLINE_FUNCTION static x_rows load_x([[maybe_unused]] const std::uint8_t* rows,
                                                   [[maybe_unused]] int lane_id) {
    x_rows x{};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    load_matrices(x.word, rows + residue_strip::place(lane_id % 16, lane_id / 16 * 16));
#endif
    return x;
  }
  /// Twice 8 rows of Y.
  KOKKOS_FORCEINLINE_FUNCTION static void load_y([[maybe_unused]] y_rows (&y)[2],
                                                 [[maybe_unused]] const std::uint8_t* rows,
                                                 [[maybe_unused]] int lane_id) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    std::uint32_t word[4];
    load_matrices(
        word, rows + residue_strip::place(lane_id / 16 * 8 + lane_id % 8, lane_id / 8 % 2 * 16));
    y[0] = {{word[0], word[1]}};
    y[1] = {{word[2], word[3]}};
#endif
  }
  KOKKOS_FORCEINLINE_FUNCTION static void multiply([[maybe_unused]] std::int32_t (&sum)[4],
                                                   [[maybe_unused]] const x_rows& x,
                                                   [[maybe_unused]] const y_rows& y,
                                                   [[maybe_unused]] int lane_id) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};\n"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(x.word[0]), "r"(x.word[1]), "r"(x.word[2]), "r"(x.word[3]), "r"(y.word[0]),
          "r"(y.word[1]));
#endif
  }

 private:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  /// Four times 8 rows of 16 bytes, each lane's address that of one of them.
  __device__ static void load_matrices(std::uint32_t (&word)[4], const std::uint8_t* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(std::uint32_t(__cvta_generic_to_shared(row)))
                 : "memory");
  }
#endif
};

/// YTiles: Y has 8 YTiles rows at most.
template <class Problem, int YTiles, class Ops = byte_products>
struct residue_narrow_kernel {
  static_assert(Problem::parts == 1 && YTiles % 2 == 0 && 8 * YTiles <= residue_tile::few_y);
  using in = typename Problem::in;
  using real = typename impl::exact_operands<in>::real;
  using strip = residue_strip;
  static constexpr int threads = 512, warps = threads / 32, moduli_at_once = 8;
  static constexpr int y_rows = 8 * YTiles, x_rows = (strip::rows - y_rows) / 16 * 16;
  static constexpr int x_tiles = x_rows / 16, tiles_of_warp = (x_tiles + 1) / 2;
  static_assert(strip::rows == 8 * warps && 2 * moduli_at_once == warps);
  /// Residues of a part are at most 255, and their sums have 16 bits.
  static constexpr int most_parts = 255;
  static_assert(most_parts * 255 <= 0xffff);
  /// So many blocks of k until sums are reduced: they are below 2^30 + 2^8 in magnitude.
  static constexpr std::int64_t most_blocks_of_sum = 2048;

  /// A matrix by its rows.
  struct operand {
    impl::matrix_data<const in> m;
    bool along_k;  ///< neighbours in memory
    bool aligned;  ///< so are groups of four, which begin on boundaries of 16 bytes
  };
  operand operands[2];    ///< X and Y
  residue_rows sides[2];  ///< their rows' places
  const residue_plan* plan;
  const residue_tables* tables;
  const std::uint8_t* square_moduli;  ///< residue_blocks_of_c::moduli
  std::uint64_t* sums;                ///< zero before
  std::int64_t first_x, end_x;        ///< places of the block's rows
  std::int64_t depth;
  std::int64_t tile_count;  ///< of sums, from modulus to modulus
  bool y_is_rows;
  int teams_of_strip;
  bool has_two_buffers;                             ///< so that a team multiplies while it converts
  std::int64_t blocks_of_sum = most_blocks_of_sum;  ///< fewer for tests

  /// As many teams as there are multiprocessors, and no less than take all moduli.
  static int teams_for(std::int64_t strips, int multiprocessors, int most_moduli) {
    const std::int64_t groups = (most_moduli + moduli_at_once - 1) / moduli_at_once;
    const std::int64_t fitting = multiprocessors / strips;
    return int(fitting > groups ? fitting : groups);
  }
  /// Of k, where moduli are so many groups.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t parts_of(int teams_of_strip, int groups,
                                                           std::int64_t blocks) {
    std::int64_t parts = teams_of_strip / groups;
    if (parts > most_parts) parts = most_parts;
    return parts < blocks ? parts : blocks;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t blocks_of(std::int64_t depth) {
    return (depth + strip::depth - 1) / strip::depth;
  }
  static std::int64_t strips_of(std::int64_t rows) { return (rows + x_rows - 1) / x_rows; }

  struct row {
    const in* data;
    std::int32_t unit;
    std::int32_t is_there;  ///< others count as zeros
  };
  struct shared {
    row rows[strip::rows];
    std::uint32_t divisors[2][moduli_at_once][residue_tables::divisor_words];
  };
  static constexpr int buffer_bytes = moduli_at_once * strip::bytes;
  KOKKOS_FUNCTION static constexpr int scratch_bytes(int buffers) {
    return int(sizeof(shared)) + buffers * buffer_bytes;
  }
  static_assert(sizeof(shared) % 16 == 0);

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t index = team.league_rank();
    run(team, index / teams_of_strip, int(index % teams_of_strip));
  }
  /// The team's strip, and which of the strip's teams it is.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t strip_index,
                                       int of_strip) const {
    const std::int64_t x_first = first_x + strip_index * x_rows;
    const std::int64_t blocks = blocks_of(depth);
    const int moduli = moduli_of(x_first);
    const int groups = (moduli + moduli_at_once - 1) / moduli_at_once;
    // Teams side by side have the same numbers and other moduli.
    const std::int64_t parts = parts_of(teams_of_strip, groups, blocks);
    const int part = of_strip / groups, first_modulus = of_strip % groups * moduli_at_once;
    if (part >= parts) return;
    const int count =
        moduli - first_modulus < moduli_at_once ? moduli - first_modulus : moduli_at_once;
    const std::int64_t begin = blocks * part / parts, end = blocks * (part + 1) / parts;

    auto* const scratch = static_cast<std::uint8_t*>(team.team_scratch(0).get_shmem_aligned(
        std::ptrdiff_t(scratch_bytes(has_two_buffers ? 2 : 1)), 16));
    shared& s = *reinterpret_cast<shared*>(scratch);
    std::uint8_t* const buffers = scratch + sizeof(shared);
    const int thread = team.team_rank(), warp = thread / 32, lane_id = thread % 32;
    for (int n = thread; n < strip::rows; n += threads) s.rows[n] = row_of(n, x_first);
    const int words[2] = {y_is_rows ? plan->words_b : plan->words_a,
                          y_is_rows ? plan->words_a : plan->words_b};
    for (int e = 0; e < 2; ++e) {
      const std::uint32_t* const from = tables->divisors[kernel_words(words[e]) - 1][first_modulus];
      std::uint32_t* const to = s.divisors[e][0];
      for (int n = thread; n < count * residue_tables::divisor_words; n += threads) to[n] = from[n];
    }
    team.team_barrier();

    const int side = 8 * warp >= x_rows ? 1 : 0;
    const std::uint32_t* const divisors = s.divisors[side][0];
    const int own_words = kernel_words(words[side]);
    numbers own(operands[side], s.rows, warp, lane_id, begin);
    real x[2][4];
    own.load(x, depth);
    std::int32_t sum[tiles_of_warp][YTiles][4] = {};
    const int modulus = warp / 2, half = warp % 2;
    for (std::int64_t block = begin; block < end;) {
      const std::int64_t end_of_sum = end - block < blocks_of_sum ? end : block + blocks_of_sum;
      ACC_NO_UNROLL for (; block < end_of_sum; ++block) {
        std::uint8_t* const buffer =
            buffers + (has_two_buffers && block % 2 != 0 ? buffer_bytes : 0);
        const auto next = [&] {
          if (block + 1 < end) own.load(x, depth);
        };
        switch (own_words) {
          case 1:
            own.template convert<1>(x, divisors, count, buffer, next);
            break;
          case 2:
            own.template convert<2>(x, divisors, count, buffer, next);
            break;
          default:
            own.template convert<impl::modulus_constants::max_words>(x, divisors, count, buffer,
                                                                     next);
        }
        team.team_barrier();
        if (modulus < count) multiply(sum, buffer + modulus * strip::bytes, half, lane_id);
        if (!has_two_buffers) team.team_barrier();
      }
      if (modulus < count) {
        const impl::modulus_constants& m = tables->modulus[first_modulus + modulus];
        ACC_UNROLL for (int i = 0; i < tiles_of_warp; ++i)
            ACC_UNROLL for (int j = 0; j < YTiles; ++j) ACC_UNROLL for (int e = 0; e < 4; ++e)
                sum[i][j][e] = std::int32_t(impl::residue_of_sum(sum[i][j][e], m));
      }
    }
    if (modulus < count) add(sum, first_modulus + modulus, x_first - first_x, half, lane_id);
  }

 private:
  /// Numbers of three words and four are converted as those of five: they are rare.
  KOKKOS_FORCEINLINE_FUNCTION static int kernel_words(int words) {
    return words <= 2 ? words : impl::modulus_constants::max_words;
  }
  /// As many as each square of the strip has.
  KOKKOS_FORCEINLINE_FUNCTION int moduli_of(std::int64_t x_first) const {
    const std::int64_t end = x_first + x_rows < end_x ? x_first + x_rows : end_x;
    int most = 1;
    for (std::int64_t n = (x_first - first_x) / residue_squares::rows;
         n * residue_squares::rows < end - first_x; ++n)
      if (square_moduli[n] > most) most = square_moduli[n];
    return most;
  }
  KOKKOS_FORCEINLINE_FUNCTION row row_of(int n, std::int64_t x_first) const {
    const int side = n < x_rows ? 0 : 1;
    const std::int64_t place = side == 0 ? x_first + n : n - x_rows;
    if (place >= (side == 0 ? end_x : sides[1].count)) return {nullptr, 0, 0};
    const std::int64_t i = sides[side].rows[place];
    const impl::row_scale scale = sides[side].scales[i];
    return {&operands[side].m(i, 0), scale.unit, scale.finite() ? 1 : 0};
  }

  /// A thread's two groups of four numbers in each block of k. A warp has eight rows: of two blocks
  /// of four rows, or of two halves of k, so that neighbours in memory are read together.
  struct numbers {
    const operand& from;
    const in* data[2];
    int unit[2];
    bool is_there[2];
    int offset[2];  ///< of their residues
    int of_block[2];
    std::int64_t k;  ///< of the next block

    KOKKOS_FORCEINLINE_FUNCTION numbers(const operand& x, const row* rows, int warp, int lane_id,
                                        std::int64_t begin)
        : from(x), k(begin * strip::depth) {
      ACC_UNROLL for (int i = 0; i < 2; ++i) {
        const int r = 8 * warp + (x.along_k ? 4 * i + lane_id / 8 : lane_id % 8);
        of_block[i] = 4 * (x.along_k ? lane_id % 8 : 4 * i + lane_id / 8);
        offset[i] = strip::place(r, of_block[i]);
        is_there[i] = rows[r].is_there != 0;
        unit[i] = rows[r].unit;
        data[i] = rows[r].data;
        if (is_there[i]) data[i] += (k + of_block[i]) * x.m.column_stride;
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void load(real (&x)[2][4], std::int64_t depth) {
      ACC_UNROLL for (int i = 0; i < 2; ++i) {
        const std::int64_t left = is_there[i] ? depth - k - of_block[i] : 0;
#if defined(__CUDA_ARCH__)
        if constexpr (std::is_same_v<in, float> || std::is_same_v<in, double>) {
          if (from.aligned && left >= 4) {
            constexpr int of_16 = 16 / int(sizeof(in));
            ACC_UNROLL for (int j = 0; j < 4; j += of_16) {
              const loaded<in> v = load_streaming(data[i] + j);
              ACC_UNROLL for (int n = 0; n < of_16; ++n) x[i][j + n] = v.e[n];
            }
            data[i] += strip::depth;
            continue;
          }
        }
#endif
        ACC_UNROLL for (int j = 0; j < 4; ++j) x[i][j] =
            j < left ? real(data[i][j * from.m.column_stride]) : real(0);
        if (is_there[i]) data[i] += strip::depth * from.m.column_stride;
      }
      k += strip::depth;
    }
    /// Residues of x, for `count` moduli; calls next once x is no longer needed.
    template <int Words, class Next>
    KOKKOS_FORCEINLINE_FUNCTION void convert(real (&x)[2][4], const std::uint32_t* divisors,
                                             int count, std::uint8_t* to, const Next& next) const {
      constexpr int together = Words <= 2 ? 2 : 1;
      ACC_UNROLL for (int first = 0; first < 2; first += together) {
        std::uint32_t u[together][4][Words];
        ACC_UNROLL for (int i = 0; i < together; ++i) ACC_UNROLL for (int j = 0; j < 4; ++j)
            impl::biased_integer(x[first + i][j], unit[first + i], u[i][j]);
        if (first + together == 2) next();
        const std::uint32_t* d = divisors;
        std::uint8_t* of_modulus = to;
        ACC_NO_UNROLL for (int l = 0; l < count;
                           ++l, d += residue_tables::divisor_words, of_modulus += strip::bytes) {
          const impl::byte_divisor<Words> m = divisor_at<Words>(d);
          ACC_UNROLL for (int i = 0; i < together; ++i) {
            std::uint32_t byte[4];
            ACC_UNROLL for (int j = 0; j < 4; ++j) byte[j] = impl::byte_residue(u[i][j], m);
            *reinterpret_cast<std::uint32_t*>(of_modulus + offset[first + i]) = packed_bytes(byte);
          }
        }
      }
    }
  };

  /// Every second 16 rows of X with all of Y.
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(std::int32_t (&sum)[tiles_of_warp][YTiles][4],
                                                   const std::uint8_t* bytes, int half,
                                                   int lane_id) {
    typename Ops::y_rows y[YTiles / 2][2];
    ACC_UNROLL for (int j = 0; j < YTiles / 2; ++j)
        Ops::load_y(y[j], bytes + (x_rows + 16 * j) * strip::depth, lane_id);
    ACC_UNROLL for (int i = 0; i < tiles_of_warp; ++i) {
      const int tile = 2 * i + half;
      if (tile >= x_tiles) continue;
      const auto x = Ops::load_x(bytes + 16 * tile * strip::depth, lane_id);
      ACC_UNROLL for (int j = 0; j < YTiles; ++j)
          Ops::multiply(sum[i][j], x, y[j / 2][j % 2], lane_id);
    }
  }
  /// Adds residues of modulus l to those of other parts of k. (Kokkos has no instruction for
  /// additions to unsigned long long: it would compare and swap.)
  KOKKOS_FORCEINLINE_FUNCTION void add(const std::int32_t (&sum)[tiles_of_warp][YTiles][4], int l,
                                       std::int64_t x_first, int half, int lane_id) const {
    using tile = narrow_tile<YTiles>;
    ACC_UNROLL for (int i = 0; i < tiles_of_warp; ++i) {
      const std::int64_t x = x_first + 16 * (2 * i + half);
      if (2 * i + half >= x_tiles || first_x + x >= end_x) continue;
      std::uint64_t* const to = sums + (l * tile_count + x / residue_tile::x) * tile::words;
      ACC_UNROLL for (int j = 0; j < YTiles; ++j) {
        const std::int32_t (&r)[4] = sum[i][j];
        const auto lower = std::uint32_t(r[0] | r[2] << 16);
        const auto upper = std::uint32_t(r[1] | r[3] << 16);
        Kokkos::atomic_add(to + tile::word(int(x % residue_tile::x) / 16, j, lane_id),
                           static_cast<std::uint64_t>(upper) << 32 | lower);
      }
    }
  }
};

}  // namespace acc::backends::cuda

#endif
