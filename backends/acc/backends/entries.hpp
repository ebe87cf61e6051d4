// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_ENTRIES_HPP
#define ACC_BACKENDS_ENTRIES_HPP

/// \file
/// Kernels that do something with each entry of matrices by itself.

#include <acc/core/matrix_data.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>

namespace acc::backends {

/// Entries of a column that one work item takes: on a host a run that its loops are vectors of, on
/// a GPU one, which its neighbours' make a run of.
template <class Exec>
inline constexpr int entry_run =
    std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace> ? 64 : 1;

/// Body: operator()<Run>(i, j, count) for entries [i, i + count) of column j; count <= Run.
template <int Run, class Body>
struct entries_kernel {
  Body body;
  std::int64_t rows, runs;  ///< of a column

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const std::int64_t i = index % runs * Run, j = index / runs;
    const std::int64_t left = rows - i;
    body.template operator()<Run>(i, j, Run == 1 || left >= Run ? Run : int(left));
  }
};

template <class Exec, class Body>
void launch_entries(const Exec& exec, const char* label, std::int64_t rows, std::int64_t columns,
                    const Body& body) {
  constexpr int run = entry_run<Exec>;
  const std::int64_t runs = (rows + run - 1) / run;
  if (runs * columns == 0) return;
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, runs * columns),
      entries_kernel<run, Body>{body, rows, runs});
}

/// Rule::apply(in, out): Out numbers of Ins, for each entry of matrices of one shape. An output may
/// be an input.
template <class Rule, class T, int Ins, int Outs>
struct entrywise {
  impl::matrix_data<const T> in[Ins];
  impl::matrix_data<T> out[Outs];

  template <int Run>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, std::int64_t j, int count) const {
    T x[Ins][Run], y[Outs][Run];
    for (int m = 0; m < Ins; ++m) read<Run>(in[m], i, j, count, x[m]);
    for (int r = 0; r < Run; ++r) {
      T given[Ins], made[Outs];
      for (int m = 0; m < Ins; ++m) given[m] = x[m][r];
      Rule::apply(given, made);
      for (int m = 0; m < Outs; ++m) y[m][r] = made[m];
    }
    for (int m = 0; m < Outs; ++m) write<Run>(out[m], i, j, count, y[m]);
  }

 private:
  template <int Run>
  static KOKKOS_FORCEINLINE_FUNCTION void read(const impl::matrix_data<const T>& m, std::int64_t i,
                                               std::int64_t j, int count, T (&x)[Run]) {
    const T* const from = &m(i, j);
    if (count == Run && m.row_stride == 1) {
      for (int r = 0; r < Run; ++r) x[r] = from[r];
    } else {
      for (int r = 0; r < Run; ++r) x[r] = r < count ? from[r * m.row_stride] : T(0);
    }
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
void launch_entrywise(const Exec& exec, const char* label, entrywise<Rule, T, Ins, Outs> body) {
  if (body.out[0].column_stride < body.out[0].row_stride) {
    for (auto& m : body.in) m = m.transposed();
    for (auto& m : body.out) m = m.transposed();
  }
  launch_entries(exec, label, body.out[0].rows, body.out[0].columns, body);
}

}  // namespace acc::backends

#endif
