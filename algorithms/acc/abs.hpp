// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_ABS_HPP
#define ACC_ABS_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/elements.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/impl/elements.hpp>

#include <type_traits>

namespace acc {

/// r = |x|, element by element, as KokkosBlas::abs; the same bits for every execution space, thread
/// count, layout and stride. Asynchronous if exec is.
///
/// \param exec execution space instance
/// \param r    View of x's extents, of x's type or, for complex x, of its real type; they may be
///             the same elements
/// \param x    View of rank 1 or 2 of float, double or Kokkos::complex of them; any layout,
///             accessible from exec
///
/// For complex x the modulus, without overflow or underflow in between: its relative error is at
/// most 2 u, where it is a normal number. Of infinite parts it is infinity. A NaN is the one NaN.
/// \throws std::invalid_argument if the extents differ, a View has elements but no data, r and x
///         overlap without being the same elements, or two elements of r share a place
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
void abs(const Exec& exec, const R& r, const X& x) {
  using T = typename X::non_const_value_type;
  using Result = typename R::non_const_value_type;
  ACC_CHECK_ELEMENTS("acc::abs", "x", Exec, X, x);
  ACC_CHECK_WRITTEN_ELEMENTS("acc::abs", "r", Exec, R, r);
  static_assert(std::is_same_v<Result, T> || std::is_same_v<Result, impl::real_t<T>>,
                "acc::abs: r must have x's value type or its real type");
  ACC_CHECK_SAME_SHAPE("acc::abs", "r", R, r, "x", X, x);
  impl::launch_elements(exec, "acc::abs",
                        impl::transform<impl::absolute, Result, T>{impl::matrix_data_of(r),
                                                                   impl::read_elements_of(x)},
                        r);
}

/// On the default instance of r's execution space.
template <kokkos_view R, kokkos_view X>
void abs(const R& r, const X& x) {
  acc::abs(typename R::execution_space{}, r, x);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(abs, sum_method, "(exec,) r, x", "left out", "vv", "")

}  // namespace acc

#endif
