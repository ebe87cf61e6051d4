// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_SEGMENTED_SUM_HPP
#define ACC_SEGMENTED_SUM_HPP

#include <acc/backends/workspace.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/segments.hpp>

#include <string>
#include <type_traits>

namespace acc {

/// The sums of segments of a vector, r_i = x_{offsets_i} + ... + x_{offsets_{i+1} - 1}: each with
/// the bits of acc::sum over that subview. Asynchronous if exec is.
///
/// \param exec    execution space instance
/// \param r       rank-1 View of m results, of x's type, any layout, accessible from exec
/// \param x       rank-1 View of n float, double or Kokkos::complex of them, any layout,
///                accessible from exec
/// \param offsets rank-1 View of m + 1 integers of any type, accessible from exec: the row map
///                of a CRS matrix, 0 <= offsets_0 <= ... <= offsets_m <= n; for m = 0 also a View
///                without elements. Offsets are not validated; invalid offsets are undefined
///                behavior.
/// \param method  the arithmetic: compensated (default) or exact
///
/// Error bounds, the order of additions within a segment, and the rules for NaN, infinities,
/// overflow and zeros are acc::sum's. The sum of an empty segment is +0. Elements before the first
/// and after the last offset belong to no segment. Work is divided evenly whatever the segments'
/// lengths: one to three launches for any m.
///
/// \throws std::invalid_argument if offsets does not have one element more than r; if x, r or
///         offsets has elements but no data; if two elements of r share a place; if r overlaps x or
///         offsets
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view Offsets,
          sum_method Method = compensated>
void segmented_sum(const Exec& exec, const R& r, const X& x, const Offsets& offsets, Method = {}) {
  ACC_CHECK_VECTOR("acc::segmented_sum", "x", Exec, X);
  ACC_CHECK_SCAN_METHOD("acc::segmented_sum", Method, typename X::non_const_value_type);
  ACC_CHECK_RESULT_OF_RANK(
      "acc::segmented_sum", 1, Exec, R,
      (std::is_same_v<typename R::value_type, typename X::non_const_value_type>));
  ACC_CHECK_INTEGERS("acc::segmented_sum", "offsets", Exec, Offsets);
  // A CRS matrix without rows may have a row map without elements.
  const bool are_none = offsets.extent(0) == 0 && r.extent(0) == 0;
  if (!are_none && offsets.extent(0) != r.extent(0) + 1)
    impl::reject("acc::segmented_sum",
                 "offsets must have one element more than r, but offsets has extent " +
                     std::to_string(offsets.extent(0)) + " and r has extent " +
                     std::to_string(r.extent(0)));
  impl::check_data("acc::segmented_sum", "r", r);
  impl::check_data("acc::segmented_sum", "x", x);
  impl::check_data("acc::segmented_sum", "offsets", offsets);
  impl::check_places("acc::segmented_sum", r);
  impl::check_disjoint("acc::segmented_sum", "x", r, x);
  impl::check_disjoint("acc::segmented_sum", "offsets", r, offsets);
  backends::locked_workspace memory(exec);
  impl::sum_segments<Method>(exec, memory.get(), "acc::segmented_sum", r, x, offsets);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, kokkos_view Offsets, sum_method Method = compensated>
void segmented_sum(const R& r, const X& x, const Offsets& offsets, Method method = {}) {
  segmented_sum(typename X::execution_space{}, r, x, offsets, method);
}

/// The same with the segments' lengths in place of offsets: segment i has the lengths(i) elements
/// behind those of the segments before; the first one begins with x_0.
///
/// \param lengths rank-1 View of m integers of any type, accessible from exec. They are not
///                validated: none may be negative, nor their sum greater than n.
///
/// The offsets are kept in memory of acc's until the next call, 8 (m + 1) bytes.
///
/// \throws std::invalid_argument if lengths and r do not have the same length; if x, r or lengths
///         has elements but no data; if two elements of r share a place; if r overlaps x or lengths
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view Lengths,
          sum_method Method = compensated>
void segmented_sum_by_lengths(const Exec& exec, const R& r, const X& x, const Lengths& lengths,
                              Method = {}) {
  ACC_CHECK_VECTOR("acc::segmented_sum_by_lengths", "x", Exec, X);
  ACC_CHECK_SCAN_METHOD("acc::segmented_sum_by_lengths", Method, typename X::non_const_value_type);
  ACC_CHECK_RESULT_OF_RANK(
      "acc::segmented_sum_by_lengths", 1, Exec, R,
      (std::is_same_v<typename R::value_type, typename X::non_const_value_type>));
  ACC_CHECK_INTEGERS("acc::segmented_sum_by_lengths", "lengths", Exec, Lengths);
  impl::check_same_length("acc::segmented_sum_by_lengths", "lengths", lengths, "r", r);
  impl::check_data("acc::segmented_sum_by_lengths", "r", r);
  impl::check_data("acc::segmented_sum_by_lengths", "x", x);
  impl::check_data("acc::segmented_sum_by_lengths", "lengths", lengths);
  impl::check_places("acc::segmented_sum_by_lengths", r);
  impl::check_disjoint("acc::segmented_sum_by_lengths", "x", r, x);
  impl::check_disjoint("acc::segmented_sum_by_lengths", "lengths", r, lengths);
  impl::sum_segments_by_lengths<Method>(exec, "acc::segmented_sum_by_lengths", r, x, lengths);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, kokkos_view Lengths, sum_method Method = compensated>
void segmented_sum_by_lengths(const R& r, const X& x, const Lengths& lengths, Method method = {}) {
  segmented_sum_by_lengths(typename X::execution_space{}, r, x, lengths, method);
}

// Reject all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(segmented_sum, sum_method, "(exec,) r, x, offsets (, method)",
                           "compensated or exact", "vvv", "m")
ACC_REJECT_OTHER_ARGUMENTS(segmented_sum_by_lengths, sum_method, "(exec,) r, x, lengths (, method)",
                           "compensated or exact", "vvv", "m")

}  // namespace acc

#endif
