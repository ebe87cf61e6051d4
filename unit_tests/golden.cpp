// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "golden.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

namespace acc_test {

bool& update_golden() {
  static bool update = false;
  return update;
}

Golden::Golden(const std::string& file) {
  const char* folder = std::getenv("ACC_GOLDEN_DIR");
  path_ = std::string(folder ? folder : ACC_TEST_GOLDEN_DIR) + "/" + file;
  if (update_golden()) return;
  std::ifstream in(path_);
  if (!in) ADD_FAILURE() << "cannot read " << path_;
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.empty() || line[0] == '#') continue;
    if (colon == std::string::npos) ADD_FAILURE() << path_ << ": not a case: " << line;
    lines_[line.substr(0, colon)] = line.substr(colon + 2);
  }
}

void Golden::check(const std::string& test_case, const std::string& bits) {
  if (!seen_.emplace(test_case, bits).second) ADD_FAILURE() << "two cases called " << test_case;
  if (update_golden()) return;
  const auto line = lines_.find(test_case);
  if (line == lines_.end()) {
    ADD_FAILURE() << path_ << " has no case " << test_case;
  } else {
    EXPECT_EQ(bits, line->second) << test_case;
  }
}

void Golden::finish() {
  if (!update_golden()) {
    for (const auto& [test_case, bits] : lines_)
      EXPECT_TRUE(seen_.count(test_case)) << path_ << ": nothing computes " << test_case;
    return;
  }
  std::ofstream out(path_);
  out << "# Made by --update-golden; see unit_tests/golden.hpp.\n";
  for (const auto& [test_case, bits] : seen_) out << test_case << ": " << bits << "\n";
  if (!out.flush()) ADD_FAILURE() << "cannot write " << path_;
  std::cout << "wrote " << path_ << ": review the difference\n";
}

}  // namespace acc_test
