// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_SUM_HPP
#define ACC_SUM_HPP

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
// The elements T and Method are acc::sum's; a macro for the literal in static_assert.
#define ACC_CHECK_SUM_METHOD(function, Method, T)                \
  ACC_CHECK_METHOD(function, Method, T);                         \
  static_assert(!std::is_same_v<Method, ::acc::compensated_fma>, \
                function ": method compensated_fma is for dot products")

/// The rejections of acc::sum that need no result.
template <class Method, class Exec, class X>
void check_sum(const X& x) {
  ACC_CHECK_ARRAY("acc::sum", "x", 1, 8, Exec, X);
  ACC_CHECK_SUM_METHOD("acc::sum", Method, typename X::non_const_value_type);
  check_array_data("acc::sum", "x", x);
}
}  // namespace impl

/// The sum of a vector or of all elements of an array, the same bits for every execution space,
/// thread count, layout and stride.
///
/// \param exec   execution space instance; the call fences it and nothing else
/// \param x      View of rank 1 to 8, of n elements: float, double or Kokkos::complex of them
///               (half_t and bhalf_t with widened, exact and reproducible); any layout, accessible
///               from exec. The elements of an array count in index order, the last index fastest
/// \param method the arithmetic: plain, compensated (default), double_word, fold<K>, widened,
///               exact, reproducible<K>
/// \return       x_0 + ... + x_{n-1} in the type of x (float for half_t and bhalf_t); +0 for n = 0
///
/// With u the unit roundoff, S = sum |x_i|, d = 70 + ceil(log2(n / 4096)) the depth of the
/// canonical order (for n < 4096 at most 71; docs/arithmetic.md) and gamma_d = d u / (1 - d u),
/// the error is at most
///   plain        gamma_d S
///   compensated  u |sum| + 2 gamma_d^2 S             (Ogita, Rump, Oishi 2005, Sum2)
///   double_word  u |sum| + 3 d u^2 S                 (Joldes, Muller, Popescu 2017)
///   fold<K>      (u + 3 gamma_{2K}^2) |sum| + gamma_{2d}^K S   (the same, SumK)
///   widened      u |sum| + d 2^-53 S
///   exact        half an ulp: the correctly rounded sum
///   reproducible<K>  u |sum| + (1 + u) n 2^(-40 (K - 1)) max |x_i|   (Demmel, Nguyen 2013)
/// exact and reproducible<K> have the same bits for every order of the elements, and finite data
/// gives an infinity only if the sum itself rounds to one (see superaccumulator, binned).
/// NaN and infinities give what IEEE addition gives; there is one NaN. Finite data overflows only
/// if a number within the bound of the exact sum does (plain: as in IEEE arithmetic). A sum of
/// nothing but -0 is -0 (double_word, which renormalizes: +0).
///
/// \throws std::invalid_argument if x has elements but no data
template <kokkos_execution_space Exec, kokkos_view X, sum_method Method = compensated>
auto sum(const Exec& exec, const X& x, Method = {}) {
  using value = typename X::non_const_value_type;
  impl::check_sum<Method, Exec>(x);
  return impl::reduce_to_host<impl::result_t<value>, impl::sum_terms<impl::components_of<value>>,
                              Method, impl::write_sum>(exec, "acc::sum", x, x);
}

/// The same into a rank-0 View r; asynchronous if exec is. r has the type of the result above; with
/// widened it may have any floating-point type, and the sum is rounded to it once.
/// \throws std::invalid_argument if x has elements but no data, r has no data, or r lies inside x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void sum(const Exec& exec, const R& r, const X& x, Method = {}) {
  using value = typename X::non_const_value_type;
  impl::check_sum<Method, Exec>(x);
  ACC_CHECK_RESULT("acc::sum", Exec, R,
                   (impl::is_result_type<typename R::value_type, impl::result_t<value>, Method>));
  impl::check_data("acc::sum", "r", r);
  impl::check_no_overlap("acc::sum", "x", r, x);
  impl::reduce_to_view<impl::sum_terms<impl::components_of<value>>, Method, impl::write_sum>(
      exec, "acc::sum", r, x, x);
}

/// The sums of the columns of a matrix, as KokkosBlas::sum, where r has rank 1: each has the bits
/// of acc::sum over the column alone. Asynchronous if exec is.
/// \param r  rank-1 View of n results, of the type that acc::sum gives, any layout
/// \param x  rank-2 View of m x n elements, any layout
/// \throws std::invalid_argument if r has not n elements, x or r has elements but no data, two
///         elements of r share a place, or r has an element between x's first and last one
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
  requires(X::rank == 2 && R::rank > 0)
void sum(const Exec& exec, const R& r, const X& x, Method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_SUM_METHOD("acc::sum", Method, value);
  ACC_CHECK_COLUMNS("acc::sum", Exec, R, X, r, x,
                    (impl::is_result_type<typename R::value_type, impl::result_t<value>, Method>));
  impl::reduce_slices<impl::sum_terms<impl::components_of<value>>, Method, impl::write_sum>(
      exec, "acc::sum", r, x, x, 0);
}

/// On the default instance of x's execution space.
template <kokkos_view X, sum_method Method = compensated>
auto sum(const X& x, Method method = {}) {
  return sum(typename X::execution_space{}, x, method);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, sum_method Method = compensated>
void sum(const R& r, const X& x, Method method = {}) {
  sum(typename X::execution_space{}, r, x, method);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(
    sum, sum_method, "(exec,) (r,) x (, method)",
    "plain, compensated, double_word, fold<K>, widened, exact or reproducible<K>", "v", "m v vm")

}  // namespace acc

#endif
