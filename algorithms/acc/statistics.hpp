// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_STATISTICS_HPP
#define ACC_STATISTICS_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/elements.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/exact/quotient.hpp>
#include <acc/core/method.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/impl/exact_sums.hpp>
#include <acc/impl/reduce.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

namespace acc {

namespace impl {
template <class T>
inline constexpr bool has_statistics = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// x is an array of real numbers.
#define ACC_CHECK_NUMBERS(function, name, Exec, X, x) \
  ACC_CHECK_ARRAY(function, name, 1, 8, Exec, X);     \
  ACC_CHECK_REAL_NUMBERS(function, name, X);          \
  ::acc::impl::check_array_data(function, name, x)
/// X has real numbers.
#define ACC_CHECK_REAL_NUMBERS(function, name, X)                                           \
  static_assert(                                                                            \
      ::acc::impl::has_statistics<::acc::impl::result_t<typename X::non_const_value_type>>, \
      function ": " name " must have the value type float, double, half_t or bhalf_t")

/// x and y are such arrays, of the same extents.
#define ACC_CHECK_PAIRS(function, first, second, Exec, X, Y, x, y)                        \
  static_assert(X::rank == Y::rank,                                                       \
                function ": " first " and " second " must have the same rank");           \
  ACC_CHECK_NUMBERS(function, first, Exec, X, x);                                         \
  ACC_CHECK_NUMBERS(function, second, Exec, Y, y);                                        \
  static_assert(                                                                          \
      std::is_same_v<typename X::non_const_value_type, typename Y::non_const_value_type>, \
      function ": " first " and " second " must have the same value type");               \
  ::acc::impl::check_pairs(function, first, x, second, y)

template <class X, class Y>
void check_pairs(const char* function, const char* x_name, const X& x, const char* y_name,
                 const Y& y) {
  if constexpr (X::rank == 1)
    check_same_length(function, x_name, x, y_name, y);
  else
    check_same_extents(function, x_name, x, y_name, y);
}

inline void check_ddof(const char* function, std::int64_t ddof) {
  if (ddof < 0) reject(function, "ddof must not be negative, but it is " + std::to_string(ddof));
}
}  // namespace impl

/// Count, exact sum and exact sum of squares of real numbers. Mean and variance are rounded from
/// them once. Numbers may come in any order, in batches, on ranks: what is merged has the bits of
/// all numbers at once.
///
/// T: float or double (half_t and bhalf_t enter as float). In host and device code.
/// Source: docs/arithmetic.md, "Statistics".
template <class T>
struct statistics {
  static_assert(impl::has_statistics<T>, "acc::statistics: T must be float or double");

  std::int64_t count = 0;
  superaccumulator<T> sum, squares;

  KOKKOS_FUNCTION void add(T x) {
    ++count;
    sum.add(x);
    squares.add_product(x, x);
  }
  KOKKOS_FUNCTION void merge(const statistics& other) {
    count += other.count;
    sum.merge(other.sum);
    squares.merge(other.squares);
  }

  /// The mean, correctly rounded; NaN of nothing.
  KOKKOS_FUNCTION T mean() const { return impl::rounded_mean(sum, count); }
  /// sum of (x_i - mean)^2 / (count - ddof), correctly rounded; NaN where count <= ddof, ddof < 0
  /// or a number is not finite.
  KOKKOS_FUNCTION T variance(std::int64_t ddof = 0) const {
    if (ddof < 0 || count <= ddof || !sum.kinds().finite()) return impl::canonical_nan<T>();
    return impl::rounded_covariance(std::uint64_t(count), squares, sum, sum,
                                    std::uint64_t(count - ddof));
  }
};

/// The same of pairs of real numbers: count, and exact sums of x, of y and of x y.
template <class T>
struct joint_statistics {
  static_assert(impl::has_statistics<T>, "acc::joint_statistics: T must be float or double");

  std::int64_t count = 0;
  superaccumulator<T> sum_x, sum_y, products;

  KOKKOS_FUNCTION void add(T x, T y) {
    ++count;
    sum_x.add(x);
    sum_y.add(y);
    products.add_product(x, y);
  }
  KOKKOS_FUNCTION void merge(const joint_statistics& other) {
    count += other.count;
    sum_x.merge(other.sum_x);
    sum_y.merge(other.sum_y);
    products.merge(other.products);
  }

  /// sum of (x_i - mean of x) (y_i - mean of y) / (count - ddof), correctly rounded; NaN where
  /// count <= ddof, ddof < 0 or a number is not finite.
  KOKKOS_FUNCTION T covariance(std::int64_t ddof = 0) const {
    if (ddof < 0 || count <= ddof || !sum_x.kinds().finite() || !sum_y.kinds().finite())
      return impl::canonical_nan<T>();
    return impl::rounded_covariance(std::uint64_t(count), products, sum_x, sum_y,
                                    std::uint64_t(count - ddof));
  }
};

namespace impl {

/// Of a View of any rank; size() would be 0 where data() is null.
template <class View>
std::int64_t elements_of(const View& v) {
  std::int64_t n = 1;
  for (unsigned d = 0; d < View::rank; ++d) n *= std::int64_t(v.extent(d));
  return n;
}

/// The launches of exact_sums that statistics are made of.
template <class Exec, class X>
auto sums_for_variance(const Exec& exec, const char* function, const X& x) {
  return [&exec, function, &x](auto& memory, int i, auto* s) {
    if (i == 0)
      launch_exact_sum(exec, memory, function, s, x);
    else
      launch_exact_dot(exec, memory, function, s, x, x);
  };
}
template <class Exec, class X, class Y>
auto sums_for_covariance(const Exec& exec, const char* function, const X& x, const Y& y) {
  return [&exec, function, &x, &y](auto& memory, int i, auto* s) {
    if (i == 0)
      launch_exact_sum(exec, memory, function, s, x);
    else if (i == 1)
      launch_exact_sum(exec, memory, function, s, y);
    else
      launch_exact_dot(exec, memory, function, s, x, y);
  };
}
template <class Exec, class X, class W>
auto sums_for_weighted_mean(const Exec& exec, const char* function, const X& x, const W& w) {
  return [&exec, function, &x, &w](auto& memory, int i, auto* s) {
    if (i == 0)
      launch_exact_dot(exec, memory, function, s, x, w);
    else
      launch_exact_sum(exec, memory, function, s, w);
  };
}

// What they make of these sums.
struct variance_of_sums {
  std::int64_t count, ddof;
  template <class T>
  KOKKOS_FUNCTION T operator()(const superaccumulator<T>* s) const {
    return statistics<T>{count, s[0], s[1]}.variance(ddof);
  }
};
struct covariance_of_sums {
  std::int64_t count, ddof;
  template <class T>
  KOKKOS_FUNCTION T operator()(const superaccumulator<T>* s) const {
    return joint_statistics<T>{count, s[0], s[1], s[2]}.covariance(ddof);
  }
};
struct weighted_mean_of_sums {
  template <class T>
  KOKKOS_FUNCTION T operator()(const superaccumulator<T>* s) const {
    return rounded_ratio(s[0], s[1]);
  }
};

template <class Exec, class X>
auto statistics_of(const Exec& exec, const char* function, const X& x) {
  using T = result_t<typename X::non_const_value_type>;
  const exact_sums<T, 2> sums(exec, function, sums_for_variance(exec, function, x));
  return statistics<T>{elements_of(x), sums.of[0], sums.of[1]};
}
template <class Exec, class X, class Y>
auto statistics_of(const Exec& exec, const char* function, const X& x, const Y& y) {
  using T = result_t<typename X::non_const_value_type>;
  const exact_sums<T, 3> sums(exec, function, sums_for_covariance(exec, function, x, y));
  return joint_statistics<T>{elements_of(x), sums.of[0], sums.of[1], sums.of[2]};
}

}  // namespace impl

/// The statistics of a vector or an array, to merge with others or to ask for several results.
///
/// \param exec  execution space instance; the call fences it and nothing else
/// \param x     View of rank 1 to 8 of float, double, half_t or bhalf_t, any layout, accessible
///              from exec
/// \throws std::invalid_argument if x has elements but no data
template <kokkos_execution_space Exec, kokkos_view X>
auto statistics_of(const Exec& exec, const X& x) {
  ACC_CHECK_NUMBERS("acc::statistics_of", "x", Exec, X, x);
  return impl::statistics_of(exec, "acc::statistics_of", x);
}
/// The joint statistics of two vectors or arrays of one type and the same extents, in any layouts.
/// \throws std::invalid_argument also if the extents differ
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y>
auto statistics_of(const Exec& exec, const X& x, const Y& y) {
  ACC_CHECK_PAIRS("acc::statistics_of", "x", "y", Exec, X, Y, x, y);
  return impl::statistics_of(exec, "acc::statistics_of", x, y);
}

/// The mean of a vector or an array, correctly rounded. Its bits depend neither on the order of the
/// elements nor on the execution space or the number of threads. Arguments and exceptions are those
/// of acc::statistics_of.
///
/// \return  the mean in the type of x (float for half_t and bhalf_t); NaN of nothing. NaN,
///          infinities and zeros are those of the sum by exact. Finite numbers never overflow
/// Error: half a unit in the last place.
template <kokkos_execution_space Exec, kokkos_view X>
auto mean(const Exec& exec, const X& x) {
  using T = impl::result_t<typename X::non_const_value_type>;
  ACC_CHECK_NUMBERS("acc::mean", "x", Exec, X, x);
  return impl::reduce_to_host<T, impl::sum_terms<1>, exact, impl::write_mean>(exec, "acc::mean", x,
                                                                              x);
}
/// The same into a rank-0 View r of the type of the result above; asynchronous if exec is.
/// \throws std::invalid_argument also if r has no data or lies inside x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
void mean(const Exec& exec, const R& r, const X& x) {
  ACC_CHECK_NUMBERS("acc::mean", "x", Exec, X, x);
  ACC_CHECK_RESULT_OF("acc::mean", Exec, R, impl::result_t<typename X::non_const_value_type>, r, x);
  impl::reduce_to_view<impl::sum_terms<1>, exact, impl::write_mean>(exec, "acc::mean", r, x, x);
}

/// The weighted mean (sum of w_i x_i) / (sum of w_i), correctly rounded, otherwise as acc::mean.
/// Where a sum is zero, infinite or NaN, it is what IEEE arithmetic gives for their quotient.
/// \param w  the weights: View of x's extents and value type, any layout, accessible from exec
/// \throws std::invalid_argument also if the extents differ
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view W>
auto weighted_mean(const Exec& exec, const X& x, const W& w) {
  using T = impl::result_t<typename X::non_const_value_type>;
  ACC_CHECK_PAIRS("acc::weighted_mean", "x", "w", Exec, X, W, x, w);
  const impl::exact_sums<T, 2> sums(exec, "acc::weighted_mean",
                                    impl::sums_for_weighted_mean(exec, "acc::weighted_mean", x, w));
  return impl::weighted_mean_of_sums{}(sums.of);
}
/// The same into a rank-0 View r of the type of the result above; asynchronous if exec is.
/// \throws std::invalid_argument also if r has no data or lies inside x or w
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view W>
void weighted_mean(const Exec& exec, const R& r, const X& x, const W& w) {
  ACC_CHECK_PAIRS("acc::weighted_mean", "x", "w", Exec, X, W, x, w);
  ACC_CHECK_RESULT_OF("acc::weighted_mean", Exec, R,
                      impl::result_t<typename X::non_const_value_type>, r, x);
  impl::check_no_overlap("acc::weighted_mean", "w", r, w);
  impl::exact_sums_to_view<2>(exec, "acc::weighted_mean", r.data(),
                              impl::sums_for_weighted_mean(exec, "acc::weighted_mean", x, w),
                              impl::weighted_mean_of_sums{});
}

/// The variance of a vector or an array, sum of (x_i - mean)^2 / (n - ddof), correctly rounded,
/// otherwise as acc::mean. NaN where n <= ddof or a number is not finite.
/// \param ddof  0, as numpy.var, or 1 for the unbiased estimate from a sample
/// \throws std::invalid_argument also if ddof is negative
template <kokkos_execution_space Exec, kokkos_view X>
auto variance(const Exec& exec, const X& x, std::int64_t ddof = 0) {
  ACC_CHECK_NUMBERS("acc::variance", "x", Exec, X, x);
  impl::check_ddof("acc::variance", ddof);
  return impl::statistics_of(exec, "acc::variance", x).variance(ddof);
}
/// The same into a rank-0 View r of the type of the result above; asynchronous if exec is.
/// \throws std::invalid_argument also if r has no data or lies inside x
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X>
void variance(const Exec& exec, const R& r, const X& x, std::int64_t ddof = 0) {
  ACC_CHECK_NUMBERS("acc::variance", "x", Exec, X, x);
  ACC_CHECK_RESULT_OF("acc::variance", Exec, R, impl::result_t<typename X::non_const_value_type>, r,
                      x);
  impl::check_ddof("acc::variance", ddof);
  impl::exact_sums_to_view<2>(exec, "acc::variance", r.data(),
                              impl::sums_for_variance(exec, "acc::variance", x),
                              impl::variance_of_sums{impl::elements_of(x), ddof});
}

/// The covariance of two vectors or arrays, sum of (x_i - mean of x) (y_i - mean of y) / (n -
/// ddof), correctly rounded, otherwise as acc::variance.
/// \param y  View of x's extents and value type, any layout, accessible from exec
/// \throws std::invalid_argument also if the extents differ
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y>
auto covariance(const Exec& exec, const X& x, const Y& y, std::int64_t ddof = 0) {
  ACC_CHECK_PAIRS("acc::covariance", "x", "y", Exec, X, Y, x, y);
  impl::check_ddof("acc::covariance", ddof);
  return impl::statistics_of(exec, "acc::covariance", x, y).covariance(ddof);
}
/// The same into a rank-0 View r of the type of the result above; asynchronous if exec is.
/// \throws std::invalid_argument also if r has no data or lies inside x or y
template <kokkos_execution_space Exec, kokkos_view R, kokkos_view X, kokkos_view Y>
void covariance(const Exec& exec, const R& r, const X& x, const Y& y, std::int64_t ddof = 0) {
  ACC_CHECK_PAIRS("acc::covariance", "x", "y", Exec, X, Y, x, y);
  ACC_CHECK_RESULT_OF("acc::covariance", Exec, R, impl::result_t<typename X::non_const_value_type>,
                      r, x);
  impl::check_no_overlap("acc::covariance", "y", r, y);
  impl::check_ddof("acc::covariance", ddof);
  impl::exact_sums_to_view<3>(exec, "acc::covariance", r.data(),
                              impl::sums_for_covariance(exec, "acc::covariance", x, y),
                              impl::covariance_of_sums{impl::elements_of(x), ddof});
}

// On the default instance of x's execution space.
template <kokkos_view X>
auto statistics_of(const X& x) {
  return statistics_of(typename X::execution_space{}, x);
}
template <kokkos_view X, kokkos_view Y>
auto statistics_of(const X& x, const Y& y) {
  return statistics_of(typename X::execution_space{}, x, y);
}
template <kokkos_view X>
auto mean(const X& x) {
  return mean(typename X::execution_space{}, x);
}
template <kokkos_view R, kokkos_view X>
void mean(const R& r, const X& x) {
  mean(typename X::execution_space{}, r, x);
}
template <kokkos_view X, kokkos_view W>
auto weighted_mean(const X& x, const W& w) {
  return weighted_mean(typename X::execution_space{}, x, w);
}
template <kokkos_view R, kokkos_view X, kokkos_view W>
void weighted_mean(const R& r, const X& x, const W& w) {
  weighted_mean(typename X::execution_space{}, r, x, w);
}
template <kokkos_view X>
auto variance(const X& x, std::int64_t ddof = 0) {
  return variance(typename X::execution_space{}, x, ddof);
}
template <kokkos_view R, kokkos_view X>
void variance(const R& r, const X& x, std::int64_t ddof = 0) {
  variance(typename X::execution_space{}, r, x, ddof);
}
template <kokkos_view X, kokkos_view Y>
auto covariance(const X& x, const Y& y, std::int64_t ddof = 0) {
  return covariance(typename X::execution_space{}, x, y, ddof);
}
template <kokkos_view R, kokkos_view X, kokkos_view Y>
void covariance(const R& r, const X& x, const Y& y, std::int64_t ddof = 0) {
  covariance(typename X::execution_space{}, r, x, y, ddof);
}

// Reject all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(statistics_of, sum_method, "(exec,) x (, y)",
                           "left out: it is always exact", "v", "v")
ACC_REJECT_OTHER_ARGUMENTS(mean, sum_method, "(exec,) (r,) x", "left out: it is always exact", "v",
                           "v")
ACC_REJECT_OTHER_ARGUMENTS(weighted_mean, sum_method, "(exec,) (r,) x, w",
                           "left out: it is always exact", "vv", "v")
ACC_REJECT_OTHER_ARGUMENTS(variance, sum_method, "(exec,) (r,) x (, ddof)",
                           "left out: it is always exact", "v", "n v vn")
ACC_REJECT_OTHER_ARGUMENTS(covariance, sum_method, "(exec,) (r,) x, y (, ddof)",
                           "left out: it is always exact", "vv", "n v vn")

}  // namespace acc

#endif
