// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_SPMV_HPP
#define ACC_SPMV_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/spmv.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace acc {

/// A matrix in compressed rows, for programs without Kokkos Kernels: row i has the entries
/// row_map(i) to row_map(i + 1) - 1, in columns entries(k), with values(k). All are rank-1 Views of
/// any layout, and nothing owns more than they do.
template <class RowMap, class Entries, class Values>
struct crs_matrix {
  std::int64_t rows, columns;
  RowMap row_map;   ///< rows + 1 integers of any type, 0 <= row_map(0) <= ... <= row_map(rows) <= n
  Entries entries;  ///< n integers of any type
  Values values;    ///< n float, double or Kokkos::complex of them
};
template <class RowMap, class Entries, class Values>
crs_matrix(std::int64_t, std::int64_t, RowMap, Entries, Values)
    -> crs_matrix<RowMap, Entries, Values>;

namespace impl {

/// KokkosSparse::CrsMatrix, and whatever has its members.
template <class A>
concept has_crs_graph = requires(const A& a) {
  a.graph.row_map.data();
  a.graph.entries.data();
  a.values.data();
  a.numRows();
  a.numCols();
};

template <class RowMap, class Entries, class Values>
auto crs_views_of(const crs_matrix<RowMap, Entries, Values>& a) {
  return crs_views_from(a.rows, a.columns, a.row_map, a.entries, a.values);
}
template <has_crs_graph A>
auto crs_views_of(const A& a) {
  return crs_views_from(std::int64_t(a.numRows()), std::int64_t(a.numCols()), a.graph.row_map,
                        a.graph.entries, a.values);
}
template <class A>
using crs_views_t = decltype(crs_views_of(std::declval<const A&>()));

}  // namespace impl

/// A matrix in compressed rows that spmv takes.
template <class A>
concept crs_like = requires(const A& a) { impl::crs_views_of(a); };

/// y = alpha op(A) x + beta y for a sparse matrix A, as KokkosSparse::spmv. The bits of y's element
/// i depend on row i of op(A), x, alpha, beta and y's element alone: not on other rows, on how rows
/// are shared out, nor on the execution space. A row's sum has the bits of acc::dotu ("C" and "H":
/// acc::dot) of the row's values and the elements of x that they meet, in the order of the row's
/// entries.
///
/// \param exec   execution space instance; the call is asynchronous if the instance is, except
///               where Kokkos checks bounds
/// \param mode   "N": op(A) = A; "T": transposed; "C": conjugated, not transposed; "H": conjugated
///               and transposed; in upper or lower case. These are KokkosSparse's letters: "C" of
///               acc::gemm and acc::gemv is "H" here
/// \param A      KokkosSparse::CrsMatrix, acc::crs_matrix, or what has the members graph.row_map,
///               graph.entries, values, numRows() and numCols(); of float, double or
///               Kokkos::complex of them, with row maps and columns of any integer types,
///               accessible from exec. A column may occur several times in one row, and columns
///               need no order. Neither the row map's numbers nor columns are validated, except
///               columns where Kokkos checks bounds (Kokkos_ENABLE_DEBUG_BOUNDS_CHECK): a row map
///               that falls or leaves the entries, and a column that A does not have, are undefined
///               behavior
/// \param x, y   rank-1 Views of n and m elements where op(A) is m x n, or rank-2 Views of as many
///               rows and of several columns; of A's value type, any layout, accessible from exec.
///               Each column of y has the bits that it has alone
/// \param alpha, beta  of y's type; beta = 0 does not read y
/// \param method  the arithmetic: plain, compensated (default) or exact
///
/// "T" and "H" transpose A in memory of acc's, and have the bits of "N" and "C" of that matrix,
/// whose rows have their entries in the order that they have in A. The memory is kept for the next
/// call: 16 bytes for each column, and 8 bytes and a value for each entry. If you multiply by the
/// transpose often, store it.
///
/// Error for alpha = 1 and beta = 0: that of acc::dotu over the row's entries. With others the sum
/// is multiplied and added in the working precision (plain) or in twice that, rounded once
/// (compensated: so b - A x is accurate also where it cancels), or exactly, rounded once (exact).
/// An empty row gives beta y, and +0 where beta = 0.
///
/// \throws std::invalid_argument if mode is another text; A has a negative extent; the extents of
/// op(A), x, y, the row map,
///         entries and values do not fit; one of them has elements but no data; two elements of y
///         share a place; y overlaps A or x (also where the columns of one lie between those of
///         the other); where Kokkos checks bounds, if the column of a row's entry is negative or
///         A's count of columns or more. All before anything is written
/// Source: docs/arithmetic.md, "Sparse matrices".
template <kokkos_execution_space Exec, crs_like A, kokkos_view X, kokkos_view Y,
          sum_method Method = compensated>
void spmv(const Exec& exec, const char* mode,
          std::type_identity_t<typename Y::non_const_value_type> alpha, const A& a, const X& x,
          std::type_identity_t<typename Y::non_const_value_type> beta, const Y& y, Method = {}) {
  using value = typename impl::crs_views_t<A>::value;
  using types = typename impl::crs_views_t<A>::types;
  ACC_CHECK_TYPE("acc::spmv", value);
  static_assert(std::is_same_v<Method, plain> || std::is_same_v<Method, compensated> ||
                    std::is_same_v<Method, exact>,
                "acc::spmv: method must be plain, compensated or exact");
  static_assert(X::rank == 1 || X::rank == 2, "acc::spmv: x must be a rank-1 or rank-2 View");
  static_assert(Y::rank == X::rank, "acc::spmv: y must have the rank of x");
  static_assert(std::is_same_v<typename X::non_const_value_type, value> &&
                    std::is_same_v<typename Y::non_const_value_type, value>,
                "acc::spmv: A, x and y must have the same value type");
  static_assert(!std::is_const_v<typename Y::value_type>,
                "acc::spmv: y must be a View of non-const");
  static_assert(types::are_vectors,
                "acc::spmv: A's row map, entries and values must be rank-1 Views");
  static_assert(std::is_integral_v<typename impl::crs_views_t<A>::offset> &&
                    std::is_integral_v<typename impl::crs_views_t<A>::ordinal>,
                "acc::spmv: A's row map and entries must be Views of integers");
  static_assert(types::template accessible_from<Exec>,
                "acc::spmv: A is not accessible from the execution space");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible,
                "acc::spmv: x is not accessible from the execution space");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename Y::memory_space>::accessible,
                "acc::spmv: y is not accessible from the execution space");
  impl::run_spmv<Method>(exec, "acc::spmv", mode, alpha, impl::crs_views_of(a), x, beta, y);
}

/// On the default instance of y's execution space.
template <crs_like A, kokkos_view X, kokkos_view Y, sum_method Method = compensated>
void spmv(const char* mode, std::type_identity_t<typename Y::non_const_value_type> alpha,
          const A& a, const X& x, std::type_identity_t<typename Y::non_const_value_type> beta,
          const Y& y, Method method = {}) {
  spmv(typename Y::execution_space{}, mode, alpha, a, x, beta, y, method);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(spmv, sum_method, "(exec,) mode, alpha, A, x, beta, y (, method)",
                           "plain, compensated or exact", "sn?vnv", "m")

}  // namespace acc

#endif
