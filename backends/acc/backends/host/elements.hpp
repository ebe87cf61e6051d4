// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_ELEMENTS_HPP
#define ACC_BACKENDS_HOST_ELEMENTS_HPP

/// \file
/// Functions of each element by itself on the host: threads take runs of rows. Rules with FMAs go
/// to the library's kernels (kernels/elements.hpp).

#include <acc/backends/generic/elements.hpp>
#include <acc/backends/host/kernels/elements.hpp>
#include <acc/backends/host/tuning.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

/// Elements i to i + count of column j.
struct element_rows {
  std::int64_t i, count, j;
};

/// That part of a column as a kernel takes it.
template <class T>
auto run_of(const impl::matrix_data<T>& m, const element_rows& rows) {
  using scalar = std::remove_const_t<T>;
  using real =
      std::conditional_t<std::is_const_v<T>, const impl::real_t<scalar>, impl::real_t<scalar>>;
  return element_run<real>{reinterpret_cast<real*>(&m(rows.i, rows.j)),
                           m.row_stride * impl::components_of<scalar>};
}

template <class Rule>
void apply(const Rule& rule, const element_rows& rows) {
  for (std::int64_t i = rows.i; i < rows.i + rows.count; ++i) generic::apply(rule, i, rows.j);
}

template <class T, int N>
void apply(const impl::linear_combination<T, N>& rule, const element_rows& rows) {
  using real = impl::real_t<T>;
  combine_arguments<real> arguments{};
  static_assert(N <= arguments.terms);
  const auto c = rule.coefficients(rows.i, rows.j);
  for (int k = 0; k < N; ++k) {
    arguments.c.re[k] = c.re[k];
    arguments.c.im[k] = c.im[k];
    if (c.has(k)) arguments.in[k] = run_of(rule.in[k], rows);
  }
  arguments.count = rows.count;
  arguments.out = run_of(rule.out, rows);
  element_kernels_for_this_processor<real>().combine[rule.parts - 1](arguments);
}

template <class T>
void apply(const impl::multiply<T>& rule, const element_rows& rows) {
  using real = impl::real_t<T>;
  const multiply_arguments<real> arguments{rule.of(rule.gamma),  rule.of(rule.alpha),
                                           rows.count,           run_of(rule.a, rows),
                                           run_of(rule.x, rows), run_of(rule.y, rows)};
  element_kernels_for_this_processor<real>().multiply[rule.parts - 1](arguments);
}

template <class T>
void apply(const impl::rotate<T>& rule, const element_rows& rows) {
  using real = impl::real_t<T>;
  rotate_arguments<real> arguments{};
  rule.set_coefficients(rows.i, rows.j, arguments.of_x, arguments.of_y);
  arguments.count = rows.count;
  arguments.x = run_of(rule.x, rows);
  arguments.y = run_of(rule.y, rows);
  element_kernels_for_this_processor<real>().rotate[rule.parts - 1](arguments);
}

/// A block of rows and columns.
template <class Rule>
struct element_block_kernel {
  generic::shaped_rule<Rule> shaped;
  std::int64_t block_rows, block_columns, down;

  void operator()(std::int64_t block) const {
    const std::int64_t i = block % down * block_rows, j = block / down * block_columns;
    const std::int64_t count = std::min(block_rows, shaped.rows - i);
    const std::int64_t end = std::min(j + block_columns, shaped.columns);
    for (std::int64_t column = j; column < end; ++column)
      apply(shaped.rule, element_rows{i, count, column});
  }
};

/// Enqueues a rule on arrays of so many rows and columns. Rows stay rows where coefficients depend
/// on the column, so that they are the same all along a run.
template <class Exec, class Rule>
void elements(const Exec& exec, const char* label, const Rule& rule, std::int64_t rows,
              std::int64_t columns) {
  if (rows == 0 || columns == 0) return;
  generic::shaped_rule<Rule> shaped{rule, rows, columns};
  const bool is_row_major = shaped.is_row_major();
  const bool transposes = is_row_major && rule.is_uniform();
  if (transposes) shaped.transpose();
  shaped.join_columns();
  using tuning = element_tuning;
  const std::int64_t block_rows =
      is_row_major && !transposes ? tuning::strided_rows : tuning::block;
  const std::int64_t block_columns = std::max<std::int64_t>(
      is_row_major && !transposes ? tuning::strided_columns : 1,
      tuning::block / std::max<std::int64_t>(1, std::min(block_rows, shaped.rows)));
  const std::int64_t down = (shaped.rows + block_rows - 1) / block_rows;
  const std::int64_t blocks = down * ((shaped.columns + block_columns - 1) / block_columns);
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, blocks),
                       element_block_kernel<Rule>{shaped, block_rows, block_columns, down});
}

}  // namespace acc::backends::host

#endif
