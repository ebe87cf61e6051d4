// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_FILL_HPP
#define ACC_FILL_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/elements.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/elements.hpp>

#include <type_traits>

namespace acc {

/// x = value, element by element, as KokkosBlas::fill. Asynchronous if exec is.
///
/// \param exec  execution space instance
/// \param x     View of rank 1 or 2 of float, double or Kokkos::complex of them; any layout,
///              accessible from exec
/// \param value a number; its bits are kept, also those of a NaN
/// \throws std::invalid_argument if x has elements but no data, or two elements share a place
template <kokkos_execution_space Exec, kokkos_view X, class T>
  requires(!kokkos_view<T>)
void fill(const Exec& exec, const X& x, const T& value) {
  using element = typename X::non_const_value_type;
  ACC_CHECK_WRITTEN_ELEMENTS("acc::fill", "x", Exec, X, x);
  static_assert(std::is_convertible_v<const T&, element>, "acc::fill: value must be a number");
  impl::launch_elements(exec, "acc::fill",
                        impl::assign<element>{impl::matrix_data_of(x), element(value)}, x);
}

/// On the default instance of x's execution space.
template <kokkos_view X, class T>
  requires(!kokkos_view<T>)
void fill(const X& x, const T& value) {
  acc::fill(typename X::execution_space{}, x, value);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(fill, sum_method, "(exec,) x, value", "left out", "vn", "")

}  // namespace acc

#endif
