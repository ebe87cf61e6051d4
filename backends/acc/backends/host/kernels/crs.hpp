// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_HOST_KERNELS_CRS_HPP
#define ACC_BACKENDS_HOST_KERNELS_CRS_HPP

/// \file
/// The kernel of rows of a CRS matrix as its callers see it (sums.hpp says how it is compiled).

#include <acc/core/gemm/scaling.hpp>
#include <acc/core/method.hpp>

#include <cstdint>
#include <type_traits>

namespace acc::backends::host {

/// Entries of rows, and the vector that they meet: entry k is values[k] times x[columns[k]].
template <class T, class Index>
struct crs_entries {
  const T* values;
  const Index* columns;
  const T* x;
};
/// Rows of them, each of a leaf at most: row i has size[i] entries from begin[i] on. A call takes
/// one row to `most`.
struct crs_row_list {
  static constexpr int most = 64;
  std::int64_t begin[most] = {};
  std::int32_t size[most] = {};
  int count = 0;
  /// Whether the rows are neighbors in memory that have size[0] entries each, 1 to run_entries, and
  /// are run_least or more: then size[0] and begin[0] alone are read.
  bool is_run = false;
  static constexpr int run_least = 16, run_entries = 9;
};
/// What the rows' sums are: component[k][j] is a number of the accumulator of row row[j], and
/// value[j] its sum scaled, if every number is below the limit. An error that is zero may have
/// another sign than the law's, which shows only where value[j] is zero.
template <class T>
struct crs_row_sums {
  static constexpr int room = crs_row_list::most + 64 / int(sizeof(T));  ///< of whole registers
  T component[2][room], value[room];
  std::int32_t row[crs_row_list::most];
};

/// Sums rows, and scales the sums; c[i] is row i's element of y, which is read if beta is not zero.
/// Returns whether the numbers of all accumulators are below `limit` in magnitude; by plain, whose
/// sums are taken as they are, it does not ask.
template <class Method, class T, class Index>
using crs_function = bool (*)(const crs_entries<T, Index>& entries, const crs_row_list& rows,
                              T limit, const impl::scaling<T>& scale, const T* c,
                              crs_row_sums<T>& sums);
template <class Method, class T, class Index>
crs_function<Method, T, Index> crs_for_this_processor();
/// Whether there is one for columns of type std::int32_t and std::int64_t (instances.hpp).
template <class Method, class T>
inline constexpr bool has_crs_kernel =
    (std::is_same_v<Method, plain> || std::is_same_v<Method, compensated>) &&
    (std::is_same_v<T, double> || std::is_same_v<T, float>);

}  // namespace acc::backends::host

#endif
