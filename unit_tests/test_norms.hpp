// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::nrm2: its result by every method, and no overflow or underflow on the way; asum at every
// scale.
#pragma once

#include "order_free_checks.hpp"
#include "order_free.hpp"

#include <acc/asum.hpp>
#include <acc/nrm2.hpp>

namespace acc_test {
namespace {

template <class M>
inline constexpr bool is_reproducible = false;
template <int Bins>
inline constexpr bool is_reproducible<acc::reproducible<Bins>> = true;
constexpr int bins_of(...) { return 0; }
template <int Bins>
constexpr int bins_of(acc::reproducible<Bins>) {
  return Bins;
}

template <class C>
class Nrm2 : public testing::Test {
 public:
  using T = typename C::Scalar;
  using R = typename C::Real;
  using M = typename C::Method;
  static R nrm2(const std::vector<T>& x) { return acc::nrm2(Exec{}, on_device(x), M{}); }
  static R asum(const std::vector<T>& x) { return acc::asum(Exec{}, on_device(x), M{}); }

  /// What the method promises, of finite numbers: `exact` the rounded root of the sum of squares,
  /// `reproducible` that of its definition, and the others their bound.
  static void expect_norm(const std::vector<T>& x, const std::string& what) {
    const auto v = flat(x);
    const R got = nrm2(x);
    const std::string which = name(M{}) + ", " + described<T>(what, x.size());
    if constexpr (std::is_same_v<M, acc::exact>) {
      expect_root(got, exact_dot<R>(v, v), which);
    } else if constexpr (is_reproducible<M>) {
      SquaresDefinition<R> definition(bins_of(M{}));
      for (const R e : v) definition.add(e);
      ASSERT_LE(abs(definition.kept() - definition.squares()), definition.bound()) << which;
      expect_root(got, definition.kept(), which);
    } else {
      expect_bound(got, v, which);
    }
  }

  /// The square root halves the relative error of the sum of squares and adds its own rounding:
  /// (1 + u + u + gamma) for compensated; nothing cancels among squares. A result below the normal
  /// numbers is rounded to their grid: half a unit more.
  static void expect_bound(R got, const std::vector<R>& v, const std::string& what) {
    const Exact squares = exact_dot<R>(v, v);
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
    EXPECT_TRUE(not_above && not_below) << what << ": got " << got;
  }

  /// A scalar of random parts: 24 or 53 random bits, exponents from `low` to `high`.
  static T random_scalar(Random& random, int low, int high) {
    const auto part = [&] {
      return std::ldexp(random.symmetric<R>(), random.integer(low, std::max(low, high)));
    };
    if constexpr (is_complex<T>) {
      const R re = part();
      return T(re, part());
    } else {
      return part();
    }
  }
};

template <class M>
using AllScalars = std::tuple<Case<M, double>, Case<M, float>, Case<M, Kokkos::complex<double>>,
                              Case<M, Kokkos::complex<float>>>;
template <class Tuple>
struct AsTypes;
template <class... Cases>
struct AsTypes<std::tuple<Cases...>> {
  using type = testing::Types<Cases...>;
};
template <class... Methods>
using CasesOf = typename AsTypes<decltype(std::tuple_cat(AllScalars<Methods>{}...))>::type;

using Nrm2Cases = CasesOf<acc::plain, acc::compensated, acc::exact, acc::reproducible<2>,
                          acc::reproducible<3>, acc::reproducible<8>>;
TYPED_TEST_SUITE(Nrm2, Nrm2Cases);

/// The same for what takes less time, with all methods.
template <class C>
class Nrm2ByAll : public Nrm2<C> {};
using AllNrm2Cases = CasesOf<acc::plain, acc::compensated, acc::exact, acc::reproducible<2>,
                             acc::reproducible<3>, acc::reproducible<4>, acc::reproducible<5>,
                             acc::reproducible<6>, acc::reproducible<7>, acc::reproducible<8>>;
TYPED_TEST_SUITE(Nrm2ByAll, AllNrm2Cases);

TYPED_TEST(Nrm2ByAll, OfThreeAndFourIsFiveAtEveryScale) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  // From where 3 is a multiple of the smallest subnormal to where 5 overflows.
  for (int e = Limits::min_exponent - Limits::digits; e <= Limits::max_exponent - 3; ++e) {
    const R five = std::ldexp(R(5), e), seven = std::ldexp(R(7), e);
    const T three = std::ldexp(R(3), e), four = std::ldexp(R(-4), e);
    EXPECT_EQ(bits(this->nrm2({three, four})), bits(five)) << "e = " << e;
    EXPECT_EQ(bits(this->asum({three, four})), bits(seven)) << "e = " << e;
    if constexpr (is_complex<T>) {
      const std::vector<T> pair{T(parts(three)[0], parts(four)[0])};
      EXPECT_EQ(bits(this->nrm2(pair)), bits(five)) << "e = " << e;
      EXPECT_EQ(bits(this->asum(pair)), bits(seven)) << "e = " << e;
    }
  }
  EXPECT_EQ(this->nrm2({T(std::ldexp(R(3), Limits::max_exponent - 2)),
                        T(std::ldexp(R(3.9375), Limits::max_exponent - 2))}),
            Limits::infinity());  // the norm itself is above the largest number
}

/// Enough for the vector kernels of hosts, whose tiles are whole steps, and for a tree of leaves.
TYPED_TEST(Nrm2ByAll, OfManyIsRightAtEveryScale) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  for (int e = Limits::min_exponent - Limits::digits; e <= Limits::max_exponent - 5; ++e) {
    // 64 of them: the norm is 8 times one.
    EXPECT_EQ(bits(this->nrm2(std::vector<T>(64, T(std::ldexp(R(-1), e))))),
              bits(std::ldexp(R(8), e)))
        << "e = " << e;
    if (e % 64 != 0) continue;
    std::vector<T> x(4 * leaf<T>, T(0));
    for (std::size_t i = 0; i < 64; ++i) x[i * leaf<T> / 16] = T(std::ldexp(R(1), e));
    EXPECT_EQ(bits(this->nrm2(x)), bits(std::ldexp(R(8), e))) << "e = " << e;
  }
}

TYPED_TEST(Nrm2ByAll, OfOneNumberIsItsMagnitude) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  const R below_max = std::nextafter(Limits::max(), R(0));
  const R below_min = std::nextafter(Limits::min(), R(0));
  for (const R x :
       {Limits::max(), below_max, Limits::min(), below_min, Limits::denorm_min(), R(1) / 3}) {
    // Of a square of a double two bins keep 41 bits, or more; that of the largest rounds up.
    const bool is_kept = bins_of(typename TypeParam::Method{}) != 2 || sizeof(R) == 4;
    if (is_kept || x == Limits::denorm_min()) {
      EXPECT_EQ(bits(this->nrm2({T(-x)})), bits(x)) << x;
    }
  }
}

TYPED_TEST(Nrm2, KeepsItsPromiseOnEveryFamily) {
  using T = typename TypeParam::Scalar;
  // The oracle of bins is slow, and their sum has no tree of leaves.
  const std::size_t longest =
      is_reproducible<typename TypeParam::Method> ? leaf<T> + 1 : lengths<T>().back();
  for (const Data data : all_data) {
    for (const std::size_t n : lengths<T>())
      if (n <= longest) this->expect_norm(elements<T>(data, n, n), std::string(name(data)));
  }
}

/// Exponents over all of the range, window by window: where the squares of all, of some or of no
/// elements underflow, or overflow.
TYPED_TEST(Nrm2ByAll, KeepsItsPromiseAtEveryScale) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  Random random(7);
  const int low = Limits::min_exponent - Limits::digits, high = Limits::max_exponent - 4;
  for (int e = low; e < high; e += sizeof(R) == 4 ? 1 : 5) {
    for (const int spread : {0, 30, 120}) {
      std::vector<T> x(random.below(2) ? 3 : 97);
      for (T& v : x) v = this->random_scalar(random, std::max(low, e - spread), e);
      this->expect_norm(x, "from 2^" + std::to_string(e - spread) + " to 2^" + std::to_string(e));
    }
  }
}

TYPED_TEST(Nrm2, HugeAndTinyNumbersMeet) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  const R huge = Limits::max() / 8, tiny = Limits::min() * R(1.5);
  for (const std::size_t n : {std::size_t(4), 2 * leaf<T>, 5 * leaf<T> + 1}) {
    std::vector<T> x(n, T(tiny));
    this->expect_norm(x, "tiny");
    x[n / 2] = T(R(1.25));
    this->expect_norm(x, "tiny and one");
    x[n - 1] = T(huge);
    this->expect_norm(x, "tiny, one and huge");
    x[n / 2] = T(tiny);
    this->expect_norm(x, "tiny and huge");
  }
}

/// Leaves of different sizes of numbers, ascending and descending.
TYPED_TEST(Nrm2, LeavesOfDifferentScalesMeet) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  const int low = Limits::min_exponent - Limits::digits, high = Limits::max_exponent - 12;
  Random random(8);
  const auto of_scales = [&](const std::vector<int>& scales, const std::string& what) {
    std::vector<T> x;
    for (const int e : scales)
      for (std::size_t i = 0; i < leaf<T> + 3; ++i)
        x.push_back(this->random_scalar(random, std::max(low, e - 10), e));
    this->expect_norm(x, what);
    std::reverse(x.begin(), x.end());
    this->expect_norm(x, what + ", reversed");
  };
  of_scales({low, low + 20, low / 2 - 20, low / 2, low / 2 + 20}, "subnormal to where squares are");
  of_scales({low / 2 + 20, low / 3, 0, high / 2, high}, "where squares are subnormal to huge");
  of_scales({low, high / 2 - 5, low, high / 2 + 5}, "about where squares overflow");
  of_scales({low, 0}, "subnormal and one");
}

/// Each step of the sizes at which the sum of squares changes its way, by half a bin.
TYPED_TEST(Nrm2, KeepsItsPromiseWhereSquaresBeginToUnderflow) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  Random random(9);
  const int low = Limits::min_exponent - Limits::digits;
  for (int e = low / 2 - 40; e < low / 2 + 200 && e < 0; e += sizeof(R) == 4 ? 10 : 20) {
    // The squares of all but a few are below 2^-1022 (2^-126) or far below; 70 bits under the top
    // there may be nothing except the errors of rounding.
    std::vector<T> x(2000);
    for (T& v : x) v = this->random_scalar(random, std::max(low, e - 70), e - 20);
    this->expect_norm(x, "small, at 2^" + std::to_string(e));
    x[1500] = this->random_scalar(random, e, e);
    this->expect_norm(x, "one larger, at 2^" + std::to_string(e));
  }
}

/// Squares that underflow are rounded twice on the way to a bin unless they are scaled first.
TYPED_TEST(Nrm2ByAll, RoundsSquaresThatUnderflowOnce) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  const auto numbers = squares_above_ties(2, 2000);
  std::vector<T> x;
  for (const double v : numbers) x.push_back(T(R(v)));  // of floats, zeros
  this->expect_norm(x, "above ties");
}

TYPED_TEST(Nrm2ByAll, OfZerosInfinitiesAndNan) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using Limits = std::numeric_limits<R>;
  const R infinity = Limits::infinity(), nan = Limits::quiet_NaN();
  EXPECT_EQ(bits(this->nrm2({})), bits(R(0)));
  EXPECT_EQ(bits(this->nrm2({T(R(-0.0))})), bits(R(0)));
  EXPECT_EQ(bits(this->nrm2({T(R(0)), T(R(-0.0))})), bits(R(0)));
  const R large = std::ldexp(R(1), Limits::max_exponent - 1);
  for (const R other : {R(1), large, Limits::min(), Limits::denorm_min(), R(0)}) {
    for (const std::size_t n : {std::size_t(2), std::size_t(100), 2 * leaf<T> + 5}) {
      std::vector<T> x(n, T(other));
      x[n / 2] = T(-infinity);
      EXPECT_EQ(bits(this->nrm2(x)), bits(infinity)) << other;
      x[n - 1] = T(infinity);
      EXPECT_EQ(bits(this->nrm2(x)), bits(infinity)) << other;
      x[0] = T(-nan);
      EXPECT_EQ(bits(this->nrm2(x)), bits(nan)) << other;
      x.assign(n, T(R(-0.0)));
      EXPECT_EQ(bits(this->nrm2(x)), bits(R(0)));
      x[n - 1] = T(-other);
      EXPECT_EQ(bits(this->nrm2(x)), bits(other)) << other << " among zeros";
    }
  }
}

/// The order and the layout change nothing, also where squares underflow.
TYPED_TEST(Nrm2ByAll, OfAnyOrderAndStrideIsTheSame) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using M = typename TypeParam::Method;
  using Limits = std::numeric_limits<R>;
  const int low = Limits::min_exponent - Limits::digits;
  Random random(10);
  for (const int e : {low + 20, low / 2 - 30, low / 2, low / 2 + 20, low / 3}) {
    std::vector<T> x(3 * leaf<T> + 77);
    for (T& v : x) v = this->random_scalar(random, std::max(low, e - 40), e);
    const std::string want = bits(this->nrm2(x));
    const auto dx = on_device(x);
    const Kokkos::View<T**, Kokkos::LayoutRight, Exec> wide("wide", x.size(), 3);
    const auto column = Kokkos::subview(wide, Kokkos::ALL, 1);
    Kokkos::deep_copy(column, dx);
    EXPECT_EQ(bits(acc::nrm2(Exec{}, column, M{})), want) << "stride, e = " << e;
    if constexpr (acc::impl::is_order_free<M>) {
      shuffle(x, random);
      EXPECT_EQ(bits(this->nrm2(x)), want) << "shuffled, e = " << e;
    }
  }
}

}  // namespace
}  // namespace acc_test
