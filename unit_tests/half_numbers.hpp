// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doubles whose rounding to half precision is hard, and what the oracle rounds them to.
#pragma once

#include "oracle.hpp"

#include <acc/core/numbers/half_rounding.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace acc_test {

/// Of both signs: every number of the format and every midpoint, the doubles beside them, and
/// others so near that a float is the number or midpoint itself; what overflows; powers of two down
/// to subnormal doubles; zeros and infinities.
inline std::vector<double> hard_to_round_to_half(acc::impl::half_format format) {
  using Limits = std::numeric_limits<double>;
  std::vector<double> x{0, Limits::max(), Limits::infinity()};
  const auto add = [&](double y) {
    const double little = std::ldexp(y, -30);
    for (const double z :
         {y, std::nextafter(y, 0.0), std::nextafter(y, Limits::infinity()), y - little, y + little})
      x.push_back(z);
  };
  // 2 m + 1 halves of a unit: the midpoint above m units, below `normal` ones for subnormals alone.
  const int normal = 1 << (format.digits - 1);
  for (int e = format.lowest; e + format.digits <= format.highest + 1; ++e) {
    for (int m = e == format.lowest ? 0 : normal; m < 2 * normal; ++m) {
      add(std::ldexp(m, e));
      add(std::ldexp(2 * m + 1, e - 1));
    }
  }
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; ++e)
    add(std::ldexp(1.0, e));
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) x.push_back(-x[i]);
  return x;
}

/// The number of the format nearest to x, ties to even; a zero has the sign of x.
inline double nearest_half(acc::impl::half_format format, double x) {
  return std::copysign(round(Exact(x), {format.digits, format.lowest}), x);
}

}  // namespace acc_test
