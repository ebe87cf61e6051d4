// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_IMPL_REDUCE_HPP
#define ACC_IMPL_REDUCE_HPP

/// \file
/// The driver that sum, dot, asum and nrm2 share: describes the reduction, launches it, and brings
/// the result to a View (asynchronous) or to the host (fences the instance).

#include <acc/backends/dispatch.hpp>
#include <acc/backends/workspace.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/array_data.hpp>
#include <acc/core/order/order_free.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/vector_data.hpp>

#include <type_traits>

namespace acc::impl {

/// What a function returns for elements of type T under a method.
template <class T>
using result_t = std::conditional_t<is_half_scalar<T>, float, T>;

/// Whether a View of Value may receive such a result. widened rounds once to the type it finds.
template <class Value, class Result, class Method>
inline constexpr bool is_result_type =
    std::is_same_v<Value, Result> ||
    (std::is_same_v<Method, widened> && (is_full_scalar<Value> || is_half_scalar<Value>) &&
     components_of<Value> == components_of<Result>);

/// A reduction of the sequence xs (and ys) into *result.
template <class Terms, class Method, class Finish, class Result, class Data>
auto reduction_of(Result* result, const Data& xs, const Data& ys) {
  using element = typename Data::element;
  if constexpr (is_order_free<Method>) {
    return order_free_reduction<Terms, Method, element, Data::components, Finish, Result, Data>{
        xs, ys, result};
  } else {
    return reduction<Terms, Method, element, Data::components, Finish, Result, Data>{xs, ys,
                                                                                     result};
  }
}

/// A reduction of the vector x (and y) into *result.
template <class Terms, class Method, class Finish, class Result, class X, class Y>
auto make_reduction(Result* result, const X& x, const Y& y) {
  return reduction_of<Terms, Method, Finish>(result, vector_data_of(x), vector_data_of(y));
}

/// Enqueues a reduction of either kind.
template <class Method, class Exec, class R>
void launch(const Exec& exec, backends::workspace<Exec>& memory, const char* label, const R& r) {
  if constexpr (is_order_free<Method>) {
    backends::machine_of<Exec>::order_free(exec, memory, label, r);
  } else {
    backends::machine_of<Exec>::reduce(exec, memory, label, r);
  }
}

/// Enqueues a reduction of vectors x and y, or of one View x = y of any rank.
template <class Terms, class Method, class Finish, class Exec, class Result, class X, class Y>
void launch_reduction(const Exec& exec, backends::workspace<Exec>& memory, const char* label,
                      Result* result, const X& x, const Y& y) {
  if constexpr (X::rank == 1) {
    launch<Method>(exec, memory, label, make_reduction<Terms, Method, Finish>(result, x, y));
  } else {
    static_assert(std::is_same_v<X, Y>);
    with_elements_of(x, is_order_free<Method>, [&](const auto& xs) {
      launch<Method>(exec, memory, label, reduction_of<Terms, Method, Finish>(result, xs, xs));
    });
  }
}

/// Result in a View: returns at once.
template <class Terms, class Method, class Finish, class Exec, class R, class X, class Y>
void reduce_to_view(const Exec& exec, const char* label, const R& r, const X& x, const Y& y) {
  backends::locked_workspace memory(exec);
  launch_reduction<Terms, Method, Finish>(exec, memory.get(), label, r.data(), x, y);
}

/// Result on the host: fences exec and nothing else.
template <class Result, class Terms, class Method, class Finish, class Exec, class X, class Y>
Result reduce_to_host(const Exec& exec, const char* label, const X& x, const Y& y) {
  if constexpr (backends::runs_at_once<Exec> && X::rank == 1 && !is_order_free<Method>) {
    Result in_caller{};
    if (backends::machine_of<Exec>::reduce_in_caller(
            exec, label, make_reduction<Terms, Method, Finish>(&in_caller, x, y)))
      return in_caller;
  }
  backends::locked_workspace memory(exec);
  static_assert(sizeof(Result) <= backends::exact_sums_bytes);
  auto* const result = reinterpret_cast<Result*>(memory.get().result.data());
  launch_reduction<Terms, Method, Finish>(exec, memory.get(), label, result, x, y);
  exec.fence(label);
  return *result;
}

}  // namespace acc::impl

#endif
