// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool sees of every public function: kernels that are labelled with its name and run on the
// caller's instance; a result in a View fences nothing, a result on the host fences that instance
// alone; after the first call nothing is allocated.
#pragma once

#include "public_calls.hpp"

namespace acc_test {
namespace {

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

/// Kokkos numbers the instances of a device, but not those of a host space: there the tests find
/// fences of everything and what is not labelled, but not kernels of another instance.
constexpr bool instances_have_numbers =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

TEST(Recorder, SeesWhatTheOtherTestsMustNotFind) {
  const Exec own = new_instance();
  const auto id = own.impl_instance_id();
  const Recorder recorder;
  {
    const Kokkos::Profiling::ScopedRegion region("mine");
    const Kokkos::View<double*, Exec> x("mine", 3), y("mine", 3);
    Kokkos::deep_copy(x, y);
  }
  Kokkos::fence("mine");
  Kokkos::parallel_for("mine", Kokkos::RangePolicy<Exec>(Exec{}, 0, 1), Nothing{});
  EXPECT_EQ(recorder.of(Event::allocation).size(), 2u);
  EXPECT_FALSE(recorder.of(Event::deep_copy).empty());
  EXPECT_EQ(recorder.of(Event::region).size(), 1u);
  EXPECT_EQ(recorder.of(Event::region_end).size(), 1u);
  ASSERT_FALSE(recorder.of(Event::fence).empty());
  EXPECT_NE(recorder.of(Event::fence).back().instance, id);
  ASSERT_FALSE(recorder.of(Event::kernel).empty());
  EXPECT_EQ(recorder.of(Event::kernel).back().name, "mine");
  if (instances_have_numbers) {
    EXPECT_NE(recorder.of(Event::kernel).back().instance, id);
  }
}

template <class T>
class Instances : public PublicCalls<T> {
 public:
  using Call = typename PublicCalls<T>::Call;

  /// Its kernels are "acc::function" or, where they are steps of it, "acc::function: step".
  void expect_own_kernels(const Recorder& recorder, const Call& call) const {
    const auto kernels = recorder.of(Event::kernel);
    EXPECT_FALSE(kernels.empty()) << name(call) << " shows no kernel to tools";
    for (const Event& e : kernels) {
      EXPECT_EQ(e.instance, this->exec_.impl_instance_id()) << name(call) << ": " << e.name;
      EXPECT_TRUE(e.name == call.function || e.name.starts_with(call.function + ": "))
          << name(call) << ": " << e.name;
    }
    for (const Event& e : recorder.of(Event::region)) EXPECT_EQ(e.name, call.function);
    EXPECT_EQ(recorder.of(Event::region).size(), recorder.of(Event::region_end).size());
  }
  static void expect_none(const Recorder& recorder, Event::Kind kind, const std::string& what) {
    EXPECT_TRUE(recorder.of(kind).empty())
        << what << ": " << testing::PrintToString(recorder.of(kind));
  }
  static std::string name(const Call& call) {
    return call.function + (call.how.empty() ? "" : ", " + call.how);
  }
};
using InstanceTypes = testing::Types<float, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Instances, InstanceTypes);

TYPED_TEST(Instances, AreNotTheDefaultOne) {  // or the tests below would show nothing
  EXPECT_FALSE(this->exec_ == Exec{});
}

TYPED_TEST(Instances, ResultInAViewFencesNothing) {
  for (const auto& call : this->asynchronous()) {
    call.run();
    const Recorder recorder;
    call.run();
    this->expect_own_kernels(recorder, call);
    for (const auto kind : {Event::fence, Event::allocation, Event::deep_copy})
      this->expect_none(recorder, kind, this->name(call));
  }
}

TYPED_TEST(Instances, ResultOnTheHostFencesItsInstanceAlone) {
  auto calls = this->to_host();
  if constexpr (!is_complex<TypeParam>) {  // whose answer is an exception
    const auto exec = this->exec_;
    const auto a = this->matrix(this->a_), b = this->matrix(this->b_), c = this->matrix(this->c_);
    calls.push_back({"acc::ngemm", "check_sign", [=] {
                       acc::ngemm(exec, "N", "N", 1.0f, a, b, 0.0f, c, {.check_sign = true});
                     }});
  }
  for (const auto& call : this->by_index()) calls.push_back(call);
  for (const auto& call : this->counted()) calls.push_back(call);
  for (const auto& call : this->waiting_scattered()) calls.push_back(call);
  for (const auto& call : calls) {
    call.run();
    const Recorder recorder;
    call.run();
    this->expect_own_kernels(recorder, call);
    EXPECT_FALSE(recorder.of(Event::fence).empty()) << this->name(call);
    for (const Event& e : recorder.of(Event::fence))
      EXPECT_EQ(e.instance, this->exec_.impl_instance_id()) << this->name(call) << ": " << e.name;
    for (const auto kind : {Event::allocation, Event::deep_copy})
      this->expect_none(recorder, kind, this->name(call));
  }
}

TYPED_TEST(Instances, WhatTheFirstCallAllocatesIsLabelled) {
  auto calls = this->asynchronous();
  for (const auto& call : this->to_host()) calls.push_back(call);
  for (const auto& call : this->by_index()) calls.push_back(call);
  for (const auto& call : this->counted()) calls.push_back(call);
  for (const auto& call : this->waiting_scattered()) calls.push_back(call);
  const Recorder recorder;
  for (const auto& call : calls) call.run();
  EXPECT_FALSE(recorder.of(Event::allocation).empty());
  for (const Event& e : recorder.of(Event::allocation))  // Kokkos's own: scratch memory of teams
    EXPECT_TRUE(e.name.starts_with("acc::") || e.name.starts_with("Kokkos::")) << e.name;
}

TYPED_TEST(Instances, NothingIsAllocatedAfterTheFirstCall) {
  using T = TypeParam;
  const auto small = on_device(elements<T>(Data::wide, 1, 1));
  // The first call on this instance, whatever its size. (A host returns a short sum without
  // memory.)
  acc::sum(this->exec_, Kokkos::View<T, Exec>("sum"), small);
  (void)acc::sum(this->exec_, small, acc::exact{});  // and the first order-free one
  const Recorder recorder;
  for (const auto& call : this->to_view()) call.run();
  for (const auto& call : this->to_host()) call.run();
  for (const auto kind : {Event::allocation, Event::deep_copy})
    this->expect_none(recorder, kind, "all calls");
}

TYPED_TEST(Instances, ScansAllocateInTheFirstOfThem) {
  using T = TypeParam;
  const Kokkos::View<T*, Exec> small("small", 1);
  acc::prefix_sum(this->exec_, small, small);
  // Segments of more than a leaf need counters on a GPU, too.
  acc::segmented_sum(this->exec_, this->segment_sums_, this->x_, this->offsets_);
  // A GPU lists a sparse matrix's long rows, in memory for the largest matrix so far.
  acc::spmv(this->exec_, "N", T(2), this->sparse(), this->y_, T(0), this->segment_sums_);
  const Recorder recorder;
  for (const auto& call : this->to_vector()) call.run();
  for (const auto& call : this->to_slices()) call.run();
  this->expect_none(recorder, Event::allocation, "all calls");
}

TYPED_TEST(Instances, SumsByIndexAllocateForTheMostSums) {
  for (const auto& call : this->by_index()) call.run();
  const Recorder recorder;
  for (const auto& call : this->by_index()) call.run();
  for (const auto kind : {Event::allocation, Event::deep_copy})
    this->expect_none(recorder, kind, "all calls");
}

TYPED_TEST(Instances, ProductsAreOneKernel) {
  for (const auto& call : this->products()) {
    call.run();
    const Recorder recorder;
    for (int k = 0; k < 3; ++k) call.run();
    const auto kernels = recorder.of(Event::kernel);
    ASSERT_EQ(kernels.size(), 3u) << testing::PrintToString(kernels);
    for (const Event& e : kernels) EXPECT_EQ(e.name, call.function);
  }
}

using RealInstances = Instances<float>;  // acc::ngemm takes no complex matrices
TEST_F(RealInstances, RecursiveProductsAreOneRegion) {
  for (const auto& call : this->recursive_products()) {
    const Recorder recorder;
    call.run();
    EXPECT_EQ(recorder.of(Event::region).size(), 1u) << this->name(call);
  }
}

TYPED_TEST(Instances, ProductsInTheCallersWorkspaceAllocateNothing) {
  using T = TypeParam;
  const Exec exec = new_instance();
  const auto a = this->matrix(this->a_), b = this->matrix(this->b_), c = this->matrix(this->c_);
  const acc::selective<acc::seeded> method;
  const Kokkos::View<std::byte*, Exec> memory("memory",
                                              acc::gemm_workspace(exec, "N", "N", a, b, c, method));
  // What Kokkos needs for the first teams of an instance; of ours, less than the next would take.
  const Kokkos::View<T**, Kokkos::LayoutStride, Exec> one(a.data(),
                                                          Kokkos::LayoutStride(1, 1, 1, 1));
  // (By plain: small products of the default method have no teams on hosts.)
  acc::gemm(exec, "N", "N", T(1), one, one, T(0), Kokkos::View<T**, Exec>("C", 1, 1), acc::plain{});
  const Recorder recorder;
  acc::gemm(exec, "N", "N", T(1), a, b, T(0), c, method, memory);
  for (const auto kind : {Event::fence, Event::allocation})
    this->expect_none(recorder, kind, "acc::gemm");
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
