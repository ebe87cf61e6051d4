// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test data. Every value comes from std::mt19937_64 (whose output the standard fixes) by integer
// operations, exact scaling and correctly rounded +, *, /: the same seed gives the same bits with
// every standard library and compiler, which golden files need.
#pragma once

#include "oracle/gendot.hpp"
#include "oracle/random.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace acc_test {

using acc_oracle::Pair;
using acc_oracle::Random;
using acc_oracle::shuffle;

enum class Data {
  uniform,               ///< [-1, 1)
  positive,              ///< [0, 1)
  wide,                  ///< bell-shaped times 2^k, |k| <= 100 (60 decades; float: 2^-60 to 2^60)
  all_exponents,         ///< any finite bits, scaled so that no partial sum overflows
  ascending,             ///< `wide`, by ascending magnitude
  descending,            ///< `wide`, by descending magnitude
  alternating,           ///< (-1)^i (1 + i/n): neighbours nearly cancel
  harmonic,              ///< 1/(i + 1)
  constant,              ///< 0.1
  subnormal,             ///< subnormal numbers of both signs
  near_overflow,         ///< magnitudes within [max/4n, max/2n): the sum is finite
  massive_cancellation,  ///< x and -x shuffled, and one small rest
};
inline constexpr Data all_data[] = {
    Data::uniform,   Data::positive,   Data::wide,          Data::all_exponents,
    Data::ascending, Data::descending, Data::alternating,   Data::harmonic,
    Data::constant,  Data::subnormal,  Data::near_overflow, Data::massive_cancellation};

std::string_view name(Data data);

/// n values of one family. T is float or double.
template <class T>
std::vector<T> make(Data data, std::size_t n, std::uint64_t seed);

/// Two vectors whose dot product has about the given condition number (GenDot). n >= 6.
template <class T>
Pair<T> ill_conditioned_dot(std::size_t n, double condition, std::uint64_t seed);

/// Summands (2 * half of them) of about the given condition: the products of an ill-conditioned
/// dot of length half, each split by TwoProd into two summands, shuffled.
template <class T>
std::vector<T> ill_conditioned_sum(std::size_t half, double condition, std::uint64_t seed);

}  // namespace acc_test
