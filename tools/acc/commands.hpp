// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands behind the command line. Each throws Error and prints to standard output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vector.hpp"

namespace acc_tool {

struct RunOptions {
  std::string method = "compensated";
  std::optional<TextType> type;  // of text; float64 by default
  int threads = 0;               // 0: Kokkos decides
  int repeats = 5;
};

void sum(const std::string& file, const RunOptions& options);
/// One sum of all files, of which one at a time is in memory. The method takes batches.
void sum_batches(const std::vector<std::string>& files, const RunOptions& options);
/// The sums along an axis of an .npy array, to the .npy file `output`, or where that is empty to
/// standard output: a line each, in index order.
void sum_along(const std::string& file, std::int64_t axis, const std::string& output,
               const RunOptions& options);
/// Statistics of the numbers of all files, of which one at a time is in memory. Of the options the
/// method and the repeats have no meaning: the results are correctly rounded, and not timed.
void stats(const std::vector<std::string>& files, std::int64_t ddof, const RunOptions& options);
void dot(const std::string& x, const std::string& y, const RunOptions& options);
void compare_sums(const std::vector<std::string>& files, const RunOptions& options);
void compare_dot(const std::string& x, const std::string& y, const RunOptions& options);

struct GenerateOptions {
  std::uint64_t n = 1000;
  std::optional<std::uint64_t> columns;  // of a matrix with n rows; else a vector
  std::uint64_t seed = 1;
  double condition = 1e25;
};

/// kind is "harmonic", "uniform" or "normal".
void generate(const std::string& kind, const std::string& file, const GenerateOptions& options);
void generate_gendot(const std::string& x, const std::string& y, const GenerateOptions& options);

}  // namespace acc_tool
