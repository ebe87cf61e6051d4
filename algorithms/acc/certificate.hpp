// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_CERTIFICATE_HPP
#define ACC_CERTIFICATE_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/dot.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/sum.hpp>

namespace acc {

/// A result and a rigorous bound of its error, from one pass over the data.
template <class T>
struct certified {
  using real = impl::real_t<T>;

  /// The compensated sum, rounded.
  T value;
  /// |value - exact result| is at most this. Infinity where the sum of finite numbers overflows,
  /// NaN where there is an infinity or NaN among the terms.
  real error_bound;
  /// sum |x_i| / |sum x_i|, 2 sum |x_i y_i| / |x . y|; 0 if all terms are 0, NaN where value is not
  /// finite.
  real condition;
};

/// The compensated sum of a vector with an error bound, the same bits everywhere.
///
/// \param exec execution space instance; the call fences it and nothing else
/// \param x    View of rank 1 to 8, of n < 2^48 float, double or Kokkos::complex of them, any
///             layout, accessible from exec
/// \return     value, error_bound and condition; all 0 for n = 0
///
/// The bound is u |value| + 256 u E and a few roundings of these, E the sum of the magnitudes of
/// all rounding errors that the compensation gathered. It is usually about half an ulp of the
/// value, and 0 if nothing was rounded (docs/arithmetic.md, "A bound from the same pass"; Ogita,
/// Rump, Oishi 2005, section 5). For a complex vector it bounds the modulus of the error, and
/// condition is that of both parts together.
///
/// \throws std::invalid_argument if x has elements but no data
template <kokkos_execution_space Exec, kokkos_view X>
auto sum_with_bound(const Exec& exec, const X& x) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_ARRAY("acc::sum_with_bound", "x", 1, 8, Exec, X);
  ACC_CHECK_TYPE("acc::sum_with_bound", value);
  impl::check_array_data("acc::sum_with_bound", "x", x);
  return impl::reduce_to_host<certified<value>, impl::sum_terms<impl::components_of<value>>,
                              impl::certified_method, impl::write_certified<false>>(
      exec, "acc::sum_with_bound", x, x);
}

/// The compensated dot product sum conj(x_i) y_i with an error bound, as acc::sum_with_bound. If
/// products fall below the normal numbers, the bound includes 5 n times the smallest number.
/// \throws std::invalid_argument if the lengths differ, or a vector has elements but no data
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y>
auto dot_with_bound(const Exec& exec, const X& x, const Y& y) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_TWO_VECTORS("acc::dot_with_bound", Exec, X, Y, x, y);
  ACC_CHECK_TYPE("acc::dot_with_bound", value);
  return impl::reduce_to_host<certified<value>, impl::dot_terms<value, true>,
                              impl::certified_method, impl::write_certified<true>>(
      exec, "acc::dot_with_bound", x, y);
}

/// On the default instance of x's execution space.
template <kokkos_view X>
auto sum_with_bound(const X& x) {
  return sum_with_bound(typename X::execution_space{}, x);
}

/// On the default instance of x's execution space.
template <kokkos_view X, kokkos_view Y>
auto dot_with_bound(const X& x, const Y& y) {
  return dot_with_bound(typename X::execution_space{}, x, y);
}

// Reject all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(sum_with_bound, sum_method, "(exec,) x",
                           "left out: it is always compensated", "v", "")
ACC_REJECT_OTHER_ARGUMENTS(dot_with_bound, sum_method, "(exec,) x, y",
                           "left out: it is always compensated", "vv", "")

}  // namespace acc

#endif
