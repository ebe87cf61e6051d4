// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error bounds that the methods promise, evaluated without rounding down.
//
// The bounds of Ogita, Rump and Oishi, "Accurate sum and dot product" (SIAM J. Sci. Comput. 2005),
// are stated for recursive summation; in their proofs n - 1 enters only as the largest number of
// additions that a summand passes. Here that number is the depth d of the canonical order, which is
// far smaller than n, so the bounds are sharp enough that a plain sum breaks them.
#pragma once

#include "oracle.hpp"

#include <acc/core/method.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace acc_test {

/// The unit roundoff.
template <class T>
inline constexpr double u = std::numeric_limits<T>::epsilon() / 2;

/// gamma_m = m u / (1 - m u), rounded up.
template <class T>
double gamma(double m) {
  return m * u<T> / (1 - m * u<T>)*(1 + 0x1p-40);
}

/// Additions that one of n real elements passes at most: in its lane, between lanes, between leaves
/// (docs/arithmetic.md).
template <class T>
double depth(std::size_t n) {
  const std::size_t lanes = 512 / sizeof(T), leaf = 64 * lanes;
  const std::size_t rows = std::min<std::size_t>(64, (n + lanes - 1) / lanes);
  const std::size_t leaves = std::max<std::size_t>(1, (n + leaf - 1) / leaf);
  const auto tree = std::bit_width(lanes - 1) + std::bit_width(leaves - 1);
  return static_cast<double>(rows + static_cast<std::size_t>(tree));
}

/// |result - exact| <= relative * |exact| + absolute * S + underflow, S the sum of absolute values.
struct Bound {
  double relative;
  double absolute;
  double underflow = 0;

  Exact limit(const Exact& exact, const Exact& sum_of_abs) const {
    return Exact(relative) * abs(exact) + Exact(absolute) * sum_of_abs + Exact(underflow);
  }
};

/// Recursive summation in any order: gamma_d S.
template <class T>
Bound bound_of(acc::plain, double d) {
  return {0, gamma<T>(d)};
}

/// Prop. 4.5 (Sum2) and 5.5 (Dot2), u |s| + gamma_d^2 S; twice that because a low part passes two
/// additions where a high part passes one.
template <class T>
Bound bound_of(acc::compensated, double d) {
  return {u<T>, 2 * std::pow(gamma<T>(d), 2)};
}
template <class T>
Bound bound_of(acc::compensated_fma, double d) {
  return bound_of<T>(acc::compensated{}, d);
}

/// Prop. 4.10 (SumK) and 5.11 (DotK): (u + 3 gamma^2) |s| + gamma_{2d}^K S. The first gamma is the
/// final sum's, of the K numbers of an expansion.
template <class T, int K>
Bound bound_of(acc::fold<K>, double d) {
  return {u<T> + 3 * std::pow(gamma<T>(2 * K), 2), std::pow(gamma<T>(2 * d), K)};
}

/// Every addition has a relative error of at most 3 u^2 / (1 - 4 u) (Joldes, Muller, Popescu 2017,
/// AccurateDWPlusDW); d of them, then one rounding.
template <class T>
Bound bound_of(acc::double_word, double d) {
  return {u<T>, 3 * d * u<T> * u<T> * (1 + 1e-6)};
}

/// float in: a plain sum in double, products exact, one rounding to float.
template <class T>
Bound bound_of(acc::widened, double d) {
  return {u<float>, gamma<double>(d) * 1.01};
}

}  // namespace acc_test
