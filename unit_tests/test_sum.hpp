// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::sum and acc::asum: bounds against the exact sum, and the order against its definition.
#pragma once

#include "device.hpp"
#include "reference_order.hpp"

#include <acc/asum.hpp>
#include <acc/sum.hpp>

namespace acc_test {
namespace {

template <class C>
class Sum : public testing::Test {
 public:
  using T = typename C::Scalar;
  using R = typename C::Real;
  using M = typename C::Method;

  static T sum(const std::vector<T>& x) { return acc::sum(Exec{}, on_device(x), M{}); }

  static void expect_bound(const std::vector<T>& x, const std::string& what) {
    std::vector<Exact> exact, sum_abs;
    for (std::size_t part = 0; part < parts(T{}).size(); ++part) {
      std::vector<R> v;
      for (const T& e : x) v.push_back(parts(e)[part]);
      exact.push_back(exact_sum<R>(v));
      sum_abs.push_back(exact_abs_sum<R>(v));
    }
    const Bound bound = bound_of<R>(M{}, depth<R>(x.size() * exact.size()));
    expect_within(sum(x), exact, sum_abs, bound, what + ", n = " + std::to_string(x.size()));
  }
};

using SumCases = testing::Types<
    Case<acc::plain, double>, Case<acc::compensated, double>, Case<acc::double_word, double>,
    Case<acc::fold<2>, double>, Case<acc::fold<3>, double>, Case<acc::fold<4>, double>,
    Case<acc::fold<5>, double>, Case<acc::fold<6>, double>, Case<acc::fold<7>, double>,
    Case<acc::fold<8>, double>, Case<acc::plain, float>, Case<acc::compensated, float>,
    Case<acc::double_word, float>, Case<acc::fold<3>, float>, Case<acc::fold<4>, float>,
    Case<acc::fold<8>, float>, Case<acc::widened, float>, Case<acc::plain, Kokkos::complex<double>>,
    Case<acc::compensated, Kokkos::complex<double>>,
    Case<acc::double_word, Kokkos::complex<double>>, Case<acc::fold<3>, Kokkos::complex<double>>,
    Case<acc::compensated, Kokkos::complex<float>>, Case<acc::fold<4>, Kokkos::complex<float>>,
    Case<acc::widened, Kokkos::complex<float>>>;
TYPED_TEST_SUITE(Sum, SumCases);

TYPED_TEST(Sum, KeepsItsBoundOnEveryFamily) {
  using T = typename TypeParam::Scalar;
  for (const Data data : all_data) {
    for (const std::size_t n : lengths<T>())
      this->expect_bound(elements<T>(data, n, n), std::string(name(data)));
  }
}

TYPED_TEST(Sum, KeepsItsBoundOnIllConditionedData) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  if constexpr (!is_complex<T>) {
    const double top = sizeof(R) == 4 ? 1e14 : 1e32;
    for (double c = 1e2; c <= top * 1.01; c *= 100) {
      this->expect_bound(ill_conditioned_sum<R>(500, c, 1), "condition " + std::to_string(c));
      this->expect_bound(ill_conditioned_sum<R>(2 * leaf<R> + 11, c, 2),
                         "condition " + std::to_string(c));
    }
  } else {
    for (double c = 1e4; c <= 1e12; c *= 1e4) {
      const auto re = ill_conditioned_sum<R>(3000, c, 1), im = ill_conditioned_sum<R>(3000, c, 2);
      std::vector<T> x;
      for (std::size_t i = 0; i < re.size(); ++i) x.emplace_back(re[i], im[i]);
      this->expect_bound(x, "condition " + std::to_string(c));
    }
  }
}

TYPED_TEST(Sum, HasTheBitsOfTheCanonicalOrder) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  for (const Data data : {Data::wide, Data::uniform, Data::massive_cancellation}) {
    for (const std::size_t n : lengths<T>()) {
      const auto x = elements<T>(data, n, 100 + n);
      const auto want = reference_sum<is_complex<T> ? 2 : 1>(flat(x), typename TypeParam::Method{});
      const auto got = parts(this->sum(x));
      for (std::size_t k = 0; k < got.size(); ++k)
        EXPECT_EQ(bits(got[k]), bits(R(want[k]))) << name(data) << ", n = " << n << ", part " << k;
    }
  }
}

TYPED_TEST(Sum, OfNothingIsPositiveZero) {
  using T = typename TypeParam::Scalar;
  EXPECT_EQ(bits(this->sum({})), bits(T(0)));
}

/// The tests above would be idle if their bounds held for any sum: plain summation must break the
/// bounds of the accurate methods on the ill-conditioned data, and fold<2> that of fold<3>.
TEST(SumBounds, AreBrokenByLesserMethods) {
  const auto x = ill_conditioned_sum<double>(5000, 1e20, 1);
  const Exact exact = exact_sum<double>(x), sum_abs = exact_abs_sum<double>(x);
  const auto d = on_device(x);
  const double depth_n = depth<double>(x.size());
  const auto breaks = [&](double got, const Bound& bound) {
    return abs(Exact(got) - exact) > bound.limit(exact, sum_abs);
  };
  const double plain = acc::sum(Exec{}, d, acc::plain{});
  EXPECT_TRUE(breaks(plain, bound_of<double>(acc::compensated{}, depth_n)));
  EXPECT_TRUE(breaks(plain, bound_of<double>(acc::double_word{}, depth_n)));
  EXPECT_TRUE(breaks(plain, bound_of<double>(acc::fold<2>{}, depth_n)));
  EXPECT_TRUE(
      breaks(acc::sum(Exec{}, d, acc::fold<2>{}), bound_of<double>(acc::fold<3>{}, depth_n)));
}

TEST(SumBounds, HoldForAMillionElements) {
  for (const Data data : {Data::uniform, Data::harmonic, Data::massive_cancellation}) {
    Sum<Case<acc::compensated, double>>::expect_bound(make<double>(data, 1000003, 1), "million");
    Sum<Case<acc::compensated, float>>::expect_bound(make<float>(data, 1000003, 1), "million");
    Sum<Case<acc::fold<3>, float>>::expect_bound(make<float>(data, 1000003, 1), "million");
  }
}

template <class C>
class Asum : public testing::Test {};
using AsumCases = testing::Types<Case<acc::plain, double>, Case<acc::compensated, double>,
                                 Case<acc::plain, float>, Case<acc::compensated, float>,
                                 Case<acc::compensated, Kokkos::complex<double>>,
                                 Case<acc::plain, Kokkos::complex<float>>>;
TYPED_TEST_SUITE(Asum, AsumCases);

TYPED_TEST(Asum, IsTheSumOfMagnitudesOfAllParts) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using M = typename TypeParam::Method;
  for (const Data data : all_data) {
    for (const std::size_t n : lengths<T>()) {
      const auto x = elements<T>(data, n, n);
      auto v = flat(x);
      const R got = acc::asum(Exec{}, on_device(x), M{});
      const Exact exact = exact_abs_sum<R>(v);
      expect_within(got, {exact}, {exact}, bound_of<R>(M{}, depth<R>(v.size())),
                    std::string(name(data)) + ", n = " + std::to_string(n));
      if (data != Data::wide && data != Data::uniform) continue;
      for (R& e : v) e = std::abs(e);
      EXPECT_EQ(bits(got), bits(reference_sum<1>(v, M{})[0])) << name(data) << ", n = " << n;
    }
  }
  EXPECT_EQ(bits(acc::asum(Exec{}, on_device(std::vector<T>{}), M{})), bits(R(0)));
}

}  // namespace
}  // namespace acc_test
