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

/// The rejections of acc::nrm2 that need no result.
template <class Method, class Exec, class X>
void check_nrm2(const X& x) {
  ACC_CHECK_ARRAY("acc::nrm2", "x", 1, 8, Exec, X);
  ACC_CHECK_NRM2_METHOD("acc::nrm2", Method, typename X::non_const_value_type);
  check_array_data("acc::nrm2", "x", x);
}
}  // namespace impl

/// The Euclidean norm sqrt(sum |x_i|^2), without overflow or underflow in between; the same bits
/// for every execution space, thread count, layout and stride.
///
/// \param exec   execution space instance; the call fences it and nothing else
/// \param x      View of rank 1 to 8, of n float, double or Kokkos::complex of them; any layout,
///               accessible from exec. An array counts as acc::sum's
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
  impl::check_nrm2<Method, Exec>(x);
  return impl::reduce_to_host<impl::real_t<typename X::non_const_value_type>, impl::square_terms,
                              Method, impl::write_root>(exec, "acc::nrm2", x, x);
}

/// The same into a rank-0 View r of the real type; asynchronous if exec is.
/// \throws std::invalid_argument if x has elements but no data, r has no data, or r lies inside x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void nrm2(const Exec& exec, const R& r, const X& x, Method = {}) {
  impl::check_nrm2<Method, Exec>(x);
  ACC_CHECK_RESULT(
      "acc::nrm2", Exec, R,
      (std::is_same_v<typename R::value_type, impl::real_t<typename X::non_const_value_type>>));
  impl::check_data("acc::nrm2", "r", r);
  impl::check_no_overlap("acc::nrm2", "x", r, x);
  impl::reduce_to_view<impl::square_terms, Method, impl::write_root>(exec, "acc::nrm2", r, x, x);
}

/// The norms of the columns of a matrix, as acc::sum of columns: r has the real type.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
  requires(X::rank == 2 && R::rank > 0)
void nrm2(const Exec& exec, const R& r, const X& x, Method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_NRM2_METHOD("acc::nrm2", Method, value);
  ACC_CHECK_COLUMNS("acc::nrm2", Exec, R, X, r, x,
                    (std::is_same_v<typename R::value_type, impl::real_t<value>>));
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

}  // namespace acc

#endif
