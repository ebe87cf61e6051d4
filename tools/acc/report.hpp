// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tool prints, in words and tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "methods.hpp"
#include "npy.hpp"
#include "reference.hpp"
#include "statistics.hpp"

namespace acc_tool {

/// What was computed, and what it should be.
struct Problem {
  std::string title;  // for example "sum of x.npy"
  std::string_view type;
  std::size_t size;
  bool is_sum;
  Reference reference;
  std::size_t batches = 0;  // 0: not a sum of batches
};

/// The files of one result.
struct Batches {
  std::string title;
  std::string_view type;
  std::size_t size = 0, count = 0;  // numbers, files
};

/// "label       text", as every report's lines; and a time, with its unit.
void print_line(std::string_view label, std::string_view text);
std::string time_text(double seconds);

/// One method's result in full, its time beside plain's.
void print_result(const Problem& problem, std::string_view method, const Measurement& result,
                  const Measurement& plain, const std::string& machine);

/// The results of `stats`.
void print_statistics(const Batches& batches, const Statistics& statistics);
/// The numbers of an array, in index order, a line each: what reads back as the same number.
void print_numbers(const NpyArray& x);

/// The table of `compare`: one heading, then for each problem a line on it and a row a method.
void print_table_heading(const std::string& machine);
void print_table_problem(const Problem& problem);
void print_table_row(const Problem& problem, std::string_view method, const Measurement& result,
                     double plain_seconds);

}  // namespace acc_tool
