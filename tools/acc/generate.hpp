// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data with known troubles. Every generator gives the same numbers for the same arguments on every
// machine, except for normal(), which uses the machine's logarithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace acc_tool {

/// 1, 1/2, ..., 1/n.
std::vector<double> harmonic(std::size_t n);
/// Uniform in [-1, 1).
std::vector<double> uniform(std::size_t n, std::uint64_t seed);
/// Normal with mean 0 and deviation 1, by Marsaglia's polar method.
std::vector<double> normal(std::size_t n, std::uint64_t seed);
/// A pair whose dot product has about the given condition number (oracle/gendot.hpp). n >= 6.
std::pair<std::vector<double>, std::vector<double>> gendot(std::size_t n, double condition,
                                                           std::uint64_t seed);

}  // namespace acc_tool
