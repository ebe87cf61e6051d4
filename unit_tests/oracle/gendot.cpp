// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gendot.hpp"

#include "exact.hpp"
#include "random.hpp"

#include <cmath>

namespace acc_oracle {

template <class T>
Pair<T> gendot(std::size_t n, double log2_condition, std::uint64_t seed) {
  Random random(seed);
  Pair<T> p{std::vector<T>(n), std::vector<T>(n)};
  const std::size_t half = n / 2;
  const double b = log2_condition;
  const auto scaled = [&](int e) { return std::ldexp(random.symmetric<T>(), e); };

  // First half: exponents random in [0, b/2], both ends present, so that the largest product is
  // near the condition number.
  Exact sum;
  for (std::size_t i = 0; i < half; ++i) {
    int e = static_cast<int>(std::round(random.unit<double>() * b / 2));
    if (i == 0) e = static_cast<int>(std::round(b / 2)) + 1;
    if (i == half - 1) e = 0;
    p.x[i] = scaled(e);
    p.y[i] = scaled(e);
    sum += Exact(p.x[i]) * Exact(p.y[i]);
  }
  // Second half: each product takes the sum so far down to the next, falling exponent.
  for (std::size_t i = half; i < n; ++i) {
    const double fraction = static_cast<double>(n - 1 - i) / static_cast<double>(n - 1 - half);
    const int e = static_cast<int>(std::round(fraction * b / 2));
    do {
      p.x[i] = scaled(e);
    } while (p.x[i] == 0);
    p.y[i] = (scaled(e) - round_to<T>(sum)) / p.x[i];
    sum += Exact(p.x[i]) * Exact(p.y[i]);
  }
  for (std::size_t i = n; i > 1; --i) {
    const std::size_t j = random.below(i);
    std::swap(p.x[i - 1], p.x[j]);
    std::swap(p.y[i - 1], p.y[j]);
  }
  return p;
}

template Pair<float> gendot(std::size_t, double, std::uint64_t);
template Pair<double> gendot(std::size_t, double, std::uint64_t);

}  // namespace acc_oracle
