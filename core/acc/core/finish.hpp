// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_FINISH_HPP
#define ACC_CORE_FINISH_HPP

/// \file
/// From the root of the tree to the number that the caller gets: one rounding, one NaN.

#include <acc/core/reduction.hpp>

namespace acc::impl {

/// value in the type of the result. A NaN is made here, after all arithmetic and conversions: what
/// bits those give it is the processor's choice.
template <class Result, class T>
KOKKOS_INLINE_FUNCTION Result as_result(T value) {
  return value == value ? Result(value) : canonical_nan<Result>();
}

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

/// Writes a sum or dot: a real number, or real and imaginary part.
struct write_sum {
  template <class Result, class Node>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Node, 1>& root) {
    *result = as_result<Result>(rounded_value(root.part[0]));
  }
  template <class Real, class Node>
  KOKKOS_INLINE_FUNCTION static void write(Kokkos::complex<Real>* result,
                                           const sums<Node, 2>& root) {
    *result = Kokkos::complex<Real>(as_result<Real>(rounded_value(root.part[0])),
                                    as_result<Real>(rounded_value(root.part[1])));
  }
};

/// Writes a sum of magnitudes: +0 also where it comes out as -0.
struct write_magnitude {
  template <class Result, class Node>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Node, 1>& root) {
    *result = as_result<Result>(magnitude(rounded_value(root.part[0])));
  }
};

/// Writes a Euclidean norm.
struct write_root {
  template <class Result, class Node>
  KOKKOS_INLINE_FUNCTION static void write(Result* result, const sums<Node, 1>& root) {
    *result = as_result<Result>(rounded_root(root.part[0]));
  }
};

}  // namespace acc::impl

#endif
