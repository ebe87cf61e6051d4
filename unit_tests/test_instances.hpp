// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kernel runs on the caller's instance; a result in a View fences nothing, a result on the
// host fences that instance alone; after the first call nothing is allocated.
#pragma once

#include "instances.hpp"

#include <acc/asum.hpp>
#include <acc/batched_gemm.hpp>
#include <acc/dot.hpp>
#include <acc/gemm.hpp>
#include <acc/gemv.hpp>
#include <acc/inclusive_scan.hpp>
#include <acc/nrm2.hpp>
#include <acc/segmented_sum.hpp>
#include <acc/sum.hpp>

#include <functional>
#include <utility>

namespace acc_test {
namespace {

template <class T>
class Instances : public testing::Test {
 public:
  using R = real_t<T>;
  using Calls = std::vector<std::pair<std::string, std::function<void()>>>;

  /// Every function, into a View.
  Calls to_view() const {
    return {{"sum", [this] { acc::sum(exec_, r_, x_); }},
            {"sum, plain", [this] { acc::sum(exec_, r_, x_, acc::plain{}); }},
            {"sum, fold<8>", [this] { acc::sum(exec_, r_, x_, acc::fold<8>{}); }},
            {"dot", [this] { acc::dot(exec_, r_, x_, y_); }},
            {"dotu", [this] { acc::dotu(exec_, r_, x_, y_, acc::double_word{}); }},
            {"asum", [this] { acc::asum(exec_, real_, x_); }},
            {"nrm2", [this] { acc::nrm2(exec_, real_, x_); }}};
  }
  /// Every function whose result is a vector.
  Calls to_vector() const {
    return {{"inclusive_scan", [this] { acc::inclusive_scan(exec_, y_, x_); }},
            {"inclusive_scan, exact", [this] { acc::inclusive_scan(exec_, y_, x_, acc::exact{}); }},
            {"segmented_sum", [this] { acc::segmented_sum(exec_, segment_sums_, x_, offsets_); }},
            {"segmented_sum, exact",
             [this] { acc::segmented_sum(exec_, segment_sums_, x_, offsets_, acc::exact{}); }}};
  }
  /// The matrix products, by the names of their kernels.
  Calls products() const {
    const auto matrix = [](const auto& v) {
      return Kokkos::subview(v, 0, Kokkos::ALL, Kokkos::ALL);
    };
    const auto column = [](const auto& v) { return Kokkos::subview(v, 0, Kokkos::ALL, 0); };
    return {
        {"acc::gemm",
         [=, this] { acc::gemm(exec_, "N", "N", T(1), matrix(a_), matrix(b_), T(0), matrix(c_)); }},
        {"acc::gemv",
         [=, this] { acc::gemv(exec_, "N", T(1), matrix(a_), column(b_), T(1), column(c_)); }},
        {"acc::batched_gemm",
         [this] { acc::batched_gemm(exec_, "N", "N", T(1), a_, b_, T(2), c_); }}};
  }
  /// Every function, to the host.
  Calls to_host() const {
    return {{"sum", [this] { (void)acc::sum(exec_, x_); }},
            {"sum, fold<8>", [this] { (void)acc::sum(exec_, x_, acc::fold<8>{}); }},
            {"dot", [this] { (void)acc::dot(exec_, x_, y_); }},
            {"dotu", [this] { (void)acc::dotu(exec_, x_, y_, acc::compensated_fma{}); }},
            {"asum", [this] { (void)acc::asum(exec_, x_); }},
            {"nrm2", [this] { (void)acc::nrm2(exec_, x_); }}};
  }

  void expect_own_kernels(const Recorder& recorder, const std::string& what) const {
    const auto kernels = recorder.of(Event::kernel);
    EXPECT_FALSE(kernels.empty()) << what << " shows no kernel to tools";
    for (const Event& e : kernels) {
      EXPECT_EQ(e.instance, exec_.impl_instance_id()) << what << ": " << e.name;
      EXPECT_EQ(e.name.rfind("acc::", 0), 0u) << what << ": " << e.name;  // labels name the call
    }
  }

  Exec exec_ = new_instance();
  Kokkos::View<T*, Exec> x_ = on_device(elements<T>(Data::wide, 9 * leaf<T> + 5, 1));
  Kokkos::View<T*, Exec> y_ = on_device(elements<T>(Data::uniform, 9 * leaf<T> + 5, 2));
  Kokkos::View<T, Exec> r_{"r"};
  Kokkos::View<R, Exec> real_{"real"};
  /// A short segment, one of several blocks, and one of a few rows.
  Kokkos::View<std::int64_t*, Exec> offsets_ = on_device(std::vector<std::int64_t>{
      0, 7, 7 + 8 * static_cast<std::int64_t>(leaf<T>), 9 * static_cast<std::int64_t>(leaf<T>)});
  Kokkos::View<T*, Exec> segment_sums_{"segment sums", 3};
  Kokkos::View<T***, Exec> a_{"A", 3, 70, 600}, b_{"B", 3, 600, 40}, c_{"C", 3, 70, 40};
};
using InstanceTypes = testing::Types<float, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Instances, InstanceTypes);

TYPED_TEST(Instances, AreNotTheDefaultOne) {  // or the tests below would show nothing
  EXPECT_FALSE(this->exec_ == Exec{});
}

TYPED_TEST(Instances, ResultInAViewFencesNothing) {
  auto calls = this->to_view();
  for (const auto& call : this->to_vector()) calls.push_back(call);
  for (const auto& call : this->products()) calls.push_back(call);
  for (const auto& [what, call] : calls) {
    call();
    const Recorder recorder;
    call();
    this->expect_own_kernels(recorder, what);
    EXPECT_TRUE(recorder.of(Event::fence).empty())
        << what << ": " << testing::PrintToString(recorder.of(Event::fence));
  }
}

TYPED_TEST(Instances, ResultOnTheHostFencesItsInstanceAlone) {
  for (const auto& [what, call] : this->to_host()) {
    call();
    const Recorder recorder;
    call();
    this->expect_own_kernels(recorder, what);
    EXPECT_FALSE(recorder.of(Event::fence).empty()) << what;
    for (const Event& e : recorder.of(Event::fence))
      EXPECT_EQ(e.instance, this->exec_.impl_instance_id()) << what << ": " << e.name;
  }
}

TYPED_TEST(Instances, NothingIsAllocatedAfterTheFirstCall) {
  using T = TypeParam;
  const auto small = on_device(elements<T>(Data::wide, 1, 1));
  (void)acc::sum(this->exec_, small);  // the first call on this instance, whatever its size
  const Recorder recorder;
  for (const auto& [what, call] : this->to_view()) call();
  for (const auto& [what, call] : this->to_host()) call();
  EXPECT_TRUE(recorder.of(Event::allocation).empty())
      << testing::PrintToString(recorder.of(Event::allocation));
  EXPECT_TRUE(recorder.of(Event::deep_copy).empty())
      << testing::PrintToString(recorder.of(Event::deep_copy));
}

TYPED_TEST(Instances, ScansAllocateInTheFirstOfThem) {
  using T = TypeParam;
  const Kokkos::View<T*, Exec> small("small", 1);
  acc::inclusive_scan(this->exec_, small, small);
  const Recorder recorder;
  for (const auto& [what, call] : this->to_vector()) call();
  EXPECT_TRUE(recorder.of(Event::allocation).empty())
      << testing::PrintToString(recorder.of(Event::allocation));
}

TYPED_TEST(Instances, ProductsAreOneKernelAndAllocateInTheFirstOfAShape) {
  for (const auto& [what, call] : this->products()) {
    call();
    const Recorder recorder;
    for (int k = 0; k < 3; ++k) call();
    const auto kernels = recorder.of(Event::kernel);
    ASSERT_EQ(kernels.size(), 3u) << testing::PrintToString(kernels);
    for (const Event& e : kernels) EXPECT_EQ(e.name, what);
    EXPECT_TRUE(recorder.of(Event::allocation).empty())
        << what << ": " << testing::PrintToString(recorder.of(Event::allocation));
    EXPECT_TRUE(recorder.of(Event::deep_copy).empty()) << what;
  }
}

TYPED_TEST(Instances, ProductsInTheCallersWorkspaceAllocateNothing) {
  using T = TypeParam;
  const Exec exec = new_instance();
  const auto matrix = [](const auto& v) { return Kokkos::subview(v, 0, Kokkos::ALL, Kokkos::ALL); };
  const auto a = matrix(this->a_), b = matrix(this->b_), c = matrix(this->c_);
  const acc::selective<acc::seeded> method;
  const Kokkos::View<std::byte*, Exec> memory("memory",
                                              acc::gemm_workspace(exec, "N", "N", a, b, c, method));
  // What Kokkos needs for the first teams of an instance; of ours, less than the next would take.
  const Kokkos::View<T**, Kokkos::LayoutStride, Exec> one(a.data(),
                                                          Kokkos::LayoutStride(1, 1, 1, 1));
  acc::gemm(exec, "N", "N", T(1), one, one, T(0), Kokkos::View<T**, Exec>("C", 1, 1), method);
  const Recorder recorder;
  acc::gemm(exec, "N", "N", T(1), a, b, T(0), c, method, memory);
  EXPECT_TRUE(recorder.of(Event::allocation).empty())
      << testing::PrintToString(recorder.of(Event::allocation));
  EXPECT_TRUE(recorder.of(Event::fence).empty());
  exec.fence();
}

TYPED_TEST(Instances, DoNotDisturbEachOther) {
  using T = TypeParam;
  constexpr int rounds = 50;
  const Exec one = new_instance(), two = new_instance();
  const auto x = on_device(elements<T>(Data::wide, 5 * leaf<T> + 1, 3));
  const auto y = on_device(elements<T>(Data::wide, 4 * leaf<T> + 7, 4));
  const std::string want_x = bits(acc::sum(Exec{}, x)), want_y = bits(acc::sum(Exec{}, y));
  std::vector<Kokkos::View<T, Exec>> rx, ry;
  for (int k = 0; k < rounds; ++k) {
    rx.emplace_back("rx");
    ry.emplace_back("ry");
  }
  Kokkos::fence();
  for (int k = 0; k < rounds; ++k) {  // both in flight, each reusing its own memory
    acc::sum(one, rx[static_cast<std::size_t>(k)], x);
    acc::sum(two, ry[static_cast<std::size_t>(k)], y);
  }
  one.fence();
  two.fence();
  for (int k = 0; k < rounds; ++k) {
    ASSERT_EQ(bits(on_host(rx[static_cast<std::size_t>(k)])), want_x) << "round " << k;
    ASSERT_EQ(bits(on_host(ry[static_cast<std::size_t>(k)])), want_y) << "round " << k;
  }
}

}  // namespace
}  // namespace acc_test
