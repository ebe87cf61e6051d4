// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_EXACT_ORDER_FREE_HPP
#define ACC_CORE_EXACT_ORDER_FREE_HPP

/// \file
/// One call of an order-free sum as a value: the analogue of reduction.hpp for the methods whose
/// result does not depend on the order of the elements. A backend may deposit them in any order, in
/// any number of partial sums, and merge those in any order.

#include <acc/core/binned.hpp>
#include <acc/core/eft.hpp>
#include <acc/core/order/finish.hpp>
#include <acc/core/numbers/ieee_number.hpp>
#include <acc/core/method.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/superaccumulator.hpp>
#include <acc/core/order/vector_data.hpp>

#include <Kokkos_Core.hpp>
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

/// Finish: a type with static void write(Result*, const sums<accumulator>&).
template <class Terms, class Method, class Element, int Components, class Finish, class Result>
struct order_free_reduction {
  using terms = Terms;
  using method = Method;
  using element = Element;
  using scalar = std::conditional_t<is_half_scalar<Element>, float, Element>;
  using accumulator = typename accumulator_of<Method, scalar>::type;
  using total = sums<accumulator, Terms::results>;
  using finish_type = Finish;

  vector_data<Element, Components> x, y;
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
    Finish::write(result, t);
  }
};

/// The exact number that a sum holds, as a long accumulator.
template <class T>
KOKKOS_INLINE_FUNCTION const superaccumulator<T>& as_superaccumulator(
    const superaccumulator<T>& sum) {
  return sum;
}
template <class T, int K>
KOKKOS_INLINE_FUNCTION superaccumulator<double> as_superaccumulator(const binned<T, K>& sum) {
  std::int64_t words[binned<T, K>::wire_words];
  sum.to_wire(words);
  superaccumulator<double> s;
  s.add_kinds(sum.kinds());
  for (int k = 0; k < K; ++k) {
    const int unit = binned<T, K>::unit_exponent(sum.top() - k);
    s.add_integer(words[3 + 2 * k], unit + binned<T, K>::bin_width);
    s.add_integer(words[4 + 2 * k], unit);
  }
  return s;
}

/// The sign of sum - m^2, m the midpoint between root and the next number: -1, 0 or 1. root is
/// finite and not negative.
template <class T, class Sum>
KOKKOS_INLINE_FUNCTION int compare_with_midpoint(const Sum& sum, T root) {
  using format = ieee<T>;
  using scalar = typename Sum::scalar_type;
  // 4 m^2 = (2 r + ulp)^2 = 4 r^2 + 4 r ulp + ulp^2.
  const int exponent = format::parts(root).exponent;
  const T ulp = format::number({1, exponent, false}, rounding::nearest);
  const scalar r = root, h = ulp;
  Sum rest;
  for (int i = 0; i < 4; ++i) {
    rest.merge(sum);
    rest.add_product(-r, r);
    rest.add_product(-r, h);
  }
  rest.add_product(-h, h);
  return compare(rest, Sum());
}

/// The correctly rounded square root (to nearest even) of a sum of squares.
template <class T, class Accumulator>
KOKKOS_INLINE_FUNCTION T rounded_root_of(const Accumulator& accumulator) {
  using bits = typename ieee<T>::bits_type;
  const auto& sum = as_superaccumulator(accumulator);
  if (!sum.kinds().finite()) return T(sum.value());
  if (compare(sum, std::decay_t<decltype(sum)>()) == 0) return T(0);
  // Within an ulp or two of the root, or the largest number; then by exact comparisons.
  const auto terms = sum.expansion();
  using scalar = typename std::decay_t<decltype(sum)>::scalar_type;
  const scalar half_scale =
      ieee<scalar>::number({1, terms.exponent[0] / 2, false}, rounding::nearest);
  T root = T(mul(impl::sqrt(terms.term[0]), half_scale));
  if (!is_finite(root)) root = Kokkos::Experimental::finite_max_v<T>;
  bits r = Kokkos::bit_cast<bits>(root);
  const auto above = [&](bits candidate) {  // whether the root is above candidate, once rounded
    const int c = compare_with_midpoint(sum, Kokkos::bit_cast<T>(candidate));
    return c > 0 || (c == 0 && (candidate & 1) != 0);
  };
  while (is_finite(Kokkos::bit_cast<T>(r)) && above(r)) ++r;
  while (r > 0 && !above(r - 1)) --r;
  return Kokkos::bit_cast<T>(r);
}

// Finishes of order-free sums: value() is rounded, and its NaN canonical, already.

struct write_value {
  template <class Result, class Acc>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Acc, 1>& t) {
    *result = Result(t.part[0].value());
  }
  template <class Real, class Acc>
  KOKKOS_INLINE_FUNCTION static void write(Kokkos::complex<Real>* result, const sums<Acc, 2>& t) {
    *result = Kokkos::complex<Real>(t.part[0].value(), t.part[1].value());
  }
};

struct write_root_of_value {
  template <class Result, class Acc>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Acc, 1>& t) {
    *result = rounded_root_of<Result>(t.part[0]);
  }
};

/// Adds to the accumulator that is there.
struct merge_into {
  template <class Sum>
  KOKKOS_INLINE_FUNCTION static void write(Sum* sum, const sums<Sum, 1>& t) {
    sum->merge(t.part[0]);
  }
  template <class Sum, class Part>
  KOKKOS_INLINE_FUNCTION static void write(Sum* sum, const sums<Part, 2>& t) {
    sum->re.merge(t.part[0]);
    sum->im.merge(t.part[1]);
  }
};

/// What an order-free method does where the others do Finish.
template <class Finish>
struct order_free_finish {
  using type = Finish;
};
template <>
struct order_free_finish<write_sum> {
  using type = write_value;
};
template <>
struct order_free_finish<write_magnitude> {
  using type = write_value;
};
template <>
struct order_free_finish<write_root> {
  using type = write_root_of_value;
};

}  // namespace acc::impl

#endif
