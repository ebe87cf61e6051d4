// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_MMA_TILE_HPP
#define ACC_BACKENDS_CUDA_MMA_TILE_HPP

/// \file
/// Tiles whose products the FP64 tensor cores sum: of doubles, and of floats for `widened`. A warp
/// multiplies 16 x 4 Quads by 4 Quads x 8 at a time and keeps RowBlocks x ColumnBlocks such blocks
/// of C in registers.
///
/// A lane reads numbers that lie side by side, so the rows of a block are not adjacent rows of C; k
/// is in its place. Where fewer than four products are due, before a strip's end or at the end of
/// depth, the others are -0 times +0, which change no sum, not even a zero's sign.

#include <acc/backends/cuda/gemm_tile.hpp>
#include <acc/backends/cuda/unroll.hpp>

namespace acc::backends {

/// Panels are padded by 32 bytes: the four depths that a warp reads at once lie in different banks.
template <class In, int WarpsDown, int WarpsAcross, int RowBlocks, int ColumnBlocks, int Quads,
          int Piece, int Stages>
struct mma_shape
    : team_shape<In, WarpsDown, WarpsAcross, 16 * RowBlocks, 8 * ColumnBlocks, 32, Piece, Stages> {
  static constexpr int row_blocks = RowBlocks, column_blocks = ColumnBlocks, quads = Quads;
};

template <class Problem, class Shape, class Ops>
using mma_sums = tile_sums<Problem, Shape, Ops, Shape::row_blocks * Shape::column_blocks * 4, 0>;

template <class Problem, class Shape, class Ops>
class mma_tile : public mma_sums<Problem, Shape, Ops> {
  using base = mma_sums<Problem, Shape, Ops>;
  using base::chains_;
  using base::stages_;
  using typename base::in;
  static constexpr int row_blocks = Shape::row_blocks, column_blocks = Shape::column_blocks;
  static constexpr int quads = Shape::quads;
  static_assert(std::is_same_v<typename Problem::real, double>);

 public:
  using typename base::shape;

  KOKKOS_FORCEINLINE_FUNCTION mma_tile(int thread, void* scratch)
      : base(thread, scratch),
        q_(thread % 4),
        row_(thread / 32 % shape::warps_down * shape::warp_rows + thread % 32 / 4 * row_run),
        column_(thread / 32 / shape::warps_down * shape::warp_columns),
        g_(thread % 32 / 4) {}

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
    ACC_UNROLL for (int k = 0; k < shape::piece; k += 4 * quads) {
      ACC_UNROLL for (int v = 0; v < row_vectors; ++v) {
        const bool last = v + 1 == row_vectors;
        const int next_k = last ? (k + 4 * quads) % shape::piece : k;
        if (last && next_k == 0) stages_.advance(team);
        const row_numbers next_a = read_rows(next_k, last ? 0 : v + 1);
        const column_numbers next_b = last ? read_columns(next_k) : b_;
        multiply_blocks(v);
        a_ = next_a;
        b_ = next_b;
      }
    }
  }
  /// Products [first, end) of the piece.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_some(int first, int end) {
    ACC_NO_UNROLL for (int k = first / 4 * 4; k < end; k += 4) {
      multiply_four(k, first - k, end - k);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(const Problem& p, bool aligned, std::int64_t first_row,
                                         std::int64_t first_column) const {
    ACC_UNROLL for (int v = 0; v < row_vectors; ++v) {
      ACC_UNROLL for (int c = 0; c < column_blocks; ++c) {
        ACC_UNROLL for (int f = 0; f < 2; ++f) {
          entry_sum<Problem> sums[row_run];
          ACC_UNROLL for (int r = 0; r < row_run; ++r) {
            const int e = 4 * ((v * row_run + r) / 2 * column_blocks + c) + r % 2 * 2 + f;
            sums[r] = this->sum_of(e);
          }
          write_run<row_run>(p, aligned, first_row + row_ + v * 8 * row_run,
                             first_column + column_ + c / column_run * 8 * column_run +
                                 (2 * q_ + f) * column_run + c % column_run,
                             sums);
        }
      }
    }
  }

 private:
  /// Rows and columns of a lane that lie side by side: 16 bytes, where it has as many.
  static constexpr int vector = 16 / int(sizeof(in));
  static constexpr int row_run = vector < 2 * row_blocks ? vector : 2 * row_blocks;
  static constexpr int column_run = vector < column_blocks ? vector : column_blocks;
  static constexpr int row_vectors = 2 * row_blocks / row_run;
  static constexpr int column_vectors = column_blocks / column_run;
  static constexpr int blocks = row_run / 2;  ///< of rows, in a vector

  struct row_numbers {
    panel_vector<in, row_run> x[quads];
  };
  struct column_numbers {
    panel_vector<in, column_run> x[quads][column_vectors];
  };

  /// A lane's rows of vector v and its columns, depths k + q, k + q + 4.
  KOKKOS_FORCEINLINE_FUNCTION row_numbers read_rows(int k, int v) const {
    row_numbers n;
    const in* const a = stages_.a_piece() + (k + q_) * shape::row_step + row_ + v * 8 * row_run;
    ACC_UNROLL for (int d = 0; d < quads; ++d) {
      n.x[d] = *reinterpret_cast<const panel_vector<in, row_run>*>(a + 4 * d * shape::row_step);
    }
    return n;
  }
  KOKKOS_FORCEINLINE_FUNCTION column_numbers read_columns(int k) const {
    column_numbers n;
    const in* const b =
        stages_.b_piece() + (k + q_) * shape::column_step + column_ + g_ * column_run;
    ACC_UNROLL for (int d = 0; d < quads; ++d) {
      ACC_UNROLL for (int v = 0; v < column_vectors; ++v) {
        n.x[d][v] = *reinterpret_cast<const panel_vector<in, column_run>*>(
            b + 4 * d * shape::column_step + v * 8 * column_run);
      }
    }
    return n;
  }

  /// The blocks of vector v, whose rows are in a_.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_blocks(int v) {
    double columns[column_blocks][quads];
    ACC_UNROLL for (int c = 0; c < column_blocks; ++c) {
      ACC_UNROLL for (int d = 0; d < quads; ++d) {
        columns[c][d] = double(b_.x[d][c / column_run].x[c % column_run]);
      }
    }
    ACC_UNROLL for (int r = 0; r < blocks; ++r) {
      double rows[quads][2];
      ACC_UNROLL for (int d = 0; d < quads; ++d) {
        ACC_UNROLL for (int h = 0; h < 2; ++h) { rows[d][h] = double(a_.x[d].x[2 * r + h]); }
      }
      ACC_UNROLL for (int c = 0; c < column_blocks; ++c) {
        multiply_block((v * blocks + r) * column_blocks + c, rows, columns[c]);
      }
    }
  }

  /// Products [first, end) of the four from depth k of the piece on.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_four(int k, int first, int end) {
    const in* const a = stages_.a_piece() + (k + q_) * shape::row_step + row_;
    const in* const b =
        stages_.b_piece() + (k + q_) * shape::column_step + column_ + g_ * column_run;
    const bool mine = first <= q_ && q_ < end;
    ACC_UNROLL for (int r = 0; r < row_blocks; ++r) {
      double rows[1][2];
      ACC_UNROLL for (int h = 0; h < 2; ++h) {
        const int i = 2 * r + h;
        rows[0][h] = mine ? double(a[i / row_run * 8 * row_run + i % row_run]) : -0.0;
      }
      ACC_UNROLL for (int c = 0; c < column_blocks; ++c) {
        const double column[1] = {mine ? double(b[c / column_run * 8 * column_run + c % column_run])
                                       : 0.0};
        multiply_block(r * column_blocks + c, rows, column);
      }
    }
  }

  template <int Quads>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_block(int block, const double (&rows)[Quads][2],
                                                  const double (&columns)[Quads]) {
    double c[4];
    ACC_UNROLL for (int e = 0; e < 4; ++e) { c[e] = chains_[4 * block + e]; }
    Ops::multiply(c, rows, columns);
    ACC_UNROLL for (int e = 0; e < 4; ++e) { chains_[4 * block + e] = c[e]; }
  }

  int q_;
  int row_, column_;  ///< this lane's first row, its warp's first column
  int g_;
  row_numbers a_;
  column_numbers b_;
};

}  // namespace acc::backends

#endif
