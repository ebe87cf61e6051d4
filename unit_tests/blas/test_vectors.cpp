// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of vectors, gemv and complex GEMM give the bits of the calls of acc that they stand
// for, write nothing else, and report what the reference BLAS reports.
#include <Kokkos_Core.hpp>

#include <acc/asum.hpp>
#include <acc/axpby.hpp>
#include <acc/blas.h>
#include <acc/dot.hpp>
#include <acc/gemm.hpp>
#include <acc/gemv.hpp>
#include <acc/nrm2.hpp>
#include <acc/scal.hpp>

#include <gtest/gtest.h>

#include "calls.hpp"
#include "numbers.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace acc_test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
// The entry points of each type, Fortran's and C's, by one name.
template <class T>
struct Functions;

#define ACC_TEST_FUNCTIONS(T, R, t, rt)                                                          \
  template <>                                                                                    \
  struct Functions<T> {                                                                          \
    using type = T;                                                                              \
    using real = R;                                                                              \
    static constexpr const char* letter = #t;                                                    \
    static R nrm2(bool c, int n, const T* x, int incx) {                                         \
      return c ? cblas_##rt##anrm2(n, x, incx) : rt##anrm2_(&n, x, &incx);                       \
    }                                                                                            \
    static R asum(bool c, int n, const T* x, int incx) {                                         \
      return c ? cblas_##rt##aasum(n, x, incx) : rt##aasum_(&n, x, &incx);                       \
    }                                                                                            \
    static void axpy(bool c, int n, T a, const T* x, int incx, T* y, int incy) {                 \
      c ? cblas_##t##aaxpy(n, number(a), x, incx, y, incy)                                       \
        : t##aaxpy_(&n, &a, x, &incx, y, &incy);                                                 \
    }                                                                                            \
    static void scal(bool c, int n, T a, T* x, int incx) {                                       \
      c ? cblas_##t##ascal(n, number(a), x, incx) : t##ascal_(&n, &a, x, &incx);                 \
    }                                                                                            \
    static void gemv(int layout, char trans, int m, int n, T alpha, const T* a, int lda,         \
                     const T* x, int incx, T beta, T* y, int incy) {                             \
      if (layout == 0)                                                                           \
        t##agemv_(&trans, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);                   \
      else                                                                                       \
        cblas_##t##agemv(layout, Call<T>::constant(trans), m, n, number(alpha), a, lda, x, incx, \
                         number(beta), y, incy);                                                 \
    }                                                                                            \
    static void gemm(int layout, char ta, char tb, int m, int n, int k, T alpha, const T* a,     \
                     int lda, const T* b, int ldb, T beta, T* c, int ldc) {                      \
      if (layout == 0)                                                                           \
        t##agemm_(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);               \
      else                                                                                       \
        cblas_##t##agemm(layout, Call<T>::constant(ta), Call<T>::constant(tb), m, n, k,          \
                         number(alpha), a, lda, b, ldb, number(beta), c, ldc);                   \
    }                                                                                            \
    static std::string fortran_gemv() { return std::string(1, char(*letter - 32)) + "AGEMV"; }   \
  };
ACC_TEST_FUNCTIONS(float, float, s, s)
ACC_TEST_FUNCTIONS(double, double, d, d)
ACC_TEST_FUNCTIONS(Complex<float>, float, c, sc)
ACC_TEST_FUNCTIONS(Complex<double>, double, z, dz)

float dot_of(bool c, bool, int n, const float* x, int incx, const float* y, int incy) {
  return c ? cblas_sadot(n, x, incx, y, incy) : sadot_(&n, x, &incx, y, &incy);
}
double dot_of(bool c, bool, int n, const double* x, int incx, const double* y, int incy) {
  return c ? cblas_dadot(n, x, incx, y, incy) : dadot_(&n, x, &incx, y, &incy);
}
// Fortran's complex functions are called in standard_names.c.
Complex<float> dot_of(bool, bool conjugate, int n, const Complex<float>* x, int incx,
                      const Complex<float>* y, int incy) {
  Complex<float> r;
  (conjugate ? cblas_cadotc_sub : cblas_cadotu_sub)(n, x, incx, y, incy, &r);
  return r;
}
Complex<double> dot_of(bool, bool conjugate, int n, const Complex<double>* x, int incx,
                       const Complex<double>* y, int incy) {
  Complex<double> r;
  (conjugate ? cblas_zadotc_sub : cblas_zadotu_sub)(n, x, incx, y, incy, &r);
  return r;
}

/// Where a vector of the BLAS has its element i.
std::size_t place_of(std::size_t i, std::size_t n, int increment) {
  const auto step = std::size_t(std::abs(increment));
  return increment < 0 ? (n - 1 - i) * step : i * step;
}
/// The elements of a vector in the memory of a BLAS, among NaN. Complex numbers are aligned as C's.
template <class T>
class Strided {
 public:
  using real = typename Functions<T>::real;
  static constexpr std::size_t parts = sizeof(T) / sizeof(real);

  Strided(const std::vector<T>& x, int increment)
      : n_(x.size()),
        increment_(increment),
        memory_(2 + parts * (1 + x.size() * std::size_t(std::abs(increment))),
                std::numeric_limits<real>::quiet_NaN()) {
    first_ = reinterpret_cast<std::uintptr_t>(memory_.data()) % sizeof(T) == 0 ? 1 : 0;
    for (std::size_t i = 0; i < n_; ++i) std::memcpy(at(i), &x[i], sizeof(T));
  }
  T* data() { return reinterpret_cast<T*>(memory_.data() + first_); }
  std::vector<T> elements() {
    std::vector<T> x(n_);
    for (std::size_t i = 0; i < n_; ++i) std::memcpy(static_cast<void*>(&x[i]), at(i), sizeof(T));
    return x;
  }
  bool operator==(const Strided& other) const {
    return first_ == other.first_ &&
           std::memcmp(memory_.data(), other.memory_.data(), memory_.size() * sizeof(real)) == 0;
  }

 private:
  void* at(std::size_t i) { return memory_.data() + first_ + parts * place_of(i, n_, increment_); }
  std::size_t n_;
  int increment_;
  std::vector<real> memory_;
  std::size_t first_;  ///< so that complex numbers are not aligned to their size
};

template <class T>
auto view(std::vector<T>& x) {
  return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(x.data(), x.size());
}
template <class T>
bool same(const T& x, const T& y) {
  return std::memcmp(&x, &y, sizeof(T)) == 0;
}

template <class T>
class BlasVectors : public testing::Test {};
using Scalars = testing::Types<float, double, Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(BlasVectors, Scalars);

TYPED_TEST(BlasVectors, OfEveryIncrementHaveAccsBits) {
  using T = TypeParam;
  using F = Functions<T>;
  const T alpha = numbers<T>(1, 9)[0];
  for (const int n : {1, 2, 16, 64, 65, 1000, 5000}) {
    for (const int incx : {1, 3, -1, -2}) {
      for (const int incy : {1, -3, 2}) {
        SCOPED_TRACE(testing::Message() << n << ", " << incx << ", " << incy);
        auto x = numbers<T>(std::size_t(n), 1), y = numbers<T>(std::size_t(n), 2);
        Strided<T> sx(x, incx), sy(y, incy);
        for (const bool c : {false, true}) {
          EXPECT_TRUE(same(dot_of(c, true, n, sx.data(), incx, sy.data(), incy),
                           acc::dot(Host(), view(x), view(y))));
          EXPECT_TRUE(same(dot_of(c, false, n, sx.data(), incx, sy.data(), incy),
                           acc::dotu(Host(), view(x), view(y))));
          EXPECT_TRUE(same(F::nrm2(c, n, sx.data(), incx), acc::nrm2(Host(), view(x))));
          const auto asum = F::asum(c, n, sx.data(), incx);
          EXPECT_TRUE(same(asum, incx < 0 ? 0 : acc::asum(Host(), view(x))));

          std::vector<T> sum = y, product = x;
          acc::axpy(Host(), alpha, view(x), view(sum));
          acc::scal(Host(), view(product), alpha, view(x));
          Host().fence();
          Strided<T> got(y, incy), got_x(x, incx);
          F::axpy(c, n, alpha, sx.data(), incx, got.data(), incy);
          EXPECT_TRUE(got == Strided<T>(sum, incy));
          EXPECT_TRUE(sx == Strided<T>(x, incx));
          F::scal(c, n, alpha, got_x.data(), incx);
          EXPECT_TRUE(got_x == Strided<T>(incx < 0 ? x : product, incx));
        }
      }
    }
  }
}

TYPED_TEST(BlasVectors, OfNoElements) {
  using T = TypeParam;
  using F = Functions<T>;
  T y = T(3);
  for (const int n : {0, -2}) {
    for (const bool c : {false, true}) {
      EXPECT_TRUE(same(dot_of(c, true, n, static_cast<const T*>(nullptr), 1, &y, 1), T(0)));
      EXPECT_TRUE(same(F::nrm2(c, n, nullptr, 1), typename F::real(0)));
      EXPECT_TRUE(same(F::asum(c, n, nullptr, 1), typename F::real(0)));
      F::axpy(c, n, T(2), nullptr, 1, &y, 1);
      F::scal(c, n, T(2), &y, 1);
      EXPECT_EQ(y, T(3));
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

/// An increment of 0 is one element n times; where y's elements share places, each counts in turn.
TYPED_TEST(BlasVectors, ThatShareElements) {
  using T = TypeParam;
  using F = Functions<T>;
  for (const int n : {3, 100}) {
    auto x = numbers<T>(std::size_t(n), 3);
    std::vector<T> copies(std::size_t(n), x[0]), one{x[1]}, want { x[1] };
    EXPECT_TRUE(same(F::nrm2(true, n, x.data(), 0), acc::nrm2(Host(), view(copies))));
    EXPECT_TRUE(same(dot_of(true, false, n, x.data(), 0, x.data(), 1),
                     acc::dotu(Host(), view(copies), view(x))));
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::vector<T> element{x[i]};
      acc::axpy(Host(), T(2), view(element), view(want));
      Host().fence();
    }
    F::axpy(false, n, T(2), x.data(), 1, one.data(), 0);
    EXPECT_TRUE(same(one[0], want[0])) << n;

    // x_(i + 1) = 2 x_i + x_(i + 1), of which each needs the one before.
    std::vector<T> chain(std::size_t(n), T(1));
    F::axpy(true, n - 1, T(2), chain.data(), 1, chain.data() + 1, 1);
    T last = T(1);
    for (int i = 1; i < n; ++i) last = T(2) * last + T(1);
    EXPECT_EQ(chain.back(), last) << n;
  }
}

/// Few neighbors have kernels of their own: at the edges of registers and stripes, of all kinds of
/// numbers and factors, those whose sums need a second look included.
TYPED_TEST(BlasVectors, OfFewNeighborsOfAnyKind) {
  using T = TypeParam;
  using F = Functions<T>;
  using R = typename F::real;
  using limits = std::numeric_limits<R>;
  std::vector<int> sizes{31, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
  for (int n = 1; n <= 17; ++n) sizes.push_back(n);
  const R inf = limits::infinity(), nan = limits::quiet_NaN();
  for (const int n : sizes) {
    for (const R last : {R(0.7), R(-0.0), limits::max() / 4, limits::min(), inf, -inf, nan}) {
      for (const R scale : {R(1), std::sqrt(limits::max()), std::sqrt(limits::min())}) {
        SCOPED_TRACE(testing::Message() << n << ", " << last << ", " << scale);
        auto x = numbers<T>(std::size_t(n), 1), y = numbers<T>(std::size_t(n), 2);
        for (T& v : x) v *= scale;
        x.back() = T(last);
        EXPECT_TRUE(same(dot_of(true, true, n, x.data(), 1, y.data(), 1),
                         acc::dot(Host(), view(x), view(y))));
        EXPECT_TRUE(same(dot_of(true, true, n, x.data(), 1, x.data(), 1),
                         acc::dot(Host(), view(x), view(x))));
        EXPECT_TRUE(same(F::nrm2(true, n, x.data(), 1), acc::nrm2(Host(), view(x))));
        EXPECT_TRUE(same(F::asum(true, n, x.data(), 1), acc::asum(Host(), view(x))));
        for (const R alpha : {R(0), R(-0.0), R(1), R(-2.5), limits::max(), inf, nan}) {
          std::vector<T> sum = y, got = y, twice = x, product = x;
          acc::axpy(Host(), T(alpha), view(x), view(sum));
          Host().fence();
          F::axpy(true, n, T(alpha), x.data(), 1, got.data(), 1);
          EXPECT_TRUE(std::memcmp(got.data(), sum.data(), sizeof(T) * got.size()) == 0) << alpha;
          got = x;
          acc::axpy(Host(), T(alpha), view(x), view(twice));
          Host().fence();
          F::axpy(true, n, T(alpha), got.data(), 1, got.data(), 1);
          EXPECT_TRUE(std::memcmp(got.data(), twice.data(), sizeof(T) * got.size()) == 0) << alpha;
          got = x;
          acc::scal(Host(), view(product), T(alpha), view(x));
          Host().fence();
          F::scal(true, n, T(alpha), got.data(), 1);
          EXPECT_TRUE(std::memcmp(got.data(), product.data(), sizeof(T) * got.size()) == 0)
              << alpha;
        }
      }
    }
  }
}

/// The same numbers with room between them are copied and padded to whole stripes. What is padded
/// must not show, of sums that are a zero of either sign above all.
TYPED_TEST(BlasVectors, OfFewNeighborsAreThoseOfAnyIncrement) {
  using T = TypeParam;
  using F = Functions<T>;
  using R = typename F::real;
  const auto apart = [](const std::vector<T>& x) {
    std::vector<T> to(3 * x.size(), T(7));
    for (std::size_t i = 0; i < x.size(); ++i) to[3 * i] = x[i];
    return to;
  };
  const auto compare = [&](const std::vector<T>& x, const std::vector<T>& y) {
    const int n = int(x.size());
    const std::vector<T> far_x = apart(x), far_y = apart(y);
    for (const bool conjugates : {false, true})
      EXPECT_TRUE(same(dot_of(true, conjugates, n, x.data(), 1, y.data(), 1),
                       dot_of(true, conjugates, n, far_x.data(), 3, far_y.data(), 3)));
    EXPECT_TRUE(same(F::nrm2(true, n, x.data(), 1), F::nrm2(true, n, far_x.data(), 3)));
    EXPECT_TRUE(same(F::asum(true, n, x.data(), 1), F::asum(true, n, far_x.data(), 3)));
  };
  std::vector<int> sizes{31, 32, 33, 63, 64, 65, 127, 128, 129};
  for (int n = 1; n <= 17; ++n) sizes.push_back(n);
  for (const int n : sizes) {
    SCOPED_TRACE(n);
    auto x = numbers<T>(std::size_t(n), 1), y = numbers<T>(std::size_t(n), 2);
    compare(x, y);
    // Products that overflow, underflow or are not finite.
    using limits = std::numeric_limits<R>;
    for (const R last : {R(0.7), limits::max() / 4, limits::min(), limits::denorm_min(),
                         limits::infinity(), -limits::infinity(), limits::quiet_NaN()}) {
      for (const R scale : {R(1), std::sqrt(limits::max()), std::sqrt(limits::min())}) {
        auto far = x, other = y;
        for (T& v : far) v *= scale;
        for (T& v : other) v *= scale;
        far.back() = T(last);
        compare(far, other);
        far.front() = T(last);
        compare(far, other);
      }
    }
    // Sums that cancel, to +0, and to what rounding has left over.
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
      x[i + 1] = x[i];
      y[i + 1] = -y[i];
    }
    if (n % 2 == 1) x.back() = T(R(-0.0));
    compare(x, y);
    // Zeros of all signs.
    for (unsigned signs = 0; signs < 16; ++signs) {
      const auto signed_by = [signs](unsigned bit, R magnitude) {
        return (signs >> bit & 1U) ? -magnitude : magnitude;
      };
      for (std::size_t i = 0; i < x.size(); ++i) {
        if constexpr (std::is_same_v<T, R>) {
          x[i] = signed_by(0, R(0));
          y[i] = signed_by(1, R(3));
        } else {
          x[i] = T(signed_by(0, R(0)), signed_by(1, R(0)));
          y[i] = T(signed_by(2, R(3)), signed_by(3, R(3)));
        }
      }
      compare(x, y);
      compare(y, x);
    }
  }
}

/// The real factors of complex vectors.
TEST(BlasVectors, ScaledByRealNumbers) {
  auto x = numbers<Complex<double>>(70, 1), want = x, got = x;
  acc::scal(Host(), view(want), Complex<double>(0.3), view(x));
  Host().fence();
  const int n = 70, one = 1;
  const double alpha = 0.3;
  zdascal_(&n, &alpha, got.data(), &one);
  EXPECT_EQ(std::memcmp(got.data(), want.data(), sizeof(want[0]) * 70), 0);
  got = x;
  cblas_zdascal(n, alpha, got.data(), 1);
  EXPECT_EQ(std::memcmp(got.data(), want.data(), sizeof(want[0]) * 70), 0);
  EXPECT_NE(got, x);

  auto f = numbers<Complex<float>>(5, 2), g = f;
  cblas_csascal(5, 2.0f, f.data(), 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(f[std::size_t(i)], 2.0f * g[std::size_t(i)]);
  const int five = 5;
  const float two = 2;
  csascal_(&five, &two, g.data(), &one);
  EXPECT_EQ(f, g);
}

constexpr std::array layouts{0, int(AccColMajor), int(AccRowMajor)};

template <class T>
class BlasMatrices : public testing::Test {
 public:
  using F = Functions<T>;

  /// A matrix of rows x columns in memory of a leading dimension, as a strided vector of it.
  struct Matrix {
    std::vector<T> memory;
    std::size_t rows, columns, leading;
    bool by_rows;
    Matrix(int m, int n, bool right, int extra, unsigned seed)
        : memory(
              numbers<T>(std::size_t((right ? n : m) + extra) * std::size_t(right ? m : n), seed)),
          rows(std::size_t(m)),
          columns(std::size_t(n)),
          leading(std::size_t((right ? n : m) + extra)),
          by_rows(right) {}
    auto view() {
      const Kokkos::LayoutStride right(rows, leading, columns, 1), left(rows, 1, columns, leading);
      return Kokkos::View<T**, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
          memory.data(), by_rows ? right : left);
    }
  };
};
TYPED_TEST_SUITE(BlasMatrices, Scalars);

TYPED_TEST(BlasMatrices, TimesVectorsHaveAccsBits) {
  using T = TypeParam;
  using F = Functions<T>;
  using Matrix = typename TestFixture::Matrix;
  for (const int layout : layouts) {
    for (const char trans : {'N', 't', 'C'}) {
      for (const auto& [m, n] : {std::array{7, 5}, std::array{1, 300}, std::array{300, 270}}) {
        for (const auto& [incx, incy] :
             {std::array{1, 1}, std::array{-2, 3}, std::array{2, -1}, std::array{2, 3}}) {
          for (const T beta : {T(0), T(1), numbers<T>(1, 8)[0]}) {
            SCOPED_TRACE(testing::Message() << layout << trans << m << " x " << n << ", " << incx
                                            << ", " << incy << ", " << beta);
            Matrix a(m, n, layout == AccRowMajor, 3, 1);
            const bool is_n = trans == 'N';
            auto x = numbers<T>(std::size_t(is_n ? n : m), 2);
            auto y = numbers<T>(std::size_t(is_n ? m : n), 3), want = y;
            const T alpha = numbers<T>(1, 7)[0];
            acc::gemv(Host(), &trans, alpha, a.view(), view(x), beta, view(want));
            Host().fence();
            Strided<T> sx(x, incx), sy(y, incy);
            F::gemv(layout, trans, m, n, alpha, a.memory.data(), int(a.leading), sx.data(), incx,
                    beta, sy.data(), incy);
            EXPECT_TRUE(sy == Strided<T>(want, incy));
          }
        }
      }
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

TYPED_TEST(BlasMatrices, TimesMatricesHaveAccsBits) {
  using T = TypeParam;
  using F = Functions<T>;
  using Matrix = typename TestFixture::Matrix;
  const auto is_n = [](char letter) { return letter == 'N' || letter == 'n'; };
  const T alpha = numbers<T>(1, 7)[0], beta = numbers<T>(1, 8)[0];
  for (const int layout : layouts) {
    for (const char ta : {'N', 'T', 'c'}) {
      for (const char tb : {'n', 't', 'C'}) {
        for (const int k : {0, 1, 33, 300}) {
          SCOPED_TRACE(testing::Message() << layout << ta << tb << k);
          const bool right = layout == AccRowMajor;
          const int m = 9, n = 6;
          Matrix a(is_n(ta) ? m : k, is_n(ta) ? k : m, right, 1, 1);
          Matrix b(is_n(tb) ? k : n, is_n(tb) ? n : k, right, 2, 2);
          Matrix c(m, n, right, 3, 3);
          Strided<T> sa(a.memory, 1), sb(b.memory, 1);
          Strided<T> sc(c.memory, 1);
          acc::gemm(Host(), &ta, &tb, alpha, a.view(), b.view(), beta, c.view());
          Host().fence();
          F::gemm(layout, ta, tb, m, n, k, alpha, sa.data(), int(a.leading), sb.data(),
                  int(b.leading), beta, sc.data(), int(c.leading));
          EXPECT_TRUE(sc == Strided<T>(c.memory, 1));
        }
      }
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

/// Of real numbers and at most a strip of products, where alpha is 1 and beta 0: each entry is a
/// chain of FMAs, by definition.
template <class T, class A, class C>
void expect_chains(char ta, char tb, const A& a, const A& b, const C& c) {
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t i = 0; i < c.extent(0); ++i) {
      for (std::size_t j = 0; j < c.extent(1); ++j) {
        T sum = 0;
        for (std::size_t k = 0; k < a.extent(ta == 'N' ? 1 : 0); ++k)
          sum = std::fma(ta == 'N' ? a(i, k) : a(k, i), tb == 'N' ? b(k, j) : b(j, k), sum);
        EXPECT_EQ(c(i, j), sum) << ta << tb << ' ' << i << ", " << j;
      }
    }
  }
}

/// Most of them go from the entry point to a kernel without a step between.
TYPED_TEST(BlasMatrices, TimesFewRowsHaveAccsBits) {
  using T = TypeParam;
  using F = Functions<T>;
  using Matrix = typename TestFixture::Matrix;
  const auto some = numbers<T>(2, 7);
  const std::array<std::array<T, 2>, 3> factors{{{T(1), T(0)}, {T(-1), T(1)}, {some[0], some[1]}}};
  std::size_t count = 0;
  for (const int layout : layouts) {
    const bool right = layout == AccRowMajor;
    for (const char ta : {'N', 'T', 'C'}) {
      for (const char tb : {'N', 'T', 'C'}) {
        for (const int m : {1, 2, 3, 5, 8, 17}) {
          for (const int n : {1, 2, 4, 6, 7, 9}) {
            for (const int k : {1, 3, 20}) {
              const auto& [alpha, beta] = factors[count++ % factors.size()];
              Matrix a(ta == 'N' ? m : k, ta == 'N' ? k : m, right, 1, 1);
              Matrix b(tb == 'N' ? k : n, tb == 'N' ? n : k, right, 2, 2);
              Matrix c(m, n, right, 3, 3);
              Strided<T> got(c.memory, 1);
              acc::gemm(Host(), &ta, &tb, alpha, a.view(), b.view(), beta, c.view());
              F::gemm(layout, ta, tb, m, n, k, alpha, a.memory.data(), int(a.leading),
                      b.memory.data(), int(b.leading), beta, got.data(), int(c.leading));
              EXPECT_TRUE(got == Strided<T>(c.memory, 1))
                  << layout << ta << tb << ' ' << m << " x " << n << " x " << k;
              if (alpha == T(1) && beta == T(0))
                expect_chains<T>(ta, tb, a.view(), b.view(), c.view());
            }
          }
        }
      }
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

/// C may begin where A or B ends, and end where they begin; one element further it is refused.
TYPED_TEST(BlasMatrices, MayBeNeighborsInMemory) {
  using T = TypeParam;
  using F = Functions<T>;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const bool right = layouts[i] == AccRowMajor;
    for (const bool transposed : {false, true}) {
      const int m = 3, n = 4, k = 5;
      const auto length = [&](int rows, int columns, int leading) {
        return right ? (rows - 1) * leading + columns : (columns - 1) * leading + rows;
      };
      const auto leading = [&](int rows, int columns) { return (right ? columns : rows) + 1; };
      const char letter = transposed ? 'T' : 'N';
      const int a_rows = transposed ? k : m, a_columns = transposed ? m : k;
      const int b_rows = transposed ? n : k, b_columns = transposed ? k : n;
      const int lda = leading(a_rows, a_columns), ldb = leading(b_rows, b_columns);
      const int ldc = leading(m, n);
      const int a_length = length(a_rows, a_columns, lda),
                b_length = length(b_rows, b_columns, ldb);
      const int c_length = length(m, n, ldc);
      // The factor at the beginning of the memory, C, and the factor after it; C is moved.
      for (const bool a_is_first : {true, false}) {
        for (const int moved : {-1, 0, 1}) {
          const int first = a_is_first ? a_length : b_length;
          std::vector<T> memory(std::size_t(a_length + b_length + c_length), T(1));
          T* const before = memory.data();
          T* const after = memory.data() + first + c_length;
          F::gemm(layouts[i], letter, letter, m, n, k, T(1), a_is_first ? before : after, lda,
                  a_is_first ? after : before, ldb, T(0), memory.data() + first + moved, ldc);
          const auto reports = take_reports();
          EXPECT_EQ(reports.size(), moved == 0 ? 0u : 1u)
              << layouts[i] << letter << a_is_first << moved;
          for (const Report& r : reports) EXPECT_EQ(r.place, i == 0 ? 12 : 13);
          EXPECT_EQ(memory[std::size_t(first + moved)], moved == 0 ? T(5) : T(1));
        }
      }
    }
  }
}

/// A product with one column is summed by other kernels. Vectors lie where only their parts are
/// aligned.
TYPED_TEST(BlasMatrices, TimesOneColumnHaveAccsBits) {
  using T = TypeParam;
  using F = Functions<T>;
  using Matrix = typename TestFixture::Matrix;
  const T alpha = numbers<T>(1, 7)[0], beta = numbers<T>(1, 8)[0];
  const int k = 69;
  for (const int layout : layouts) {
    for (const int m : {1, 8, 70}) {
      const bool right = layout == AccRowMajor;
      Matrix a(m, k, right, 3, 1), b(k, 1, right, 0, 2), c(m, 1, right, 0, 3);
      Strided<T> sb(b.memory, 1), sc(c.memory, 1);
      acc::gemm(Host(), "N", "N", alpha, a.view(), b.view(), beta, c.view());
      Host().fence();
      F::gemm(layout, 'N', 'N', m, 1, k, alpha, a.memory.data(), int(a.leading), sb.data(),
              int(b.leading), beta, sc.data(), int(c.leading));
      EXPECT_TRUE(sc == Strided<T>(c.memory, 1)) << layout << ", " << m;
    }
  }
  EXPECT_TRUE(take_reports().empty());
}

/// Of vectors that are copied, too.
TYPED_TEST(BlasMatrices, RefuseAResultThatOverlaps) {
  using T = TypeParam;
  using F = Functions<T>;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const int place = i == 0 ? 10 : 11;
    const auto refuses = [&](const auto& call) {
      std::vector<T> y(16, T(5));
      call(y.data());
      const auto reports = take_reports();
      return reports.size() == 1 && reports[0].place == place && y == std::vector<T>(16, T(5));
    };
    const std::vector<T> ones(16, T(1));
    for (const int inc : {1, -1}) {
      EXPECT_TRUE(refuses([&](T* y) {
        F::gemv(layouts[i], 'N', 2, 2, T(1), ones.data(), 2, y, inc, T(0), y + 1, inc);
      }));
      EXPECT_TRUE(refuses([&](T* y) {
        F::gemv(layouts[i], 'N', 2, 2, T(1), y, 2, ones.data(), inc, T(0), y + 3, inc);
      }));
    }
  }
}

/// Nothing is read that does not count; and without columns y stays as it is, as in the BLAS.
TYPED_TEST(BlasMatrices, ReadOnlyWhatCounts) {
  using T = TypeParam;
  using F = Functions<T>;
  using real = typename F::real;
  const T nan = T(std::numeric_limits<real>::quiet_NaN());
  const std::vector<T> ones(6, T(1));
  for (const int layout : layouts) {
    std::vector<T> y(2, nan);
    F::gemv(layout, 'N', 2, 2, T(1), ones.data(), 2, ones.data(), 1, T(0), y.data(), 1);
    EXPECT_EQ(y, std::vector<T>(2, T(2)));
    F::gemv(layout, 'N', 2, 2, T(0), nullptr, 2, nullptr, 1, T(2), y.data(), -1);
    EXPECT_EQ(y, std::vector<T>(2, T(4)));
    F::gemv(layout, 'N', 2, 0, T(1), nullptr, 2, nullptr, 1, T(0), y.data(), 1);
    F::gemv(layout, 'T', 0, 2, T(1), nullptr, 2, nullptr, 1, T(0), y.data(), 1);
    F::gemv(layout, 'N', 2, 2, T(0), nullptr, 2, nullptr, 1, T(1), nullptr, 1);
    EXPECT_EQ(y, std::vector<T>(2, T(4)));
  }
  EXPECT_TRUE(take_reports().empty());
}

/// By Fortran, by columns and by rows.
TYPED_TEST(BlasMatrices, WrongArgumentsOfGemv) {
  using T = TypeParam;
  using F = Functions<T>;
  const std::vector<T> a(16, T(1)), x(8, T(1));
  struct Arguments {
    char trans = 'N';
    int m = 2, n = 3, lda = 4, incx = 1, incy = 1;
    const T *a, *x;
    T* y;
  };
  const auto places = [&](const auto& change) {
    std::array<int, 3> found{};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      std::vector<T> y(8, T(5));
      Arguments b;
      b.a = a.data(), b.x = x.data(), b.y = y.data();
      change(b);
      F::gemv(layouts[i], b.trans, b.m, b.n, T(1), b.a, b.lda, b.x, b.incx, T(1), b.y, b.incy);
      const auto reports = take_reports();
      found[i] = reports.size() == 1 ? reports[0].place : -1;
      EXPECT_EQ(y, std::vector<T>(8, T(5)));
      if (reports.size() == 1) {
        const std::string c_name = std::string("cblas_") + F::letter + "agemv";
        EXPECT_EQ(reports[0].routine, i == 0 ? F::fortran_gemv() : c_name);
      }
    }
    return found;
  };
  using Places = std::array<int, 3>;
  EXPECT_EQ(places([](auto& b) { b.trans = 'X'; }), (Places{1, 2, 2}));
  EXPECT_EQ(places([](auto& b) { b.m = -1; }), (Places{2, 3, 3}));
  EXPECT_EQ(places([](auto& b) { b.n = -1; }), (Places{3, 4, 4}));
  EXPECT_EQ(places([](auto& b) { b.m = b.n = -1; }), (Places{2, 3, 4}));
  EXPECT_EQ(places([](auto& b) { b.m = 3, b.lda = 2; }), (Places{6, 7, 7}));
  EXPECT_EQ(places([](auto& b) { b.n = b.m = 0, b.lda = 0; }), (Places{6, 7, 7}));
  EXPECT_EQ(places([](auto& b) { b.incx = 0; }), (Places{8, 9, 9}));
  EXPECT_EQ(places([](auto& b) { b.incy = 0; }), (Places{11, 12, 12}));
  EXPECT_EQ(places([](auto& b) { b.lda = b.incx = b.incy = 0; }), (Places{6, 7, 7}));
  EXPECT_EQ(places([](auto& b) { b.a = nullptr; }), (Places{5, 6, 6}));
  EXPECT_EQ(places([](auto& b) { b.x = nullptr; }), (Places{7, 8, 8}));
  EXPECT_EQ(places([](auto& b) { b.x = b.y; }), (Places{10, 11, 11}));
}

}  // namespace
}  // namespace acc_test
