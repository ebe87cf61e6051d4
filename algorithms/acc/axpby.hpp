// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public header.
#ifndef ACC_AXPBY_HPP
#define ACC_AXPBY_HPP

#include <acc/core/checks/arguments.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/checks/elements.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>
#include <acc/core/method.hpp>
#include <acc/impl/elements.hpp>

namespace acc {

namespace impl {

// The rejections of axpy and axpby; macros for the literal in static_assert.
#define ACC_CHECK_AXPBY(function, Exec, X, Y, x, y)      \
  ACC_CHECK_ELEMENTS(function, "x", Exec, X, x);         \
  ACC_CHECK_WRITTEN_ELEMENTS(function, "y", Exec, Y, y); \
  ACC_CHECK_SAME_VALUE(function, "x", X, "y", Y);        \
  ACC_CHECK_SAME_SHAPE(function, "x", X, x, "y", Y, y)

template <class Exec, class A, class X, class B, class Y>
void launch_axpby(const Exec& exec, const char* label, const A& a, const X& x, const B& b,
                  const Y& y) {
  using T = typename Y::value_type;
  const linear_combination<T, 2> rule{matrix_data_of(y),
                                      {read_elements_of(y), read_elements_of(x)},
                                      {coefficient_of<T>(b), coefficient_of<T>(a)}};
  launch_elements(exec, label, rule, y);
}

}  // namespace impl

/// y = a x + b y, element by element, as KokkosBlas::axpby; the same bits for every execution
/// space, thread count, layout and stride. Asynchronous if exec is.
///
/// \param exec execution space instance
/// \param a, b coefficients: numbers, or Views of rank 0 or 1 of y's value type, accessible from
///             exec, with one element or, for rank-2 x and y, one for each column
/// \param x, y Views of rank 1 or 2, both of n or of m x n elements of one type: float, double or
///             Kokkos::complex of them; any layouts, accessible from exec. They may be the same
///             elements
///
/// Real elements become fma(a, x, b y) with b y rounded, so that the error is at most
/// u (|y| + (1 + u) |b y_before|) for the new y. Complex ones have four products in a fixed order
/// (docs/arithmetic.md, "Element by element"). A coefficient of zero, or part of one, leaves its
/// products out: with b = 0, y is not read, and with a = 0, x is not. A NaN is the one NaN.
/// \throws std::invalid_argument if the extents differ, x or y has elements but no data, they
///         overlap without being the same elements, two elements of y share a place, or a View of
///         coefficients has another number of elements or overlaps y
template <kokkos_execution_space Exec, class A, kokkos_view X, class B, kokkos_view Y>
void axpby(const Exec& exec, const A& a, const X& x, const B& b, const Y& y) {
  ACC_CHECK_AXPBY("acc::axpby", Exec, X, Y, x, y);
  ACC_CHECK_COEFFICIENT("acc::axpby", "a", Exec, A, a, typename Y::value_type, "y's value type",
                        "y", y);
  ACC_CHECK_COEFFICIENT("acc::axpby", "b", Exec, B, b, typename Y::value_type, "y's value type",
                        "y", y);
  impl::launch_axpby(exec, "acc::axpby", a, x, b, y);
}

/// On the default instance of x's execution space.
template <class A, kokkos_view X, class B, kokkos_view Y>
void axpby(const A& a, const X& x, const B& b, const Y& y) {
  axpby(typename X::execution_space{}, a, x, b, y);
}

/// y = a x + y, element by element, as KokkosBlas::axpy: acc::axpby with b = 1, so that a real
/// element becomes fma(a, x, y).
template <kokkos_execution_space Exec, class A, kokkos_view X, kokkos_view Y>
void axpy(const Exec& exec, const A& a, const X& x, const Y& y) {
  ACC_CHECK_AXPBY("acc::axpy", Exec, X, Y, x, y);
  ACC_CHECK_COEFFICIENT("acc::axpy", "a", Exec, A, a, typename Y::value_type, "y's value type", "y",
                        y);
  impl::launch_axpby(exec, "acc::axpy", a, x, typename Y::value_type(1), y);
}

/// On the default instance of x's execution space.
template <class A, kokkos_view X, kokkos_view Y>
void axpy(const A& a, const X& x, const Y& y) {
  axpy(typename X::execution_space{}, a, x, y);
}

// Rejects all other arguments with a text that lists the right ones.
ACC_REJECT_OTHER_ARGUMENTS(axpby, sum_method, "(exec,) a, x, b, y", "left out", "nvnv", "")
ACC_REJECT_OTHER_ARGUMENTS(axpy, sum_method, "(exec,) a, x, y", "left out", "nvv", "")

}  // namespace acc

#endif
