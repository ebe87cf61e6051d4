// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_CHECKS_SLICES_HPP
#define ACC_CORE_CHECKS_SLICES_HPP

/// \file
/// The rejections of functions of columns and along axes, and their texts.

#include <acc/core/checks/check.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

/// x is a View of rank `low` to `high` that Exec can read.
#define ACC_CHECK_ARRAY(function, name, low, high, Exec, X)                             \
  static_assert(X::rank >= low && X::rank <= high,                                      \
                function ": " name " must be a View of rank " #low " to " #high);       \
  static_assert(Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible, \
                function ": " name " is not accessible from the execution space")

/// r is a rank-1 View that Exec can write, and x a matrix that it can read, with a column for each
/// element of r.
#define ACC_CHECK_COLUMNS(function, Exec, R, X, r, x, same_type) \
  ACC_CHECK_ARRAY(function, "x", 2, 2, Exec, X);                 \
  ACC_CHECK_RESULT_OF_RANK(function, 1, Exec, R, same_type);     \
  ::acc::impl::check_columns(function, r, x);                    \
  ::acc::impl::check_array_data(function, "x", x);               \
  ::acc::impl::check_data(function, "r", r);                     \
  ::acc::impl::check_places(function, r);                        \
  ::acc::impl::check_apart(function, "x", r, x)

/// The same with two matrices of one type, of which one may be a vector.
#define ACC_CHECK_TWO_COLUMNS(function, Exec, R, X, Y, r, x, y, same_type)                \
  ACC_CHECK_ARRAY(function, "x", 1, 2, Exec, X);                                          \
  ACC_CHECK_ARRAY(function, "y", 1, 2, Exec, Y);                                          \
  static_assert(                                                                          \
      std::is_same_v<typename X::non_const_value_type, typename Y::non_const_value_type>, \
      function ": x and y must have the same value type");                                \
  ACC_CHECK_RESULT_OF_RANK(function, 1, Exec, R, same_type);                              \
  ::acc::impl::check_columns(function, r, x, y);                                          \
  ::acc::impl::check_array_data(function, "x", x);                                        \
  ::acc::impl::check_array_data(function, "y", y);                                        \
  ::acc::impl::check_data(function, "r", r);                                              \
  ::acc::impl::check_places(function, r);                                                 \
  ::acc::impl::check_apart(function, "x", r, x);                                          \
  ::acc::impl::check_apart(function, "y", r, y)

namespace acc::impl {

template <class View>
void check_array_data(const char* function, const char* name, const View& v) {
  if constexpr (View::rank == 1) return check_data(function, name, v);
  bool is_empty = false;
  for (unsigned d = 0; d < View::rank; ++d) is_empty = is_empty || v.extent(d) == 0;
  if (v.data() != nullptr || is_empty) return;
  reject(function,
         std::string(name) + " has extents " + extents_of(v) + " but no data (null pointer)");
}

/// The axis of a View of this rank, counted from the end where it is negative.
inline int checked_axis(const char* function, int rank, int axis) {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  reject(function, "axis must be at least " + std::to_string(-rank) + " and below " +
                       std::to_string(rank) + " where x has rank " + std::to_string(rank) +
                       ", but it is " + std::to_string(axis));
}

/// r has x's extents except that of the axis.
template <class R, class X>
void check_extents_along(const char* function, const R& r, const X& x, int axis) {
  bool fits = true;
  std::string want;
  for (unsigned d = 0, e = 0; d < X::rank; ++d) {
    if (int(d) == axis) continue;
    want += (e == 0 ? "" : " x ") + std::to_string(x.extent(d));
    fits = fits && r.extent(e++) == x.extent(d);
  }
  if (fits) return;
  reject(function, "r must have the extents " + want + ", x's without axis " +
                       std::to_string(axis) + ", but x has extents " + extents_of(x) +
                       " and r has " + extents_of(r));
}

/// y has x's extents, or is a vector with an element for each place on the axis.
template <class X, class Y>
void check_second_along(const char* function, const char* name, const X& x, const Y& y, int axis) {
  bool fits = true;
  if constexpr (Y::rank == X::rank)
    for (unsigned d = 0; d < X::rank; ++d) fits = fits && y.extent(d) == x.extent(d);
  else
    fits = y.extent(0) == x.extent(unsigned(axis));
  if (fits) return;
  reject(function,
         std::string(name) + " must have x's extents" +
             (Y::rank == X::rank ? "" : ", or x's extent along axis " + std::to_string(axis)) +
             ", but x has " + extents_of(x) + " and " + name + " has " + extents_of(y));
}

/// r has an element for each column of x and y: of matrices, of which one may be a vector.
template <class R, class X, class Y>
void check_columns(const char* function, const R& r, const X& x, const Y& y) {
  bool fits = x.extent(0) == y.extent(0);
  if constexpr (X::rank == 2) fits = fits && r.extent(0) == x.extent(1);
  if constexpr (Y::rank == 2) fits = fits && r.extent(0) == y.extent(1);
  if (fits) return;
  reject(function,
         "x and y must have the same extents (a vector that of a column), and r one element for "
         "each column, but x is " +
             extents_of(x) + ", y is " + extents_of(y) + " and r has extent " +
             std::to_string(r.extent(0)));
}
template <class R, class X>
void check_columns(const char* function, const R& r, const X& x) {
  if (r.extent(0) == x.extent(1)) return;
  reject(function, "r must have one element for each column of x, but x is " + extents_of(x) +
                       " and r has extent " + std::to_string(r.extent(0)));
}

}  // namespace acc::impl

#endif
