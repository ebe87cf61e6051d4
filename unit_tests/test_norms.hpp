// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::nrm2: its bound, and no overflow or underflow on the way.
#pragma once

#include "device.hpp"

#include <acc/nrm2.hpp>

namespace acc_test {
namespace {

template <class C>
class Nrm2 : public testing::Test {
 public:
  using T = typename C::Scalar;
  using R = typename C::Real;
  using M = typename C::Method;
  static R nrm2(const std::vector<T>& x) { return acc::nrm2(Exec{}, on_device(x), M{}); }

  /// The square root halves the relative error of the sum of squares and adds its own rounding:
  /// (1 + u + u + gamma) for compensated; nothing cancels among squares. A result below the normal
  /// numbers is rounded to their grid: half a unit more.
  static void expect_bound(const std::vector<T>& x, const std::string& what) {
    const auto v = flat(x);
    const Exact squares = exact_dot<R>(v, v);
    const R got = nrm2(x);
    ASSERT_TRUE(std::isfinite(got)) << what;
    const Bound sum = bound_of<R>(M{}, depth<R>(v.size()) + 1);
    const Exact slack = Exact((sum.relative + sum.absolute) / 2 * 1.01 + u<R> * 1.01);
    const Exact grid = Exact(std::numeric_limits<R>::denorm_min());
    // |got - r| <= slack * r + grid for r^2 = squares, without taking a root: compare squares.
    const Exact one(1.0), g(got);
    const Exact high = g - grid, low = g + grid;
    const bool not_above =
        high.sign() <= 0 || high * high <= squares * (one + slack) * (one + slack);
    const bool not_below = low * low > squares * (one - slack) * (one - slack) || squares.is_zero();
    EXPECT_TRUE(not_above && not_below) << what << ", n = " << x.size() << ": got " << got;
  }
};

using Nrm2Cases = testing::Types<Case<acc::plain, double>, Case<acc::compensated, double>,
                                 Case<acc::plain, float>, Case<acc::compensated, float>,
                                 Case<acc::compensated, Kokkos::complex<double>>,
                                 Case<acc::compensated, Kokkos::complex<float>>>;
TYPED_TEST_SUITE(Nrm2, Nrm2Cases);

TYPED_TEST(Nrm2, OfThreeAndFourIsFiveAtEveryScale) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  // From where 3 is a multiple of the smallest subnormal to where 5 overflows.
  for (int e = Limits::min_exponent - Limits::digits; e <= Limits::max_exponent - 3; ++e) {
    const T three = std::ldexp(R(3), e), four = std::ldexp(R(-4), e);
    EXPECT_EQ(this->nrm2({three, four}), std::ldexp(R(5), e)) << "e = " << e;
    if constexpr (is_complex<T>) {
      EXPECT_EQ(this->nrm2({T(parts(three)[0], parts(four)[0])}), std::ldexp(R(5), e)) << e;
    }
  }
  EXPECT_EQ(this->nrm2({T(std::ldexp(R(3), Limits::max_exponent - 2)),
                        T(std::ldexp(R(3.9375), Limits::max_exponent - 2))}),
            Limits::infinity());  // the norm itself is above the largest number
}

TYPED_TEST(Nrm2, KeepsItsBoundOnEveryFamily) {
  using T = typename TypeParam::Scalar;
  for (const Data data : all_data) {
    for (const std::size_t n : lengths<T>())
      this->expect_bound(elements<T>(data, n, n), std::string(name(data)));
  }
}

TYPED_TEST(Nrm2, HugeAndTinyNumbersMeet) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  const R huge = Limits::max() / 8, tiny = Limits::min() * R(1.5);
  for (const std::size_t n : {std::size_t(4), 2 * leaf<T>, 5 * leaf<T> + 1}) {
    std::vector<T> x(n, T(tiny));
    this->expect_bound(x, "tiny");
    x[n / 2] = T(R(1.25));
    this->expect_bound(x, "tiny and one");
    x[n - 1] = T(huge);
    this->expect_bound(x, "tiny, one and huge");
  }
}

TYPED_TEST(Nrm2, OfZerosInfinitiesAndNan) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  EXPECT_EQ(bits(this->nrm2({})), bits(R(0)));
  EXPECT_EQ(bits(this->nrm2({T(R(0)), T(R(-0.0))})), bits(R(0)));
  EXPECT_EQ(this->nrm2({T(R(1)), T(-Limits::infinity())}), Limits::infinity());
  EXPECT_EQ(bits(this->nrm2({T(R(1)), T(-Limits::quiet_NaN())})), bits(Limits::quiet_NaN()));
}

}  // namespace
}  // namespace acc_test
