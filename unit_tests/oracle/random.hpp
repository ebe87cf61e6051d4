// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers whose bits are the same with every standard library and compiler: std::mt19937_64,
// whose output the standard fixes, and integer operations and exact scaling on it.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace acc_oracle {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  int integer(int low, int high) {  // both ends included
    return low + static_cast<int>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// Uniform in [0, 1), a multiple of 2^-53 or, for float, 2^-24.
  template <class T>
  T unit();
  /// Uniform in [-1, 1).
  template <class T>
  T symmetric() {
    return 2 * unit<T>() - 1;
  }
  /// Any finite bit pattern, each equally likely: all exponents, subnormals and zeros among them.
  template <class T>
  T any_finite();

 private:
  std::mt19937_64 engine_;
};

/// Fisher and Yates; std::shuffle is not the same everywhere.
template <class T>
void shuffle(std::vector<T>& x, Random& random) {
  for (std::size_t i = x.size(); i > 1; --i) std::swap(x[i - 1], x[random.below(i)]);
}

}  // namespace acc_oracle
