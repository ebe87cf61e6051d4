// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_ALONG_HPP
#define ACC_ALONG_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/impl/reduce.hpp>
#include <acc/impl/slice_statistics.hpp>
#include <acc/impl/slices.hpp>
#include <acc/nrm2.hpp>
#include <acc/statistics.hpp>
#include <acc/sum.hpp>

#include <cstdint>
#include <type_traits>

namespace acc {

namespace impl {
// r is an array of one rank less than x, which has rank 2 to 4; names the axis from 0 on.
#define ACC_CHECK_ALONG(function, Exec, R, X, r, x, axis, same_type)                            \
  ACC_CHECK_ARRAY(function, "x", 2, 4, Exec, X);                                                \
  static_assert(R::rank + 1 == X::rank, function ": r must be a View of one rank less than x"); \
  ACC_CHECK_OUTPUT(function, "r", R::rank, Exec, R);                                            \
  static_assert(same_type, function ": r has the wrong value type");                            \
  const int from_front = ::acc::impl::checked_axis(function, int(X::rank), axis);               \
  ::acc::impl::check_extents_along(function, r, x, from_front);                                 \
  ::acc::impl::check_array_data(function, "x", x);                                              \
  ::acc::impl::check_array_data(function, "r", r);                                              \
  ::acc::impl::check_places(function, r);                                                       \
  ::acc::impl::check_apart(function, "x", r, x)
// y is an array of x's extents and type or, where it may be one, a vector along the axis.
#define ACC_CHECK_SECOND_ALONG(function, name, Exec, X, Y, r, x, y, axis)                 \
  ACC_CHECK_ARRAY(function, name, 1, 4, Exec, Y);                                         \
  static_assert(                                                                          \
      std::is_same_v<typename X::non_const_value_type, typename Y::non_const_value_type>, \
      function ": x and " name " must have the same value type");                         \
  ::acc::impl::check_second_along(function, name, x, y, axis);                            \
  ::acc::impl::check_array_data(function, name, y);                                       \
  ::acc::impl::check_apart(function, name, r, y)
}  // namespace impl

/// The sums of an array along an axis, as numpy.sum with axis: each element of r has the bits of
/// acc::sum over the slice of x that its indices leave. Asynchronous if exec is.
///
/// \param exec    execution space instance
/// \param r       View with x's extents except that of the axis, of the type that acc::sum gives,
///                any layout, accessible from exec
/// \param x       View of rank 2 to 4 of what acc::sum takes, any layout, accessible from exec
/// \param axis    the dimension to sum over, from 0 on; -1 is the last one
/// \param method  as for acc::sum; compensated (default)
///
/// Error bounds, and the rules for NaN, infinities, overflow and zeros, are acc::sum's. The sum of
/// an axis without elements is +0.
/// \throws std::invalid_argument if x has no such axis, the extents do not fit, x or r has elements
///         but no data, two elements of r share a place, or r has an element between x's first and
///         last one
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void sum_along(const Exec& exec, const R& r, const X& x, int axis, Method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_SUM_METHOD("acc::sum_along", Method, value);
  ACC_CHECK_ALONG("acc::sum_along", Exec, R, X, r, x, axis,
                  (impl::is_result_type<typename R::value_type, impl::result_t<value>, Method>));
  impl::reduce_slices<impl::sum_terms<impl::components_of<value>>, Method, impl::write_sum>(
      exec, "acc::sum_along", r, x, x, from_front);
}

/// The Euclidean norms along an axis: as acc::sum_along, with acc::nrm2's types, methods and
/// bounds.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X,
          sum_method Method = compensated>
void nrm2_along(const Exec& exec, const R& r, const X& x, int axis, Method = {}) {
  using value = typename X::non_const_value_type;
  ACC_CHECK_NRM2_METHOD("acc::nrm2_along", Method, value);
  ACC_CHECK_ALONG("acc::nrm2_along", Exec, R, X, r, x, axis,
                  (std::is_same_v<typename R::value_type, impl::real_t<value>>));
  impl::reduce_slices<impl::square_terms, Method, impl::write_root>(exec, "acc::nrm2_along", r, x,
                                                                    x, from_front);
}

/// The means along an axis, correctly rounded: as acc::sum_along, with acc::mean's types. NaN along
/// an axis without elements.
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
void mean_along(const Exec& exec, const R& r, const X& x, int axis) {
  using T = impl::result_t<typename X::non_const_value_type>;
  ACC_CHECK_REAL_NUMBERS("acc::mean_along", "x", X);
  ACC_CHECK_ALONG("acc::mean_along", Exec, R, X, r, x, axis,
                  (std::is_same_v<typename R::value_type, T>));
  impl::reduce_slices<impl::sum_terms<1>, exact, impl::write_mean>(exec, "acc::mean_along", r, x, x,
                                                                   from_front);
}

/// The variances along an axis, correctly rounded: as acc::sum_along, with acc::variance's types
/// and rules. The first call on exec that needs so much allocates memory, which exec keeps: the
/// exact sums of 16384 slices at a time, about 1 KiB each (float: 160 bytes), two for a variance or
/// a weighted mean and three for a covariance.
/// \param ddof  0, as numpy.var, or 1 for the unbiased estimate from a sample
/// \throws std::invalid_argument also if ddof is negative
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
void variance_along(const Exec& exec, const R& r, const X& x, int axis, std::int64_t ddof = 0) {
  using T = impl::result_t<typename X::non_const_value_type>;
  ACC_CHECK_REAL_NUMBERS("acc::variance_along", "x", X);
  ACC_CHECK_ALONG("acc::variance_along", Exec, R, X, r, x, axis,
                  (std::is_same_v<typename R::value_type, T>));
  impl::check_ddof("acc::variance_along", ddof);
  impl::statistics_of_slices(exec, "acc::variance_along", r, x, x, from_front,
                             impl::variance_of_slice{ddof});
}

/// The covariances of two arrays along an axis, correctly rounded: as acc::variance_along, with
/// acc::covariance's types and rules.
/// \param y  View of x's extents and value type, any layout, accessible from exec
/// \throws std::invalid_argument also if the extents differ, y has elements but no data, or r has
///         an element between y's first and last one
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view Y>
void covariance_along(const Exec& exec, const R& r, const X& x, const Y& y, int axis,
                      std::int64_t ddof = 0) {
  ACC_CHECK_REAL_NUMBERS("acc::covariance_along", "x", X);
  ACC_CHECK_ALONG(
      "acc::covariance_along", Exec, R, X, r, x, axis,
      (std::is_same_v<typename R::value_type, impl::result_t<typename X::non_const_value_type>>));
  static_assert(Y::rank == X::rank, "acc::covariance_along: x and y must have the same rank");
  ACC_CHECK_SECOND_ALONG("acc::covariance_along", "y", Exec, X, Y, r, x, y, from_front);
  impl::check_ddof("acc::covariance_along", ddof);
  impl::statistics_of_slices(exec, "acc::covariance_along", r, x, y, from_front,
                             impl::covariance_of_slice{ddof});
}

/// The weighted means along an axis, correctly rounded: as acc::variance_along, with
/// acc::weighted_mean's types and rules.
/// \param w  the weights: View of x's extents, or of rank 1 with an element for each place on the
///           axis (as numpy.average takes them), of x's value type, any layout, accessible from
///           exec
/// \throws std::invalid_argument also if w's extents do not fit, w has elements but no data, or r
///         has an element between w's first and last one
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view W>
void weighted_mean_along(const Exec& exec, const R& r, const X& x, const W& w, int axis) {
  ACC_CHECK_REAL_NUMBERS("acc::weighted_mean_along", "x", X);
  ACC_CHECK_ALONG(
      "acc::weighted_mean_along", Exec, R, X, r, x, axis,
      (std::is_same_v<typename R::value_type, impl::result_t<typename X::non_const_value_type>>));
  static_assert(W::rank == X::rank || W::rank == 1,
                "acc::weighted_mean_along: w must have x's rank or rank 1");
  ACC_CHECK_SECOND_ALONG("acc::weighted_mean_along", "w", Exec, X, W, r, x, w, from_front);
  impl::statistics_of_slices(exec, "acc::weighted_mean_along", r, x, w, from_front,
                             impl::weighted_mean_of_slice{});
}

// On the default instance of x's execution space.
template <kokkos_view R, kokkos_view X, sum_method Method = compensated>
void sum_along(const R& r, const X& x, int axis, Method method = {}) {
  sum_along(typename X::execution_space{}, r, x, axis, method);
}
template <kokkos_view R, kokkos_view X, sum_method Method = compensated>
void nrm2_along(const R& r, const X& x, int axis, Method method = {}) {
  nrm2_along(typename X::execution_space{}, r, x, axis, method);
}
template <kokkos_view R, kokkos_view X>
void mean_along(const R& r, const X& x, int axis) {
  mean_along(typename X::execution_space{}, r, x, axis);
}
template <kokkos_view R, kokkos_view X>
void variance_along(const R& r, const X& x, int axis, std::int64_t ddof = 0) {
  variance_along(typename X::execution_space{}, r, x, axis, ddof);
}
template <kokkos_view R, kokkos_view X, kokkos_view Y>
void covariance_along(const R& r, const X& x, const Y& y, int axis, std::int64_t ddof = 0) {
  covariance_along(typename X::execution_space{}, r, x, y, axis, ddof);
}
template <kokkos_view R, kokkos_view X, kokkos_view W>
void weighted_mean_along(const R& r, const X& x, const W& w, int axis) {
  weighted_mean_along(typename X::execution_space{}, r, x, w, axis);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(
    sum_along, sum_method, "(exec,) r, x, axis (, method)",
    "plain, compensated, double_word, fold<K>, widened, exact or reproducible<K>", "vvn", "m")
ACC_REJECT_OTHER_ARGUMENTS(nrm2_along, sum_method, "(exec,) r, x, axis (, method)",
                           "plain, compensated, exact or reproducible", "vvn", "m")
ACC_REJECT_OTHER_ARGUMENTS(mean_along, sum_method, "(exec,) r, x, axis",
                           "left out: it is always exact", "vvn", "")
ACC_REJECT_OTHER_ARGUMENTS(variance_along, sum_method, "(exec,) r, x, axis (, ddof)",
                           "left out: it is always exact", "vvn", "n")
ACC_REJECT_OTHER_ARGUMENTS(covariance_along, sum_method, "(exec,) r, x, y, axis (, ddof)",
                           "left out: it is always exact", "vvvn", "n")
ACC_REJECT_OTHER_ARGUMENTS(weighted_mean_along, sum_method, "(exec,) r, x, w, axis",
                           "left out: it is always exact", "vvvn", "")

}  // namespace acc

#endif
