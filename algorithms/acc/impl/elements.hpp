// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_ELEMENTS_HPP
#define ACC_IMPL_ELEMENTS_HPP

/// \file
/// The driver of functions of each element by itself, and of the largest element.

#include <acc/backends/dispatch.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/checks/concepts.hpp>
#include <acc/core/elements/largest.hpp>
#include <acc/core/elements/rules.hpp>
#include <acc/core/gemm/matrix_data.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// A View's elements as they are read.
template <class View>
auto read_elements_of(const View& v) {
  using T = typename View::non_const_value_type;
  const auto m = matrix_data_of(v);
  return matrix_data<const T>{m.data, m.rows, m.columns, m.row_stride, m.column_stride};
}
/// A number, or a View's element for each column, or for all.
template <class T, class A>
column_coefficient<T> coefficient_of(const A& a) {
  if constexpr (kokkos_view<A>) {
    std::int64_t step = 0;
    if constexpr (A::rank == 1) step = a.extent(0) == 1 ? 0 : std::int64_t(a.stride(0));
    return {T(0), {a.data(), 1, 1, 0, step}};
  } else {
    return {static_cast<T>(a), {nullptr, 0, 0, 0, 0}};
  }
}

/// Enqueues a rule on arrays of y's shape.
template <class Exec, class Rule, class Y>
void launch_elements(const Exec& exec, const char* label, const Rule& rule, const Y& y) {
  std::int64_t columns = 1;
  if constexpr (Y::rank == 2) columns = std::int64_t(y.extent(1));
  backends::machine_of<Exec>::elements(exec, label, rule, std::int64_t(y.extent(0)), columns);
}

/// The largest element of each column of x, into a View.
template <class Finish, class Exec, class R, class X>
void largest_to_view(const Exec& exec, const char* label, const R& r, const X& x) {
  std::int64_t step = 0;
  if constexpr (R::rank == 1) step = std::int64_t(r.stride(0));
  backends::locked_workspace memory(exec);
  backends::machine_of<Exec>::largest(
      exec, memory.get(), label,
      largest_of_columns<typename X::non_const_value_type, Finish, typename R::value_type>{
          read_elements_of(x), r.data(), step});
}
/// That of a vector, on the host: fences exec and nothing else.
template <class Result, class Finish, class Exec, class X>
Result largest_to_host(const Exec& exec, const char* label, const X& x) {
  backends::locked_workspace memory(exec);
  auto* const result = reinterpret_cast<Result*>(memory.get().result.data());
  backends::machine_of<Exec>::largest(
      exec, memory.get(), label,
      largest_of_columns<typename X::non_const_value_type, Finish, Result>{read_elements_of(x),
                                                                           result, 0});
  exec.fence(label);
  return *result;
}

}  // namespace acc::impl

#endif
