// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Golden files: lines "case: hexadecimal bits", the same for every backend, thread count and
// processor. They change only with a new bits version, by an executable run with --update-golden;
// the difference is then reviewed like code.
#pragma once

#include <map>
#include <string>

namespace acc_test {

/// Whether --update-golden was given.
bool& update_golden();

/// One golden file, read on construction. Its folder is the source tree's, or the environment
/// variable ACC_GOLDEN_DIR.
class Golden {
 public:
  explicit Golden(const std::string& file);

  /// Compares with the line of this case; a case the file does not have fails.
  void check(const std::string& test_case, const std::string& bits);

  /// Call once at the end: lines that no case asked for fail; when updating, writes the file.
  void finish();

 private:
  std::string path_;
  std::map<std::string, std::string> lines_, seen_;
};

}  // namespace acc_test
