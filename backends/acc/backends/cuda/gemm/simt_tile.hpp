// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_CUDA_GEMM_SIMT_TILE_HPP
#define ACC_BACKENDS_CUDA_GEMM_SIMT_TILE_HPP

/// \file
/// Tiles by ordinary instructions. A thread keeps Rows x Columns entries in registers, in squares
/// whose side is 16 bytes of a panel; a warp is 8 x 4 threads, which have squares in turn: 8 Rows x
/// 4 Columns entries.

#include <acc/backends/cuda/gemm/tile_sums.hpp>
#include <acc/backends/cuda/unroll.hpp>
#include <acc/core/numbers/complex_product.hpp>

namespace acc::backends::cuda {

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
  using base::parts;
  using base::stages_;
  using typename base::in;
  using typename base::real;
  static constexpr int rows = Shape::thread_rows, columns = Shape::thread_columns;
  static constexpr int run = 16 / int(sizeof(in));  ///< of numbers side by side
  static_assert(rows % run == 0 && columns % run == 0);

 public:
  using typename base::shape;
  /// Else operands that are to be conjugated are packed.
  static constexpr bool conjugates = Shape::any_strides;

  /// Lanes two by two, so that a quarter of a warp reads few different numbers of either panel.
  KOKKOS_FORCEINLINE_FUNCTION simt_tile(int thread, void* scratch)
      : base(thread, scratch),
        row_(thread / 32 % shape::warps_down * shape::warp_rows + thread / 2 % 8 * run),
        column_(thread / 32 / shape::warps_down * shape::warp_columns +
                (thread % 2 + thread / 16 % 2 * 2) * run) {}

  KOKKOS_FORCEINLINE_FUNCTION void begin(const Problem& p, std::int64_t first_row,
                                         std::int64_t first_column) {
    base::begin(p, first_row, first_column);
    a_sign_ = p.a.conjugate ? real(-1) : real(1);
    b_sign_ = p.b.conjugate ? real(-1) : real(1);
  }
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
    ACC_UNROLL_BY(unrolled) for (int k = 1; k <= shape::piece; ++k) {
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
      ACC_UNROLL for (int r = 0; r < rows; r += run) {
        entry_sum<Problem> sums[run];
        ACC_UNROLL for (int i = 0; i < run; ++i) { sums[i] = this->sum_of(c * rows + r + i); }
        write_run<run>(p, aligned, first_row + row_ + r * 8,
                       first_column + column_ + c / run * 4 * run + c % run, sums);
      }
    }
  }

 private:
  /// Depths written out: as many as the instruction cache is sure to hold.
  static constexpr int unrolled = Problem::chain::components == 1 ? shape::piece : 2;

  struct numbers {
    panel_vector<in, run> a[rows / run], b[columns / run];
  };

  KOKKOS_FORCEINLINE_FUNCTION numbers read(int k) const {
    numbers n;
    const in* const a = stages_.a_piece() + k * shape::row_step + row_;
    const in* const b = stages_.b_piece() + k * shape::column_step + column_;
    ACC_UNROLL for (int v = 0; v < rows / run; ++v) {
      n.a[v] = *reinterpret_cast<const panel_vector<in, run>*>(a + 8 * run * v);
    }
    ACC_UNROLL for (int v = 0; v < columns / run; ++v) {
      n.b[v] = *reinterpret_cast<const panel_vector<in, run>*>(b + 4 * run * v);
    }
    return n;
  }

  /// Down one column and up the next: an operand serves two instructions that follow each other.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const numbers& n) {
    ACC_UNROLL for (int c = 0; c < columns; ++c) {
      ACC_UNROLL for (int i = 0; i < rows; ++i) {
        const int r = c % 2 == 0 ? i : rows - 1 - i;
        multiply(c * rows + r, n.a[r / run].x[r % run], n.b[c / run].x[c % run]);
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(int e, const in& a, const in& b) {
    if constexpr (parts == 1) {
      chains_[e].add_product(real(a), real(b));
    } else {
      const real x[2] = {real(a.real()), conjugated(a.imag(), a_sign_)};
      const real y[2] = {real(b.real()), conjugated(b.imag(), b_sign_)};
      impl::add_complex_product(chains_[e], chains_[rows * columns + e], x, y);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static real conjugated(real imag, real sign) {
    return conjugates ? sign * imag : imag;
  }

  int row_, column_;
  real a_sign_ = 1, b_sign_ = 1;  ///< of imaginary parts
  numbers now_;
};

}  // namespace acc::backends::cuda

#endif
