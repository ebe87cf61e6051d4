// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_RECIPROCAL_HPP
#define ACC_RECIPROCAL_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/elements.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/elements.hpp>

namespace acc {

/// r = 1 / x, element by element, as KokkosBlas::reciprocal; the same bits for every execution
/// space, thread count, layout and stride. Asynchronous if exec is.
///
/// \param exec execution space instance
/// \param r, x Views of rank 1 or 2, of the same extents and type: float, double or Kokkos::complex
///             of them; any layouts, accessible from exec. They may be the same elements
///
/// Real elements are correctly rounded. Complex ones have a relative error of at most 3 u in each
/// part that is a normal number, without overflow or underflow in between. 1 / 0 is an infinity
/// with the sign of the real zero, and NaN as the imaginary part; of an infinite part the result
/// is 0. A NaN is the one NaN.
/// \throws std::invalid_argument as acc::abs
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
void reciprocal(const Exec& exec, const R& r, const X& x) {
  using T = typename X::non_const_value_type;
  ACC_CHECK_ELEMENTS("acc::reciprocal", "x", Exec, X, x);
  ACC_CHECK_WRITTEN_ELEMENTS("acc::reciprocal", "r", Exec, R, r);
  ACC_CHECK_SAME_VALUE("acc::reciprocal", "r", R, "x", X);
  ACC_CHECK_SAME_SHAPE("acc::reciprocal", "r", R, r, "x", X, x);
  impl::launch_elements(
      exec, "acc::reciprocal",
      impl::transform<impl::inverse, T, T>{impl::matrix_data_of(r), impl::read_elements_of(x)}, r);
}

/// On the default instance of r's execution space.
template <kokkos_view R, kokkos_view X>
void reciprocal(const R& r, const X& x) {
  reciprocal(typename R::execution_space{}, r, x);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(reciprocal, sum_method, "(exec,) r, x", "left out", "vv", "")

}  // namespace acc

#endif
