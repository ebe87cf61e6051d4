// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_MULT_HPP
#define ACC_MULT_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/elements.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/elements.hpp>

#include <cstdint>
#include <type_traits>

namespace acc {

/// y(i, j) = gamma y(i, j) + alpha a(i) x(i, j), as KokkosBlas::mult: a vector's elements, or each
/// column's, times a diagonal matrix. The same bits for every execution space, thread count, layout
/// and stride. Asynchronous if exec is.
///
/// \param exec  execution space instance
/// \param gamma, alpha numbers
/// \param y, x  Views of rank 1 or 2, both of n or of n x k elements of one type: float, double or
///              Kokkos::complex of them; any layouts, accessible from exec. They may be the same
///              elements
/// \param a     rank-1 View of n elements of that type; it may be y or x where these have rank 1
///
/// With t = alpha a rounded, real elements become fma(t, x, gamma y) with gamma y rounded. Complex
/// ones: docs/arithmetic.md, "Element by element". With gamma = 0, y is not read; with alpha = 0,
/// neither a nor x is. Elements that are zero leave no product out. A NaN is the one NaN.
/// \throws std::invalid_argument if the extents differ, a View has elements but no data, x or a and
///         y overlap without being the same elements, or two elements of y share a place
template <kokkos_execution_space Exec, class Gamma, kokkos_view Y, class Alpha, kokkos_view A,
          kokkos_view X>
void mult(const Exec& exec, const Gamma& gamma, const Y& y, const Alpha& alpha, const A& a,
          const X& x) {
  using T = typename Y::non_const_value_type;
  ACC_CHECK_WRITTEN_ELEMENTS("acc::mult", "y", Exec, Y, y);
  ACC_CHECK_VECTOR("acc::mult", "a", Exec, A);
  impl::check_data("acc::mult", "a", a);
  ACC_CHECK_ELEMENTS("acc::mult", "x", Exec, X, x);
  ACC_CHECK_SAME_VALUE("acc::mult", "a", A, "y", Y);
  ACC_CHECK_SAME_VALUE("acc::mult", "x", X, "y", Y);
  static_assert(std::is_convertible_v<const Gamma&, T>, "acc::mult: gamma must be a number");
  static_assert(std::is_convertible_v<const Alpha&, T>, "acc::mult: alpha must be a number");
  ACC_CHECK_SAME_SHAPE("acc::mult", "x", X, x, "y", Y, y);
  impl::check_same_length("acc::mult", "a", a, "y", y);
  if constexpr (Y::rank == 1) {
    impl::check_same_or_apart("acc::mult", "a", a, "y", y);
  } else {
    impl::check_not_shared("acc::mult", "a", a, "y", y);
  }
  impl::launch_elements(exec, "acc::mult",
                        impl::multiply<T>{impl::matrix_data_of(y), impl::read_elements_of(a),
                                          impl::read_elements_of(x), T(gamma), T(alpha)},
                        y);
}

/// On the default instance of y's execution space.
template <class Gamma, kokkos_view Y, class Alpha, kokkos_view A, kokkos_view X>
void mult(const Gamma& gamma, const Y& y, const Alpha& alpha, const A& a, const X& x) {
  mult(typename Y::execution_space{}, gamma, y, alpha, a, x);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(mult, sum_method, "(exec,) gamma, y, alpha, a, x", "left out", "nvnvv",
                           "")

}  // namespace acc

#endif
