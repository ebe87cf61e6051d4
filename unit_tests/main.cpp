// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options besides Kokkos's and GoogleTest's:
//   --update-golden      write the golden files anew instead of comparing (see golden.hpp)
//   --record-bits=FILE   write their cases to FILE instead of comparing: for acc-bits
#include "golden.hpp"
#include "instruction_sets.hpp"
#include "recording.hpp"

#include <acc/backends/host/kernels/instruction_set.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {
/// The GPU that ctest --resource-spec-file gave this test; Kokkos itself asks only under MPI.
void use_gpu_of_ctest() {
  const char* given = std::getenv("CTEST_RESOURCE_GROUP_0_GPUS");  // "id:0,slots:1"
  int id = 0;
  if (given && std::sscanf(given, "id:%d,", &id) == 1)
    setenv("KOKKOS_DEVICE_ID", std::to_string(id).c_str(), 0);
}

/// The instruction set that ACC_HOST_ISA asks for, or "".
std::string_view asked_for() {
  const char* name = std::getenv("ACC_HOST_ISA");
  return name ? name : "";
}
}  // namespace

int main(int argc, char** argv) {
  if (acc_test::processor_lacks(asked_for())) {
    std::printf("skipped: this processor has no %s\n", asked_for().data());
    return acc_test::skipped;
  }
  const std::string_view runs = acc::backends::host::instruction_set();
  std::printf("host kernels: %s\n", runs.data());
  if (!asked_for().empty() && asked_for() != runs) {
    std::printf("but ACC_HOST_ISA asks for %s\n", asked_for().data());
    return 1;
  }
  use_gpu_of_ctest();
  Kokkos::ScopeGuard guard(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view record = "--record-bits=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--update-golden") acc_test::update_golden() = true;
    if (argument.substr(0, record.size()) == record)
      acc_test::recording() = argument.substr(record.size());
  }
  const std::string& file = acc_test::recording();
  if (!file.empty() && !acc_test::begin_recording<ACC_TEST_SPACE>(file)) {
    std::fprintf(stderr, "cannot write %s\n", file.c_str());
    return 1;
  }
  return RUN_ALL_TESTS();
}
