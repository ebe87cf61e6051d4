// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA machine's kernel of prefix sums, on a host (host_warp.hpp), with tiles of one warp:
// which nodes a tile publishes and reads, where its elements go, and what a launch leaves to the
// next one, against acc::prefix_sum. Tiles run one after the other, in their order.

#include "host_warp.hpp"

namespace {
[[maybe_unused]] unsigned atomicAdd(unsigned* to, unsigned x) {
  const unsigned before = *to;
  *to += x;
  return before;
}
[[maybe_unused]] int __ffs(unsigned x) { return x == 0 ? 0 : std::countr_zero(x) + 1; }
[[maybe_unused]] int __clz(unsigned x) { return std::countl_zero(x); }
}  // namespace

#include "device.hpp"
#include "views.hpp"

#include <acc/backends/cuda/sums/look_back.hpp>
#include <acc/prefix_sum.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace acc_test {
namespace {

namespace cuda = acc::backends::cuda;

/// acc::prefix_sum needs Kokkos, which tests of numbers do not start.
struct Start : testing::Environment {
  void SetUp() override { Kokkos::initialize(); }
  void TearDown() override { Kokkos::finalize(); }
};
[[maybe_unused]] testing::Environment* const start = testing::AddGlobalTestEnvironment(new Start);

/// A team of one warp.
struct HostTeam {
  void* memory;
  int league;

  const HostTeam& team_scratch(int) const { return *this; }
  void* get_shmem_aligned(std::size_t, int) const { return memory; }
  int team_rank() const { return int(warp.lane); }
  int league_size() const { return league; }
  void team_barrier() const { __syncwarp(); }
};

constexpr acc::backends::cuda::tuning::scan_shape shape_of(int groups) {
  return {.threads = 32, .groups_per_thread = groups, .teams_per_sm = 1};
}

template <class C>
class CudaScan : public testing::Test {
 public:
  using T = typename C::Scalar;
  using R = typename C::Real;
  using M = typename C::Method;
  static constexpr bool is_exact = std::is_same_v<M, acc::exact>;

  /// Memory as a workspace keeps it from launch to launch.
  std::vector<std::uint64_t> memory = std::vector<std::uint64_t>(1 << 20);
  cuda::look_back_state state{};

  template <int Groups, class S>
  void run(const S& s) {
    using kernel = cuda::look_back_scan<S, shape_of(Groups), HostCopies>;
    using published = cuda::published_node<typename S::node>;
    const auto tiles = kernel::tiles(s);
    auto* const prefixes =
        reinterpret_cast<published*>((std::uintptr_t(memory.data()) + 63) / 64 * 64);
    auto* const totals = prefixes + tiles / 1024 + 1;
    ASSERT_LE(reinterpret_cast<std::uint64_t*>(totals + tiles + tiles / 16 + 1),
              memory.data() + memory.size());
    const kernel k{s, &state, prefixes, totals};
    std::vector<std::uint64_t> scratch(sizeof(typename kernel::team_memory) / 8 + 3, ~0ull);
    void* const shared = reinterpret_cast<void*>((std::uintptr_t(scratch.data()) + 15) / 16 * 16);
    for (std::int64_t t = 0; t < tiles; ++t)
      run_as_warp([&](std::size_t) { k(HostTeam{shared, int(tiles)}); });
  }

  template <int Groups, class View>
  void expect_bits(const View& x, const std::string& what, bool exclusive) {
    HostCopies::late = !HostCopies::late;
    const std::size_t n = x.extent(0);
    const Kokkos::View<T*, Exec> r("r", n), want("want", n);
    if (exclusive)
      acc::exclusive_prefix_sum(Exec{}, want, x, M{});
    else
      acc::prefix_sum(Exec{}, want, x, M{});
    const auto s = acc::impl::make_prefix_sum<M>(r, x, exclusive);
    using S = std::decay_t<decltype(s)>;
    const std::uint64_t launches = state.launches;
    bool done = true;
    if constexpr (is_exact) {
      acc::impl::element_span span;
      for (std::size_t i = 0; i < n; ++i)
        for (const R p : parts(x(i))) span.add(p);
      state.span = span;
      done = span.fits(n);
      run<Groups>(acc::impl::windowed_scan<typename S::element, S::components>{s, {}});
    } else {
      run<Groups>(s);
    }
    EXPECT_EQ(state.launches, launches + 1) << what;
    EXPECT_EQ(state.taken, 0u) << what;
    EXPECT_EQ(state.ended, 0u) << what;
    EXPECT_EQ(state.span.top, 0u) << what;
    EXPECT_EQ(state.is_done, done ? 1u : 0u) << what;
    for (std::size_t i = 0; done && i < n; ++i)
      ASSERT_EQ(bits(r(i)), bits(want(i)))
          << what << ", n = " << n << ", prefix " << i << ", " << Groups << " groups per thread";
  }
  template <class View>
  void expect_bits(const View& x, const std::string& what) {
    for (const bool exclusive : {false, true}) {
      expect_bits<1>(x, what, exclusive);
      if constexpr (sizeof(T) <= 8) expect_bits<2>(x, what, exclusive);
    }
  }
};
using CudaScanCases =
    testing::Types<Case<acc::exact, double>, Case<acc::exact, float>,
                   Case<acc::exact, Kokkos::complex<double>>,
                   Case<acc::exact, Kokkos::complex<float>>, Case<acc::compensated, double>,
                   Case<acc::compensated, float>, Case<acc::compensated, Kokkos::complex<double>>,
                   Case<acc::compensated, Kokkos::complex<float>>>;
TYPED_TEST_SUITE(CudaScan, CudaScanCases);

/// Lengths around the seams of groups, warps and tiles, and tiles of two rows.
TYPED_TEST(CudaScan, HasTheBitsOfOtherMachines) {
  using T = typename TypeParam::Scalar;
  for (const std::size_t n : {1, 15, 17, 511, 512, 513, 1023, 1024, 1025, 1041, 5000, 40001}) {
    for (const Data data : {Data::uniform, Data::massive_cancellation, Data::near_overflow})
      this->expect_bits(on_device(elements<T>(data, n, n)), std::string(name(data)));
    this->expect_bits(strided(elements<T>(Data::uniform, n, n), 3), "strided");
  }
}

/// Enough tiles for three levels of blocks, and a prefix that is published.
TYPED_TEST(CudaScan, OfManyTilesHasTheBits) {
  using T = typename TypeParam::Scalar;
  this->expect_bits(on_device(elements<T>(Data::uniform, 1'080'007, 4)), "many tiles");
}

TYPED_TEST(CudaScan, LeavesSpecialValuesToTheirPlaces) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  auto x = elements<T>(Data::uniform, 3000, 8);
  x[2100] = T(std::numeric_limits<R>::infinity());
  this->expect_bits(on_device(x), "infinity");
  for (T& v : x) v = T(std::numeric_limits<R>::max() / 4);
  this->expect_bits(on_device(x), "overflow");
}

}  // namespace
}  // namespace acc_test
