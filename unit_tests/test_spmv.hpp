// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// acc::spmv: each element of y has the bits of its row alone, whatever the other rows are, by every
// engine. Rows are compared with acc::dotu over a copy of what they meet, with the canonical order
// in plain loops (reference_order.hpp), with acc::gemv (exact), and with exact sums.
#pragma once

#include "crs.hpp"
#include "device.hpp"
#include "golden.hpp"
#include "hard_numbers.hpp"
#include "one_thread.hpp"
#include "reference_order.hpp"
#include "segments.hpp"
#include "views.hpp"

#include <acc/dot.hpp>
#include <acc/gemv.hpp>
#include <acc/spmv.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

/// A program's own matrix with the members of KokkosSparse::CrsMatrix.
template <class T>
struct LikeCrsMatrix {
  struct {
    Kokkos::View<std::size_t*, Exec> row_map;
    Kokkos::View<int*, Exec> entries;
  } graph;
  Kokkos::View<T*, Exec> values;
  int columns;
  int numRows() const { return static_cast<int>(graph.row_map.extent(0)) - 1; }
  int numCols() const { return columns; }
};

using Sizes = std::vector<std::int64_t>;

/// The same rows, then some of about `mean` entries and empty ones, so that the mean is no larger.
inline Sizes with_mean(Sizes sizes, std::int64_t mean) {
  for (std::int64_t k = 0; k < 100; ++k) sizes.push_back(mean - 1 + k % 3);
  const auto entries = std::size_t(offsets_of(sizes).back());
  sizes.resize(std::max(sizes.size(), entries / std::size_t(mean) + 1), 0);
  return sizes;
}
/// GPUs have other kernels for matrices whose rows have few entries on average, or some.
inline std::vector<Sizes> with_means(const Sizes& sizes) {
  return {sizes, with_mean(sizes, 10), with_mean(sizes, 30)};
}

template <class C>
class Spmv : public testing::Test {
 public:
  using T = typename C::Scalar;
  using R = typename C::Real;
  using M = typename C::Method;
  static constexpr bool is_exact = std::is_same_v<M, acc::exact>;
  static constexpr bool has_low = std::is_same_v<M, acc::compensated>;

  static std::vector<T> product(const char* mode, const Crs<T>& a, const std::vector<T>& x,
                                T alpha = T(1), T beta = T(0), std::vector<T> y = {}) {
    const bool transposes = *mode == 'T' || *mode == 'H';
    // What beta = 0 must not read.
    if (y.empty())
      y.assign(transposes ? static_cast<std::size_t>(a.columns) : a.rows(),
               T(std::numeric_limits<R>::quiet_NaN()));
    const auto d = on_device(y);
    acc::spmv(Exec{}, mode, alpha, crs_on_device(a), on_device(x), beta, d, M{});
    return to_host(d);
  }
  static void expect_same(const std::vector<T>& got, const std::vector<T>& want,
                          const std::string& what) {
    ASSERT_EQ(got.size(), want.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(bits(got[i]), bits(want[i])) << what << ", row " << i;
  }
  /// acc::dotu of each row, and dot where the values are conjugated.
  static std::vector<T> dots(const Crs<T>& a, const std::vector<T>& x, bool conjugates = false) {
    const auto& exec = one_thread();
    const auto view = [](const std::vector<T>& v) {
      return Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(v.data(), v.size());
    };
    std::vector<T> r;
    for (std::size_t i = 0; i < a.rows(); ++i) {
      const std::vector<T> row = a.row_values(i), met = a.met(i, x);
      r.push_back(conjugates ? acc::dot(exec, view(row), view(met), M{})
                             : acc::dotu(exec, view(row), view(met), M{}));
    }
    return r;
  }

  /// The law in plain loops, for moderate numbers: high and low number of each part of the sum, and
  /// what becomes of them.
  static T element(const std::vector<T>& values, const std::vector<T>& met, T alpha, T beta, T y) {
    constexpr int n = is_complex<T> ? 2 : 1;
    const auto a = flat(values), b = flat(met);
    const auto f = parts(alpha), g = parts(beta), c = parts(y);
    using Acc = typename acc::impl::accumulator_of<M, R>::type;
    const auto sums =
        in_canonical_order<Acc, R, n, n>(a.size(), [&](auto& s, std::size_t i, std::size_t lane) {
          if constexpr (n == 1) {
            s[0].add_product(a[i], b[i]);
          } else {
            const bool odd = lane % 2 == 1;
            s[0].add_product(a[i], odd ? -b[i] : b[i]);
            s[1].add_product(a[i], odd ? b[i - 1] : b[i + 1]);
          }
        });
    R high[2] = {}, low[2] = {};
    for (int k = 0; k < n; ++k) {
      high[k] = sums[static_cast<std::size_t>(k)].value();
      if constexpr (has_low) {
        const auto& s = sums[static_cast<std::size_t>(k)];
        low[k] = acc::two_sum(s.component(0), s.component(1)).error;
      }
    }
    const bool is_empty = values.empty();  // counts as alpha = 0
    std::vector<R> result;
    for (int k = 0; k < n; ++k) {
      const R sign = k == 0 ? R(-1) : R(1);
      struct Term {
        R factor, high, low;
      };
      std::vector<Term> terms;
      const auto put = [&](R factor, R h, R l) {
        if (factor != R(0)) terms.push_back({factor, h, l});
      };
      const auto at = static_cast<std::size_t>(k), other = static_cast<std::size_t>(n - 1 - k);
      put(g[0], c[at], R(0));
      if (n == 2) put(sign * g[n - 1], c[other], R(0));
      if (!is_empty) put(f[0], high[at], low[at]);
      if (!is_empty && n == 2) put(sign * f[n - 1], high[other], low[other]);
      R h = R(0), l = R(0), of_high = R(0);
      for (std::size_t t = 0; t < terms.size(); ++t) {
        const auto p = acc::two_prod(terms[t].factor, terms[t].high);
        of_high = t == 0 ? p.value : std::fma(terms[t].factor, terms[t].high, of_high);
        if constexpr (has_low) {
          const R rest = std::fma(terms[t].factor, terms[t].low, p.error);
          if (t == 0) {
            h = p.value;
            l = rest;
          } else {
            const auto s = acc::two_sum(h, p.value);
            h = s.value;
            l = l + (rest + s.error);
          }
        }
      }
      const bool is_zero = h + l == R(0) && of_high == R(0);  // with the sign of the high parts'
      result.push_back(has_low && !is_zero ? h + l : of_high);
    }
    if constexpr (n == 2)
      return T(result[0], result[1]);
    else
      return result[0];
  }
  /// By acc::gemv of a row and what it meets: sums that need no order.
  static T exact_element(const std::vector<T>& values, const std::vector<T>& met, T alpha, T beta,
                         T y) {
    Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::DefaultHostExecutionSpace> a("a", 1,
                                                                                values.size());
    Kokkos::View<T*, Kokkos::DefaultHostExecutionSpace> x("x", met.size()), r("r", 1);
    for (std::size_t k = 0; k < met.size(); ++k) {
      a(0, k) = values[k];
      x(k) = met[k];
    }
    r(0) = y;
    acc::gemv(Kokkos::DefaultHostExecutionSpace{}, "N", alpha, a, x, beta, r, acc::exact{});
    Kokkos::fence();
    return r(0);
  }
  static std::vector<T> elements_by_law(const Crs<T>& a, const std::vector<T>& x, T alpha, T beta,
                                        const std::vector<T>& y) {
    std::vector<T> r;
    for (std::size_t i = 0; i < a.rows(); ++i) {
      const auto values = a.row_values(i), met = a.met(i, x);
      if constexpr (is_exact)
        r.push_back(exact_element(values, met, alpha, beta, y[i]));
      else
        r.push_back(element(values, met, alpha, beta, y[i]));
    }
    return r;
  }
};
TYPED_TEST_SUITE(Spmv, SpmvCases);

/// Rows of every length around groups, stripes and leaves, alone and mixed; entries beyond the last
/// row; columns that come several times.
TYPED_TEST(Spmv, RowsHaveTheBitsOfDotu) {
  using T = typename TypeParam::Scalar;
  for (const Data data : {Data::wide, Data::all_exponents, Data::massive_cancellation}) {
    const auto x = elements<T>(data == Data::all_exponents ? Data::uniform : data, 997, 3);
    for (const Offsets& offsets : some_segments<T>()) {
      const auto n = static_cast<std::size_t>(offsets.back());
      const auto a = crs_of(offsets, 997, elements<T>(data, n + 5, n));
      this->expect_same(this->product("N", a, x), this->dots(a, x), std::string(name(data)));
    }
  }
}

/// Products that overflow and underflow, infinities, NaN and zeros of both signs.
TYPED_TEST(Spmv, SpecialValuesAreThoseOfDotu) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  const auto numbers = [](Hard family, std::size_t n, std::uint64_t seed) {
    Random random(seed);
    std::vector<T> v(n);
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (is_complex<T>) {
        const R re = hard<R>(family, i, n, random);
        v[i] = T(re, hard<R>(family, i, n, random));
      } else {
        v[i] = hard<R>(family, i, n, random);
      }
    }
    return v;
  };
  const auto l = static_cast<std::int64_t>(leaf<T>);
  std::vector<std::int64_t> sizes{0, 1, 2, 3, 27, 27, 0, 64, 65, 7, l, 2 * l + 3, 5, 300};
  for (const std::int64_t size : {2, 5}) sizes.insert(sizes.end(), 100, size);
  for (const Sizes& rows : with_means(sizes)) {
    const Offsets offsets = offsets_of(rows);
    const auto n = static_cast<std::size_t>(offsets.back());
    for (const Hard family : all_hard) {
      const auto a = crs_of(offsets, 211, numbers(family, n, 5));
      const auto x = numbers(family, 211, 6);
      this->expect_same(this->product("N", a, x), this->dots(a, x),
                        "family " + std::to_string(int(family)));
    }
  }
}

/// Rows whose error alone is not below the limit of the fast path, among ordinary rows: the first
/// sum is a number and its error NaN (docs/arithmetic.md, E2).
TYPED_TEST(Spmv, RowsOfOrdinarySumsAndOtherErrorsAreFound) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  constexpr R max = std::numeric_limits<R>::max();
  const R small =
      std::ldexp(R(-3), std::numeric_limits<R>::max_exponent - (sizeof(R) == 8 ? 54 : 25));
  for (const std::size_t size : {3, 10}) {
    auto values = elements<T>(Data::uniform, size * 64, 7);
    const auto set_row = [&](std::size_t row, R a, R b, R c) {
      T* const v = values.data() + size * row;
      v[0] = T(a), v[1] = T(b), v[2] = T(c);
    };
    set_row(7, small, max, -max);
    set_row(40, small, -max, max);
    const auto a = crs_of(offsets_of(Sizes(64, std::int64_t(size))), 5, values);
    const std::vector<T> x(5, T(1));
    this->expect_same(this->product("N", a, x), this->dots(a, x),
                      "errors in rows of " + std::to_string(size));
  }
}

/// Factors of all kinds, in plain loops.
TYPED_TEST(Spmv, AlphaAndBetaAreTheLaws) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  const auto l = static_cast<std::int64_t>(leaf<T>);
  std::vector<std::int64_t> sizes{0, 1, 2, 27, 64, 65, 129, 9, l + 3, 300};
  sizes.insert(sizes.end(), 70, 5);
  std::vector<T> factors{T(0), T(1), T(-1), T(R(0.7))};
  if constexpr (is_complex<T>) {
    factors.push_back(T(R(0.3), R(-1.1)));
    factors.push_back(T(R(0), R(2)));
  }
  for (const Sizes& rows : with_means(sizes)) {
    const Offsets offsets = offsets_of(rows);
    const auto n = static_cast<std::size_t>(offsets.back());
    const auto a = crs_of(offsets, 300, elements<T>(Data::uniform, n, 1));
    const auto x = elements<T>(Data::uniform, 300, 2), y = elements<T>(Data::uniform, a.rows(), 4);
    for (const T alpha : factors)
      for (const T beta : factors)
        this->expect_same(this->product("N", a, x, alpha, beta, y),
                          this->elements_by_law(a, x, alpha, beta, y),
                          "alpha " + bits(alpha) + ", beta " + bits(beta));
  }
}

/// Neighboring rows of as many entries, from fewer of them than a kernel takes together to more
/// than it takes at once: alone, and between other rows, of which some nearly have as many. Some
/// rows meet what is summed again.
TYPED_TEST(Spmv, RunsOfRowsHaveTheBitsOfTheirRows) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  using R = typename TypeParam::Real;
  auto x = elements<T>(Data::wide, 101, 2);
  x[100] = T(std::numeric_limits<R>::infinity());
  for (std::int64_t size = 1; size < 11; ++size) {
    const std::vector<std::int64_t> runs{15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 79, 80, 81, 200};
    std::vector<std::vector<std::int64_t>> matrices(1);
    for (const std::int64_t run : runs) {
      matrices.emplace_back(run, size);
      matrices[0].insert(matrices[0].end(), run, size);
      matrices[0].insert(matrices[0].end(), {size + run % 3, size + 1, 0, size - 1, 300});
      // As many entries as a run, which they are not.
      for (int k = 0; k < 20; ++k) matrices[0].push_back(size + (k % 4 < 2 ? k % 2 : -(k % 2)));
    }
    for (const std::vector<std::int64_t>& sizes : matrices) {
      const Offsets offsets = offsets_of(sizes, 3);
      const auto n = static_cast<std::size_t>(offsets.back());
      for (const bool has_infinities : {false, true}) {
        auto a = crs_of(offsets, has_infinities ? 101 : 100, elements<T>(Data::wide, n, 1));
        a.columns = 101;
        const std::string what = "rows of " + std::to_string(size) + " among " +
                                 std::to_string(sizes.size()) + (has_infinities ? ", inf" : "");
        this->expect_same(this->product("N", a, x), this->dots(a, x), what);
        if (has_infinities) continue;
        const auto apart = strided(std::vector<T>(a.rows()), 2);
        acc::spmv(Exec{}, "N", T(1), crs_on_device(a), on_device(x), T(0), apart, M{});
        this->expect_same(to_host(apart), this->dots(a, x), what + ", strided y");
        const auto y = elements<T>(Data::uniform, a.rows(), 4);
        this->expect_same(this->product("N", a, x, T(R(0.7)), T(-1), y),
                          this->elements_by_law(a, x, T(R(0.7)), T(-1), y), what + ", alpha, beta");
      }
    }
  }
}

/// As many rows as a warp has, fewer and more: of one length each, up to beyond a stripe; of
/// lengths that differ little or much; and in a few rows longer ones, which end what is summed
/// together, as those of more than a stripe do. Each among few rows and among many empty ones.
TYPED_TEST(Spmv, GroupsOfRowsHaveTheBitsOfTheirRows) {
  using T = typename TypeParam::Scalar;
  const auto x = elements<T>(Data::wide, 97, 2);
  const auto check = [&](Sizes sizes, const std::string& what) {
    for (const std::size_t rows : {sizes.size(), sizes.size() + 2000}) {
      sizes.resize(rows, 0);
      const Offsets offsets = offsets_of(sizes);
      const auto n = static_cast<std::size_t>(offsets.back());
      const auto a = crs_of(offsets, 97, elements<T>(Data::wide, n, 1));
      this->expect_same(this->product("N", a, x), this->dots(a, x),
                        what + " of " + std::to_string(rows));
    }
  };
  const auto stripe = static_cast<std::int64_t>(leaf<T>) / acc::impl::stripes_per_leaf;
  for (const std::int64_t size : {1, 4, 7, 8, 9, 12, 16, 17, 27, 31, 32, 33, 40, 63, 64, 65, 128})
    for (const std::size_t rows : {31, 32, 65})
      check(Sizes(rows, size), std::to_string(rows) + " rows of " + std::to_string(size));
  Random random(11);
  for (const int most : {2, 8, 9, 20, 40})
    for (const std::int64_t other :
         {std::int64_t(0), std::int64_t(10), stripe / 2, stripe, stripe + 1}) {
      Sizes sizes;
      for (int i = 0; i < 130; ++i) sizes.push_back(i % 37 == 36 ? other : random.integer(0, most));
      check(sizes, "up to " + std::to_string(most) + ", some " + std::to_string(other));
    }
  // The longest row decides by which tree of groups a warp's rows are summed.
  for (std::int64_t groups = 4; groups <= 64; groups *= 2)
    for (const std::int64_t longest : {2 * groups, 2 * groups + 1, 4 * groups, 4 * groups + 1}) {
      Sizes sizes(96, 5);
      sizes[9] = sizes[70] = longest;
      check(sizes, "a longest row of " + std::to_string(longest));
    }
  // What fills a warp's share, by a row more or less; a stripe among empty rows.
  for (const std::int64_t size : {15, 16, 28, 29, 30, 31, 32, 33})
    for (const std::int64_t last : {1, 5, 8}) {
      Sizes sizes(96, size);
      sizes.back() = sizes[40] = last;
      check(sizes, "rows of " + std::to_string(size) + ", some " + std::to_string(last));
    }
  for (const std::size_t rows : {64, 96, 100}) {
    Sizes sizes(rows, 0);
    sizes[20] = stripe;
    check(sizes, "a stripe among " + std::to_string(rows));
  }
}

/// The methods that keep more than a rounded sum of the row (SM7), of real numbers.
template <class C>
class SpmvResiduals : public Spmv<C> {};
using SpmvResidualCases =
    testing::Types<Case<acc::compensated, double>, Case<acc::compensated, float>,
                   Case<acc::exact, double>, Case<acc::exact, float>>;
TYPED_TEST_SUITE(SpmvResiduals, SpmvResidualCases);

/// b - A x of numbers that cancel is as accurate as if computed in twice the precision.
TYPED_TEST(SpmvResiduals, ThatCancelAreAccurate) {
  using T = typename TypeParam::Scalar;
  const std::size_t rows = 200, width = 27;
  const auto a = crs_of(offsets_of(std::vector<std::int64_t>(rows, width)), 500,
                        elements<T>(Data::uniform, rows * width, 8));
  const auto x = elements<T>(Data::uniform, 500, 9);
  const auto b = this->dots(a, x);  // so that what is left is the sums' rounding
  const auto r = this->product("N", a, x, T(-1), T(1), b);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto values = a.row_values(i), met = a.met(i, x);
    const Exact exact = Exact(b[i]) - exact_dot<T>(values, met);
    const Exact sum = exact_abs_dot<T>(values, met) + abs(Exact(b[i]));
    const double gamma2 = 2 * std::pow(gamma<T>(16), 2);
    EXPECT_LE(abs(Exact(r[i]) - exact), (Bound{u<T>, gamma2}.limit(exact, sum))) << "row " << i;
  }
}

/// "T", "C" and "H" are "N" of the matrix that they name.
TYPED_TEST(Spmv, ModesAreThoseOfKokkosSparse) {
  using T = typename TypeParam::Scalar;
  const auto l = static_cast<std::int64_t>(leaf<T>);
  const std::vector<Offsets> all{
      offsets_of({0, 3, 27, 1, 0, 65, 200, 7}), offsets_of({l + 7, 0, 2, 300}),
      offsets_of(std::vector<std::int64_t>(900, 27)), offsets_of({5, 6, 7}, 4)};
  for (const Offsets& offsets : all) {
    for (const std::int64_t columns : {1, 9, 700}) {
      const auto n = static_cast<std::size_t>(offsets.back());
      const auto a = crs_of(offsets, columns, elements<T>(Data::wide, n + 3, 3));
      // Entries before the first row and after the last one belong to none.
      const auto x = elements<T>(Data::wide, a.rows(), 5),
                 of_columns = elements<T>(Data::wide, static_cast<std::size_t>(columns), 5);
      const auto t = a.transposed();
      const std::string what = std::to_string(columns) + " columns";
      this->expect_same(this->product("T", a, x), this->product("N", t, x), "T, " + what);
      this->expect_same(this->product("T", a, x, T(2), T(1), of_columns),
                        this->product("N", t, x, T(2), T(1), of_columns), "T, scaled, " + what);
      this->expect_same(this->product("H", a, x), this->product("N", t.conjugated(), x),
                        "H, " + what);
      this->expect_same(this->product("C", a, of_columns),
                        this->product("N", a.conjugated(), of_columns), "C, " + what);
      this->expect_same(this->product("C", a, of_columns), this->dots(a, of_columns, true),
                        "C, dot, " + what);
    }
  }
}

/// Several columns, of any layout.
TYPED_TEST(Spmv, ColumnsHaveTheBitsThatTheyHaveAlone) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Offsets offsets = offsets_of({0, 3, 27, 1, 0, 65, 200, 7, 5000});
  const auto n = static_cast<std::size_t>(offsets.back());
  const auto a = crs_of(offsets, 31, elements<T>(Data::wide, n, 3));
  const std::size_t columns = 3, rows = a.rows();
  const auto x = elements<T>(Data::wide, 31 * columns, 4),
             y = elements<T>(Data::wide, rows * columns, 5);
  const auto check = [&]<class Layout>(Layout) {
    const Kokkos::View<T**, Layout, Exec> dx("x", 31, columns), dy("y", rows, columns);
    const auto hx = Kokkos::create_mirror_view(dx), hy = Kokkos::create_mirror_view(dy);
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t i = 0; i < 31; ++i) hx(i, j) = x[31 * j + i];
      for (std::size_t i = 0; i < rows; ++i) hy(i, j) = y[rows * j + i];
    }
    Kokkos::deep_copy(dx, hx);
    Kokkos::deep_copy(dy, hy);
    acc::spmv("N", T(2), crs_on_device(a), dx, T(3), dy, M{});
    Kokkos::deep_copy(hy, dy);
    for (std::size_t j = 0; j < columns; ++j) {
      const std::vector<T> xj(x.begin() + std::ptrdiff_t(31 * j),
                              x.begin() + std::ptrdiff_t(31 * (j + 1))),
          yj(y.begin() + std::ptrdiff_t(rows * j), y.begin() + std::ptrdiff_t(rows * (j + 1)));
      const auto want = this->product("N", a, xj, T(2), T(3), yj);
      for (std::size_t i = 0; i < rows; ++i)
        ASSERT_EQ(bits(T(hy(i, j))), bits(want[i])) << "column " << j << ", row " << i;
    }
  };
  check(Kokkos::LayoutLeft{});
  check(Kokkos::LayoutRight{});
}

/// Types of row maps and columns, strides, and matrices of other types.
TYPED_TEST(Spmv, TypesAndLayoutsChangeNoBits) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Exec exec;
  const Sizes sizes{0, 3, 27, 1, 0, 65, 200, 7, 5000};
  for (const Sizes& rows : with_means(sizes)) {
    const Offsets offsets = offsets_of(rows, 2);
    const auto n = static_cast<std::size_t>(offsets.back());
    const auto a = crs_of(offsets, 100, elements<T>(Data::wide, n, 3));
    const auto x = elements<T>(Data::wide, 100, 4);
    const auto want = this->product("N", a, x);
    const Kokkos::View<T*, Exec> y("y", a.rows());
    const auto dx = on_device(x);
    const auto check = [&](const auto& matrix, const std::string& what) {
      Kokkos::deep_copy(y, T(7));
      acc::spmv(exec, "N", T(1), matrix, dx, T(0), y, M{});
      this->expect_same(to_host(y), want, what);
    };
    check(crs_on_device<int, int>(a), "int");
    check(crs_on_device<std::size_t, int>(a), "size_t, int");
    check(crs_on_device<std::int64_t, std::int64_t>(a), "int64");
    check(crs_on_device<unsigned, std::size_t>(a), "unsigned, size_t");
    check(crs_on_device<int, signed char>(a), "columns of a byte");
    // Of 64 bits, too, but another type than std::int64_t where that is long.
    check(crs_on_device<unsigned long long, long long>(a), "unsigned long long, long long");
    check(acc::crs_matrix{std::int64_t(a.rows()), a.columns, strided(a.row_map, 3),
                          strided(a.entries, 2), strided(a.values, 5)},
          "strided");
    LikeCrsMatrix<T> like;
    like.graph.row_map = on_device(std::vector<std::size_t>(a.row_map.begin(), a.row_map.end()));
    like.graph.entries = on_device(std::vector<int>(a.entries.begin(), a.entries.end()));
    like.values = on_device(a.values);
    like.columns = 100;
    check(like, "with the members of CrsMatrix");
    const auto sx = strided(x, 4);
    const auto sy = strided(std::vector<T>(a.rows(), T(7)), 3);
    acc::spmv(exec, "N", T(1), crs_on_device(a), sx, T(0), sy, M{});
    this->expect_same(to_host(sy), want, "strided x and y");
  }
}

/// Rows whose last register is full to any degree, alone and among rows of other lengths; enough of
/// them for several lists of a kernel. Every other row meets infinities and NaN, which the first
/// column has, too. Entries that belong to no row name columns that A has not.
TYPED_TEST(Spmv, NothingBesideARowIsRead) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  using M = typename TypeParam::Method;
  const auto r = static_cast<std::int64_t>(row<T>);
  std::vector<std::int64_t> sizes;
  for (std::int64_t k = 0; k < 300; ++k) sizes.push_back(k * 7 % (k % 5 == 0 ? 5 * r : r + 3));
  const auto check = [&](const std::vector<std::int64_t>& of, const std::string& what) {
    const std::int64_t before = 5, after = 200;
    const Offsets offsets = offsets_of(of, before);
    const auto n = static_cast<std::size_t>(offsets.back());
    auto a = crs_of(offsets, 50, elements<T>(Data::wide, n + after, 3));
    auto x = elements<T>(Data::wide, 100, 4);
    a.columns = 100;
    const R infinity = std::numeric_limits<R>::infinity(), nan = infinity - infinity;
    x[0] = T(nan);
    for (std::size_t k = 50; k < 100; ++k) x[k] = T(k % 2 == 0 ? nan : infinity);
    for (std::size_t i = 0; i < a.rows(); ++i)
      for (auto k = std::size_t(a.row_map[i]); k < std::size_t(a.row_map[i + 1]); ++k)
        a.entries[k] = i % 2 == 0 ? std::max<std::int64_t>(a.entries[k], 1) : a.entries[k] + 50;
    for (std::size_t k = 0; k < a.entries.size(); ++k) {
      if (k >= std::size_t(before) && k < n) continue;
      a.entries[k] = k % 2 == 0 ? 2000000000 : -2000000000;
      a.values[k] = T(nan);
    }
    const auto want = this->dots(a, x);
    const auto dx = on_device(x);
    const Kokkos::View<T*, Exec> y("y", a.rows());
    const auto expect = [&](const auto& matrix, const std::string& of_what) {
      Kokkos::deep_copy(y, T(7));
      acc::spmv("N", T(1), matrix, dx, T(0), y, M{});
      this->expect_same(to_host(y), want, what + ", " + of_what);
    };
    expect(crs_on_device<int, int>(a), "int");
    expect(crs_on_device(a), "int64");
    expect(acc::crs_matrix{std::int64_t(a.rows()), a.columns, on_device(a.row_map),
                           strided(a.entries, 2), strided(a.values, 3)},
           "strided");
  };
  for (const Sizes& rows : with_means(sizes))
    check(rows, "mixed of " + std::to_string(rows.size()));
  for (const std::int64_t last : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 27, 31, 33})
    check({last}, std::to_string(last));
  for (std::int64_t k = 1; k < 4; ++k)
    check({k * r - 1, k * r + 1}, std::to_string(k) + " stripes");
  // Most rows have as many entries, as those of a grid.
  for (std::int64_t size = 0; size < 10; ++size) {
    std::vector<std::int64_t> most(150, size);
    for (std::size_t i = 0; i < 100; i += 9) most[i] = std::int64_t(i) / 9;
    check(most, "most rows of " + std::to_string(size));
  }
}

/// Rows that together fill what a work item copies at once, and no row more.
TYPED_TEST(Spmv, ManyRowsThatAreCopied) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const auto l = static_cast<std::int64_t>(leaf<T>);
  std::vector<std::int64_t> sizes(500, 27);
  sizes.insert(sizes.end(), {l, l - 1, 1, l, 0, l - 2, 1, 2, l + 1, 3});
  for (const Sizes& rows : with_means(sizes)) {
    const Offsets offsets = offsets_of(rows);
    const auto n = static_cast<std::size_t>(offsets.back());
    const auto a = crs_of(offsets, 99, elements<T>(Data::wide, n, 3));
    const auto x = elements<T>(Data::wide, 99, 4);
    const auto want = this->dots(a, x);
    const auto check = [&](const auto& matrix, const auto& dx, const std::string& what) {
      const Kokkos::View<T*, Exec> y("y", a.rows());
      acc::spmv("N", T(1), matrix, dx, T(0), y, M{});
      this->expect_same(to_host(y), want, what);
    };
    check(crs_on_device<int, std::uint32_t>(a), on_device(x), "unsigned columns");
    check(crs_on_device<int, std::int16_t>(a), on_device(x), "columns of two bytes");
    check(crs_on_device<int, int>(a), strided(x, 3), "strided x");
  }
}

/// Rows of some leaves, and of many, are shared by several teams or warps: those of more than 128
/// leaves in groups. Beside them short ones, so that the mean is small, and some of a few stripes.
TYPED_TEST(Spmv, LongRowsHaveTheBitsOfADot) {
  using T = typename TypeParam::Scalar;
  const auto leaf = static_cast<std::int64_t>(acc_test::leaf<T>);
  const std::int64_t stripe = leaf / acc::impl::stripes_per_leaf;
  std::vector<std::int64_t> sizes(1500, 3);
  sizes[7] = leaf / 8;
  sizes[8] = leaf / 8 + 1;
  sizes[20] = leaf;
  sizes[21] = leaf + 1;
  sizes[500] = 2 * leaf - 1;
  sizes[501] = 130 * leaf + 5;
  sizes[900] = 0;
  sizes[1499] = 5 * leaf;
  Random random(12);
  for (std::size_t i = 1000; i < 1400; i += 4) {
    sizes[i] = random.integer(1, 3 * int(stripe));
    sizes[i + 1] = 16 * stripe + random.integer(-1, 1);
  }
  const auto x = elements<T>(Data::wide, 999, 4);
  for (const Sizes& rows : with_means(sizes)) {
    const Offsets offsets = offsets_of(rows, 1);
    const auto n = static_cast<std::size_t>(offsets.back());
    const auto a = crs_of(offsets, 999, elements<T>(Data::wide, n, 3));
    const auto want = this->dots(a, x);
    const std::string what = "of " + std::to_string(rows.size()) + " rows";
    this->expect_same(this->product("N", a, x), want, what);
    this->expect_same(this->product("N", a, x), want, "again, " + what);
  }
}

/// Engines of other spaces, and tiles of other sizes, on this one.
TYPED_TEST(Spmv, EveryEngineHasTheSameBits) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  if constexpr (!std::is_same_v<M, acc::exact>) {
    namespace backends = acc::backends;
    const Exec exec;
    const auto x = elements<T>(Data::wide, 300, 4);
    const auto dx = on_device(x);
    for (const Offsets& offsets : some_segments<T>()) {
      const auto n = static_cast<std::size_t>(offsets.back());
      if (offsets.size() < 2) continue;
      const auto a = crs_of(offsets, 300, elements<T>(Data::wide, n, 3));
      const auto want = this->product("N", a, x);
      const auto d = crs_on_device(a);
      const auto v = acc::impl::crs_views_of(d);
      const Kokkos::View<T*, Exec> y("y", a.rows());
      using R = real_t<T>;
      constexpr int parts = is_complex<T> ? 2 : 1;
      using Rows =
          acc::impl::crs_rows<acc::impl::crs_terms<T, false>, M, T, std::int64_t, std::int64_t>;
      using RowData = typename Rows::data;
      const Rows s{
          {RowData{reinterpret_cast<const R*>(v.values), parts, v.size * parts},
           RowData{reinterpret_cast<const R*>(dx.data()), parts, v.size * parts, v.entries, 1},
           v.row_map, 1, v.rows, y.data(), 1, T(1), T(0)},
          acc::impl::scaling_of<R>(T(1), T(0))};
      backends::locked_workspace memory(exec);
      for (const std::int64_t tiles : {1, 3, 1000}) {
        const std::string what = std::to_string(tiles) + " tiles, n = " + std::to_string(n);
        Kokkos::deep_copy(y, T(7));
        backends::generic::launch_rows_by<
            backends::generic::team_segments<typename Rows::reduction>>(exec, memory.get(),
                                                                        "acc::test", s, tiles);
        this->expect_same(to_host(y), want, "teams, " + what);
        if constexpr (backends::runs_on_host<Exec>) {
          Kokkos::deep_copy(y, T(7));
          backends::host::crs_rows(exec, memory.get(), "acc::test", s, tiles);
          this->expect_same(to_host(y), want, "host, " + what);
        }
      }
    }
  }
}

/// Exact sums by vector lanes and teams, which hosts have no use for: of factors, of special
/// values.
TYPED_TEST(Spmv, LanesAndTeamsHaveTheSameExactBits) {
  using T = typename TypeParam::Scalar;
  using R = typename TypeParam::Real;
  if constexpr (std::is_same_v<typename TypeParam::Method, acc::exact>) {
    const Exec exec;
    const Offsets offsets = offsets_of({0, 1, 2, 31, 32, 33, 0, 300, 512, 513, 5000, 4}, 2);
    const auto n = static_cast<std::size_t>(offsets.back());
    constexpr int parts = is_complex<T> ? 2 : 1;
    using Rows = acc::impl::exact_crs_rows<parts == 2, T, std::int64_t, std::int64_t>;
    using RowData = typename Rows::data;
    for (const Hard family : all_hard) {
      const auto a = crs_of(offsets, 211, hard_elements<T>(family, n, 5));
      const auto x = hard_elements<T>(family, 211, 6);
      const std::vector<T> before(a.rows(), T(R(0.3)));
      const auto d = crs_on_device(a);
      const auto v = acc::impl::crs_views_of(d);
      const auto dx = on_device(x);
      for (const auto& [alpha, beta] : {std::pair{T(1), T(0)}, {T(-2), T(0)}, {T(3), T(R(0.7))}}) {
        const auto y = on_device(before);
        const Rows rows{
            {RowData{reinterpret_cast<const R*>(v.values), parts, v.size * parts},
             RowData{reinterpret_cast<const R*>(dx.data()), parts, v.size * parts, v.entries, 1},
             v.row_map, 1, v.rows, y.data(), 1, alpha, beta},
            acc::impl::scaling_of<double>(alpha, beta)};
        using acc::backends::generic::exact_rows_shape;
        const auto shape = acc::backends::runs_on_host<Exec>
                               ? exact_rows_shape{1, 1, 1}
                               : acc::backends::generic::exact_rows_on_gpu;
        acc::backends::generic::exact_rows_by(exec, acc::backends::locked_workspace(exec).get(),
                                              "acc::test", rows, shape);
        this->expect_same(to_host(y), this->product("C", a, x, alpha, beta, before),
                          "family " + std::to_string(int(family)));
      }
    }
  }
}

/// Hundreds of leaves in a row, alone and among short ones.
TYPED_TEST(Spmv, OneRowWithMostEntries) {
  using T = typename TypeParam::Scalar;
  for (const Offsets& offsets : long_segments<T>()) {
    const auto n = static_cast<std::size_t>(offsets.back());
    const auto x = elements<T>(Data::uniform, 300, 4);
    const auto a = crs_of(offsets, 300, elements<T>(Data::uniform, n, 3));
    this->expect_same(this->product("N", a, x), this->dots(a, x), "long");
  }
}

TYPED_TEST(Spmv, NoRowsColumnsOrEntries) {
  using T = typename TypeParam::Scalar;
  using M = typename TypeParam::Method;
  const Crs<T> none{0, {0}, {}, {}}, no_columns{0, {0, 0, 0}, {}, {}}, no_rows{2, {0}, {}, {}};
  EXPECT_TRUE(this->product("N", none, {}).empty());
  EXPECT_TRUE(this->product("T", none, {}).empty());
  this->expect_same(this->product("N", no_columns, {}), {T(0), T(0)}, "no columns");
  this->expect_same(this->product("T", no_rows, {}), {T(0), T(0)}, "no rows");
  const std::vector<T> y{T(3), T(5)};
  this->expect_same(this->product("N", no_columns, {}, T(1), T(2), y), {T(6), T(10)}, "beta");
  this->expect_same(this->product("H", no_rows, {}, T(1), T(2), y), {T(6), T(10)}, "beta, H");
  // A default KokkosSparse::CrsMatrix has no row map.
  const acc::crs_matrix empty{0, 0, Kokkos::View<int*, Exec>("m", 0),
                              Kokkos::View<int*, Exec>("e", 0), Kokkos::View<T*, Exec>("v", 0)};
  const Kokkos::View<T*, Exec> v("v", 0);
  acc::spmv(Exec{}, "N", T(1), empty, v, T(0), v, M{});
}

TEST(SpmvErrors, NameFunctionArgumentAndExtents) {
  const Crs<double> a{4, {0, 2, 3, 3}, {0, 3, 1}, {1, 2, 3}};
  const auto d = crs_on_device(a);
  const Kokkos::View<double*, Exec> x("x", 4), y("y", 3);
  const auto text_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "no rejection";
  };
  EXPECT_EQ(text_of([&] { acc::spmv("X", 1.0, d, x, 0.0, y); }),
            R"(acc::spmv: mode must be "N", "T", "C" (conjugate) or "H" (conjugate transpose), )"
            R"(but is "X")");
  EXPECT_EQ(text_of([&] { acc::spmv("", 1.0, d, x, 0.0, y); }),
            R"(acc::spmv: mode must be "N", "T", "C" (conjugate) or "H" (conjugate transpose), )"
            R"(but is "")");
  EXPECT_EQ(text_of([&] { acc::spmv("N", 1.0, d, y, 0.0, x); }),
            "acc::spmv: op(A) is 3 x 4, x is 3 and y is 4, which do not fit: y = op(A) x");
  EXPECT_EQ(text_of([&] { acc::spmv("T", 1.0, d, x, 0.0, y); }),
            "acc::spmv: op(A) is 4 x 3, x is 4 and y is 3, which do not fit: y = op(A) x");
  const Kokkos::View<double**, Exec> x2("x", 4, 2), y3("y", 3, 3);
  EXPECT_EQ(text_of([&] { acc::spmv("N", 1.0, d, x2, 0.0, y3); }),
            "acc::spmv: op(A) is 3 x 4, x is 4 x 2 and y is 3 x 3, which do not fit: y = op(A) x");
  auto wrong = d;
  wrong.rows = -1;
  EXPECT_EQ(text_of([&] { acc::spmv("N", 1.0, wrong, x, 0.0, y); }),
            "acc::spmv: A must not have a negative extent, but is -1 x 4");
  wrong = d;
  wrong.rows = 2;
  EXPECT_EQ(text_of([&] { acc::spmv("N", 1.0, wrong, x, 0.0, y); }),
            "acc::spmv: A's row map must have one element more than A has rows, but it has extent "
            "4 and A is 2 x 4");
  wrong = d;
  wrong.values = Kokkos::View<double*, Exec>("v", 5);
  EXPECT_EQ(text_of([&] { acc::spmv("N", 1.0, wrong, x, 0.0, y); }),
            "acc::spmv: A's entries and values must have the same length, but entries has extent 3 "
            "and values has extent 5");
  wrong = d;
  wrong.entries = decltype(wrong.entries)(static_cast<std::int64_t*>(nullptr), 3);
  EXPECT_EQ(text_of([&] { acc::spmv("N", 1.0, wrong, x, 0.0, y); }),
            "acc::spmv: A's entries has extent 3 but no data (null pointer)");
  EXPECT_EQ(
      text_of([&] { acc::spmv("N", 1.0, d, Kokkos::View<double*, Exec>(nullptr, 4), 0.0, y); }),
      "acc::spmv: x has extent 4 but no data (null pointer)");
  const Kokkos::View<double*, Exec> both("both", 6);
  EXPECT_EQ(text_of([&] {
              acc::spmv("N", 1.0, d, Kokkos::subview(both, std::make_pair(0, 4)), 0.0,
                        Kokkos::subview(both, std::make_pair(3, 6)));
            }),
            "acc::spmv: y (extent 3) and x (extent 4) overlap");
  EXPECT_EQ(text_of([&] { acc::spmv("N", 1.0, d, x, 0.0, d.values); }),
            "acc::spmv: y (3) and A's values (extent 3) overlap");
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec> wide("wide", 4, 4);
  const auto columns = [&](int rows, int first) {
    return Kokkos::subview(wide, std::make_pair(0, rows), std::make_pair(first, first + 2));
  };
  EXPECT_EQ(text_of([&] { acc::spmv("N", 1.0, d, columns(4, 0), 0.0, columns(3, 1)); }),
            "acc::spmv: y (3 x 2) and x (4 x 2) overlap between their first and last elements");
  const Kokkos::View<double*, Kokkos::LayoutStride, Exec> one(y.data(), Kokkos::LayoutStride(3, 0));
  EXPECT_EQ(text_of([&] { acc::spmv("N", 1.0, d, x, 0.0, one); }),
            "acc::spmv: two elements of y share a place: its strides are 0");
}

/// What a debug build looks for before it writes anything.
TEST(SpmvErrors, AColumnThatAHasNotIsFound) {
  const Exec exec;
  const Crs<double> a{4, {0, 2, 3, 3}, {0, 4, -1}, {1, 2, 3}};
  const auto check = [&](const auto& matrix) -> std::string {
    try {
      acc::impl::check_crs_columns(exec, "acc::spmv", acc::impl::crs_views_of(matrix));
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "no rejection";
  };
  EXPECT_EQ(check(crs_on_device(a)), "acc::spmv: entry 1 of A names column 4, but A is 3 x 4");
  auto negative = a;
  negative.entries[1] = 3;
  EXPECT_EQ(check(crs_on_device<int, int>(negative)),
            "acc::spmv: entry 2 of A names column -1, but A is 3 x 4");
  negative.entries[2] = 0;
  EXPECT_EQ(check(crs_on_device(negative)), "no rejection");
  // Beyond what a signed integer holds.
  auto huge = negative;
  huge.entries[1] = -1;
  EXPECT_EQ(check(crs_on_device<int, std::uint64_t>(huge)),
            "acc::spmv: entry 1 of A names column 18446744073709551615, but A is 3 x 4");
  // Entries that belong to no row may be anything.
  const Crs<double> roomy{4, {1, 2, 3, 3}, {-7, 3, 0, 99}, {1, 2, 3, 4}};
  EXPECT_EQ(check(crs_on_device(roomy)), "no rejection");
  const Crs<double> no_rows{4, {0}, {9}, {1}};
  EXPECT_EQ(check(crs_on_device(no_rows)), "no rejection");
#if defined(KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
  const Kokkos::View<double*, Exec> x("x", 4), y("y", 3);
  EXPECT_THROW(acc::spmv("N", 1.0, crs_on_device(a), x, 0.0, y), std::invalid_argument);
#endif
}

/// Golden bits: a matrix of each family, its transpose, and a residual.
TEST(Golden, Spmv) {
  Golden golden("spmv.txt");
  const auto check = [&]<class T, class M>(T, M method) {
    const auto l = static_cast<std::int64_t>(leaf<T>);
    const Offsets offsets = offsets_of({0, 1, 7, 27, 64, 129, 3, l + 5, 27, 3 * l + 1, 300});
    const auto n = static_cast<std::size_t>(offsets.back());
    for (const Data data :
         {Data::uniform, Data::wide, Data::massive_cancellation, Data::near_overflow}) {
      const auto a = crs_of(offsets, 500, elements<T>(data, n, 1));
      const auto d = crs_on_device(a);
      const auto x = on_device(elements<T>(Data::uniform, 500, 2)),
                 y = on_device(elements<T>(Data::uniform, a.rows(), 3)),
                 z = on_device(elements<T>(Data::uniform, 500, 4));
      const std::string what = name(method) + " " + name(T{}) + " " + std::string(name(data));
      acc::spmv("N", T(-1), d, x, T(1), y, method);
      const auto residual = to_host(y);
      golden.check("spmv residual " + what, bits(residual[3]) + " " + bits(residual[9]),
                   bits_of_all(residual));
      acc::spmv("H", T(1), d, y, T(0), z, method);
      const auto transposed = to_host(z);
      golden.check("spmv H " + what, bits(transposed[0]) + " " + bits(transposed[499]),
                   bits_of_all(transposed));
    }
  };
  const auto methods = [&]<class T>(T x) {
    check(x, acc::plain{});
    check(x, acc::compensated{});
    check(x, acc::exact{});
  };
  methods(float{});
  methods(double{});
  methods(Kokkos::complex<float>{});
  methods(Kokkos::complex<double>{});
  golden.finish();
}

}  // namespace
}  // namespace acc_test
