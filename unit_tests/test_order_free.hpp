// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The methods exact and reproducible<K>: correct rounding against the oracle, and results that are
// those of the value types whatever the order, division, layout and execution space.
#pragma once

#include "hard_numbers.hpp"
#include "order_free_checks.hpp"

namespace acc_test {
namespace {

template <class T>
class OrderFree : public testing::Test {};
using OrderFreeScalars =
    testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(OrderFree, OrderFreeScalars);

/// Lengths around the seams of vector registers, blocks and chunks.
inline constexpr std::size_t some_lengths[] = {0, 1, 2, 3, 31, 65, 1000, 4097};

TYPED_TEST(OrderFree, IsCorrectlyRoundedOnEveryFamily) {
  using T = TypeParam;
  for (const Data data : all_data) {
    for (const std::size_t n : some_lengths) {
      const auto x = elements<T>(data, n, n + 1);
      expect_exact(x, elements<T>(Data::uniform, n, n + 2), std::string(name(data)));
      if (n == 1000) {
        expect_exact(x, x, std::string(name(data)) + " squared");
        expect_exact(x, elements<T>(Data::all_exponents, n, 5), std::string(name(data)) + " * any");
      }
    }
  }
}

TYPED_TEST(OrderFree, IsTheValueTypesSumOnEveryFamily) {
  using T = TypeParam;
  for (const Data data : all_data) {
    for (const std::size_t n : some_lengths) {
      const auto x = elements<T>(data, n == 65 ? 20011 : n, n + 3);
      expect_value_types(x, elements<T>(Data::wide, x.size(), n + 4), std::string(name(data)));
      if (n == 4097) expect_value_types(x, x, std::string(name(data)) + " squared");
    }
  }
}

/// Any exponents up to the largest: partial sums overflow, the sum need not.
TYPED_TEST(OrderFree, TakesAnyFiniteNumbers) {
  using T = TypeParam;
  using R = real_t<T>;
  Random random(17);
  for (const std::size_t n : {std::size_t(5), std::size_t(600), std::size_t(5000)}) {
    std::vector<T> x(n), y(n);
    for (auto* v : {&x, &y})
      for (T& e : *v) {
        if constexpr (is_complex<T>) {
          e = T(random.any_finite<R>(), random.any_finite<R>());
        } else {
          e = random.any_finite<R>();
        }
      }
    const std::size_t half = n / 2;
    for (std::size_t i = 0; i + 1 < half; ++i) x[half + i] = -x[i];
    shuffle(x, random);
    expect_exact(x, y, "any finite");
    expect_value_types(x, y, "any finite");
    // Huge numbers among ordinary ones: windows that come and go.
    for (std::size_t i = 0; i < n; ++i)
      if (i % 1111 != 7) x[i] = T(random.symmetric<R>());
    expect_exact(x, y, "spiked");
    expect_value_types(x, y, "spiked");
  }
}

/// Every way through the host's kernels, and lengths around the seams of steps and blocks.
TYPED_TEST(OrderFree, TakesHardFamilies) {
  using T = TypeParam;
  for (const Hard family : all_hard) {
    for (const std::size_t n : {31, 32, 33, 63, 64, 95, 96, 4095, 4096, 4097, 4128, 8193, 20000}) {
      const std::string what = "hard family " + std::to_string(static_cast<int>(family));
      const auto x = hard_elements<T>(family, n, n);
      const auto y = elements<T>(Data::uniform, n, n + 1);
      expect_value_types(x, y, what);
      if (n != 96 && n != 8193) continue;
      expect_value_types(x, x, what + " squared");
      expect_value_types(y, x, what + " as the second factor");
      for (const Hard other : {Hard::zeros, Hard::decades, Hard::any, Hard::infinite})
        expect_value_types(x, hard_elements<T>(other, n, n + 2), what + " with another");
      if (family != Hard::not_finite && family != Hard::infinite)
        expect_exact(x, hard_elements<T>(Hard::any, n, n + 3), what);
    }
  }
}

/// More numbers of equal exponents than integer bins by exponent take at once, kept from windows by
/// one of another size in each block.
TYPED_TEST(OrderFree, BinsByExponentAreEmptiedInTime) {
  using T = TypeParam;
  using R = real_t<T>;
  using Limits = std::numeric_limits<R>;
  const std::size_t n = (std::size_t(1) << 20) + 12345;
  const R most = std::nextafter(std::ldexp(R(1), Limits::max_exponent / 2), R(0));
  std::vector<T> x(n, T(most)), y(n, T(most));
  for (std::size_t i = 0; i < n; i += 1024) {
    x[i] = T(Limits::denorm_min());
    y[i] = T(std::ldexp(R(1), Limits::min_exponent / 2));
  }
  expect_value_type<acc::superaccumulator<T>>(x, y, acc::exact{}, "many of one exponent");
}

/// Numbers whose magnitude rises and falls by steps as they come.
TYPED_TEST(OrderFree, TakesDriftingNumbers) {
  using T = TypeParam;
  using R = real_t<T>;
  using Limits = std::numeric_limits<R>;
  auto x = elements<T>(Data::uniform, 30000, 1), y = elements<T>(Data::uniform, 30000, 2);
  const int range = Limits::max_exponent - Limits::min_exponent - 4;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int step = static_cast<int>(i * static_cast<std::size_t>(range) / x.size());
    x[i] *= std::ldexp(R(1), Limits::min_exponent + 2 + step);
    y[i] *= std::ldexp(R(1), (Limits::max_exponent - step) / 2);
  }
  expect_exact(x, y, "rising");
  expect_value_types(x, y, "rising");
  std::reverse(x.begin(), x.end());
  expect_exact(x, y, "falling");
  expect_value_types(x, y, "falling");
}

TYPED_TEST(OrderFree, IsCorrectlyRoundedOnIllConditionedData) {
  using T = TypeParam;
  using R = real_t<T>;
  const double top = sizeof(R) == 4 ? 1e14 : 1e32;
  for (double c = 1e4; c <= top * 1.01; c *= 1e4) {
    for (const std::size_t n : {std::size_t(500), std::size_t(6001)}) {
      const auto sum = ill_conditioned_sum<R>(n / 2, c, 1);
      const auto dot = ill_conditioned_dot<R>(sum.size(), c, 2);
      std::vector<T> s(sum.size()), x(sum.size()), y(sum.size());
      for (std::size_t i = 0; i < sum.size(); ++i) {
        if constexpr (is_complex<T>) {
          s[i] = T(sum[i], -sum[i]);
          x[i] = T(dot.x[i], dot.x[i]);
          y[i] = T(dot.y[i], dot.y[sum.size() - 1 - i]);
        } else {
          s[i] = sum[i];
          x[i] = dot.x[i];
          y[i] = dot.y[i];
        }
      }
      expect_exact(s, x, "ill-conditioned sum");
      expect_exact(x, y, "ill-conditioned dot");
    }
  }
}

TYPED_TEST(OrderFree, SpecialValuesAreThoseOfTheValueTypes) {
  using T = TypeParam;
  using R = real_t<T>;
  using Limits = std::numeric_limits<R>;
  const R inf = Limits::infinity(), nan = Limits::quiet_NaN(), tiny = Limits::denorm_min();
  for (const std::size_t n : {std::size_t(1), std::size_t(2), std::size_t(40), std::size_t(5000)}) {
    for (const R ground : {R(0), R(-0.0), R(1.5), tiny, -Limits::max()}) {
      for (const R other : {R(0), R(-0.0), tiny, -inf, inf, nan, -nan, Limits::max()}) {
        std::vector<T> x(n, T(ground)), y(n, T(R(-1)));
        x[n / 2] = T(other);
        expect_value_types(x, y, "special");
        if (n == 40) expect_value_types(x, std::vector<T>(n, T(tiny)), "special times tiny");
        if (n == 40) expect_value_types(x, std::vector<T>(n, T(R(0))), "special times 0");
        x[n - 1] = T(inf);
        expect_value_types(x, y, "special and infinity");
      }
    }
  }
}

TYPED_TEST(OrderFree, NoOrderOrLayoutChangesBits) {
  using T = TypeParam;
  Random random(3);
  for (const Data data : {Data::uniform, Data::wide, Data::massive_cancellation}) {
    const std::size_t n = 9999;
    auto x = elements<T>(data, n, 1);
    const auto results = [&](const auto& v) {
      const Exec e;
      return bits(acc::sum(e, v, acc::exact{})) + " " + bits(acc::asum(e, v, acc::exact{})) + " " +
             bits(acc::nrm2(e, v, acc::exact{})) + " " + bits(acc::dot(e, v, v, acc::exact{})) +
             " " + bits(acc::sum(e, v, acc::reproducible{})) + " " +
             bits(acc::asum(e, v, acc::reproducible{})) + " " +
             bits(acc::nrm2(e, v, acc::reproducible{})) + " " +
             bits(acc::dotu(e, v, v, acc::reproducible{}));
    };
    const std::string want = results(on_device(x));
    for (int i = 0; i < 3; ++i) {
      shuffle(x, random);
      EXPECT_EQ(results(on_device(x)), want) << name(data);
    }
    using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
    const Matrix matrix("matrix", n, 3);
    Kokkos::deep_copy(matrix, T(std::numeric_limits<real_t<T>>::quiet_NaN()));
    const auto column = Kokkos::subview(matrix, Kokkos::ALL, 1);
    const auto mirror = Kokkos::create_mirror_view(matrix);
    Kokkos::deep_copy(mirror, matrix);
    for (std::size_t i = 0; i < n; ++i) mirror(i, 1) = x[i];
    Kokkos::deep_copy(matrix, mirror);
    EXPECT_EQ(results(column), want) << "strided";
    std::vector<T> buffer(n + 8, T(std::numeric_limits<real_t<T>>::quiet_NaN()));
    for (const std::size_t offset : {1, 3}) {
      std::copy(x.begin(), x.end(), buffer.begin() + static_cast<std::ptrdiff_t>(offset));
      const auto d = on_device(buffer);
      const auto v = Kokkos::subview(d, std::make_pair(offset, offset + n));
      EXPECT_EQ(results(Kokkos::View<const T*, Exec>(v)), want) << "at " << offset;
    }
  }
}

/// N 2^(-40 (K - 1)) max |x_i| + u |S|, and twice the first term for products; of each part of a
/// complex result.
TYPED_TEST(OrderFree, ReproducibleKeepsItsBound) {
  using T = TypeParam;
  using R = real_t<T>;
  const auto check = [](R got, const Exact& exact, std::size_t n, int bins, R max, double factor,
                        const std::string& what) {
    const double unit = std::ldexp(1.0, -40 * (bins - 1));
    const Exact bound = Exact(factor * 1.001 * static_cast<double>(n)) * Exact(unit) * Exact(max) +
                        Exact(std::numeric_limits<R>::epsilon() / 2) * abs(exact) +
                        Exact(static_cast<double>(n)) * Exact(std::numeric_limits<R>::denorm_min());
    EXPECT_LE(abs(Exact(got) - exact), bound) << what << ", n = " << n << ", K = " << bins;
  };
  for (const Data data : all_data) {
    for (const std::size_t n : {std::size_t(3), std::size_t(1000), std::size_t(20011)}) {
      const auto x = elements<T>(data, n, n), y = elements<T>(Data::uniform, n, n + 1);
      const auto dx = on_device(x), dy = on_device(y);
      const std::string what(name(data));
      const auto check_all = [&]<int K>(acc::reproducible<K> method) {
        const auto sum = parts(acc::sum(Exec{}, dx, method));
        const auto dot = parts(acc::dot(Exec{}, dx, dy, method));
        const auto products = dots(x, y, true);
        for (std::size_t k = 0; k < sum.size(); ++k) {
          R max = 0, max_product = 0;
          const auto v = part(x, k);
          for (const R e : v) max = std::max(max, std::abs(e));
          check(sum[k], exact_sum<R>(v), n, K, max, 1, "sum, " + what);
          const auto& [a, b] = products[k];
          for (std::size_t i = 0; i < a.size(); ++i)
            max_product = std::max(max_product, std::abs(a[i] * b[i]));
          check(dot[k], exact_dot<R>(a, b), a.size(), K, max_product, 2, "dot, " + what);
        }
      };
      check_all(acc::reproducible<2>{});
      check_all(acc::reproducible<3>{});
    }
  }
}

TEST(OrderFreeMethods, SumsThatEveryOtherMethodGetsWrong) {
  // What cancels is up to 10^300 times what remains, at more scales than a fold has terms.
  std::vector<double> x{1.0};
  for (int e = 100; e <= 1000; e += 50) {
    x.push_back(std::ldexp(1.0, e));
    x.push_back(-std::ldexp(1.0, e));
  }
  Random random(1);
  shuffle(x, random);
  EXPECT_EQ(acc::sum(Exec{}, on_device(x), acc::exact{}), 1.0);
  EXPECT_NE(acc::sum(Exec{}, on_device(x), acc::compensated{}), 1.0);
}

TEST(OrderFreeMethods, TakesHalfPrecision) {
  using half = Kokkos::Experimental::half_t;
  if constexpr (!std::is_same_v<half, float>) {
    std::vector<half> x, y;
    std::vector<float> fx, fy;
    for (int i = 0; i < 5000; ++i) {
      x.push_back(half(float(i % 97) / 64 - 0.5f));
      y.push_back(half(float(i % 89) / 128));
      fx.push_back(float(x.back()));
      fy.push_back(float(y.back()));
    }
    const auto dx = on_device(x), dy = on_device(y);
    EXPECT_EQ(bits(acc::sum(Exec{}, dx, acc::exact{})),
              bits(acc::sum(Exec{}, on_device(fx), acc::exact{})));
    EXPECT_EQ(bits(acc::dot(Exec{}, dx, dy, acc::reproducible{})),
              bits(acc::dot(Exec{}, on_device(fx), on_device(fy), acc::reproducible{})));
  } else {
    GTEST_SKIP() << "this Kokkos has no half precision: its half_t is float";
  }
}

TEST(OrderFreeMethods, ResultsInViewsAndRejections) {
  const Kokkos::View<double*, Exec> x("x", 10), none(static_cast<double*>(nullptr), 5);
  Kokkos::deep_copy(x, 0.5);
  const Kokkos::View<double, Exec> r("r");
  acc::sum(r, x, acc::exact{});
  EXPECT_EQ(on_host(r), 5);
  acc::dot(r, x, x, acc::reproducible<4>{});
  EXPECT_EQ(on_host(r), 2.5);
  acc::nrm2(r, x, acc::exact{});
  EXPECT_EQ(on_host(r), std::sqrt(2.5));
  const Kokkos::View<acc::superaccumulator<double>, Exec> sum("sum");
  acc::accumulate(sum, x);
  acc::accumulate_dot(sum, x, x);
  EXPECT_EQ(on_host(sum).value(), 7.5);
  EXPECT_THROW(acc::sum(none, acc::exact{}), std::invalid_argument);
  EXPECT_THROW(acc::accumulate(sum, none), std::invalid_argument);
  EXPECT_THROW(acc::accumulate_dot(sum, x, Kokkos::subview(x, std::make_pair(0, 3))),
               std::invalid_argument);
}

}  // namespace
}  // namespace acc_test
