// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace acc_oracle {

template <class T>
struct Pair {
  std::vector<T> x, y;
};

/// Two vectors whose dot product has about the condition number 2^log2_condition: Ogita, Rump and
/// Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005), algorithm 6.1 (GenDot).
/// n >= 6; T is float or double. The logarithm, not the number: where it is an integer, no
/// library's logarithm decides a bit.
template <class T>
Pair<T> gendot(std::size_t n, double log2_condition, std::uint64_t seed);

}  // namespace acc_oracle
