// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bins that the CUDA machine's threads keep of a reproducible sum, and of exact sums of their
// own, on a host (host_warp.hpp). So which path a term takes, how the window moves and how bins are
// added up is checked without a GPU, against the sum of the value types.

#include "hard_numbers.hpp"
#include "order_free.hpp"

#include <acc/core/order/order_free.hpp>
#include <acc/core/superaccumulator.hpp>

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
#include <acc/backends/cuda/sums/exact_bins.hpp>

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

/// Exact sums of the threads' own (neighbor_sums.hpp): each has other numbers, in two warps.
template <class Terms, class T>
struct ExactCase {
  using Number = T;
  using Reduction = core::order_free_reduction<Terms, acc::exact, T, 1, core::merge_into,
                                               acc::superaccumulator<T>>;
  static constexpr bool is_sum = std::is_same_v<Terms, core::sum_terms<1>>;
  static constexpr bool is_dot = Terms::inputs == 2;
};

template <class C>
class CudaExactBins : public testing::Test {
 public:
  using T = typename C::Number;
  using Bins = cuda::exact_bins<typename C::Reduction, cuda::warp_size>;
  static constexpr int terms = 4;
  struct Team {
    typename Bins::memory memory{};
    std::int64_t digit[lanes][Bins::digits + 2] = {};
    unsigned kinds[lanes] = {};
  };
  using Vectors = std::array<std::vector<T>, lanes>;

  static void run_warp(Team& team, int warp, const Vectors& x, const Vectors& y, std::size_t begin,
                       std::size_t end) {
    run_as_warp([&](std::size_t lane) {
      const int thread = warp * int(lanes) + int(lane);
      Bins b(team.memory, team.digit[lane], thread, 0);
      for (std::size_t i = begin; i < end; i += terms) {
        typename Bins::template batch<terms> batch;
        unsigned present = 0;
        for (std::size_t k = 0; k < terms; ++k) {
          const bool here = i + k < end;
          batch.t[k].x = here ? x[lane][i + k] : T(0);
          batch.t[k].y = here ? (C::is_dot ? y : x)[lane][i + k] : T(0);
          present |= unsigned(here) << k;
        }
        b.add(batch, present);
      }
      team.kinds[lane] |= b.kinds().bits;
      b.finish_thread(team.memory, nullptr, int(lane));
    });
  }
  static bool saw_special(const std::vector<T>& x, const std::vector<T>& y) {
    const auto special = [](T a) { return !std::isfinite(a); };
    return std::any_of(x.begin(), x.end(), special) || std::any_of(y.begin(), y.end(), special);
  }
  static void expect_sums(const Vectors& x, const Vectors& y, const std::string& what) {
    const auto team = std::make_unique<Team>();
    const std::size_t n = x[0].size(), half = n / 2;
    run_warp(*team, 0, x, y, 0, half);
    run_warp(*team, 1, x, y, half, n);
    run_as_warp([&](std::size_t lane) {
      for (int warp = 0; warp < Bins::threads / int(lanes); ++warp)
        Bins::for_each_thread_bin(team->memory, warp * int(lanes) + int(lane),
                                  [&](int part, int bin, auto low, auto high) {
                                    cuda::add_to_digits(team->digit[part], Bins::bit_of(bin, 0),
                                                        low, high);
                                  });
    });
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      acc::superaccumulator<T> want, got;
      for (std::size_t i = 0; i < n; ++i) {
        if constexpr (C::is_sum)
          want.add(x[lane][i]);
        else
          want.add_product(x[lane][i], (C::is_dot ? y : x)[lane][i]);
      }
      Bins::add_digits(got, team->digit[lane], 0);
      got.add_kinds({team->kinds[lane]});
      ASSERT_EQ(bits(got.value()), bits(want.value())) << what << ", lane " << lane;
      // All digits, not the rounded value alone. Kinds of elements are noted until they are
      // settled.
      if (saw_special(x[lane], y[lane])) continue;
      using Wire = std::array<std::int64_t, acc::superaccumulator<T>::wire_words>;
      constexpr auto digits = 2 + acc::element_kinds::count;
      Wire of_got, of_want;
      got.to_wire(of_got.data());
      want.to_wire(of_want.data());
      ASSERT_TRUE(std::equal(of_got.begin() + digits, of_got.end(), of_want.begin() + digits))
          << what << ", lane " << lane;
    }
  }
};
using CudaExactCases =
    testing::Types<ExactCase<core::sum_terms<1>, float>, ExactCase<core::sum_terms<1>, double>,
                   ExactCase<core::product_terms, float>, ExactCase<core::product_terms, double>,
                   ExactCase<core::square_terms, double>>;
TYPED_TEST_SUITE(CudaExactBins, CudaExactCases);

TYPED_TEST(CudaExactBins, AreTheSumsOfEachThread) {
  using T = typename TypeParam::Number;
  Random random(42);
  typename TestFixture::Vectors x, y;
  // Each thread has another family, or some have ordinary numbers; then two of a thread's meet.
  for (const std::size_t n : {0, 1, 3, 40, 501})
    for (int mix = 0; mix < 6; ++mix) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        x[lane].resize(n);
        y[lane].resize(n);
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t pick = mix == 5 ? random.below(std::size(all_hard))
                                            : (lane + std::size_t(mix) * 3) % std::size(all_hard);
          const Hard family = mix < 3 || lane % 4 != 0 ? all_hard[pick] : Hard::plus_zeros;
          x[lane][i] = hard<T>(family, i, n, random);
          y[lane][i] = hard<T>(mix == 1 ? Hard::any : family, i, n, random);
        }
      }
      // -0 up to a +0 at the end.
      for (std::size_t i = 0; i < n; ++i) x[7][i] = i + 1 == n ? T(0) : T(-0.0);
      std::fill(y[7].begin(), y[7].end(), T(1));
      this->expect_sums(x, y, "n = " + std::to_string(n) + ", mix " + std::to_string(mix));
    }
}

/// Zeros among ordinary products are added as those are; not where they meet an infinity.
TYPED_TEST(CudaExactBins, OfZerosAndInfinities) {
  using T = typename TypeParam::Number;
  Random random(44);
  typename TestFixture::Vectors x, y;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    x[lane].assign(400, T(1));
    y[lane].assign(400, T(3));
    for (std::size_t i = 8; i < 400; ++i)
      if (random.below(2) != 0) x[lane][i] = T(random.below(2) != 0 ? 0.0 : -0.0);
  }
  this->expect_sums(x, y, "zeros");
  x[3][390] = 0;
  y[3][390] = std::numeric_limits<T>::infinity();
  this->expect_sums(x, y, "zero times infinity");
}

/// Threads whose numbers are huge, tiny and ordinary, in turn and among each other.
TYPED_TEST(CudaExactBins, OfScalesThatChange) {
  using T = typename TypeParam::Number;
  constexpr int most = std::numeric_limits<T>::max_exponent - 1;
  Random random(43);
  typename TestFixture::Vectors x, y;
  for (int mix = 0; mix < 4; ++mix) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      x[lane].clear();
      y[lane].clear();
      for (int i = 0; i < 600; ++i) {
        const int turn = mix == 0 ? int(lane) % 3 : mix == 1 ? i / 100 % 3 : int(random.below(3));
        const int e = mix == 3 && lane % 5 != 0 ? 0 : (turn - 1) * most;
        x[lane].push_back(std::ldexp(random.symmetric<T>(), e - (e > 0 ? 1 : 0)));
        y[lane].push_back(std::ldexp(random.symmetric<T>(), turn == 1 ? 0 : e / 8));
      }
    }
    this->expect_sums(x, y, "mix " + std::to_string(mix));
  }
}

}  // namespace
}  // namespace acc_test
