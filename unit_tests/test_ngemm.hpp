// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::ngemm: the bits of its definition, its errors against the exact product, and what infinities
// and NaN reach.
#pragma once

#include "bounds.hpp"
#include "gemm_calls.hpp"
#include "reference_ngemm.hpp"

#include <acc/ngemm.hpp>

#include <cstring>

namespace acc_test {
namespace {

using acc::ngemm_options;
constexpr auto outer_product = acc::ngemm_recursion::outer_product;

template <class T>
class Ngemm : public testing::Test {
 public:
  template <class Method>
  static Matrix<T> by_ngemm(const Product<T>& p, const ngemm_options& options,
                            const Method& method) {
    return p.by([&](const Exec& exec, const GemmCall<T, T>& call) {
      acc::ngemm(exec, call.trans_a, call.trans_b, call.alpha, call.a, call.b, call.beta, call.c,
                 options, method);
    });
  }
  /// C as the definition has it, with as many levels.
  template <class Method>
  static Matrix<T> by_definition(const Product<T>& p, const ngemm_options& options, int levels,
                                 const Method& method) {
    reference::Dense<T> a(p.c.rows, p.depth), b(p.depth, p.c.columns), c(p.c.rows, p.c.columns);
    for (std::size_t i = 0; i < p.c.rows; ++i)
      for (std::size_t k = 0; k < p.depth; ++k) a(i, k) = p.a.operated(p.trans_a, i, k);
    for (std::size_t j = 0; j < p.c.columns; ++j)
      for (std::size_t k = 0; k < p.depth; ++k) b(k, j) = p.b.operated(p.trans_b, k, j);
    for (std::size_t i = 0; i < p.c.rows; ++i)
      for (std::size_t j = 0; j < p.c.columns; ++j) c(i, j) = p.c(i, j);
    if (levels == 0)
      reference::gemm(method, p.alpha, a, b, p.beta, c);
    else if (options.recursion == outer_product)
      reference::ngemm_by_outer_products(method, p.alpha, a, b, p.beta, c, levels);
    else
      reference::ngemm_by_winograd(method, p.alpha, a, b, p.beta, c, levels);
    Matrix<T> r = p.c;
    for (std::size_t i = 0; i < p.c.rows; ++i)
      for (std::size_t j = 0; j < p.c.columns; ++j) r(i, j) = c(i, j);
    return r;
  }
  template <class Method>
  static void expect_definition(const Product<T>& p, const ngemm_options& options, int levels,
                                const Method& method, const std::string& what) {
    Product<T>::expect_same(by_definition(p, options, levels, method), by_ngemm(p, options, method),
                            name(method) + ", " + what);
  }
  template <class Body>
  static void for_base_methods(const Body& body) {
    body(acc::plain{});
    body(acc::selective<acc::seeded>{20});
    if constexpr (sizeof(T) == 4) body(acc::widened{});
  }
};
using NgemmTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Ngemm, NgemmTypes);

TYPED_TEST(Ngemm, HasTheBitsOfItsDefinition) {
  using T = TypeParam;
  struct Case {
    Shape shape;
    int depth, levels;
  };
  const Case cases[] = {
      {{32, 32, 32}, 1, 1},
      {{37, 45, 51, Lay::right, Lay::left, Lay::left_block}, 1, 1},
      {{64, 70, 131, Lay::left_block, Lay::right_block, Lay::right}, 2, 2},
      {{131, 64, 64, Lay::strided, Lay::strided, Lay::strided}, 2, 2},
      {{131, 150, 129, Lay::left, Lay::left, Lay::left}, 3, 3},
      {{90, 33, 200, Lay::right, Lay::right, Lay::right}, 5, 1},  // 33 columns: one level
      {{31, 100, 100}, 2, 0},
      {{40, 50, 60}, 0, 0},
  };
  for (const Case& c : cases) {
    for (const char* ops : {"NN", "TN", "NT", "CC"}) {
      const char ta[] = {ops[0], '\0'}, tb[] = {ops[1], '\0'};
      const ngemm_options options{.depth = c.depth};
      const auto levels = acc::ngemm_depth<T>(std::int64_t(c.shape.m), std::int64_t(c.shape.n),
                                              std::int64_t(c.shape.k), options);
      EXPECT_EQ(levels, c.levels);
      Product<T> p(c.shape, ta, tb, Data::positive, Data::positive, c.shape.k);
      this->for_base_methods([&](const auto& method) {
        p.alpha = 1, p.beta = 0;
        this->expect_definition(p, options, c.levels, method, ops);
        if (ops[0] != 'T') return;
        p.alpha = T(0.7), p.beta = T(-1.3);
        this->expect_definition(p, options, c.levels, method, std::string(ops) + ", scaled");
        p.alpha = 1, p.beta = 1;
        this->expect_definition(p, options, c.levels, method, std::string(ops) + ", added");
      });
    }
  }
}

TYPED_TEST(Ngemm, HasItsBitsOnSignedAndWideData) {
  using T = TypeParam;
  for (const Data data : {Data::uniform, Data::wide, Data::subnormal, Data::massive_cancellation}) {
    const Product<T> p({70, 67, 75}, "N", "T", data, Data::uniform, 5);
    this->for_base_methods([&](const auto& method) {
      this->expect_definition(p, {.depth = 2}, 2, method, std::string(name(data)));
    });
  }
}

TYPED_TEST(Ngemm, OuterProducts) {
  using T = TypeParam;
  for (const Shape& s : {Shape{17, 9, 100}, Shape{5, 6, 7}, Shape{3, 4, 1}, Shape{20, 33, 257}}) {
    for (const int depth : {1, 2, 3}) {
      const ngemm_options options{.recursion = outer_product, .depth = depth};
      const int levels =
          acc::ngemm_depth<T>(std::int64_t(s.m), std::int64_t(s.n), std::int64_t(s.k), options);
      EXPECT_LE(1 << levels, s.k);
      Product<T> p(s, "N", "N", Data::uniform, Data::positive, s.k);
      this->for_base_methods([&](const auto& method) {
        p.alpha = 1, p.beta = 0;
        this->expect_definition(p, options, levels, method, "outer products");
        p.alpha = T(-0.3), p.beta = T(2);
        this->expect_definition(p, options, levels, method, "outer products, scaled");
      });
    }
  }
  // Plain pieces that are added plainly are gemm's blocked, "postload".
  const Product<T> p({30, 40, 512}, "N", "N", Data::positive, Data::positive, 1);
  Product<T>::expect_same(
      p.by_gemm(acc::blocked{128}),
      this->by_ngemm(p, {.recursion = outer_product, .cutoff = 128}, acc::plain{}), "blocked");
  // Of several sections, only where each piece is one: blocked adds strips section by section (W7).
  const std::size_t section = std::size_t(acc::gemm_section);
  const Product<T> q({3, 40, 4 * section}, "N", "N", Data::positive, Data::positive, 1);
  Product<T>::expect_same(q.by_gemm(acc::blocked{acc::gemm_section}),
                          this->by_ngemm(q, {.recursion = outer_product, .depth = 2}, acc::plain{}),
                          "blocked, sections");
  const auto strips = q.by_gemm(acc::blocked{512});
  const auto pieces = this->by_ngemm(q, {.recursion = outer_product, .depth = 4}, acc::plain{});
  EXPECT_NE(
      std::memcmp(strips.memory.data(), pieces.memory.data(), strips.memory.size() * sizeof(T)), 0);
}

TYPED_TEST(Ngemm, DepthFollowsTheLeaf) {
  using T = TypeParam;
  const auto depth = [](std::int64_t m, std::int64_t n, std::int64_t k, ngemm_options options) {
    return acc::ngemm_depth<T>(m, n, k, options);
  };
  EXPECT_EQ(depth(1024, 1024, 1024, {.cutoff = 256}), 2);
  EXPECT_EQ(depth(1023, 5000, 5000, {.cutoff = 256}), 1);
  EXPECT_EQ(depth(1023, 5000, 5000, {.cutoff = 1}), 5);  // 16 rows at least
  EXPECT_EQ(depth(255, 5000, 5000, {.cutoff = 256}), 0);
  EXPECT_EQ(depth(0, 5000, 5000, {.cutoff = 256}), 0);
  EXPECT_EQ(depth(1024, 1024, 1024, {.depth = 1, .cutoff = 256}), 1);
  EXPECT_EQ(depth(64, 64, 64, {.depth = 9, .cutoff = 256}), 2);
  EXPECT_EQ(depth(8, 8, 1024, {.recursion = outer_product, .cutoff = 256}), 2);
  EXPECT_EQ(depth(8, 8, 5, {.recursion = outer_product, .depth = 9}), 2);
  // The defaults, on every execution space alike.
  const std::int64_t cutoff = sizeof(T) == 4 ? 2048 : 4096;
  EXPECT_EQ(depth(2 * cutoff - 1, 9 * cutoff, 9 * cutoff, {}), 0);
  EXPECT_EQ(depth(2 * cutoff, 9 * cutoff, 9 * cutoff, {}), 1);
  EXPECT_EQ(depth(1, 1, 2047, {.recursion = outer_product}), 0);
  EXPECT_EQ(depth(1, 1, 2048, {.recursion = outer_product}), 1);
  const Product<T> p({70, 67, 75}, "N", "T", Data::positive, Data::positive, 5);
  Product<T>::expect_same(this->by_ngemm(p, {.depth = 1}, acc::plain{}),
                          this->by_ngemm(p, {.cutoff = 33}, acc::plain{}), "cutoff");
}

// BLAS: what is multiplied by zero is not read.
TYPED_TEST(Ngemm, ReadsWhatItMust) {
  using T = TypeParam;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const ngemm_options options{.depth = 1};
  Product<T> p({40, 40, 40}, "N", "N", Data::positive, Data::positive, 5);
  const Matrix<T> want = this->by_ngemm(p, options, acc::plain{});
  p.c.fill(std::vector<T>(1600, nan));
  Product<T>::expect_same(want, this->by_ngemm(p, options, acc::plain{}), "beta = 0");
  p.c.fill(std::vector<T>(1600, T(3)));
  p.a.fill(std::vector<T>(1600, nan));
  p.alpha = 0, p.beta = 2;
  EXPECT_EQ(this->by_ngemm(p, options, acc::plain{})(7, 9), T(6));
  Product<T> empty({40, 40, 0}, "N", "N", Data::positive, Data::positive, 5);
  for (const auto recursion : {acc::ngemm_recursion::winograd, outer_product}) {
    const ngemm_options o{.recursion = recursion, .depth = 2};
    empty.beta = 0;
    EXPECT_EQ(bits(this->by_ngemm(empty, o, acc::plain{})(3, 3)), bits(T(0)));
    empty.beta = 1;
    Product<T>::expect_same(empty.c, this->by_ngemm(empty, o, acc::plain{}), "K = 0, beta = 1");
    const Product<T> none({0, 40, 40}, "N", "N", Data::positive, Data::positive, 5);
    Product<T>::expect_same(none.c, this->by_ngemm(none, o, acc::plain{}), "M = 0");
  }
}

TYPED_TEST(Ngemm, InfinitiesAndNaNStayInTheirRowOrColumn) {
  using T = TypeParam;
  constexpr T inf = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  for (const T bad : {inf, T(-inf), nan}) {
    Product<T> p({70, 67, 75}, "N", "N", Data::positive, Data::positive, 5);
    const Matrix<T> clean = p.by_gemm(acc::plain{});
    p.a(20, 3) = bad;
    p.b(40, 50) = bad;
    this->for_base_methods([&](const auto& method) {
      const Matrix<T> got = this->by_ngemm(p, {.depth = 2}, method);
      const Matrix<T> by_gemm = p.by_gemm(method);
      for (std::size_t i = 0; i < 70; ++i) {
        for (std::size_t j = 0; j < 67; ++j) {
          if (i == 20 || j == 50)
            ASSERT_EQ(bits(got(i, j)), bits(by_gemm(i, j))) << i << ' ' << j;
          else
            ASSERT_NEAR(got(i, j), clean(i, j), 1e-5 * clean(i, j)) << i << ' ' << j;
        }
      }
    });
  }
}

TYPED_TEST(Ngemm, OverflowOfSumsDoesNotShow) {
  using T = TypeParam;
  // A's elements are near the end of the range: A21 + A22 overflows, no entry of C does. All of the
  // divided part but C11 = A11 B11 + A12 B21 is computed again, by plain or in double.
  Product<T> p({33, 35, 34}, "N", "N", Data::positive, Data::positive, 5);
  for (std::size_t i = 0; i < 33; ++i)
    for (std::size_t k = 0; k < 34; ++k)
      p.a(i, k) = std::numeric_limits<T>::max() * (T(0.5) + p.a(i, k) / 2);
  for (std::size_t k = 0; k < 34; ++k)
    for (std::size_t j = 0; j < 35; ++j) p.b(k, j) = (1 + p.b(k, j)) * T(0x1p-9);
  const auto expect_plain = [&](const auto& base, const auto& method) {
    for (const auto& [alpha, beta] : {std::pair(T(1), T(0)), std::pair(T(0.3), T(-7))}) {
      p.alpha = alpha, p.beta = beta;
      const Matrix<T> got = this->by_ngemm(p, {.depth = 1}, base), want = p.by_gemm(method);
      for (std::size_t i = 0; i < 32; ++i) {
        for (std::size_t j = 0; j < 32; ++j) {
          if (i < 16 && j < 16) continue;
          ASSERT_TRUE(std::isfinite(want(i, j)));
          ASSERT_EQ(bits(got(i, j)), bits(want(i, j))) << i << ' ' << j << ' ' << beta;
        }
      }
    }
  };
  expect_plain(acc::plain{}, acc::plain{});
  expect_plain(acc::selective<acc::seeded>{20}, acc::plain{});
  if constexpr (sizeof(T) == 4) expect_plain(acc::widened{}, acc::widened{});
}

/// The largest relative and normwise errors over every eleventh entry.
template <class T>
struct Errors {
  double relative = 0, normwise = 0;
  Errors(const Product<T>& p, const Matrix<T>& got) {
    double a = 0, b = 0;
    for (const T x : p.a.memory) a = std::max(a, double(std::abs(x)));
    for (const T x : p.b.memory) b = std::max(b, double(std::abs(x)));
    std::vector<T> x(p.depth), y(p.depth);
    for (std::size_t i = 0; i < p.c.rows; ++i) {
      for (std::size_t j = i % 11; j < p.c.columns; j += 11) {
        for (std::size_t k = 0; k < p.depth; ++k) x[k] = p.a(i, k), y[k] = p.b(k, j);
        const Exact exact = exact_dot<T>(x, y);
        const Exact error = abs(Exact(double(got(i, j))) - exact);
        relative = std::max(relative, relative_error(Exact(double(got(i, j))), exact));
        normwise = std::max(normwise, round_to<double>(error) / a / b);
      }
    }
  }
};

// Figures 6 and 7 of Badin et al. 2013: on [0, 1], where entries are alike, levels make plain more
// accurate.
TYPED_TEST(Ngemm, IsNoWorseThanPlainOnNonNegativeData) {
  using T = TypeParam;
  const Product<T> p({256, 256, 512}, "N", "N", Data::positive, Data::positive, 11);
  const double plain = Errors<T>(p, p.by_gemm(acc::plain{})).relative;
  for (const int depth : {1, 2, 3}) {
    for (const auto recursion : {acc::ngemm_recursion::winograd, outer_product}) {
      const ngemm_options options{.recursion = recursion, .depth = depth};
      EXPECT_LE(Errors<T>(p, this->by_ngemm(p, options, acc::plain{})).relative, plain)
          << depth << (recursion == outer_product ? ", outer products" : ", Winograd");
    }
  }
}

// Higham 2002, theorem 23.3, whose u^2 terms are far below.
TYPED_TEST(Ngemm, KeepsItsNormwiseBoundForAnySigns) {
  using T = TypeParam;
  for (const Data data : {Data::uniform, Data::alternating, Data::positive}) {
    const Product<T> p({128, 128, 128}, "N", "N", data, Data::uniform, 3);
    for (const int depth : {0, 1, 2, 3}) {
      const double n = 128, n0 = n / (1 << depth);
      const double bound = (std::pow(18, depth) * (n0 * n0 + 6 * n0) - 6 * n) * u<T>;
      EXPECT_LE(Errors<T>(p, this->by_ngemm(p, {.depth = depth}, acc::plain{})).normwise, bound)
          << name(data) << ' ' << depth;
    }
  }
}

/// A transition matrix whose rows sum to 1 exactly.
template <class T>
void make_stochastic(Matrix<T>& p, std::uint64_t seed) {
  Random random(seed);
  const std::size_t n = p.rows;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> weight(n);
    double sum = 0;
    for (double& w : weight) sum += w = random.unit<double>();
    double left = 0x1p29;
    for (std::size_t j = 0; j < n; ++j) {
      const double part = j + 1 < n ? std::floor(weight[j] / sum * 0x1p29) : left;
      left -= part;
      p(i, j) = static_cast<T>(part * 0x1p-29);
      ASSERT_EQ(double(p(i, j)), part * 0x1p-29);
    }
  }
}

// And where they are not alike: the bound is one of the largest, and documents say so. This keeps
// them honest.
TYPED_TEST(Ngemm, SmallEntriesOfNonNegativeProductsLoseTheirDigits) {
  using T = TypeParam;
  Product<T> p({64, 64, 64}, "N", "N", Data::positive, Data::positive, 3);
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t k = 0; k < 64; ++k) {
      const std::size_t distance = i < k ? k - i : i - k;
      p.a(i, k) = distance < 2 ? (1 + p.a(i, k)) / 6 : T(0);
      p.b(i, k) = distance < 2 ? (1 + p.b(i, k)) / 6 : T(0);
    }
  }
  const Matrix<T> plain = p.by_gemm(acc::plain{});
  const Matrix<T> got = this->by_ngemm(p, {.depth = 2}, acc::plain{});
  std::size_t not_zero = 0, negative = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = 0; j < 64; ++j) {
      not_zero += plain(i, j) == 0 && got(i, j) != 0;
      negative += got(i, j) < 0;
    }
  }
  EXPECT_GT(not_zero, 0U);
  EXPECT_GT(negative, 0U);
  EXPECT_LT(Errors<T>(p, got).normwise, 1e3 * u<T>);
}

// Dense Markov chains, the paper's use: a power of a transition matrix has rows that sum to 1.
TYPED_TEST(Ngemm, KeepsRowSumsOfPowersOfTransitionMatrices) {
  using T = TypeParam;
  const std::size_t n = 128;
  // The mean square of the row sums' distance from 1 after 64 steps, of 16 chains.
  const auto drift = [&](const auto& multiply) {
    double squares = 0;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      Product<T> power({n, n, n}, "N", "N");
      make_stochastic(power.a, seed);
      for (int squarings = 0; squarings < 6; ++squarings) {
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) power.b(i, j) = power.a(i, j);
        const Matrix<T> square = multiply(power);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) power.a(i, j) = square(i, j);
      }
      for (std::size_t i = 0; i < n; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += power.a(i, j);
        squares += std::pow(static_cast<double>(sum - 1), 2);
      }
    }
    return squares / double(16 * n);
  };
  const double plain = drift([](const Product<T>& p) { return p.by_gemm(acc::plain{}); });
  for (const int depth : {1, 2, 3}) {
    EXPECT_LT(drift([&](const Product<T>& p) {
                return this->by_ngemm(p, {.depth = depth}, acc::plain{});
              }),
              plain)
        << depth;
  }
}

}  // namespace
}  // namespace acc_test
