// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_NRM2_HPP
#define ACC_NRM2_HPP

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
// The elements T and Method are acc::nrm2's; a macro for the literal in static_assert.
#define ACC_CHECK_NRM2_METHOD(function, Method, T)                \
  ACC_CHECK_TYPE(function, T);                                    \
  static_assert(std::is_same_v<Method, ::acc::plain> ||           \
                    std::is_same_v<Method, ::acc::compensated> || \
                    ::acc::impl::is_order_free<Method>,           \
                function ": method must be plain, compensated, exact or reproducible")

// The rejections of nrm2 and nrm2_squared that need no result, and those of a result.
#define ACC_CHECK_NRM2(function, Method, Exec, X, x)                         \
  ACC_CHECK_ARRAY(function, "x", 1, 8, Exec, X);                             \
  ACC_CHECK_NRM2_METHOD(function, Method, typename X::non_const_value_type); \
  ::acc::impl::check_array_data(function, "x", x)
#define ACC_CHECK_NRM2_COLUMNS(function, Method, Exec, R, X, r, x)           \
  ACC_CHECK_NRM2_METHOD(function, Method, typename X::non_const_value_type); \
  ACC_CHECK_COLUMNS(function, Exec, R, X, r, x,                              \
                    (std::is_same_v<typename R::value_type,                  \
                                    ::acc::impl::real_t<typename X::non_const_value_type>>))
}  // namespace impl

/// The Euclidean norm sqrt(sum |x_i|^2), without overflow or underflow in between; the same bits
/// for every execution space, thread count, layout and stride.
///
/// \param exec   execution space instance; the call fences it and nothing else
/// \param x      View of rank 1 to 8, of n float, double or Kokkos::complex of them; any layout,
///               accessible from exec. The elements of an array of rank 2 to 8 count in index
///               order, the last index fastest
/// \param method plain, compensated (default), exact or reproducible<K>
/// \return       the norm in the real type of x; +0 for n = 0
///
/// The sum of squares is acc::dot(x, x). If it would overflow, or lose squares below the normal
/// numbers, the numbers are scaled first (acc/core/order/guarded.hpp). The relative error is at
/// most u + u^2 + gamma_{d+1}^2 (compensated: one rounding, nearly), u + gamma_{d+1} / 2 (plain),
/// and one more rounding where the norm is subnormal. exact is the correctly rounded root of the
/// exact sum of squares; reproducible<K> the correctly rounded root of what K bins keep of the
/// squares, which have bins of their own where they underflow (docs/arithmetic.md, J8).
/// \throws std::invalid_argument if x has elements but no data
template <kokkos_execution_space Exec, kokkos_view X, sum_method Method = compensated>
auto nrm2(const Exec& exec, const X& x, Method = {}) {
  ACC_CHECK_NRM2("acc::nrm2", Method, Exec, X, x);
  return impl::reduce_to_host<impl::real_t<typename X::non_const_value_type>, impl::square_terms,
                              Method, impl::write_root>(exec, "acc::nrm2", x, x);
}

/// The same into a rank-0 View r of the real type; asynchronous if exec is.
/// \throws std::invalid_argument if x has elements but no data, r has no data, or r lies inside x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void nrm2(const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_NRM2("acc::nrm2", Method, Exec, X, x);
  ACC_CHECK_RESULT_OF("acc::nrm2", Exec, R, impl::real_t<typename X::non_const_value_type>, r, x);
  impl::reduce_to_view<impl::square_terms, Method, impl::write_root>(exec, "acc::nrm2", r, x, x);
}

/// The norms of the columns of a matrix, as acc::sum of columns: r has the real type.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
  requires(X::rank == 2 && R::rank > 0)
void nrm2(const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_NRM2_COLUMNS("acc::nrm2", Method, Exec, R, X, r, x);
  impl::reduce_slices<impl::square_terms, Method, impl::write_root>(exec, "acc::nrm2", r, x, x, 0);
}

/// On the default instance of x's execution space.
template <kokkos_view X, sum_method Method = compensated>
auto nrm2(const X& x, Method method = {}) {
  return nrm2(typename X::execution_space{}, x, method);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, sum_method Method = compensated>
void nrm2(const R& r, const X& x, Method method = {}) {
  nrm2(typename X::execution_space{}, r, x, method);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(nrm2, sum_method, "(exec,) (r,) x (, method)",
                           "plain, compensated, exact or reproducible<K>", "v", "m v vm")

/// The square of the Euclidean norm, sum |x_i|^2, as KokkosBlas::nrm2_squared; the same bits for
/// every execution space, thread count, layout and stride.
///
/// \param exec   execution space instance; the call fences it and nothing else
/// \param x      as acc::nrm2's
/// \param method plain, compensated (default), exact or reproducible<K>
/// \return       the sum in the real type of x; +0 for n = 0
///
/// It is the sum of squares whose root acc::nrm2 is, rounded. The relative error is at most
/// u + 2 gamma_{d+1}^2 (compensated), gamma_{d+1} (plain), and half the smallest subnormal number
/// more below the normal numbers; exact is correctly rounded; reproducible<K> as for acc::dot(x,
/// x), with bins of their own for squares that underflow. It overflows only if a number within the
/// bound of the exact sum does.
/// \throws std::invalid_argument if x has elements but no data
template <kokkos_execution_space Exec, kokkos_view X, sum_method Method = compensated>
auto nrm2_squared(const Exec& exec, const X& x, Method = {}) {
  ACC_CHECK_NRM2("acc::nrm2_squared", Method, Exec, X, x);
  return impl::reduce_to_host<impl::real_t<typename X::non_const_value_type>, impl::square_terms,
                              Method, impl::write_square>(exec, "acc::nrm2_squared", x, x);
}

/// The same into a rank-0 View r of the real type; asynchronous if exec is.
/// \throws std::invalid_argument if x has elements but no data, r has no data, or r lies inside x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void nrm2_squared(const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_NRM2("acc::nrm2_squared", Method, Exec, X, x);
  ACC_CHECK_RESULT_OF("acc::nrm2_squared", Exec, R, impl::real_t<typename X::non_const_value_type>,
                      r, x);
  impl::reduce_to_view<impl::square_terms, Method, impl::write_square>(exec, "acc::nrm2_squared", r,
                                                                       x, x);
}

/// The squared norms of the columns of a matrix, as acc::sum of columns: r has the real type.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
  requires(X::rank == 2 && R::rank > 0)
void nrm2_squared(const Exec& exec, const R& r, const X& x, Method = {}) {
  ACC_CHECK_NRM2_COLUMNS("acc::nrm2_squared", Method, Exec, R, X, r, x);
  impl::reduce_slices<impl::square_terms, Method, impl::write_square>(exec, "acc::nrm2_squared", r,
                                                                      x, x, 0);
}

/// On the default instance of x's execution space.
template <kokkos_view X, sum_method Method = compensated>
auto nrm2_squared(const X& x, Method method = {}) {
  return nrm2_squared(typename X::execution_space{}, x, method);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, sum_method Method = compensated>
void nrm2_squared(const R& r, const X& x, Method method = {}) {
  nrm2_squared(typename X::execution_space{}, r, x, method);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(nrm2_squared, sum_method, "(exec,) (r,) x (, method)",
                           "plain, compensated, exact or reproducible<K>", "v", "m v vm")

}  // namespace acc

#endif
