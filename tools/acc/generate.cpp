// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate.hpp"

#include <cmath>
#include <random>

#include "exact.hpp"

namespace acc_tool {
namespace {

/// Uniform in [-1, 1) on a grid of 2^-52. The standard fixes the bits of mt19937_64, but not those
/// of std::uniform_real_distribution.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return std::ldexp(static_cast<double>(engine_() >> 11), -52) - 1; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

std::vector<double> harmonic(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 1 / static_cast<double>(i + 1);
  return x;
}

std::vector<double> uniform(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(n);
  for (double& value : x) value = random();
  return x;
}

std::vector<double> normal(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; i += 2) {
    double u, v, s;
    do {
      u = random();
      v = random();
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
  Random random(seed);
  const double b = std::log2(condition);
  const std::size_t half = n / 2;
  std::vector<double> x(n), y(n);
  Exact sum;

  // The first half: exponents at random between 0 and b/2, both ends present, so that the largest
  // product is near the condition number.
  for (std::size_t i = 0; i < half; ++i) {
    double e = std::round((random() + 1) * b / 4);
    if (i == 0) e = std::round(b / 2) + 1;
    if (i == half - 1) e = 0;
    x[i] = std::ldexp(random(), static_cast<int>(e));
    y[i] = std::ldexp(random(), static_cast<int>(e));
    sum += Exact::product(x[i], y[i]);
  }
  // The second half: exponents fall to 0 and each y cancels the exact sum so far.
  for (std::size_t i = half; i < n; ++i) {
    const double left = static_cast<double>(n - 1 - i) / static_cast<double>(n - 1 - half);
    const int e = static_cast<int>(std::round(left * b / 2));
    do {
      x[i] = std::ldexp(random(), e);
    } while (x[i] == 0);
    y[i] = (std::ldexp(random(), e) - sum.rounded(precision_of<double>())) / x[i];
    sum += Exact::product(x[i], y[i]);
  }
  // Fisher and Yates, since std::shuffle is not the same everywhere.
  for (std::size_t i = n - 1; i > 0; --i) {
    const std::size_t j = random.below(i + 1);
    std::swap(x[i], x[j]);
    std::swap(y[i], y[j]);
  }
  return {std::move(x), std::move(y)};
}

}  // namespace acc_tool
