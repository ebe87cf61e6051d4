// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine added as docs/design.md says: its folder, a copy of generic under another name, and a
// branch of dispatch. Every golden bit comes out of it, and every job is done by it.
#include <Kokkos_Core.hpp>

#include <acc/backends/dispatch.hpp>

namespace acc_test {
/// The size of a team of the toy machine.
inline int all_threads() { return ACC_TEST_SPACE().concurrency(); }
}  // namespace acc_test
#include <acc/backends/toy/machine.hpp>

#include <map>
#include <string>

namespace acc_test {

/// The toy machine, which counts its jobs.
struct CountedToy : acc::backends::toy::machine {
  using base = acc::backends::toy::machine;
  static inline std::map<std::string, int> jobs;

  template <class... Args>
  static void reduce(Args&&... args) {
    ++jobs["reduce"];
    base::reduce(args...);
  }
  template <class... Args>
  static void order_free(Args&&... args) {
    ++jobs["order_free"];
    base::order_free(args...);
  }
  template <class... Args>
  static void scan(Args&&... args) {
    ++jobs["scan"];
    base::scan(args...);
  }
  template <class... Args>
  static void segments(Args&&... args) {
    ++jobs["segments"];
    base::segments(args...);
  }
  template <class... Args>
  static void slices(Args&&... args) {
    ++jobs["slices"];
    base::slices(args...);
  }
  template <class... Args>
  static auto with_gemm_tiles(Args&&... args) {
    ++jobs["gemm"];
    return base::with_gemm_tiles(args...);
  }
  template <class... Args>
  static auto with_exact_entries(Args&&... args) {
    ++jobs["exact gemm"];
    return base::with_exact_entries(args...);
  }
};

}  // namespace acc_test

// The branch.
template <>
struct acc::backends::machine_for<ACC_TEST_SPACE> {
  using type = acc_test::CountedToy;
};

#define ACC_TEST_INSTANCES all
#include "../gemm_exact_instances.hpp"
#include "../gemm_instances.hpp"
#include "../test_defaults.hpp"
#include "../test_golden.hpp"
#include "../test_golden_gemm.hpp"

namespace acc_test {
namespace {

// GoogleTest runs the tests of a file in their order: this one is the last.
TEST(ToyMachine, DidEveryJob) {
  for (const char* job :
       {"reduce", "order_free", "scan", "segments", "slices", "gemm", "exact gemm"})
    EXPECT_GT(CountedToy::jobs[job], 0) << job;
}

}  // namespace
}  // namespace acc_test
