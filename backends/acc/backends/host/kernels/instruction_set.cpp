// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/backends/host/kernels/instruction_set.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

namespace acc::backends::host {

// What pack.hpp declares.
extern const double ones[8];
extern const float ones_float[16];
const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
const float ones_float[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

namespace {

constexpr std::string_view names[] = {"baseline", "avx2", "avx512"};  // in the order of isa

isa best_of_processor() {
#if defined(ACC_HOST_HAS_AVX)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return isa::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return isa::avx2;
#endif
  return isa::baseline;
}

/// Ends the program. An exception would not do: this may be called in a parallel kernel, and a
/// program that catches what it throws would go on, perhaps to a test that expects an exception.
[[noreturn]] void refuse(std::string_view name, const char* reason, isa best) {
  std::string text = "acc: ACC_HOST_ISA is '";
  text.append(name).append("', ").append(reason);
  text += ".\nWhat to do: unset it, or set it to one of these:";
  for (int i = 0; i <= static_cast<int>(best); ++i) text.append(" ").append(names[i]);
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
}

isa named(std::string_view name, isa best) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) refuse(name, "which names no instruction set", best);
  const auto set = static_cast<isa>(found - std::begin(names));
  if (set <= best) return set;
#if defined(ACC_HOST_HAS_AVX)
  refuse(name, "which this processor lacks", best);
#else
  refuse(name, "for which this acc was not built", best);
#endif
}

}  // namespace

isa chosen_isa() {
  static const isa choice = [] {
    const isa best = best_of_processor();
    const char* wish = std::getenv("ACC_HOST_ISA");
    return wish && *wish ? named(wish, best) : best;
  }();
  return choice;
}

bool has_vnni() {
#if defined(ACC_HOST_HAS_AVX)
  return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}

const char* instruction_set() { return names[static_cast<int>(chosen_isa())].data(); }

}  // namespace acc::backends::host
