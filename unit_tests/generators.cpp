// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generators.hpp"

#include "oracle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace acc_test {
namespace {

template <class T>
constexpr bool is_float = sizeof(T) == 4;

/// Twelve uniforms less six: bell-shaped with variance 1, and no logarithm whose bits depend on
/// the mathematical library.
template <class T>
T bell(Random& random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.unit<double>();
  return static_cast<T>(sum);
}

template <class T>
std::vector<T> wide(std::size_t n, Random& random) {
  const int range = is_float<T> ? 60 : 100;
  std::vector<T> x(n);
  for (T& v : x) {
    v = bell<T>(random);
    v = std::ldexp(v, random.integer(-range, range));
  }
  return x;
}

template <class T>
bool smaller(T a, T b) {
  return std::abs(a) < std::abs(b);
}

/// 2^-k with n * 2^-k <= 1/2: scales data so that a sum of n stays finite.
template <class T>
int headroom(std::size_t n) {
  return static_cast<int>(std::bit_width(n)) + 1;
}

template <class T>
std::vector<T> cancelling(std::size_t n, Random& random) {
  std::vector<T> x = wide<T>(n / 2, random);
  const std::size_t half = x.size();
  for (std::size_t i = 0; i < half; ++i) x.push_back(-x[i]);
  if (x.size() < n) x.push_back(random.symmetric<T>());
  if (x.size() > 1) x[0] += std::numeric_limits<T>::epsilon() * x[0];
  shuffle(x, random);
  return x;
}

}  // namespace

std::string_view name(Data data) {
  switch (data) {
    case Data::uniform:
      return "uniform";
    case Data::positive:
      return "positive";
    case Data::wide:
      return "wide";
    case Data::all_exponents:
      return "all_exponents";
    case Data::ascending:
      return "ascending";
    case Data::descending:
      return "descending";
    case Data::alternating:
      return "alternating";
    case Data::harmonic:
      return "harmonic";
    case Data::constant:
      return "constant";
    case Data::subnormal:
      return "subnormal";
    case Data::near_overflow:
      return "near_overflow";
    case Data::massive_cancellation:
      return "massive_cancellation";
  }
  return "?";
}

template <class T>
std::vector<T> make(Data data, std::size_t n, std::uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  Random random(seed);
  std::vector<T> x(n);
  switch (data) {
    case Data::uniform:
      for (T& v : x) v = random.symmetric<T>();
      break;
    case Data::positive:
      for (T& v : x) v = random.unit<T>();
      break;
    case Data::wide:
      x = wide<T>(n, random);
      break;
    case Data::all_exponents:
      for (T& v : x) v = std::ldexp(random.any_finite<T>(), -headroom<T>(n));
      break;
    case Data::ascending:
      x = wide<T>(n, random);
      std::stable_sort(x.begin(), x.end(), smaller<T>);
      break;
    case Data::descending:
      x = wide<T>(n, random);
      std::stable_sort(x.begin(), x.end(), [](T a, T b) { return smaller(b, a); });
      break;
    case Data::alternating:
      for (std::size_t i = 0; i < n; ++i) {
        const T v = 1 + static_cast<T>(i) / static_cast<T>(n);
        x[i] = i % 2 == 0 ? v : -v;
      }
      break;
    case Data::harmonic:
      for (std::size_t i = 0; i < n; ++i) x[i] = 1 / static_cast<T>(i + 1);
      break;
    case Data::constant:
      std::fill(x.begin(), x.end(), static_cast<T>(0.1));
      break;
    case Data::subnormal:
      for (T& v : x) v = random.symmetric<T>() * Limits::min();
      break;
    case Data::near_overflow:
      for (T& v : x) {
        v = (1 + random.unit<T>()) * std::ldexp(Limits::max(), -headroom<T>(n) - 1);
        if (random.below(2) == 1) v = -v;
      }
      break;
    case Data::massive_cancellation:
      x = cancelling<T>(n, random);
      break;
  }
  return x;
}

template <class T>
Pair<T> ill_conditioned_dot(std::size_t n, double condition, std::uint64_t seed) {
  return acc_oracle::gendot<T>(n, std::round(std::log2(condition)), seed);
}

template <class T>
std::vector<T> ill_conditioned_sum(std::size_t half, double condition, std::uint64_t seed) {
  const Pair<T> p = ill_conditioned_dot<T>(half, condition, seed);
  std::vector<T> x;
  for (std::size_t i = 0; i < half; ++i) {
    const Exact product = Exact(p.x[i]) * Exact(p.y[i]);
    const T high = round_to<T>(product);
    x.push_back(high);
    x.push_back(round_to<T>(product - Exact(high)));
  }
  Random random(seed + 1);
  shuffle(x, random);
  return x;
}

#define ACC_TEST_INSTANTIATE(T)                                             \
  template std::vector<T> make(Data, std::size_t, std::uint64_t);           \
  template Pair<T> ill_conditioned_dot(std::size_t, double, std::uint64_t); \
  template std::vector<T> ill_conditioned_sum(std::size_t, double, std::uint64_t);
ACC_TEST_INSTANTIATE(float)
ACC_TEST_INSTANTIATE(double)
#undef ACC_TEST_INSTANTIATE

}  // namespace acc_test
