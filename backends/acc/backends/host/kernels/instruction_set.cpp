// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/backends/host/kernels/instruction_set.hpp>

#include <cstdlib>
#include <string_view>

namespace acc::backends::host {

// What pack.hpp declares.
extern const double ones[8];
extern const float ones_float[16];
const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
const float ones_float[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

namespace {

isa best_of_processor() {
#if defined(ACC_HOST_HAS_AVX)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return isa::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return isa::avx2;
#endif
  return isa::baseline;
}

}  // namespace

isa chosen_isa() {
  static const isa choice = [] {
    const isa best = best_of_processor();
    const char* wish = std::getenv("ACC_HOST_ISA");
    const std::string_view name = wish ? wish : "";
    if (name == "baseline") return isa::baseline;
    if (name == "avx2" && best >= isa::avx2) return isa::avx2;
    return best;
  }();
  return choice;
}

const char* instruction_set() {
  constexpr const char* names[] = {"baseline", "avx2", "avx512"};
  return names[int(chosen_isa())];
}

}  // namespace acc::backends::host
