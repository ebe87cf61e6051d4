// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate.hpp"

#include <cmath>

#include "oracle/gendot.hpp"
#include "oracle/random.hpp"

namespace acc_tool {
using acc_oracle::Random;

std::vector<double> harmonic(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 1 / static_cast<double>(i + 1);
  return x;
}

std::vector<double> uniform(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(n);
  for (double& value : x) value = random.symmetric<double>();
  return x;
}

std::vector<double> normal(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; i += 2) {
    double u, v, s;
    do {
      u = random.symmetric<double>();
      v = random.symmetric<double>();
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double scale = std::sqrt(-2 * std::log(s) / s);
    x[i] = u * scale;
    if (i + 1 < n) x[i + 1] = v * scale;
  }
  return x;
}

std::pair<std::vector<double>, std::vector<double>> gendot(std::size_t n, double condition,
                                                           std::uint64_t seed) {
  auto pair = acc_oracle::gendot<double>(n, std::log2(condition), seed);
  return {std::move(pair.x), std::move(pair.y)};
}

}  // namespace acc_tool
