// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::gemm, gemv and batched_gemm by exact: every entry against the exact oracle, bit for bit.
#pragma once

#include "exact_products.hpp"
#include "hard_numbers.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace acc_test {
namespace {

template <class In, class Out>
using ExactProducts = ProductsByOracle<In, Out, acc::exact>;
template <class In, class Out>
void expect_exact(const Product<In, Out>& p, const std::string& what = "") {
  ExactProducts<In, Out>{p}.expect_definition(what);
}

template <class In, class Out>
struct Types {
  using in = In;
  using out = Out;
};
template <class T>
class GemmExact : public testing::Test {};
using GemmExactTypes =
    testing::Types<Types<float, float>, Types<double, double>,
                   Types<Kokkos::complex<float>, Kokkos::complex<float>>,
                   Types<Kokkos::complex<double>, Kokkos::complex<double>>, Types<float, double>,
                   Types<double, float>
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
                   ,
                   Types<Kokkos::Experimental::half_t, Kokkos::Experimental::half_t>,
                   Types<Kokkos::Experimental::half_t, float>
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
                   ,
                   Types<Kokkos::Experimental::bhalf_t, Kokkos::Experimental::bhalf_t>,
                   Types<Kokkos::Experimental::bhalf_t, float>
#endif
                   >;
TYPED_TEST_SUITE(GemmExact, GemmExactTypes);

TYPED_TEST(GemmExact, EveryShapeLayoutAndOperation) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  std::uint64_t seed = 1;
  Random random(1);
  for (const char* ta : {"N", "T", "C"}) {
    for (const char* tb : {"N", "T", "C"}) {
      for (const Lay lay : all_lays) {
        const std::size_t m = 1 + random.below(7), n = 1 + random.below(7), k = random.below(40);
        ++seed;
        Product<In, Out> p({m, n, k, lay, all_lays[seed % 5], all_lays[seed % 3]}, ta, tb);
        fill(p.a, [&] { return small_number<In>(random); });
        fill(p.b, [&] { return small_number<In>(random); });
        fill(p.c, [&] { return small_number<Out>(random); });
        p.alpha = small_number<typename Product<In, Out>::Factor>(random);
        p.beta = small_number<typename Product<In, Out>::Factor>(random);
        expect_exact(p);
      }
    }
  }
  for (const std::size_t n : {16, 17, 33})
    for (const std::size_t k : {0, 1, 31, 32, 33, 70}) {
      Product<In, Out> p({n, n + 2, k, Lay::right, Lay::left}, "N", "T");
      fill(p.a, [&] { return any_number<In>(random, false); });
      fill(p.b, [&] { return any_number<In>(random, false); });
      expect_exact(p);
    }
}

TYPED_TEST(GemmExact, MatrixTimesVector) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(7);
  const std::pair<std::size_t, std::size_t> shapes[] = {{11, 1}, {11, 40}, {11, 900}, {300, 900}};
  for (const char* ta : {"N", "T", "C"}) {
    for (const auto& [rows, k] : shapes) {
      Product<In, Out> p({rows, 1, k, Lay::right_block, Lay::strided, Lay::strided}, ta, "N");
      const bool is_small = rows == 300;  // by residues on a GPU
      fill(p.a,
           [&] { return is_small ? small_number<In>(random) : any_number<In>(random, false); });
      fill(p.b, [&] { return small_number<In>(random); });
      fill(p.c, [&] { return small_number<Out>(random); });
      p.beta = -1;
      expect_exact(p, "vector");
    }
  }
}

/// Every kind of alpha and beta, and infinities and NaN.
TYPED_TEST(GemmExact, FactorsOfAnyKind) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  using Factor = typename Product<In, Out>::Factor;
  using R = real_t<Factor>;
  using Limits = std::numeric_limits<R>;
  Random random(2);
  const R all[] = {R(0),
                   R(-0.0),
                   R(1),
                   R(-1),
                   R(-0.25),
                   R(0.1),
                   Limits::denorm_min(),
                   -3 * Limits::denorm_min(),
                   Limits::max(),
                   -Limits::max() / 3,
                   Limits::infinity(),
                   Limits::quiet_NaN()};
  const auto factor = [&](const R& re) {
    if constexpr (is_complex<Factor>) {
      return Factor(re, all[random.below(2) ? random.below(12) : 0]);
    } else {
      return re;
    }
  };
  for (const R alpha : all) {
    for (const R beta : all) {
      for (int kind = 0; kind < 3; ++kind) {
        Product<In, Out> p({3, 4, 5}, "N", "N");
        const auto number = [&]<class T>(T) {
          return kind == 0 ? small_number<T>(random) : any_number<T>(random, kind == 2);
        };
        fill(p.a, [&] { return number(In()); });
        fill(p.b, [&] { return number(In()); });
        fill(p.c, [&] { return number(Out()); });
        p.alpha = factor(alpha);
        p.beta = factor(beta);
        expect_exact(p, "alpha " + std::to_string(alpha) + " beta " + std::to_string(beta));
      }
    }
  }
}

/// C is not read where beta is zero, nor A and B where alpha is.
TYPED_TEST(GemmExact, ZeroFactorsReadNothing) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(3);
  Product<In, Out> p({3, 4, 50}, "N", "N");
  fill(p.a, [&] { return small_number<In>(random); });
  fill(p.b, [&] { return small_number<In>(random); });
  fill(p.c, [] { return static_cast<Out>(std::numeric_limits<float>::quiet_NaN()); });
  expect_exact(p, "beta = 0");
  const auto got = ExactProducts<In, Out>{p}.by_gemm();
  for (std::size_t i = 0; i < 3; ++i)
    for (const auto x : parts(got(i, 1))) EXPECT_EQ(static_cast<float>(x), static_cast<float>(x));
  fill(p.a, [] { return static_cast<In>(std::numeric_limits<float>::quiet_NaN()); });
  fill(p.c, [&] { return small_number<Out>(random); });
  p.alpha = 0;
  for (const float beta : {0.0f, 1.0f, -0.5f}) {
    p.beta = beta;
    expect_exact(p, "alpha = 0");
  }
}

/// Zeros of each sign, alone and among numbers: a sum of -0 alone is -0.
TYPED_TEST(GemmExact, SignsOfZeros) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(4);
  for (int round = 0; round < 40; ++round) {
    Product<In, Out> p({6, 6, std::size_t(round) % 5}, "C", "N");
    const int negative = round % 4;
    const auto zero = [&] {
      const auto one = [&] {
        const bool minus = negative == 3 ? random.below(2) != 0 : negative == 1;
        return static_cast<real_t<In>>(minus ? -0.0f : 0.0f);
      };
      const auto re = one();
      if constexpr (is_complex<In>) {
        return In(re, one());
      } else {
        return re;
      }
    };
    fill(p.a, zero);
    fill(p.b, [&] { return round % 2 ? small_number<In>(random) : zero(); });
    fill(p.c, [&] { return static_cast<Out>(random.below(2) ? 0.0f : -0.0f); });
    p.alpha = round % 3 == 0 ? -1 : 1;
    p.beta = round % 5 == 0 ? 0 : round % 5 == 1 ? -2 : 1;
    expect_exact(p, "zeros");
  }
}

/// A = [x, -x]: every product is there with both signs, and all cancel; or all except the last.
TYPED_TEST(GemmExact, ProductsThatCancel) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(5);
  for (const bool wide : {false, true}) {
    for (const bool rest : {false, true}) {
      const std::size_t half = 90;
      Product<In, Out> p({4, 5, 2 * half + 1}, "N", "N");
      for (std::size_t k = 0; k < half; ++k) {
        for (std::size_t i = 0; i < 4; ++i) {
          const In x = wide ? any_number<In>(random, false) : small_number<In>(random);
          p.a(i, k) = x;
          p.a(i, k + half) = -x;
        }
        for (std::size_t j = 0; j < 5; ++j)
          p.b(k, j) = p.b(k + half, j) =
              wide ? any_number<In>(random, false) : small_number<In>(random);
      }
      for (std::size_t i = 0; i < 4; ++i) p.a(i, 2 * half) = any_number<In>(random, false);
      for (std::size_t j = 0; j < 5; ++j)
        p.b(2 * half, j) = static_cast<In>(rest ? 0.0009765625f : 0.0f);
      expect_exact(p, wide ? "wide" : "narrow");
      // Only the rest says which infinity it is.
      using Factor = typename Product<In, Out>::Factor;
      p.alpha = Factor(std::numeric_limits<real_t<Factor>>::infinity());
      expect_exact(p, wide ? "wide, infinite alpha" : "infinite alpha");
    }
  }
}

/// Sums that lie half-way between two results, and a tiny product far below that breaks the tie.
TYPED_TEST(GemmExact, Ties) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  using R = real_t<In>;
  const auto format = format_of<real_t<Out>>();
  const int lowest = acc::impl::is_half_scalar<R> ? -9 : std::is_same_v<R, double> ? -530 : -70;
  // 1 + m ulp + ulp / 2, as products of powers of two; then a product of 2^(2 lowest).
  for (const int odd : {0, 1}) {
    for (const int breaks : {-1, 0, 1}) {
      for (const int alpha : {1, -1, 3}) {
        Product<In, Out> p({2, 3, 40}, "N", "N");
        fill(p.a, [] { return In(R(0)); });
        fill(p.b, [] { return In(R(1)); });
        const auto power = [](int e) { return static_cast<R>(std::ldexp(1.0, e)); };
        const int ulp = 1 - format.bits;
        for (std::size_t i = 0; i < 2; ++i) {
          p.a(i, 3) = In(R(1));
          // ulp is a product of two numbers: half precision has no such number itself.
          p.a(i, 7) = In(odd ? power(ulp / 2) : R(0));
          p.a(i, 20) = In(power(ulp / 2));
          p.a(i, 39) = In(static_cast<R>(static_cast<float>(breaks)) * power(lowest));
        }
        for (std::size_t j = 0; j < 3; ++j) {
          p.b(7, j) = In(power(ulp - ulp / 2));
          p.b(20, j) = In(power(ulp - ulp / 2 - 1));
          p.b(39, j) = In(power(lowest));
        }
        p.alpha = static_cast<float>(alpha);
        expect_exact(p, "tie " + std::to_string(odd) + " " + std::to_string(breaks));
        // The tie is C's, and what breaks it A's.
        p.beta = 1;
        fill(p.c, [] { return Out(real_t<Out>(1.5f)); });
        expect_exact(p, "tie with C");
      }
    }
  }
}

/// Rows of dots of any condition, to 2^200.
TYPED_TEST(GemmExact, ConditionsTo2To200) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  using R = real_t<In>;
  if constexpr (!acc::impl::is_half_scalar<R>) {
    const int top = std::is_same_v<R, float> ? 60 : 200;
    const std::size_t rows = 9, depth = 120;
    Product<In, Out> p({rows, rows, depth}, "N", "N");
    for (std::size_t i = 0; i < rows; ++i) {
      const auto pair =
          acc_oracle::gendot<R>(depth, double(top) * double(i + 1) / double(rows), i + 1);
      for (std::size_t k = 0; k < depth; ++k) {
        p.a(i, k) = In(pair.x[k]);
        p.b(k, i) = In(pair.y[k]);
        if constexpr (is_complex<In>) {
          p.a(i, k) = In(pair.x[k], pair.x[k]);
          p.b(k, i) = In(pair.y[k], -pair.y[depth - 1 - k]);
        }
      }
    }
    expect_exact(p, "condition");
    // The rest after the rounded product is taken away.
    p.c = ExactProducts<In, Out>{p}.by_gemm();
    p.beta = -1;
    expect_exact(p, "rest");
  }
}

/// Each family of hard numbers takes another way through windows and special values.
TYPED_TEST(GemmExact, HardNumbers) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  if constexpr (!acc::impl::is_half_scalar<real_t<In>>) {
    std::uint64_t seed = 1;
    for (const Hard family : all_hard) {
      for (const std::size_t k : {3, 100, 1000}) {
        Product<In, Out> p({3, 4, k, Lay::right, Lay::left}, "N", "C");
        const Hard other = seed % 4 == 1 ? family : Hard::decades;
        p.a.fill(hard_elements<In>(family, p.a.rows * p.a.columns, seed++));
        p.b.fill(hard_elements<In>(other, p.b.rows * p.b.columns, seed++));
        p.c.fill(std::vector<Out>(12, Out(1)));
        expect_exact(p, "family " + std::to_string(int(family)));
        p.alpha = static_cast<typename Product<In, Out>::Factor>(0.3f);
        p.beta = -1;
        expect_exact(p, "scaled family " + std::to_string(int(family)));
      }
    }
  }
}

/// Products beyond the largest number whose sum is none, and one huge product among tiny ones.
TYPED_TEST(GemmExact, OverflowOnTheWay) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  using R = real_t<In>;
  if constexpr (!acc::impl::is_half_scalar<R>) {
    using Limits = std::numeric_limits<R>;
    Product<In, Out> p({2, 2, 6}, "N", "N");
    fill(p.b, [] { return In(Limits::max()); });
    const R row[] = {Limits::max(),  Limits::max(),        -Limits::max(),
                     -Limits::max(), Limits::denorm_min(), Limits::denorm_min() * 3};
    for (std::size_t k = 0; k < 6; ++k) {
      p.a(0, k) = In(row[k]);
      p.a(1, 5 - k) = In(row[k]);
      p.b(k, 1) = In(Limits::denorm_min());
    }
    expect_exact(p, "overflow on the way");
    p.alpha = static_cast<typename Product<In, Out>::Factor>(
        std::numeric_limits<real_t<typename Product<In, Out>::Factor>>::denorm_min());
    expect_exact(p, "scaled back");
    p.a(0, 3) = In(Limits::max());
    expect_exact(p, "overflow");
  }
}

/// The bits do not depend on the order of the products.
TYPED_TEST(GemmExact, AnyOrderOfProducts) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(8);
  Product<In, Out> p({5, 6, 300}, "N", "N");
  fill(p.a, [&] { return any_number<In>(random, false); });
  fill(p.b, [&] { return any_number<In>(random, false); });
  const auto want = ExactProducts<In, Out>{p}.by_gemm();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::size_t> order(p.depth);
    for (std::size_t k = 0; k < p.depth; ++k) order[k] = k;
    acc_oracle::shuffle(order, random);
    Product<In, Out> q = p;
    for (std::size_t k = 0; k < p.depth; ++k) {
      for (std::size_t i = 0; i < 5; ++i) q.a(i, k) = p.a(i, order[k]);
      for (std::size_t j = 0; j < 6; ++j) q.b(k, j) = p.b(order[k], j);
    }
    ExactProducts<In, Out>{q}.expect_ways_agree(want, "permuted");
  }
}

TYPED_TEST(GemmExact, LongProducts) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(9);
  struct Case {
    std::size_t columns, k;
    bool is_small;
  };
  // The last two are by residues on a GPU, if they fit.
  for (const Case& c :
       {Case{2, 70'000, true}, {2, 200'000, false}, {20, 20'000, true}, {20, 20'000, false}}) {
    Product<In, Out> p({1, c.columns, c.k, Lay::right, Lay::left}, "N", "N");
    fill(p.a,
         [&] { return c.is_small ? small_number<In>(random) : any_number<In>(random, false); });
    fill(p.b, [&] { return small_number<In>(random); });
    expect_exact(p, "long");
  }
}

/// Larger products: some entries against the oracle, all against the generic machine.
TYPED_TEST(GemmExact, LargerProducts) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  Random random(10);
  for (const bool wide : {false, true}) {
    Product<In, Out> p({150, 170, 130, Lay::strided, Lay::left_block, Lay::left}, "N", "N");
    const auto number = [&] {
      return wide ? any_number<In>(random, false) : small_number<In>(random);
    };
    fill(p.a, number);
    fill(p.b, number);
    p.alpha = 1;
    const ExactProducts<In, Out> products{p};
    const auto got = products.by_gemm();
    p.expect_same(got, products.by_generic(false), "generic");
    for (int n = 0; n < 60; ++n) {
      const std::size_t i = random.below(150), j = random.below(170);
      const Out want = products.entry(i, j);
      EXPECT_EQ(p.text(want), p.text(got(i, j))) << i << ", " << j;
    }
  }
}

/// ACC_TEST_FUZZ_CASES entries of small products of any numbers; by default a few thousand.
TYPED_TEST(GemmExact, Fuzz) {
  using In = typename TypeParam::in;
  using Out = typename TypeParam::out;
  const char* const cases = std::getenv("ACC_TEST_FUZZ_CASES");
  const long entries = cases == nullptr ? 3000 : std::atol(cases);
  Random random(11);
  for (long done = 0; done < entries;) {
    Product<In, Out> p({1 + random.below(4), 1 + random.below(6), random.below(12)},
                       random.below(2) ? "N" : "C", random.below(2) ? "N" : "C");
    const auto number = [&]<class T>(T) {
      return random.below(2) ? any_number<T>(random, random.below(4) == 0)
                             : small_number<T>(random);
    };
    fill(p.a, [&] { return number(In()); });
    fill(p.b, [&] { return number(In()); });
    fill(p.c, [&] { return number(Out()); });
    using Factor = typename Product<In, Out>::Factor;
    if (random.below(2)) p.alpha = number(Factor());
    if (random.below(2)) p.beta = number(Factor());
    expect_exact(p, "fuzz");
    done += long(p.c.rows * p.c.columns);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace acc_test
