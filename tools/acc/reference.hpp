// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exact value of a sum or a dot product, which the result of every method is compared with.
#pragma once

#include <vector>

#include "oracle/exact.hpp"
#include "oracle/exact_sums.hpp"
#include "vector.hpp"

namespace acc_tool {

using acc_oracle::Accumulator;
using acc_oracle::Exact;
using acc_oracle::Precision;

/// The format of a real number, or of the two parts of a complex one.
template <class T>
constexpr Precision precision_of() {
  constexpr bool is_float = sizeof(T) / (is_complex<T> ? 2 : 1) == sizeof(float);
  return is_float ? acc_oracle::precision_of<float>() : acc_oracle::precision_of<double>();
}

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
