// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same call means the same in acc and in Kokkos Kernels. The data are small integers, of which
// every sum is exact in any order: so the results are compared by ==, and what is tested is names,
// order of arguments, conjugation, and which number asum and nrm2 of complex numbers are.
#include <acc/acc.hpp>

#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_nrm1.hpp>
#include <KokkosBlas1_nrm2.hpp>
#include <KokkosBlas1_sum.hpp>
#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Complex = Kokkos::complex<double>;

template <class T>
T element(int i, int seed) {
  double const a = (i * 7 + seed) % 11 - 5, b = (i * 5 + seed) % 13 - 6;
  if constexpr (std::is_same_v<T, Complex>) {
    return Complex(a, b);
  } else {
    return T(a);
  }
}

template <class T>
Kokkos::View<T*, Space> make(int n, int seed) {
  Kokkos::View<T*, Space> x("x", n);
  auto host = Kokkos::create_mirror_view(x);
  for (int i = 0; i < n; ++i) host(i) = element<T>(i, seed);
  Kokkos::deep_copy(x, host);
  return x;
}

template <class T>
struct DropIn : testing::Test {};
using Scalars = testing::Types<float, double, Complex>;
TYPED_TEST_SUITE(DropIn, Scalars);

TYPED_TEST(DropIn, OfVectors) {
  Space const space;
  for (int n : {0, 1, 3, 1000, 100003}) {
    auto const x = make<TypeParam>(n, 1), y = make<TypeParam>(n, 4);
    EXPECT_EQ(acc::dot(space, x, y), KokkosBlas::dot(space, x, y)) << n;
    EXPECT_EQ(acc::sum(space, x), KokkosBlas::sum(space, x)) << n;
    EXPECT_EQ(acc::asum(space, x), KokkosBlas::nrm1(space, x)) << n;
    EXPECT_EQ(acc::nrm1(space, x), KokkosBlas::nrm1(space, x)) << n;
  }
}

TYPED_TEST(DropIn, OfStridedVectors) {
  Space const space;
  Kokkos::View<TypeParam**, Kokkos::LayoutRight, Space> matrix("matrix", 1001, 3);
  auto const x = Kokkos::subview(matrix, Kokkos::ALL, 1);
  Kokkos::deep_copy(space, x, make<TypeParam>(1001, 2));
  auto const y = make<TypeParam>(1001, 5);
  EXPECT_EQ(acc::dot(space, x, y), KokkosBlas::dot(space, x, y));
  EXPECT_EQ(acc::dot(space, y, x), KokkosBlas::dot(space, y, x));
}

TYPED_TEST(DropIn, IntoAView) {
  Space const space;
  auto const x = make<TypeParam>(1000, 1), y = make<TypeParam>(1000, 4);
  Kokkos::View<TypeParam, Space> ours("ours"), theirs("theirs");
  acc::dot(space, ours, x, y);
  KokkosBlas::dot(space, theirs, x, y);
  TypeParam a, b;
  Kokkos::deep_copy(a, ours);
  Kokkos::deep_copy(b, theirs);
  EXPECT_EQ(a, b);
}

// 3, 4, 12, 84: each square is exact, and so is the root of their sum, 85.
TYPED_TEST(DropIn, Nrm2) {
  Space const space;
  Kokkos::View<TypeParam*, Space> x("x", 4);
  auto host = Kokkos::create_mirror_view(x);
  host(0) = 3;
  host(1) = -4;
  host(2) = 12;
  host(3) = 84;
  Kokkos::deep_copy(x, host);
  EXPECT_EQ(acc::nrm2(space, x), 85);
  EXPECT_EQ(acc::nrm2(space, x), KokkosBlas::nrm2(space, x));
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
