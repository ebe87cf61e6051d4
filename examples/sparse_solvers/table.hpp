// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

/// 64 bits that change with any bit of any residual (FNV-1a).
inline std::uint64_t digest(const std::vector<double>& history) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const double residual : history) {
    std::uint64_t bits;
    std::memcpy(&bits, &residual, sizeof bits);
    for (int k = 0; k < 64; k += 8) hash = (hash ^ (bits >> k & 0xff)) * 0x100000001b3u;
  }
  return hash;
}

/// The histories of one solver, by different numbers of threads and ranks.
class Table {
 public:
  explicit Table(std::string title) : title_(std::move(title)) {}
  void add(const std::string& by, std::vector<double> history) {
    rows_.emplace_back(by, std::move(history));
  }
  bool same_everywhere() const {
    for (const auto& row : rows_) {
      if (digest(row.second) != digest(rows_.front().second)) return false;
    }
    return true;
  }
  void print() const {
    std::printf("\n%-38s%10s%24s%18s\n", title_.c_str(), "iterations", "|r| at the end",
                "digest of all |r|");
    for (const auto& [by, history] : rows_)
      std::printf("%-38s%10zu%24a  %016llx\n", by.c_str(), history.size() - 1, history.back(),
                  static_cast<unsigned long long>(digest(history)));
  }

 private:
  std::string title_;
  std::vector<std::pair<std::string, std::vector<double>>> rows_;
};
