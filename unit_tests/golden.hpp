// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Golden files: lines "case: hexadecimal bits", the same for every backend, thread count and
// processor, and before them the bits version. An executable run with --update-golden adds lines;
// it changes and removes them only with a new bits version. bits/golden_lines.py remembers the
// lines of the version, and notices any other way. The difference is reviewed like code.
#pragma once

#include <acc/core/config.hpp>

#include <map>
#include <string>

namespace acc_test {

/// Whether --update-golden was given.
bool& update_golden();

/// The file that --record-bits=FILE names, or "". Where it is named, results are written there, not
/// compared, and tests compute more cases than the golden files hold.
std::string& recording();

/// One golden file, read on construction: of another bits version than ours it fails. Its folder is
/// the environment variable ACC_GOLDEN_DIR, or golden/ beside the program (where it is installed),
/// or the source tree's.
class Golden {
 public:
  explicit Golden(const std::string& file);

  /// Compares with the line of this case; a case the file does not have fails. `digest` is of
  /// results too many to write down (bits_of_all), and stands behind the bits.
  void check(const std::string& test_case, const std::string& bits, const std::string& digest = "");

  /// Call once at the end: lines that no case asked for fail; when updating, writes the file, or
  /// fails if a line of this bits version would change; when recording, adds this file's cases to
  /// the recording.
  void finish();

 private:
  struct Result {
    std::string bits, digest;
    /// Both; `mark` tells the digest, which is no number, from the bits.
    std::string line(const std::string& mark = "") const {
      return digest.empty() ? bits : bits + " " + mark + digest;
    }
  };
  void read();
  void update() const;
  void record() const;
  /// How the file begins.
  static std::string first_line() {
    return "# Bits version " + std::to_string(acc::bits_version) +
           ". Made by --update-golden; see unit_tests/golden.hpp.";
  }

  std::string path_, name_;
  bool is_of_our_version_ = false;
  std::map<std::string, std::string> lines_;
  std::map<std::string, Result> seen_;
};

}  // namespace acc_test
