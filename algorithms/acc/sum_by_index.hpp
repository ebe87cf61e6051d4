// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_SUM_BY_INDEX_HPP
#define ACC_SUM_BY_INDEX_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/sum_by_index.hpp>

namespace acc {

/// Sums by index: r(b) is the sum of all x(i) with index(i) = b, by default correctly rounded. So
/// particles deposit into cells, and rows of a sparse gradient into a table. The bits are those of
/// acc::sum with the same method over the same numbers: for any order of them, execution space and
/// number of threads.
///
/// \param exec   execution space instance. First a kernel looks at all numbers and indexes, and the
///               call waits for it. On a GPU it may wait a second time: where x has many rows, and
///               some of their numbers are -0, not finite, or far from the others in exponent. The
///               kernels that write r are asynchronous if exec is
/// \param r      View of m sums, or of m rows of them: of x's type (float for half_t and bhalf_t)
///               and rank, any layout, accessible from exec
/// \param index  rank-1 View of n integers of any type, accessible from exec: where x(i) goes. A
///               negative one leaves x(i) out
/// \param x      View of n float, double, Kokkos::complex of them, half_t or bhalf_t, or of n rows
///               of them, as long as r's; any layout, accessible from exec
/// \param method  exact, or reproducible<K>: what reaches the K bins of 40 bits below the largest
///               number of each sum
///
/// Error: half a unit in the last place; reproducible<K>: that of acc::sum with it. NaN, infinities
/// and zeros are acc::sum's; a sum without elements is +0.
///
/// Memory is kept for the next call. A sum takes 8 to 1068 bytes (complex: twice that), as few as
/// the numbers' exponents allow; on a GPU up to twice as many, where that is faster. With
/// reproducible<K> it takes 8 K + 8 bytes, and 16 K + 8 for more than 2^22 numbers. At a time, acc
/// has the sums of as many rows of r as 1 GiB holds, or of one row. Where a GPU sorts rows, a sum
/// takes 152 bytes at most, and a row of x 8 more, 1 GiB in all at most. On hosts, copies of the
/// sums that threads have take up to 64 MiB more.
///
/// \throws std::invalid_argument if index and x do not have the same length, r and x not as many
///         columns, one of them has elements but no data, two elements of r share a place, r has
///         an element between the first and the last one of x or index, or an index is m or more:
///         found before anything is written
/// Source: docs/arithmetic.md, "Sums by index".
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view Index, kokkos_view X,
          sum_method Method = exact>
void sum_by_index(const Exec& exec, const R& r, const Index& index, const X& x,
                  Method method = {}) {
  ACC_CHECK_BY_INDEX("acc::sum_by_index", Exec, R, Index, X, Method);
  impl::sum_by_index(exec, "acc::sum_by_index", r, index, x, false, method);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view Index, kokkos_view X, sum_method Method = exact>
void sum_by_index(const R& r, const Index& index, const X& x, Method method = {}) {
  sum_by_index(typename X::execution_space{}, r, index, x, method);
}

/// The same with r's own number as one more element of each sum: r(b) += all x(i) with index(i) =
/// b, rounded once. What comes in several calls is rounded in each; acc::scatter_sum and
/// acc::accumulate do not round between.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view Index, kokkos_view X,
          sum_method Method = exact>
void add_by_index(const Exec& exec, const R& r, const Index& index, const X& x,
                  Method method = {}) {
  ACC_CHECK_BY_INDEX("acc::add_by_index", Exec, R, Index, X, Method);
  impl::sum_by_index(exec, "acc::add_by_index", r, index, x, true, method);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view Index, kokkos_view X, sum_method Method = exact>
void add_by_index(const R& r, const Index& index, const X& x, Method method = {}) {
  add_by_index(typename X::execution_space{}, r, index, x, method);
}

// Reject all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(sum_by_index, sum_method, "(exec,) r, index, x (, method)",
                           "exact or reproducible<K>", "vvv", "m")
ACC_REJECT_OTHER_ARGUMENTS(add_by_index, sum_method, "(exec,) r, index, x (, method)",
                           "exact or reproducible<K>", "vvv", "m")

}  // namespace acc

#endif
