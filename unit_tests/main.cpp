// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options besides Kokkos's and GoogleTest's:
//   --update-golden   write the golden files anew instead of comparing (see test_golden.hpp)
#include "golden.hpp"

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstring>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--update-golden") == 0) acc_test::update_golden() = true;
  }
  return RUN_ALL_TESTS();
}
