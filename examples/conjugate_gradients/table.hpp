// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

/// The residuals of one method, computed by different numbers of threads or ranks.
class Table {
 public:
  explicit Table(std::string method) : method_(std::move(method)) {}

  void add(std::string by, std::vector<double> history) {
    rows_.push_back({std::move(by), std::move(history)});
  }

  /// The first iteration whose |r|^2 differs in `history` from the first row; -1 if none does.
  int first_difference(const std::vector<double>& history) const {
    const auto& other = rows_.front().history;
    const auto same_bits = [](double x, double y) { return !std::memcmp(&x, &y, sizeof x); };
    const auto at =
        std::mismatch(history.begin(), history.end(), other.begin(), other.end(), same_bits);
    if (at.first == history.end() && at.second == other.end()) return -1;
    return int(std::distance(history.begin(), at.first));
  }

  bool same_everywhere() const {
    return std::all_of(rows_.begin(), rows_.end(),
                       [&](const Row& row) { return first_difference(row.history) < 0; });
  }

  double last() const { return rows_.front().history.back(); }

  void print() const {
    std::printf("\n%-26s%12s%26s  %s\n", method_.c_str(), "iterations", "|r|^2 at the end",
                "bits of all |r|^2");
    for (const Row& row : rows_) {
      const int at = first_difference(row.history);
      const std::string bits = at < 0 ? "the same" : "differ from iteration " + std::to_string(at);
      std::printf("%-26s%12zu%26a  %s\n", row.by.c_str(), row.history.size() - 1,
                  row.history.back(), bits.c_str());
    }
  }

 private:
  struct Row {
    std::string by;
    std::vector<double> history;
  };
  std::string method_;
  std::vector<Row> rows_;
};
