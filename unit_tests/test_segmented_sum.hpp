// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::segmented_sum: the bits of acc::sum over each segment, whatever the segments are, by every
// engine, for every layout and type of offsets.
#pragma once

#include "device.hpp"
#include "one_thread.hpp"
#include "segments.hpp"
#include "views.hpp"

#include <acc/segmented_sum.hpp>
#include <acc/sum.hpp>

namespace acc_test {
namespace {

template <class C>
class SegmentedSum : public testing::Test {
 public:
  using T = typename C::Scalar;
  using R = typename C::Real;
  using M = typename C::Method;

  /// acc::sum of every segment.
  static std::vector<std::string> sums(const Kokkos::View<T*, Exec>& x, const Offsets& offsets) {
    const auto& exec = one_thread();
    const auto v = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x);
    std::vector<std::string> r;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      r.push_back(bits(
          acc::sum(exec, Kokkos::subview(v, std::make_pair(offsets[i], offsets[i + 1])), M{})));
    return r;
  }
  template <class View>
  static void expect_same(const View& r, const std::vector<std::string>& want,
                          const std::string& what) {
    const auto got = to_host(r);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(bits(got[i]), want[i]) << what << ", segment " << i;
  }
  /// r, whose elements must be overwritten.
  static Kokkos::View<T*, Exec> results(const Offsets& offsets) {
    const Kokkos::View<T*, Exec> r("r", offsets.size() - 1);
    Kokkos::deep_copy(r, T(7));
    return r;
  }
  static void expect_sums(const std::vector<T>& x, const Offsets& offsets,
                          const std::string& what) {
    const auto d = on_device(x);
    const auto r = results(offsets);
    acc::segmented_sum(Exec{}, r, d, on_device(offsets), M{});
    expect_same(r, sums(d, offsets), what + ", " + std::to_string(r.extent(0)) + " segments");
  }
};
using SegmentCases =
    testing::Types<Case<acc::exact, double>, Case<acc::exact, float>,
                   Case<acc::exact, Kokkos::complex<double>>,
                   Case<acc::exact, Kokkos::complex<float>>, Case<acc::compensated, double>,
                   Case<acc::compensated, float>, Case<acc::compensated, Kokkos::complex<double>>,
                   Case<acc::compensated, Kokkos::complex<float>>>;
TYPED_TEST_SUITE(SegmentedSum, SegmentCases);

TYPED_TEST(SegmentedSum, HasTheBitsOfTheSumOfEachSegment) {
  using T = typename TypeParam::Scalar;
  for (const Data data :
       {Data::wide, Data::all_exponents, Data::massive_cancellation, Data::subnormal}) {
    for (const Offsets& offsets : some_segments<T>()) {
      const auto n = static_cast<std::size_t>(offsets.back());
      this->expect_sums(elements<T>(data, n, n), offsets, std::string(name(data)));
      this->expect_sums(elements<T>(data, n + 3000, n), offsets,
                        std::string(name(data)) + ", more");
    }
  }
}

/// Sums that overflow on the way, and infinities, in segments of every length.
TYPED_TEST(SegmentedSum, OverflowAndSpecialValuesAreTheSums) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  Random random(2);
  for (const Offsets& offsets : some_segments<T>()) {
    std::vector<T> x(static_cast<std::size_t>(offsets.back()));
    for (T& v : x) v = T(random.any_finite<R>());
    this->expect_sums(x, offsets, "any finite");
    for (T& v : x) v = T(random.below(2) == 0 ? R(-0.0) : R(-0.0));
    this->expect_sums(x, offsets, "-0");
    const R values[] = {Limits::max(),       -Limits::max(), Limits::infinity(),
                        Limits::quiet_NaN(), R(0),           Limits::denorm_min()};
    for (std::size_t i = 3; i < x.size(); i += 1 + random.below(300))
      x[i] = T(values[random.below(6)]);
    this->expect_sums(x, offsets, "special");
  }
}

/// Engines of other spaces, and blocks of other sizes, on this one.
TYPED_TEST(SegmentedSum, EveryEngineHasTheSameBits) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Exec exec;
  for (const Offsets& offsets : some_segments<T>()) {
    const auto n = static_cast<std::size_t>(offsets.back());
    const auto x = on_device(elements<T>(Data::all_exponents, n, n));
    const auto want = this->sums(x, offsets);
    const auto r = this->results(offsets);
    const auto o = on_device(offsets);
    const auto s = acc::impl::make_segments<M>(r, x, o);
    using One = typename std::decay_t<decltype(s)>::reduction;
    acc::backends::locked_workspace memory(exec);
    for (const std::int64_t blocks : {1, 2, 5, 1000}) {
      const std::string what = std::to_string(blocks) + " blocks, n = " + std::to_string(n);
      Kokkos::deep_copy(r, T(7));
      acc::backends::generic::launch_segments_by<acc::backends::generic::team_segments<One>>(
          exec, memory.get(), "acc::test", s, blocks);
      this->expect_same(r, want, "teams, " + what);
      if constexpr (acc::backends::runs_on_host<Exec>) {
        Kokkos::deep_copy(r, T(7));
        acc::backends::generic::launch_segments_by<acc::backends::host::thread_segments<One>>(
            exec, memory.get(), "acc::test", s, blocks);
        this->expect_same(r, want, "host, " + what);
      }
    }
  }
}

/// More pieces than one warp of a GPU combines, among short segments.
TYPED_TEST(SegmentedSum, OfManyPieces) {
  using T = typename TypeParam::Scalar;
  for (const Offsets& offsets : long_segments<T>()) {
    const auto n = static_cast<std::size_t>(offsets.back());
    this->expect_sums(elements<T>(Data::uniform, n, n), offsets, "uniform");
  }
}

TYPED_TEST(SegmentedSum, LayoutAlignmentAndIndexTypeChangeNoBits) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Exec exec;
  const auto l = static_cast<std::int64_t>(leaf<T>);
  const Offsets offsets = offsets_of({3, 0, l / 30, 2 * l + 1, l, 17, 1}, 1);
  const auto x = elements<T>(Data::wide, static_cast<std::size_t>(offsets.back()) + 5, 1);
  const auto dx = on_device(x);
  const auto want = this->sums(dx, offsets);
  const auto in_type = [&]<class Index>(Index) {
    return on_device(std::vector<Index>(offsets.begin(), offsets.end()));
  };
  const auto check = [&](const auto& v, const auto& o, const std::string& what) {
    const auto r = this->results(offsets);
    acc::segmented_sum(exec, r, v, o, M{});
    this->expect_same(r, want, what);
    const auto apart = strided(std::vector<T>(want.size()), 3);
    acc::segmented_sum(apart, v, o, M{});
    this->expect_same(apart, want, what + ", r strided");
  };
  const auto o = on_device(offsets);
  for (const std::size_t offset : {1, 2, 3}) check(shifted(x, offset), o, "misaligned");
  for (const std::size_t stride : {2, 5}) check(strided(x, stride), o, "strided");
  check(Kokkos::View<const T*, Exec>(dx), o, "const");
  check(Kokkos::View<const T*, Exec, Kokkos::MemoryUnmanaged>(dx.data(), dx.extent(0)), o,
        "unmanaged");
  check(dx, in_type(int{}), "int");
  check(dx, in_type(std::uint32_t{}), "unsigned");
  check(dx, in_type(std::size_t{}), "size_t");
  check(dx, Kokkos::View<const std::int64_t*, Exec>(o), "const offsets");
  const Kokkos::View<std::int64_t**, Kokkos::LayoutRight, Exec> matrix("offsets", offsets.size(),
                                                                       2);
  const auto column = Kokkos::subview(matrix, Kokkos::ALL, 1);
  Kokkos::deep_copy(column, o);
  check(dx, column, "strided offsets");
}

TYPED_TEST(SegmentedSum, OfNothingIsPositiveZero) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Kokkos::View<T*, Exec> r("r", 3);
  Kokkos::deep_copy(r, T(7));
  acc::segmented_sum(Exec{}, r, Kokkos::View<T*, Exec>(), on_device(Offsets{0, 0, 0, 0}), M{});
  this->expect_same(r, std::vector<std::string>(3, bits(T(0))), "no elements");
  acc::segmented_sum(Exec{}, Kokkos::View<T*, Exec>("r", 0), r, on_device(Offsets{2}), M{});
}

}  // namespace
}  // namespace acc_test
