// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_SCAL_HPP
#define ACC_SCAL_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/elements.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/elements.hpp>

namespace acc {

/// r = a x, element by element, as KokkosBlas::scal; the same bits for every execution space,
/// thread count, layout and stride. Asynchronous if exec is.
///
/// \param exec execution space instance
/// \param r, x Views of rank 1 or 2, both of n or of m x n elements of one type: float, double or
///             Kokkos::complex of them; any layouts, accessible from exec. They may be the same
///             elements
/// \param a    a number, or a View of rank 0 or 1 of r's value type, accessible from exec, with one
///             element or, for rank-2 r and x, one for each column
///
/// Real elements are the rounded products. Complex ones are complex products as acc::axpby has
/// them. With a = 0, x is not read, and r becomes 0. A NaN is the one NaN.
/// \throws std::invalid_argument as acc::axpby
template <kokkos_execution_space Exec, kokkos_view R, class A, kokkos_view X>
void scal(const Exec& exec, const R& r, const A& a, const X& x) {
  using T = typename R::non_const_value_type;
  ACC_CHECK_ELEMENTS("acc::scal", "x", Exec, X, x);
  ACC_CHECK_WRITTEN_ELEMENTS("acc::scal", "r", Exec, R, r);
  ACC_CHECK_SAME_VALUE("acc::scal", "r", R, "x", X);
  ACC_CHECK_SAME_SHAPE("acc::scal", "r", R, r, "x", X, x);
  ACC_CHECK_COEFFICIENT("acc::scal", "a", Exec, A, a, T, "r's value type", "r", r);
  const impl::linear_combination<T, 1> rule{
      impl::matrix_data_of(r), {impl::read_elements_of(x)}, {impl::coefficient_of<T>(a)}};
  impl::launch_elements(exec, "acc::scal", rule, r);
}

/// On the default instance of r's execution space.
template <kokkos_view R, class A, kokkos_view X>
void scal(const R& r, const A& a, const X& x) {
  scal(typename R::execution_space{}, r, a, x);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(scal, sum_method, "(exec,) r, a, x", "left out", "vnv", "")

}  // namespace acc

#endif
