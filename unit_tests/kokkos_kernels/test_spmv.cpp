// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of spmv for a KokkosSparse::CrsMatrix means the same in acc and in Kokkos Kernels.
#include <acc/spmv.hpp>

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Complex = Kokkos::complex<double>;

/// A number that is no integer, so that sums round; of either sign, and some small.
template <class T>
T element(int i, int seed) {
  const double a = ((i * 7 + seed) % 23 - 11) / 3.0 * (i % 5 == 0 ? 1e-3 : 1);
  if constexpr (std::is_same_v<T, Complex>) {
    return Complex(a, ((i * 5 + seed) % 29 - 14) / 7.0);
  } else {
    return T(a);
  }
}

template <class View>
View make(std::size_t rows, std::size_t columns, int seed) {
  using T = typename View::value_type;
  View x;
  if constexpr (View::rank == 1) {
    x = View("x", rows);
  } else {
    x = View("x", rows, columns);
  }
  const auto host = Kokkos::create_mirror_view(x);
  for (std::size_t i = 0; i < rows; ++i) {
    if constexpr (View::rank == 1) {
      host(i) = element<T>(int(i), seed);
    } else {
      for (std::size_t j = 0; j < columns; ++j) host(i, j) = element<T>(int(i), seed + int(j));
    }
  }
  Kokkos::deep_copy(x, host);
  return x;
}

template <class T, class Ordinal = int, class Size = int>
using Matrix = KokkosSparse::CrsMatrix<T, Ordinal, typename Space::device_type, void, Size>;

/// Rows of 0, 1, ..., 12 entries, and one of 300.
template <class T, class Ordinal = int, class Size = int>
Matrix<T, Ordinal, Size> matrix(int rows, int columns) {
  std::vector<Size> row_map{0};
  std::vector<Ordinal> entries;
  for (int i = 0; i < rows; ++i) {
    const int length = i == rows / 2 ? 300 : i % 13;
    for (int k = 0; k < length; ++k) entries.push_back((i * 3 + k) % columns);
    row_map.push_back(Size(entries.size()));
  }
  const auto on_device = []<class Integer>(const std::vector<Integer>& x) {
    const Kokkos::View<Integer*, Space> d("integers", x.size());
    using host_view = Kokkos::View<const Integer*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(d, host_view(x.data(), x.size()));
    return d;
  };
  const auto values = make<Kokkos::View<T*, Space>>(entries.size(), 1, 4);
  return {"A",    Ordinal(rows),      Ordinal(columns),  Size(entries.size()),
          values, on_device(row_map), on_device(entries)};
}

constexpr int n_rows = 401, n_columns = 350;

// The calls, written once: with `namespace sparse = acc` and with `= KokkosSparse`. Vectors are of
// another length where the matrix is transposed.
#define PRODUCTS(sparse)                                                                        \
  template <class T>                                                                            \
  std::vector<T> sparse##_products(const Space& space, const char* mode, T alpha, T beta) {     \
    const bool transposed = *mode == 'T' || *mode == 'H';                                       \
    const std::size_t m = transposed ? n_columns : n_rows, n = transposed ? n_rows : n_columns; \
    using Vector = Kokkos::View<T*, Space>;                                                     \
    using Vectors = Kokkos::View<T**, Kokkos::LayoutLeft, Space>;                               \
    const auto A = matrix<T>(n_rows, n_columns);                                                \
    const auto x = make<Vector>(n, 1, 1), y = make<Vector>(m, 1, 2);                            \
    const auto X = make<Vectors>(n, 3, 1), Y = make<Vectors>(m, 3, 2);                          \
    sparse::spmv(space, mode, alpha, A, x, beta, y);                                            \
    sparse::spmv(space, mode, alpha, A, X, beta, Y);                                            \
    space.fence();                                                                              \
    std::vector<T> all;                                                                         \
    const auto keep = [&](const auto& v) {                                                      \
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);            \
      for (std::size_t i = 0; i < host.extent(0); ++i) all.push_back(host(i));                  \
    };                                                                                          \
    keep(y);                                                                                    \
    for (int j = 0; j < 3; ++j) keep(Kokkos::subview(Y, Kokkos::ALL, j));                       \
    const auto z = make<Vector>(m, 1, 5);                                                       \
    sparse::spmv(mode, alpha, A, x, beta, z); /* on the default instance */                     \
    Kokkos::fence();                                                                            \
    keep(z);                                                                                    \
    return all;                                                                                 \
  }
PRODUCTS(acc)
PRODUCTS(KokkosSparse)

/// The bounds of |ours - theirs|, in the order of the results.
///
/// Each result is alpha times a sum of k products, plus beta y. Whatever the order, Kokkos Kernels'
/// is within (k + 2) u of the exact one, relative to |alpha| |A| |x| + |beta| |y| (Higham, Accuracy
/// and Stability of Numerical Algorithms, 2002, section 3.1); acc's (compensated) is nearer. The
/// product of two complex numbers is within 4 u, not u. Twice the sum of both covers what is of
/// order u^2, and the rounding of the bound itself.
template <class T>
std::vector<double> bounds(const char* mode, T alpha, T beta) {
  const bool transposed = *mode == 'T' || *mode == 'H';
  const auto a = matrix<T>(n_rows, n_columns);
  const auto host = [](const auto& v) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  };
  const auto row_map = host(a.graph.row_map);
  const auto entries = host(a.graph.entries);
  const auto values = host(a.values);
  using real = decltype(Kokkos::abs(T()));
  const double u = double(Kokkos::Experimental::epsilon_v<real>) / 2;
  const std::size_t m = transposed ? n_columns : n_rows;
  std::vector<double> all;
  const auto of = [&](int seed_x, int seed_y) {
    std::vector<double> size(m), terms(m);
    for (std::size_t i = 0; i < n_rows; ++i) {
      for (int k = row_map(i); k < row_map(i + 1); ++k) {
        const auto column = std::size_t(entries(std::size_t(k)));
        const std::size_t to = transposed ? column : i, from = transposed ? i : column;
        size[to] += double(Kokkos::abs(values(std::size_t(k)))) *
                    double(Kokkos::abs(element<T>(int(from), seed_x)));
        ++terms[to];
      }
    }
    for (std::size_t i = 0; i < m; ++i)
      all.push_back(4 * (terms[i] + 6) * u *
                    (double(Kokkos::abs(alpha)) * size[i] +
                     double(Kokkos::abs(beta)) * double(Kokkos::abs(element<T>(int(i), seed_y)))));
  };
  of(1, 2);
  for (int j = 0; j < 3; ++j) of(1 + j, 2 + j);
  of(1, 5);
  return all;
}

template <class T>
struct SpmvDropIn : testing::Test {};
using Scalars = testing::Types<float, double, Complex>;
TYPED_TEST_SUITE(SpmvDropIn, Scalars);

TYPED_TEST(SpmvDropIn, OfACrsMatrix) {
  using T = TypeParam;
  for (const char* mode : {"N", "T", "C", "H"}) {
    for (const auto& [alpha, beta] :
         {std::pair(T(1), T(0)), std::pair(element<T>(3, 1), element<T>(4, 2))}) {
      const auto ours = acc_products<T>(Space(), mode, alpha, beta);
      const auto theirs = KokkosSparse_products<T>(Space(), mode, alpha, beta);
      const auto bound = bounds<T>(mode, alpha, beta);
      ASSERT_EQ(ours.size(), theirs.size());
      ASSERT_EQ(ours.size(), bound.size());
      for (std::size_t i = 0; i < ours.size(); ++i)
        ASSERT_LE(double(Kokkos::abs(ours[i] - theirs[i])), bound[i])
            << mode << " " << alpha << " " << beta << " " << i;
    }
  }
}

/// Whatever integers a CrsMatrix has: its ordinals are signed, and its sizes any. KokkosSparse's
/// own product of them is within the bounds, too.
TYPED_TEST(SpmvDropIn, IntegersOfAnyTypes) {
  using T = TypeParam;
  using Vector = Kokkos::View<T*, Space>;
  const auto x = make<Vector>(n_columns, 1, 1);
  const auto host = [](const Vector& v) {
    const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
    return std::vector<T>(h.data(), h.data() + h.extent(0));
  };
  const auto bound = bounds<T>("N", T(1), T(0));
  const auto ours = [&](const auto& A) {
    const Vector y("y", n_rows);
    acc::spmv(Space(), "N", T(1), A, x, T(0), y);
    Space().fence();
    return host(y);
  };
  const auto want = ours(matrix<T>(n_rows, n_columns));
  const auto check = [&]<class Ordinal, class Size>(Ordinal, Size, const char* what) {
    const auto A = matrix<T, Ordinal, Size>(n_rows, n_columns);
    const auto got = ours(A);
    ASSERT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)), 0) << what;
    const Vector y("y", n_rows);
    KokkosSparse::spmv(Space(), "N", T(1), A, x, T(0), y);
    Space().fence();
    const auto theirs = host(y);
    for (std::size_t i = 0; i < n_rows; ++i)
      ASSERT_LE(double(Kokkos::abs(got[i] - theirs[i])), bound[i]) << what << " " << i;
  };
  check(int(), std::size_t(), "int, size_t");
  check(std::int64_t(), std::int64_t(), "int64_t, int64_t");
  check(0LL, std::size_t(), "long long, size_t");
  check(0LL, 0LL, "long long, long long");
  check(0LL, 0ULL, "long long, unsigned long long");
  check(short(), unsigned(), "short, unsigned");
}

#ifdef KOKKOS_ENABLE_OPENMP
TYPED_TEST(SpmvDropIn, HasTheSameBitsForAnyThreads) {
  if constexpr (std::is_same_v<Space, Kokkos::OpenMP>) {
    using T = TypeParam;
    for (const char* mode : {"N", "T", "C", "H"}) {
      const auto one = acc_products<T>(Kokkos::OpenMP(1), mode, T(-2.5), T(0.75));
      for (const int threads : {2, 3, 8}) {
        const auto more = acc_products<T>(Kokkos::OpenMP(threads), mode, T(-2.5), T(0.75));
        ASSERT_EQ(std::memcmp(one.data(), more.data(), one.size() * sizeof(T)), 0)
            << mode << " " << threads;
      }
    }
  } else {
    GTEST_SKIP() << "the default execution space is not OpenMP";
  }
}
#endif

}  // namespace
