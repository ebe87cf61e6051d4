// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_NRMINF_HPP
#define ACC_NRMINF_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/elements/largest.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/impl/elements.hpp>

#include <type_traits>

namespace acc {

namespace impl {

// The rejections of nrminf that need no result; a macro for the literal in static_assert.
#define ACC_CHECK_NRMINF(Exec, X, x)                               \
  ACC_CHECK_VECTOR("acc::nrminf", "x", Exec, X);                   \
  ACC_CHECK_TYPE("acc::nrminf", typename X::non_const_value_type); \
  ::acc::impl::check_data("acc::nrminf", "x", x)

}  // namespace impl

/// The infinity norm max |x_i|, as KokkosBlas::nrminf. It has no rounding besides acc::abs's of
/// complex numbers, and the same bits for every execution space, thread count, layout and stride.
///
/// \param exec execution space instance; the call fences it and nothing else
/// \param x    rank-1 View of n float, double or Kokkos::complex of them; any layout, accessible
///             from exec
/// \return     the norm in the real type of x: the largest of acc::abs of the elements, NaN if one
///             is NaN, +0 for n = 0
/// \throws std::invalid_argument if x has elements but no data
template <kokkos_execution_space Exec, kokkos_view X>
auto nrminf(const Exec& exec, const X& x) {
  ACC_CHECK_NRMINF(Exec, X, x);
  return impl::largest_to_host<impl::real_t<typename X::non_const_value_type>, impl::write_modulus>(
      exec, "acc::nrminf", x);
}

/// The same into a rank-0 View r of the real type; asynchronous if exec is.
/// \throws std::invalid_argument if x has elements but no data, r has no data, or r lies inside x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
void nrminf(const Exec& exec, const R& r, const X& x) {
  ACC_CHECK_NRMINF(Exec, X, x);
  ACC_CHECK_RESULT_OF("acc::nrminf", Exec, R, impl::real_t<typename X::non_const_value_type>, r, x);
  impl::largest_to_view<impl::write_modulus>(exec, "acc::nrminf", r, x);
}

/// The norms of the columns of a matrix; r is a rank-1 View of the real type with an element for
/// each. Asynchronous if exec is.
/// \throws std::invalid_argument if r has another length, x or r has elements but no data, two
///         elements of r share a place, or r has an element between the first and the last one of x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
  requires(X::rank == 2 && R::rank > 0)
void nrminf(const Exec& exec, const R& r, const X& x) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_TYPE("acc::nrminf", value);
  ACC_CHECK_COLUMNS("acc::nrminf", Exec, R, X, r, x,
                    (std::is_same_v<typename R::value_type, impl::real_t<value>>));
  impl::largest_to_view<impl::write_modulus>(exec, "acc::nrminf", r, x);
}

/// On the default instance of x's execution space.
template <kokkos_view X>
auto nrminf(const X& x) {
  return nrminf(typename X::execution_space{}, x);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X>
void nrminf(const R& r, const X& x) {
  nrminf(typename X::execution_space{}, r, x);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(nrminf, sum_method, "(exec,) (r,) x", "left out", "v", "v")

}  // namespace acc

#endif
