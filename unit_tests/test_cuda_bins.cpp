// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bins that the CUDA machine's threads keep of a reproducible sum, on a host (host_warp.hpp).
// So which path a term takes, how the window moves and how bins are added up is checked without a
// GPU, against the sum of the value types.

#include "order_free.hpp"

#include <acc/core/order/order_free.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "host_warp.hpp"

#include <acc/backends/cuda/sums/binned_registers.hpp>

namespace acc_test {
namespace {

namespace cuda = acc::backends::cuda;
namespace core = acc::impl;

template <class Terms, int Bins>
struct Case {
  using Reduction = core::order_free_reduction<Terms, acc::reproducible<Bins>, double, 1,
                                               core::merge_into, acc::binned<double, Bins>>;
  using Total = typename Reduction::accumulator;
};

template <class C>
class CudaBins : public testing::Test {
 public:
  using Reduction = typename C::Reduction;
  using Total = typename C::Total;
  using Registers = cuda::binned_registers<Reduction>;
  static constexpr bool is_dot = Reduction::terms::inputs == 2;
  static constexpr int bins = Total::bins, terms = 4;

  struct Team {
    typename Registers::memory memory{};
    std::int64_t digit[Registers::digits + 2] = {};
    unsigned kinds = 0, top = 0;
  };

  /// One warp's terms: lane by lane and batch by batch.
  static void run_warp(Team& team, const std::vector<double>& x, const std::vector<double>& y) {
    const auto lane = [&](std::size_t thread) {
      Registers b(team.memory, nullptr, 1 << 20, 0);  // clears no memory: it is 0
      const std::size_t step = lanes * terms;
      for (std::size_t begin = 0; begin < x.size(); begin += step) {
        typename Registers::template batch<terms> batch;
        unsigned present = 0;
        for (std::size_t k = 0; k < terms; ++k) {
          const std::size_t i = begin + k * lanes + thread;
          batch.t[k].x = i < x.size() ? x[i] : 0;
          batch.t[k].y = i >= x.size() ? 0 : is_dot ? y[i] : x[i];
          present |= unsigned(i < x.size()) << k;
        }
        b.add(batch, present);
      }
      team.kinds |= b.kinds().bits;
      b.finish_thread(team.memory, &team.top, int(thread));
    };
    run_as_warp(lane);
  }

  /// As order_free_kernel does it.
  static Total total_of(Team& team) {
    for (int thread = 0; thread < Registers::threads; ++thread) {
      Registers::for_each_bin(team.memory, nullptr, thread, [&](int, int bin, auto low, auto high) {
        const int bit = Registers::bit_of(bin, int(team.top));
        if (bit >= Registers::lowest_bit) cuda::add_to_digits(team.digit, bit, low, high);
      });
    }
    Total total;
    Registers::add_digits(total, team.digit, int(team.top));
    total.add_kinds({team.kinds});
    return total;
  }

  /// Two warps have the halves of the vectors.
  static void expect_core(const std::vector<double>& x, const std::vector<double>& y,
                          const std::string& what) {
    const auto team = std::make_unique<Team>();
    const auto half = std::ptrdiff_t(x.size() / 2);
    run_warp(*team, {x.begin(), x.begin() + half}, {y.begin(), y.begin() + half});
    run_warp(*team, {x.begin() + half, x.end()}, {y.begin() + half, y.end()});
    Total want;
    for (std::size_t i = 0; i < x.size(); ++i) want.add_product(x[i], is_dot ? y[i] : x[i]);
    const Total got = total_of(*team);
    using Wire = std::array<std::int64_t, Total::wire_words>;
    Wire got_wire, want_wire;
    got.to_wire(got_wire.data());
    want.to_wire(want_wire.data());
    EXPECT_EQ(got_wire, want_wire) << what << ", n = " << x.size();
  }
};

using CudaBinsCases = testing::Types<Case<core::square_terms, 2>, Case<core::square_terms, 3>,
                                     Case<core::square_terms, 8>, Case<core::product_terms, 3>>;
TYPED_TEST_SUITE(CudaBins, CudaBinsCases);

TYPED_TEST(CudaBins, AreTheSumsBinsAtEveryScale) {
  Random random(40);
  for (int e = -1074; e < 1023; e += 17) {
    for (const int spread : {20, 300}) {
      std::vector<double> x(150), y(150);
      for (auto* v : {&x, &y})
        for (double& a : *v)
          a = std::ldexp(random.symmetric<double>(),
                         random.integer(std::max(-1074, e - spread), e));
      this->expect_core(x, y, "to 2^" + std::to_string(e));
      if (e % 5 != 0) continue;
      x[random.below(x.size())] = 0;
      std::fill(x.begin(), x.begin() + long(random.below(x.size())), -0.0);
      this->expect_core(x, y, "and zeros to 2^" + std::to_string(e));
    }
  }
}

/// Windows rise, by little and by much, from and to every scale.
TYPED_TEST(CudaBins, AreTheSumsBinsWhereScalesMeet) {
  Random random(41);
  for (int k = 0; k < 60; ++k) {
    std::vector<double> x, y;
    std::vector<int> scales(4);
    for (int& e : scales) e = random.integer(-1074, 1023);
    if (k % 3 != 0) std::sort(scales.begin(), scales.end());
    if (k % 3 == 2) scales = {-600, -540, random.integer(-540, -400), random.integer(-480, -340)};
    for (const int e : scales) {
      for (int i = 0; i < 200; ++i) {
        x.push_back(
            std::ldexp(random.symmetric<double>(), std::max(-1074, e - random.integer(0, 9))));
        y.push_back(std::ldexp(random.symmetric<double>(), random.integer(-400, 400)));
      }
    }
    if (k % 7 == 0) x[random.below(x.size())] = std::numeric_limits<double>::infinity();
    if (k % 11 == 0) x[random.below(x.size())] = std::numeric_limits<double>::quiet_NaN();
    this->expect_core(x, y, "case " + std::to_string(k));
  }
}

TYPED_TEST(CudaBins, RoundSquaresThatUnderflowOnce) {
  const auto x = squares_above_ties(this->bins, 500);
  this->expect_core(x, x, "above ties");
}

TYPED_TEST(CudaBins, OfZerosAndOfNothing) {
  this->expect_core({}, {}, "nothing");
  for (const double zero : {0.0, -0.0}) {
    std::vector<double> x(300, zero), y(300, 1);
    this->expect_core(x, y, "zeros");
    x[299] = std::numeric_limits<double>::denorm_min();
    this->expect_core(x, y, "zeros and the smallest number");
  }
}

}  // namespace
}  // namespace acc_test
