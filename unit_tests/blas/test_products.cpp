// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points give the bits of the calls of acc that they stand for, and write nothing else.
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include "calls.hpp"
#include "generators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

namespace acc_test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// rows x columns elements in memory of this leading dimension, among NaN.
template <class T>
struct Matrix {
  std::size_t rows, columns, leading;
  bool by_rows;
  std::vector<T> memory;

  Matrix(int m, int n, bool right, int extra, Data data, std::uint64_t seed)
      : rows(std::size_t(m)),
        columns(std::size_t(n)),
        leading((right ? columns : rows) + std::size_t(extra)),
        by_rows(right),
        memory(leading * (right ? rows : columns) + 1, std::numeric_limits<T>::quiet_NaN()) {
    const auto x = make<T>(data, rows * columns, seed);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) (*this)(i, j) = x[i * columns + j];
    }
  }
  T& operator()(std::size_t i, std::size_t j) {
    return by_rows ? memory[i * leading + j] : memory[i + j * leading];
  }
  int ld() const { return int(std::max(leading, std::size_t(1))); }
};

/// As a block of a View of its layout.
template <class Layout, class T>
auto view(Matrix<T>& m) {
  constexpr bool right = std::is_same_v<Layout, Kokkos::LayoutRight>;
  const Kokkos::View<T**, Layout, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> whole(
      m.memory.data(), right ? m.rows : m.leading, right ? m.leading : m.columns);
  return Kokkos::subview(whole, std::pair(std::size_t(0), m.rows),
                         std::pair(std::size_t(0), m.columns));
}

template <class T>
bool same(const Matrix<T>& x, const Matrix<T>& y) {
  return std::memcmp(x.memory.data(), y.memory.data(), x.memory.size() * sizeof(T)) == 0;
}

template <class E>
class BlasProducts : public testing::Test {
 public:
  using T = typename E::type;

  static bool is_n(char letter) { return letter == 'N' || letter == 'n'; }

  /// One product by each interface that has this layout.
  template <class Layout>
  static void expect(char ta, char tb, int m, int n, int k, T alpha, T beta, int extra) {
    constexpr bool right = std::is_same_v<Layout, Kokkos::LayoutRight>;
    Matrix<T> a(is_n(ta) ? m : k, is_n(ta) ? k : m, right, extra, Data::positive, 1);
    Matrix<T> b(is_n(tb) ? k : n, is_n(tb) ? n : k, right, 2 * extra, Data::positive, 2);
    const Matrix<T> c(m, n, right, 3 * extra, Data::positive, 3);

    Matrix<T> want = c;
    const char transa[] = {ta, '\0'}, transb[] = {tb, '\0'};
    E::in_acc(Host(), transa, transb, alpha, view<Layout>(a), view<Layout>(b), beta,
              view<Layout>(want));
    Host().fence();

    const auto by = [&](void (*function)(const Call<T>&), const std::string& name) {
      Matrix<T> got = c;
      function({right ? AccRowMajor : AccColMajor, ta, tb, m, n, k, alpha, a.memory.data(), a.ld(),
                b.memory.data(), b.ld(), beta, got.memory.data(), got.ld()});
      EXPECT_TRUE(same(got, want)) << name << (right ? " by rows " : " ") << ta << tb << ' ' << m
                                   << " x " << n << " x " << k << ", " << alpha << ", " << beta;
      for (const Report& r : take_reports()) ADD_FAILURE() << r.routine << ": " << r.place;
    };
    if (!right) by(E::fortran, E::fortran_name());
    by(E::cblas, E::c_name());
  }
};
TYPED_TEST_SUITE(BlasProducts, Entries);

TYPED_TEST(BlasProducts, OfEveryLetterAndLayout) {
  using T = typename TypeParam::type;
  for (const char ta : {'N', 'n', 'T', 't', 'C', 'c'}) {
    for (const char tb : {'N', 'n', 'T', 't', 'C', 'c'}) {
      this->template expect<Kokkos::LayoutLeft>(ta, tb, 23, 17, 150, T(0.7), T(-0.3), 2);
      this->template expect<Kokkos::LayoutRight>(ta, tb, 23, 17, 150, T(0.7), T(-0.3), 2);
    }
  }
}

TYPED_TEST(BlasProducts, OfEveryScaleAndShape) {
  using T = typename TypeParam::type;
  for (const T alpha : {T(0), T(1), T(0.7)}) {
    for (const T beta : {T(0), T(1), T(0.7)}) {
      for (const auto& [m, n, k] : std::vector<std::array<int, 3>>{{1, 1, 1},
                                                                   {1, 40, 70},
                                                                   {40, 1, 70},
                                                                   {65, 33, 129},
                                                                   {4, 5, 0},
                                                                   {0, 5, 6},
                                                                   {5, 0, 6}}) {
        this->template expect<Kokkos::LayoutLeft>('N', 'T', m, n, k, alpha, beta, 0);
        this->template expect<Kokkos::LayoutRight>('T', 'N', m, n, k, alpha, beta, 1);
      }
    }
  }
}

/// What is not read may be NaN; and where nothing changes, C may hold it too.
TYPED_TEST(BlasProducts, ReadOnlyWhatCounts) {
  using T = typename TypeParam::type;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> nans(6, nan), ones(6, T(1));
  for (const auto call : {TypeParam::fortran, TypeParam::cblas}) {
    const auto result = [&](int k, T alpha, const T* a, T beta, T c) {
      std::vector<T> r(4, c);
      call({AccColMajor, 'N', 'N', 2, 2, k, alpha, a, 2, a, 3, beta, r.data(), 2});
      EXPECT_TRUE(take_reports().empty());
      return r;
    };
    EXPECT_EQ(result(3, T(1), ones.data(), T(0), nan), std::vector<T>(4, T(3)));
    EXPECT_EQ(result(3, T(0), nans.data(), T(2), T(5)), std::vector<T>(4, T(10)));
    EXPECT_EQ(result(3, T(0), nullptr, T(2), T(5)), std::vector<T>(4, T(10)));
    EXPECT_EQ(result(0, nan, nullptr, T(2), T(5)), std::vector<T>(4, T(10)));
    EXPECT_EQ(result(0, T(1), nullptr, T(0), nan), std::vector<T>(4, T(0)));
    EXPECT_EQ(result(3, T(0), nullptr, T(1), T(5)), std::vector<T>(4, T(5)));
    EXPECT_TRUE(std::isnan(result(3, T(1), nans.data(), T(0), T(5))[3]));
    for (const T kept : result(0, T(1), nullptr, T(1), nan)) EXPECT_TRUE(std::isnan(kept));
    call({AccColMajor, 'N', 'N', 0, 2, 3, 1, nullptr, 1, nullptr, 3, 0, nullptr, 1});
    call({AccColMajor, 'N', 'N', 2, 0, 3, 1, nullptr, 2, nullptr, 3, 0, nullptr, 2});
    EXPECT_TRUE(take_reports().empty());
  }
}

TYPED_TEST(BlasProducts, FromThreadsAtTheSameTime) {
  using T = typename TypeParam::type;
  Matrix<T> a(70, 90, false, 0, Data::positive, 1), b(90, 50, false, 0, Data::positive, 2);
  const Matrix<T> c(70, 50, false, 0, Data::positive, 3);
  std::vector<Matrix<T>> results(5, c);
  const auto call = [&](Matrix<T>& r) {
    TypeParam::cblas({AccColMajor, 'N', 'N', 70, 50, 90, 1, a.memory.data(), 70, b.memory.data(),
                      90, 1, r.memory.data(), 70});
  };
  call(results[0]);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < 5; ++i) threads.emplace_back([&, i] { call(results[i]); });
  for (auto& t : threads) t.join();
  for (std::size_t i = 1; i < 5; ++i) EXPECT_TRUE(same(results[i], results[0]));
  EXPECT_FALSE(same(results[0], c));
}

#if defined(KOKKOS_ENABLE_CUDA)
/// A GPU's matrices are multiplied there, with the host's bits.
template <class E, class Space>
void expect_in(const std::string& what) {
  using T = typename E::type;
  using View = Kokkos::View<T**, Kokkos::LayoutLeft, Space>;
  const int m = 67, n = 45, k = 200;
  Matrix<T> a(m, k, false, 0, Data::positive, 1), b(k, n, false, 0, Data::positive, 2);
  Matrix<T> c(m, n, false, 0, Data::positive, 3), got = c, want = c;
  const auto on_device = [](const Matrix<T>& x) {
    const View d("matrix", x.rows, x.columns);
    Kokkos::deep_copy(d, view<Kokkos::LayoutLeft>(const_cast<Matrix<T>&>(x)));
    return d;
  };
  const View da = on_device(a), db = on_device(b), dc = on_device(c), expected = on_device(c);
  E::fortran({0, 'N', 'N', m, n, k, T(0.7), da.data(), m, db.data(), k, T(0.3), dc.data(), m});
  EXPECT_TRUE(take_reports().empty()) << what;
  E::in_acc(Kokkos::Cuda(), "N", "N", T(0.7), da, db, T(0.3), expected);
  Kokkos::Cuda().fence();
  Kokkos::deep_copy(view<Kokkos::LayoutLeft>(got), dc);
  Kokkos::deep_copy(view<Kokkos::LayoutLeft>(want), expected);
  EXPECT_TRUE(same(got, want)) << what;
  EXPECT_FALSE(same(got, c)) << what;

  E::fortran({0, 'N', 'N', m, n, k, T(0.7), a.memory.data(), m, b.memory.data(), k, T(0.3),
              c.memory.data(), m});
  EXPECT_TRUE(same(got, c)) << what << " and on the host";
}

TYPED_TEST(BlasProducts, OfAGPUsMatrices) {
  expect_in<TypeParam, Kokkos::CudaSpace>("device memory");
  expect_in<TypeParam, Kokkos::CudaUVMSpace>("managed memory");
}
#endif

}  // namespace
}  // namespace acc_test
