// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bad arguments of acc::ngemm are rejected before any product, and its workspace is what it says.
#pragma once

#include "instances.hpp"

#include <acc/ngemm.hpp>

#include <cstring>
#include <stdexcept>
#include <thread>

namespace acc_test {
namespace {

class NgemmErrors : public testing::Test {
 public:
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
  NgemmErrors() {
    Kokkos::deep_copy(a, 1.0);
    Kokkos::deep_copy(b, 2.0);
    Kokkos::deep_copy(c, 7.0);
  }
  static void set(const Matrix& m, int i, int j, double value) {
    Kokkos::deep_copy(Kokkos::subview(m, i, j), value);
  }
  template <class Call>
  void expect_rejected(const Call& call, const std::string& message) const {
    acc_test::expect_rejected(call, message, "acc::ngemm: signs");
    const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t j = 0; j < 60; ++j) ASSERT_EQ(after(i, j), 7) << "a rejected call wrote";
  }
  void expect_sign_error(const std::string& message) const {
    expect_rejected([&] { acc::ngemm(exec, "N", "N", 1.0, a, b, 0.0, c, {.check_sign = true}); },
                    "acc::ngemm: " + message);
  }

  Exec exec;
  Matrix a{"a", 40, 50}, b{"b", 50, 60}, c{"c", 40, 60};
};

TEST_F(NgemmErrors, AsOfGemm) {
  expect_rejected([&] { acc::ngemm(exec, "T", "N", 1.0, a, b, 0.0, c); },
                  "acc::ngemm: op(A) is 50 x 40, op(B) is 50 x 60 and C is 40 x 60, which are not "
                  "m x k, k x n and m x n");
  expect_rejected([&] { acc::ngemm("N", "X", 1.0, a, b, 0.0, c); },
                  R"(acc::ngemm: transB must be "N", "T" or "C", but is "X")");
  expect_rejected(
      [&] {
        acc::ngemm(exec, "N", "N", 1.0, a, b, 0.0, c, {}, acc::selective<acc::kahan>{.strip = 0});
      },
      "acc::ngemm: strip must be at least 1, but is 0");
  expect_rejected([&] { acc::ngemm(exec, "N", "N", 1.0, a, b, 0.0, c, {.cutoff = -1}); },
                  "acc::ngemm: cutoff must not be negative, but is -1");
  expect_rejected(
      [&] {
        acc::ngemm(exec, "N", "N", 1.0, a, b, 0.0, c, {.recursion = acc::ngemm_recursion(7)});
      },
      "acc::ngemm: recursion must be winograd or outer_product, but is 7");
  const auto block = Kokkos::subview(c, std::pair(0, 40), std::pair(0, 50));
  EXPECT_THROW(acc::ngemm(exec, "N", "N", 1.0, block, b, 0.0, c), std::invalid_argument);
  EXPECT_THROW((void)acc::ngemm_workspace(exec, "N", "T", 1.0, a, b, 0.0, c),
               std::invalid_argument);
}

TEST_F(NgemmErrors, SignsAreChecked) {
  const auto accept = [&] {
    acc::ngemm(exec, "N", "N", 1.0, a, b, 0.0, c, {.check_sign = true});
    Kokkos::deep_copy(c, 7.0);
  };
  accept();
  set(a, 3, 7, -0.0);  // zeros and NaN have no sign
  set(b, 3, 7, std::numeric_limits<double>::quiet_NaN());
  accept();
  set(a, 3, 8, -1e-300);
  expect_sign_error("A must be of one sign, but A(3, 8) is negative and A(0, 0) is positive");
  set(a, 20, 2, -1);
  expect_sign_error("A must be of one sign, but A(3, 8) is negative and A(0, 0) is positive");
  Kokkos::deep_copy(a, -1.0);
  accept();
  set(b, 0, 0, -5);
  expect_sign_error("B must be of one sign, but B(0, 1) is positive and B(0, 0) is negative");
  const Kokkos::View<std::byte*, Exec> memory("memory", 1 << 20);
  expect_rejected(
      [&] {
        acc::ngemm(exec, "N", "N", 1.0, a, b, 0.0, c, {.check_sign = true}, acc::plain{}, memory);
      },
      "acc::ngemm: B must be of one sign, but B(0, 1) is positive and B(0, 0) is negative");
  expect_rejected(
      [&] { acc::ngemm("N", "N", 1.0, a, b, 0.0, c, {.check_sign = true}, acc::plain{}); },
      "acc::ngemm: B must be of one sign, but B(0, 1) is positive and B(0, 0) is negative");
  acc::ngemm(exec, "N", "N", 1.0, a, b, 0.0, c);  // unchecked
}

// Without an instance every argument counts as with one.
TEST_F(NgemmErrors, OnTheDefaultInstance) {
  Matrix one("one", 40, 60), other("other", 40, 60);
  for (int i = 0; i < 40; ++i) set(a, i, i, 1 / (i + 3.0));
  Kokkos::deep_copy(one, 3.0);
  Kokkos::deep_copy(other, 3.0);
  const acc::selective<acc::kahan> method{.strip = 5};
  acc::ngemm(exec, "N", "N", 0.7, a, b, 0.3, one, {.depth = 1}, method);
  acc::ngemm("N", "N", 0.7, a, b, 0.3, other, {.depth = 1}, method);
  exec.fence();
  // So it does without options: a product of this size is gemm's then.
  Matrix as_gemm("as gemm", 40, 60), without("without", 40, 60), on_instance("instance", 40, 60);
  acc::gemm(exec, "N", "N", 0.7, a, b, 0.0, as_gemm, method);
  acc::ngemm("N", "N", 0.7, a, b, 0.0, without, method);
  acc::ngemm(exec, "N", "N", 0.7, a, b, 0.0, on_instance, method);
  exec.fence();
  const auto g = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), as_gemm);
  for (const Matrix& m : {without, on_instance}) {
    const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m);
    EXPECT_EQ(std::memcmp(g.data(), h.data(), g.size() * sizeof(double)), 0);
  }
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), one);
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), other);
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)), 0);
}

// The matrices of the recursion: 11/3 N^2 elements, and alignment.
TEST_F(NgemmErrors, WorkspaceIsAsMuchAsItSays) {
  const Matrix square("square", 256, 256), other("other", 256, 256);
  const auto bytes = [&](int depth, double beta) {
    return acc::ngemm_workspace(exec, "N", "N", 1.0, square, square, beta, other, {.depth = depth},
                                acc::plain{});
  };
  const std::size_t n2 = 256 * 256 * sizeof(double), of_gemm = bytes(0, 0);
  for (const int depth : {1, 2, 3, 4}) {
    EXPECT_LE(bytes(depth, 0), n2 * 37 / 10 + of_gemm) << depth;
    EXPECT_LE(bytes(depth, 1), n2 * 47 / 10 + of_gemm) << depth;
  }
  EXPECT_GT(bytes(2, 0), bytes(1, 0));
}

TEST_F(NgemmErrors, Workspace) {
  using Bytes = Kokkos::View<std::byte*, Exec>;
  const acc::ngemm_options options{.depth = 1};
  Matrix theirs("theirs", 40, 60);
  for (const double beta : {0.0, 2.0}) {
    Kokkos::deep_copy(theirs, 7.0);
    const std::size_t bytes =
        acc::ngemm_workspace(exec, "N", "N", 1.0, a, b, beta, c, options, acc::plain{});
    const Bytes memory("memory", bytes + 128);
    // Kokkos aligns to 64.
    const auto part = [&](std::size_t begin, std::size_t count) {
      return Kokkos::subview(memory, std::pair(begin, begin + count));
    };
    const auto call = [&](const auto& workspace) {
      acc::ngemm(exec, "N", "N", 1.0, a, b, beta, theirs, options, acc::plain{}, workspace);
    };
    const auto before = std::to_string(bytes - 1);
    expect_rejected([&] { call(part(0, bytes - 1)); }, "acc::ngemm: the workspace has " + before +
                                                           " bytes, but " + std::to_string(bytes) +
                                                           " are needed");
    expect_rejected([&] { call(part(8, bytes)); },
                    "acc::ngemm: the workspace must be aligned to 64 bytes");
    // Nothing is written beyond it, and the results are those of the instance's own.
    call(part(64, bytes));
    Kokkos::View<double**, Kokkos::LayoutRight, Exec> ours("ours", 40, 60);
    Kokkos::deep_copy(ours, 7.0);
    acc::ngemm(exec, "N", "N", 1.0, a, b, beta, ours, options, acc::plain{});
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), theirs);
    const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ours);
    EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)), 0);
    EXPECT_EQ(x(3, 3), 100 + 7 * beta);
    const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
    for (std::size_t i = 0; i < 64; ++i) {
      ASSERT_EQ(after(i), std::byte(0));
      ASSERT_EQ(after(64 + bytes + i), std::byte(0));
    }
  }
}

// Calls of several host threads take turns in the instance's workspace.
TEST_F(NgemmErrors, ThreadsShareAnInstance) {
  const auto product = [&](int n, const Matrix& to) {
    const auto part = [&](const Matrix& m) {
      return Kokkos::subview(m, std::pair(0, n), std::pair(0, n));
    };
    acc::ngemm(exec, "N", "N", 1.0, part(a), part(b), 0.0, part(to), {.depth = 1}, acc::plain{});
  };
  std::vector<std::thread> threads;
  std::vector<Matrix> results;
  for (int t = 0; t < 4; ++t) results.push_back(Matrix("result", 40, 60));
  Matrix want("want", 40, 60);
  for (int i = 0; i < 40; ++i) set(a, i, i, 1 / (i + 3.0));
  product(40, want);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) product((i + t) % 2 == 0 ? 33 : 40, results[std::size_t(t)]);
      product(40, results[std::size_t(t)]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  exec.fence();
  const auto there = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), want);
  for (const Matrix& r : results) {
    const auto here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), r);
    EXPECT_EQ(std::memcmp(here.data(), there.data(), there.size() * sizeof(double)), 0);
  }
}

// A second call allocates nothing, and none waits for anything.
TEST_F(NgemmErrors, ARepeatedCallAllocatesNothingAndDoesNotFence) {
  const acc::ngemm_options options{.depth = 1};
  const auto call = [&] { acc::ngemm(exec, "N", "N", 1.0, a, b, 2.0, c, options); };
  call();
  exec.fence();
  const Recorder recorder;
  call();
  EXPECT_EQ(recorder.of(Event::allocation).size(), 0);
  EXPECT_EQ(recorder.of(Event::fence).size(), 0);
  EXPECT_GT(recorder.of(Event::kernel).size(), 0);
}

}  // namespace
}  // namespace acc_test
