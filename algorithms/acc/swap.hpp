// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_SWAP_HPP
#define ACC_SWAP_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/elements.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/elements.hpp>

namespace acc {

/// Exchanges the elements of x and y, as KokkosBlas::swap. Asynchronous if exec is.
///
/// \param exec execution space instance
/// \param x, y Views of rank 1 or 2, of the same extents and type: float, double or Kokkos::complex
///             of them; any layouts, accessible from exec
///
/// Bits are kept, also those of a NaN.
/// \throws std::invalid_argument if the extents differ, a View has elements but no data, x and y
///         overlap without being the same elements, or two elements of x or y share a place
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y>
void swap(const Exec& exec, const X& x, const Y& y) {
  using T = typename X::non_const_value_type;
  ACC_CHECK_WRITTEN_ELEMENTS("acc::swap", "x", Exec, X, x);
  ACC_CHECK_WRITTEN_ELEMENTS("acc::swap", "y", Exec, Y, y);
  ACC_CHECK_SAME_VALUE("acc::swap", "x", X, "y", Y);
  ACC_CHECK_SAME_SHAPE("acc::swap", "x", X, x, "y", Y, y);
  impl::launch_elements(exec, "acc::swap",
                        impl::exchange<T>{impl::matrix_data_of(x), impl::matrix_data_of(y)}, x);
}

/// On the default instance of x's execution space.
template <kokkos_view X, kokkos_view Y>
void swap(const X& x, const Y& y) {
  acc::swap(typename X::execution_space{}, x, y);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(swap, sum_method, "(exec,) x, y", "left out", "vv", "")

}  // namespace acc

#endif
