// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact sums and dot products, and how hard they are to get.
#pragma once

#include "exact.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace acc_oracle {

/// Adds doubles and products of doubles without error. A number is split into sign, exponent and
/// integer significand, and the significands are added in one 192-bit bin for each sign and
/// exponent: a few nanoseconds per element, up to 2^64 elements. GMP joins the bins at the end.
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
  double special_ = 0;  // 0, an infinity or NaN
};

// Of arrays; T is float or double.
template <class T>
Exact exact_sum(std::span<const T> x);
template <class T>
Exact exact_abs_sum(std::span<const T> x);
template <class T>
Exact exact_dot(std::span<const T> x, std::span<const T> y);
template <class T>
Exact exact_abs_dot(std::span<const T> x, std::span<const T> y);  // sum of |x_i| |y_i|

/// cond = sum |x_i| / |sum x_i| and 2 sum |x_i y_i| / |sum x_i y_i| (Ogita, Rump, Oishi 2005),
/// rounded up.
template <class T>
double condition_of_sum(std::span<const T> x);
template <class T>
double condition_of_dot(std::span<const T> x, std::span<const T> y);

}  // namespace acc_oracle
