// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA machine's kernel of segmented sums, on a host (host_warp.hpp): which warp sums what, how
// loads, leaves and pieces meet, and how exact sums use their bins, against acc::sum. The order in
// which warps run is another each time.

#include "host_warp.hpp"

#include "device.hpp"
#include "segments.hpp"
#include "views.hpp"

#include <acc/backends/cuda/segments.hpp>
#include <acc/impl/segments.hpp>
#include <acc/sum.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

namespace cuda = acc::backends::cuda;

/// The workspace and acc::sum need Kokkos, which tests of numbers do not start.
struct Start : testing::Environment {
  void SetUp() override { Kokkos::initialize(); }
  void TearDown() override { Kokkos::finalize(); }
};
[[maybe_unused]] testing::Environment* const start = testing::AddGlobalTestEnvironment(new Start);

template <class C>
class CudaSegments : public testing::Test {
 public:
  using T = typename C::Scalar;
  using M = typename C::Method;
  using Vector = Kokkos::View<T*, Exec>;

  template <class View>
  static std::vector<std::string> sums(const View& x, const Offsets& offsets) {
    std::vector<std::string> r;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      r.push_back(bits(
          acc::sum(Exec{}, Kokkos::subview(x, std::make_pair(offsets[i], offsets[i + 1])), M{})));
    return r;
  }

  template <class View>
  void expect_sums(const View& x, const Offsets& offsets, bool has_short_ones,
                   std::int64_t max_tiles, std::int64_t warps, const std::string& what) {
    HostCopies::late = !HostCopies::late;
    const Vector r("r", offsets.size() - 1);
    Kokkos::deep_copy(r, T(7));
    const auto o = on_device(offsets);
    const auto s = acc::impl::make_segments<M>(r, x, o);
    if (s.count == 0) return;
    const auto want = sums(x, offsets);  // before the workspace is locked
    acc::backends::locked_workspace memory(Exec{});
    const auto k =
        cuda::segment_warps_of<HostCopies>(memory.get(), s, has_short_ones, max_tiles, warps);
    using kernel = std::decay_t<decltype(k)>;
    if (!has_short_ones)
      for (std::int64_t i = 0; i < s.count; ++i)
        acc::backends::generic::short_segments<std::decay_t<decltype(s)>>{s}(i);
    std::vector<std::int64_t> order(static_cast<std::size_t>(k.tiles.count + k.groups));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    std::shuffle(order.begin(), order.end(), random_);
    const auto shared = std::make_unique<typename kernel::memory>();
    std::memset(static_cast<void*>(shared.get()), 0x5a, sizeof(*shared));
    for (const std::int64_t warp : order)
      run_as_warp([&](std::size_t lane) { k.run(*shared, warp, int(lane)); });
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(bits(r(i)), want[i]) << what << ", segment " << i << ", " << max_tiles << " tiles, "
                                     << warps << " warps, short ones " << has_short_ones;
    for (std::size_t i = 0; i < acc::backends::arrival_words; ++i)
      ASSERT_EQ(memory.get().arrivals()[i], 0u) << what << ": counter " << i;
  }

  std::mt19937 random_{5};
};
using CudaSegmentCases =
    testing::Types<Case<acc::exact, double>, Case<acc::exact, float>,
                   Case<acc::exact, Kokkos::complex<double>>, Case<acc::compensated, double>,
                   Case<acc::compensated, float>, Case<acc::compensated, Kokkos::complex<float>>>;
TYPED_TEST_SUITE(CudaSegments, CudaSegmentCases);

TYPED_TEST(CudaSegments, HaveTheBitsOfTheSumOfEachSegment) {
  using T = typename TypeParam::Scalar;
  int turn = 0;
  for (const Offsets& offsets : some_segments<T>()) {
    const auto n = static_cast<std::size_t>(offsets.back());
    for (const Data data : {Data::wide, Data::all_exponents, Data::massive_cancellation}) {
      const auto x = on_device(elements<T>(data, n, n));
      const std::string what = std::string(name(data)) + ", n = " + std::to_string(n);
      const bool has_short_ones = ++turn % 2 == 0;
      const std::int64_t max_tiles = turn % 5 == 0 ? 2 : 1 << 20;
      const std::int64_t warps = turn % 3 == 0 ? 1 : turn % 3 == 1 ? 1 << 20 : 20;
      this->expect_sums(x, offsets, has_short_ones, max_tiles, warps, what);
    }
  }
}

TYPED_TEST(CudaSegments, OverflowAndSpecialValuesAreTheSums) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  Random random(2);
  int turn = 0;
  for (const Offsets& offsets : some_segments<T>()) {
    std::vector<T> x(static_cast<std::size_t>(offsets.back()));
    const auto expect = [&](const std::string& what) {
      ++turn;
      this->expect_sums(on_device(x), offsets, turn % 2 == 0, 1 << 20, turn % 3 == 0 ? 1 : 30,
                        what);
    };
    for (T& v : x) v = T(random.any_finite<R>());
    expect("any finite");
    for (T& v : x) v = T(R(-0.0));
    expect("-0");
    const R values[] = {Limits::max(),       -Limits::max(), Limits::infinity(),
                        Limits::quiet_NaN(), R(0),           Limits::denorm_min()};
    for (std::size_t i = 3; i < x.size(); i += 1 + random.below(300))
      x[i] = T(values[random.below(6)]);
    expect("special");
  }
}

TYPED_TEST(CudaSegments, LayoutAndAlignmentChangeNoBits) {
  using T = typename TypeParam::Scalar;
  const auto l = static_cast<std::int64_t>(leaf<T>);
  const Offsets offsets = offsets_of({3, 0, l / 30, 2 * l + 1, l, 17, 1, l / 7, l - 1}, 1);
  const auto x = elements<T>(Data::wide, static_cast<std::size_t>(offsets.back()) + 5, 1);
  for (const bool has_short_ones : {false, true}) {
    for (const std::size_t offset : {1, 2, 3})
      this->expect_sums(shifted(x, offset), offsets, has_short_ones, 1 << 20, 4, "misaligned");
    for (const std::size_t stride : {2, 5})
      this->expect_sums(strided(x, stride), offsets, has_short_ones, 1 << 20, 4, "strided");
  }
}

/// Groups of pieces, and a carry of a thread's bins.
TYPED_TEST(CudaSegments, OfManyPieces) {
  using T = typename TypeParam::Scalar;
  for (const Offsets& offsets : long_segments<T>()) {
    const auto n = static_cast<std::size_t>(offsets.back());
    const auto x = on_device(elements<T>(Data::uniform, n, n));
    for (const std::int64_t max_tiles : {1, 3, 1 << 20})
      this->expect_sums(x, offsets, true, max_tiles, 4, "uniform");
  }
}

}  // namespace
}  // namespace acc_test
