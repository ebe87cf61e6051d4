// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle: exact arithmetic on dyadic rationals m * 2^e (GMP integers), in which every finite
// float and double, and every sum and product of them, is a value. A test compares a computed
// result with the exact one and with a bound, both free of rounding.
#pragma once

#include <gmpxx.h>

#include <iosfwd>
#include <span>
#include <string>

namespace acc_test {

/// A dyadic rational m * 2^e. Addition, subtraction, multiplication and comparison are exact.
class Exact {
 public:
  Exact() = default;
  Exact(double x);  // NOLINT: a double is an exact value; x must be finite
  Exact(mpz_class m, long e) : m_(std::move(m)), e_(e) {}

  const mpz_class& mantissa() const { return m_; }
  long exponent() const { return e_; }
  int sign() const { return sgn(m_); }
  bool is_zero() const { return sgn(m_) == 0; }

  friend Exact operator+(const Exact& a, const Exact& b);
  friend Exact operator-(const Exact& a, const Exact& b);
  friend Exact operator*(const Exact& a, const Exact& b);
  friend Exact operator-(const Exact& a) { return {-a.m_, a.e_}; }
  Exact& operator+=(const Exact& b) { return *this = *this + b; }

  friend int compare(const Exact& a, const Exact& b);
  friend bool operator==(const Exact& a, const Exact& b) { return compare(a, b) == 0; }
  friend bool operator<(const Exact& a, const Exact& b) { return compare(a, b) < 0; }
  friend bool operator>(const Exact& a, const Exact& b) { return compare(a, b) > 0; }
  friend bool operator<=(const Exact& a, const Exact& b) { return compare(a, b) <= 0; }
  friend void PrintTo(const Exact& a, std::ostream* out);  // GoogleTest's messages

 private:
  mpz_class m_ = 0;
  long e_ = 0;
};

Exact abs(const Exact& a);
Exact pow2(long e);

/// The nearest T, ties to even, with subnormals; beyond the largest T the infinity of that sign
/// where IEEE round-to-nearest gives it. T is float or double.
template <class T>
T round_to(const Exact& a);

/// To nearest as above; or up, down or toward zero, where a number beyond the largest T becomes
/// that one or infinity, as IEEE's directed roundings have it.
enum class Direction { nearest, up, down, zero };
template <class T>
T round_to(const Exact& a, Direction direction);

/// a / b as a double, never below the true quotient; for printing and for condition numbers.
double ratio_up(const Exact& a, const Exact& b);

/// |computed - exact| / |exact|, rounded up; infinity where exact is zero and computed is not.
double relative_error(const Exact& computed, const Exact& exact);

/// Short decimal text (about 17 digits), for messages.
std::string to_string(const Exact& a);

// Exact sums over arrays. A million elements take some milliseconds: mantissas are added in
// 128-bit integers, one for each exponent, and meet in GMP once.
template <class T>
Exact exact_sum(std::span<const T> x);
template <class T>
Exact exact_abs_sum(std::span<const T> x);
template <class T>
Exact exact_dot(std::span<const T> x, std::span<const T> y);
template <class T>
Exact exact_abs_dot(std::span<const T> x, std::span<const T> y);  // sum of |x_i| |y_i|

/// cond = sum |x_i| / |sum x_i| and 2 sum |x_i y_i| / |sum x_i y_i| (Ogita, Rump, Oishi 2005).
template <class T>
double condition_of_sum(std::span<const T> x);
template <class T>
double condition_of_dot(std::span<const T> x, std::span<const T> y);

}  // namespace acc_test
