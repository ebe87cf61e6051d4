// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_ELEMENTS_HPP
#define ACC_BACKENDS_GENERIC_ELEMENTS_HPP

/// \file
/// Functions of each element by itself, by any Kokkos work items: neighboring items take
/// neighboring elements.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
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

/// For the numbers that a rule reads of an element, and one where it reads none.
template <class Rule>
inline constexpr int room_for_reads = std::max(1, Rule::reads);

/// Applies a rule to one element.
template <class Rule>
KOKKOS_FORCEINLINE_FUNCTION void apply(const Rule& rule, std::int64_t i, std::int64_t j) {
  typename Rule::number x[room_for_reads<Rule>] = {};
  rule.each_read(i, j, [&](int k, const auto& m) { x[k] = m(i, j); });
  rule.each_written(rule.value(i, j, x), [&](int, const auto& m, const auto& y) { m(i, j) = y; });
}

/// Neighbors that one access to memory moves.
template <class T, int N>
struct alignas(N * sizeof(T)) element_vector {
  T x[N];
};

/// Work items have one element each: neighbors read neighbors.
template <class Rule>
struct element_kernel {
  Rule rule;
  std::int64_t rows, size;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const std::int64_t j = column(n);
    apply(rule, n - j * rows, j);
  }

 private:
  KOKKOS_FUNCTION std::int64_t column(std::int64_t n) const {
    if (rows == size) return 0;
    if (size <= INT32_MAX) return std::uint32_t(n) / std::uint32_t(rows);  // takes less time
    return n / rows;
  }
};

/// The same by as many neighbors as 16 bytes hold, of contiguous arrays that begin at multiples of
/// that, by a rule that is uniform: plain loops do not use all of a GPU's memory bandwidth
/// with floats (docs/dev/elements.md).
template <class Rule>
struct element_vector_kernel {
  using number = typename Rule::number;
  using result = typename Rule::result;
  static constexpr int neighbors = std::max(1, 16 / int(std::max(sizeof(number), sizeof(result))));

  Rule rule;
  std::int64_t size;

  static bool takes(Rule rule, std::int64_t columns) {
    bool taken = columns == 1 && rule.is_uniform();
    rule.each_array([&](const auto& m) {
      constexpr std::size_t bytes = neighbors * sizeof(*m.data);
      if (m.data == nullptr) return;
      taken = taken && m.row_stride == 1 && reinterpret_cast<std::uintptr_t>(m.data) % bytes == 0;
    });
    return taken;
  }
  std::int64_t items() const { return (size + neighbors - 1) / neighbors; }

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const std::int64_t n = item * neighbors;
    if (n + neighbors > size) {
      for (std::int64_t i = n; i < size; ++i) apply(rule, i, 0);
      return;
    }
    using numbers = element_vector<number, neighbors>;
    using results = element_vector<result, neighbors>;
    numbers x[room_for_reads<Rule>] = {};
    results y[Rule::writes];
    rule.each_read(
        n, 0, [&](int k, const auto& m) { x[k] = *reinterpret_cast<const numbers*>(&m(n, 0)); });
    decltype(rule.value(n, 0, x->x)) made;
    for (int e = 0; e < neighbors; ++e) {
      number own[room_for_reads<Rule>];
      for (int k = 0; k < Rule::reads; ++k) own[k] = x[k].x[e];
      made = rule.value(n + e, 0, own);
      rule.each_written(made, [&](int k, const auto&, const auto& z) { y[k].x[e] = z; });
    }
    rule.each_written(made, [&](int k, const auto& m, const auto&) {
      *reinterpret_cast<results*>(&m(n, 0)) = y[k];
    });
  }
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
  using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using vectors = element_vector_kernel<Rule>;
  if constexpr (vectors::neighbors > 1) {
    if (vectors::takes(shaped.rule, shaped.columns)) {
      const vectors kernel{shaped.rule, size};
      Kokkos::parallel_for(label, range(exec, 0, kernel.items()), kernel);
      return;
    }
  }
  Kokkos::parallel_for(label, range(exec, 0, size),
                       element_kernel<Rule>{shaped.rule, shaped.rows, size});
}

}  // namespace acc::backends::generic

#endif
