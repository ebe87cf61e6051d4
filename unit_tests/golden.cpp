// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "golden.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

namespace acc_test {

bool& update_golden() {
  static bool update = false;
  return update;
}

std::string& recording() {
  static std::string file;
  return file;
}

namespace {
std::filesystem::path golden_folder() {
  if (const char* folder = std::getenv("ACC_GOLDEN_DIR")) return folder;
  std::error_code failed;  // on systems without /proc
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const auto beside = program.parent_path() / "golden";
  if (!failed && std::filesystem::is_directory(beside, failed)) return beside;
  return ACC_TEST_GOLDEN_DIR;
}
}  // namespace

Golden::Golden(const std::string& file)
    : path_((golden_folder() / file).string()), name_(std::filesystem::path(file).stem().string()) {
  if (!recording().empty()) return;
  read();
  if (!update_golden() && !is_of_our_version_) {
    ADD_FAILURE() << path_ << " cannot be read, or does not begin with \"" << first_line()
                  << "\"; ACC_GOLDEN_DIR names another folder";
  }
}

void Golden::read() {
  std::ifstream in(path_);
  for (std::string line; std::getline(in, line);) {
    if (line == first_line()) is_of_our_version_ = true;
    const auto colon = line.find(": ");
    if (line.empty() || line[0] == '#') continue;
    if (colon == std::string::npos) ADD_FAILURE() << path_ << ": not a case: " << line;
    lines_[line.substr(0, colon)] = line.substr(colon + 2);
  }
}

void Golden::check(const std::string& test_case, const std::string& bits,
                   const std::string& digest) {
  const Result result{bits, digest};
  if (!seen_.emplace(test_case, result).second) ADD_FAILURE() << "two cases called " << test_case;
  if (update_golden() || !recording().empty()) return;
  const auto line = lines_.find(test_case);
  if (line == lines_.end()) {
    ADD_FAILURE() << path_ << " has no case " << test_case;
  } else {
    EXPECT_EQ(result.line(), line->second) << test_case;
  }
}

void Golden::finish() {
  if (update_golden()) return update();
  if (!recording().empty()) return record();
  for (const auto& [test_case, bits] : lines_)
    EXPECT_TRUE(seen_.count(test_case)) << path_ << ": nothing computes " << test_case;
}

void Golden::update() const {
  if (is_of_our_version_) {
    bool changes = false;
    for (const auto& [test_case, bits] : lines_) {
      const auto now = seen_.find(test_case);
      if (now != seen_.end() && now->second.line() == bits) continue;
      changes = true;
      ADD_FAILURE() << path_ << ": " << test_case << " was " << bits << ", and now "
                    << (now == seen_.end() ? "nothing computes it" : "is " + now->second.line());
    }
    if (changes) {
      ADD_FAILURE() << path_ << " stays as it is: that takes another acc::bits_version than "
                    << acc::bits_version << " (docs/releases.md)";
      return;
    }
  }
  std::ofstream out(path_);
  out << first_line() << "\n";
  for (const auto& [test_case, result] : seen_) out << test_case << ": " << result.line() << "\n";
  if (!out.flush()) ADD_FAILURE() << "cannot write " << path_;
  std::cout << "wrote " << path_ << ": review the difference\n";
}

void Golden::record() const {
  std::ofstream out(recording(), std::ios::app);
  for (const auto& [test_case, result] : seen_)
    out << name_ << "/" << test_case << ": " << result.line("#") << "\n";
  if (!out.flush()) ADD_FAILURE() << "cannot write " << recording();
}

}  // namespace acc_test
