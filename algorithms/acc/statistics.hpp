// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_STATISTICS_HPP
#define ACC_STATISTICS_HPP

#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/exact/quotient.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
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

#define ACC_CHECK_PAIRS(function, first, second, Exec, X, Y, x, y)                        \
  ACC_CHECK_VECTOR(function, first, Exec, X);                                             \
  ACC_CHECK_VECTOR(function, second, Exec, Y);                                            \
  ACC_CHECK_NUMBERS(function, first, Exec, X, x);                                         \
  ACC_CHECK_NUMBERS(function, second, Exec, Y, y);                                        \
  static_assert(                                                                          \
      std::is_same_v<typename X::non_const_value_type, typename Y::non_const_value_type>, \
      function ": " first " and " second " must have the same value type");               \
  ::acc::impl::check_same_length(function, first, x, second, y)

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

template <class Exec, class X>
auto statistics_of(const Exec& exec, const char* function, const X& x) {
  using T = result_t<typename X::non_const_value_type>;
  const exact_sums<T, 2> sums(exec, function, [&](auto& memory, int i, auto* s) {
    if (i == 0)
      launch_exact_sum(exec, memory, function, s, x);
    else
      launch_exact_dot(exec, memory, function, s, x, x);
  });
  return statistics<T>{elements_of(x), sums.of[0], sums.of[1]};
}

template <class Exec, class X, class Y>
auto statistics_of(const Exec& exec, const char* function, const X& x, const Y& y) {
  using T = result_t<typename X::non_const_value_type>;
  const exact_sums<T, 3> sums(exec, function, [&](auto& memory, int i, auto* s) {
    if (i == 0)
      launch_exact_sum(exec, memory, function, s, x);
    else if (i == 1)
      launch_exact_sum(exec, memory, function, s, y);
    else
      launch_exact_dot(exec, memory, function, s, x, y);
  });
  return joint_statistics<T>{std::int64_t(x.extent(0)), sums.of[0], sums.of[1], sums.of[2]};
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
/// The joint statistics of two vectors of one type and length.
/// \throws std::invalid_argument also if the lengths differ
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
/// infinities
///          and zeros are those of the sum by exact. Finite numbers never overflow
/// Error: half a unit in the last place.
template <kokkos_execution_space Exec, kokkos_view X>
auto mean(const Exec& exec, const X& x) {
  using T = impl::result_t<typename X::non_const_value_type>;
  ACC_CHECK_NUMBERS("acc::mean", "x", Exec, X, x);
  const impl::exact_sums<T, 1> sums(exec, "acc::mean", [&](auto& memory, int, auto* s) {
    impl::launch_exact_sum(exec, memory, "acc::mean", s, x);
  });
  return impl::rounded_mean(sums.of[0], impl::elements_of(x));
}

/// The weighted mean (sum of w_i x_i) / (sum of w_i), correctly rounded, otherwise as acc::mean.
/// Where a sum is zero, infinite or NaN, it is what IEEE arithmetic gives for their quotient.
/// \throws std::invalid_argument also if the lengths differ
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view W>
auto weighted_mean(const Exec& exec, const X& x, const W& w) {
  using T = impl::result_t<typename X::non_const_value_type>;
  ACC_CHECK_PAIRS("acc::weighted_mean", "x", "w", Exec, X, W, x, w);
  const impl::exact_sums<T, 2> sums(exec, "acc::weighted_mean", [&](auto& memory, int i, auto* s) {
    if (i == 0)
      impl::launch_exact_dot(exec, memory, "acc::weighted_mean", s, x, w);
    else
      impl::launch_exact_sum(exec, memory, "acc::weighted_mean", s, w);
  });
  return impl::rounded_ratio(sums.of[0], sums.of[1]);
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

/// The covariance of two vectors, sum of (x_i - mean of x) (y_i - mean of y) / (n - ddof),
/// correctly rounded, otherwise as acc::variance.
/// \throws std::invalid_argument also if the lengths differ
template <kokkos_execution_space Exec, kokkos_view X, kokkos_view Y>
auto covariance(const Exec& exec, const X& x, const Y& y, std::int64_t ddof = 0) {
  ACC_CHECK_PAIRS("acc::covariance", "x", "y", Exec, X, Y, x, y);
  impl::check_ddof("acc::covariance", ddof);
  return impl::statistics_of(exec, "acc::covariance", x, y).covariance(ddof);
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
template <kokkos_view X, kokkos_view W>
auto weighted_mean(const X& x, const W& w) {
  return weighted_mean(typename X::execution_space{}, x, w);
}
template <kokkos_view X>
auto variance(const X& x, std::int64_t ddof = 0) {
  return variance(typename X::execution_space{}, x, ddof);
}
template <kokkos_view X, kokkos_view Y>
auto covariance(const X& x, const Y& y, std::int64_t ddof = 0) {
  return covariance(typename X::execution_space{}, x, y, ddof);
}

}  // namespace acc

#endif
