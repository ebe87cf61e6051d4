// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What core decides of an entry of a matrix product: the order of a complex product, and which
// parts of an entry infinities and NaN hand to the fallback.
#include "reference_gemm.hpp"

#include <acc/core/gemm/entry.hpp>
#include <acc/core/gemm/problem.hpp>
#include <acc/core/numbers/complex_product.hpp>
#include <acc/core/numbers/complex_sum.hpp>
#include <acc/core/order/terms.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace acc_test {
namespace {

using acc::impl::complex_product;
using Complex = Kokkos::complex<double>;
using Products = std::vector<std::pair<double, double>>;

/// A sum that notes its real products.
struct Recorder {
  using scalar_type = double;
  Products products;
  void add_product(double x, double y) { products.emplace_back(x, y); }
};

TEST(ComplexProduct, DepositsItsRealProductsInTheDocumentedOrder) {
  const double a[2] = {2, 3}, b[2] = {5, 7};
  Recorder re, im;
  acc::impl::add_complex_product(re, im, a, b);
  EXPECT_EQ(re.products, (Products{{2, 5}, {3, -7}}));
  EXPECT_EQ(im.products, (Products{{2, 7}, {3, 5}}));

  struct Sum : acc::impl::complex_sum<Sum, Recorder> {};
  Sum sum;
  sum.add_product({2, 3}, {5, 7});
  EXPECT_EQ(sum.re.products, re.products);
  EXPECT_EQ(sum.im.products, im.products);
}

/// Layouts and signs as kernels ask for them: with conjugations in the factor of b, each real
/// product is that of the conjugated numbers.
TEST(ComplexProduct, SignsCombineWithConjugations) {
  const double a[2] = {2, 3}, b[2] = {5, 7};
  for (const bool conjugates_a : {false, true}) {
    for (const bool conjugates_b : {false, true}) {
      const double x[2] = {a[0], conjugates_a ? -a[1] : a[1]};
      const double y[2] = {b[0], conjugates_b ? -b[1] : b[1]};
      Recorder want[2];
      acc::impl::add_complex_product(want[0], want[1], x, y);
      for (int p = 0; p < 2; ++p) {
        for (int q = 0; q < 2; ++q) {
          const double factor = b[complex_product::part_of_b(p, q)];
          const bool negates = complex_product::negates(p, q, conjugates_a, conjugates_b);
          const auto [left, right] = want[p].products[static_cast<std::size_t>(q)];
          EXPECT_EQ(a[q] * (negates ? -factor : factor), left * right)
              << p << q << conjugates_a << conjugates_b;
        }
      }
    }
  }
}

/// A dot product's lanes deposit the same real products, lane q those of part q of x.
template <bool Conjugate>
void expect_terms() {
  const double x[2] = {2, 3}, y[2] = {5, 7};
  const double conjugated[2] = {2, Conjugate ? -3.0 : 3.0};
  Recorder want[2];
  acc::impl::add_complex_product(want[0], want[1], conjugated, y);
  for (int q = 0; q < 2; ++q) {
    Recorder sums[2];
    acc::impl::complex_product_terms<Conjugate>::deposit(sums, x[q], y[q], y[1 - q], q);
    for (int p = 0; p < 2; ++p) {
      ASSERT_EQ(sums[p].products.size(), 1U);
      const auto [left, right] = sums[p].products[0];
      const auto [want_left, want_right] = want[p].products[static_cast<std::size_t>(q)];
      EXPECT_EQ(left * right, want_left * want_right) << p << q << Conjugate;
    }
  }
}
TEST(ComplexProduct, OfDotProductsIsTheSame) {
  expect_terms<false>();
  expect_terms<true>();
}

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <class T>
T factor_of(double re, double im) {
  if constexpr (is_complex<T>)
    return {re, im};
  else
    return T(re);
}

/// One row of A, one column of B and an entry of C as a problem.
template <class Method, class T>
struct OneEntry {
  using Problem = acc::impl::gemm_problem<Method, T, T>;
  std::vector<T> row, column;
  T c;
  T alpha = factor_of<T>(1.5, -0.25), beta = factor_of<T>(0.5, 2);
  bool conjugate_a = false, conjugate_b = false;

  Problem problem(const Method& method) {
    const auto n = std::int64_t(row.size());
    Problem p;
    p.a = {row.data(), 1, n, n, 1, 0, conjugate_a};
    p.b = {column.data(), n, 1, 1, n, 0, conjugate_b};
    p.c = {&c, 1, 1, 1, 1};
    p.batches = 1;
    p.strip = acc::impl::strip_of(method);
    p.scale = {{part(alpha, 0), part(alpha, 1)}, {part(beta, 0), part(beta, 1)}};
    return p;
  }
  static double part(const T& x, int k) { return reference::part<double>(x, k); }

  /// The entry's sum by its method.
  acc::impl::entry_sum<Problem> sum(const Method& method) {
    const Problem p = problem(method);
    acc::impl::entry_sum<Problem> sum;
    for (std::int64_t first = 0; first < p.depth(); first += acc::gemm_section) {
      acc::impl::entry_section<Problem> s;
      const std::int64_t end = p.section_end(first);
      for (std::int64_t k = first; k < end; ++k) {
        acc::impl::add_entry_product(p, s, p.a(0, k), p.b(k, 0));
        if ((k - first + 1) % p.strip == 0 || k + 1 == end) s.close();
      }
      if (first == 0)
        sum = s.sum();
      else
        sum.add(s.sum());
    }
    return sum;
  }
  auto value(const Method& method, bool exists = true) {
    const Problem p = problem(method);
    return acc::impl::entry_of(p, 0, 0, sum(method), acc::impl::parts_of<Problem>(c), exists);
  }
  T want(const Method& method) const {
    auto x = row, y = column;
    if constexpr (is_complex<T>) {
      for (T& v : x) v = conjugate_a ? T(v.real(), -v.imag()) : v;
      for (T& v : y) v = conjugate_b ? T(v.real(), -v.imag()) : v;
    }
    return reference::gemm_entry(method, alpha, x, y, beta, c);
  }
};

template <class T>
void expect_same(const T& got, const T& want) {
  for (int k = 0; k < (is_complex<T> ? 2 : 1); ++k) {
    const double g = reference::part<double>(got, k), w = reference::part<double>(want, k);
    EXPECT_TRUE(same(g, w)) << "part " << k << ": " << g << ", not " << w;
  }
}

template <class Method>
void expect_complex_entries(const Method& method) {
  std::mt19937 random(5);
  const auto number = [&] { return std::normal_distribution<>()(random); };
  for (int round = 0; round < 200; ++round) {
    OneEntry<Method, Complex> e;
    for (int k = 0; k < 11; ++k) {
      const double x = number(), y = number(), z = number();
      e.row.push_back(Complex(x, y));
      e.column.push_back(Complex(z, number()));
    }
    e.conjugate_a = round % 2 == 1;
    e.conjugate_b = round / 2 % 2 == 1;
    const double re = number();
    e.c = Complex(re, number());
    if (round % 3 == 1) {
      e.alpha = Complex(2, 0);
      e.beta = Complex(1, 0);
    }
    // An infinity, a NaN or an overflow in a part of a number, so that often one part alone of the
    // entry is concerned.
    const auto i = static_cast<std::size_t>(round % 11);
    const double special[] = {inf, -inf, nan, 1e308, 0};
    const double x = special[round % 5];
    if (round % 7 < 5) e.row[i] = round % 4 < 2 ? Complex(x, e.row[i].imag()) : Complex(0, x);
    if (round % 7 < 3) e.column[i] = Complex(round % 2 == 0 ? 0.0 : 1e3, 0);
    expect_same(acc::impl::as_scalar(e.value(method)), e.want(method));
  }
}

TEST(Entry, OfComplexNumbersHasTheBitsOfTheReference) {
  expect_complex_entries(acc::plain{});
  expect_complex_entries(acc::blocked{3});
  expect_complex_entries(acc::compensated{});
  expect_complex_entries(acc::selective<acc::kahan>{4});
  expect_complex_entries(acc::selective<acc::priest>{1});
  expect_complex_entries(acc::selective<acc::seeded>{4});
}

/// Sections begin anew, and are added by the method's own addition.
template <class Method>
void expect_sections(const Method& method) {
  std::mt19937 random(9);
  std::normal_distribution<> normal;
  for (const std::int64_t n : {1, 2047, 2048, 2049, 4095, 4096, 4097, 10000}) {
    OneEntry<Method, double> real;
    OneEntry<Method, Complex> complex;
    for (std::int64_t k = 0; k < n; ++k) {
      const double scale = std::ldexp(1.0, static_cast<int>(random() % 60));
      real.row.push_back(normal(random) * scale);
      real.column.push_back(normal(random) / scale);
      complex.row.emplace_back(normal(random), normal(random) * scale);
      complex.column.emplace_back(normal(random) / scale, normal(random));
    }
    real.c = normal(random);
    complex.c = Complex(normal(random), 1);
    expect_same(acc::impl::as_scalar(real.value(method)), real.want(method));
    expect_same(acc::impl::as_scalar(complex.value(method)), complex.want(method));
  }
}
TEST(Entry, OfSeveralSectionsHasTheBitsOfTheReference) {
  expect_sections(acc::plain{});
  expect_sections(acc::blocked{100});
  expect_sections(acc::compensated{});
  expect_sections(acc::selective<acc::kahan>{64});
  expect_sections(acc::selective<acc::priest>{1000000});
  expect_sections(acc::selective<acc::seeded>{256});
}

/// A compensated sum loses an infinity; the fallback has it.
TEST(Entry, ThatIsNotANumberIsTheFallbacks) {
  const acc::selective<acc::kahan> kahan{2};
  OneEntry<acc::selective<acc::kahan>, double> e{{1, inf, 3}, {1, 1, 1}, 0};
  const auto p = e.problem(kahan);
  EXPECT_TRUE(std::isnan(acc::impl::scaled_sum_of(p, e.sum(kahan), {{e.c}}).x[0]));
  EXPECT_EQ(e.value(kahan).x[0], inf);
  EXPECT_EQ(acc::impl::fallback_entry(p, 0, 0, {{e.c}}).x[0], inf);
  e.row[0] = -inf;
  EXPECT_TRUE(same(acc::impl::as_scalar(e.value(kahan)), nan));
  // Where C has no such entry, nothing of A and B is read again.
  e.row[0] = 1;
  EXPECT_TRUE(std::isnan(e.value(kahan, false).x[0]));
}

/// A correction that overflows although the sum is finite is no correction: plain decides.
TEST(Entry, WhoseCorrectionOverflowsIsTheFallbacks) {
  const auto expect = [](const auto& method) {
    OneEntry<std::decay_t<decltype(method)>, double> e{
        {-1.5 * 0x1p971, std::numeric_limits<double>::max()}, {1, 1}, 0};
    e.alpha = 1;
    e.beta = 0;
    const double value = acc::impl::as_scalar(e.value(method));
    EXPECT_EQ(value, 0x1.ffffffffffffep1023) << value;
    EXPECT_TRUE(same(value, e.want(method)));
  };
  expect(acc::selective<acc::kahan>{1});
  expect(acc::selective<acc::seeded>{1});
  expect(acc::selective<acc::priest>{1});
  expect(acc::compensated{});
}

/// An infinity, unlike NaN, stays: plain's would be another.
TEST(Entry, ThatIsInfiniteIsItsMethods) {
  EXPECT_FALSE(acc::impl::needs_fallback(inf));
  EXPECT_FALSE(acc::impl::needs_fallback(-inf));
  EXPECT_FALSE(acc::impl::needs_fallback(1e308));
  EXPECT_TRUE(acc::impl::needs_fallback(nan));
  EXPECT_TRUE(acc::impl::needs_fallback(-nan));
}

/// The part that is a number keeps its method's value, although the entry is computed again.
TEST(Entry, KeepsThePartThatIsANumber) {
  const acc::compensated method;
  // The imaginary part: 1 + 2^-60 - 1, which a plain chain rounds to 0. The real part overflows.
  OneEntry<acc::compensated, Complex> e;
  e.row = {{1, 0}, {0x1p-60, 0}, {-1, 0}, {0, 0x1p1023}};
  e.column = {{0, 1}, {0, 1}, {0, 1}, {0, -0x1p1023}};
  e.alpha = Complex(1, 0);
  e.beta = Complex(0, 0);
  const auto p = e.problem(method);
  const auto own = acc::impl::scaled_sum_of(p, e.sum(method), {});
  ASSERT_TRUE(std::isnan(own.x[0]));
  ASSERT_EQ(own.x[1], 0x1p-60);
  const auto plain = acc::impl::fallback_entry(p, 0, 0, {});
  ASSERT_EQ(plain.x[1], 0);
  const auto value = e.value(method);
  EXPECT_EQ(value.x[0], inf);
  EXPECT_EQ(value.x[1], 0x1p-60);
}

/// Methods of one number have no fallback: their NaN is the one NaN.
TEST(Entry, OfAMethodOfOneNumberHasNoFallback) {
  static_assert(!acc::impl::has_fallback<acc::plain> && !acc::impl::has_fallback<acc::widened> &&
                !acc::impl::has_fallback<acc::blocked>);
  static_assert(acc::impl::has_fallback<acc::compensated> &&
                acc::impl::has_fallback<acc::selective<acc::seeded>>);
  // Strips of opposite infinities: NaN, where the plain chain overflows and stays infinite.
  const acc::blocked blocked{1};
  OneEntry<acc::blocked, double> e{{1e308, 1e308, -1e308, -1e308}, {10, 10, 10, 10}, 0};
  expect_same(acc::impl::as_scalar(e.value(blocked)), e.want(blocked));
  EXPECT_TRUE(same(acc::impl::as_scalar(e.value(blocked)), nan));
}

}  // namespace
}  // namespace acc_test
