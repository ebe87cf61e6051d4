// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_SPMV_HPP
#define ACC_IMPL_SPMV_HPP

/// \file
/// The driver of spmv: checks the arguments, transposes the matrix where the call asks for it,
/// describes the product of each column, and launches.

#include <acc/backends/crs_transpose.hpp>
#include <acc/backends/dispatch.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/matrix.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/gemm/crs_rows.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace acc::impl {

/// What is known of a matrix's Views at compile time.
template <class RowMap, class Entries, class Values>
struct crs_view_types {
  using memory_space_of_entries = typename Entries::memory_space;
  static constexpr bool are_vectors = RowMap::rank == 1 && Entries::rank == 1 && Values::rank == 1;
  template <class Exec>
  static constexpr bool accessible_from =
      Kokkos::SpaceAccessibility<Exec, typename RowMap::memory_space>::accessible &&
      Kokkos::SpaceAccessibility<Exec, typename Entries::memory_space>::accessible &&
      Kokkos::SpaceAccessibility<Exec, typename Values::memory_space>::accessible;
};

/// What spmv needs of a matrix; Views without reference counts. Types: crs_view_types, or void of a
/// matrix of acc's own.
template <class T, class Offset, class Ordinal, class Types = void>
struct crs_views {
  using value = T;
  using offset = Offset;
  using ordinal = Ordinal;
  using types = Types;
  std::int64_t rows, columns;
  const Offset* row_map;
  std::int64_t row_map_size, row_map_stride;
  const Ordinal* entries;
  std::int64_t size, entry_stride;
  const T* values;
  std::int64_t values_size, value_stride;
};
template <class RowMap, class Entries, class Values>
auto crs_views_from(std::int64_t rows, std::int64_t columns, const RowMap& row_map,
                    const Entries& entries, const Values& values) {
  return crs_views<typename Values::non_const_value_type, typename RowMap::non_const_value_type,
                   typename Entries::non_const_value_type, crs_view_types<RowMap, Entries, Values>>{
      rows,
      columns,
      row_map.data(),
      std::int64_t(row_map.extent(0)),
      std::int64_t(row_map.stride(0)),
      entries.data(),
      std::int64_t(entries.extent(0)),
      std::int64_t(entries.stride(0)),
      values.data(),
      std::int64_t(values.extent(0)),
      std::int64_t(values.stride(0))};
}

/// The mode's letter in capitals, or a rejection.
inline char crs_mode(const char* function, const char* mode) {
  return checked_letter(function, "mode", mode, "NTCH",
                        R"("N", "T", "C" (conjugate) or "H" (conjugate transpose))");
}

/// The parts of a matrix fit each other.
template <class A>
void check_crs(const char* function, const A& a) {
  const auto text = [](std::int64_t n) { return std::to_string(n); };
  if (a.rows < 0 || a.columns < 0)
    reject(function,
           "A must not have a negative extent, but is " + text(a.rows) + " x " + text(a.columns));
  if (a.row_map_size != a.rows + 1 && !(a.rows == 0 && a.row_map_size == 0))
    reject(function, "A's row map must have one element more than A has rows, but it has extent " +
                         text(a.row_map_size) + " and A is " + text(a.rows) + " x " +
                         text(a.columns));
  if (a.size != a.values_size)
    reject(function, "A's entries and values must have the same length, but entries has extent " +
                         text(a.size) + " and values has extent " + text(a.values_size));
  const auto check = [&](const char* name, const void* data, std::int64_t size) {
    if (data == nullptr && size != 0)
      reject(function, std::string("A's ") + name + " has extent " + text(size) +
                           " but no data (null pointer)");
  };
  check("row map", a.row_map, a.row_map_size);
  check("entries", a.entries, a.size);
  check("values", a.values, a.values_size);
}

/// op(A) is m x n, x has n and y m rows, and as many columns.
template <class A, class X, class Y>
void check_crs_shapes(const char* function, const A& a, bool transposes, const X& x, const Y& y) {
  const std::int64_t m = transposes ? a.columns : a.rows, n = transposes ? a.rows : a.columns;
  bool fits = std::int64_t(x.extent(0)) == n && std::int64_t(y.extent(0)) == m;
  if constexpr (X::rank == 2) fits = fits && x.extent(1) == y.extent(1);
  if (fits) return;
  reject(function, "op(A) is " + std::to_string(m) + " x " + std::to_string(n) + ", x is " +
                       extents_of(x) + " and y is " + extents_of(y) +
                       ", which do not fit: y = op(A) x");
}

/// y, which is written while A and x are read, has none of their numbers.
template <class A, class X, class Y>
void check_crs_apart(const char* function, const A& a, const X& x, const Y& y) {
  check_places(function, y, "y");
  if constexpr (X::rank == 1)
    check_disjoint(function, "x", y, x, "y");
  else
    check_apart(function, "x", y, x, "y");
  const auto check = [&](const char* name, const auto* data, std::int64_t size,
                         std::int64_t stride) {
    if (size == 0) return;
    const byte_range v = bytes_of_all(y);
    const auto low = reinterpret_cast<std::intptr_t>(data);
    const auto high = reinterpret_cast<std::intptr_t>(data + (size - 1) * stride + 1);
    if (v.low < high && low < v.high)
      reject(function, std::string("y (") + extents_of(y) + ") and A's " + name + " (extent " +
                           std::to_string(size) + ") overlap");
  };
  check("row map", a.row_map, a.row_map_size, a.row_map_stride);
  check("entries", a.entries, a.size, a.entry_stride);
  check("values", a.values, a.values_size, a.value_stride);
}

/// Which entry of a row names no column: the first one. What entries before the first row and after
/// the last one say does not count.
template <class A>
struct crs_columns_kernel {
  A a;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& first) const {
    if (k < std::int64_t(a.row_map[0])) return;
    if (k >= std::int64_t(a.row_map[a.rows * a.row_map_stride])) return;
    // Unsigned ones beyond 2^63 become negative.
    const auto column = std::int64_t(a.entries[k * a.entry_stride]);
    const bool is_one = column >= 0 && column < a.columns;
    if (!is_one && k < first) first = k;
  }
};
/// Every entry of a row names a column. Waits for exec. (A debug build's check: it reads all
/// entries.)
template <class Exec, class A>
void check_crs_columns(const Exec& exec, const char* function, const A& a) {
  if (a.rows == 0) return;
  std::int64_t first = a.size;
  Kokkos::parallel_reduce(
      function, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.size),
      crs_columns_kernel<A>{a}, Kokkos::Min<std::int64_t>(first));
  if (first >= a.size) return;
  typename A::ordinal column;
  Kokkos::deep_copy(
      exec, column,
      Kokkos::View<const typename A::ordinal, typename A::types::memory_space_of_entries,
                   Kokkos::MemoryUnmanaged>(a.entries + first * a.entry_stride));
  exec.fence(function);
  reject(function, "entry " + std::to_string(first) + " of A names column " +
                       std::to_string(column) + ", but A is " + std::to_string(a.rows) + " x " +
                       std::to_string(a.columns));
}

/// Enqueues y = alpha A x + beta y of one column.
template <bool Conjugate, class Method, class Exec, class T, class Offset, class Ordinal>
void launch_spmv(const Exec& exec, backends::workspace<Exec>& memory, const char* label,
                 const crs_product<T, Offset, Ordinal>& product) {
  using machine = backends::machine_of<Exec>;
  if constexpr (std::is_same_v<Method, exact>) {
    machine::exact_rows(exec, memory, label,
                        exact_crs_rows<Conjugate, T, Offset, Ordinal>{
                            product, scaling_of<double>(product.alpha, product.beta)});
  } else {
    machine::crs_rows(exec, memory, label,
                      crs_rows<crs_terms<T, Conjugate>, Method, T, Offset, Ordinal>{
                          product, scaling_of<real_t<T>>(product.alpha, product.beta)});
  }
}

/// Enqueues y = alpha A x + beta y, column by column: A is not to be transposed any more.
template <class Method, class Exec, class A, class X, class Y, class T>
void launch_spmv_columns(const Exec& exec, backends::workspace<Exec>& memory, const char* label,
                         const A& a, bool conjugates, const T& alpha, const X& x, const T& beta,
                         const Y& y) {
  if (a.rows == 0) return;
  using real = real_t<T>;
  constexpr int parts = components_of<T>;
  std::size_t columns = 1, x_stride = 0, y_stride = 0;
  if constexpr (X::rank == 2) {
    columns = x.extent(1);
    x_stride = x.stride(1);
    y_stride = y.stride(1);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    using product_type = crs_product<T, typename A::offset, typename A::ordinal>;
    using data = typename product_type::data;
    const product_type p{
        data{reinterpret_cast<const real*>(a.values), a.value_stride * parts, a.size * parts},
        data{reinterpret_cast<const real*>(x.data() + j * x_stride),
             std::int64_t(x.stride(0)) * parts, a.size * parts, a.entries, a.entry_stride},
        a.row_map,
        a.row_map_stride,
        a.rows,
        y.data() + j * y_stride,
        std::int64_t(y.stride(0)),
        alpha,
        beta};
    if (conjugates && parts == 2)
      launch_spmv<parts == 2, Method>(exec, memory, label, p);
    else
      launch_spmv<false, Method>(exec, memory, label, p);
  }
}

template <class Method, class Exec, class A, class X, class Y, class T>
void run_spmv(const Exec& exec, const char* function, const char* mode, const T& alpha, const A& a,
              const X& x, const T& beta, const Y& y) {
  const char op = crs_mode(function, mode);
  const bool transposes = op == 'T' || op == 'H', conjugates = op == 'C' || op == 'H';
  check_crs(function, a);
  check_crs_shapes(function, a, transposes, x, y);
  check_array_data(function, "x", x);
  check_array_data(function, "y", y);
  check_crs_apart(function, a, x, y);
#if defined(KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
  check_crs_columns(exec, function, a);
#endif
  backends::locked_workspace memory(exec);
  if (!transposes)
    return launch_spmv_columns<Method>(exec, memory.get(), function, a, conjugates, alpha, x, beta,
                                       y);
  const auto t = backends::transposed(exec, memory.get(), function, a, is_order_free<Method>);
  const crs_views<T, std::int64_t, std::int64_t> view{
      a.columns, a.rows, t.row_map, a.columns + 1, 1, t.entries, t.size, 1, t.values, t.size, 1};
  launch_spmv_columns<Method>(exec, memory.get(), function, view, conjugates, alpha, x, beta, y);
}

}  // namespace acc::impl

#endif
