// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_IAMAX_HPP
#define ACC_IAMAX_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/elements/largest.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/elements.hpp>

#include <type_traits>

namespace acc {

namespace impl {

// The rejections of iamax that need no result; a macro for the literal in static_assert.
#define ACC_CHECK_IAMAX(Exec, X, x)                               \
  ACC_CHECK_VECTOR("acc::iamax", "x", Exec, X);                   \
  ACC_CHECK_TYPE("acc::iamax", typename X::non_const_value_type); \
  ::acc::impl::check_data("acc::iamax", "x", x)

}  // namespace impl

/// Where the largest |x_i| is, as KokkosBlas::iamax: counted from 1. The same for every execution
/// space, thread count, layout and stride.
///
/// \param exec execution space instance; the call fences it and nothing else
/// \param x    rank-1 View of n float, double or Kokkos::complex of them; any layout, accessible
///             from exec
/// \return     the first i + 1 for which acc::abs of x_i is the largest; 0 for n = 0. NaN counts as
///             larger than infinity, so that the first NaN is found, if there is one
/// \throws std::invalid_argument if x has elements but no data
template <kokkos_execution_space Exec, kokkos_view X>
typename X::size_type iamax(const Exec& exec, const X& x) {
  ACC_CHECK_IAMAX(Exec, X, x);
  return impl::largest_to_host<typename X::size_type, impl::write_index>(exec, "acc::iamax", x);
}

/// The same into a rank-0 View r of integers; asynchronous if exec is.
/// \throws std::invalid_argument if x has elements but no data, r has no data, r's type cannot hold
///         n, or r lies inside x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
void iamax(const Exec& exec, const R& r, const X& x) {
  ACC_CHECK_IAMAX(Exec, X, x);
  ACC_CHECK_RESULT("acc::iamax", Exec, R, impl::is_integer<typename R::value_type>);
  impl::check_data("acc::iamax", "r", r);
  impl::check_holds("acc::iamax", "r", r, "x's extent", x.extent(0));
  impl::check_no_overlap("acc::iamax", "x", r, x);
  impl::largest_to_view<impl::write_index>(exec, "acc::iamax", r, x);
}

/// The same of the columns of a matrix; r is a rank-1 View of integers with an element for each.
/// Asynchronous if exec is.
/// \throws std::invalid_argument if r has another length, x or r has elements but no data, r's type
///         cannot hold n, two elements of r share a place, or r has an element between the first
///         and the last one of x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
  requires(X::rank == 2 && R::rank > 0)
void iamax(const Exec& exec, const R& r, const X& x) {
  ACC_CHECK_TYPE("acc::iamax", typename X::non_const_value_type);
  ACC_CHECK_COLUMNS("acc::iamax", Exec, R, X, r, x, impl::is_integer<typename R::value_type>);
  impl::check_holds("acc::iamax", "r", r, "x's extent", x.extent(0));
  impl::largest_to_view<impl::write_index>(exec, "acc::iamax", r, x);
}

/// On the default instance of x's execution space.
template <kokkos_view X>
typename X::size_type iamax(const X& x) {
  return iamax(typename X::execution_space{}, x);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X>
void iamax(const R& r, const X& x) {
  iamax(typename X::execution_space{}, r, x);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(iamax, sum_method, "(exec,) (r,) x", "left out", "v", "v")

}  // namespace acc

#endif
