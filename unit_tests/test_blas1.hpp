// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// axpby and its kind: each element against its definition, bit for bit, in every rank, layout and
// type; nrminf, iamax and nrm2_squared against the oracle.
#pragma once

#include "arrays.hpp"
#include "hard_numbers.hpp"
#include "order_free.hpp"
#include "reference_elements.hpp"
#include "views.hpp"

#include <acc/acc.hpp>

#include <functional>
#include <limits>
#include <numeric>

namespace acc_test {
namespace {

// Not members of the fixture: cicc of CUDA 13.0 crashes on a loop over this->some_lengths.
constexpr std::size_t some_lengths[] = {0, 1, 2, 3, 7, 16, 63, 64, 65, 1000, 4097, 9001};
constexpr Index<2> some_shapes[] = {{37, 5},  {5, 37},  {1, 70},  {70, 1},
                                    {600, 3}, {3, 600}, {64, 64}, {5000, 2}};

template <class T>
class Blas1 : public testing::Test {
 public:
  using R = real_t<T>;
  using Two = Array<T, 2>;

  /// Ordinary numbers, so that most of the rounding errors differ between FMAs and two operations.
  static std::vector<T> ordinary(std::size_t n, std::uint64_t seed) {
    return elements<T>(Data::uniform, n, seed);
  }
  static std::vector<T> coefficients() {
    std::vector<T> all = {T(0), T(1), T(-1), T(R(0.7)), T(R(-0.0)), T(R(1) / 3)};
    if constexpr (is_complex<T>) {
      all.push_back(T(R(0.3), R(-1.7)));
      all.push_back(T(R(0), R(2.3)));
      all.push_back(T(R(-0.0), R(1)));
    }
    return all;
  }

  static void expect_same(const std::vector<T>& got, const std::vector<T>& want,
                          const std::string& what) {
    ASSERT_EQ(got.size(), want.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(bits(got[i]), bits(want[i])) << what << ", element " << i << " of " << got.size();
  }
  template <class F>
  static std::vector<T> made(std::size_t n, const F& f) {
    std::vector<T> r(n);
    for (std::size_t i = 0; i < n; ++i) r[i] = f(i);
    return r;
  }
};
using Blas1Types = testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Blas1, Blas1Types);

TYPED_TEST(Blas1, CombinationsOfVectors) {
  using T = TypeParam;
  const Exec exec;
  for (const std::size_t n : some_lengths) {
    for (const bool is_hard : {false, true}) {
      const auto x = is_hard ? numbers_of_all_kinds<TypeParam>(n, n + 1) : this->ordinary(n, n + 1);
      const auto y = is_hard ? numbers_of_all_kinds<TypeParam>(n, n + 2) : this->ordinary(n, n + 2);
      const auto z = is_hard ? numbers_of_all_kinds<TypeParam>(n, n + 3) : this->ordinary(n, n + 3);
      for (const T a : this->coefficients()) {
        for (const T b : this->coefficients()) {
          const std::string what = bits(a) + ", " + bits(b) + ", n " + std::to_string(n);
          const auto dx = on_device(x);
          const auto dy = shifted(y, 1);
          acc::axpby(exec, a, dx, b, dy);
          this->expect_same(
              to_host(dy),
              this->made(n,
                         [&](std::size_t i) {
                           return combined(std::vector<CoefficientTerm<T>>{{b, y[i]}, {a, x[i]}});
                         }),
              "axpby " + what);
          const auto dz = on_device(z);
          acc::update(exec, a, dx, b, on_device(y), T(3), dz);
          this->expect_same(to_host(dz),
                            this->made(n,
                                       [&](std::size_t i) {
                                         return combined(std::vector<CoefficientTerm<T>>{
                                             {T(3), z[i]}, {b, y[i]}, {a, x[i]}});
                                       }),
                            "update " + what);
          const auto product = on_device(y);
          acc::mult(exec, b, product, a, on_device(z), dx);
          this->expect_same(
              to_host(product),
              this->made(n, [&](std::size_t i) { return multiplied(b, y[i], a, z[i], x[i]); }),
              "mult " + what);
        }
        const auto dy = strided(y, 3);
        acc::axpy(exec, a, shifted(x, 3), dy);
        this->expect_same(
            to_host(dy),
            this->made(n,
                       [&](std::size_t i) {
                         return combined(std::vector<CoefficientTerm<T>>{{T(1), y[i]}, {a, x[i]}});
                       }),
            "axpy " + bits(a));
        const auto r = on_device(y);
        acc::scal(exec, r, a, strided(x, 2));
        this->expect_same(to_host(r),
                          this->made(n,
                                     [&](std::size_t i) {
                                       return combined(std::vector<CoefficientTerm<T>>{{a, x[i]}});
                                     }),
                          "scal " + bits(a));
      }
    }
  }
}

TYPED_TEST(Blas1, CombinationsOfMatrices) {
  using T = TypeParam;
  using Two = Array<T, 2>;
  const Exec exec;
  for (const Index<2>& shape : some_shapes) {
    const std::size_t n = shape[0] * shape[1];
    const auto x = numbers_of_all_kinds<TypeParam>(n, 1), y = numbers_of_all_kinds<TypeParam>(n, 2),
               z = numbers_of_all_kinds<TypeParam>(n, 3);
    const auto d = numbers_of_all_kinds<TypeParam>(shape[0], 4);
    auto of_a = this->ordinary(shape[1], 5), of_b = this->ordinary(shape[1], 6);
    of_a[0] = T(0);
    of_b[shape[1] - 1] = T(0);
    for (const Order order : all_orders) {
      for (const Order other : all_orders) {
        const std::string what = std::to_string(shape[0]) + " x " + std::to_string(shape[1]);
        const T a(real_t<T>(0.7)), b(real_t<T>(-1.3));
        const Two dx(shape, order, x), dz(shape, other, z);
        Two dy(shape, other, y);
        acc::axpby(exec, a, dx.view(), b, dy.view());
        this->expect_same(
            dy.elements(),
            this->made(n,
                       [&](std::size_t i) {
                         return combined(std::vector<CoefficientTerm<T>>{{b, y[i]}, {a, x[i]}});
                       }),
            "axpby " + what);
        // A coefficient for each column, strided.
        const auto at = [&](std::size_t i) { return i % shape[1]; };
        const Two by_column(shape, other, y);
        acc::axpby(exec, on_device(of_a), dx.view(), strided(of_b, 2), by_column.view());
        this->expect_same(by_column.elements(),
                          this->made(n,
                                     [&](std::size_t i) {
                                       return combined(std::vector<CoefficientTerm<T>>{
                                           {of_b[at(i)], y[i]}, {of_a[at(i)], x[i]}});
                                     }),
                          "axpby by columns " + what);
        const Two scaled(shape, other, y);
        acc::scal(exec, scaled.view(), on_device(of_a), dx.view());
        this->expect_same(
            scaled.elements(),
            this->made(n,
                       [&](std::size_t i) {
                         return combined(std::vector<CoefficientTerm<T>>{{of_a[at(i)], x[i]}});
                       }),
            "scal by columns " + what);
        const Two updated(shape, other, z);
        acc::update(exec, on_device(of_a), dx.view(), b, Two(shape, order, y).view(), T(1),
                    updated.view());
        this->expect_same(updated.elements(),
                          this->made(n,
                                     [&](std::size_t i) {
                                       return combined(std::vector<CoefficientTerm<T>>{
                                           {T(1), z[i]}, {b, y[i]}, {of_a[at(i)], x[i]}});
                                     }),
                          "update by columns " + what);
        const Two product(shape, other, y);
        acc::mult(exec, b, product.view(), a, on_device(d), dx.view());
        this->expect_same(
            product.elements(),
            this->made(
                n, [&](std::size_t i) { return multiplied(b, y[i], a, d[i / shape[1]], x[i]); }),
            "mult " + what);
      }
    }
  }
}

TYPED_TEST(Blas1, CoefficientsInViewsOfOneElement) {
  using T = TypeParam;
  const Exec exec;
  const auto x = this->ordinary(777, 1), y = this->ordinary(777, 2);
  const T value(real_t<T>(0.3));
  const Kokkos::View<T, Exec> a("a");
  const Kokkos::View<T[1], Exec> b("b");
  Kokkos::deep_copy(a, value);
  Kokkos::deep_copy(b, T(2));
  const auto dy = on_device(y);
  acc::axpby(exec, a, on_device(x), b, dy);
  this->expect_same(
      to_host(dy),
      this->made(x.size(),
                 [&](std::size_t i) {
                   return combined(std::vector<CoefficientTerm<T>>{{T(2), y[i]}, {value, x[i]}});
                 }),
      "Views");
}

TYPED_TEST(Blas1, InPlace) {
  using T = TypeParam;
  const Exec exec;
  const auto x = this->ordinary(5001, 1);
  const T a(real_t<T>(0.7)), b(real_t<T>(-1.3));
  const auto scaled = on_device(x), added = on_device(x), squared = on_device(x);
  acc::scal(exec, scaled, a, scaled);
  acc::axpby(exec, a, added, b, added);
  acc::mult(exec, T(0), squared, T(1), squared, squared);
  this->expect_same(to_host(scaled),
                    this->made(x.size(),
                               [&](std::size_t i) {
                                 return combined(std::vector<CoefficientTerm<T>>{{a, x[i]}});
                               }),
                    "scal");
  this->expect_same(
      to_host(added),
      this->made(x.size(),
                 [&](std::size_t i) {
                   return combined(std::vector<CoefficientTerm<T>>{{b, x[i]}, {a, x[i]}});
                 }),
      "axpby");
  this->expect_same(
      to_host(squared),
      this->made(x.size(), [&](std::size_t i) { return multiplied(T(0), x[i], T(1), x[i], x[i]); }),
      "mult");
}

/// What a coefficient of zero leaves out is not looked at: NaN does not show.
TYPED_TEST(Blas1, ZeroLeavesOut) {
  using T = TypeParam;
  using R = real_t<T>;
  const Exec exec;
  const std::vector<T> nan(300, T(std::numeric_limits<R>::quiet_NaN()));
  const std::vector<T> ones(300, T(1)), zeros(300, T(0));
  const auto expect = [&](const auto& got, const std::vector<T>& want, const std::string& what) {
    this->expect_same(to_host(got), want, what);
  };
  auto y = on_device(nan);
  acc::axpby(exec, T(1), on_device(ones), T(0), y);
  expect(y, ones, "b = 0");
  acc::axpby(exec, T(0), on_device(nan), T(1), y);
  expect(y, ones, "a = 0");
  acc::axpby(exec, T(0), on_device(nan), T(0), y);
  expect(y, zeros, "a = b = 0");
  acc::scal(exec, y, T(0), on_device(nan));
  expect(y, zeros, "scal");
  y = on_device(nan);
  acc::update(exec, T(0), on_device(nan), T(1), on_device(ones), T(0), y);
  expect(y, ones, "update");
  acc::mult(exec, T(1), y, T(0), on_device(nan), on_device(nan));
  expect(y, ones, "mult, alpha = 0");
  y = on_device(nan);
  acc::mult(exec, T(0), y, T(1), on_device(ones), on_device(ones));
  expect(y, ones, "mult, gamma = 0");
}

TYPED_TEST(Blas1, Rotations) {
  using T = TypeParam;
  using R = real_t<T>;
  const Exec exec;
  for (const std::size_t n : some_lengths) {
    const auto x = numbers_of_all_kinds<TypeParam>(n, 1), y = this->ordinary(n, 2);
    for (const T s : this->coefficients()) {
      for (const R c : {R(0), R(1), R(0.6)}) {
        for (const bool is_strided : {false, true}) {
          const auto check = [&](const auto& dx, const auto& dy) {
            acc::rot(exec, dx, dy, c, s);
            this->expect_same(
                to_host(dx),
                this->made(n, [&](std::size_t i) { return rotated(c, s, x[i], y[i]).first; }), "x");
            this->expect_same(
                to_host(dy),
                this->made(n, [&](std::size_t i) { return rotated(c, s, x[i], y[i]).second; }),
                "y");
          };
          if (is_strided)
            check(strided(x, 2), shifted(y, 1));
          else
            check(on_device(x), shifted(y, 1));
        }
      }
    }
  }
  const Kokkos::View<R, Exec> c("c");
  const Kokkos::View<T, Exec> s("s");
  Kokkos::deep_copy(c, R(0.6));
  Kokkos::deep_copy(s, T(R(0.8)));
  const auto x = this->ordinary(100, 1), y = this->ordinary(100, 2);
  const auto dx = on_device(x), dy = on_device(y);
  acc::rot(dx, dy, c, s);
  this->expect_same(
      to_host(dy),
      this->made(100, [&](std::size_t i) { return rotated(R(0.6), T(R(0.8)), x[i], y[i]).second; }),
      "Views");
}

TYPED_TEST(Blas1, FillAndSwapKeepBits) {
  using T = TypeParam;
  using R = real_t<T>;
  using Two = Array<T, 2>;
  const Exec exec;
  const T minus_nan(-std::numeric_limits<R>::quiet_NaN());
  for (const std::size_t n : some_lengths) {
    const auto x = numbers_of_all_kinds<TypeParam>(n, 1), y = numbers_of_all_kinds<TypeParam>(n, 2);
    const auto dx = strided(x, 2);
    const auto dy = shifted(y, 1);
    acc::swap(exec, dx, dy);
    this->expect_same(to_host(dx), y, "swap x");
    this->expect_same(to_host(dy), x, "swap y");
    acc::fill(exec, dx, minus_nan);
    this->expect_same(to_host(dx), std::vector<T>(n, minus_nan), "fill");
  }
  for (const Index<2>& shape : some_shapes) {
    const std::size_t n = shape[0] * shape[1];
    const auto x = numbers_of_all_kinds<TypeParam>(n, 1), y = numbers_of_all_kinds<TypeParam>(n, 2);
    for (const Order order : all_orders) {
      for (const Order other : all_orders) {
        const Two dx(shape, order, x), dy(shape, other, y);
        acc::swap(exec, dx.view(), dy.view());
        this->expect_same(dx.elements(), y, "swap x");
        this->expect_same(dy.elements(), x, "swap y");
        acc::fill(exec, dx.view(), 3);
        this->expect_same(dx.elements(), std::vector<T>(n, T(3)), "fill");
      }
    }
  }
}

/// |z| for finite z: real numbers exactly, complex ones within 2 u.
template <class T>
void expect_modulus(const T& z, real_t<T> got) {
  using R = real_t<T>;
  if constexpr (is_complex<T>) {
    const auto isinf = [](R x) { return std::isinf(x); };
    if (isinf(z.real()) || isinf(z.imag())) {
      EXPECT_EQ(got, std::numeric_limits<R>::infinity());
    } else if (std::isnan(z.real()) || std::isnan(z.imag())) {
      EXPECT_EQ(bits(got), bits(std::numeric_limits<R>::quiet_NaN()));
    } else {
      const Exact squares = Exact(z.real()) * Exact(z.real()) + Exact(z.imag()) * Exact(z.imag());
      const Exact slack = Exact(2 * u<R>), grid(std::numeric_limits<R>::denorm_min());
      const Exact low = Exact(1.0) - slack, high = Exact(1.0) + slack;
      if (std::isinf(got)) {
        const Exact most(std::numeric_limits<R>::max());
        EXPECT_TRUE(squares * high * high > most * most) << z;
        return;
      }
      const Exact below = Exact(got) - grid, above = Exact(got) + grid;
      EXPECT_TRUE(below.sign() <= 0 || below * below <= squares * high * high) << z << ' ' << got;
      EXPECT_TRUE(above * above >= squares * low * low) << z << ' ' << got;
    }
  } else {
    EXPECT_EQ(bits(got), bits(one_nan(std::fabs(z)))) << z;
  }
}

TYPED_TEST(Blas1, Abs) {
  using T = TypeParam;
  using R = real_t<T>;
  using Two = Array<T, 2>;
  const Exec exec;
  for (const std::size_t n : {std::size_t(1), std::size_t(65), std::size_t(5001)}) {
    const auto x = numbers_of_all_kinds<TypeParam>(n, n);
    const Kokkos::View<R*, Exec> r("r", n);
    acc::abs(exec, r, strided(x, 2));
    const auto got = to_host(r);
    for (std::size_t i = 0; i < n; ++i) expect_modulus(x[i], got[i]);
    const auto in_place = on_device(x);
    acc::abs(in_place, in_place);
    this->expect_same(to_host(in_place), this->made(n, [&](std::size_t i) { return T(got[i]); }),
                      "in place");
    if (n == 65) {
      for (const Order order : all_orders) {
        const Two matrix({5, 13}, order, x);
        const Two into({5, 13}, Order::right, x);
        acc::abs(exec, into.view(), matrix.view());
        this->expect_same(into.elements(), this->made(n, [&](std::size_t i) { return T(got[i]); }),
                          "matrix");
      }
    }
  }
}

TYPED_TEST(Blas1, Reciprocal) {
  using T = TypeParam;
  using R = real_t<T>;
  const Exec exec;
  using Limits = std::numeric_limits<R>;
  auto x = numbers_of_all_kinds<TypeParam>(5001, 7);
  if constexpr (is_complex<T>) {
    const R infinity = Limits::infinity(), nan = Limits::quiet_NaN();
    for (const R re : {infinity, -infinity, nan, -nan, R(0), R(-0.0), R(1)})
      for (const R im : {infinity, -infinity, nan, -nan, R(0), R(-0.0), R(1)})
        x.push_back(T(re, im));
  }
  const auto dx = on_device(x);
  acc::reciprocal(exec, dx, dx);
  const auto got = to_host(dx);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T z = x[i];
    if constexpr (is_complex<T>) {
      const R re = z.real(), im = z.imag();
      if (std::isinf(re) || std::isinf(im)) {
        EXPECT_EQ(bits(got[i]), bits(T(std::copysign(R(0), re), std::copysign(R(0), -im))));
      } else if (re == 0 && im == 0) {
        EXPECT_EQ(bits(got[i]),
                  bits(T(std::copysign(Limits::infinity(), re), Limits::quiet_NaN())));
      } else if (std::isnan(re) || std::isnan(im)) {
        EXPECT_EQ(bits(got[i]), bits(T(Limits::quiet_NaN(), Limits::quiet_NaN())));
      } else {
        const Exact squares = Exact(re) * Exact(re) + Exact(im) * Exact(im);
        const R want[] = {re, -im}, have[] = {got[i].real(), got[i].imag()};
        for (int part = 0; part < 2; ++part) {
          if (std::isinf(have[part])) {
            EXPECT_TRUE(abs(Exact(want[part])) * Exact(1 + 3 * u<R>) >
                        squares * Exact(Limits::max()))
                << z;
            continue;
          }
          EXPECT_LE(
              abs(Exact(have[part]) * squares - Exact(want[part])),
              Exact(3 * u<R>) * abs(Exact(want[part])) + squares * Exact(Limits::denorm_min()))
              << z << ' ' << got[i];
        }
      }
    } else {
      EXPECT_EQ(bits(got[i]), bits(one_nan(R(1) / z))) << z;
    }
  }
}

TYPED_TEST(Blas1, LargestElements) {
  using T = TypeParam;
  using R = real_t<T>;
  using Two = Array<T, 2>;
  const Exec exec;
  // The definition, by the moduli that acc::abs gives.
  const auto find = [](const std::vector<R>& m) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < m.size(); ++i) {
      if (std::isnan(m[at])) break;
      if (std::isnan(m[i]) || m[i] > m[at]) at = i;
    }
    return at;
  };
  const auto moduli = [&](const std::vector<T>& x) {
    const Kokkos::View<R*, Exec> r("r", x.size());
    acc::abs(exec, r, on_device(x));
    return to_host(r);
  };
  for (const std::size_t n : {1u, 2u, 33u, 1000u, 4096u, 4097u, 16385u, 70001u}) {
    for (int kind = 0; kind < 4; ++kind) {
      auto x = kind == 0 ? numbers_of_all_kinds<TypeParam>(n, n) : this->ordinary(n, n);
      if (kind == 2) x.assign(n, T(-2));  // the first of equals
      if (kind == 3)
        for (T& v : x) v = T(0);
      const auto m = moduli(x);
      const std::size_t at = find(m);
      const auto dx = kind == 1 ? shifted(x, 1) : shifted(x, 0);
      EXPECT_EQ(acc::iamax(exec, dx), at + 1) << n << ' ' << kind;
      EXPECT_EQ(bits(acc::nrminf(exec, dx)), bits(m[at])) << n << ' ' << kind;
      EXPECT_EQ(acc::iamax(strided(x, 2)), at + 1);
      const Kokkos::View<R, Exec> r("r");
      const Kokkos::View<int, Exec> index("index");
      acc::nrminf(exec, r, dx);
      acc::iamax(exec, index, dx);
      EXPECT_EQ(bits(on_host(r)), bits(m[at]));
      EXPECT_EQ(on_host(index), static_cast<int>(at + 1));
    }
  }
  for (const std::size_t n : {1u, 7u, 8u, 9u, 61u}) {
    for (std::size_t at = 0; at < n; ++at) {
      std::vector<T> x(n, T(2));
      x[at] = T(-3);
      EXPECT_EQ(acc::iamax(exec, on_device(x)), at + 1) << n;
    }
  }
  for (const Index<2>& shape : some_shapes) {
    const auto x = numbers_of_all_kinds<TypeParam>(shape[0] * shape[1], 3);
    for (const Order order : all_orders) {
      const Two matrix(shape, order, x);
      const Kokkos::View<R*, Exec> r("r", shape[1]);
      const Kokkos::View<std::size_t*, Exec> index("index", shape[1]);
      acc::nrminf(exec, r, matrix.view());
      acc::iamax(exec, index, matrix.view());
      const auto norms = to_host(r);
      const auto found = to_host(index);
      for (std::size_t j = 0; j < shape[1]; ++j) {
        std::vector<T> column(shape[0]);
        for (std::size_t i = 0; i < shape[0]; ++i) column[i] = x[i * shape[1] + j];
        const auto m = moduli(column);
        EXPECT_EQ(bits(norms[j]), bits(m[find(m)]));
        EXPECT_EQ(found[j], find(m) + 1);
      }
    }
  }
}

TYPED_TEST(Blas1, NothingHasNoLargestElement) {
  using T = TypeParam;
  using R = real_t<T>;
  const Kokkos::View<T*, Exec> x("x", 0);
  EXPECT_EQ(acc::iamax(x), 0u);
  EXPECT_EQ(bits(acc::nrminf(x)), bits(R(0)));
  const Kokkos::View<T**, Exec> wide("wide", 0, 3);
  const Kokkos::View<R*, Exec> r("r", 3);
  Kokkos::deep_copy(r, R(5));
  acc::nrminf(r, wide);
  for (const R v : to_host(r)) EXPECT_EQ(bits(v), bits(R(0)));
}

TYPED_TEST(Blas1, Nrm2Squared) {
  using T = TypeParam;
  using R = real_t<T>;
  const Exec exec;
  for (const std::size_t n : {std::size_t(1), row<T> + 1, leaf<T> + 3}) {
    for (const Data data : all_data) {
      const auto x = elements<T>(data, n, 3);
      const auto dx = on_device(x);
      const Exact squares = exact_dot<R>(flat(x), flat(x));
      const std::string what = std::string(name(data)) + " " + std::to_string(n);
      EXPECT_EQ(bits(acc::nrm2_squared(exec, dx, acc::exact{})), bits(round_to<R>(squares)))
          << what;
      const auto expect = [&](R got, Bound bound) {
        if (std::isinf(got)) {
          EXPECT_TRUE(squares * Exact(1 + 1e-3) > Exact(std::numeric_limits<R>::max())) << what;
          return;
        }
        const Exact limit =
            bound.limit(squares, squares) + Exact(std::numeric_limits<R>::denorm_min());
        EXPECT_LE(abs(Exact(got) - squares), limit) << what;
      };
      expect(acc::nrm2_squared(exec, dx), bound_of<R>(acc::compensated{}, depth<R>(2 * n) + 1));
      if (data != Data::near_overflow && data != Data::all_exponents)
        expect(acc::nrm2_squared(dx, acc::plain{}), bound_of<R>(acc::plain{}, depth<R>(2 * n) + 1));
      // Bins: 40 bits apart; squares have their own where they underflow.
      const R reproducible = acc::nrm2_squared(exec, dx, acc::reproducible<3>{});
      if (std::isfinite(reproducible)) {
        EXPECT_LE(abs(Exact(reproducible) - squares),
                  squares * Exact(2 * u<R>) + Exact(std::numeric_limits<R>::denorm_min()))
            << what;
      }
      const Kokkos::View<R, Exec> r("r");
      acc::nrm2_squared(exec, r, dx, acc::exact{});
      EXPECT_EQ(bits(on_host(r)), bits(round_to<R>(squares)));
    }
  }
  const auto x = elements<T>(Data::wide, 60, 1);
  const Array<T, 2> matrix({20, 3}, Order::right, x);
  const Kokkos::View<R*, Exec> r("r", 3);
  acc::nrm2_squared(exec, r, matrix.view());
  const auto got = to_host(r);
  for (std::size_t j = 0; j < 3; ++j) {
    std::vector<T> column(20);
    for (std::size_t i = 0; i < 20; ++i) column[i] = x[3 * i + j];
    EXPECT_EQ(bits(got[j]), bits(acc::nrm2_squared(exec, on_device(column))));
  }
}

TYPED_TEST(Blas1, OnTheDefaultInstance) {
  using T = TypeParam;
  const auto x = this->ordinary(50, 1), y = this->ordinary(50, 2);
  const auto dx = on_device(x), dy = on_device(y);
  acc::axpy(2, dx, dy);
  acc::axpby(2, dx, 1.0, dy);
  acc::scal(dy, 1, dy);
  acc::update(1, dx, 0, dx, 1, dy);
  acc::mult(1, dy, 0, dx, dx);
  this->expect_same(
      to_host(dy),
      this->made(50,
                 [&](std::size_t i) {
                   T v = y[i];
                   for (const T a : {T(2), T(2), T(1)})
                     v = combined(std::vector<CoefficientTerm<T>>{{T(1), v}, {a, x[i]}});
                   return v;
                 }),
      "all");
  const Kokkos::View<real_t<T>*, Exec> r("r", 50);
  acc::abs(r, dx);
  acc::reciprocal(dx, dx);
  acc::swap(dx, dy);
  acc::fill(dx, 1);
  EXPECT_EQ(acc::nrminf(dx), real_t<T>(1));
}

// Wrong arguments.

template <class F>
std::string text_of(const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no exception";
}

TEST(Blas1Errors, NameFunctionArgumentAndExtents) {
  using Vector = Kokkos::View<double*, Exec>;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;
  const Vector x("x", 3), y("y", 4), two("two", 2);
  const Matrix a("a", 3, 4), b("b", 3, 5), c("c", 3, 4);
  EXPECT_EQ(text_of([&] { acc::axpy(1.0, x, y); }),
            "acc::axpy: x and y must have the same extents, but x is 3 and y is 4");
  EXPECT_EQ(text_of([&] { acc::axpby(1.0, a, 1.0, b); }),
            "acc::axpby: x and y must have the same extents, but x is 3 x 4 and y is 3 x 5");
  EXPECT_EQ(text_of([&] { acc::axpby(two, a, 1.0, c); }),
            "acc::axpby: a must have one element, or one for each column of y, but it has extent 2 "
            "and y is 3 x 4");
  EXPECT_EQ(text_of([&] { acc::scal(x, two, x); }),
            "acc::scal: a must have one element, or one for each column of r, but it has extent 2 "
            "and r is 3");
  EXPECT_EQ(text_of([&] { acc::mult(1.0, a, 1.0, y, c); }),
            "acc::mult: a and y must have the same length, but a has extent 4 and y has extent 3");
  EXPECT_EQ(text_of([&] { acc::update(1.0, x, 1.0, y, 1.0, x); }),
            "acc::update: y and z must have the same extents, but y is 4 and z is 3");
  EXPECT_EQ(text_of([&] { acc::rot(x, y, 1.0, 0.0); }),
            "acc::rot: x and y must have the same length, but x has extent 3 and y has extent 4");
  EXPECT_EQ(text_of([&] { acc::swap(a, b); }),
            "acc::swap: x and y must have the same extents, but x is 3 x 4 and y is 3 x 5");
  EXPECT_EQ(text_of([&] { acc::abs(x, y); }),
            "acc::abs: r and x must have the same extents, but r is 3 and x is 4");
  EXPECT_EQ(text_of([&] { acc::reciprocal(x, y); }),
            "acc::reciprocal: r and x must have the same extents, but r is 3 and x is 4");
  const Kokkos::View<double*, Exec, Kokkos::MemoryUnmanaged> nothing(nullptr, 3);
  EXPECT_EQ(text_of([&] { acc::fill(nothing, 1.0); }),
            "acc::fill: x has extent 3 but no data (null pointer)");
  EXPECT_EQ(text_of([&] { acc::nrminf(nothing); }),
            "acc::nrminf: x has extent 3 but no data (null pointer)");
  EXPECT_EQ(text_of([&] { acc::iamax(nothing); }),
            "acc::iamax: x has extent 3 but no data (null pointer)");
  // The last of 200 elements would have no number in r.
  const Kokkos::View<double*, Exec> long_x("x", 200);
  const Kokkos::View<double**, Exec> long_columns("x", 200, 3);
  EXPECT_EQ(text_of([&] { acc::iamax(Kokkos::View<signed char, Exec>("r"), long_x); }),
            "acc::iamax: r's type cannot hold x's extent, 200: its largest number is 127");
  EXPECT_EQ(text_of([&] { acc::iamax(Kokkos::View<signed char*, Exec>("r", 3), long_columns); }),
            "acc::iamax: r's type cannot hold x's extent, 200: its largest number is 127");
  EXPECT_EQ(text_of([&] { acc::iamax(Kokkos::View<unsigned char, Exec>("r"), long_x); }),
            "no exception");
  EXPECT_EQ(text_of([&] { acc::nrm2_squared(nothing); }),
            "acc::nrm2_squared: x has extent 3 but no data (null pointer)");
  EXPECT_EQ(text_of([&] { acc::nrminf(two, a); }),
            "acc::nrminf: r must have one element for each column of x, but x is 3 x 4 and r has "
            "extent 2");
}

TEST(Blas1Errors, OverlapUnlessTheSame) {
  using Kokkos::ALL;
  using Kokkos::subview;
  using std::pair;
  const Kokkos::View<double*, Exec> v("v", 10);
  EXPECT_EQ(text_of([&] { acc::axpy(1.0, subview(v, pair(0, 5)), subview(v, pair(4, 9))); }),
            "acc::axpy: x (5) and y (5) overlap and are not the same elements");
  EXPECT_EQ(text_of([&] { acc::axpy(1.0, subview(v, pair(0, 5)), subview(v, pair(5, 10))); }),
            "no exception");
  EXPECT_EQ(text_of([&] { acc::rot(v, v, 1.0, 0.0); }), "acc::rot: x (10) and y (10) overlap");
  EXPECT_EQ(text_of([&] { acc::scal(v, subview(v, pair(3, 4)), v); }),
            "acc::scal: a and r (10) overlap");
  // Blocks of one matrix, of either layout: columns, rows, and both.
  const auto blocks = [&](const auto& m) {
    const auto block = [&](int i, int j) { return subview(m, pair(i, i + 3), pair(j, j + 4)); };
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j < 9; ++j) {
        const bool same = i == 3 && j == 4, apart = std::abs(i - 3) >= 3 || std::abs(j - 4) >= 4;
        EXPECT_EQ(text_of([&] { acc::axpy(1.0, block(3, 4), block(i, j)); }),
                  same || apart ? "no exception"
                                : "acc::axpy: x (3 x 4) and y (3 x 4) overlap and are not the same "
                                  "elements")
            << i << ' ' << j;
      }
    }
    EXPECT_EQ(text_of([&] {
                acc::mult(1.0, subview(m, ALL, pair(1, 4)), 1.0, subview(m, ALL, 0),
                          subview(m, ALL, pair(4, 7)));
              }),
              "no exception");
    EXPECT_EQ(text_of([&] {
                acc::mult(1.0, subview(m, ALL, pair(1, 4)), 1.0, subview(m, ALL, 2),
                          subview(m, ALL, pair(4, 7)));
              }),
              "acc::mult: a (10) and y (10 x 3) overlap");
    const auto rows = subview(m, pair(1, 10), ALL);
    EXPECT_EQ(text_of([&] { acc::scal(rows, subview(m, 0, ALL), rows); }), "no exception");
    EXPECT_EQ(text_of([&] { acc::scal(rows, subview(m, 3, ALL), rows); }),
              "acc::scal: a and r (9 x 13) overlap");
  };
  blocks(Kokkos::View<double**, Kokkos::LayoutLeft, Exec>("left", 10, 13));
  blocks(Kokkos::View<double**, Kokkos::LayoutRight, Exec>("right", 10, 13));
  const Kokkos::View<double*, Kokkos::LayoutStride, Exec> one_place(v.data(),
                                                                    Kokkos::LayoutStride(3, 0));
  EXPECT_EQ(text_of([&] { acc::fill(one_place, 1.0); }),
            "acc::fill: two elements of x share a place: its strides are 0");
}

}  // namespace
}  // namespace acc_test
