// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool sees of the distributed functions, as unit_tests/test_instances.hpp of the others:
// labelled kernels on the caller's instance, fences of that alone, the messages in a region.
#include <Kokkos_Core.hpp>

#define ACC_TEST_SPACE Kokkos::DefaultExecutionSpace
#include "instances.hpp"

#include <acc/mpi.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

TEST(MpiInstances, KernelsFencesAndRegions) {
  const Exec exec = new_instance();
  ASSERT_FALSE(exec == Exec{});
  const auto x = on_device(elements<double>(Data::wide, 5000, 81));
  const Kokkos::View<double**, Kokkos::LayoutLeft, Exec> a("a", 500, 3);
  const Kokkos::View<double*, Exec> r("r", 3), numbers("numbers", 500);
  const Kokkos::View<int*, Exec> index("index", 500);
  const acc::scatter_sum<double, Exec> any("any", 3), of_range("of a range", 3, {-10, 10});
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
           {"acc::mpi::dotu", "acc::mpi::dotu",
            [&] { (void)acc::mpi::dotu(MPI_COMM_WORLD, exec, x, x); }},
           {"acc::mpi::asum", "acc::mpi::asum",
            [&] { (void)acc::mpi::asum(MPI_COMM_WORLD, exec, x); }},
           {"acc::mpi::nrm2", "acc::mpi::nrm2",
            [&] { (void)acc::mpi::nrm2(MPI_COMM_WORLD, exec, x); }},
           {"acc::mpi::mean", "acc::mpi::mean",
            [&] { (void)acc::mpi::mean(MPI_COMM_WORLD, exec, x); }},
           {"acc::mpi::weighted_mean", "acc::mpi::weighted_mean",
            [&] { (void)acc::mpi::weighted_mean(MPI_COMM_WORLD, exec, x, x); }},
           {"acc::mpi::variance", "acc::mpi::variance",
            [&] { (void)acc::mpi::variance(MPI_COMM_WORLD, exec, x); }},
           {"acc::mpi::covariance", "acc::mpi::covariance",
            [&] { (void)acc::mpi::covariance(MPI_COMM_WORLD, exec, x, x); }},
           {"acc::mpi::sum", "acc::mpi::sum", [&] { acc::mpi::sum(MPI_COMM_WORLD, exec, r, a); }},
           {"acc::mpi::dot", "acc::mpi::dot",
            [&] { acc::mpi::dot(MPI_COMM_WORLD, exec, r, a, numbers); }},
           {"acc::mpi::dotu", "acc::mpi::dotu",
            [&] { acc::mpi::dotu(MPI_COMM_WORLD, exec, r, a, a, acc::reproducible{}); }},
           {"acc::mpi::asum", "acc::mpi::asum",
            [&] { acc::mpi::asum(MPI_COMM_WORLD, exec, r, a); }},
           {"acc::mpi::nrm2", "acc::mpi::nrm2",
            [&] { acc::mpi::nrm2(MPI_COMM_WORLD, exec, r, a); }},
           {"acc::mpi::sum_by_index", "acc::mpi::sum_by_index",
            [&] { acc::mpi::sum_by_index(MPI_COMM_WORLD, exec, r, index, numbers); }},
           {"acc::mpi::sum_by_index", "acc::mpi::sum_by_index",
            [&] {
              acc::mpi::sum_by_index(MPI_COMM_WORLD, exec, r, index, numbers, acc::reproducible{});
            }},
           {"acc::mpi::add_by_index", "acc::mpi::add_by_index",
            [&] { acc::mpi::add_by_index(MPI_COMM_WORLD, exec, r, index, numbers); }},
           {"acc::mpi::all_reduce", "acc::mpi::all_reduce",
            [&] { acc::mpi::all_reduce(MPI_COMM_WORLD, exec, any); }},
           {"acc::mpi::all_reduce", "acc::mpi::all_reduce",
            [&] { acc::mpi::all_reduce(MPI_COMM_WORLD, exec, of_range); }},
           {"acc::mpi::reduce", "acc::mpi::reduce",
            [&] { acc::mpi::reduce(MPI_COMM_WORLD, 0, exec, any); }},
           {"acc::mpi::reduce", "acc::mpi::reduce",
            [&] { acc::mpi::reduce(MPI_COMM_WORLD, 0, exec, of_range); }},
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
      // The look at all indexes waits in Kokkos, which names it so on a host and on a GPU.
      EXPECT_TRUE(e.name == function || e.name.starts_with("Kokkos::parallel_reduce") ||
                  e.name.starts_with("Kokkos::Impl::ParallelReduce"))
          << e.name;
      EXPECT_EQ(e.instance, exec.impl_instance_id()) << function << ": " << e.name;
    }
    ASSERT_EQ(recorder.of(Event::region).size(), 1u) << function;
    EXPECT_EQ(recorder.of(Event::region)[0].name, function);
    EXPECT_EQ(recorder.of(Event::region_end).size(), 1u) << function;
    EXPECT_TRUE(recorder.of(Event::allocation).empty()) << function;
    // What is in a device's memory MPI gets by way of the host's.
    EXPECT_TRUE(recorder.of(Event::deep_copy).empty() || !on_host) << function;
  }
}

TEST(MpiInstances, ASecondCallAllocatesNothing) {
  const Exec exec = new_instance();
  const Kokkos::View<double**, Kokkos::LayoutLeft, Exec> a("a", 500, 70);
  const Kokkos::View<double*, Exec> r("r", 70), x("x", 500), few("few", 3), five("five", 5);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Exec> three("three", 500, 3);
  const Kokkos::View<int*, Exec> index("index", 500);
  const Kokkos::View<acc::superaccumulator<double>**, Kokkos::LayoutRight, Exec> sums("sums", 70,
                                                                                      2);
  const auto column = Kokkos::subview(sums, Kokkos::ALL, 1);
  Kokkos::deep_copy(a, 0.1);
  Kokkos::deep_copy(x, 0.3);
  const std::vector<std::pair<std::string, std::function<void()>>> calls{
      {"sum of few columns", [&] { acc::mpi::sum(MPI_COMM_WORLD, exec, few, three); }},
      {"sum of columns", [&] { acc::mpi::sum(MPI_COMM_WORLD, exec, r, a); }},
      {"dot of columns", [&] { acc::mpi::dot(MPI_COMM_WORLD, exec, r, a, x); }},
      {"sum_by_index", [&] { acc::mpi::sum_by_index(MPI_COMM_WORLD, exec, few, index, x); }},
      {"sum_by_index of 5", [&] { acc::mpi::sum_by_index(MPI_COMM_WORLD, exec, five, index, x); }},
      {"all_reduce", [&] { acc::mpi::all_reduce(MPI_COMM_WORLD, exec, column); }}};
  for (const auto& [name, call] : calls) call();
  for (int again = 0; again < 2; ++again)
    for (const auto& [name, call] : calls) {
      // Calls of other sizes come in between: the first time around memory may still grow.
      const Recorder recorder;
      call();
      EXPECT_TRUE(again == 0 || recorder.of(Event::allocation).empty()) << name;
    }
  // Memory that was used before has no sums of before.
  calls[0].second();
  calls[1].second();
  calls[4].second();
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto times = [&](double number) {
    acc::superaccumulator<double> sum;
    for (int i = 0; i < 500 * ranks; ++i) sum.add(number);
    return sum.value();
  };
  const auto on_host = [](const auto& v) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  };
  for (int j = 0; j < 70; ++j) EXPECT_EQ(on_host(r)(j), times(0.1));
  EXPECT_EQ(on_host(five)(0), times(0.3));
  EXPECT_EQ(on_host(five)(1), 0.0);
  EXPECT_EQ(on_host(few)(0), 0.0);
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
