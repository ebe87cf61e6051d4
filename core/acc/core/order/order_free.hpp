// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_ORDER_FREE_HPP
#define ACC_CORE_ORDER_ORDER_FREE_HPP

/// \file
/// One call of an order-free sum as a value: the analogue of reduction.hpp for the methods whose
/// result does not depend on the order of the elements. A backend may deposit them in any order, in
/// any number of partial sums, and merge those in any order.

#include <acc/core/binned.hpp>
#include <acc/core/exact/binned_squares.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/order/terms.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/core/order/vector_data.hpp>

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <type_traits>

namespace acc::impl {

template <class T>
struct accumulator_of<exact, T> {
  using type = superaccumulator<T>;
};
template <int K, class T>
struct accumulator_of<reproducible<K>, T> {
  using type = binned<T, K>;
};

/// What a method sums terms of type T in: squares of doubles need more bins than other terms.
template <class Terms, class Method, class T>
struct order_free_accumulator : accumulator_of<Method, T> {};
template <int K>
struct order_free_accumulator<square_terms, reproducible<K>, double> {
  using type = binned_squares<K>;
};

/// Finish: a type with static void write(Result*, const sums<accumulator>&), see finish.hpp.
/// Data: vector_data or array_data.
template <class Terms, class Method, class Element, int Components, class Finish, class Result,
          class Data = vector_data<Element, Components>>
struct order_free_reduction {
  using terms = Terms;
  using method = Method;
  using element = Element;
  using scalar = std::conditional_t<is_half_scalar<Element>, float, Element>;
  using accumulator = typename order_free_accumulator<Terms, Method, scalar>::type;
  using total = sums<accumulator, Terms::results>;
  /// Whether value() is all that the caller gets of the totals.
  static constexpr bool writes_value = Finish::writes_value;

  Data x, y;
  Result* result;

  /// Deposits the real element k and what belongs to it of y.
  KOKKOS_FORCEINLINE_FUNCTION void deposit(total& t, std::int64_t k) const {
    const int lane = int(k & 1);
    const scalar xk = scalar(x[k]);
    scalar yk = xk, neighbour = xk;
    if constexpr (Terms::inputs == 2) yk = scalar(y[k]);
    if constexpr (Terms::sums == 2) neighbour = scalar(y[k ^ 1]);
    const int first = Terms::sums == 1 && Terms::results == 2 ? lane : 0;
    Terms::deposit(&t.part[first], xk, yk, neighbour, lane);
  }
  /// t: a total, or sums of any other type that has what Finish needs.
  template <class Total>
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Total& t) const {
    if constexpr (requires { Finish::takes_count; })
      Finish::write(result, t, x.size / Components);
    else
      Finish::write(result, t);
  }
};

}  // namespace acc::impl

#endif
