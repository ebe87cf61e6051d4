// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by recursion, slowly, as docs/arithmetic.md defines them: whole matrices, row after row.
#pragma once

#include "reference_gemm.hpp"

#include <algorithm>

namespace acc_test::reference {

/// A dense matrix, row after row.
template <class T>
struct Dense {
  std::size_t rows = 0, columns = 0;
  std::vector<T> x;

  Dense(std::size_t m, std::size_t n) : rows(m), columns(n), x(m * n) {}
  T& operator()(std::size_t i, std::size_t j) { return x[i * columns + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return x[i * columns + j]; }

  Dense block(std::size_t i, std::size_t m, std::size_t j, std::size_t n) const {
    Dense b(m, n);
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t s = 0; s < n; ++s) b(r, s) = (*this)(i + r, j + s);
    return b;
  }
  void put(std::size_t i, std::size_t j, const Dense& b) {
    for (std::size_t r = 0; r < b.rows; ++r)
      for (std::size_t s = 0; s < b.columns; ++s) (*this)(i + r, j + s) = b(r, s);
  }
  /// Quarter q: 11, 12, 21, 22.
  Dense quarter(int q) const {
    return block(q / 2 * (rows / 2), rows / 2, q % 2 * (columns / 2), columns / 2);
  }
};
template <class T>
Dense<T> operator+(Dense<T> a, const Dense<T>& b) {
  for (std::size_t e = 0; e < a.x.size(); ++e) a.x[e] += b.x[e];
  return a;
}
template <class T>
Dense<T> operator-(Dense<T> a, const Dense<T>& b) {
  for (std::size_t e = 0; e < a.x.size(); ++e) a.x[e] -= b.x[e];
  return a;
}

/// c = alpha a b + beta c, entry by entry.
template <class Method, class T>
void gemm(const Method& method, T alpha, const Dense<T>& a, const Dense<T>& b, T beta,
          Dense<T>& c) {
  for (std::size_t j = 0; j < b.columns; ++j) {
    std::vector<T> column(b.rows);
    for (std::size_t k = 0; k < b.rows; ++k) column[k] = b(k, j);
    for (std::size_t i = 0; i < a.rows; ++i) {
      const std::vector<T> row(a.x.begin() + static_cast<std::ptrdiff_t>(i * a.columns),
                               a.x.begin() + static_cast<std::ptrdiff_t>((i + 1) * a.columns));
      c(i, j) = gemm_entry(method, alpha, row, column, beta, c(i, j));
    }
  }
}

/// The product in the words of table 1 of Badin et al. 2013, U being what is added to C12, C21 and
/// C22 in turn.
template <class Method, class T>
Dense<T> winograd(const Method& method, const Dense<T>& a, const Dense<T>& b, int levels) {
  Dense<T> c(a.rows, b.columns);
  if (levels == 0) {
    gemm(method, T(1), a, b, T(0), c);
    return c;
  }
  const auto product = [&](const Dense<T>& x, const Dense<T>& y) {
    return winograd(method, x, y, levels - 1);
  };
  const auto a11 = a.quarter(0), a12 = a.quarter(1), a21 = a.quarter(2), a22 = a.quarter(3);
  const auto b11 = b.quarter(0), b12 = b.quarter(1), b21 = b.quarter(2), b22 = b.quarter(3);
  auto s = a21 + a22, t = b12 - b11;
  auto u = product(s, t);
  auto c12 = u, c22 = u;
  u = product(a11, b11);
  const auto c11 = u + product(a12, b21);
  s = s - a11, t = b22 - t;
  u = u + product(s, t);
  c12 = c12 + u;
  s = a12 - s;
  c12 = c12 + product(s, b22);
  t = b21 - t;
  auto c21 = product(a22, t);
  s = a11 - a21, t = b22 - b12;
  u = u + product(s, t);
  c22 = c22 + u, c21 = c21 + u;
  c.put(0, 0, c11);
  c.put(0, b.columns / 2, c12);
  c.put(a.rows / 2, 0, c21);
  c.put(a.rows / 2, b.columns / 2, c22);
  return c;
}

/// acc::ngemm with `levels` > 0 of Winograd's recursion, on data whose products are finite.
template <class Method, class T>
void ngemm_by_winograd(const Method& method, T alpha, const Dense<T>& a, const Dense<T>& b, T beta,
                       Dense<T>& c, int levels) {
  using R = std::conditional_t<std::is_same_v<Method, acc::widened>, double, T>;
  const std::size_t unit = std::size_t(16) << levels;
  const std::size_t m = a.rows, n = b.columns, k = a.columns;
  const std::size_t m0 = m / unit * unit, n0 = n / unit * unit, k0 = k / unit * unit;
  Dense<T> v = winograd(method, a.block(0, m0, 0, k0), b.block(0, k0, 0, n0), levels);
  if (k0 < k) gemm(method, T(1), a.block(0, m0, k0, k - k0), b.block(k0, k - k0, 0, n0), T(1), v);
  for (std::size_t i = 0; i < m0; ++i) {
    for (std::size_t j = 0; j < n0; ++j) {
      // As gemm's entries of one number are scaled.
      const R scaled = alpha * R(v(i, j));
      c(i, j) = static_cast<T>(
          beta == 0 ? scaled : std::fma(R(alpha), R(v(i, j)), product(R(beta), R(c(i, j)))));
    }
  }
  Dense<T> below = c.block(m0, m - m0, 0, n), right = c.block(0, m0, n0, n - n0);
  gemm(method, alpha, a.block(m0, m - m0, 0, k), b, beta, below);
  gemm(method, alpha, a.block(0, m0, 0, k), b.block(0, k, n0, n - n0), beta, right);
  c.put(m0, 0, below);
  c.put(0, n0, right);
}

/// The same by 2^levels pieces of depth.
template <class Method, class T>
void ngemm_by_outer_products(const Method& method, T alpha, const Dense<T>& a, const Dense<T>& b,
                             T beta, Dense<T>& c, int levels) {
  const std::size_t k = a.columns, pieces = std::size_t(1) << levels;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t begin = i * k / pieces, end = (i + 1) * k / pieces;
    gemm(method, alpha, a.block(0, a.rows, begin, end - begin),
         b.block(begin, end - begin, 0, b.columns), i == 0 ? beta : T(1), c);
  }
}

}  // namespace acc_test::reference
