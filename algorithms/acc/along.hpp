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
#define ACC_CHECK_ALONG(function, Exec, R, X, r, x, axis, same_type)              \
  ACC_CHECK_ARRAY(function, "x", 2, 4, Exec, X);                                  \
  static_assert(R::rank + 1 == X::rank,                                           \
                function ": the result must be a View of one rank less than x");  \
  ACC_CHECK_OUTPUT(function, "the result", R::rank, Exec, R);                     \
  static_assert(same_type, function ": the result has the wrong value type");     \
  const int from_front = ::acc::impl::checked_axis(function, int(X::rank), axis); \
  ::acc::impl::check_extents_along(function, r, x, from_front);                   \
  ::acc::impl::check_array_data(function, "x", x);                                \
  ::acc::impl::check_array_data(function, "r", r);                                \
  ::acc::impl::check_places(function, r);                                         \
  ::acc::impl::check_apart(function, "x", r, x)
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
///         but no data, or r has an element between x's first and last one
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
/// and rules. The first call on exec allocates memory for sums of up to 16384 slices.
/// \param ddof  0, as numpy.var, or 1 for the unbiased estimate from a sample
/// \throws std::invalid_argument also if ddof is negative
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
void variance_along(const Exec& exec, const R& r, const X& x, int axis, std::int64_t ddof = 0) {
  using T = impl::result_t<typename X::non_const_value_type>;
  ACC_CHECK_REAL_NUMBERS("acc::variance_along", "x", X);
  ACC_CHECK_ALONG("acc::variance_along", Exec, R, X, r, x, axis,
                  (std::is_same_v<typename R::value_type, T>));
  impl::check_ddof("acc::variance_along", ddof);
  impl::variances_of_slices(exec, "acc::variance_along", r, x, from_front, ddof);
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

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(
    sum_along, sum_method, "(exec,) r, x, axis (, method)",
    "plain, compensated, double_word, fold<K>, widened, exact or reproducible<K>", "vvn", "m")
ACC_REJECT_OTHER_ARGUMENTS(nrm2_along, sum_method, "(exec,) r, x, axis (, method)",
                           "plain, compensated, exact or reproducible", "vvn", "m")
ACC_REJECT_OTHER_ARGUMENTS(mean_along, sum_method, "(exec,) r, x, axis", "exact, and is not named",
                           "vvn", "")
ACC_REJECT_OTHER_ARGUMENTS(variance_along, sum_method, "(exec,) r, x, axis (, ddof)",
                           "exact, and is not named", "vvn", "n")

}  // namespace acc

#endif
