// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guard.hpp"

#include "runtime.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace acc::blas {

namespace {
thread_local std::array<char, 512> last_error{};  // no std::string: memory may be short
}

int fail(int status, const char* function, const char* why) noexcept {
  // Where acc was told the name, the text begins with it already.
  const std::size_t length = std::strlen(function);
  if (std::strncmp(why, function, length) == 0 && std::strncmp(why + length, ": ", 2) == 0)
    why += length + 2;
  std::snprintf(last_error.data(), last_error.size(), "%s: %s", function, why);
  return status;
}

}  // namespace acc::blas

const char* acc_last_error() { return acc::blas::last_error.data(); }

// What the Fortran modules refuse themselves.
extern "C" int acc_f_refuse(const char* function, const char* why) {
  return acc::blas::fail(ACC_INVALID_ARGUMENT, function, why);
}

int acc_initialize() {
  using namespace acc::blas;
  return guarded("acc_initialize", [] { with_kokkos([] {}); });
}
