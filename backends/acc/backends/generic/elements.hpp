// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_ELEMENTS_HPP
#define ACC_BACKENDS_GENERIC_ELEMENTS_HPP

/// \file
/// Functions of each element by itself, by any Kokkos work items: neighboring items take
/// neighboring elements, and each takes a few that are far apart, all of which it reads before it
/// writes one.

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::generic {

/// A rule (core/elements/rules.hpp) and the shape of its arrays.
template <class Rule>
struct shaped_rule {
  Rule rule;
  std::int64_t rows, columns;

  /// Rows become columns. What coefficients depend on follows.
  void transpose() {
    rule.each_array([](auto& m) { m = m.transposed(); });
    const std::int64_t n = rows;
    rows = columns;
    columns = n;
  }
  /// Makes one column of all where all arrays are contiguous, column after column.
  void join_columns() {
    bool joined = columns > 1 && rule.is_uniform();
    rule.each_array([&](auto& m) {
      joined = joined && (m.data == nullptr || m.column_stride == m.row_stride * rows);
    });
    if (!joined) return;
    rows *= columns;
    columns = 1;
  }
  /// Whether the first array's neighbors along a row are nearer than those along a column.
  bool is_row_major() {
    bool nearer = false, first = true;
    rule.each_array([&](auto& m) {
      if (first) nearer = rows == 1 || (columns > 1 && m.column_stride < m.row_stride);
      first = false;
    });
    return nearer && columns > 1;
  }
};

template <class Rule>
struct element_kernel {
  /// Elements of a work item, and how far apart they are: as many items that follow each other have
  /// one stretch of elements, from which neighbours read neighbours.
  static constexpr int elements = 4, apart = 32;

  Rule rule;
  std::int64_t rows, size;

  /// Work items for so many elements.
  static std::int64_t items(std::int64_t size) {
    constexpr std::int64_t stretch = elements * apart;
    return (size + stretch - 1) / stretch * apart;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const std::int64_t first = item / apart * (elements * apart) + item % apart;
    decltype(rule.value(0, 0)) made[elements];
    for (int e = 0; e < elements; ++e) {
      const std::int64_t n = first + e * apart;
      if (n >= size) break;
      made[e] = rule.value(row(n), column(n));
    }
    for (int e = 0; e < elements; ++e) {
      const std::int64_t n = first + e * apart;
      if (n >= size) break;
      rule.write(row(n), column(n), made[e]);
    }
  }

 private:
  KOKKOS_FUNCTION std::int64_t column(std::int64_t n) const {
    if (rows == size) return 0;
    if (size <= INT32_MAX) return std::uint32_t(n) / std::uint32_t(rows);  // takes less time
    return n / rows;
  }
  KOKKOS_FUNCTION std::int64_t row(std::int64_t n) const { return n - column(n) * rows; }
};

/// Enqueues a rule on arrays of so many rows and columns.
template <class Exec, class Rule>
void elements(const Exec& exec, const char* label, const Rule& rule, std::int64_t rows,
              std::int64_t columns) {
  shaped_rule<Rule> shaped{rule, rows, columns};
  if (shaped.is_row_major()) shaped.transpose();
  shaped.join_columns();
  const std::int64_t size = rows * columns;
  if (size == 0) return;
  using kernel = element_kernel<Rule>;
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, range(exec, 0, kernel::items(size)),
                       kernel{shaped.rule, shaped.rows, size});
}

}  // namespace acc::backends::generic

#endif
