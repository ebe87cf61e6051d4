// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bad input is rejected before any launch, with the function, the argument and its extents in the
// message; outputs stay as they were. (What does not compile is in compile_fail/.)
#pragma once

#include "instances.hpp"

#include <acc/accumulate.hpp>
#include <acc/asum.hpp>
#include <acc/dot.hpp>
#include <acc/prefix_sum.hpp>
#include <acc/nrm2.hpp>
#include <acc/segmented_sum.hpp>
#include <acc/sum.hpp>
#include <acc/sum_by_key.hpp>

#include <stdexcept>

namespace acc_test {
namespace {

class Errors : public testing::Test {
 public:
  using Vector = Kokkos::View<double*, Exec>;
  using Unmanaged = Kokkos::View<double*, Exec, Kokkos::MemoryUnmanaged>;
  Errors() { Kokkos::deep_copy(r, 7.0); }
  ~Errors() override { EXPECT_EQ(on_host(r), 7.0) << "a rejected call wrote its output"; }

  Exec exec;
  Vector x3{"x", 3}, y4{"y", 4};
  Unmanaged null5{nullptr, 5};
  Kokkos::View<double, Exec> r{"r"};
};

TEST_F(Errors, LengthsDiffer) {
  const std::string text =
      "x and y must have the same length, but x has extent 3 and y has extent 4";
  expect_rejected([&] { (void)acc::dot(exec, x3, y4); }, "acc::dot: " + text);
  expect_rejected([&] { (void)acc::dot(x3, y4, acc::plain{}); }, "acc::dot: " + text);
  expect_rejected([&] { acc::dot(exec, r, x3, y4, acc::fold<3>{}); }, "acc::dot: " + text);
  expect_rejected([&] { (void)acc::dotu(exec, x3, y4); }, "acc::dotu: " + text);
  expect_rejected([&] { acc::dotu(exec, r, x3, y4); }, "acc::dotu: " + text);
  expect_rejected([&] { (void)acc::dot(exec, Vector("x", 0), y4); },
                  "acc::dot: x and y must have the same length, but x has extent 0 and y has "
                  "extent 4");
}

TEST_F(Errors, NoData) {
  const std::string text = "x has extent 5 but no data (null pointer)";
  expect_rejected([&] { (void)acc::sum(exec, null5); }, "acc::sum: " + text);
  expect_rejected([&] { acc::sum(exec, r, null5); }, "acc::sum: " + text);
  expect_rejected([&] { (void)acc::asum(exec, null5); }, "acc::asum: " + text);
  expect_rejected([&] { (void)acc::nrm1(exec, null5); }, "acc::nrm1: " + text);
  expect_rejected([&] { acc::asum(exec, r, null5); }, "acc::asum: " + text);
  expect_rejected([&] { (void)acc::nrm2(exec, null5); }, "acc::nrm2: " + text);
  expect_rejected([&] { acc::nrm2(exec, r, null5); }, "acc::nrm2: " + text);
  expect_rejected([&] { (void)acc::dot(exec, null5, Vector("y", 5)); }, "acc::dot: " + text);
  expect_rejected([&] { (void)acc::dotu(exec, Vector("x", 5), null5); },
                  "acc::dotu: y has extent 5 but no data (null pointer)");
  const Kokkos::View<double, Exec, Kokkos::MemoryUnmanaged> nowhere(nullptr);
  expect_rejected([&] { acc::sum(exec, nowhere, x3); }, "acc::sum: r has no data (null pointer)");
  expect_rejected([&] { acc::dot(exec, nowhere, x3, x3); },
                  "acc::dot: r has no data (null pointer)");
}

TEST_F(Errors, ResultInsideAnArgument) {
  const auto inside = Kokkos::subview(x3, 1);
  const auto in_y = Kokkos::subview(y4, 3);
  const Vector x4("x", 4);
  expect_rejected([&] { acc::sum(exec, inside, x3); }, "acc::sum: r lies inside x (extent 3)");
  expect_rejected([&] { acc::nrm2(exec, inside, x3); }, "acc::nrm2: r lies inside x (extent 3)");
  expect_rejected([&] { acc::asum(exec, inside, x3); }, "acc::asum: r lies inside x (extent 3)");
  expect_rejected([&] { acc::nrm1(exec, inside, x3); }, "acc::nrm1: r lies inside x (extent 3)");
  expect_rejected([&] { acc::dot(exec, in_y, x4, y4); }, "acc::dot: r lies inside y (extent 4)");
  expect_rejected([&] { acc::dotu(exec, in_y, y4, x4); }, "acc::dotu: r lies inside x (extent 4)");
}

TEST_F(Errors, OfAccumulate) {
  using Sum = acc::superaccumulator<double>;
  using Bins = acc::binned<double, 3>;
  const Vector x("x", 200), y("y", 200);
  const auto inside = [](const Vector& v, auto sum) {
    using S = decltype(sum);
    return Kokkos::View<S, Exec, Kokkos::MemoryUnmanaged>(reinterpret_cast<S*>(v.data() + 20));
  };
  expect_rejected([&] { acc::accumulate(exec, inside(x, Sum()), x); },
                  "acc::accumulate: sum lies inside x (extent 200)");
  expect_rejected([&] { acc::accumulate_dot(inside(x, Bins()), x, y); },
                  "acc::accumulate_dot: sum lies inside x (extent 200)");
  expect_rejected([&] { acc::accumulate_dot(exec, inside(y, Sum()), x, y); },
                  "acc::accumulate_dot: sum lies inside y (extent 200)");
  const Kokkos::View<Sum, Exec, Kokkos::MemoryUnmanaged> nowhere(nullptr);
  expect_rejected([&] { acc::accumulate(exec, nowhere, x); },
                  "acc::accumulate: sum has no data (null pointer)");
  expect_rejected([&] { acc::accumulate(exec, Kokkos::View<Sum, Exec>("sum"), null5); },
                  "acc::accumulate: x has extent 5 but no data (null pointer)");
  expect_rejected([&] { acc::accumulate_dot(exec, Kokkos::View<Sum, Exec>("sum"), x3, y4); },
                  "acc::accumulate_dot: x and y must have the same length, but x has extent 3 and "
                  "y has extent 4");
}

TEST_F(Errors, OfInclusiveScan) {
  expect_rejected([&] { acc::prefix_sum(exec, x3, y4); },
                  "acc::prefix_sum: x and r must have the same length, but x has extent 4 and "
                  "r has extent 3");
  expect_rejected([&] { acc::prefix_sum(exec, Vector("r", 5), null5, acc::exact{}); },
                  "acc::prefix_sum: x has extent 5 but no data (null pointer)");
  expect_rejected([&] { acc::prefix_sum(null5, Vector("x", 5)); },
                  "acc::prefix_sum: r has extent 5 but no data (null pointer)");
  // In place is allowed; one element further, by another stride or backwards is not.
  const Vector x("x", 9);
  const auto part = [&](int begin, int end) { return Kokkos::subview(x, std::pair(begin, end)); };
  const std::string text = "acc::prefix_sum: r (extent 4) and x (extent 4) overlap";
  expect_rejected([&] { acc::prefix_sum(exec, part(1, 5), part(0, 4)); }, text);
  expect_rejected([&] { acc::prefix_sum(exec, part(0, 4), part(3, 7), acc::exact{}); }, text);
  const Kokkos::View<double*, Kokkos::LayoutStride, Exec, Kokkos::MemoryUnmanaged> every_other(
      x.data(), Kokkos::LayoutStride(4, 2));
  expect_rejected([&] { acc::prefix_sum(exec, every_other, part(0, 4)); }, text);
  acc::prefix_sum(exec, part(0, 4), part(4, 8));
  acc::prefix_sum(exec, part(0, 4), part(0, 4));
}

TEST_F(Errors, OfSegmentedSum) {
  using Offsets = Kokkos::View<int*, Exec>;
  const Offsets four("offsets", 4);
  expect_rejected([&] { acc::segmented_sum(exec, y4, Vector("x", 5), four); },
                  "acc::segmented_sum: offsets must have one element more than r, but offsets has "
                  "extent 4 and r has extent 4");
  expect_rejected([&] { acc::segmented_sum(Vector("r", 1), x3, Offsets(), acc::exact{}); },
                  "acc::segmented_sum: offsets must have one element more than r, but offsets has "
                  "extent 0 and r has extent 1");
  // The row map of a CRS matrix without rows, as KokkosSparse has it.
  acc::segmented_sum(exec, Vector("r", 0), x3, Offsets());
  acc::segmented_sum(exec, Vector("r", 0), x3, Offsets(), acc::exact{});
  expect_rejected([&] { acc::segmented_sum(exec, x3, null5, four); },
                  "acc::segmented_sum: x has extent 5 but no data (null pointer)");
  expect_rejected([&] { acc::segmented_sum(exec, null5, y4, Offsets("offsets", 6)); },
                  "acc::segmented_sum: r has extent 5 but no data (null pointer)");
  const Kokkos::View<int*, Exec, Kokkos::MemoryUnmanaged> nowhere(nullptr, 4);
  expect_rejected([&] { acc::segmented_sum(exec, x3, y4, nowhere); },
                  "acc::segmented_sum: offsets has extent 4 but no data (null pointer)");
  expect_rejected([&] { acc::segmented_sum(exec, Kokkos::subview(y4, std::pair(1, 4)), y4, four); },
                  "acc::segmented_sum: r (extent 3) and x (extent 4) overlap");
  const Kokkos::View<double*, Exec, Kokkos::MemoryUnmanaged> in_offsets(
      reinterpret_cast<double*>(four.data()), 1);
  const Kokkos::View<int*, Exec, Kokkos::MemoryUnmanaged> two(four.data(), 2);
  expect_rejected([&] { acc::segmented_sum(exec, in_offsets, y4, two); },
                  "acc::segmented_sum: r (extent 1) and offsets (extent 2) overlap");
}

TEST_F(Errors, SumByKeyAndLengths) {
  const Vector x4("x", 4), r3("r", 3);
  const Kokkos::View<int*, Exec> k4("keys", 4), k3("keys", 3), k5("keys", 5);
  const Kokkos::View<int, Exec> count("count");
  expect_rejected([&] { acc::segmented_sum_by_lengths(exec, r3, x4, k4); },
                  "acc::segmented_sum_by_lengths: lengths and r must have the same length, but "
                  "lengths has extent 4 and r has extent 3");
  expect_rejected([&] { acc::segmented_sum_by_lengths(exec, r3, null5, k3); },
                  "acc::segmented_sum_by_lengths: x has extent 5 but no data (null pointer)");
  expect_rejected(
      [&] { acc::segmented_sum_by_lengths(exec, Kokkos::subview(x4, std::pair(1, 4)), x4, k3); },
      "acc::segmented_sum_by_lengths: r (extent 3) and x (extent 4) overlap");
  expect_rejected([&] { acc::sum_by_key(exec, r3, k3, count, k5, x4); },
                  "acc::sum_by_key: keys and x must have the same length, but keys has extent 5 "
                  "and x has extent 4");
  expect_rejected([&] { (void)acc::sum_by_key(exec, r3, k5, k4, x4); },
                  "acc::sum_by_key: unique and r must have the same length, but unique has extent "
                  "5 and r has extent 3");
  expect_rejected([&] { (void)acc::sum_by_key(exec, r3, k3, k5, null5); },
                  "acc::sum_by_key: x has extent 5 but no data (null pointer)");
  expect_rejected([&] { (void)acc::sum_by_key(exec, x4, k5, k4, x4); },
                  "acc::sum_by_key: unique and r must have the same length, but unique has extent "
                  "5 and r has extent 4");
  const Kokkos::View<int*, Exec> u4("unique", 4);
  expect_rejected([&] { (void)acc::sum_by_key(exec, x4, u4, k4, x4); },
                  "acc::sum_by_key: r (extent 4) and x (extent 4) overlap");
  expect_rejected([&] { (void)acc::sum_by_key(exec, Vector("r", 4), k4, k4, x4); },
                  "acc::sum_by_key: unique (extent 4) and keys (extent 4) overlap");
  const Kokkos::View<int, Exec, Kokkos::MemoryUnmanaged> in_keys(k4.data() + 1);
  expect_rejected([&] { acc::sum_by_key(exec, r3, k3, in_keys, k4, x4); },
                  "acc::sum_by_key: count lies inside keys (extent 4)");
}

/// Threads write r's elements at once.
TEST_F(Errors, ElementsOfRShareAPlace) {
  using Strided = Kokkos::View<double*, Kokkos::LayoutStride, Exec>;
  const Vector memory("memory", 4), x4("x", 4);
  const Strided r4(memory.data(), Kokkos::LayoutStride(4, 0));
  const Kokkos::View<int*, Exec> n4("n", 4), n5("n", 5), unique("unique", 4);
  const std::string text = ": two elements of r share a place: its strides are 0";
  expect_rejected([&] { acc::prefix_sum(exec, r4, x4); }, "acc::prefix_sum" + text);
  expect_rejected([&] { acc::prefix_sum(exec, r4, r4, acc::exact{}); }, "acc::prefix_sum" + text);
  expect_rejected([&] { acc::exclusive_prefix_sum(exec, r4, x4); },
                  "acc::exclusive_prefix_sum" + text);
  expect_rejected([&] { acc::segmented_sum(exec, r4, x4, n5); }, "acc::segmented_sum" + text);
  expect_rejected([&] { acc::segmented_sum_by_lengths(exec, r4, x4, n4); },
                  "acc::segmented_sum_by_lengths" + text);
  expect_rejected([&] { (void)acc::sum_by_key(exec, r4, unique, n4, x4); },
                  "acc::sum_by_key" + text);
  const Kokkos::View<int*, Kokkos::LayoutStride, Exec> u4(unique.data(),
                                                          Kokkos::LayoutStride(4, 0));
  expect_rejected([&] { (void)acc::sum_by_key(exec, memory, u4, n4, x4); },
                  "acc::sum_by_key: two elements of unique share a place: its strides are 0");
  // One element shares its place with none, and what is read may.
  const Strided one(memory.data(), Kokkos::LayoutStride(1, 0));
  acc::prefix_sum(exec, one, Vector("x", 1));
  acc::prefix_sum(exec, x4, r4);
}

TEST_F(Errors, ACountThatMayNotHoldTheRuns) {
  const Vector x("x", 200), r3("r", 3);
  const Kokkos::View<int*, Exec> keys("keys", 200), unique("unique", 3);
  const Kokkos::View<signed char, Exec> narrow("count");
  const Kokkos::View<unsigned char, Exec> wide("count");
  expect_rejected([&] { acc::sum_by_key(exec, r3, unique, narrow, keys, x); },
                  "acc::sum_by_key: count's type cannot hold keys' extent, 200: its largest number "
                  "is 127");
  acc::sum_by_key(exec, r3, unique, wide, keys, x);
  EXPECT_EQ(on_host(wide), 1);
}

TEST_F(Errors, EmptyInputWithoutDataIsValid) {
  EXPECT_EQ(bits(acc::sum(exec, Unmanaged(nullptr, 0))), bits(0.0));
  EXPECT_EQ(bits(acc::dot(exec, Vector(), Vector())), bits(0.0));
  EXPECT_EQ(bits(acc::nrm2(exec, Vector("x", 0))), bits(0.0));
}

}  // namespace
}  // namespace acc_test
