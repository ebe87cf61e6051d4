// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products with infinities, NaN, zeros of both signs and sums that overflow: what IEEE
// arithmetic gives in plain, entry by entry, by every method.
#pragma once

#include "gemm_calls.hpp"

namespace acc_test {
namespace {

template <class T>
class GemmSpecial : public testing::Test {
 public:
  using R = real_t<T>;
  static constexpr R inf = std::numeric_limits<R>::infinity();
  static constexpr R max = std::numeric_limits<R>::max();
  static R nan() {  // with sign and payload: not the one NaN that results have
    if constexpr (sizeof(R) == 8) {
      return std::bit_cast<R>(std::uint64_t(0xfff8dead00000001));
    } else {
      return std::bit_cast<R>(std::uint32_t(0xffc0beef));
    }
  }
  /// Infinities and NaN, in either part of a complex number.
  static std::vector<T> not_finite() {
    std::vector<T> x{T(inf), T(-inf), T(nan())};
    if constexpr (is_complex<T>) {
      x.push_back(T(1, inf));
      x.push_back(T(nan(), 2));
      x.push_back(T(-inf, nan()));
    }
    return x;
  }
};
using GemmSpecialTypes =
    testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(GemmSpecial, GemmSpecialTypes);

TYPED_TEST(GemmSpecial, OneBadElementReachesItsRowOrColumnAlone) {
  using T = TypeParam;
  // Tiles that are whole and tiles at edges; depths of more than a piece of what is summed again.
  for (const Shape& s : {Shape{17, 35, 20}, Shape{16, 5, 600, Lay::right, Lay::right, Lay::right},
                         Shape{5, 18, 300, Lay::left, Lay::strided, Lay::left}}) {
    const Product<T> clean(s, "N", "T", Data::uniform, Data::uniform, s.k);
    const std::size_t row = s.m - 2, column = s.n / 2, at = s.k * 3 / 4;
    for_methods<T>({16}, [&](const auto& method) {
      const Matrix<T> before = clean.by_gemm(method);
      for (const T bad : {this->not_finite().back(), T(this->inf)}) {
        Product<T> in_a = clean, in_b = clean;
        in_a.a(row, at) = bad;
        in_b.b(column, at) = bad;
        in_a.expect_definition(method, "in A");
        in_b.expect_definition(method, "in B");
        const Matrix<T> after_a = in_a.by_gemm(method), after_b = in_b.by_gemm(method);
        for (std::size_t i = 0; i < s.m; ++i) {
          for (std::size_t j = 0; j < s.n; ++j) {
            if (i != row) {
              ASSERT_EQ(bits(after_a(i, j)), bits(before(i, j))) << "A's row is not " << i;
            }
            if (j != column) {
              ASSERT_EQ(bits(after_b(i, j)), bits(before(i, j))) << "B's column is not " << j;
            }
          }
        }
      }
    });
  }
}

TYPED_TEST(GemmSpecial, NotFiniteIsAsInPlain) {
  using T = TypeParam;
  Product<T> p({9, 18, 70}, "C", "N", Data::uniform, Data::uniform, 1);
  const auto bad = this->not_finite();
  for (std::size_t e = 0; e < bad.size(); ++e) {
    p.a(3 * e % 70, e % 9) = bad[e];
    p.b((7 * e + 1) % 70, 2 * e % 18) = bad[e];
  }
  p.b(3, 2) = T(0);  // infinity times zero
  for (const T beta : {T(0), T(-2)}) {
    p.beta = beta;
    const auto plain = p.by_gemm(acc::plain{});
    for_methods<T>({8}, [&](const auto& method) {
      p.expect_definition(method);
      const auto got = p.by_gemm(method);
      for (std::size_t i = 0; i < 9; ++i) {
        for (std::size_t j = 0; j < 18; ++j) {
          const auto g = parts(got(i, j)), w = parts(plain(i, j));
          for (std::size_t k = 0; k < g.size(); ++k) {
            if (!std::isfinite(w[k])) {
              ASSERT_EQ(bits(g[k]), bits(w[k])) << name(method) << ": " << i << ", " << j;
            }
          }
        }
      }
    });
  }
}

/// In each section, and in several of them; an infinity and its opposite in two.
TYPED_TEST(GemmSpecial, NotFiniteInSections) {
  using T = TypeParam;
  constexpr std::size_t section = std::size_t(acc::gemm_section), depth = 2 * section + 40;
  Product<T> p({9, 18, depth, Lay::right, Lay::left, Lay::left}, "N", "N", Data::uniform,
               Data::uniform, 1);
  const auto bad = this->not_finite();
  for (std::size_t e = 0; e < bad.size(); ++e) {
    p.a(e % 8, (e * section + 5) % depth) = bad[e];
    p.b((e * section + 7) % depth, 2 * e) = bad[e];
  }
  p.b(9, 11) = p.b(section + 9, 11) = T(this->inf);
  p.b(9, 13) = p.b(2 * section + 9, 13) = T(this->max);  // sums that overflow between sections
  for (const T beta : {T(0), T(-2)}) {
    p.beta = beta;
    for_methods<T>({64}, [&](const auto& method) { p.expect_definition(method, "sections"); });
  }
}

/// Finite in plain, while the sum of two numbers is not: between sections.
TYPED_TEST(GemmSpecial, SectionsThatOverflow) {
  using T = TypeParam;
  constexpr std::size_t section = std::size_t(acc::gemm_section);
  Product<T> p({4, 5, 3 * section}, "N", "N", Data::uniform, Data::uniform, 2);
  for (std::size_t j = 0; j < 5; ++j) {
    p.b(3, j) = T(this->max);
    p.b(section + 3, j) = T(j % 2 == 0 ? this->max : -this->max);
    p.b(2 * section + 3, j) = T(j < 2 ? -this->max : this->max);
  }
  for (std::size_t i = 0; i < 4; ++i)
    p.a(i, 3) = p.a(i, section + 3) = p.a(i, 2 * section + 3) = T(i == 0 ? 1 : 0.75);
  for_methods<T>({64}, [&](const auto& method) { p.expect_definition(method, "sections"); });
}

/// Finite numbers whose sections overflow, one up and one down: NaN, also where plain's value
/// replaces another method's (C12).
TYPED_TEST(GemmSpecial, SectionsOfOppositeInfinities) {
  using T = TypeParam;
  constexpr std::size_t section = std::size_t(acc::gemm_section);
  Product<T> p({2, 3, 2 * section}, "N", "N");
  for (std::size_t k = 0; k < p.depth; ++k) {
    for (std::size_t i = 0; i < 2; ++i) p.a(i, k) = T(k < section ? this->max : -this->max);
    for (std::size_t j = 0; j < 3; ++j) p.b(k, j) = T(1);
  }
  for_methods<T>({64}, [&]<class Method>(const Method& method) {
    p.expect_definition(method, "opposite sections");
    const auto got = parts(p.by_gemm(method)(1, 1))[0];
    if constexpr (std::is_same_v<Method, acc::widened>) {
      EXPECT_EQ(got, 0);  // double has room
    } else {
      EXPECT_NE(got, got) << name(method);
    }
  });
}

TYPED_TEST(GemmSpecial, BetaZeroDoesNotReadC) {
  using T = TypeParam;
  const auto bad = this->not_finite();
  for (const Lay lay : {Lay::right, Lay::left, Lay::strided}) {
    Product<T> p({5, 17, 12, Lay::left, Lay::left, lay}, "N", "N", Data::uniform, Data::uniform, 2);
    const Product<T> clean = p;
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 17; ++j) p.c(i, j) = bad[(i + j) % bad.size()];
    }
    for (const T beta : {T(0), T(-0.0)}) {
      p.beta = beta;
      for_methods<T>({8}, [&](const auto& method) {
        p.expect_same(clean.by_definition(method), p.by_gemm(method), "beta = 0");
      });
    }
    // Otherwise an entry of C that is not finite shows in its own result, and there alone.
    p.beta = T(0.5);
    for_methods<T>({8}, [&](const auto& method) { p.expect_definition(method, "beta"); });
  }
}

template <class T>
class GemmSpecialComplex : public GemmSpecial<T> {};
using GemmSpecialComplexTypes = testing::Types<Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(GemmSpecialComplex, GemmSpecialComplexTypes);

/// A complex beta carries C's parts into each other's place: what one part became must not reach
/// the other, where one of them is computed again.
TYPED_TEST(GemmSpecialComplex, ComplexBetaReadsBothPartsOfC) {
  using T = TypeParam;
  const auto bad = this->not_finite();
  for (const Lay lay : {Lay::right, Lay::left, Lay::strided}) {
    Product<T> p({5, 17, 12, Lay::left, Lay::left, lay}, "N", "N", Data::uniform, Data::uniform, 2);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 17; ++j) {
        const real_t<T> x = (i + j) % 5 == 0 ? this->max : bad[(i + j) % 3].real();
        p.c(i, j) = i % 2 == 0 ? T(1, x) : T(x, 1);
      }
    }
    for (const T alpha : {T(0), T(1), T(0, 2)}) {
      for (const T beta : {T(0, 1), T(1, 1), T(-2, 0.5)}) {
        p.alpha = alpha;
        p.beta = beta;
        for_methods<T>({8}, [&](const auto& method) { p.expect_definition(method, "beta"); });
      }
    }
  }
}

TYPED_TEST(GemmSpecial, AlphaZeroReadsNeitherFactor) {
  using T = TypeParam;
  for (const Lay lay : {Lay::right, Lay::left}) {
    Product<T> p({15, 18, 40, Lay::left, Lay::left, lay}, "N", "N", Data::uniform, Data::uniform,
                 3);
    p.c(1, 1) = T(this->nan());
    p.a.memory.assign(p.a.memory.size(), T(this->nan()));
    p.b.memory.assign(p.b.memory.size(), T(this->inf));
    p.alpha = T(0);
    for (const T beta : {T(0), T(1), T(-3)}) {
      p.beta = beta;
      for_methods<T>({8}, [&](const auto& method) {
        p.expect_definition(method, "alpha = 0");
        if (beta == T(0)) {
          const auto got = p.by_gemm(method);
          for (std::size_t i = 0; i < 15; ++i) {
            for (std::size_t j = 0; j < 18; ++j) ASSERT_EQ(bits(got(i, j)), bits(T(0)));
          }
        }
      });
    }
  }
}

TYPED_TEST(GemmSpecial, WithoutDepthTheSumIsZero) {
  using T = TypeParam;
  Product<T> p({15, 18, 0}, "N", "N", Data::uniform, Data::uniform, 4);
  p.c(1, 1) = T(this->nan());
  p.c(2, 2) = T(-0.0);
  for (const T alpha : {T(0), T(1), T(this->inf), T(this->nan())}) {
    p.alpha = alpha;
    for (const T beta : {T(0), T(1), T(-3)}) {
      p.beta = beta;
      for_methods<T>({8}, [&](const auto& method) { p.expect_definition(method, "k = 0"); });
    }
  }
}

TYPED_TEST(GemmSpecial, SumsThatOverflowOnTheWay) {
  using T = TypeParam;
  using R = real_t<T>;
  // Products of magnitude max/4 or max/2 of random signs: in some entries partial sums overflow
  // within a strip, in some between strips, in some not at all.
  Product<T> p({9, 18, 300}, "N", "N");
  Random random(5);
  for (std::size_t k = 0; k < 300; ++k) {
    const bool huge = random.below(12) == 0;
    for (std::size_t i = 0; i < 9; ++i)
      p.a(i, k) = T(huge ? this->max / R(random.integer(2, 4)) : random.symmetric<R>());
    for (std::size_t j = 0; j < 18; ++j) p.b(k, j) = T(R(random.below(2) == 0 ? 1 : -1));
  }
  for_methods<T>({4, 64}, [&](const auto& method) { p.expect_definition(method, "overflow"); });
  // Finite, but beyond the range when scaled; and the other way round.
  const R factors[] = {this->max, R(1) / this->max};
  for (const R alpha : factors) {
    p.alpha = T(alpha);
    p.beta = T(alpha);
    for_methods<T>({64}, [&](const auto& method) { p.expect_definition(method, "scaled"); });
  }
}

TYPED_TEST(GemmSpecial, TwoNumbersAreFiniteWherePlainIs) {
  using T = TypeParam;
  using R = real_t<T>;
  // Strips of two: the second overflows by itself, while plain's chain passes it in range.
  const R max = this->max, x[] = {-max, 0, max, max / 2, -max / 2, 0};
  Product<T> p({3, 3, 6}, "N", "N");
  p.a.fill(std::vector<T>(18, T(1)));
  for (std::size_t k = 0; k < 6; ++k) {
    for (std::size_t j = 0; j < 3; ++j) p.b(k, j) = T(x[k]);
  }
  for_methods<T>({2}, [&]<class Method>(const Method& method) {
    p.expect_definition(method);
    const T got = p.by_gemm(method)(1, 1);
    if (std::is_same_v<Method, acc::blocked>) {
      EXPECT_EQ(parts(got)[0], this->inf);
    } else {
      EXPECT_EQ(bits(got), bits(T(0))) << name(method);
    }
  });
}

TYPED_TEST(GemmSpecial, SignsOfZero) {
  using T = TypeParam;
  Product<T> p({6, 18, 40}, "N", "N");
  Random random(6);
  const auto zeros = [&](Matrix<T>& m) {
    for (std::size_t i = 0; i < m.rows; ++i) {
      for (std::size_t j = 0; j < m.columns; ++j) {
        const float choices[] = {0.0f, -0.0f, 1.0f, -1.0f};
        m(i, j) = T(static_cast<real_t<T>>(choices[random.below(4)]));
      }
    }
  };
  zeros(p.a);
  zeros(p.b);
  zeros(p.c);
  for (std::size_t k = 0; k < 40; ++k) p.a(0, k) = T(-0.0);
  for (const T alpha : {T(1), T(-1)}) {
    for (const T beta : {T(0), T(1), T(-1)}) {
      p.alpha = alpha;
      p.beta = beta;
      for_methods<T>({8}, [&](const auto& method) { p.expect_definition(method, "zeros"); });
    }
  }
}

}  // namespace
}  // namespace acc_test
