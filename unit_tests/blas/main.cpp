// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with Kokkos, GoogleTest, and an xerbla_ and a cblas_xerbla of its own.
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include "calls.hpp"

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <utility>

namespace {
std::vector<acc_test::Report> reports;
}

namespace acc_test {
std::vector<Report> take_reports() { return std::exchange(reports, {}); }
}  // namespace acc_test

extern "C" void xerbla_(const char* name, const int* place, std::size_t length) {
  reports.push_back({std::string(name, length), *place, ""});
}

extern "C" void cblas_xerbla(int place, const char* name, const char* format, ...) {
  char text[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  reports.push_back({name, place, text});
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
