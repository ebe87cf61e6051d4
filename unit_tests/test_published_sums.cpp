// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that broke other implementations: what is known of them, written anew.
#include "order_free.hpp"

#include <acc/core/binned.hpp>
#include <acc/core/superaccumulator.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace acc_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double sum(const std::vector<double>& x) {
  acc::superaccumulator<double> s;
  s.add(x.data(), std::int64_t(x.size()));
  return s.value();
}

/// The values that CPython holds math.fsum to.
TEST(PublishedSums, OfFsum) {
  const double p53 = std::ldexp(1.0, 53);
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({1e100, 1, -1e100, 1e-100, 1e50, -1, -1e50}), 1e-100);
  EXPECT_EQ(sum({p53, -0.5, -0x1p-54}), p53 - 1);
  EXPECT_EQ(sum({p53, 1, 0x1p-100}), p53 + 2);
  EXPECT_EQ(sum({p53 + 10, 1, 0x1p-100}), p53 + 12);
  EXPECT_EQ(sum({p53 - 4, 0.5, 0x1p-54}), p53 - 3);
  EXPECT_EQ(sum({1e16, 1, 1e-16}), 10000000000000002.0);
  EXPECT_EQ(sum({1e16 - 2, 1 - 0x1p-53, -(1e16 - 2), -(1 - 0x1p-53)}), 0);
  std::vector<double> harmonic, alternating, wide, telescope;
  for (int n = 1; n <= 1000; ++n) {
    harmonic.push_back(1.0 / n);
    alternating.push_back((n % 2 ? -1.0 : 1.0) / n);
  }
  EXPECT_EQ(sum(harmonic), 0x1.df11f45f4e61ap+2);
  EXPECT_EQ(sum(alternating), -0x1.62a2af1bd3624p-1);
  for (int n = -1074; n < 972; n += 2)
    wide.push_back(std::ldexp(1.0, n) - std::ldexp(1.0, n + 50) + std::ldexp(1.0, n + 52));
  wide.push_back(-0x1p1022);
  EXPECT_EQ(sum(wide), 0x1.5555555555555p+970);
  double power = 1;
  for (int i = 0; i < 1000; ++i) {
    telescope.push_back(power * 1.7 - power);  // exact: Sterbenz
    power *= 1.7;
  }
  telescope.push_back(-power);
  EXPECT_EQ(sum(telescope), -1);
}

/// Those that test262 holds Math.sumPrecise to: most have broken an engine.
TEST(PublishedSums, OfSumPrecise) {
  EXPECT_EQ(bits_of(sum({-0.0})), bits_of(-0.0));
  EXPECT_EQ(bits_of(sum({-0.0, 0.0})), bits_of(0.0));
  EXPECT_EQ(sum({0.1, 0.1}), 0.2);
  EXPECT_EQ(sum({1e308, 1e308, 0.1, 0.1, 1e30, 0.1, -1e30, -1e308, -1e308}), 0.30000000000000004);
  EXPECT_EQ(sum({1e30, 0.1, -1e30}), 0.1);
  EXPECT_EQ(sum({8.98846567431158e+307, 8.988465674311579e+307, -1.7976931348623157e+308}),
            9.9792015476736e+291);
  EXPECT_EQ(sum({-5.630637621603525e+255, 9.565271205476345e+307, 2.9937604643020797e+292}),
            9.565271205476347e+307);
  EXPECT_EQ(sum({6.739986666787661e+66, 2, -1.2689709186578243e-116, 1.7046015739467354e+308,
                 -9.979201547673601e+291, 6.160926733208294e+307, -3.179557053031852e+234,
                 -7.027282978772846e+307, -0.7500000000000001}),
            1.61796594939028e+308);
  EXPECT_EQ(sum({0.31150493246968836, -8.988465674311582e+307, 1.8315037361673755e-270,
                 -15.999999999999996, 2.9999999999999996, 7.345200721499384e+164,
                 -2.033582473639399, -8.98846567431158e+307, -3.5737295155405993e+292,
                 4.13894772383715e-124, -3.6111186457260667e-35, 2.387234887098013e+180,
                 7.645295562778372e-298, 3.395189016861822e-103, -2.6331611115768973e-149}),
            -infinity);
  EXPECT_EQ(sum({-1.1442589134409902e+308, 9.593842098384855e+138, 4.494232837155791e+307,
                 -1.3482698511467367e+308, 4.494232837155792e+307}),
            -1.5936821971565685e+308);
  EXPECT_EQ(sum({-1.1442589134409902e+308, 4.494232837155791e+307, -1.3482698511467367e+308,
                 4.494232837155792e+307}),
            -1.5936821971565687e+308);
  EXPECT_EQ(sum({9.593842098384855e+138, -6.948356297254111e+307, -1.3482698511467367e+308,
                 4.494232837155792e+307}),
            -1.5936821971565685e+308);
  EXPECT_EQ(sum({-2.534858246857893e+115, 8.988465674311579e+307, 8.98846567431158e+307}),
            1.7976931348623157e+308);
  EXPECT_EQ(sum({1.3588124894186193e+308, 1.4803986201152006e+223, 6.741349255733684e+307}),
            infinity);
  EXPECT_EQ(sum({6.741349255733684e+307, 1.7976931348623155e+308, -7.388327292663961e+41}),
            infinity);
  EXPECT_EQ(sum({-1.9807040628566093e+28, 1.7976931348623157e+308, 9.9792015476736e+291}),
            1.7976931348623157e+308);
  EXPECT_EQ(sum({-1.0214557991173964e+61, 1.7976931348623157e+308, 8.98846567431158e+307,
                 -8.988465674311579e+307}),
            1.7976931348623157e+308);
  EXPECT_EQ(sum({1.7976931348623157e+308, 7.999999999999999, -1.908963895403937e-230,
                 1.6445950082320264e+292, 2.0734856707605806e+205}),
            infinity);
  EXPECT_EQ(sum({6.197409167220438e-223, -9.979201547673601e+291, -1.7976931348623157e+308}),
            -infinity);
  EXPECT_EQ(sum({4.49423283715579e+307, 8.944251746776101e+307, -0.0002441406250000001,
                 1.1752060710043817e+308, 4.940846717201632e+292, -1.6836699406454528e+308}),
            8.353845887521184e+307);
  EXPECT_EQ(sum({8.988465674311579e+307, 7.999999999999998, 7.029158107234023e-308,
                 -2.2303483759420562e-172, -1.7976931348623157e+308, -8.98846567431158e+307}),
            -1.7976931348623157e+308);
  EXPECT_EQ(sum({8.98846567431158e+307, 8.98846567431158e+307}), infinity);
}

/// After xsum's tests: sums of 1, 2, 3 and 10 numbers with a known result, at every scale, with
/// copies and with copies of the opposite sign in between.
TEST(PublishedSums, OfFewTermsAtEveryScale) {
  const double up = 1 + 0x1p-52;
  const struct {
    std::vector<double> x;
    double sum;
  } known[] = {{{1}, 1},
               {{-up}, -up},
               {{1, 0x1p-53}, 1},
               {{up, 0x1p-53}, 1 + 0x1p-51},
               {{1, -0x1p-54}, 1},
               {{1, -0x1p-53}, 1 - 0x1p-53},
               {{1, 0x1p-53, 0x1p-106}, up},
               {{1, 0x1p-53, -0x1p-106}, 1},
               {{up, 0x1p-53, -0x1p-150}, up},
               {{1, 0x1p-300, -1}, 0x1p-300},
               {{0x1p50, 0x1p-50, -0x1p50}, 0x1p-50},
               {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 55},
               {{0x1p60, -1, 0x1p-60, 1, -0x1p60, 0x1p-61, 3, -3, 0x1p-62, -0x1p-63}, 0x1.ap-60},
               {{1, 1, 1, 1, 1, 1, 1, 1, -0x1p3, 0x1p-200}, 0x1p-200}};
  for (const auto& k : known) {
    for (int e = -700; e <= 950; e += 11) {
      for (int copies = 1; copies <= 64; copies *= 2) {
        acc::superaccumulator<double> s, opposite;
        for (int c = 0; c < copies; ++c) {
          for (const double v : k.x) s += std::ldexp(v, e);
          for (const double v : k.x) opposite += std::ldexp(v, e);
        }
        ASSERT_EQ(s.value(), std::ldexp(k.sum, e) * copies) << k.sum << " 2^" << e;
        ASSERT_TRUE(identical(s - opposite + s, s));
      }
    }
  }
}

/// After ReproBLAS's fills: vectors with a known sum, in several orders, binned and exact.
TEST(PublishedSums, OfFillsWithAKnownSum) {
  const int n = 4096;
  const auto expect = [](std::vector<double> x, double exact, double binned, const char* what) {
    Random random(24);
    for (int order = 0; order < 4; ++order) {
      acc::binned<double, 3> b;
      b.add(x.data(), std::int64_t(x.size()));
      EXPECT_EQ(bits_of(sum(x)), bits_of(exact)) << what;
      EXPECT_EQ(bits_of(b.value()), bits_of(binned)) << what;
      shuffle(x, random);
    }
  };
  const auto fill = [&](auto f) {
    std::vector<double> x;
    for (int i = 0; i < n; ++i) x.push_back(f(i));
    return x;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect(fill([](int) { return 1.0; }), n, n, "ones");
  expect(fill([](int) { return 0.1; }), 0.1 * n, 0.1 * n, "a constant");
  expect(fill([](int i) { return i + 1.0; }), 8390656, 8390656, "1 to n");
  expect(fill([](int i) { return i % 2 ? 0x1p80 : -0x1p80; }), 0, 0, "alternating");
  expect(fill([](int i) { return i == 0   ? 0x1p60
                                 : i == 1 ? -0x1p60
                                          : 0x1p-10; }), 0x1.ffcp1,
         0x1.ffcp1, "two large ones that cancel, and small ones");
  expect(fill([](int i) { return i == 0   ? 0x1p900
                                 : i == 1 ? -0x1p900
                                          : 1.0; }), 4094, 0,
         "the same farther apart than three bins");
  expect(fill([](int i) { return i == 7 ? infinity : 1.0; }), infinity, infinity, "one infinity");
  expect(fill([](int i) { return i == 7   ? infinity
                                 : i == 8 ? -infinity
                                          : 1.0; }), nan, nan,
         "infinities");
  expect(fill([&](int i) { return i == 7 ? nan : infinity; }), nan, nan, "a NaN");
  expect(fill([](int i) { return std::ldexp(i % 2 ? 1.0 : -1.0, -1074); }), 0, 0, "the smallest");
  expect(fill([](int) { return std::numeric_limits<double>::max(); }), infinity, infinity, "max");
}

}  // namespace
}  // namespace acc_test
