// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers_host.hpp"

#include <cmath>

namespace peers {

template <class T>
T vectorised_sum(const T* x, std::int64_t n) {
  T s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
  for (std::int64_t i = 0; i < n; ++i) s += x[i];
  return s;
}
template float vectorised_sum(const float*, std::int64_t);
template double vectorised_sum(const double*, std::int64_t);

template <class T>
T vectorised_dot(const T* x, const T* y, std::int64_t n) {
  T s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
  for (std::int64_t i = 0; i < n; ++i) s += x[i] * y[i];
  return s;
}
template float vectorised_dot(const float*, const float*, std::int64_t);
template double vectorised_dot(const double*, const double*, std::int64_t);

namespace {

struct pair {
  double value, error;
};
pair two_sum(double a, double b) {
  const double s = a + b, z = s - a;
  return {s, (a - (s - z)) + (b - z)};
}
pair fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

}  // namespace

double dot_fma(const double* x, const double* y, std::int64_t n) {
  double s = 0;
  for (std::int64_t i = 0; i < n; ++i) s = std::fma(x[i], y[i], s);
  return s;
}

double comp_dot(const double* x, const double* y, std::int64_t n) {
  double s = 0, c = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double p = x[i] * y[i], pi = std::fma(x[i], y[i], -p);
    const pair t = two_sum(s, p);
    s = t.value;
    c += pi + t.error;
  }
  return s + c;
}

double comp_dot_fma(const double* x, const double* y, std::int64_t n) {
  double s = 0, c = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double p = x[i] * y[i], pi = std::fma(x[i], y[i], -p);
    const double r = std::fma(x[i], y[i], s);
    const pair low = two_sum(s, pi), high = two_sum(p, low.value);
    c += ((high.value - r) + high.error) + low.error;
    s = r;
  }
  return s + c;
}

double dot_xblas(const double* x, const double* y, std::int64_t n) {
  double hi = 0, lo = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double p = x[i] * y[i], pi = std::fma(x[i], y[i], -p);
    const pair s = two_sum(hi, p), t = two_sum(lo, pi);
    const pair v = fast_two_sum(s.value, s.error + t.value);
    const pair r = fast_two_sum(v.value, v.error + t.error);
    hi = r.value;
    lo = r.error;
  }
  return hi;
}

double sum2(const double* x, std::int64_t n) {
  double s = 0, c = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const pair t = two_sum(s, x[i]);
    s = t.value;
    c += t.error;
  }
  return s + c;
}

double sum_xblas(const double* x, std::int64_t n) {
  double hi = 0, lo = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const pair s = two_sum(hi, x[i]);
    const pair r = fast_two_sum(s.value, s.error + lo);
    hi = r.value;
    lo = r.error;
  }
  return hi;
}

}  // namespace peers
