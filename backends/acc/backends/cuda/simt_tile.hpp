// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_SIMT_TILE_HPP
#define ACC_BACKENDS_CUDA_SIMT_TILE_HPP

/// \file
/// Tiles by ordinary FMA instructions. A thread keeps Rows x Columns entries in registers, in
/// squares of four; a warp is 8 x 4 threads, which have squares in turn: 8 Rows x 4 Columns
/// entries.

#include <acc/backends/cuda/gemm_tile.hpp>
#include <acc/backends/cuda/unroll.hpp>

namespace acc::backends {

/// Panels are padded by 16 bytes (scalar_stage::run).
template <class In, int WarpsDown, int WarpsAcross, int Rows, int Columns, int Piece, int Stages,
          int TotalsInScratch>
struct simt_shape
    : team_shape<In, WarpsDown, WarpsAcross, 8 * Rows, 4 * Columns, 16, Piece, Stages> {
  static constexpr int thread_rows = Rows, thread_columns = Columns;
  static constexpr int totals_in_scratch = TotalsInScratch;
};

template <class Problem, class Shape, class Ops>
using simt_sums = tile_sums<Problem, Shape, Ops, Shape::thread_rows * Shape::thread_columns,
                            Shape::totals_in_scratch>;

template <class Problem, class Shape, class Ops>
class simt_tile : public simt_sums<Problem, Shape, Ops> {
  using base = simt_sums<Problem, Shape, Ops>;
  using base::chains_;
  using base::stages_;
  using typename base::in;
  using typename base::real;
  static constexpr int rows = Shape::thread_rows, columns = Shape::thread_columns;

 public:
  using typename base::shape;

  /// Lanes two by two, so that a quarter of a warp reads few different numbers of either panel.
  KOKKOS_FORCEINLINE_FUNCTION simt_tile(int thread, void* scratch)
      : base(thread, scratch),
        row_(thread / 32 % shape::warps_down * shape::warp_rows + thread / 2 % 8 * 4),
        column_(thread / 32 / shape::warps_down * shape::warp_columns +
                (thread % 2 + thread / 16 % 2 * 2) * 4) {}

  /// Waits for the first piece.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void first_piece(const Team& team) {
    stages_.first(team);
    now_ = read(0);
  }
  /// Leaves a piece of which multiply_some took the last products.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void next_piece(const Team& team) {
    stages_.advance(team);
    now_ = read(0);
  }
  /// All products of the piece, and on to the next one: its first numbers are read before the last
  /// of this one are multiplied.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_piece(const Team& team) {
    ACC_UNROLL for (int k = 1; k <= shape::piece; ++k) {
      if (k == shape::piece) stages_.advance(team);
      const numbers next = read(k % shape::piece);
      multiply(now_);
      now_ = next;
    }
  }
  /// Products [first, end) of the piece.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_some(int first, int end) {
    ACC_NO_UNROLL for (int k = first; k < end; ++k) { multiply(read(k)); }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(const Problem& p, bool aligned, std::int64_t first_row,
                                         std::int64_t first_column) const {
    ACC_UNROLL for (int c = 0; c < columns; ++c) {
      ACC_UNROLL for (int r = 0; r < rows; r += 4) {
        entry_sum<Problem> sums[4];
        ACC_UNROLL for (int i = 0; i < 4; ++i) { sums[i] = this->sum_of(c * rows + r + i); }
        write_run<4>(p, aligned, first_row + row_ + r * 8,
                     first_column + column_ + c / 4 * 16 + c % 4, sums);
      }
    }
  }

 private:
  struct numbers {
    panel_vector<in, 4> a[rows / 4], b[columns / 4];
  };

  KOKKOS_FORCEINLINE_FUNCTION numbers read(int k) const {
    numbers n;
    const in* const a = stages_.a_piece() + k * shape::row_step + row_;
    const in* const b = stages_.b_piece() + k * shape::column_step + column_;
    ACC_UNROLL for (int v = 0; v < rows / 4; ++v) {
      n.a[v] = *reinterpret_cast<const panel_vector<in, 4>*>(a + 32 * v);
    }
    ACC_UNROLL for (int v = 0; v < columns / 4; ++v) {
      n.b[v] = *reinterpret_cast<const panel_vector<in, 4>*>(b + 16 * v);
    }
    return n;
  }

  /// Down one column and up the next: an operand serves two instructions that follow each other.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const numbers& n) {
    ACC_UNROLL for (int c = 0; c < columns; ++c) {
      ACC_UNROLL for (int i = 0; i < rows; ++i) {
        const int r = c % 2 == 0 ? i : rows - 1 - i;
        typename Problem::chain chain{chains_[c * rows + r]};
        chain.add_product(real(n.a[r / 4].x[r % 4]), real(n.b[c / 4].x[c % 4]));
        chains_[c * rows + r] = chain.sum;
      }
    }
  }

  int row_, column_;
  numbers now_;
};

}  // namespace acc::backends

#endif
