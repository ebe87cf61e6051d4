// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_CHECKS_ELEMENTS_HPP
#define ACC_CORE_CHECKS_ELEMENTS_HPP

/// \file
/// The rejections of functions of each element by itself, and their texts.

#include <acc/core/checks/check.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/slices.hpp>
#include <acc/core/numbers/scalar_traits.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

/// x is a vector or matrix that Exec can read, of data.
#define ACC_CHECK_ELEMENTS(function, name, Exec, X, x)        \
  ACC_CHECK_ARRAY(function, name, 1, 2, Exec, X);             \
  ACC_CHECK_TYPE(function, typename X::non_const_value_type); \
  ::acc::impl::check_array_data(function, name, x)

/// The same of one that Exec can write, too.
#define ACC_CHECK_WRITTEN_ELEMENTS(function, name, Exec, Y, y)               \
  ACC_CHECK_ELEMENTS(function, name, Exec, Y, y);                            \
  static_assert(!std::is_const_v<typename Y::value_type>,                    \
                function ": " name " must be a View of non-const elements"); \
  ::acc::impl::check_own_places(function, name, y)

/// x and y have one shape, and where x is read while y is written they are the same elements or
/// have none in common.
#define ACC_CHECK_SAME_SHAPE(function, x_name, X, x, y_name, Y, y)               \
  static_assert(X::rank == Y::rank,                                              \
                function ": " x_name " and " y_name " must have the same rank"); \
  ::acc::impl::check_same_extents(function, x_name, x, y_name, y);               \
  ::acc::impl::check_same_or_apart(function, x_name, x, y_name, y)
#define ACC_CHECK_SAME_VALUE(function, x_name, X, y_name, Y)                              \
  static_assert(                                                                          \
      std::is_same_v<typename X::non_const_value_type, typename Y::non_const_value_type>, \
      function ": " x_name " and " y_name " must have the same value type")

/// A, a coefficient of y's elements, is a number, or a View of numbers T that Exec can read. type:
/// what T is, as "y's value type".
#define ACC_CHECK_COEFFICIENT(function, name, Exec, A, a, T, type, y_name, y)             \
  static_assert(::acc::impl::is_coefficient<Exec, A, T>,                                  \
                function ": " name " must be a number, or a View of rank 0 or 1 of " type \
                         " that is accessible from the execution space");                 \
  ::acc::impl::check_coefficient(function, name, a, y_name, y)

namespace acc::impl {

template <class Exec, class A, class T>
constexpr bool takes_coefficient() {
  if constexpr (kokkos_view<A>) {
    return A::rank <= 1 && std::is_same_v<typename A::non_const_value_type, T> &&
           Kokkos::SpaceAccessibility<Exec, typename A::memory_space>::accessible;
  } else {
    return std::is_convertible_v<const A&, T>;
  }
}
template <class Exec, class A, class T>
inline constexpr bool is_coefficient = takes_coefficient<Exec, A, T>();

template <class X, class Y>
void check_same_extents(const char* function, const char* x_name, const X& x, const char* y_name,
                        const Y& y) {
  bool same = true;
  for (std::size_t d = 0; d < X::rank && d < Y::rank; ++d)
    same = same && x.extent(d) == y.extent(d);
  if (same) return;
  reject(function, std::string(x_name) + " and " + y_name + " must have the same extents, but " +
                       x_name + " is " + extents_of(x) + " and " + y_name + " is " + extents_of(y));
}

/// Where the elements of a vector or matrix are: strides in bytes, that of a single row or column
/// 0.
struct element_places {
  std::intptr_t first, extent[2], stride[2], width;
  bool is_empty() const { return extent[0] == 0 || extent[1] == 0; }
};
template <class X>
element_places places_of(const X& x) {
  constexpr std::intptr_t width = sizeof(typename X::value_type);
  element_places p{reinterpret_cast<std::intptr_t>(x.data()), {1, 1}, {0, 0}, width};
  for (int d = 0; d < int(X::rank); ++d) {
    p.extent[d] = std::intptr_t(x.extent(d));
    if (p.extent[d] > 1) p.stride[d] = std::intptr_t(x.stride(d)) * width;
  }
  return p;
}

/// Whether two arrays of one shape are the same elements in the same places.
inline bool are_same_places(const element_places& a, const element_places& b) {
  return a.first == b.first && a.width == b.width && a.stride[0] == b.stride[0] &&
         a.stride[1] == b.stride[1];
}

/// Whether two arrays may share memory. Exact where their strides are the same, as those of blocks
/// of one matrix are: then an element of b lies over one of a where b begins at i rows and j
/// columns from a, within a width, with -b's rows < i < a's rows and so for columns.
inline bool may_share(element_places a, element_places b) {
  if (a.is_empty() || b.is_empty()) return false;
  const auto low = [](const element_places& p) {
    std::intptr_t at = p.first;
    for (int d = 0; d < 2; ++d)
      if (p.stride[d] < 0) at += (p.extent[d] - 1) * p.stride[d];
    return at;
  };
  const auto high = [](const element_places& p) {
    std::intptr_t at = p.first + p.width;
    for (int d = 0; d < 2; ++d)
      if (p.stride[d] > 0) at += (p.extent[d] - 1) * p.stride[d];
    return at;
  };
  if (high(a) <= low(b) || high(b) <= low(a)) return false;
  for (int d = 0; d < 2; ++d) {
    if (a.extent[d] == 1) a.stride[d] = b.stride[d];
    if (b.extent[d] == 1) b.stride[d] = a.stride[d];
    if (a.stride[d] != b.stride[d] || a.stride[d] < 0) return true;
  }
  if (a.width != b.width) return true;
  const int outer = a.stride[0] > a.stride[1] ? 0 : 1, inner = 1 - outer;
  // Of a matrix's blocks the inner dimension ends before the outer one's next element.
  for (const element_places& p : {a, b})
    if (p.stride[inner] * (p.extent[inner] - 1) + p.width > a.stride[outer] && a.stride[outer] > 0)
      return true;
  // Calls f(s, rest) for the counts s of strides that leave less than two of them.
  const auto any_step = [&](std::intptr_t offset, int d, const auto& f) {
    if (a.stride[d] == 0) return f(offset);
    const std::intptr_t steps = offset / a.stride[d];
    for (std::intptr_t s = steps - 1; s <= steps + 1; ++s)
      if (-b.extent[d] < s && s < a.extent[d] && f(offset - s * a.stride[d])) return true;
    return false;
  };
  return any_step(b.first - a.first, outer, [&](std::intptr_t rest) {
    return any_step(rest, inner,
                    [&](std::intptr_t left) { return -a.width < left && left < a.width; });
  });
}

template <class X, class Y>
void check_same_or_apart(const char* function, const char* x_name, const X& x, const char* y_name,
                         const Y& y) {
  const element_places a = places_of(x), b = places_of(y);
  if (are_same_places(a, b) || !may_share(a, b)) return;
  reject(function, std::string(x_name) + " (" + extents_of(x) + ") and " + y_name + " (" +
                       extents_of(y) + ") overlap and are not the same elements");
}
template <class X, class Y>
void check_not_shared(const char* function, const char* x_name, const X& x, const char* y_name,
                      const Y& y) {
  if (!may_share(places_of(x), places_of(y))) return;
  reject(function, std::string(x_name) + " (" + extents_of(x) + ") and " + y_name + " (" +
                       extents_of(y) + ") overlap");
}

/// Every element of y has a place of its own.
template <class Y>
void check_own_places(const char* function, const char* name, const Y& y) {
  const element_places p = places_of(y);
  if (p.is_empty()) return;
  std::intptr_t step[2] = {std::abs(p.stride[0]), std::abs(p.stride[1])};
  const int outer = step[0] > step[1] ? 0 : 1, inner = 1 - outer;
  const bool apart = (p.extent[inner] == 1 || step[inner] >= p.width) &&
                     (p.extent[outer] == 1 || step[outer] > (p.extent[inner] - 1) * step[inner]);
  if (apart) return;
  std::string strides = std::to_string(y.stride(0));
  if constexpr (Y::rank == 2) strides += " and " + std::to_string(y.stride(1));
  reject(function,
         std::string("two elements of ") + name + " share a place: its strides are " + strides);
}

/// A View of coefficients has one for all columns of y, or one for each, and none of y's elements.
template <class A, class Y>
void check_coefficient(const char* function, const char* name, const A& a, const char* y_name,
                       const Y& y) {
  if constexpr (kokkos_view<A>) {
    const std::size_t columns = Y::rank == 2 ? std::size_t(y.extent(1)) : 1;
    if (A::rank == 1 && a.extent(0) != 1 && a.extent(0) != columns)
      reject(function, std::string(name) + " must have one element, or one for each column of " +
                           y_name + ", but it has extent " + std::to_string(a.extent(0)) + " and " +
                           y_name + " is " + extents_of(y));
    if (A::rank == 0 || a.extent(0) > 0) check_data(function, name, a);
    element_places of_a = places_of(a);  // an element for a column: a row
    std::swap(of_a.extent[0], of_a.extent[1]);
    std::swap(of_a.stride[0], of_a.stride[1]);
    if (may_share(of_a, places_of(y)))
      reject(function, std::string(name) + " and " + y_name + " (" + extents_of(y) + ") overlap");
  }
}

}  // namespace acc::impl

#endif
