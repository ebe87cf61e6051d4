// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_EXACT_SUMS_HPP
#define ACC_BLAS_EXACT_SUMS_HPP

/// \file
/// What is behind an acc_exact_sums, and the exact sum of a vector before it is rounded.

#include <acc/core/superaccumulator.hpp>
#include <acc/exact_sums.h>

#include <cstdint>
#include <vector>

#include "reduce.hpp"

struct acc_exact_sums {
  std::vector<acc::superaccumulator<double>> sum;
};

namespace acc::blas {

/// The exact sum of n numbers.
/// \throws as reduce
template <class T>
superaccumulator<T> exact_sum(std::int64_t n, const vector<T>& x);
/// The exact sum of n products.
/// \throws as reduce
template <class T>
superaccumulator<T> exact_dot(std::int64_t n, const vector<T>& x, const vector<T>& y);

extern template superaccumulator<float> exact_sum(std::int64_t n, const vector<float>& x);
extern template superaccumulator<double> exact_sum(std::int64_t n, const vector<double>& x);
extern template superaccumulator<float> exact_dot(std::int64_t n, const vector<float>& x,
                                                  const vector<float>& y);
extern template superaccumulator<double> exact_dot(std::int64_t n, const vector<double>& x,
                                                   const vector<double>& y);

/// \throws std::invalid_argument where `pointer` is null
inline void need(const char* name, const void* pointer) {
  if (pointer == nullptr) throw std::invalid_argument(std::string(name) + " is a null pointer");
}

}  // namespace acc::blas

#endif
