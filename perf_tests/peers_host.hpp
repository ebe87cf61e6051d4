// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_PEERS_HOST_HPP
#define ACC_PERF_TESTS_PEERS_HOST_HPP

/// \file
/// What a careful application would write by hand for the CPU.

#include <cstdint>

namespace peers {

/// Plain sum and dot: vectorised, reassociated, all OpenMP threads.
template <class T>
T vectorised_sum(const T* x, std::int64_t n);
template <class T>
T vectorised_dot(const T* x, const T* y, std::int64_t n);

/// The sequential algorithms of Graillat, Langlois and Louvet's comparison, one element at a time:
/// Dot with FMA, CompDot, CompDotFMA, and XBLAS's double-double dot.
double dot_fma(const double* x, const double* y, std::int64_t n);
double comp_dot(const double* x, const double* y, std::int64_t n);
double comp_dot_fma(const double* x, const double* y, std::int64_t n);
double dot_xblas(const double* x, const double* y, std::int64_t n);
/// The same for sums: Sum2 and double-double.
double sum2(const double* x, std::int64_t n);
double sum_xblas(const double* x, std::int64_t n);

}  // namespace peers

#endif
