// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact real numbers: dyadic rationals m * 2^e (GMP integers). Every finite float and double is
// one, and so is every sum and product of them. A computed result is compared with the exact one
// and with a bound, both free of rounding.
#pragma once

#include <gmpxx.h>

#include <compare>
#include <iosfwd>
#include <limits>
#include <string>

namespace acc_oracle {

/// A binary format of IEEE 754 to round to: `bits` significant bits, multiples of 2^least_exponent.
struct Precision {
  int bits;
  int least_exponent;

  /// The largest finite number. IEEE 754 has as many exponents above 1 as below.
  double largest() const;
};
template <class T>
constexpr Precision precision_of() {
  using Limits = std::numeric_limits<T>;
  return {Limits::digits, Limits::min_exponent - Limits::digits};
}

/// To nearest, ties to even; or as IEEE's directed roundings. A number beyond the largest one
/// becomes that one or infinity, as IEEE has it.
enum class Direction { nearest, up, down, zero };

/// A dyadic rational. Addition, subtraction, multiplication and comparison are exact. Where data
/// had infinities or NaN, it is what IEEE arithmetic makes of them.
class Exact {
 public:
  Exact() = default;
  Exact(double x);  // NOLINT: a double is an exact value
  Exact(mpz_class m, long e) : m_(std::move(m)), e_(e) {}

  /// Of a finite number, m * 2^e.
  const mpz_class& mantissa() const { return m_; }
  long exponent() const { return e_; }

  bool is_finite() const { return special_ == 0; }
  bool is_zero() const { return is_finite() && sgn(m_) == 0; }
  /// -1, 0 or 1; 0 also of NaN.
  int sign() const { return (sign_or_special() > 0) - (sign_or_special() < 0); }

  Exact& operator+=(const Exact& b) { return add(b, false), *this; }
  Exact& operator-=(const Exact& b) { return add(b, true), *this; }
  Exact& operator*=(const Exact& b);
  friend Exact operator+(Exact a, const Exact& b) { return a += b; }
  friend Exact operator-(Exact a, const Exact& b) { return a -= b; }
  friend Exact operator*(Exact a, const Exact& b) { return a *= b; }
  friend Exact operator-(Exact a);

  friend std::partial_ordering operator<=>(const Exact& a, const Exact& b);
  friend bool operator==(const Exact& a, const Exact& b) { return (a <=> b) == 0; }

  friend void PrintTo(const Exact& a, std::ostream* out);  // GoogleTest's messages

 private:
  friend double round(const Exact& a, Precision precision, Direction direction);

  void add(const Exact& b, bool negated);
  /// -1, 0, 1, an infinity or NaN.
  double sign_or_special() const { return is_finite() ? sgn(m_) : special_; }

  mpz_class m_ = 0;
  long e_ = 0;
  double special_ = 0;  // 0, an infinity or NaN
};

Exact abs(const Exact& a);
Exact pow2(long e);

/// The number of this format that is nearest, or next in a direction; subnormals and overflow
/// included.
double round(const Exact& a, Precision precision, Direction direction = Direction::nearest);

/// The same as a T, which is float or double.
template <class T>
T round_to(const Exact& a, Direction direction = Direction::nearest) {
  return static_cast<T>(round(a, precision_of<T>(), direction));
}

/// |a| / |b| as a double, correctly rounded. Infinity where b alone is zero, NaN where both are
/// zero or one is not finite.
double ratio(const Exact& a, const Exact& b, Direction direction = Direction::nearest);

/// |computed - exact| / |exact|, rounded up; 0 where they are equal, infinity where only exact is
/// zero.
double relative_error(const Exact& computed, const Exact& exact);

/// Short decimal text (about 17 digits), for messages.
std::string to_string(const Exact& a);

}  // namespace acc_oracle
