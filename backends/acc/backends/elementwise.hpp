// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_ELEMENTWISE_HPP
#define ACC_BACKENDS_ELEMENTWISE_HPP

/// \file
/// Kernels that do something with each entry of matrices by itself.

#include <acc/backends/dispatch.hpp>
#include <acc/core/gemm/matrix_data.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

namespace acc::backends {

/// A tile's first entry, and how many of its rows and columns there are.
struct entry_range {
  std::int64_t i, j;
  int rows, columns;
};

/// Body: operator()<Tile>(range).
template <class Tile, class Body>
struct tile_kernel {
  Body body;
  std::int64_t rows, columns, down;  ///< down: tiles in a column of tiles

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const std::int64_t i = index % down * Tile::rows, j = index / down * Tile::columns;
    const std::int64_t below = rows - i, right = columns - j;
    body.template operator()<Tile>({i, j, below < Tile::rows ? int(below) : Tile::rows,
                                    right < Tile::columns ? int(right) : Tile::columns});
  }
};

template <class Exec, class Body>
void for_each_tile(const Exec& exec, const char* label, std::int64_t rows, std::int64_t columns,
                   const Body& body) {
  using tile = typename machine_of<Exec>::elementwise_tile;
  const std::int64_t down = (rows + tile::rows - 1) / tile::rows;
  const std::int64_t tiles = down * ((columns + tile::columns - 1) / tile::columns);
  if (tiles == 0) return;
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, tiles),
                       tile_kernel<tile, Body>{body, rows, columns, down});
}

/// Rows [i, i + count) of column j; zeros in place of those that are not there.
template <int Run, class T>
KOKKOS_FORCEINLINE_FUNCTION void read_run(const impl::matrix_data<const T>& m, std::int64_t i,
                                          std::int64_t j, int count, T (&x)[Run]) {
  const T* const from = &m(i, j);
  if (count == Run && m.row_stride == 1) {
    for (int r = 0; r < Run; ++r) x[r] = from[r];
  } else {
    for (int r = 0; r < Run; ++r) x[r] = r < count ? from[r * m.row_stride] : T(0);
  }
}

/// Rule::apply(in, out): Out numbers of Ins, for each entry of matrices of one shape. An output may
/// be an input.
template <class Rule, class T, int Ins, int Outs>
struct elementwise {
  impl::matrix_data<const T> in[Ins];
  impl::matrix_data<T> out[Outs];

  template <class Tile>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const entry_range& range) const {
    for (int column = 0; column < range.columns; ++column)
      run<Tile::rows>(range.i, range.j + column, range.rows);
  }

 private:
  template <int Run>
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t i, std::int64_t j, int count) const {
    T x[Ins][Run], y[Outs][Run];
    for (int m = 0; m < Ins; ++m) read_run(in[m], i, j, count, x[m]);
    for (int r = 0; r < Run; ++r) {
      T given[Ins], made[Outs];
      for (int m = 0; m < Ins; ++m) given[m] = x[m][r];
      Rule::apply(given, made);
      for (int m = 0; m < Outs; ++m) y[m][r] = made[m];
    }
    for (int m = 0; m < Outs; ++m) write<Run>(out[m], i, j, count, y[m]);
  }
  template <int Run>
  static KOKKOS_FORCEINLINE_FUNCTION void write(const impl::matrix_data<T>& m, std::int64_t i,
                                                std::int64_t j, int count, const T (&y)[Run]) {
    T* const to = &m(i, j);
    if (count == Run && m.row_stride == 1) {
      for (int r = 0; r < Run; ++r) to[r] = y[r];
    } else {
      for (int r = 0; r < count; ++r) to[r * m.row_stride] = y[r];
    }
  }
};

/// Enqueues it; along the columns of the first output or, where its rows are contiguous, along its
/// rows.
template <class Rule, class Exec, class T, int Ins, int Outs>
void launch_elementwise(const Exec& exec, const char* label, elementwise<Rule, T, Ins, Outs> body) {
  if (body.out[0].column_stride < body.out[0].row_stride) {
    for (auto& m : body.in) m = m.transposed();
    for (auto& m : body.out) m = m.transposed();
  }
  for_each_tile(exec, label, body.out[0].rows, body.out[0].columns, body);
}

}  // namespace acc::backends

#endif
