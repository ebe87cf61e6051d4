// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix product beside the exact one, entry by entry.
#pragma once

#include <cstddef>

#include "gemm_bound.hpp"
#include "gemm_methods.hpp"
#include "gemm_problem.hpp"

namespace acc_tool {

/// The largest of something over the entries checked, and where.
struct Largest {
  double value = 0;
  std::size_t row = 0, column = 0;
};

struct GemmCheck {
  std::size_t entries = 0;
  std::size_t checked = 0;            // as many entries, drawn at random if not all
  std::size_t correctly_rounded = 0;  // of these
  Largest ulps;
  Largest of_bound;  // error / bound
};

/// Entries checked at most; fewer where each has very many products.
inline constexpr std::size_t most_entries = 4096;

/// `bound` gives a method's; the parameters are those that the product had.
GemmCheck check_product(const GemmProblem& problem, const Matrix& result,
                        GemmBound (*bound)(const GemmTerms&), const GemmParameters& parameters);

}  // namespace acc_tool
