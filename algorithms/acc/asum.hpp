// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_ASUM_HPP
#define ACC_ASUM_HPP

#include <acc/core/checks/check.hpp>
#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/impl/reduce.hpp>

#include <type_traits>

namespace acc {

namespace impl {
/// The rejections of acc::asum that need no result.
template <class Method, class Exec, class X>
void check_asum(const X& x) {
  ACC_CHECK_VECTOR("acc::asum", "x", Exec, X);
  ACC_CHECK_TYPE("acc::asum", typename X::non_const_value_type);
  static_assert(
      std::is_same_v<Method, plain> || std::is_same_v<Method, compensated> || is_order_free<Method>,
      "acc::asum: method must be plain, compensated, exact or reproducible");
  check_data("acc::asum", "x", x);
}
}  // namespace impl

/// The sum of magnitudes: sum |x_i|, of complex x sum |re x_i| + |im x_i| as in the BLAS; the same
/// bits for every execution space, thread count, layout and stride.
///
/// \param exec   execution space instance; fenced, and nothing else is
/// \param x      rank-1 View of n float, double or Kokkos::complex of them, any layout, accessible
///               from exec
/// \param method plain, compensated (default), exact or reproducible<K>
/// \return       the sum in the real type of x; +0 for n = 0
///
/// Error bounds as acc::sum's, with S the sum itself: relative error at most u + 2 gamma_d^2
/// (compensated), gamma_d (plain).
/// exact is correctly rounded; reproducible<K> is as for acc::sum.
/// \throws std::invalid_argument if x has elements but no data
template <kokkos_execution_space Exec, kokkos_view X, sum_method Method = compensated>
auto asum(const Exec& exec, const X& x, Method = {}) {
  impl::check_asum<Method, Exec>(x);
  return impl::reduce_to_host<impl::real_t<typename X::non_const_value_type>, impl::magnitude_terms,
                              Method, impl::write_magnitude>(exec, "acc::asum", x, x);
}

/// The same into a rank-0 View r of the real type, asynchronously on exec.
/// \throws std::invalid_argument if x has elements but no data, r has no data, or r lies inside x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void asum(const Exec& exec, const R& r, const X& x, Method = {}) {
  impl::check_asum<Method, Exec>(x);
  ACC_CHECK_RESULT(
      "acc::asum", Exec, R,
      (std::is_same_v<typename R::value_type, impl::real_t<typename X::non_const_value_type>>));
  impl::check_data("acc::asum", "r", r);
  impl::check_no_overlap("acc::asum", "x", r, x);
  impl::reduce_to_view<impl::magnitude_terms, Method, impl::write_magnitude>(exec, "acc::asum", r,
                                                                             x, x);
}

/// On the default instance of x's execution space.
template <kokkos_view X, sum_method Method = compensated>
auto asum(const X& x, Method method = {}) {
  return asum(typename X::execution_space{}, x, method);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, sum_method Method = compensated>
void asum(const R& r, const X& x, Method method = {}) {
  asum(typename X::execution_space{}, r, x, method);
}

// Rejects all other arguments, by a text that says which there are.
ACC_REJECT_OTHER_ARGUMENTS(asum, sum_method, "(exec,) (r,) x (, method)",
                           "plain, compensated, exact or reproducible<K>", "v", "m v vm")

}  // namespace acc

#endif
