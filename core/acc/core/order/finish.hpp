// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_ORDER_FINISH_HPP
#define ACC_CORE_ORDER_FINISH_HPP

/// \file
/// From the sums of a reduction to the number that the caller gets: one rounding, one NaN.

#include <acc/core/eft.hpp>
#include <acc/core/exact/binned_squares.hpp>
#include <acc/core/exact/quotient.hpp>
#include <acc/core/exact/root.hpp>
#include <acc/core/order/reduction.hpp>
#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/core/order/terms.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// A node's sum, rounded and unscaled.
template <class Node>
KOKKOS_INLINE_FUNCTION typename Node::scalar_type rounded_value(const Node& n) {
  return times_power_of_two(n.sum.value(), -n.exponent());
}

/// sqrt of a sum of squares, which may be scaled: the root of the leading part and one Newton step
/// with what the leading part leaves over.
template <class Node>
KOKKOS_INLINE_FUNCTION typename Node::scalar_type rounded_root(const Node& n) {
  using T = typename Node::scalar_type;
  const T lead = n.sum.component(0);
  if (!is_finite(lead)) return lead;
  if (lead == T(0)) return T(0);
  T square = lead, rest = T(0);
  if constexpr (Node::accumulator::components == 2) {
    const auto s = fast_two_sum_of_rounded(lead, n.sum.component(1));
    square = s.value;
    rest = s.error;
  }
  T root = impl::sqrt(square);
  if constexpr (Node::accumulator::components == 2)
    root = add(root, div(add(fma(-root, root, square), rest), add(root, root)));
  return times_power_of_two(root, -n.exponent() / 2);
}

// Finishes: write(result, root, size) of reductions in canonical order, with the tree's root and
// the vectors' length, and write(result, totals) of order-free ones, whose value() is rounded
// already and whose NaN is canonical; with takes_count the count of elements, too. writes_value:
// whether these ask for nothing but value().

/// Writes a sum or dot: a real number, or real and imaginary part.
struct write_sum {
  static constexpr bool writes_value = true;
  template <class Result, class Node>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Node, 1>& root,
                                           std::int64_t) {
    *result = as_result<Result>(rounded_value(root.part[0]));
  }
  template <class Real, class Node>
  KOKKOS_INLINE_FUNCTION static void write(Kokkos::complex<Real>* result, const sums<Node, 2>& root,
                                           std::int64_t) {
    *result = Kokkos::complex<Real>(as_result<Real>(rounded_value(root.part[0])),
                                    as_result<Real>(rounded_value(root.part[1])));
  }
  template <class Result, class Sum>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Sum, 1>& t) {
    *result = Result(t.part[0].value());
  }
  template <class Real, class Sum>
  KOKKOS_INLINE_FUNCTION static void write(Kokkos::complex<Real>* result, const sums<Sum, 2>& t) {
    *result = Kokkos::complex<Real>(t.part[0].value(), t.part[1].value());
  }
};

/// Writes a sum of magnitudes: +0 also where it comes out as -0.
struct write_magnitude {
  static constexpr bool writes_value = true;
  template <class Result, class Node>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Node, 1>& root,
                                           std::int64_t) {
    *result = as_result<Result>(magnitude(rounded_value(root.part[0])));
  }
  template <class Result, class Sum>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Sum, 1>& t) {
    *result = Result(t.part[0].value());
  }
};

/// Writes a sum of squares, rounded.
struct write_square : write_magnitude {
  static constexpr bool writes_value = false;
  using write_magnitude::write;
  /// Whose bins reach below those that round themselves.
  template <int K>
  KOKKOS_INLINE_FUNCTION static void write(double* result, const sums<binned_squares<K>, 1>& t) {
    *result = as_superaccumulator(t.part[0]).value();
  }
};

/// Writes a Euclidean norm.
struct write_root {
  static constexpr bool writes_value = false;
  template <class Result, class Node>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Node, 1>& root,
                                           std::int64_t) {
    *result = as_result<Result>(rounded_root(root.part[0]));
  }
  template <class Result, class Sum>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Sum, 1>& t) {
    *result = rounded_root_of<Result>(t.part[0]);
  }
};

/// Adds an order-free sum to the accumulator in *sum.
struct merge_into {
  static constexpr bool writes_value = false;
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

/// Keeps an order-free sum as it is.
struct store_sum {
  static constexpr bool writes_value = false;
  template <class Sum>
  KOKKOS_INLINE_FUNCTION static void write(Sum* sum, const sums<Sum, 1>& t) {
    *sum = t.part[0];
  }
  template <class Sum, class Part>
  KOKKOS_INLINE_FUNCTION static void write(Sum* sum, const sums<Part, 2>& t) {
    sum->re = t.part[0];
    sum->im = t.part[1];
  }
};

/// Writes the mean of so many numbers, rounded once.
struct write_mean {
  static constexpr bool writes_value = false, takes_count = true;
  template <class Result, class Sum>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Sum, 1>& t,
                                           std::int64_t count) {
    *result = rounded_mean(t.part[0], count);
  }
};

/// What of a certified result belongs to one real sum.
template <class T>
struct certificate {
  T value, bound, terms;
};

/// The bound of docs/arithmetic.md, "A bound from the same pass". lost: what products that
/// underflow may have lost, all together.
template <class Node, class T = typename Node::scalar_type>
KOKKOS_INLINE_FUNCTION certificate<T> certify(const Node& n, T lost) {
  const auto& s = n.sum;
  const T value = s.value();
  if (!is_finite(value)) return {value, canonical_nan<T>(), canonical_nan<T>()};
  constexpr T u = Kokkos::Experimental::epsilon_v<T> / 2;
  T bound = T(0);
  if (s.errors != T(0)) {
    bound = add(mul(u, magnitude(value)), mul(256 * u, s.errors));
    bound = add(mul(bound, 1 + 16 * u), 4 * Kokkos::Experimental::denorm_min_v<T>);
  }
  if (n.exponent() != 0) bound = add(bound, mul(4 * u, mul(u, s.terms)));
  const int back = -n.exponent();
  const T unscaled = times_power_of_two(value, back);
  bound = is_finite(unscaled) ? add(times_power_of_two(bound, back), lost)
                              : Kokkos::Experimental::infinity_v<T>;  // it overflows only here
  return {unscaled, bound, times_power_of_two(s.terms, back)};
}

/// Writes value, error bound and condition number; Products as acc::dot_with_bound has them.
template <bool Products>
struct write_certified {
  template <class Result, class Node, int N>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Node, N>& root,
                                           std::int64_t size) {
    using T = typename Node::scalar_type;
    const T lost = Products ? mul(T(5 * size), Kokkos::Experimental::denorm_min_v<T>) : T(0);
    const auto a = certify(root.part[0], lost);
    if constexpr (N == 1) {
      result->value = as_result<T>(a.value);
      result->error_bound = as_result<T>(a.bound);
      result->condition = condition(a.terms, magnitude(a.value));
    } else {
      const auto b = certify(root.part[1], lost);
      result->value = Kokkos::complex<T>(as_result<T>(a.value), as_result<T>(b.value));
      result->error_bound = as_result<T>(add(a.bound, b.bound));
      result->condition =
          condition(add(a.terms, b.terms), add(magnitude(a.value), magnitude(b.value)));
    }
  }

 private:
  template <class T>
  KOKKOS_INLINE_FUNCTION static T condition(T terms, T value) {
    if (terms == T(0)) return T(0);
    if (!is_finite(value)) return canonical_nan<T>();
    return as_result<T>(div(Products ? add(terms, terms) : terms, value));
  }
};

}  // namespace acc::impl

#endif
