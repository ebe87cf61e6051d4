// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers_libraries.hpp"

#include <limits>
#include <memory>
#include <stdexcept>

// Headers of C. What they include comes first, so that it is not given C linkage.
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
extern "C" {
#if defined(ACC_HAS_XSUM)
#define restrict __restrict__
#include <xsum.h>
#undef restrict
#endif
#if defined(ACC_HAS_REPROBLAS)
#include <reproBLAS.h>
#endif
}

namespace peers {

#if defined(ACC_HAS_XSUM)

double xsum_sum(const double* x, std::int64_t n) {
  const auto sum = std::make_unique<xsum_large_accumulator>();
  xsum_large_init(sum.get());
  xsum_large_addv(sum.get(), x, n);
  return xsum_large_round(sum.get());
}

double xsum_dot(const double* x, const double* y, std::int64_t n) {
  const auto sum = std::make_unique<xsum_large_accumulator>();
  xsum_large_init(sum.get());
  xsum_large_add_dot(sum.get(), x, y, n);
  return xsum_large_round(sum.get());
}

#endif

#if defined(ACC_HAS_REPROBLAS)

namespace {

constexpr int fold = 3;

int int_size(std::int64_t n) {
  if (n > std::numeric_limits<int>::max()) throw std::length_error("ReproBLAS: n is an int");
  return int(n);
}

}  // namespace

template <class T>
T reproblas_sum(const T* x, std::int64_t n) {
  if constexpr (sizeof(T) == 4)
    return reproBLAS_rssum(fold, int_size(n), x, 1);
  else
    return reproBLAS_rdsum(fold, int_size(n), x, 1);
}
template float reproblas_sum(const float*, std::int64_t);
template double reproblas_sum(const double*, std::int64_t);

template <class T>
T reproblas_dot(const T* x, const T* y, std::int64_t n) {
  if constexpr (sizeof(T) == 4)
    return reproBLAS_rsdot(fold, int_size(n), x, 1, y, 1);
  else
    return reproBLAS_rddot(fold, int_size(n), x, 1, y, 1);
}
template float reproblas_dot(const float*, const float*, std::int64_t);
template double reproblas_dot(const double*, const double*, std::int64_t);

#endif

}  // namespace peers
