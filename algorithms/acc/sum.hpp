// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_SUM_HPP
#define ACC_SUM_HPP

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
/// The rejections of acc::sum that need no result.
template <class Method, class Exec, class X>
void check_sum(const X& x) {
  ACC_CHECK_VECTOR("acc::sum", "x", Exec, X);
  ACC_CHECK_METHOD("acc::sum", Method, typename X::non_const_value_type);
  static_assert(!std::is_same_v<Method, compensated_fma>,
                "acc::sum: method compensated_fma is for dot products");
  check_data("acc::sum", "x", x);
}
}  // namespace impl

/// The sum of a vector, the same bits for every execution space, thread count, layout and stride.
///
/// \param exec   execution space instance; fenced, and nothing else is
/// \param x      rank-1 View of n float, double or Kokkos::complex of them (half_t and bhalf_t with
///               widened, exact and reproducible), any layout, accessible from exec
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
/// The last two have the same bits for every order of the elements too, and finite data gives an
/// infinity only where the sum itself rounds to one; see superaccumulator and binned.
/// NaN and infinities give what IEEE addition gives, with one NaN; finite data overflows only where
/// a number within the bound of the exact sum does (plain: as IEEE). A sum of -0 alone is -0
/// (double_word, which renormalises: +0).
///
/// \throws std::invalid_argument if x has elements but no data
template <kokkos_execution_space Exec, kokkos_view X, sum_method Method = compensated>
auto sum(const Exec& exec, const X& x, Method = {}) {
  using value = typename X::non_const_value_type;
  impl::check_sum<Method, Exec>(x);
  return impl::reduce_to_host<impl::result_t<value>, impl::sum_terms<impl::components_of<value>>,
                              Method, impl::write_sum>(exec, "acc::sum", x, x);
}

/// The same into a rank-0 View r, asynchronously on exec. r has the type of the result above; with
/// widened it may be any floating-point type, to which the sum is rounded once.
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

// Rejects all other arguments, by a text that says which there are.
ACC_REJECT_OTHER_ARGUMENTS(
    sum, sum_method, "(exec,) (r,) x (, method)",
    "plain, compensated, double_word, fold<K>, widened, exact or reproducible<K>", "v", "m v vm")

}  // namespace acc

#endif
