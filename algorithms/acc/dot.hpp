// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_DOT_HPP
#define ACC_DOT_HPP

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

/// The terms of a dot product of vectors of T.
template <class T, bool Conjugate>
using dot_terms =
    std::conditional_t<components_of<T> == 1, product_terms, complex_product_terms<Conjugate>>;

// The rejections of all functions of two vectors; macros for the literal in static_assert.
#define ACC_CHECK_TWO_VECTORS(function, Exec, X, Y, x, y)                                 \
  ACC_CHECK_VECTOR(function, "x", Exec, X);                                               \
  ACC_CHECK_VECTOR(function, "y", Exec, Y);                                               \
  static_assert(                                                                          \
      std::is_same_v<typename X::non_const_value_type, typename Y::non_const_value_type>, \
      function ": x and y must have the same value type");                                \
  ::acc::impl::check_same_length(function, x, y);                                         \
  ::acc::impl::check_data(function, "x", x);                                              \
  ::acc::impl::check_data(function, "y", y)

// Those of dot and dotu that need no result.
#define ACC_CHECK_DOT(function, Method, Exec, X, Y, x, y)               \
  ACC_CHECK_METHOD(function, Method, typename X::non_const_value_type); \
  ACC_CHECK_TWO_VECTORS(function, Exec, X, Y, x, y)

#define ACC_CHECK_DOT_RESULT(function, Method, Exec, R, X, Y, r, x, y)                      \
  ACC_CHECK_RESULT(                                                                         \
      function, Exec, R,                                                                    \
      (::acc::impl::is_result_type<typename R::value_type,                                  \
                                   ::acc::impl::result_t<typename X::non_const_value_type>, \
                                   Method>));                                               \
  ::acc::impl::check_data(function, "r", r);                                                \
  ::acc::impl::check_no_overlap(function, "x", r, x);                                       \
  ::acc::impl::check_no_overlap(function, "y", r, y)

}  // namespace impl

/// The dot product sum conj(x_i) y_i, as KokkosBlas::dot; the same bits for every execution space,
/// thread count, layout and stride.
///
/// \param exec   execution space instance; the call fences it and nothing else
/// \param x, y   rank-1 Views of n elements of one type: float, double or Kokkos::complex of them
///               (half_t and bhalf_t with widened, exact and reproducible), any layouts,
///               accessible from exec
/// \param method the arithmetic: plain, compensated (default), compensated_fma, double_word,
///               fold<K>, widened, exact, reproducible<K>
/// \return       the dot product in the type of x (float for half_t and bhalf_t); +0 for n = 0
///
/// With u, d and gamma_d as for acc::sum and S = sum |x_i y_i| (for each part of a complex result
/// the absolute values of its own real products), the error of a real result is at most
///   plain            gamma_{d+1} S
///   compensated      u |dot| + 2 gamma_{d+1}^2 S      (Ogita, Rump, Oishi 2005, Dot2)
///   compensated_fma  u |dot| + 2 gamma_{d+1}^2 S      (Graillat, Langlois, Louvet 2006)
///   double_word      u |dot| + 4 d u^2 S              (Joldes, Muller, Popescu 2017)
///   fold<K>          (u + 3 gamma_{2K}^2) |dot| + gamma_{2d+2}^K S   (Ogita et al., DotK)
///   widened          u |dot| + (d + 1) 2^-53 S
///   exact            half an ulp: the correctly rounded dot product, whatever the exponents
///   reproducible<K>  u |dot| + 2 (1 + u) n 2^(-40 (K - 1)) max |x_i y_i|   (real double)
/// plus, where products fall below the normal numbers, n 2^-1074 (float n 2^-149), and, for
/// fold<K>, K >= 3, of floats, where a partial result reaches 2^110, 3 u^2 S. NaN and infinities
/// give what IEEE arithmetic gives; there is one NaN. Finite data overflows only if a number within
/// the bound of the exact dot product does (plain: as in IEEE arithmetic).
///
/// \throws std::invalid_argument if the lengths differ, or a vector has elements but no data
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y,
          sum_method Method = compensated>
auto dot(const Exec& exec, const X& x, const Y& y, Method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_DOT("acc::dot", Method, Exec, X, Y, x, y);
  return impl::reduce_to_host<impl::result_t<value>, impl::dot_terms<value, true>, Method,
                              impl::write_sum>(exec, "acc::dot", x, y);
}

/// The same into a rank-0 View r; asynchronous if exec is (see acc::sum).
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view Y,
          sum_method Method = compensated>
void dot(const Exec& exec, const R& r, const X& x, const Y& y, Method = {}) {
  ACC_CHECK_DOT("acc::dot", Method, Exec, X, Y, x, y);
  ACC_CHECK_DOT_RESULT("acc::dot", Method, Exec, R, X, Y, r, x, y);
  impl::reduce_to_view<impl::dot_terms<typename X::non_const_value_type, true>, Method,
                       impl::write_sum>(exec, "acc::dot", r, x, y);
}

/// The dot products of columns, as KokkosBlas::dot: of x's columns with y's, or of a vector with
/// each column of a matrix. Each has the bits of acc::dot of the two columns alone. Asynchronous if
/// exec is.
/// \param r     rank-1 View of n results, of the type that acc::dot gives, any layout
/// \param x, y  rank-2 Views of m x n elements, any layouts; one of them may be a rank-1 View of m
/// \throws std::invalid_argument if the extents do not fit, x, y or r has elements but no data, two
///         elements of r share a place, or r has an element between the first and the last one of x
///         or y
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view Y,
          sum_method Method = compensated>
  requires(X::rank == 2 || Y::rank == 2)
void dot(const Exec& exec, const R& r, const X& x, const Y& y, Method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_METHOD("acc::dot", Method, value);
  ACC_CHECK_TWO_COLUMNS(
      "acc::dot", Exec, R, X, Y, r, x, y,
      (impl::is_result_type<typename R::value_type, impl::result_t<value>, Method>));
  impl::reduce_slices<impl::dot_terms<value, true>, Method, impl::write_sum>(exec, "acc::dot", r, x,
                                                                             y, 0);
}

/// On the default instance of x's execution space.
template <kokkos_view X, kokkos_view Y, sum_method Method = compensated>
auto dot(const X& x, const Y& y, Method method = {}) {
  return dot(typename X::execution_space{}, x, y, method);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, kokkos_view Y, sum_method Method = compensated>
void dot(const R& r, const X& x, const Y& y, Method method = {}) {
  dot(typename X::execution_space{}, r, x, y, method);
}

/// The dot product sum x_i y_i, without conjugation; otherwise as acc::dot.
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y,
          sum_method Method = compensated>
auto dotu(const Exec& exec, const X& x, const Y& y, Method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_DOT("acc::dotu", Method, Exec, X, Y, x, y);
  return impl::reduce_to_host<impl::result_t<value>, impl::dot_terms<value, false>, Method,
                              impl::write_sum>(exec, "acc::dotu", x, y);
}

/// The same into a rank-0 View r; asynchronous if exec is (see acc::sum).
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view Y,
          sum_method Method = compensated>
void dotu(const Exec& exec, const R& r, const X& x, const Y& y, Method = {}) {
  ACC_CHECK_DOT("acc::dotu", Method, Exec, X, Y, x, y);
  ACC_CHECK_DOT_RESULT("acc::dotu", Method, Exec, R, X, Y, r, x, y);
  impl::reduce_to_view<impl::dot_terms<typename X::non_const_value_type, false>, Method,
                       impl::write_sum>(exec, "acc::dotu", r, x, y);
}

/// The same of columns, as acc::dot of columns.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view Y,
          sum_method Method = compensated>
  requires(X::rank == 2 || Y::rank == 2)
void dotu(const Exec& exec, const R& r, const X& x, const Y& y, Method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_METHOD("acc::dotu", Method, value);
  ACC_CHECK_TWO_COLUMNS(
      "acc::dotu", Exec, R, X, Y, r, x, y,
      (impl::is_result_type<typename R::value_type, impl::result_t<value>, Method>));
  impl::reduce_slices<impl::dot_terms<value, false>, Method, impl::write_sum>(exec, "acc::dotu", r,
                                                                              x, y, 0);
}

/// On the default instance of x's execution space.
template <kokkos_view X, kokkos_view Y, sum_method Method = compensated>
auto dotu(const X& x, const Y& y, Method method = {}) {
  return dotu(typename X::execution_space{}, x, y, method);
}

/// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, kokkos_view Y, sum_method Method = compensated>
void dotu(const R& r, const X& x, const Y& y, Method method = {}) {
  dotu(typename X::execution_space{}, r, x, y, method);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(
    dot, sum_method, "(exec,) (r,) x, y (, method)",
    "plain, compensated, compensated_fma, double_word, fold<K>, widened, exact or reproducible<K>",
    "vv", "m v vm")
ACC_REJECT_OTHER_ARGUMENTS(
    dotu, sum_method, "(exec,) (r,) x, y (, method)",
    "plain, compensated, compensated_fma, double_word, fold<K>, widened, exact or reproducible<K>",
    "vv", "m v vm")

}  // namespace acc

#endif
