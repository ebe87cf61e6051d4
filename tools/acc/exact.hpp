// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exact value of a sum or a dot product: the oracle every method is compared with.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <gmpxx.h>

#include "vector.hpp"

namespace acc_tool {

/// A binary format to round to: p significant bits, multiples of 2^least_exponent.
struct Precision {
  int bits;
  int least_exponent;
};
template <class T>
constexpr Precision precision_of() {
  if constexpr (sizeof(T) / (is_complex<T> ? 2 : 1) == sizeof(float)) return {24, -149};
  return {53, -1074};
}

/// An exact real number: an integer times 2^-unit_exponent, wide enough for every sum of products
/// of three doubles. Or, where data had infinities or NaN, what IEEE arithmetic makes of them.
class Exact {
 public:
  static constexpr int unit_exponent = 3225;

  Exact() = default;
  explicit Exact(double x);
  static Exact product(double x, double y);

  Exact& operator+=(const Exact& other);
  Exact& operator-=(const Exact& other);
  /// For a sum of numbers and of products of two, the factor being finite; another such
  /// multiplication would round.
  Exact& operator*=(double factor);

  bool finite() const { return special_ == 0; }
  bool zero() const { return finite() && sgn(scaled_) == 0; }
  /// Correctly rounded, ties to even, subnormals and overflow included.
  double rounded(Precision p) const;
  /// |a| / |b| to within a few units in the last place of a double; infinity where b is zero.
  static double ratio(const Exact& a, const Exact& b);

 private:
  friend class Accumulator;
  mpz_class scaled_ = 0;
  double special_ = 0;  // 0, an infinity or NaN
};

/// Adds doubles and products of doubles without error. A number is split into sign, exponent and
/// integer significand, and the significands are added in one 192-bit bin for each sign and
/// exponent: a few nanoseconds an element, up to 2^64 elements. GMP joins the bins at the end.
class Accumulator {
 public:
  void add(double x);
  void add_product(double x, double y);
  Exact total() const { return join(-1); }
  /// The sum of the absolute values.
  Exact magnitude() const { return join(+1); }

 private:
  __extension__ typedef unsigned __int128 Word;
  struct Bin {
    Word low = 0;
    std::uint64_t carries = 0;
  };
  static constexpr int exponents = 4096;

  void deposit(unsigned negative, int exponent, Word significand);
  Exact join(int sign_of_negative) const;

  std::vector<Bin> bins_ = std::vector<Bin>(2 * exponents);
  double special_ = 0;
};

/// What is known of one real result.
struct Component {
  Exact value;
  Exact magnitude;  // sum of |x_i|, or of |x_i y_i|
};

/// The exact result and how hard it is to get: one component for real data, two for complex.
/// A complex sum is two real sums, and a complex dot product (conjugating x) two real dot products
/// of twice the length, and they are judged as such.
struct Reference {
  std::vector<Component> components;
  Precision precision;
  double condition_factor;  // 1 for a sum, 2 for a dot product (Ogita, Rump, Oishi 2005)

  /// condition_factor * magnitude / |value|
  double condition(std::size_t component) const;
};

/// The reference of a sum whose numbers come in batches, all of the same type.
class BatchReference {
 public:
  void add(const Vector& batch);
  Reference total() const;

 private:
  Accumulator re_, im_;
  Precision precision_ = precision_of<double>();
  bool complex_ = false;
};

Reference exact_sum(const Vector& x);
/// x and y have the same type and length.
Reference exact_dot(const Vector& x, const Vector& y);

struct Deviation {
  bool correctly_rounded;
  double relative;  // |result - exact| / |exact|
  double ulps;      // |result - exact| / ulp(correctly rounded result)
};
Deviation deviation(double result, const Exact& exact, Precision p);

}  // namespace acc_tool
