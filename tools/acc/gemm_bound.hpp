// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error bounds of the methods of acc::gemm (acc/gemm.hpp; docs/arithmetic.md, "Matrix
// products"), with what the scaling by alpha and beta adds.
#pragma once

#include <algorithm>
#include <cmath>

namespace acc_tool {

/// What a bound depends on.
struct GemmTerms {
  double products;  // real products in a part of an entry
  double strip;     // of so many products, where the method has strips
  double scalings;  // products with alpha and beta in a part; 0 where they move no bit
  double roundoff;  // of the matrices' type
  double bits = 0;  // of a number, where the method cuts them
};

/// The error of a part r of the result is at most
///   relative |r| + (1 + relative) (of_products P + of_all M + of_largest L):
/// P is the sum of magnitudes of the products times alpha's, M that and beta C's; L is that of as
/// many products of the row's and the column's largest numbers.
struct GemmBound {
  double relative, of_products, of_all, of_largest = 0;
};

inline double gamma(double n, double u) { return n * u / (1 - n * u); }

inline GemmBound plain_bound(const GemmTerms& t) {
  const double u = t.roundoff;
  return {0, gamma(t.products + t.scalings, u), gamma(t.scalings, u)};
}

inline GemmBound blocked_bound(const GemmTerms& t) {
  const double u = t.roundoff, s = std::min(t.strip, t.products);
  const double strips = s > 0 ? std::ceil(t.products / s) : 0;
  return {0, gamma(s + strips + t.scalings, u), gamma(t.scalings, u)};
}

/// Strips added with compensation, with the terms of second order that docs/arithmetic.md names;
/// `first` is how often u S counts.
inline GemmBound compensated_strips_bound(const GemmTerms& t, double first) {
  const double u = t.roundoff, s = std::min(t.strip, t.products);
  const double of_products = first * u + gamma(s, u) + 8 * t.products * u * u;
  if (t.scalings == 0) return {0, of_products, 0};
  return {u, of_products, 2 * std::pow(gamma(t.scalings + 2, u), 2)};
}

/// seeded and priest.
inline GemmBound selective_bound(const GemmTerms& t) { return compensated_strips_bound(t, 2); }
inline GemmBound kahan_bound(const GemmTerms& t) { return compensated_strips_bound(t, 3); }

/// With alpha and beta it is a dot product of a few products more.
inline GemmBound compensated_bound(const GemmTerms& t) {
  const double u = t.roundoff;
  return {u, 0, 2 * std::pow(gamma(t.products + t.scalings + 1, u), 2)};
}

inline GemmBound exact_bound(const GemmTerms& t) { return {t.roundoff, 0, 0}; }
inline GemmBound fixed_point_bound(const GemmTerms& t) {
  return {t.roundoff, 0, 0, std::exp2(1 - t.bits) + std::exp2(-2 * t.bits)};
}

inline GemmBound widened_bound(const GemmTerms& t) {
  const double u = 0x1p-53;
  return {t.roundoff, gamma(t.products + t.scalings, u), gamma(t.scalings, u)};
}

}  // namespace acc_tool
