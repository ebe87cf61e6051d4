// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_PEERS_LIBRARIES_HPP
#define ACC_PERF_TESTS_PEERS_LIBRARIES_HPP

/// \file
/// Libraries that promise on a host what acc promises. CMake finds those that the user has
/// installed. They are serial: each call runs on one thread.

#include <cstdint>

namespace peers {

/// Whether CMake found them. Where it did not, the functions below are not defined.
#if defined(ACC_HAS_XSUM)
inline constexpr bool has_xsum = true;
#else
inline constexpr bool has_xsum = false;
#endif
#if defined(ACC_HAS_REPROBLAS)
inline constexpr bool has_reproblas = true;
#else
inline constexpr bool has_reproblas = false;
#endif

/// Radford Neal's xsum, by its large superaccumulator: the correctly rounded sum. A dot product is
/// the correctly rounded sum of rounded products.
double xsum_sum(const double* x, std::int64_t n);
double xsum_dot(const double* x, const double* y, std::int64_t n);

/// ReproBLAS of Ahrens, Nguyen and Demmel with fold 3, its default, for float and double: bits
/// without an order. It rounds the products of a dot product. Throws std::length_error if n is
/// larger than an int.
template <class T>
T reproblas_sum(const T* x, std::int64_t n);
template <class T>
T reproblas_dot(const T* x, const T* y, std::int64_t n);

}  // namespace peers

#endif
