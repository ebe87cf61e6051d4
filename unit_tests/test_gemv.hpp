// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with one column, or one row, which machines form by kernels of their own: every method
// and way that A, x and y lie, extents around registers, tiles and sections, all against the
// definition (reference_gemm.hpp). acc::gemm takes the way of acc::gemv; test_gemm_views.hpp has
// gemv's own signatures.
#pragma once

#include "gemm_calls.hpp"

namespace acc_test {
namespace {

template <class T>
class Gemv : public testing::Test {
 public:
  static T factor(std::uint64_t seed) { return elements<T>(Data::uniform, 1, seed)[0]; }
  /// op(A) of m x k times x.
  static Product<T> product(std::size_t m, std::size_t k, const char* trans, Lay a,
                            Lay x = Lay::left, Lay y = Lay::left) {
    return Product<T>({m, 1, k, a, x, y}, trans, "N", Data::wide, Data::uniform, 100 * m + k);
  }
  static std::string text(const Product<T>& p, Lay a) {
    return "k = " + std::to_string(p.depth) + ", lay " + std::to_string(int(a));
  }
};
using GemvTypes = testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Gemv, GemvTypes);

/// Rows and depths around registers (2 to 16 numbers), their groups and cache lines.
TYPED_TEST(Gemv, EveryMethodAroundRegisters) {
  const std::size_t extents[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65};
  std::size_t turn = 0;
  for (const std::size_t m : extents) {
    for (const std::size_t k : extents) {
      const Lay lay = all_lays[turn % 5];
      const char* trans = turn % 3 == 0 ? "N" : turn % 3 == 1 ? "T" : "C";
      ++turn;
      auto p = this->product(m, k, trans, lay);
      if (turn % 2 == 0) p.beta = this->factor(turn);
      for_methods<TypeParam>(
          {8}, [&](const auto& method) { p.expect_definition(method, this->text(p, lay)); });
    }
  }
}

/// Strips end within cache lines and registers of k, and at their ends.
TYPED_TEST(Gemv, Strips) {
  for (const Lay lay : {Lay::left, Lay::right, Lay::strided}) {
    for (const std::int64_t strip : {1, 2, 3, 5, 16, 20, 31, 32, 33, 64}) {
      for (const std::size_t m : {5, 35}) {
        auto p = this->product(m, 131, "N", lay);
        for_strip_methods(
            strip, [&](const auto& method) { p.expect_definition(method, this->text(p, lay)); });
      }
    }
  }
}

TYPED_TEST(Gemv, EveryLayOfEveryOperand) {
  for (const char* trans : {"N", "T", "C"}) {
    for (const Lay a : all_lays) {
      for (const Lay x : all_lays) {
        for (const Lay y : all_lays) {
          auto p = this->product(37, 41, trans, a, x, y);
          p.alpha = this->factor(1);
          p.beta = this->factor(2);
          p.expect_definition(acc::selective<acc::seeded>{16}, this->text(p, a));
        }
      }
    }
  }
}

/// Of x, too: it may be a row, and conjugated; C may be a row.
TYPED_TEST(Gemv, OperationsOfBothFactorsAndRows) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  for (const char* ta : {"N", "T", "C"}) {
    for (const char* tb : {"N", "T", "C"}) {
      for (const Lay lay : all_lays) {
        ++seed;
        for (const auto& [m, n] : {std::pair{19, 1}, std::pair{1, 19}, std::pair{1, 1}}) {
          const Shape s{std::size_t(m),     std::size_t(n),        45, lay,
                        all_lays[seed % 5], all_lays[seed / 3 % 5]};
          Product<T> p(s, ta, tb, Data::uniform, Data::wide, seed);
          p.beta = this->factor(seed);
          p.expect_definition(acc::plain{}, this->text(p, lay));
          p.expect_definition(acc::selective<acc::kahan>{8}, this->text(p, lay));
          p.expect_definition(acc::compensated{}, this->text(p, lay));
        }
      }
    }
  }
}

/// Depths around the ends of sections.
TYPED_TEST(Gemv, Sections) {
  constexpr std::size_t section = std::size_t(acc::gemm_section);
  for (const Lay lay : {Lay::left, Lay::right, Lay::strided}) {
    for (const std::size_t k : {section - 1, section, section + 1, 2 * section + 904}) {
      for (const std::size_t m : {1, 6, 35}) {
        auto p = this->product(m, k, k % 2 == 0 ? "N" : "C", lay);
        p.alpha = this->factor(k);
        if (m == 6) p.beta = this->factor(2);
        for_methods<TypeParam>({64, 100}, [&](const auto& method) {
          p.expect_definition(method, this->text(p, lay));
        });
      }
    }
  }
}

/// Sums of sections that cancel: what their additions keep shows in the result.
TYPED_TEST(Gemv, CancellationBetweenSections) {
  using T = TypeParam;
  constexpr std::size_t section = std::size_t(acc::gemm_section);
  for (const Lay lay : {Lay::left, Lay::right}) {
    auto p = this->product(5, 3 * section, "N", lay);
    for (std::size_t k = 0; k < section; ++k) {
      for (std::size_t i = 0; i < 5; ++i) p.a(i, k + 2 * section) = -p.a(i, k);
      p.b(k + 2 * section, 0) = p.b(k, 0);
      p.b(k + section, 0) *= T(u<real_t<T>>);
    }
    for_methods<T>({64}, [&](const auto& m) { p.expect_definition(m, "cancellation"); });
  }
}

/// Rows whose lines compete for the same places of a cache: hosts are not at the same k with all of
/// them, and one group of rows may end before, with or after another one.
TYPED_TEST(Gemv, RowsThatCompete) {
  for (const std::size_t k : {7, 64, 65, 128, 512, 700}) {
    for (const std::size_t m : {16, 17, 32, 33, 47, 64, 90}) {
      auto p = this->product(m, k, "N", Lay::right_apart);
      if (m % 2 == 0) p.beta = this->factor(m);
      p.expect_definition(acc::plain{}, this->text(p, Lay::right_apart));
      p.expect_definition(acc::compensated{}, this->text(p, Lay::right_apart));
      for (const std::int64_t strip : {3, 50, 64, 256})
        p.expect_definition(acc::selective<acc::seeded>{strip}, this->text(p, Lay::right_apart));
    }
  }
}

/// Several tiles, and several of each thread.
TYPED_TEST(Gemv, ManyRows) {
  for (const Lay lay : {Lay::left, Lay::right, Lay::left_block, Lay::strided}) {
    for (const std::size_t m : {511, 512, 2048, 5000}) {
      auto p = this->product(m, 67, m % 2 == 0 ? "N" : "T", lay);
      p.beta = this->factor(m);
      p.expect_definition(acc::plain{}, this->text(p, lay));
      p.expect_definition(acc::selective<acc::seeded>{32}, this->text(p, lay));
      p.expect_definition(acc::compensated{}, this->text(p, lay));
    }
  }
}

template <class T>
class GemvSpecial : public testing::Test {};
TYPED_TEST_SUITE(GemvSpecial, GemvTypes);

/// Infinities, NaN and overflow, in entries of their own, in the first and the last section.
TYPED_TEST(GemvSpecial, NotFinite) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr R inf = std::numeric_limits<R>::infinity(), max = std::numeric_limits<R>::max();
  constexpr R nan = std::numeric_limits<R>::quiet_NaN();
  for (const Lay lay : {Lay::left, Lay::right, Lay::strided}) {
    for (const std::size_t k : {std::size_t(70), std::size_t(acc::gemm_section) + 70}) {
      Product<T> p({37, 1, k, lay, Lay::left, Lay::strided}, "N", "N", Data::uniform, Data::uniform,
                   k);
      const R bad[] = {inf, -inf, -nan, max, -max};
      for (std::size_t e = 0; e < 5; ++e) {
        p.a(7 * e, 3) = T(bad[e]);
        p.a(7 * e + 1, k - 2) = T(bad[e]);
        p.a(7 * e + 2, 5) = T(bad[e]);
        p.a(7 * e + 2, k - 1) = T(-bad[e]);
        if constexpr (is_complex<T>) p.a(7 * e + 3, k / 2) = T(1, bad[e]);
      }
      p.b(3, 0) = p.b(k - 2, 0) = p.b(5, 0) = p.b(k - 1, 0) = T(R(1.5));
      for (const T beta : {T(0), T(-2)}) {
        p.beta = beta;
        for (const R in_x : {R(0), inf, nan}) {
          p.b(9, 0) = T(in_x);
          for_methods<T>({16}, [&](const auto& method) { p.expect_definition(method, "bad"); });
        }
        p.b(9, 0) = T(1);
      }
    }
  }
}

/// An entry of y that is not finite shows in its own result alone, and not at all for beta = 0.
TYPED_TEST(GemvSpecial, WhatYWas) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr R inf = std::numeric_limits<R>::infinity();
  std::vector<T> factors{T(0), T(-0.0), T(1), T(R(0.7))};
  if constexpr (is_complex<T>) factors.push_back(T(0, 1)), factors.push_back(T(1, -2));
  for (const Lay lay : {Lay::left, Lay::right}) {
    Product<T> p({21, 1, 30, lay, Lay::left, Lay::left}, "N", "N", Data::uniform, Data::uniform, 3);
    p.c(2, 0) = T(inf);
    p.c(5, 0) = T(std::numeric_limits<R>::quiet_NaN());
    p.c(20, 0) = T(std::numeric_limits<R>::max());
    if constexpr (is_complex<T>) p.c(11, 0) = T(1, -inf);
    for (const T alpha : factors) {
      for (const T beta : factors) {
        p.alpha = alpha;
        p.beta = beta;
        for_methods<T>({8}, [&](const auto& method) { p.expect_definition(method, "y"); });
      }
    }
  }
}

TYPED_TEST(GemvSpecial, NothingIsReadThatDoesNotCount) {
  using T = TypeParam;
  const T nan = T(std::numeric_limits<real_t<T>>::quiet_NaN());
  for (const Lay lay : {Lay::left, Lay::right, Lay::strided}) {
    for (const std::size_t m : {0, 1, 20}) {
      for (const std::size_t k : {0, 1, 20}) {
        Product<T> p({m, 1, k, lay, Lay::left, Lay::left}, "N", "N", Data::uniform, Data::uniform,
                     5);
        for (const T beta : {T(0), T(1), T(3)}) {
          p.beta = beta;
          p.alpha = T(1);
          for_methods<T>({8}, [&](const auto& method) { p.expect_definition(method, "small"); });
        }
        p.a.memory.assign(p.a.memory.size(), nan);
        p.b.memory.assign(p.b.memory.size(), nan);
        p.alpha = T(0);
        for (const T beta : {T(0), T(1), T(3)}) {
          p.beta = beta;
          for_methods<T>({8}, [&](const auto& method) { p.expect_definition(method, "alpha"); });
        }
      }
    }
  }
}

TEST(GemvWidened, OfFloatsToDoubles) {
  for (const Lay lay : all_lays) {
    for (const std::size_t m : {3, 8, 33, 70}) {
      const Shape s{m, 1, std::size_t(acc::gemm_section) + 37, lay, Lay::left, Lay::left};
      Product<float, double> p(s, "N", "N", Data::uniform, Data::uniform, m);
      p.alpha = 0.3, p.beta = -1.7;
      p.expect_definition(acc::widened{}, "float to double");
      using Complex = Kokkos::complex<double>;
      Product<Kokkos::complex<float>, Complex> q(s, "C", "C", Data::uniform, Data::uniform, m);
      q.alpha = Complex(0.3, 0.4), q.beta = Complex(-1, 2);
      q.expect_definition(acc::widened{}, "complex float to double");
    }
  }
}

#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
TEST(GemvWidened, OfHalves) {
  using Half = Kokkos::Experimental::half_t;
  for (const Lay lay : all_lays) {
    Product<Half> p({35, 1, std::size_t(acc::gemm_section) + 37, lay, Lay::left, Lay::strided}, "N",
                    "N");
    p.a.fill(elements<float>(Data::uniform, p.a.rows * p.a.columns, 1));
    p.b.fill(elements<float>(Data::uniform, p.depth, 2));
    p.c.fill(elements<float>(Data::uniform, 35, 3));
    p.beta = 0.5f;
    p.expect_definition(acc::widened{}, "half");
  }
}
#endif

}  // namespace
}  // namespace acc_test
