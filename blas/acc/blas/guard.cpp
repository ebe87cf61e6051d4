// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guard.hpp"

#include "runtime.hpp"

#include <array>
#include <cstdio>

namespace acc::blas {

namespace {
thread_local std::array<char, 512> last_error{};  // no std::string: memory may be short
}

int fail(int status, const char* function, const char* why) noexcept {
  std::snprintf(last_error.data(), last_error.size(), "%s: %s", function, why);
  return status;
}

}  // namespace acc::blas

const char* acc_last_error() { return acc::blas::last_error.data(); }

int acc_initialize() {
  using namespace acc::blas;
  return guarded("acc_initialize", [] { with_kokkos([] {}); });
}
