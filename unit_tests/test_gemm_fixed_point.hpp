// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::gemm, gemv and batched_gemm by fixed_point: every entry against the exact oracle, which cuts
// rows and columns itself, bit for bit; then what the method promises.
#pragma once

#include "exact_products.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace acc_test {
namespace {

using acc::fixed_point;

template <class In, class Out>
using CutProducts = ProductsByOracle<In, Out, fixed_point>;
template <class In, class Out>
void expect_cut(const Product<In, Out>& p, int bits, const std::string& what = "") {
  CutProducts<In, Out>{p, {bits}}.expect_definition(what + ", bits " + std::to_string(bits));
}
constexpr int some_bits[] = {8, 11, 24, 31, 53, 64};

template <class In, class Out>
struct CutTypes {
  using in = In;
  using out = Out;
};
template <class T>
class GemmFixedPoint : public testing::Test {};
using GemmFixedPointTypes =
    testing::Types<CutTypes<float, float>, CutTypes<double, double>,
                   CutTypes<Kokkos::complex<float>, Kokkos::complex<float>>,
                   CutTypes<Kokkos::complex<double>, Kokkos::complex<double>>,
                   CutTypes<double, float>
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
                   ,
                   CutTypes<Kokkos::Experimental::half_t, float>
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
                   ,
                   CutTypes<Kokkos::Experimental::bhalf_t, float>
#endif
                   >;
TYPED_TEST_SUITE(GemmFixedPoint, GemmFixedPointTypes);

/// A number of some 2^-60 to 2^60 (half precision: any_number's), most of which a cut changes.
template <class T>
T wide_number(Random& random) {
  if constexpr (acc::impl::is_half_scalar<real_t<T>>) {
    return any_number<T>(random, false);
  } else {
    const auto one = [&] {
      using R = real_t<T>;
      return std::ldexp(random.symmetric<R>(), random.integer(-60, random.below(3) ? 3 : 60));
    };
    const auto re = one();
    if constexpr (is_complex<T>) {
      return T(re, one());
    } else {
      return re;
    }
  }
}
/// Zeros of both signs, infinities and NaN among them.
template <class T>
T special_number(Random& random) {
  const float all[] = {0.0f,
                       -0.0f,
                       0x1p-70f,
                       -0x1p-70f,
                       std::numeric_limits<float>::infinity(),
                       std::numeric_limits<float>::quiet_NaN()};
  if (random.below(6) != 0) return wide_number<T>(random);
  return static_cast<T>(static_cast<real_t<T>>(all[random.below(random.below(4) ? 4 : 6)]));
}

TYPED_TEST(GemmFixedPoint, EveryShapeLayoutAndOperation) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(1);
  std::uint64_t seed = 1;
  for (const char* ta : {"N", "T", "C"}) {
    for (const char* tb : {"N", "T", "C"}) {
      for (const Lay lay : all_lays) {
        const std::size_t m = 1 + random.below(7), n = 1 + random.below(7), k = random.below(40);
        ++seed;
        Product<In, Out> p({m, n, k, lay, all_lays[seed % 5], all_lays[seed % 3]}, ta, tb);
        fill(p.a, [&] { return wide_number<In>(random); });
        fill(p.b, [&] { return wide_number<In>(random); });
        fill(p.c, [&] { return small_number<Out>(random); });
        p.alpha = small_number<typename Product<In, Out>::Factor>(random);
        p.beta = small_number<typename Product<In, Out>::Factor>(random);
        expect_cut(p, some_bits[seed % 6]);
      }
    }
  }
}

TYPED_TEST(GemmFixedPoint, SpecialNumbers) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(2);
  for (const int bits : some_bits)
    for (int round = 0; round < 12; ++round) {
      Product<In, Out> p({5, 4, 1 + random.below(9)}, "N", "C");
      fill(p.a, [&] { return special_number<In>(random); });
      fill(p.b, [&] { return special_number<In>(random); });
      fill(p.c, [&] { return special_number<Out>(random); });
      if (round % 3 == 1) p.alpha = -1;
      if (round % 3 == 2) p.beta = -1;
      expect_cut(p, bits, "special");
    }
}

/// Halves of a unit, which are rounded to even: up, down and to a number of one bit more.
TYPED_TEST(GemmFixedPoint, Ties) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  using R = real_t<In>;
  for (const int bits : {8, 9}) {
    const float unit = std::ldexp(1.0f, 1 - bits);
    Product<In, Out> p({7, 1, 2, Lay::right}, "N", "N");
    const float numbers[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0.25f, 3.5f};
    for (std::size_t i = 0; i < 7; ++i) {
      p.a(i, 0) = static_cast<In>(static_cast<R>(numbers[i] * unit));
      p.a(i, 1) = static_cast<In>(static_cast<R>(i == 6 ? 2 - unit / 2 : 1.0f));
    }
    p.b(0, 0) = static_cast<In>(static_cast<R>(1.0f));
    p.b(1, 0) = static_cast<In>(static_cast<R>(0.0f));
    expect_cut(p, bits, "ties");
    EXPECT_EQ(parts(CutProducts<In, Out>{p, {bits}}.by_gemm()(1, 0))[0], 2 * unit);
    p.b(0, 0) = static_cast<In>(static_cast<R>(0.0f));
    p.b(1, 0) = static_cast<In>(static_cast<R>(1.0f));
    expect_cut(p, bits, "carry");
    EXPECT_EQ(parts(CutProducts<In, Out>{p, {bits}}.by_gemm()(6, 0))[0], 2.0f);
  }
}

/// Where the largest number is rounded beyond the largest one that there is, nothing overflows
/// except results: the same rows, smaller, and a factor give the same bits.
TYPED_TEST(GemmFixedPoint, TopOfTheRange) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  using R = real_t<In>;
  if constexpr (!acc::impl::is_half_scalar<R> && std::is_same_v<In, Out>) {
    Random random(3);
    for (const int bits : {8, 20, 64})
      for (const std::size_t n : {4, 40}) {
        Product<In, Out> p({n, n, 9}, "N", "T");
        fill(p.a, [&] { return wide_number<In>(random); });
        fill(p.b, [&] { return In(random.symmetric<R>() * std::ldexp(R(1), -8)); });
        const R largest = std::numeric_limits<R>::max();
        for (std::size_t i = 0; i < n; ++i) p.a(i, i % 9) = In(largest);
        for (std::size_t j = 0; j < n; j += 2) p.b(j, j % 9) = In(1 - std::ldexp(R(1), -10));
        Product<In, Out> q = p;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < 9; ++k) q.a(i, k) = p.a(i, k) * In(R(0.25));
        p.alpha = 0.25;
        const auto want = CutProducts<In, Out>{q, {bits}}.by_gemm();
        if (n == 4) p.expect_same(CutProducts<In, Out>{q, {bits}}.by_definition(), want, "small");
        CutProducts<In, Out>{p, {bits}}.expect_ways_agree(want, "top");
        // Both at the top, and a result that is none.
        for (std::size_t j = 0; j < n; ++j) p.b(j, (j + 1) % 9) = In(-largest);
        q = p;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < 9; ++k) {
            q.a(i, k) = p.a(i, k) * In(R(0.25));
            q.b(i, k) = p.b(i, k) * In(R(0.25));
          }
        q.alpha = 4;
        CutProducts<In, Out>{p, {bits}}.expect_ways_agree(CutProducts<In, Out>{q, {bits}}.by_gemm(),
                                                          "both at the top");
      }
  }
}

/// An entry depends on its row and its column, and not on their order.
TYPED_TEST(GemmFixedPoint, RowAndColumnAlone) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(4);
  for (const int bits : {8, 24, 53}) {
    Product<In, Out> p({40, 44, 70, Lay::right, Lay::left}, "N", "N");
    fill(p.a, [&] { return wide_number<In>(random); });
    fill(p.b, [&] { return special_number<In>(random); });
    const CutProducts<In, Out> products{p, {bits}};
    const auto all = products.by_gemm();
    p.expect_same(all, products.by_generic(false), "generic");
    std::vector<std::size_t> order(p.depth);
    for (std::size_t k = 0; k < p.depth; ++k) order[k] = k;
    acc_oracle::shuffle(order, random);
    for (int n = 0; n < 30; ++n) {
      const std::size_t i = random.below(40), j = random.below(44);
      EXPECT_EQ(p.text(products.entry(i, j)), p.text(all(i, j))) << i << ", " << j;
      Product<In, Out> one({1, 1, p.depth}, "N", "N");
      for (std::size_t k = 0; k < p.depth; ++k) {
        one.a(0, k) = p.a(i, order[k]);
        one.b(k, 0) = p.b(order[k], j);
      }
      one.c(0, 0) = p.c(i, j);
      EXPECT_EQ(p.text(CutProducts<In, Out>{one, {bits}}.by_gemm()(0, 0)), p.text(all(i, j)));
    }
  }
}

TYPED_TEST(GemmFixedPoint, LongProducts) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(5);
  Product<In, Out> p({2, 1, 70'000, Lay::right, Lay::left}, "N", "N");
  fill(p.a, [&] { return wide_number<In>(random); });
  fill(p.b, [&] { return wide_number<In>(random); });
  expect_cut(p, 20, "long");
}

/// |error| <= k (2^(1 - bits) + 2^(-2 bits)) max |a| max |b|, and one rounding.
TYPED_TEST(GemmFixedPoint, KeepsItsBound) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(6);
  const std::size_t k = 100;
  for (const int bits : some_bits) {
    Product<In, Out> p({36, 36, k}, "N", "N");
    fill(p.a, [&] { return wide_number<In>(random); });
    fill(p.b, [&] { return wide_number<In>(random); });
    const auto got = CutProducts<In, Out>{p, {bits}}.by_gemm();
    for (std::size_t i = 0; i < 36; ++i)
      for (std::size_t j = 0; j < 36; j += 7) {
        Exact sum, largest_a, largest_b;
        std::vector<In> row(k), column(k);
        for (std::size_t l = 0; l < k; ++l) {
          row[l] = p.a(i, l);
          column[l] = p.b(l, j);
        }
        std::vector<double> x, y;
        reference::products_of(row, column, 0, x, y);
        for (std::size_t l = 0; l < x.size(); ++l) {
          sum += Exact(x[l]) * Exact(y[l]);
          largest_a = std::max(largest_a, abs(Exact(x[l])));
          largest_b = std::max(largest_b, abs(Exact(y[l])));
        }
        const Exact bound =
            (pow2(1 - bits) + pow2(-2 * bits)) * Exact(double(x.size())) * largest_a * largest_b;
        const Exact value(parts(got(i, j))[0]);
        ASSERT_LE(abs(value - sum), bound + abs(value) * pow2(sizeof(real_t<Out>) == 4 ? -24 : -53))
            << bits << ": " << i << ", " << j;
      }
  }
}

/// Numbers that have no digits to be cut.
TYPED_TEST(GemmFixedPoint, IsExactWhereNothingIsCut) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(7);
  for (const std::size_t n : {5, 40}) {
    Product<In, Out> p({n, n, 60}, "C", "T");
    fill(p.a, [&] { return small_number<In>(random); });
    fill(p.b, [&] { return small_number<In>(random); });
    p.expect_same((ProductsByOracle<In, Out, acc::exact>{p}.by_definition()),
                  CutProducts<In, Out>{p, {24}}.by_gemm(), "nothing cut");
  }
}

TYPED_TEST(GemmFixedPoint, RejectsOtherBits) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Product<In, Out> p({2, 2, 2}, "N", "N");
  for (const int bits : {-1, 0, 7, 65}) {
    try {
      CutProducts<In, Out>{p, {bits}}.by_gemm();
      ADD_FAILURE() << bits << " bits were accepted";
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()),
                "acc::gemm: bits must be 8 to 64, but are " + std::to_string(bits));
    }
  }
}

}  // namespace
}  // namespace acc_test
