// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_PAPER_NGEMM_HPP
#define ACC_PERF_TESTS_PAPER_NGEMM_HPP

/// \file
/// Recursive products of non-negative matrices (Badin et al. 2013), in a file of their own, as what
/// they instantiate takes a compiler long.

#include <cstdint>

namespace perf::paper {

/// Lines for their figures 6, 7, 10 and 11: the greatest errors of any entry in ten runs, [0, 1].
void print_ngemm(std::int64_t n);
/// Lines for the errors by depth, on [0, 1] and [-1, 1].
void print_depths(std::int64_t n);

}  // namespace perf::paper

#endif
