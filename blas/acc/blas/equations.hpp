// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_EQUATIONS_HPP
#define ACC_BLAS_EQUATIONS_HPP

/// \file
/// The equations of a trsm or trsv, and the solution of one block of them (docs/arithmetic.md,
/// TR4).

#include <acc/backends/host/kernels/substitution.hpp>
#include <acc/core/elements/modulus.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "chosen_kernel.hpp"
#include "strided.hpp"
#include "triangle_calls.hpp"
#include "triangles.hpp"

namespace acc::blas {

template <class Real>
using substitution_kernel = chosen_kernel<&backends::host::substitution_for_this_processor<Real>>;

template <class Real>
using complex_substitution_kernel =
    chosen_kernel<&backends::host::complex_substitution_for_this_processor<Real>>;

/// Equations [first, first + count), and the unknowns solved before them: [solved, solved + n).
struct block {
  int first, count, solved, n;
};

/// op(A) X = alpha B, or X op(A) = alpha B, in host memory.
template <class T>
struct equations {
  strided<const T> a;
  strided<T> b;
  bool left, conjugates, divides;
  /// Whether op(A)'s coefficient of unknown j in equation i is A's number (i, j).
  bool as_stored;
  int order, width;
  bool ascends;

  explicit equations(const trsm_call<T>& c)
      : a(c.a, c.lda, c.row_major),
        b(c.b, c.ldb, c.row_major),
        left(c.side == 'L'),
        conjugates(c.trans == 'C'),
        divides(c.diag == 'N'),
        as_stored(left == (c.trans == 'N')),
        order(left ? c.m : c.n),
        width(left ? c.n : c.m),
        // Of op(A) X the first equation has one unknown where op(A) is lower, of X op(A) where it
        // is upper.
        ascends(left == ((c.uplo == 'L') == (c.trans == 'N'))) {}

  /// From one equation's coefficients in A to the next one's, and from one unknown's to the next's.
  std::pair<std::int64_t, std::int64_t> strides() const {
    if (as_stored) return {a.row_stride, a.column_stride};
    return {a.column_stride, a.row_stride};
  }

  /// From one unknown to the next in B, and from one of its numbers to the next.
  std::pair<std::int64_t, std::int64_t> strides_of_b() const {
    if (left) return {b.row_stride, b.column_stride};
    return {b.column_stride, b.row_stride};
  }

  int blocks() const { return (order + solved_at_once - 1) / solved_at_once; }
  /// In the order of solving.
  block block_of(int n) const {
    const int first = (ascends ? n : blocks() - 1 - n) * solved_at_once;
    const int count = std::min(solved_at_once, order - first), end = first + count;
    return {first, count, ascends ? 0 : end, ascends ? first : order - end};
  }

  /// Numbers that solve_block needs memory for.
  std::size_t numbers_of_rows() const {
    return is_in_place() ? 0 : std::size_t(std::min(solved_at_once, order)) * std::size_t(width);
  }
  /// Solves a block whose products with the unknowns before it are subtracted.
  void solve_block(const block& of, T* rows) const {
    if (is_in_place()) {
      const std::int64_t step = strides_of_b().first;
      solve_rows(of, b.data + of.first * step, step, width);
    } else {
      read_rows(of, 0, width, width, rows);
      solve_rows(of, rows, width, width);
      write_rows(of, 0, width, width, rows);
    }
  }

  /// `columns` numbers of each of a block's unknowns, from number w on, side by side: those of
  /// unknown n at rows + n * step. The last one is repeated up to the end of the step.
  void read_rows(const block& of, std::int64_t w, int columns, std::int64_t step, T* rows) const {
    each_number(of, w, columns,
                [&](const T* from, int n, int l) { rows[n * step + l] = read(from); });
    for (int n = 0; n < of.count; ++n)
      std::fill(rows + n * step + columns, rows + (n + 1) * step, rows[n * step + columns - 1]);
  }
  void write_rows(const block& of, std::int64_t w, int columns, std::int64_t step,
                  const T* rows) const {
    each_number(of, w, columns, [&](T* to, int n, int l) { write(to, rows[n * step + l]); });
  }
  /// As solve_block, where unknown n of the block is `numbers` neighbors that begin at x + n *
  /// step.
  void solve_rows(const block& of, T* x, std::int64_t step, std::int64_t numbers) const {
    static_assert(solved_at_once <= backends::host::most_unknowns);
    const int start = ascends ? 0 : of.count - 1, sign = ascends ? 1 : -1;
    const auto [row, column] = strides();
    const T* const from = a.at(of.first + start, of.first + start);
    if constexpr (is_real) {
      substitution_kernel<T>::run({of.count, numbers, from, sign * row, sign * column,
                                   x + start * step, sign * step, divides});
    } else {
      using real = impl::real_t<T>;
      T reciprocals[solved_at_once];
      if (divides)
        for (int n = 0; n < of.count; ++n) {
          const int i = of.first + start + sign * n;
          reciprocals[n] = impl::reciprocal_of(conjugates ? conjugate(a(i, i)) : a(i, i));
        }
      complex_substitution_kernel<real>::run(
          {of.count, numbers, reinterpret_cast<const real*>(from), 2 * sign * row,
           2 * sign * column, conjugates, reinterpret_cast<real*>(x + start * step),
           2 * sign * step, divides ? reinterpret_cast<const real*>(reciprocals) : nullptr});
    }
  }

 private:
  static constexpr bool is_real = impl::components_of<T> == 1;

  /// Whether the kernel solves B where it lies: an unknown's numbers are neighbors.
  bool is_in_place() const { return width == 1 || strides_of_b().second == 1; }
  /// f(number, n, l) for number w + l of unknown n of a block, in the order of memory.
  template <class F>
  void each_number(const block& of, std::int64_t w, int columns, const F& f) const {
    const auto [i, l] = strides_of_b();
    T* const first = b.data + of.first * i + w * l;
    if (i == 1) {
      for (int column = 0; column < columns; ++column)
        for (int n = 0; n < of.count; ++n) f(first + column * l + n, n, column);
    } else {
      for (int n = 0; n < of.count; ++n)
        for (int column = 0; column < columns; ++column) f(first + n * i + column, n, column);
    }
  }
};

}  // namespace acc::blas

#endif
