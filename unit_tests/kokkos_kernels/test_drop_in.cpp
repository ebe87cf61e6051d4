// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same call means the same in acc and in Kokkos Kernels. The data are small integers, of which
// every sum is exact in any order: so the results are compared by ==, and what is tested is names,
// order of arguments, conjugation, and which number asum and nrm2 of complex numbers are.
#include <acc/acc.hpp>

#include <KokkosBlas1_abs.hpp>
#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_fill.hpp>
#include <KokkosBlas1_iamax.hpp>
#include <KokkosBlas1_mult.hpp>
#include <KokkosBlas1_nrm1.hpp>
#include <KokkosBlas1_nrm2.hpp>
#include <KokkosBlas1_nrm2_squared.hpp>
#include <KokkosBlas1_nrminf.hpp>
#include <KokkosBlas1_reciprocal.hpp>
#include <KokkosBlas1_rot.hpp>
#include <KokkosBlas1_scal.hpp>
#include <KokkosBlas1_sum.hpp>
#include <KokkosBlas1_swap.hpp>
#include <KokkosBlas1_update.hpp>
#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

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

template <class T>
Kokkos::View<T**, Kokkos::LayoutLeft, Space> make_matrix(int rows, int columns, int seed) {
  Kokkos::View<T**, Kokkos::LayoutLeft, Space> x("x", rows, columns);
  for (int j = 0; j < columns; ++j)
    Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, j), make<T>(rows, seed + j));
  return x;
}
template <class View>
auto on_host(const View& v) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}

/// What the calls leave: functions of elements, and sums of terms that are not negative.
template <class T>
struct Vocabulary {
  std::vector<T> elements, sums;
};

// A solver's calls, written once: with `namespace blas = acc` and with `= KokkosBlas`.
#define VOCABULARY(blas)                                                                \
  template <class T>                                                                    \
  Vocabulary<T> blas##_vocabulary() {                                                   \
    using real = decltype(Kokkos::abs(T()));                                            \
    Space const space;                                                                  \
    Vocabulary<T> all;                                                                  \
    auto& results = all.elements;                                                       \
    auto& sums = all.sums;                                                              \
    const auto keep = [&](const auto& v) {                                              \
      const auto host = on_host(v);                                                     \
      for (std::size_t i = 0; i < host.extent(0); ++i) results.push_back(host(i));      \
    };                                                                                  \
    const auto keep_matrix = [&](const auto& v) {                                       \
      const auto host = on_host(v);                                                     \
      for (std::size_t i = 0; i < host.extent(0); ++i)                                  \
        for (std::size_t j = 0; j < host.extent(1); ++j) results.push_back(host(i, j)); \
    };                                                                                  \
    const T a(2), b(-3), c(4);                                                          \
    const int n = 1001, columns = 3;                                                    \
    const auto x = make<T>(n, 1), y = make<T>(n, 2), z = make<T>(n, 3);                 \
    const auto X = make_matrix<T>(n, columns, 1), Y = make_matrix<T>(n, columns, 2);    \
    const auto Z = make_matrix<T>(n, columns, 3);                                       \
    const auto of_columns = make<T>(columns, 4);                                        \
    blas::axpy(space, a, x, y);                                                         \
    blas::axpy(b, x, y);                                                                \
    blas::axpby(space, a, x, b, y);                                                     \
    blas::axpby(b, x, c, y);                                                            \
    blas::scal(space, z, a, y);                                                         \
    blas::scal(z, b, z);                                                                \
    blas::update(space, a, x, b, y, c, z);                                              \
    blas::update(c, x, T(0), y, a, z);                                                  \
    blas::mult(space, a, z, b, x, y);                                                   \
    blas::mult(T(0), y, c, x, x);                                                       \
    keep(y);                                                                            \
    keep(z);                                                                            \
    blas::axpy(space, a, X, Y);                                                         \
    blas::axpby(space, a, X, b, Y);                                                     \
    blas::axpby(space, of_columns, X, of_columns, Y);                                   \
    blas::scal(space, Y, of_columns, Y);                                                \
    blas::scal(Y, a, Y);                                                                \
    blas::update(space, a, X, b, Y, c, Z);                                              \
    blas::mult(space, a, Z, b, x, X);                                                   \
    keep_matrix(Y);                                                                     \
    keep_matrix(Z);                                                                     \
    blas::swap(space, x, z);                                                            \
    blas::swap(x, z);                                                                   \
    blas::swap(x, z);                                                                   \
    keep(x);                                                                            \
    blas::fill(space, x, c);                                                            \
    blas::fill(X, a);                                                                   \
    blas::reciprocal(space, x, x);                                                      \
    blas::reciprocal(X, X);                                                             \
    keep(x);                                                                            \
    keep_matrix(X);                                                                     \
    sums.push_back(blas::nrm2_squared(space, y));                                       \
    sums.push_back(blas::nrm2_squared(y));                                              \
    const Kokkos::View<real, Space> norm("norm");                                       \
    const Kokkos::View<real*, Space> norms("norms", columns);                           \
    blas::nrm2_squared(space, norm, y);                                                 \
    keep_norm(sums, norm);                                                              \
    blas::nrm2_squared(norms, Y);                                                       \
    for (int j = 0; j < columns; ++j) sums.push_back(on_host(norms)(std::size_t(j)));   \
    blas::nrm1(norms, Y);                                                               \
    for (int j = 0; j < columns; ++j) sums.push_back(on_host(norms)(std::size_t(j)));   \
    if constexpr (std::is_same_v<T, real>) {                                            \
      blas::abs(space, y, y);                                                           \
      blas::abs(Y, Y);                                                                  \
      keep(y);                                                                          \
      keep_matrix(Y);                                                                   \
      results.push_back(blas::nrminf(space, z));                                        \
      results.push_back(blas::nrminf(z));                                               \
      blas::nrminf(space, norm, z);                                                     \
      keep_norm(results, norm);                                                         \
      blas::nrminf(norms, Z);                                                           \
      keep(norms);                                                                      \
      results.push_back(T(blas::iamax(space, z)));                                      \
      results.push_back(T(blas::iamax(z)));                                             \
      const Kokkos::View<real, Space> cosine("cosine"), sine("sine");                   \
      Kokkos::deep_copy(cosine, real(2));                                               \
      Kokkos::deep_copy(sine, real(3));                                                 \
      const auto u = make<T>(n, 5), v = make<T>(n, 6);                                  \
      blas::rot(space, u, v, cosine, sine);                                             \
      keep(u);                                                                          \
      keep(v);                                                                          \
    }                                                                                   \
    return all;                                                                         \
  }

template <class T, class Norm>
void keep_norm(std::vector<T>& results, const Norm& norm) {
  results.push_back(on_host(norm)());
}
VOCABULARY(acc)
VOCABULARY(KokkosBlas)

/// Kokkos Kernels adds plainly, in an order of its own, and by a vendor's library its nrm2_squared
/// is the square of a rounded root: n terms that are not negative are within n + 3 unit roundoffs
/// of their sum, and a complex modulus within four.
TYPED_TEST(DropIn, ASolversVocabulary) {
  const auto ours = acc_vocabulary<TypeParam>(), theirs = KokkosBlas_vocabulary<TypeParam>();
  using real = decltype(Kokkos::abs(TypeParam()));
  const real unit = Kokkos::Experimental::epsilon_v<real> / 2;
  const auto expect_near = [](const auto& a, const auto& b, real slack) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_LE(Kokkos::abs(a[i] - b[i]), slack * Kokkos::abs(a[i])) << i;
  };
  expect_near(ours.elements, theirs.elements, 8 * unit);
  expect_near(ours.sums, theirs.sums, (1001 + 8) * unit);
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
