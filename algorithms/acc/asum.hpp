// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_ASUM_HPP
#define ACC_ASUM_HPP

#include <acc/core/checks/check.hpp>
#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/impl/slices.hpp>

#include <type_traits>

namespace acc {

namespace impl {

// The rejections of asum and nrm1 that need no result; a macro for the literals in static_assert.
#define ACC_CHECK_ASUM(function, Method, Exec, X, x) \
  ACC_CHECK_ARRAY(function, "x", 1, 8, Exec, X);     \
  ACC_CHECK_ASUM_METHOD(function, Method, X);        \
  ::acc::impl::check_array_data(function, "x", x)
#define ACC_CHECK_ASUM_METHOD(function, Method, X)                \
  ACC_CHECK_TYPE(function, typename X::non_const_value_type);     \
  static_assert(std::is_same_v<Method, ::acc::plain> ||           \
                    std::is_same_v<Method, ::acc::compensated> || \
                    ::acc::impl::is_order_free<Method>,           \
                function ": method must be plain, compensated, exact or reproducible")
#define ACC_CHECK_ASUM_COLUMNS(function, Method, Exec, R, X, r, x) \
  ACC_CHECK_ASUM_METHOD(function, Method, X);                      \
  ACC_CHECK_COLUMNS(function, Exec, R, X, r, x,                    \
                    (std::is_same_v<typename R::value_type,        \
                                    ::acc::impl::real_t<typename X::non_const_value_type>>))

template <class Method, class Exec, class X>
auto asum_to_host(const Exec& exec, const char* function, const X& x) {
  return reduce_to_host<real_t<typename X::non_const_value_type>, magnitude_terms, Method,
                        write_magnitude>(exec, function, x, x);
}
template <class Method, class Exec, class R, class X>
void asum_to_view(const Exec& exec, const char* function, const R& r, const X& x) {
  reduce_to_view<magnitude_terms, Method, write_magnitude>(exec, function, r, x, x);
}
template <class Method, class Exec, class R, class X>
void asum_of_columns(const Exec& exec, const char* function, const R& r, const X& x) {
  reduce_slices<magnitude_terms, Method, write_magnitude>(exec, function, r, x, x, 0);
}

}  // namespace impl

/// The sum of magnitudes: sum |x_i|, for complex x sum |re x_i| + |im x_i| as in the BLAS. The same
/// bits for every execution space, thread count, layout and stride.
///
/// \param exec   execution space instance; the call fences it and nothing else
/// \param x      View of rank 1 to 8, of n float, double or Kokkos::complex of them; any layout,
///               accessible from exec. An array counts as acc::sum's
/// \param method plain, compensated (default), exact or reproducible<K>
/// \return       the sum in the real type of x; +0 for n = 0
///
/// Error bounds as acc::sum's, with S the sum itself: relative error at most u + 2 gamma_d^2
/// (compensated), gamma_d (plain).
/// exact is correctly rounded; reproducible<K> is as for acc::sum.
/// \throws std::invalid_argument if x has elements but no data
template <kokkos_execution_space Exec, kokkos_view X, sum_method Method = compensated>
auto asum(const Exec& exec, const X& x, Method = {}) {
  ACC_CHECK_ASUM("acc::asum", Method, Exec, X, x);
  return impl::asum_to_host<Method>(exec, "acc::asum", x);
}

/// The same into a rank-0 View r of the real type; asynchronous if exec is.
/// \throws std::invalid_argument if x has elements but no data, r has no data, or r lies inside x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void asum(const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_ASUM("acc::asum", Method, Exec, X, x);
  ACC_CHECK_RESULT_OF("acc::asum", Exec, R, impl::real_t<typename X::non_const_value_type>, r, x);
  impl::asum_to_view<Method>(exec, "acc::asum", r, x);
}

/// The sums of magnitudes of the columns of a matrix, as acc::sum of columns: r has the real type.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
  requires(X::rank == 2 && R::rank > 0)
void asum(const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_ASUM_COLUMNS("acc::asum", Method, Exec, R, X, r, x);
  impl::asum_of_columns<Method>(exec, "acc::asum", r, x);
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

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(asum, sum_method, "(exec,) (r,) x (, method)",
                           "plain, compensated, exact or reproducible<K>", "v", "m v vm")

/// KokkosBlas's name of asum: the same sum, arguments, methods and errors.
template <kokkos_execution_space Exec, kokkos_view X, sum_method Method = compensated>
auto nrm1(const Exec& exec, const X& x, Method = {}) {
  ACC_CHECK_ASUM("acc::nrm1", Method, Exec, X, x);
  return impl::asum_to_host<Method>(exec, "acc::nrm1", x);
}
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void nrm1(const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_ASUM("acc::nrm1", Method, Exec, X, x);
  ACC_CHECK_RESULT_OF("acc::nrm1", Exec, R, impl::real_t<typename X::non_const_value_type>, r, x);
  impl::asum_to_view<Method>(exec, "acc::nrm1", r, x);
}
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
  requires(X::rank == 2 && R::rank > 0)
void nrm1(const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_ASUM_COLUMNS("acc::nrm1", Method, Exec, R, X, r, x);
  impl::asum_of_columns<Method>(exec, "acc::nrm1", r, x);
}
template <kokkos_view X, sum_method Method = compensated>
auto nrm1(const X& x, Method method = {}) {
  return nrm1(typename X::execution_space{}, x, method);
}
template <kokkos_view R, kokkos_view X, sum_method Method = compensated>
void nrm1(const R& r, const X& x, Method method = {}) {
  nrm1(typename X::execution_space{}, r, x, method);
}
ACC_REJECT_OTHER_ARGUMENTS(nrm1, sum_method, "(exec,) (r,) x (, method)",
                           "plain, compensated, exact or reproducible<K>", "v", "m v vm")

}  // namespace acc

#endif
