// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instruction_sets.hpp"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace acc_test {
namespace {

/// The words after "flags" in /proc/cpuinfo, which only x86 has.
std::set<std::string> processor_flags() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, 5, "flags") != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::set<std::string> flags;
    for (std::string word; words >> word;) flags.insert(word);
    return flags;
  }
  return {};
}

}  // namespace

bool processor_lacks(std::string_view set) {
  const auto flags = processor_flags();
  const auto lacks = [&](const char* flag) { return flags.count(flag) == 0; };
  if (set == "avx2") return lacks("avx2") || lacks("fma");
  if (set == "avx512") return lacks("avx512f") || lacks("avx512dq") || lacks("avx512vl");
  return false;
}

}  // namespace acc_test
