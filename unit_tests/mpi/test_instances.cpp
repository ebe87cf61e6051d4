// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool sees of the distributed functions, as unit_tests/test_instances.hpp of the others:
// labelled kernels on the caller's instance, fences of that alone, the messages in a region.
#include <Kokkos_Core.hpp>

#define ACC_TEST_SPACE Kokkos::DefaultExecutionSpace
#include "instances.hpp"

#include <acc/mpi.hpp>

#include <functional>
#include <utility>

namespace acc_test {
namespace {

TEST(MpiInstances, KernelsFencesAndRegions) {
  const Exec exec = new_instance();
  ASSERT_FALSE(exec == Exec{});
  const auto x = on_device(elements<double>(Data::wide, 5000, 81));
  const Kokkos::View<acc::superaccumulator<double>*, Exec> sums("sums", 3);
  struct Call {
    std::string function, kernel;
    std::function<void()> run;
  };
  for (const auto& [function, kernel, run] : std::vector<Call>{
           {"acc::mpi::sum", "acc::mpi::sum",
            [&] { (void)acc::mpi::sum(MPI_COMM_WORLD, exec, x); }},
           {"acc::mpi::dot", "acc::mpi::dot",
            [&] { (void)acc::mpi::dot(MPI_COMM_WORLD, exec, x, x, acc::reproducible{}); }},
           {"acc::mpi::all_reduce", "", [&] { acc::mpi::all_reduce(MPI_COMM_WORLD, exec, sums); }},
           {"acc::mpi::reduce", "", [&] { acc::mpi::reduce(MPI_COMM_WORLD, 0, exec, sums); }}}) {
    // A View in a device's memory is copied, under Kokkos's labels.
    constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;
    if (!on_host && kernel.empty()) continue;
    run();
    const Recorder recorder;
    run();
    const auto kernels = recorder.of(Event::kernel);
    EXPECT_EQ(kernels.empty(), kernel.empty()) << function;
    for (const Event& e : kernels) {
      EXPECT_EQ(e.name, kernel) << function;
      EXPECT_EQ(e.instance, exec.impl_instance_id()) << function;
    }
    EXPECT_FALSE(recorder.of(Event::fence).empty()) << function;
    for (const Event& e : recorder.of(Event::fence)) {
      EXPECT_EQ(e.name, function);
      EXPECT_EQ(e.instance, exec.impl_instance_id()) << function << ": " << e.name;
    }
    ASSERT_EQ(recorder.of(Event::region).size(), 1u) << function;
    EXPECT_EQ(recorder.of(Event::region)[0].name, function);
    EXPECT_EQ(recorder.of(Event::region_end).size(), 1u) << function;
    EXPECT_TRUE(recorder.of(Event::allocation).empty()) << function;
    EXPECT_TRUE(recorder.of(Event::deep_copy).empty()) << function;
  }
}

/// A region that an exception leaves would hold all that comes after.
TEST(MpiInstances, ARejectedCallLeavesNoRegion) {
  acc::superaccumulator<double> sum;
  const Recorder recorder;
  EXPECT_THROW(acc::mpi::all_reduce(MPI_COMM_NULL, sum), std::invalid_argument);
  EXPECT_EQ(recorder.of(Event::region).size(), recorder.of(Event::region_end).size());
}

}  // namespace
}  // namespace acc_test
