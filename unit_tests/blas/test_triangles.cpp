// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of triangles have the bits that docs/arithmetic.md ("Triangles") gives them, read and
// write one triangle alone, and report what the reference BLAS reports.
#include <Kokkos_Core.hpp>

#include <acc/blas.h>
#include <acc/gemm.hpp>
#include <acc/gemv.hpp>
#include <acc/reciprocal.hpp>
#include <acc/scal.hpp>

#include <gtest/gtest.h>

#include "calls.hpp"
#include "numbers.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace acc_test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

constexpr int constant_of(char letter) {
  switch (letter) {
    case 'U':
      return 121;
    case 'L':
      return 122;
    case 'l':  // the left side; 'r' the right one
      return 141;
    case 'r':
      return 142;
    case 'n':  // a diagonal of A's own; 'u' of ones
      return 131;
    case 'u':
      return 132;
    default:
      return letter;  // none of them
  }
}

template <class T>
struct Triangles;

#define ACC_TEST_TRIANGLES(T, R, t, sy, hy)                                                        \
  template <>                                                                                      \
  struct Triangles<T> {                                                                            \
    static void axpy(int n, T alpha, const T* x, T* y) {                                           \
      const int one = 1;                                                                           \
      t##aaxpy_(&n, &alpha, x, &one, y, &one);                                                     \
    }                                                                                              \
    static void symv(int layout, char uplo, int n, T alpha, const T* a, int lda, const T* x,       \
                     int incx, T beta, T* y, int incy) {                                           \
      if (layout == 0)                                                                             \
        t##a##hy##mv_(&uplo, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);                      \
      else                                                                                         \
        cblas_##t##a##hy##mv(layout, constant_of(uplo), n, number(alpha), a, lda, x, incx,         \
                             number(beta), y, incy);                                               \
    }                                                                                              \
    static void symm(int layout, bool hermitian, char side, char uplo, int m, int n, T alpha,      \
                     const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {            \
      const auto function = hermitian ? t##a##hy##mm_ : t##asymm_;                                 \
      const auto in_c = hermitian ? cblas_##t##a##hy##mm : cblas_##t##asymm;                       \
      if (layout == 0)                                                                             \
        function(&side, &uplo, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);                  \
      else                                                                                         \
        in_c(layout, constant_of(side), constant_of(uplo), m, n, number(alpha), a, lda, b, ldb,    \
             number(beta), c, ldc);                                                                \
    }                                                                                              \
    static void syrk(int layout, char uplo, char trans, int n, int k, T alpha, const T* a,         \
                     int lda, T beta, T* c, int ldc) {                                             \
      if (layout == 0)                                                                             \
        t##asyrk_(&uplo, &trans, &n, &k, &alpha, a, &lda, &beta, c, &ldc);                         \
      else                                                                                         \
        cblas_##t##asyrk(layout, constant_of(uplo), Call<T>::constant(trans), n, k, number(alpha), \
                         a, lda, number(beta), c, ldc);                                            \
    }                                                                                              \
    static void trsv(int layout, char uplo, char trans, char diag, int n, const T* a, int lda,     \
                     T* x, int incx) {                                                             \
      if (layout == 0)                                                                             \
        t##atrsv_(&uplo, &trans, &diag, &n, a, &lda, x, &incx);                                    \
      else                                                                                         \
        cblas_##t##atrsv(layout, constant_of(uplo), Call<T>::constant(trans), constant_of(diag),   \
                         n, a, lda, x, incx);                                                      \
    }                                                                                              \
    static void trsm(int layout, char side, char uplo, char trans, char diag, int m, int n,        \
                     T alpha, const T* a, int lda, T* b, int ldb) {                                \
      if (layout == 0)                                                                             \
        t##atrsm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &lda, b, &ldb);                  \
      else                                                                                         \
        cblas_##t##atrsm(layout, constant_of(side), constant_of(uplo), Call<T>::constant(trans),   \
                         constant_of(diag), m, n, number(alpha), a, lda, b, ldb);                  \
    }                                                                                              \
  };
ACC_TEST_TRIANGLES(float, float, s, sy, sy)
ACC_TEST_TRIANGLES(double, double, d, sy, sy)
ACC_TEST_TRIANGLES(Complex<float>, float, c, sy, he)
ACC_TEST_TRIANGLES(Complex<double>, double, z, sy, he)

template <class T>
constexpr bool is_complex = !std::is_same_v<T, typename Parts<T>::real>;

template <class T>
T conjugate(const T& x) {
  if constexpr (is_complex<T>)
    return T(x.real(), -x.imag());
  else
    return x;
}
template <class T>
T real_part(const T& x) {
  if constexpr (is_complex<T>)
    return T(x.real());
  else
    return x;
}
template <class T>
T not_a_number() {
  return T(std::numeric_limits<typename Parts<T>::real>::quiet_NaN());
}

template <class T>
T infinite() {
  return T(std::numeric_limits<typename Parts<T>::real>::infinity());
}

/// A matrix in memory of a layout and leading dimension, among NaN.
template <class T>
struct Matrix {
  std::vector<T> memory;
  int rows, columns, leading;
  bool by_rows;

  Matrix(int m, int n, bool right, int extra, unsigned seed)
      : memory(std::size_t((right ? n : m) + extra) * std::size_t(std::max(1, right ? m : n)),
               not_a_number<T>()),
        rows(m),
        columns(n),
        leading((right ? n : m) + extra),
        by_rows(right) {
    const auto x = numbers<T>(std::size_t(m) * std::size_t(n), seed);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) (*this)(i, j) = x[std::size_t(i * n + j)];
  }
  T& operator()(int i, int j) {
    return memory[std::size_t(by_rows ? i * leading + j : i + j * leading)];
  }
  auto view() {
    const auto m = std::size_t(rows), n = std::size_t(columns), ld = std::size_t(leading);
    const Kokkos::LayoutStride right(m, ld, n, 1), left(m, 1, n, ld);
    return Kokkos::View<T**, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
        memory.data(), by_rows ? right : left);
  }
  bool operator==(const Matrix& other) const {
    return std::memcmp(memory.data(), other.memory.data(), memory.size() * sizeof(T)) == 0;
  }
  /// NaN in the other triangle than `uplo`.
  void hide_other(char uplo) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        if (uplo == 'L' ? j > i : j < i) (*this)(i, j) = not_a_number<T>();
  }
};
/// The whole matrix that a triangle stands for.
template <class T>
Matrix<T> whole(Matrix<T> a, char uplo, bool hermitian) {
  for (int i = 0; i < a.rows; ++i) {
    if (hermitian) a(i, i) = real_part(a(i, i));
    for (int j = 0; j < i; ++j) {
      T& stored = uplo == 'L' ? a(i, j) : a(j, i);
      (uplo == 'L' ? a(j, i) : a(i, j)) = hermitian ? conjugate(stored) : stored;
    }
  }
  return a;
}
template <class T>
auto view(std::vector<T>& x) {
  return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(x.data(), x.size());
}

constexpr std::array layouts{0, int(AccColMajor), int(AccRowMajor)};

template <class T>
class BlasTriangles : public testing::Test {};
using Scalars = testing::Types<float, double, Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(BlasTriangles, Scalars);
/// Orders around a section's length.
template <class T>
const auto orders_of_sections = std::vector<int>{2047, 2048, 2049, 2500, 4161};
template <class Real>
const auto orders_of_sections<Complex<Real>> = std::vector<int>{2048, 2049, 2100};

TYPED_TEST(BlasTriangles, TimesVectorsAreGemvs) {
  using T = TypeParam;
  for (const int layout : layouts) {
    for (const char uplo : {'U', 'L'}) {
      for (const int n : {1, 2, 3, 7, 8, 9, 16, 31, 64, 65, 150, 257, 770}) {
        for (const T beta : {T(0), T(1), numbers<T>(1, 8)[0]}) {
          SCOPED_TRACE(testing::Message() << layout << uplo << n << ", " << beta);
          Matrix<T> a(n, n, layout == AccRowMajor, 2, 1);
          if (n == 31) {  // infinite and NaN entries among others
            a(20, 7) = a(7, 20) = infinite<T>();
            a(20, 9) = a(9, 20) = -infinite<T>();
            a(3, 12) = a(12, 3) = infinite<T>();
          }
          Matrix<T> full = whole(a, uplo, true);
          a.hide_other(uplo);
          const T alpha = numbers<T>(1, 7)[0];
          auto x = numbers<T>(std::size_t(n), 2), y = numbers<T>(std::size_t(n), 3), want = y;
          acc::gemv(Host(), "N", alpha, full.view(), view(x), beta, view(want));
          Host().fence();
          if (beta == T(0)) y.assign(y.size(), not_a_number<T>());
          std::vector<T> back(x.rbegin(), x.rend());
          const std::vector<T> begin = y;
          Triangles<T>::symv(layout, uplo, n, alpha, a.memory.data(), a.leading, back.data(), -1,
                             beta, y.data(), 1);
          EXPECT_EQ(std::memcmp(y.data(), want.data(), y.size() * sizeof(T)), 0);
          for (const int increment : {1, 3}) {
            const auto place = [&](int i) { return std::size_t(i) * std::size_t(increment); };
            std::vector<T> far_x(place(n)), far_y(place(n), T(5)), far = far_y;
            for (int i = 0; i < n; ++i) {
              far_x[place(i)] = x[std::size_t(i)];
              far_y[place(i)] = begin[std::size_t(i)];
              far[place(i)] = want[std::size_t(i)];
            }
            Triangles<T>::symv(layout, uplo, n, alpha, a.memory.data(), a.leading, far_x.data(),
                               increment, beta, far_y.data(), increment);
            EXPECT_EQ(std::memcmp(far_y.data(), far.data(), far.size() * sizeof(T)), 0);
          }
        }
      }
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

/// A section's numbers at most, and more; the second section's rows and squares of several tasks.
TYPED_TEST(BlasTriangles, TimesVectorsOfSections) {
  using T = TypeParam;
  for (const int n : orders_of_sections<T>) {
    for (const int layout : {int(AccColMajor), int(AccRowMajor)}) {
      for (const char uplo : {'U', 'L'}) {
        for (const T beta : {T(0), T(typename Parts<T>::real(1.5))}) {
          if (n != 2500 && n != 2100 && (layout == AccRowMajor) == (beta == T(0))) continue;
          Matrix<T> a(n, n, layout == AccRowMajor, n % 3, 1);
          Matrix<T> full = whole(a, uplo, true);
          a.hide_other(uplo);
          auto x = numbers<T>(std::size_t(n), 2), y = numbers<T>(std::size_t(n), 3), want = y;
          acc::gemv(Host(), "N", T(-1), full.view(), view(x), beta, view(want));
          Host().fence();
          if (beta == T(0)) y.assign(y.size(), not_a_number<T>());
          Triangles<T>::symv(layout, uplo, n, T(-1), a.memory.data(), a.leading, x.data(), 1, beta,
                             y.data(), 1);
          EXPECT_EQ(std::memcmp(y.data(), want.data(), y.size() * sizeof(T)), 0)
              << n << layout << uplo << beta;
        }
      }
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

TYPED_TEST(BlasTriangles, TimesVectorsThatAreNotFinite) {
  using T = TypeParam;
  for (const int n : {40, 200, 2100}) {
    for (const char uplo : {'U', 'L'}) {
      Matrix<T> a(n, n, false, 0, 1);
      a(n - 1, n - 1) = infinite<T>();
      a(n - 3, 5) = a(5, n - 3) = -infinite<T>();
      Matrix<T> full = whole(a, uplo, true);
      a.hide_other(uplo);
      auto x = numbers<T>(std::size_t(n), 2), y = numbers<T>(std::size_t(n), 3);
      x[7] = infinite<T>();
      std::vector<T> back(std::size_t(n) * 2, T(7)), want(back);
      for (int i = 0; i < n; ++i) back[std::size_t(n - 1 - i) * 2] = y[std::size_t(i)];
      acc::gemv(Host(), "N", T(2), full.view(), view(x), T(1), view(y));
      Host().fence();
      for (int i = 0; i < n; ++i) want[std::size_t(n - 1 - i) * 2] = y[std::size_t(i)];
      Triangles<T>::symv(0, uplo, n, T(2), a.memory.data(), n, x.data(), 1, T(1), back.data(), -2);
      EXPECT_EQ(std::memcmp(back.data(), want.data(), back.size() * sizeof(T)), 0) << n << uplo;
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

TYPED_TEST(BlasTriangles, TimesMatricesAreGemms) {
  using T = TypeParam;
  const T alpha = numbers<T>(1, 7)[0], beta = numbers<T>(1, 8)[0];
  for (const int layout : layouts) {
    for (const char uplo : {'U', 'L'}) {
      for (const char side : {'l', 'r'}) {
        for (const bool hermitian : {false, true}) {
          // By panels, and few at once: in one product, and in several.
          for (const auto& [m, n] :
               {std::array{9, 5}, std::array{70, 3}, std::array{2, 131}, std::array{1, 1025},
                std::array{1030, 1}, std::array{5, 1100}, std::array{1100, 5}, std::array{33, 64},
                std::array{64, 65}, std::array{65, 64}, std::array{2100, 2}, std::array{2, 2100}}) {
            if (std::max(m, n) == 2100 && (layout != AccColMajor || !hermitian)) continue;
            SCOPED_TRACE(testing::Message()
                         << layout << uplo << side << hermitian << m << "x" << n);
            const bool right = layout == AccRowMajor;
            const int order = side == 'l' ? m : n;
            Matrix<T> a(order, order, right, 1, 1), b(m, n, right, 2, 2), c(m, n, right, 0, 3);
            const T factor = m == 64 ? T(1) : alpha, of_c = m == 33 || m == 2100 ? T(0) : beta;
            if (m == 33) {  // products that are not finite
              a(20, 7) = a(7, 20) = infinite<T>();
              b(7, 3) = b(20, 3) = -infinite<T>();
            }
            if (of_c == T(0)) c.memory.assign(c.memory.size(), not_a_number<T>());
            Matrix<T> want = c, full = whole(a, uplo, hermitian);
            a.hide_other(uplo);
            acc::gemm(Host(), "N", "N", factor, (side == 'l' ? full : b).view(),
                      (side == 'l' ? b : full).view(), of_c, want.view());
            Host().fence();
            Triangles<T>::symm(layout, hermitian, side, uplo, m, n, factor, a.memory.data(),
                               a.leading, b.memory.data(), b.leading, of_c, c.memory.data(),
                               c.leading);
            EXPECT_TRUE(c == want);
          }
        }
      }
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

TYPED_TEST(BlasTriangles, OfProductsAreGemms) {
  using T = TypeParam;
  const T alpha = numbers<T>(1, 7)[0];
  for (const int layout : layouts) {
    for (const char uplo : {'U', 'L'}) {
      for (const char trans : {'N', 'T'}) {
        for (const auto& [n, k] :
             {std::array{1, 4}, std::array{7, 0}, std::array{9, 5}, std::array{16, 300},
              std::array{33, 7}, std::array{50, 128}, std::array{64, 256}, std::array{64, 300},
              std::array{150, 30}, std::array{330, 20}}) {
          for (const T beta : {T(0), T(1), numbers<T>(1, 8)[0]}) {
            SCOPED_TRACE(testing::Message() << layout << uplo << trans << n << ", " << k << beta);
            const bool right = layout == AccRowMajor, is_n = trans == 'N';
            Matrix<T> a(is_n ? n : k, is_n ? k : n, right, 1, 1), c(n, n, right, 2, 2), want = c;
            acc::gemm(Host(), is_n ? "N" : "T", is_n ? "T" : "N", alpha, a.view(), a.view(), beta,
                      want.view());
            Host().fence();
            want.hide_other(uplo);
            c.hide_other(uplo);
            Triangles<T>::syrk(layout, uplo, trans, n, k, alpha, a.memory.data(), a.leading, beta,
                               c.memory.data(), c.leading);
            EXPECT_TRUE(c == want);
          }
        }
      }
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

void herk(int layout, char uplo, char trans, int n, int k, float alpha, const Complex<float>* a,
          int lda, float beta, Complex<float>* c, int ldc) {
  if (layout == 0)
    caherk_(&uplo, &trans, &n, &k, &alpha, a, &lda, &beta, c, &ldc);
  else
    cblas_caherk(layout, constant_of(uplo), Call<Complex<float>>::constant(trans), n, k, alpha, a,
                 lda, beta, c, ldc);
}
void herk(int layout, char uplo, char trans, int n, int k, double alpha, const Complex<double>* a,
          int lda, double beta, Complex<double>* c, int ldc) {
  if (layout == 0)
    zaherk_(&uplo, &trans, &n, &k, &alpha, a, &lda, &beta, c, &ldc);
  else
    cblas_zaherk(layout, constant_of(uplo), Call<Complex<double>>::constant(trans), n, k, alpha, a,
                 lda, beta, c, ldc);
}

template <class T>
class BlasTrianglesOfComplexNumbers : public testing::Test {};
using ComplexNumbers = testing::Types<Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(BlasTrianglesOfComplexNumbers, ComplexNumbers);

/// Hermitian ones have a real diagonal, whatever C has there.
TYPED_TEST(BlasTrianglesOfComplexNumbers, OfHermitianProducts) {
  using T = TypeParam;
  using Real = typename Parts<T>::real;
  for (const int layout : layouts) {
    for (const char uplo : {'U', 'L'}) {
      for (const char trans : {'N', 'C'}) {
        for (const int n : {7, 32, 33, 64, 70}) {
          for (const Real beta : {Real(-0.75), Real(0)}) {
            const Real alpha = n == 33 ? Real(1) : Real(1.25);
            const int k = n == 64 ? 128 : 9;
            const bool right = layout == AccRowMajor, is_n = trans == 'N';
            Matrix<T> a(is_n ? n : k, is_n ? k : n, right, 1, 1), c(n, n, right, 2, 2), want = c;
            for (int i = 0; i < n; ++i) want(i, i) = real_part(want(i, i));
            for (int i = 0; i < n; i += 2) c(i, i) += T(0, infinite<Real>());
            acc::gemm(Host(), is_n ? "N" : "C", is_n ? "C" : "N", T(alpha), a.view(), a.view(),
                      T(beta), want.view());
            Host().fence();
            for (int i = 0; i < n; ++i) want(i, i) = real_part(want(i, i));
            want.hide_other(uplo);
            c.hide_other(uplo);
            herk(layout, uplo, trans, n, k, alpha, a.memory.data(), a.leading, beta,
                 c.memory.data(), c.leading);
            EXPECT_TRUE(c == want) << layout << uplo << trans << n << beta;
          }
        }
      }
    }
  }
  T one(3, 4), c(1, 7);
  herk(AccColMajor, 'U', 'N', 1, 1, 2, &one, 1, 1, &c, 1);
  EXPECT_EQ(c, T(51));
  EXPECT_TRUE(take_reports().empty());
}

/// A caller's complex numbers may be aligned for their parts alone.
template <class T>
class Shifted {
 public:
  explicit Shifted(const std::vector<T>& x) : size_(x.size()), memory_(2 * x.size() + 2) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    first_ = address % alignof(T) == 0 ? 1 : 0;
    std::memcpy(memory_.data() + first_, x.data(), size_ * sizeof(T));
  }
  T* data() { return reinterpret_cast<T*>(memory_.data() + first_); }
  bool is(const std::vector<T>& x) const {
    return std::memcmp(memory_.data() + first_, x.data(), size_ * sizeof(T)) == 0;
  }

 private:
  std::size_t size_, first_;
  std::vector<typename Parts<T>::real> memory_;
};

TYPED_TEST(BlasTrianglesOfComplexNumbers, OfAnyAlignment) {
  using T = TypeParam;
  using F = Triangles<T>;
  for (const int n : {5, 40, 64, 70, 130, 400}) {
    Matrix<T> a(n, n, false, 0, 1), b(n, 3, false, 0, 2);
    for (int i = 0; i < n; ++i) a(i, i) += T(4);
    Shifted<T> far_a(a.memory);
    // f(A, what becomes another one)
    const auto compare = [&](const auto& f) {
      std::vector<T> want = b.memory;
      Shifted<T> got(want);
      f(a.memory.data(), want.data());
      f(far_a.data(), got.data());
      EXPECT_TRUE(got.is(want)) << n;
    };
    std::vector<T> x = numbers<T>(std::size_t(n), 3);
    Shifted<T> far_x(x);
    compare([&](const T* m, T* y) {
      F::symv(0, 'L', n, T(2), m, n, m == a.memory.data() ? x.data() : far_x.data(), 1, T(1), y, 1);
    });
    compare([&](const T* m, T* y) { F::trsv(0, 'U', 'N', 'n', n, m, n, y, 1); });
    compare([&](const T* m, T* y) { F::trsv(0, 'U', 'C', 'n', n, m, n, y, 1); });
    for (const int width : {1, 2, 3})
      compare(
          [&](const T* m, T* y) { F::trsm(0, 'l', 'L', 'N', 'n', n, width, T(1), m, n, y, n); });
    compare([&](const T* m, T* y) { F::syrk(0, 'U', 'N', 3, 5, T(1), m, n, T(1), y, n); });
  }
  EXPECT_TRUE(take_reports().empty());
}

/// The equations of a block, in which the other unknowns' products are subtracted, by acc's
/// functions of elements: x has a row of right-hand sides for each unknown. (axpy by its BLAS name,
/// which test_vectors.cpp compares with acc::axpy: it needs no launch.)
template <class T>
void substitute_block(const std::vector<std::vector<T>>& own, bool ascends, bool unit,
                      std::vector<std::vector<T>>& x) {
  const int order = int(x.size());
  for (int l = 0; l < order; ++l) {
    const auto i = std::size_t(ascends ? l : order - 1 - l);
    if (!unit) {
      std::vector<T> diagonal{own[i][i]}, inverse{T(0)};
      if constexpr (is_complex<T>) {
        acc::reciprocal(Host(), view(inverse), view(diagonal));
        Host().fence();
        std::vector<T> quotients(x[i].size());
        acc::scal(Host(), view(quotients), inverse[0], view(x[i]));
        Host().fence();
        x[i] = quotients;
      } else {
        for (T& value : x[i]) value /= diagonal[0];
      }
    }
    for (int m = l + 1; m < order; ++m) {
      const auto j = std::size_t(ascends ? m : order - 1 - m);
      Triangles<T>::axpy(int(x[i].size()), -own[j][i], x[i].data(), x[j].data());
    }
  }
}

/// Substitution as docs/arithmetic.md says, number by number.
template <class T>
void substitute(const std::vector<std::vector<T>>& op_a, bool left, bool ascends, bool unit,
                T alpha, std::vector<std::vector<T>>& x) {
  constexpr int block = 16;
  const int order = int(op_a.size());
  for (int n = 0; n < (order + block - 1) / block; ++n) {
    const int first = (ascends ? n : (order + block - 1) / block - 1 - n) * block;
    const int end = std::min(order, first + block);
    for (std::size_t w = 0; w < x.size(); ++w) {
      std::vector<T>& unknowns = x[w];
      for (int i = first; i < end; ++i) {
        std::vector<T> a, solved;
        for (int j = ascends ? 0 : end; j < (ascends ? first : order); ++j) {
          a.push_back(left ? op_a[std::size_t(i)][std::size_t(j)]
                           : op_a[std::size_t(j)][std::size_t(i)]);
          solved.push_back(unknowns[std::size_t(j)]);
        }
        const auto row = [](std::vector<T>& v) {
          return Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
              v.data(), 1, v.size());
        };
        std::vector<T> entry{unknowns[std::size_t(i)]};
        if (left)
          acc::gemm(Host(), "N", "T", T(-1), row(a), row(solved), alpha, row(entry));
        else
          acc::gemm(Host(), "N", "T", T(-1), row(solved), row(a), alpha, row(entry));
        Host().fence();
        unknowns[std::size_t(i)] = entry[0];
      }
      const auto size = std::size_t(end - first);
      std::vector<std::vector<T>> own(size, std::vector<T>(size));
      for (int i = first; i < end; ++i)
        for (int j = first; j < end; ++j)
          own[std::size_t(i - first)][std::size_t(j - first)] =
              left ? op_a[std::size_t(i)][std::size_t(j)] : op_a[std::size_t(j)][std::size_t(i)];
      std::vector<std::vector<T>> of_block;
      for (int i = first; i < end; ++i) of_block.push_back({unknowns[std::size_t(i)]});
      substitute_block(own, ascends, unit, of_block);
      for (int i = first; i < end; ++i)
        unknowns[std::size_t(i)] = of_block[std::size_t(i - first)][0];
    }
  }
}

/// op(A) as rows of numbers. With a large diagonal nothing overflows.
template <class T>
std::vector<std::vector<T>> operated(Matrix<T>& a, char uplo, char trans) {
  std::vector<std::vector<T>> r(std::size_t(a.rows), std::vector<T>(std::size_t(a.rows), T(0)));
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < a.rows; ++j) {
      if (uplo == 'L' ? j > i : j < i) continue;
      const T x = trans == 'C' ? conjugate(a(i, j)) : a(i, j);
      (trans == 'N' ? r[std::size_t(i)][std::size_t(j)] : r[std::size_t(j)][std::size_t(i)]) = x;
    }
  }
  return r;
}

TYPED_TEST(BlasTriangles, AreSolvedInTheOrderOfTheContract) {
  using T = TypeParam;
  for (const int layout : layouts) {
    for (const char uplo : {'U', 'L'}) {
      for (const char side : {'l', 'r'}) {
        for (const char trans : {'N', 'T', 'C'}) {
          for (const char diag : {'n', 'u'}) {
            for (const auto& [order, width] :
                 {std::array{5, 1}, std::array{37, 2}, std::array{64, 1}, std::array{65, 1}}) {
              for (const T alpha : {T(1), numbers<T>(1, 7)[0]}) {
                if ((layout == 0) == (alpha == T(1))) continue;  // each by one interface
                SCOPED_TRACE(testing::Message()
                             << layout << uplo << side << trans << diag << order << ", " << alpha);
                const bool right = layout == AccRowMajor, left = side == 'l';
                Matrix<T> a(order, order, right, 1, 1);
                Matrix<T> b(left ? order : width, left ? width : order, right, 2, 2), want = b;
                // Coefficients of which a part has no product, or both.
                for (int i = 0; i + 2 < order; i += 3) {
                  a(i + 1, i) = a(i, i + 1) = T(real_part(a(i, i)));
                  a(i + 2, i) = a(i, i + 2) = a(i + 2, i) - T(real_part(a(i + 2, i)));
                }
                // Solutions that are zero, with a sign, and one that is not finite.
                if constexpr (is_complex<T>) {
                  for (const int i : {0, order - 1}) a(i, i) -= T(real_part(a(i, i)));
                  const auto number = [&](int i) -> T& { return left ? b(i, 0) : b(0, i); };
                  number(0) = number(order - 1) = T(0);
                  number(order / 2) = infinite<T>();
                  want = b;
                }
                const auto op_a = operated(a, uplo, trans);
                a.hide_other(uplo);
                if (diag == 'u')
                  for (int i = 0; i < order; ++i) a(i, i) = not_a_number<T>();
                const std::vector<T> zeros(std::size_t(order), T(0));
                std::vector<std::vector<T>> x(std::size_t(width), zeros);
                const auto at = [&](Matrix<T>& m, int w, int i) -> T& {
                  return left ? m(i, w) : m(w, i);
                };
                for (int w = 0; w < width; ++w)
                  for (int i = 0; i < order; ++i) x[std::size_t(w)][std::size_t(i)] = at(b, w, i);
                const bool lower = (uplo == 'L') == (trans == 'N');
                substitute(op_a, left, left == lower, diag == 'u', alpha, x);
                for (int w = 0; w < width; ++w)
                  for (int i = 0; i < order; ++i)
                    at(want, w, i) = x[std::size_t(w)][std::size_t(i)];
                Triangles<T>::trsm(layout, side, uplo, trans, diag, b.rows, b.columns, alpha,
                                   a.memory.data(), a.leading, b.memory.data(), b.leading);
                EXPECT_TRUE(b == want);

                if (!left || alpha != T(1)) continue;
                Matrix<T> column(order, 1, false, 0, 2);
                std::vector<std::vector<T>> one(1, column.memory);
                substitute(op_a, true, lower, diag == 'u', T(1), one);
                std::vector<T> back(column.memory.rbegin(), column.memory.rend());
                Triangles<T>::trsv(layout, uplo, trans, diag, order, a.memory.data(), a.leading,
                                   back.data(), -1);
                EXPECT_EQ(std::memcmp(std::vector<T>(back.rbegin(), back.rend()).data(),
                                      one[0].data(), back.size() * sizeof(T)),
                          0);
              }
            }
          }
        }
      }
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

/// Real equations of few unknowns, number by number, with coefficients of zero and numbers that are
/// not finite: a product with a zero is left out (EL2), and what is computed is the one NaN.
template <class T>
void substitute_few(const std::vector<std::vector<T>>& op_a, bool ascends, bool unit,
                    std::vector<T>& x) {
  const int order = int(x.size());
  for (int l = 0; l < order; ++l) {
    const auto i = std::size_t(ascends ? l : order - 1 - l);
    if (!unit) x[i] /= op_a[i][i];
    if ((l > 0 || !unit) && std::isnan(x[i])) x[i] = not_a_number<T>();
    for (int m = l + 1; m < order; ++m) {
      const auto j = std::size_t(ascends ? m : order - 1 - m);
      if (op_a[j][i] != T(0)) x[j] = std::fma(-op_a[j][i], x[i], x[j]);
    }
  }
}

/// Orders of one block by every width of a register, every shape in memory.
template <class T>
void solve_few(int order, int width, int layout, char side, char uplo, char trans, char diag,
               bool is_special) {
  SCOPED_TRACE(testing::Message() << order << "x" << width << ", " << layout << side << uplo
                                  << trans << diag << is_special);
  const bool right = layout == AccRowMajor, left = side == 'l';
  Matrix<T> a(order, order, right, order % 3, 1);
  Matrix<T> b(left ? order : width, left ? width : order, right, 2, 2);
  const auto at = [&](Matrix<T>& m, int i, int w) -> T& { return left ? m(i, w) : m(w, i); };
  if (is_special) {
    for (int i = 0; i < order; ++i) a(i, order / 2) = a(order / 3, i) = T(i % 2 == 0 ? 0.0 : -0.0);
    for (int i = 0; i < order; ++i)
      if (i % 4 != 3) a(i, i) = T(1 + i);
    for (int w = 0; w < width; ++w) {
      at(b, w % order, w) = w % 2 == 0 ? std::numeric_limits<T>::infinity() : -not_a_number<T>();
      at(b, order - 1, w) = T(-0.0);
    }
  }
  Matrix<T> want = b;
  auto op_a = operated(a, uplo, trans);
  bool ascends = (uplo == 'L') == (trans == 'N');
  if (!left) {  // X op(A) = B is op(A)^T X^T = B^T
    auto transposed = op_a;
    for (std::size_t i = 0; i < op_a.size(); ++i)
      for (std::size_t j = 0; j < op_a.size(); ++j) transposed[i][j] = op_a[j][i];
    op_a = transposed;
    ascends = !ascends;
  }
  for (int w = 0; w < width; ++w) {
    std::vector<T> x(static_cast<std::size_t>(order));
    for (int i = 0; i < order; ++i) x[std::size_t(i)] = at(b, i, w);
    substitute_few(op_a, ascends, diag == 'u', x);
    for (int i = 0; i < order; ++i) at(want, i, w) = x[std::size_t(i)];
  }
  a.hide_other(uplo);
  if (diag == 'u')
    for (int i = 0; i < order; ++i) a(i, i) = not_a_number<T>();
  const Matrix<T> right_hand_side = b;
  Triangles<T>::trsm(layout, side, uplo, trans, diag, b.rows, b.columns, T(1), a.memory.data(),
                     a.leading, b.memory.data(), b.leading);
  EXPECT_TRUE(b == want);
  if (!left || width != 1) return;
  for (const int increment : {1, 3, -2}) {
    const auto step = std::size_t(std::abs(increment));
    std::vector<T> x(std::size_t(order - 1) * step + 1, T(7)), solved = x;
    Matrix<T> begin = right_hand_side;
    for (int i = 0; i < order; ++i) {
      const auto place = std::size_t(increment < 0 ? order - 1 - i : i) * step;
      x[place] = begin(i, 0);
      solved[place] = want(i, 0);
    }
    Triangles<T>::trsv(layout, uplo, trans, diag, order, a.memory.data(), a.leading, x.data(),
                       increment);
    EXPECT_EQ(std::memcmp(x.data(), solved.data(), x.size() * sizeof(T)), 0) << increment;
  }
}

template <class T>
class BlasTrianglesOfReals : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(BlasTrianglesOfReals, Reals);

TYPED_TEST(BlasTrianglesOfReals, FewUnknowns) {
  for (const int layout : layouts)
    for (const char side : {'l', 'r'})
      for (const char uplo : {'U', 'L'})
        for (const char trans : {'N', 'T'})
          for (const char diag : {'n', 'u'})
            for (const bool is_special : {false, true})
              for (const int order : {1, 2, 3, 5, 8, 15, 16})
                for (const int width : {1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 64, 65})
                  solve_few<TypeParam>(order, width, layout, side, uplo, trans, diag, is_special);
  EXPECT_TRUE(take_reports().empty());
}

template <class View>
auto transposed(const View& x) {
  return Kokkos::View<typename View::data_type, Kokkos::LayoutStride, Kokkos::HostSpace,
                      Kokkos::MemoryUnmanaged>(
      x.data(), Kokkos::LayoutStride(x.extent(1), std::size_t(x.stride(1)), x.extent(0),
                                     std::size_t(x.stride(0))));
}

/// Equations of many unknowns, block by block: what a block loses is acc::gemm's entry.
template <class T>
void solve_many(int order, int width, int layout, char side, char uplo, char trans, char diag,
                T alpha, bool is_special) {
  SCOPED_TRACE(testing::Message() << order << "x" << width << ", " << layout << side << uplo
                                  << trans << diag << alpha << is_special);
  constexpr int block = 16;
  const bool right = layout == AccRowMajor, left = side == 'l';
  Matrix<T> a(order, order, right, order % 3, 1);
  Matrix<T> b(left ? order : width, left ? width : order, right, 2, 2);
  using Real = typename Parts<T>::real;
  for (int i = 0; i < order; ++i)
    for (int j = 0; j < order; ++j) a(i, j) = a(i, j) / Real(i == j ? 1 : 2 * order);
  if (is_special) {
    // Products of infinity and zero, sums of infinities, and what follows them.
    for (int w = 0; w < width; w += 3)
      (left ? b(w * 5 % order, w) : b(w, w * 5 % order)) =
          w % 2 == 0 ? infinite<T>() : -not_a_number<T>();
    for (int i = 0; i < order; ++i) a(i, order / 4) = T(Real(i % 2 == 0 ? 0.0 : -0.0));
    a(order / 4, order / 4) = T(1);
  }
  // In the order of the unknowns' equations: t is op(A), or its transpose, and x rows of unknowns.
  const bool lower = (uplo == 'L') == (trans == 'N'), ascends = left == lower;
  Matrix<T> t(order, order, true, 0, 1), x(order, width, true, 0, 1), want = b;
  for (int i = 0; i < order; ++i)
    for (int j = 0; j < order; ++j) {
      t(i, j) = (trans == 'N') == left ? a(i, j) : a(j, i);
      if (trans == 'C') t(i, j) = conjugate(t(i, j));
    }
  for (int i = 0; i < order; ++i)
    for (int w = 0; w < width; ++w) x(i, w) = left ? b(i, w) : b(w, i);
  const int blocks = (order + block - 1) / block;
  for (int n = 0; n < blocks; ++n) {
    const int first = (ascends ? n : blocks - 1 - n) * block, end = std::min(order, first + block);
    const auto solved = ascends ? std::pair(0, first) : std::pair(end, order);
    // The first factor of a product is the matrix's that is left, which of complex numbers decides
    // bits: by the right side, X op(A).
    const auto of_t = Kokkos::subview(t.view(), std::pair(first, end), solved);
    const auto of_x = Kokkos::subview(x.view(), solved, Kokkos::ALL());
    const auto block_of_x = Kokkos::subview(x.view(), std::pair(first, end), Kokkos::ALL());
    if (left)
      acc::gemm(Host(), "N", "N", T(-1), of_t, of_x, alpha, block_of_x);
    else
      acc::gemm(Host(), "T", "T", T(-1), of_x, of_t, alpha, transposed(block_of_x));
    Host().fence();
    const auto size = std::size_t(end - first);
    std::vector<std::vector<T>> own(size, std::vector<T>(size));
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) own[i][j] = t(first + int(i), first + int(j));
    if constexpr (is_complex<T>) {
      std::vector<std::vector<T>> of_block(size, std::vector<T>(std::size_t(width)));
      const auto each = [&](const auto& f) {
        for (std::size_t i = 0; i < size; ++i)
          for (int w = 0; w < width; ++w) f(of_block[i][std::size_t(w)], x(first + int(i), w));
      };
      each([](T& copy, const T& number) { copy = number; });
      substitute_block(own, ascends, diag == 'u', of_block);
      each([](const T& solved, T& number) { number = solved; });
    } else {
      for (int w = 0; w < width; ++w) {
        std::vector<T> unknowns(size);
        for (std::size_t i = 0; i < size; ++i) unknowns[i] = x(first + int(i), w);
        substitute_few(own, ascends, diag == 'u', unknowns);
        for (std::size_t i = 0; i < size; ++i) x(first + int(i), w) = unknowns[i];
      }
    }
  }
  for (int i = 0; i < order; ++i)
    for (int w = 0; w < width; ++w) (left ? want(i, w) : want(w, i)) = x(i, w);
  a.hide_other(uplo);
  if (diag == 'u')
    for (int i = 0; i < order; ++i) a(i, i) = not_a_number<T>();
  Matrix<T> right_hand_side = b;
  Triangles<T>::trsm(layout, side, uplo, trans, diag, b.rows, b.columns, alpha, a.memory.data(),
                     a.leading, b.memory.data(), b.leading);
  EXPECT_TRUE(b == want);
  if (!left || width != 1 || alpha != T(1)) return;
  std::vector<T> vector(std::size_t(order) * 2, T(7)), solved = vector;
  for (int i = 0; i < order; ++i) {
    vector[std::size_t(order - 1 - i) * 2] = right_hand_side(i, 0);
    solved[std::size_t(order - 1 - i) * 2] = want(i, 0);
  }
  Triangles<T>::trsv(layout, uplo, trans, diag, order, a.memory.data(), a.leading, vector.data(),
                     -2);
  EXPECT_EQ(std::memcmp(vector.data(), solved.data(), vector.size() * sizeof(T)), 0);
}

TYPED_TEST(BlasTrianglesOfComplexNumbers, ManyUnknowns) {
  using T = TypeParam;
  for (const int layout : {0, int(AccRowMajor)})
    for (const char side : {'l', 'r'})
      for (const char uplo : {'U', 'L'})
        for (const char trans : {'N', 'T', 'C'})
          for (const char diag : {'n', 'u'})
            for (const bool is_special : {false, true})
              // By vectors, and by panels; blocks and panels that are not whole.
              for (const auto& [order, width] :
                   {std::array{17, 1}, std::array{33, 1}, std::array{129, 1}, std::array{300, 1},
                    std::array{33, 2}, std::array{300, 2}, std::array{40, 5}, std::array{45, 9},
                    std::array{300, 3}, std::array{300, 4}, std::array{64, 16}, std::array{50, 41},
                    std::array{272, 17}, std::array{150, 131}}) {
                if (layout == AccRowMajor && width > 17) continue;
                const bool scales = width == 16 || width == 17 || (width == 131 && diag == 'u');
                solve_many<T>(order, width, layout, side, uplo, trans, diag,
                              scales ? numbers<T>(1, 7)[0] : T(1), is_special);
              }
  EXPECT_TRUE(take_reports().empty());
}

TYPED_TEST(BlasTrianglesOfComplexNumbers, UnknownsOfTwoSections) {
  using T = TypeParam;
  for (const char uplo : {'U', 'L'})
    for (const char trans : {'N', 'C'}) {
      solve_many<T>(2101, 1, 0, 'l', uplo, trans, 'n', T(1), false);
      solve_many<T>(700, 1, 0, 'l', uplo, trans, 'n', T(1), true);
    }
  solve_many<T>(2065, 2, 0, 'l', 'U', 'N', 'u', T(1), false);
  solve_many<T>(2049, 2, 0, 'r', 'L', 'C', 'n', T(1), true);
  solve_many<T>(2101, 9, 0, 'l', 'U', 'C', 'n', T(1), true);
  solve_many<T>(2101, 131, 0, 'r', 'L', 'N', 'n', numbers<T>(1, 7)[0], true);
  EXPECT_TRUE(take_reports().empty());
}

/// Products of finite numbers overflow in the last unknown's real part, which so needs its fallback
/// after more than a strip. Its imaginary part does not, and has been written then: it would make
/// the real part a NaN, if that took it for the right-hand side's.
TYPED_TEST(BlasTrianglesOfComplexNumbers, UnknownsThatOverflowInOnePart) {
  using T = TypeParam;
  using Real = typename Parts<T>::real;
  constexpr int order = 300, width = 131;
  constexpr bool is_float = sizeof(Real) == 4;
  constexpr Real large = is_float ? Real(0x1p80) : Real(0x1p600);
  constexpr Real small = is_float ? Real(0x1p40) : Real(0x1p400);
  const T alpha(-1, large);
  for (const char side : {'l', 'r'}) {
    const bool left = side == 'l';
    Matrix<T> a(order, order, false, 0, 1);
    Matrix<T> b(left ? order : width, left ? width : order, false, 0, 2);
    a.memory.assign(a.memory.size(), T(0));
    b.memory.assign(b.memory.size(), T(0));
    a(left ? order - 1 : 0, left ? 0 : order - 1) = T(large);
    b(0, 0) = T(0, -1);
    T& last = left ? b(order - 1, 0) : b(0, order - 1);
    last = T(-small, 0);
    Triangles<T>::trsm(0, side, left ? 'L' : 'U', 'N', 'u', b.rows, b.columns, alpha,
                       a.memory.data(), a.leading, b.memory.data(), b.leading);
    EXPECT_EQ(b(0, 0), T(large, 1)) << side;
    // alpha (-small) - large (large + i)
    EXPECT_EQ(last, T(-std::numeric_limits<Real>::infinity(), -large * small)) << side;
  }
}

TYPED_TEST(BlasTrianglesOfReals, ManyUnknowns) {
  using T = TypeParam;
  for (const int layout : {0, int(AccRowMajor)})
    for (const char side : {'l', 'r'})
      for (const char uplo : {'U', 'L'})
        for (const char trans : {'N', 'T'})
          for (const char diag : {'n', 'u'})
            for (const bool is_special : {false, true})
              // By vectors, few numbers at once, panels; blocks and panels that are not whole.
              for (const auto& [order, width] :
                   {std::array{17, 1}, std::array{129, 1}, std::array{144, 1}, std::array{530, 1},
                    std::array{33, 2}, std::array{530, 4}, std::array{64, 16}, std::array{128, 3},
                    std::array{47, 65}, std::array{100, 67}, std::array{272, 16},
                    std::array{521, 33}}) {
                if (layout == AccRowMajor && order > 300) continue;
                solve_many<T>(order, width, layout, side, uplo, trans, diag,
                              is_special || width <= 16 ? T(1) : T(-0.75), is_special);
              }
  EXPECT_TRUE(take_reports().empty());
}

/// More than a section.
TYPED_TEST(BlasTrianglesOfReals, UnknownsOfTwoSections) {
  using T = TypeParam;
  for (const char uplo : {'U', 'L'})
    for (const char side : {'l', 'r'})
      for (const int order : {2048, 2049, 2101})
        for (const int width : {1, 3}) {
          if (order != 2101 && width != 1) continue;
          solve_many<T>(order, width, 0, side, uplo, 'N', 'n', T(1), order == 2049);
          if (order == 2101 && side == 'l')
            solve_many<T>(order, 9 * width, 0, side, uplo, 'T', 'u', T(0.5), width == 1);
        }
  solve_many<T>(4150, 1, 0, 'l', 'L', 'N', 'n', T(1), false);
  EXPECT_TRUE(take_reports().empty());
}

/// The residual of a solution, exactly, within the bound.
TEST(BlasTriangles, AreSolvedWithinTheBound) {
  const int n = 200, one = 1;
  for (const char uplo : {'U', 'L'}) {
    Matrix<double> a(n, n, false, 0, 4);
    for (int i = 0; i < n; ++i) a(i, i) = 1 + std::fabs(a(i, i));
    auto b = numbers<double>(n, 5), x = b;
    datrsv_(&uplo, "N", "N", &n, a.memory.data(), &n, x.data(), &one);
    Matrix<double> triangle = a, magnitudes = a;
    std::vector<double> size = x;
    for (double& e : size) e = std::fabs(e);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        if (uplo == 'L' ? j > i : j < i) triangle(i, j) = 0;
        magnitudes(i, j) = std::fabs(triangle(i, j));
      }
    std::vector<double> residual = b, bound(n, 0.0);
    acc::gemv(Host(), "N", -1.0, triangle.view(), view(x), 1.0, view(residual), acc::exact{});
    acc::gemv(Host(), "N", 1.0, magnitudes.view(), view(size), 0.0, view(bound), acc::exact{});
    Host().fence();
    double largest = 0;
    for (std::size_t i = 0; i < residual.size(); ++i) {
      EXPECT_LE(std::fabs(residual[i]), 201 * 0x1p-53 * 1.001 * bound[i]) << uplo << i;
      largest = std::max(largest, std::fabs(residual[i]));
    }
    EXPECT_GT(largest, 0);  // else it tests nothing
  }
}

TYPED_TEST(BlasTriangles, OfNothing) {
  using T = TypeParam;
  std::vector<T> b(4, T(5));
  for (const int layout : layouts) {
    Triangles<T>::trsm(layout, 'l', 'U', 'N', 'n', 0, 2, T(1), nullptr, 2, nullptr, 2);
    Triangles<T>::trsv(layout, 'U', 'N', 'n', 0, nullptr, 1, nullptr, 1);
    Triangles<T>::symv(layout, 'U', 0, T(1), nullptr, 1, nullptr, 1, T(0), nullptr, 1);
    Triangles<T>::symv(layout, 'U', 2, T(0), nullptr, 2, nullptr, 1, T(2), b.data(), 1);
    EXPECT_EQ(b[0], T(10));
    Triangles<T>::syrk(layout, 'U', 'N', 2, 2, T(0), nullptr, 2, T(0), b.data(), 2);
    EXPECT_EQ(b[0], T(0));
    Triangles<T>::trsm(layout, 'l', 'U', 'N', 'n', 2, 2, T(0), nullptr, 2, b.data(), 2);
    EXPECT_EQ(b, std::vector<T>(4, T(0)));
    b.assign(4, T(5));
  }
  EXPECT_TRUE(take_reports().empty());
}

/// By Fortran, by columns and by rows.
TYPED_TEST(BlasTriangles, WrongArguments) {
  using T = TypeParam;
  using F = Triangles<T>;
  const std::vector<T> a(64, T(1));
  using Places = std::array<int, 3>;
  const auto places = [&](const auto& call) {
    Places found{};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      std::vector<T> c(64, T(5));
      call(layouts[i], c.data());
      const auto reports = take_reports();
      found[i] = reports.size() == 1 ? reports[0].place : -int(reports.size());
      EXPECT_EQ(c, std::vector<T>(64, T(5)));
    }
    return found;
  };
  const T* const p = a.data();
  const auto symm = [&](char side, char uplo, int m, int n, int lda, int ldb, int ldc) {
    return places([=](int layout, T* c) {
      F::symm(layout, false, side, uplo, m, n, T(1), p, lda, p, ldb, T(1), c, ldc);
    });
  };
  EXPECT_EQ(symm('X', 'U', 2, 3, 4, 4, 4), (Places{1, 2, 2}));
  EXPECT_EQ(symm('l', 'X', 2, 3, 4, 4, 4), (Places{2, 3, 3}));
  EXPECT_EQ(symm('l', 'U', -1, -1, 4, 4, 4), (Places{3, 4, 5}));
  EXPECT_EQ(symm('l', 'U', 2, -1, 4, 4, 4), (Places{4, 5, 5}));
  EXPECT_EQ(symm('l', 'U', 3, 3, 2, 2, 2), (Places{7, 8, 8}));
  EXPECT_EQ(symm('r', 'U', 2, 3, 2, 4, 4), (Places{7, 8, 8}));
  EXPECT_EQ(symm('l', 'U', 3, 3, 3, 2, 2), (Places{9, 10, 10}));
  EXPECT_EQ(symm('l', 'U', 3, 3, 3, 3, 2), (Places{12, 13, 13}));
  const auto symv = [&](char uplo, int n, int lda, int incx, int incy) {
    return places(
        [=](int layout, T* c) { F::symv(layout, uplo, n, T(1), p, lda, p, incx, T(1), c, incy); });
  };
  EXPECT_EQ(symv('X', 2, 2, 1, 1), (Places{1, 2, 2}));
  EXPECT_EQ(symv('U', -1, 2, 1, 1), (Places{2, 3, 3}));
  EXPECT_EQ(symv('U', 2, 1, 0, 0), (Places{5, 6, 6}));
  EXPECT_EQ(symv('U', 2, 2, 0, 0), (Places{7, 8, 8}));
  EXPECT_EQ(symv('U', 2, 2, 1, 0), (Places{10, 11, 11}));
  const auto syrk = [&](char uplo, char trans, int n, int k, int lda, int ldc) {
    return places(
        [=](int layout, T* c) { F::syrk(layout, uplo, trans, n, k, T(1), p, lda, T(1), c, ldc); });
  };
  EXPECT_EQ(syrk('X', 'N', 2, 2, 2, 2), (Places{1, 2, 2}));
  EXPECT_EQ(syrk('U', 'X', 2, 2, 2, 2), (Places{2, 3, 3}));
  if (is_complex<T>) {
    EXPECT_EQ(syrk('U', 'C', 2, 2, 2, 2), (Places{2, 3, 3}));
  }
  EXPECT_EQ(syrk('U', 'N', -1, -1, 2, 2), (Places{3, 4, 4}));
  EXPECT_EQ(syrk('U', 'N', 2, -1, 2, 2), (Places{4, 5, 5}));
  EXPECT_EQ(syrk('U', 'N', 2, 2, 1, 1), (Places{7, 8, 8}));
  EXPECT_EQ(syrk('U', 'N', 2, 2, 2, 1), (Places{10, 11, 11}));
  const auto trsv = [&](char uplo, char trans, char diag, int n, int lda, int incx) {
    return places(
        [=](int layout, T* c) { F::trsv(layout, uplo, trans, diag, n, p, lda, c, incx); });
  };
  EXPECT_EQ(trsv('X', 'X', 'X', -1, 0, 0), (Places{1, 2, 2}));
  EXPECT_EQ(trsv('U', 'X', 'X', -1, 0, 0), (Places{2, 3, 3}));
  EXPECT_EQ(trsv('U', 'N', 'X', -1, 0, 0), (Places{3, 4, 4}));
  EXPECT_EQ(trsv('U', 'N', 'n', -1, 0, 0), (Places{4, 5, 5}));
  EXPECT_EQ(trsv('U', 'N', 'n', 2, 1, 0), (Places{6, 7, 7}));
  EXPECT_EQ(trsv('U', 'N', 'n', 2, 2, 0), (Places{8, 9, 9}));
  const auto trsm = [&](char side, char uplo, char trans, char diag, int m, int n, int lda,
                        int ldb) {
    return places([=](int layout, T* c) {
      F::trsm(layout, side, uplo, trans, diag, m, n, T(1), p, lda, c, ldb);
    });
  };
  EXPECT_EQ(trsm('X', 'X', 'X', 'X', -1, -1, 0, 0), (Places{1, 2, 2}));
  EXPECT_EQ(trsm('l', 'X', 'X', 'X', -1, -1, 0, 0), (Places{2, 3, 3}));
  EXPECT_EQ(trsm('l', 'U', 'X', 'X', -1, -1, 0, 0), (Places{3, 4, 4}));
  EXPECT_EQ(trsm('l', 'U', 'N', 'X', -1, -1, 0, 0), (Places{4, 5, 5}));
  EXPECT_EQ(trsm('l', 'U', 'N', 'n', -1, -1, 0, 0), (Places{5, 6, 7}));
  EXPECT_EQ(trsm('l', 'U', 'N', 'n', 2, 2, 1, 1), (Places{9, 10, 10}));
  EXPECT_EQ(trsm('l', 'U', 'N', 'n', 2, 2, 2, 1), (Places{11, 12, 12}));
  // A result that overlaps an operand.
  EXPECT_EQ(places([&](int layout, T* c) { F::trsv(layout, 'U', 'N', 'n', 2, c, 2, c + 1, 1); }),
            (Places{7, 8, 8}));
  EXPECT_EQ(
      places([&](int layout, T* c) { F::symv(layout, 'U', 2, T(1), c, 2, p, 1, T(0), c + 1, 1); }),
      (Places{9, 10, 10}));
  EXPECT_EQ(places([&](int layout, T* c) {
              F::symv(layout, 'U', 2, T(1), p, 2, c, -1, T(0), c + 1, -1);
            }),
            (Places{9, 10, 10}));
  EXPECT_EQ(places([&](int layout, T* c) {
              F::trsm(layout, 'l', 'U', 'N', 'n', 2, 2, T(1), c, 2, c + 1, 2);
            }),
            (Places{10, 11, 11}));
  EXPECT_EQ(
      places([&](int layout, T* c) { F::syrk(layout, 'U', 'N', 2, 2, T(1), c, 2, T(1), c, 2); }),
      (Places{9, 10, 10}));
}

/// Nothing is written where a later part of the result overlaps.
TYPED_TEST(BlasTriangles, OverlapsAreFoundFirst) {
  using T = TypeParam;
  const int n = 128;
  const std::vector<T> a(std::size_t(n) * std::size_t(n), T(1));
  std::vector<T> c(256, T(5));
  for (const int layout : layouts) {
    const int leading = layout == AccRowMajor ? 1 : n;
    Triangles<T>::symm(layout, false, 'L', 'U', n, 1, T(1), a.data(), n, c.data() + 100, leading,
                       T(1), c.data(), leading);
    EXPECT_EQ(take_reports().size(), 1u);
    EXPECT_EQ(c, std::vector<T>(256, T(5)));
  }
}

}  // namespace
}  // namespace acc_test
