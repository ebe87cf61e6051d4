// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_MMA_TILE_HPP
#define ACC_BACKENDS_CUDA_GEMM_MMA_TILE_HPP

/// \file
/// Tiles whose products the FP64 tensor cores sum: of doubles, and of floats for `widened`. A warp
/// multiplies 16 x 4 Quads by 4 Quads x 8 at a time and keeps RowBlocks x ColumnBlocks such blocks
/// of C in registers.
///
/// A lane reads numbers that lie side by side, so the rows of a block are not adjacent rows of C; k
/// is in its place. Where fewer than four products are due, before a strip's end or at the end of
/// depth, the others are -0 times +0, which change no sum, not even a zero's sign.
///
/// A complex product is two real ones with twice the depth, which share A: re a_0, im a_0, re a_1,
/// ... times re b_0, -im b_0, re b_1, ... and times im b_0, re b_0, im b_1, ...: real depth 2 k + q
/// of part p is real product q of part p of complex depth k (complex_product).

#include <acc/backends/cuda/gemm/tile_sums.hpp>
#include <acc/backends/cuda/gemm/mma_panel.hpp>
#include <acc/backends/cuda/unroll.hpp>
#include <acc/core/numbers/complex_product.hpp>

#include <Kokkos_BitManipulation.hpp>

namespace acc::backends::cuda {

/// Panels are padded by 32 bytes, of complex numbers by 64: what a warp reads at once, of four real
/// or two complex depths, lies in different banks.
template <class In, int WarpsDown, int WarpsAcross, int RowBlocks, int ColumnBlocks, int Quads,
          int Piece, int Stages>
struct mma_shape : team_shape<In, WarpsDown, WarpsAcross, 16 * RowBlocks, 8 * ColumnBlocks,
                              32 * impl::components_of<In>, Piece, Stages> {
  static constexpr int row_blocks = RowBlocks, column_blocks = ColumnBlocks, quads = Quads;
  static constexpr int row_run = run_of<In, 2 * RowBlocks>();
  static constexpr int column_run = run_of<In, ColumnBlocks>();
};

template <class Problem, class Shape, class Ops>
using mma_sums = tile_sums<Problem, Shape, Ops, Shape::row_blocks * Shape::column_blocks * 4, 0>;

template <class Problem, class Shape, class Ops>
class mma_tile : public mma_sums<Problem, Shape, Ops> {
  using base = mma_sums<Problem, Shape, Ops>;
  using base::chains_;
  using base::parts;
  using base::stages_;
  using typename base::in;
  static constexpr int row_blocks = Shape::row_blocks, column_blocks = Shape::column_blocks;
  static constexpr int quads = Shape::quads;
  static constexpr int depths = Shape::piece * parts;  ///< real ones of a piece
  static_assert(std::is_same_v<typename Problem::real, double>);
  using product = impl::complex_product;
  /// Of a number of B, real depth 2 k + q of part p takes part q where this is 0, else the other.
  template <int P>
  static constexpr int other = product::part_of_b(P, 0);
  static_assert(product::part_of_b(0, 1) == (1 ^ other<0>) &&
                product::part_of_b(1, 1) == (1 ^ other<1>));

 public:
  using typename base::shape;
  static constexpr bool conjugates = true;
  template <bool Rows, bool Columns>
  using with_deep = mma_tile<Problem, with_deep_panels<Shape, Rows, Columns>, Ops>;

  KOKKOS_FORCEINLINE_FUNCTION mma_tile(int thread, void* scratch)
      : base(thread, scratch),
        q_(thread % 4),
        row_(thread / 32 % shape::warps_down * shape::warp_rows),
        column_(thread / 32 / shape::warps_down * shape::warp_columns),
        g_(thread % 32 / 4),
        rows_(row_, thread % 32),
        columns_(column_, thread % 32) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column) {
    base::begin(p, first_row, first_column);
    if constexpr (parts == 2) {
      ACC_UNROLL for (int part = 0; part < 2; ++part) {
        const bool negates = product::negates(part, q_ % 2, p.a.conjugate, p.b.conjugate);
        sign_[part] = negates ? minus : 0;
      }
    }
  }
  /// Waits for the first piece.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void first_piece(const Team& team) {
    stages_.first(team);
    b_ = read_columns(0);
    a_ = read_rows(0, 0);
  }
  /// Leaves a piece of which multiply_some took the last products.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void next_piece(const Team& team) {
    stages_.advance(team);
    b_ = read_columns(0);
    a_ = read_rows(0, 0);
  }
  /// All products of the piece, and on to the next one: its first numbers are read before the last
  /// of this one are multiplied.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_piece(const Team& team) {
    ACC_UNROLL for (int k = 0; k < depths; k += 4 * quads) {
      ACC_UNROLL for (int s = 0; s < row_shares; ++s) {
        const bool last = s + 1 == row_shares;
        const int next_k = last ? (k + 4 * quads) % depths : k;
        if (last && next_k == 0) stages_.advance(team);
        const row_numbers next_a = read_rows(next_k, last ? 0 : s + 1);
        const column_numbers next_b = last ? read_columns(next_k) : b_;
        multiply_blocks(s);
        a_ = next_a;
        b_ = next_b;
      }
    }
  }
  /// Products [first, end) of the piece.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_some(int first, int end) {
    constexpr int four = 4 / parts;  // real depths
    ACC_NO_UNROLL for (int k = first / four * four; k < end; k += four) {
      multiply_four(k * parts, first - k, end - k);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(const Problem& p, bool aligned, std::int64_t first_row,
                                         std::int64_t first_column) const {
    ACC_UNROLL for (int v = 0; v < row_vectors; ++v) {
      ACC_UNROLL for (int c = 0; c < column_blocks; ++c) {
        ACC_UNROLL for (int f = 0; f < 2; ++f) {
          entry_sum<Problem> sums[row_run];
          ACC_UNROLL for (int r = 0; r < row_run; ++r) {
            const int e =
                4 * ((v * row_run + r) / 2 * column_blocks + c) + (v * row_run + r) % 2 * 2 + f;
            sums[r] = this->sum_of(e);
          }
          write_run<row_run>(p, aligned, first_row + row_ + (v * 8 + g_) * row_run,
                             first_column + column_ + c / column_run * 8 * column_run +
                                 (2 * q_ + f) * column_run + c % column_run,
                             sums);
        }
      }
    }
  }

 private:
  using row_panel = mma_panel<in, 2 * row_blocks, Shape::row_step, Shape::piece, Shape::deep_rows>;
  using column_panel =
      mma_panel<in, column_blocks, Shape::column_step, Shape::piece, Shape::deep_columns>;
  static constexpr int row_run = row_panel::run, row_vectors = row_panel::vectors;
  static constexpr int column_run = column_panel::run, column_vectors = column_panel::vectors;
  /// A lane's rows that are read at once: of each block it has two.
  static constexpr int share = row_run < 2 ? 2 : row_run, row_shares = 2 * row_blocks / share;

  struct row_numbers {
    typename row_panel::numbers x[quads][share / row_run];
  };
  struct column_numbers {
    typename column_panel::numbers x[parts][quads][column_vectors];
  };

  /// Depths k + q, k + q + 4 of a lane's rows of share s, and of its columns.
  KOKKOS_FORCEINLINE_FUNCTION row_numbers read_rows(int k, int s) const {
    row_numbers n;
    ACC_UNROLL for (int d = 0; d < quads; ++d) {
      ACC_UNROLL for (int v = 0; v < share / row_run; ++v) {
        n.x[d][v] = rows_.template read<0>(stages_.a_piece(), k + 4 * d, s * share / row_run + v);
      }
    }
    return n;
  }
  KOKKOS_FORCEINLINE_FUNCTION column_numbers read_columns(int k) const {
    column_numbers n;
    ACC_UNROLL for (int d = 0; d < quads; ++d) {
      ACC_UNROLL for (int v = 0; v < column_vectors; ++v) {
        n.x[0][d][v] = columns_.template read<other<0>>(stages_.b_piece(), k + 4 * d, v);
        if constexpr (parts == 2)
          n.x[1][d][v] = columns_.template read<other<1>>(stages_.b_piece(), k + 4 * d, v);
      }
    }
    return n;
  }

  /// The blocks of share s, whose rows are in a_.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_blocks(int s) {
    double columns[parts][column_blocks][quads];
    ACC_UNROLL for (int p = 0; p < parts; ++p) {
      ACC_UNROLL for (int c = 0; c < column_blocks; ++c) {
        ACC_UNROLL for (int d = 0; d < quads; ++d) {
          columns[p][c][d] = with_sign(b_.x[p][d][c / column_run].x[c % column_run], p);
        }
      }
    }
    ACC_UNROLL for (int r = 0; r < share / 2; ++r) {
      double rows[quads][2];
      ACC_UNROLL for (int d = 0; d < quads; ++d) {
        ACC_UNROLL for (int h = 0; h < 2; ++h) {
          const int i = 2 * r + h;
          rows[d][h] = double(a_.x[d][i / row_run].x[i % row_run]);
        }
      }
      ACC_UNROLL for (int c = 0; c < column_blocks; ++c) {
        ACC_UNROLL for (int p = 0; p < parts; ++p) {
          multiply_block((s * share / 2 + r) * column_blocks + c, p, rows, columns[p][c]);
        }
      }
    }
  }

  /// Products [first, end) of those from real depth k of the piece on.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_four(int k, int first, int end) {
    const bool mine = first <= q_ / parts && q_ / parts < end;
    ACC_UNROLL for (int r = 0; r < row_blocks; ++r) {
      double rows[1][2];
      ACC_UNROLL for (int h = 0; h < 2; ++h) {
        const auto x = rows_.template number<0>(stages_.a_piece(), k, 2 * r + h);
        rows[0][h] = mine ? double(x) : -0.0;
      }
      ACC_UNROLL for (int c = 0; c < column_blocks; ++c) {
        multiply_column<0>(r, c, k, mine, rows);
        if constexpr (parts == 2) multiply_column<1>(r, c, k, mine, rows);
      }
    }
  }
  template <int P>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_column(int r, int c, int k, bool mine,
                                                   const double (&rows)[1][2]) {
    const auto x = columns_.template number<other<P>>(stages_.b_piece(), k, c);
    const double column[1] = {mine ? with_sign(x, P) : 0.0};
    multiply_block(r * column_blocks + c, P, rows, column);
  }

  template <int Quads>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_block(int block, int p, const double (&rows)[Quads][2],
                                                  const double (&columns)[Quads]) {
    const int first = (p * row_blocks * column_blocks + block) * 4;
    double c[4];
    ACC_UNROLL for (int e = 0; e < 4; ++e) { c[e] = chains_[first + e].sum; }
    Ops::multiply(c, rows, columns);
    ACC_UNROLL for (int e = 0; e < 4; ++e) { chains_[first + e].sum = c[e]; }
  }

  /// What of B enters the sums of part p.
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION double with_sign(Number number, int p) const {
    const double x(number);
    if constexpr (parts == 1) {
      return x;
    } else {
      const std::uint64_t sign = std::uint64_t(sign_[p]) << 32;
      return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(x) ^ sign);
    }
  }

  static constexpr std::uint32_t minus = std::uint32_t(1) << 31;
  int q_, row_, column_, g_;  ///< the warp's first row and column; this lane's places in a block
  row_panel rows_;
  column_panel columns_;
  std::uint32_t sign_[2] = {};  ///< of the numbers of B that enter real and imaginary parts
  row_numbers a_;
  column_numbers b_;
};

}  // namespace acc::backends::cuda

#endif
