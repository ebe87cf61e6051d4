// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file with all bits of all residuals, for `acc-bits diff`: two runs of a whole program are
// compared, on two machines, by other numbers of threads or ranks, on a CPU and on a GPU.
#pragma once

#include <acc/core/config.hpp>

#include <Kokkos_Core.hpp>

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Removes an option from the arguments. True if it was there.
inline bool take(std::vector<std::string>& arguments, const std::string& option) {
  return std::erase(arguments, option) > 0;
}

/// The file that an argument --record-bits=FILE names, which is removed from the arguments; else
/// "".
inline std::string recording_in(std::vector<std::string>& arguments) {
  constexpr std::string_view option = "--record-bits=";
  for (auto it = arguments.begin(); it != arguments.end(); ++it) {
    if (it->substr(0, option.size()) != option) continue;
    const std::string file = it->substr(option.size());
    if (file.empty()) throw std::runtime_error("--record-bits= needs a file");
    arguments.erase(it);
    return file;
  }
  return "";
}

class Recording {
 public:
  /// Begins with what computes: the bits must not depend on it.
  template <class Exec>
  Recording(const std::string& name, const Exec& exec, const std::string& device)
      : name_(name), file_(std::fopen(name.c_str(), "w"), &std::fclose) {
    if (!file_) throw std::runtime_error(name + ": cannot be written");
    std::fprintf(file_.get(), "acc: %s\nbits_version: %d\nkokkos: %d.%d.%d\n", ACC_VERSION_STRING,
                 acc::bits_version, KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100,
                 KOKKOS_VERSION % 100);
#ifdef __clang__
    const char* const compiler = __VERSION__;  // "Clang 22.1.0 ..."
#else
    const char* const compiler = "GCC " __VERSION__;
#endif
    std::fprintf(file_.get(), "compiler: %s\nspace: %s\nconcurrency: %d\ndevice: %s\n\n", compiler,
                 Exec::name(), exec.concurrency(), device.c_str());
  }

  /// Each number of a history is a result with a name.
  void add(const std::string& what, const std::vector<double>& history) {
    for (std::size_t i = 0; i < history.size(); ++i) {
      std::uint64_t bits;
      std::memcpy(&bits, &history[i], sizeof bits);
      std::fprintf(file_.get(), "%s, iteration %zu: %016" PRIx64 "\n", what.c_str(), i, bits);
    }
    if (std::fflush(file_.get()) != 0) throw std::runtime_error(name_ + ": cannot be written");
  }

 private:
  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};
