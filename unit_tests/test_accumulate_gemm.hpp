// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::accumulate_gemm: the state of each entry is that of a superaccumulator which gets its
// products one by one, whatever the way they were divided.
#pragma once

#include "device.hpp"
#include "generators.hpp"
#include "hard_numbers.hpp"

#include <acc/accumulate_gemm.hpp>
#include <acc/gemm.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace acc_test {
namespace {

template <class T>
using Total = acc::superaccumulator<acc::impl::result_t<T>>;
template <class T>
using Operand = Kokkos::View<T**, Kokkos::LayoutLeft, Exec>;
template <class T>
using HostOperand = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
template <class T>
using Totals = Kokkos::View<Total<T>**, Kokkos::LayoutRight, Exec>;

template <class T>
class AccumulateGemm : public testing::Test {};
using AccumulateGemmTypes =
    testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
                   ,
                   Kokkos::Experimental::half_t
#endif
                   >;
TYPED_TEST_SUITE(AccumulateGemm, AccumulateGemmTypes);

enum class Numbers { uniform, zeros, wide, infinite };

template <class T>
T number_of(Numbers family, Random& random) {
  using R = std::conditional_t<acc::impl::is_half_scalar<real_t<T>>, float, real_t<T>>;
  const auto one = [&]() -> R {
    const R u = random.symmetric<R>();
    if (family == Numbers::zeros) {
      const R all[] = {R(0), R(-0.0), R(1), R(-1)};
      return all[random.below(4)];
    }
    if (family == Numbers::wide)
      return std::ldexp(
          u, random.integer(-12, 12) *
                 (std::numeric_limits<R>::digits > 24 && !acc::impl::is_half_scalar<T> ? 40 : 1));
    if (family == Numbers::infinite && random.below(30) == 0)
      return random.below(3) ? std::numeric_limits<R>::infinity()
                             : std::numeric_limits<R>::quiet_NaN();
    return u;
  };
  const R re = one();
  if constexpr (is_complex<T>) {
    return T(re, one());
  } else {
    return static_cast<T>(re);
  }
}
template <class T>
auto random_matrix(std::size_t rows, std::size_t columns, Numbers family, Random& random) {
  const Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace> m("m", rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) m(i, j) = number_of<T>(family, random);
  return m;
}

/// The product a b, or conj(a) b, in real products.
template <class R>
void add_product(acc::superaccumulator<R>& s, R a, R b, bool) {
  s.add_product(a, b);
}
template <class R>
void add_product(acc::superaccumulator<Kokkos::complex<R>>& s, Kokkos::complex<R> a,
                 Kokkos::complex<R> b, bool conjugate) {
  const R ai = conjugate ? -a.imag() : a.imag();
  s.re.add_product(a.real(), b.real());
  s.re.add_product(-ai, b.imag());
  s.im.add_product(a.real(), b.imag());
  s.im.add_product(ai, b.real());
}

TYPED_TEST(AccumulateGemm, HasTheStateOfItsProducts) {
  using T = TypeParam;
  using S = acc::impl::result_t<T>;
  const Exec exec;
  Random random(1);
  struct Shape {
    std::size_t m, n, k;
  };
  // By windows, by residues on hosts, and on Hopper; divided.
  for (const Shape s :
       {Shape{3, 4, 30}, Shape{34, 33, 20}, Shape{34, 33, 300}, Shape{1, 1, 3000}}) {
    for (const Numbers family :
         {Numbers::uniform, Numbers::zeros, Numbers::wide, Numbers::infinite}) {
      const auto a = random_matrix<T>(s.k, s.m, family, random);
      const auto b = random_matrix<T>(s.k, s.n, family, random);
      const auto da = Kokkos::create_mirror_view_and_copy(Memory(), a);
      const auto db = Kokkos::create_mirror_view_and_copy(Memory(), b);
      const Totals<T> whole("whole", s.m, s.n), parts("parts", s.m, s.n);
      acc::accumulate_gemm(exec, whole, "C", "N", da, db);
      // In three calls, the last rows first.
      const std::size_t cut[] = {0, s.k / 3, s.k / 3, s.k};
      for (int part = 3; part-- > 0;) {
        const auto rows = std::pair(cut[part], cut[part + 1]);
        acc::accumulate_gemm(parts, "C", "N", Kokkos::subview(da, rows, Kokkos::ALL),
                             Kokkos::subview(db, rows, Kokkos::ALL));
      }
      exec.fence();
      const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole);
      const auto in_parts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), parts);
      for (std::size_t i = 0; i < s.m; ++i)
        for (std::size_t j = 0; j < s.n; ++j) {
          Total<T> want;
          for (std::size_t k = 0; k < s.k; ++k)
            add_product(want, static_cast<S>(a(k, i)), static_cast<S>(b(k, j)), true);
          ASSERT_TRUE(identical(got(i, j), want)) << i << ", " << j << ", " << int(family);
          ASSERT_TRUE(identical(in_parts(i, j), want)) << i << ", " << j << ", " << int(family);
        }
    }
  }
}

/// Whether each entry of a product has the state of its products: those of a's first row and b's
/// first column, which all rows and columns are alike.
template <class T>
bool has_state_of_products(const HostOperand<T>& a, const HostOperand<T>& b) {
  using S = acc::impl::result_t<T>;
  const Exec exec;
  const Totals<T> sums("sums", a.extent(0), b.extent(1));
  acc::accumulate_gemm(exec, sums, "N", "N", Kokkos::create_mirror_view_and_copy(Memory(), a),
                       Kokkos::create_mirror_view_and_copy(Memory(), b));
  exec.fence();
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  Total<T> want;
  for (std::size_t l = 0; l < a.extent(1); ++l)
    add_product(want, static_cast<S>(a(0, l)), static_cast<S>(b(l, 0)), false);
  bool same = true;
  for (std::size_t i = 0; i < sums.extent(0); ++i)
    for (std::size_t j = 0; j < sums.extent(1); ++j) same = same && identical(got(i, j), want);
  return same;
}

// The kinds of zeros are part of the state. Lengths about those that kernels round up to.
TYPED_TEST(AccumulateGemm, KeepsTheKindsOfZeros) {
  using T = TypeParam;
  using S = acc::impl::result_t<T>;
  for (const std::size_t k : {1, 31, 32, 33, 64, 65})
    for (const double one : {0.0, -0.0}) {
      const HostOperand<T> a("a", 2, k), b("b", k, 2);
      Kokkos::deep_copy(a, static_cast<T>(S(static_cast<real_t<S>>(one))));
      Kokkos::deep_copy(b, static_cast<T>(S(1)));
      ASSERT_TRUE(has_state_of_products<T>(a, b)) << k << ": " << one;
    }
}

// Real numbers of a range that goes by tiles; of complex type, their sums' imaginary parts are
// zeros beside real parts that are not.
TYPED_TEST(AccumulateGemm, KeepsTheKindsOfZerosBesideOtherSums) {
  using T = TypeParam;
  using S = acc::impl::result_t<T>;
  using real = real_t<S>;
  const real tiny = static_cast<real>(std::is_same_v<real, float> ? 0x1p-120 : 0x1p-220);
  for (const std::size_t k : {1, 3, 16, 17, 33, 300}) {
    const HostOperand<T> a("a", 1, k), b("b", k, 1);
    for (std::size_t l = 0; l < k; ++l) {
      a(0, l) = static_cast<T>(S(l % 2 == 0 ? real(1) : tiny));
      b(l, 0) = static_cast<T>(S(static_cast<real>(l + 1)));
    }
    ASSERT_TRUE(has_state_of_products<T>(a, b)) << k;
  }
}

TYPED_TEST(AccumulateGemm, RoundsToTheExactProduct) {
  using T = TypeParam;
  using S = acc::impl::result_t<T>;
  const Exec exec;
  Random random(2);
  const auto a = Kokkos::create_mirror_view_and_copy(
      Memory(), random_matrix<T>(9, 100, Numbers::wide, random));
  const auto b = Kokkos::create_mirror_view_and_copy(
      Memory(), random_matrix<T>(100, 8, Numbers::uniform, random));
  const Totals<T> sums("sums", 9, 8);
  const Kokkos::View<S**, Kokkos::LayoutLeft, Exec> c("c", 9, 8);
  acc::accumulate_gemm(exec, sums, "N", "N", a, b);
  acc::gemm(exec, "N", "N", S(1), a, b, S(0), c, acc::exact{});
  exec.fence();
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  const auto want = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 8; ++j) {
      const S value = got(i, j).value();
      ASSERT_EQ(std::memcmp(&value, &want(i, j), sizeof(S)), 0) << i << ", " << j;
    }
}

TYPED_TEST(AccumulateGemm, RejectsWrongArguments) {
  using T = TypeParam;
  const Operand<T> a("a", 3, 5), b("b", 4, 2);
  const Totals<T> sums("sums", 3, 2);
  try {
    acc::accumulate_gemm(sums, "N", "N", a, b);
    ADD_FAILURE() << "5 columns and 4 rows were accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("acc::accumulate_gemm: op(A) is 3 x 5"), std::string::npos)
        << e.what();
  }
  EXPECT_THROW(acc::accumulate_gemm(sums, "N", "X", a, b), std::invalid_argument);
  // Without depth nothing is added, and S is not read.
  acc::accumulate_gemm(sums, "N", "N", Operand<T>("a", 3, 0), Operand<T>("b", 0, 2));
}

}  // namespace
}  // namespace acc_test
