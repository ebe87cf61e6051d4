// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose sums are exact: their entries by the exact oracle, and the ways to compute them.
#pragma once

#include "gemm_calls.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace acc_test {
namespace {

/// A number of IEEE arithmetic in exact range: a zero has a sign.
struct Signed {
  Exact value;
  bool negative_zero = false;
};
inline bool is_negative(double x) { return std::signbit(x); }

/// A sum of terms: -0 where there are terms and all are -0.
inline Signed sum_of(const std::vector<Signed>& terms) {
  Signed sum{Exact(0.0), !terms.empty()};
  for (const Signed& t : terms) {
    sum.value += t.value;
    sum.negative_zero = sum.negative_zero && t.negative_zero;
  }
  return sum;
}
inline Signed product_of(double f, const Signed& x) {
  const Exact value = Exact(f) * x.value;
  const bool x_negative = x.value.is_zero() ? x.negative_zero : x.value.sign() < 0;
  return {value, value.is_zero() && is_negative(f) != x_negative};
}

/// The format of a scalar's parts.
template <class T>
acc_oracle::Precision format_of() {
  if constexpr (acc::impl::is_half_scalar<T>) {
    constexpr bool bhalf = std::is_same_v<T, Kokkos::Experimental::bhalf_t>;
    return bhalf ? acc_oracle::Precision{8, -133} : acc_oracle::Precision{11, -24};
  } else {
    return acc_oracle::precision_of<T>();
  }
}
template <class T>
T rounded(const Signed& x) {
  if (x.value.is_zero()) return static_cast<T>(x.negative_zero ? -0.0f : 0.0f);
  const double r = round(x.value, format_of<T>());
  if (std::isnan(r)) return acc::impl::canonical_nan<T>();
  return static_cast<T>(
      static_cast<std::conditional_t<acc::impl::is_half_scalar<T>, float, double>>(r));  // exact
}

/// C's entry by the definition.
template <class In, class Out, class Factor>
Out exact_entry(Factor alpha, const std::vector<In>& a, const std::vector<In>& b, Factor beta,
                const Out& c) {
  constexpr int parts = is_complex<Out> ? 2 : 1;
  using reference::part;
  if (a.empty()) alpha = Factor(0);
  const auto is = [&](const Factor& f, double re) {
    return part<double>(f, 0) == re && part<double>(f, 1) == 0;
  };
  if (is(alpha, 0) && is(beta, 1)) return c;
  Signed s[2];
  std::vector<double> x, y;
  for (int k = 0; k < parts && !is(alpha, 0); ++k) {
    reference::products_of(a, b, k, x, y);
    bool finite = true, all_minus_zero = !x.empty();
    for (std::size_t n = 0; n < x.size(); ++n) {
      finite = finite && std::isfinite(x[n]) && std::isfinite(y[n]);
      const bool zero = x[n] == 0 || y[n] == 0;
      all_minus_zero = all_minus_zero && zero && is_negative(x[n]) != is_negative(y[n]);
    }
    if (finite && x.size() > 400) {
      s[k].value = exact_dot<double>(x, y);
    } else {
      s[k].value = Exact(0.0);
      for (std::size_t n = 0; n < x.size(); ++n) s[k].value += Exact(x[n]) * Exact(y[n]);
    }
    s[k].negative_zero = all_minus_zero;
  }
  real_t<Out> result[2];
  for (int k = 0; k < parts; ++k) {
    std::vector<Signed> terms;
    const double sign = k == 0 ? -1 : 1;
    const auto add = [&](double f, const Signed& v) {
      if (f != 0) terms.push_back(product_of(f, v));
    };
    const auto of_c = [&](int q) {
      const double v = part<double>(c, q);
      return Signed{Exact(v), v == 0 && is_negative(v)};
    };
    add(part<double>(beta, 0), of_c(k));
    add(sign * part<double>(beta, 1), of_c(1 - k));
    add(part<double>(alpha, 0), s[k]);
    add(sign * part<double>(alpha, 1), s[1 - k]);
    result[k] = rounded<real_t<Out>>(sum_of(terms));
  }
  if constexpr (parts == 2) {
    return Out(result[0], result[1]);
  } else {
    return result[0];
  }
}

/// The numbers that are multiplied: by exact a row's own.
template <class T>
std::vector<T> multiplied(const acc::exact&, std::vector<T> row) {
  return row;
}
/// By fixed_point: in units of the last of `bits` digits of its largest number, rounded to nearest
/// even. (That number is below half of the largest one that there is.)
template <class T>
std::vector<T> multiplied(const acc::fixed_point& method, std::vector<T> row) {
  using R = std::conditional_t<acc::impl::is_half_scalar<real_t<T>>, float, real_t<T>>;
  int top = std::numeric_limits<int>::min();
  for (const T& x : row)
    for (int q = 0; q < (is_complex<T> ? 2 : 1); ++q)
      if (const double v = reference::part<double>(x, q); v != 0)
        top = std::max(top, std::ilogb(v) + 1);
  const int unit = top - method.bits;
  const auto cut = [&](R x) {
    if (x == 0 || unit <= std::numeric_limits<R>::min_exponent - std::numeric_limits<R>::digits)
      return x;  // a zero, or a multiple of the unit, as all numbers are
    const double units = std::ldexp(std::ldexp(double(x), -unit / 2), -unit - -unit / 2);
    const auto y =
        static_cast<R>(std::ldexp(std::ldexp(std::nearbyint(units), unit / 2), unit - unit / 2));
    return std::copysign(y, x);
  };
  for (T& x : row) {
    if constexpr (is_complex<T>)
      x = T(cut(x.real()), cut(x.imag()));
    else
      x = static_cast<T>(cut(static_cast<R>(x)));
  }
  return row;
}
template <class T>
bool all_finite(const std::vector<T>& row) {
  return std::all_of(row.begin(), row.end(), [](const T& x) {
    return std::isfinite(reference::part<double>(x, 0)) &&
           (!is_complex<T> || std::isfinite(reference::part<double>(x, 1)));
  });
}

/// A product whose sums are exact, each way that there is, against the definition.
template <class In, class Out, class Method>
struct ProductsByOracle {
  const Product<In, Out>& p;
  Method method{};

  Out entry(std::size_t i, std::size_t j) const {
    std::vector<In> row(p.depth), column(p.depth);
    for (std::size_t k = 0; k < p.depth; ++k) {
      row[k] = p.a.operated(p.trans_a, i, k);
      column[k] = p.b.operated(p.trans_b, k, j);
    }
    if (all_finite(row) && all_finite(column)) {
      row = multiplied(method, row);
      column = multiplied(method, column);
    }
    return exact_entry(p.alpha, row, column, p.beta, p.c(i, j));
  }
  Matrix<Out> by_definition() const {
    Matrix<Out> r = p.c;
    for (std::size_t i = 0; i < r.rows; ++i)
      for (std::size_t j = 0; j < r.columns; ++j) r(i, j) = entry(i, j);
    return r;
  }
  Matrix<Out> by_gemm() const { return p.by_gemm(method); }
  Matrix<Out> by_generic(bool divides_k) const {
    return p.by([&](const Exec& e, const auto& call) {
      call_generic_exact_gemm(e, call, method, divides_k);
    });
  }
  void expect_ways_agree(const Matrix<Out>& want, const std::string& what) const {
    const std::string text = what + " " + p.trans_a + p.trans_b;
    p.expect_same(want, by_gemm(), text);
    p.expect_same(want, by_generic(false), text + ", generic");
    p.expect_same(want, by_generic(true), text + ", divided");
    if (p.trans_b[0] == 'N' && want.columns == 1)
      p.expect_same(want,
                    p.by([&](const Exec& e, const auto& c) { call_exact_gemv(e, c, method); }),
                    text + ", gemv");
    if (p.trans_a[0] == 'N')
      p.expect_same(
          want, p.by([&](const Exec& e, const auto& c) { call_exact_batched_gemm(e, c, method); }),
          text + ", batched");
  }
  void expect_definition(const std::string& what = "") const {
    expect_ways_agree(by_definition(), what);
  }
};

/// What numbers of the type can be, in all ranges.
template <class T>
T any_number(Random& random, bool special) {
  const auto one = [&]() -> real_t<T> {
    using R = real_t<T>;
    if constexpr (acc::impl::is_half_scalar<R>) {
      const float scale = std::ldexp(1.0f, random.integer(-20, 12));
      if (special && random.below(40) == 0) return R(std::numeric_limits<float>::infinity());
      return static_cast<R>(random.symmetric<float>() * scale);
    } else {
      if (special && random.below(40) == 0) {
        const R all[] = {R(0),
                         R(-0.0),
                         std::numeric_limits<R>::infinity(),
                         -std::numeric_limits<R>::infinity(),
                         std::numeric_limits<R>::quiet_NaN(),
                         std::numeric_limits<R>::max(),
                         std::numeric_limits<R>::denorm_min()};
        return all[random.below(7)];
      }
      return random.any_finite<R>();
    }
  };
  const auto re = one();
  if constexpr (is_complex<T>) {
    return T(re, one());
  } else {
    return re;
  }
}
/// A number near 1 with few bits, so that sums are ties, cancel and repeat.
template <class T>
T small_number(Random& random) {
  const auto one = [&] {
    return static_cast<real_t<T>>(
        std::ldexp(static_cast<float>(random.integer(-3, 3)), random.integer(-6, 6)));
  };
  const auto re = one();
  if constexpr (is_complex<T>) {
    return T(re, one());
  } else {
    return re;
  }
}
template <class T, class F>
void fill(Matrix<T>& m, const F& f) {
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < m.columns; ++j) m(i, j) = f();
}

}  // namespace
}  // namespace acc_test
