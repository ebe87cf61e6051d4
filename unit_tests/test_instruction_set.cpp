// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ACC_HOST_ISA: the host kernels run with the instruction set that it names, or not at all. acc
// reads it once, so every case is a process of its own.
#include "instruction_sets.hpp"

#include <acc/backends/host/kernels/instruction_set.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace acc_test {
namespace {

/// Sets the variable, writes the set in use to stderr and exits with 0.
[[noreturn]] void run_with(const char* name) {
  name ? setenv("ACC_HOST_ISA", name, 1) : unsetenv("ACC_HOST_ISA");
  std::fprintf(stderr, "runs %s;", acc::backends::host::instruction_set());
  std::exit(0);
}

bool is_here(const std::string& set) {
  return set == "baseline" || (ACC_TEST_HAS_AVX && !processor_lacks(set));
}
/// The second line of the message.
std::string what_to_do() {
  std::string sets;
  for (const char* set : {"baseline", "avx2", "avx512"}) {
    if (is_here(set)) sets += std::string(" ") + set;
  }
  return "What to do: unset it, or set it to one of these:" + sets + "\n";
}
std::string best() { return is_here("avx512") ? "avx512" : is_here("avx2") ? "avx2" : "baseline"; }

class HostIsa : public testing::Test {
 protected:
  HostIsa() { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }  // from main() anew
};
using HostIsaDeathTest = HostIsa;  // GoogleTest runs these first

TEST_F(HostIsaDeathTest, NamesTheSetThatRuns) {
  for (const std::string set : {"baseline", "avx2", "avx512"}) {
    if (is_here(set)) {
      EXPECT_EXIT(run_with(set.c_str()), testing::ExitedWithCode(0), "runs " + set + ";");
    } else {
      EXPECT_EXIT(run_with(set.c_str()), testing::KilledBySignal(SIGABRT),
                  "acc: ACC_HOST_ISA is '" + set +
                      "', (which this processor lacks|for which this acc was not built)\\.\n" +
                      what_to_do());
    }
  }
}

TEST_F(HostIsaDeathTest, LeavesTheBestSetWhereItNamesNone) {
  for (const char* none : {static_cast<const char*>(nullptr), ""})
    EXPECT_EXIT(run_with(none), testing::ExitedWithCode(0), "runs " + best() + ";");
}

TEST_F(HostIsaDeathTest, EndsTheProgramWhereItNamesNothingThatIs) {
  for (const std::string name : {"avx", "avx-2", "AVX2", "avx22", "avx1024", "native", " baseline"})
    EXPECT_EXIT(
        run_with(name.c_str()), testing::KilledBySignal(SIGABRT),
        "acc: ACC_HOST_ISA is '" + name + "', which names no instruction set\\.\n" + what_to_do());
}

}  // namespace
}  // namespace acc_test
