// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

/// A file with the given bytes that goes away with the object.
class TemporaryFile {
 public:
  TemporaryFile(std::string_view name, std::string_view bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("acc_tool_" + std::to_string(getpid()) + "_" + std::string(name))) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// The text of the exception that f throws; empty where it throws none.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return {};
}
