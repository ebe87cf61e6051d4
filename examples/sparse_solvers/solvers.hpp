// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three solvers of A x = b. The caller supplies the dot products and the products with A, and
// everything else that decides a bit is acc's or has explicit FMAs. If b and x are distributed over
// ranks, these two know of the others. Each solver starts from x = 0, and returns |r| before the
// first iteration and after each.
#pragma once

#include <acc/axpby.hpp>
#include <acc/dot.hpp>
#include <acc/gemv.hpp>
#include <acc/scal.hpp>
#include <acc/spmv.hpp>
#include <acc/update.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

template <class Exec>
using Vector = Kokkos::View<double*, typename Exec::memory_space>;

/// When a solver stops: |r| <= tolerance |b|, or so many iterations.
struct Until {
  double tolerance = 1e-8;
  std::size_t iterations = 3000;

  bool met(const std::vector<double>& history) const {
    // Also where |r| is no number: a solver that has broken down stops.
    return !(history.back() > tolerance * history.front()) || history.size() > iterations;
  }
};

/// multiply(exec, x, y): y = A x. multiply(exec, x, y, alpha, beta): y = alpha A x + beta y.
template <class A>
auto multiply_by(const A& a) {
  return [a](const auto& exec, const auto& x, const auto& y, double alpha = 1, double beta = 0) {
    acc::spmv(exec, "N", alpha, a, x, beta, y);
  };
}

/// Conjugate gradients (Hestenes and Stiefel 1952), for a symmetric positive definite A.
template <class Exec, class Multiply, class Dot>
std::vector<double> conjugate_gradients(const Exec& exec, const Multiply& multiply,
                                        const Vector<Exec>& b, const Vector<Exec>& x,
                                        const Dot& dot, const Until& until) {
  const int n = b.extent_int(0);
  const Vector<Exec> r("r", n), p("p", n), q("q", n);
  Kokkos::deep_copy(exec, x, 0.0);
  Kokkos::deep_copy(exec, r, b);
  Kokkos::deep_copy(exec, p, b);
  double rr = dot(exec, r, r);
  std::vector<double> history{std::sqrt(rr)};
  while (!until.met(history)) {
    multiply(exec, p, q);
    const double alpha = rr / dot(exec, p, q);
    acc::axpy(exec, alpha, p, x);
    acc::axpy(exec, -alpha, q, r);
    const double before = std::exchange(rr, dot(exec, r, r));
    acc::axpby(exec, 1.0, r, rr / before, p);  // p = r + (...) p
    history.push_back(std::sqrt(rr));
  }
  return history;
}

/// BiCGStab (van der Vorst 1992), for any A.
template <class Exec, class Multiply, class Dot>
std::vector<double> bicgstab(const Exec& exec, const Multiply& multiply, const Vector<Exec>& b,
                             const Vector<Exec>& x, const Dot& dot, const Until& until) {
  const int n = b.extent_int(0);
  const Vector<Exec> r("r", n), p("p", n), v("v", n), t("t", n);
  Kokkos::deep_copy(exec, x, 0.0);
  Kokkos::deep_copy(exec, r, b);
  Kokkos::deep_copy(exec, p, b);
  double rho = dot(exec, b, r);
  std::vector<double> history{std::sqrt(rho)};
  while (!until.met(history)) {
    multiply(exec, p, v);
    const double alpha = rho / dot(exec, b, v);
    acc::axpy(exec, -alpha, v, r);
    multiply(exec, r, t);
    const double omega = dot(exec, t, r) / dot(exec, t, t);
    acc::update(exec, alpha, p, omega, r, 1.0, x);  // x += alpha p + omega r
    acc::axpy(exec, -omega, t, r);
    const double before = std::exchange(rho, dot(exec, b, r));
    const double beta = rho / before * (alpha / omega);
    acc::update(exec, 1.0, r, -(beta * omega), v, beta, p);  // p = r + beta (p - omega v)
    history.push_back(std::sqrt(dot(exec, r, r)));
  }
  return history;
}

/// GMRES (Saad and Schultz 1986), restarted after m iterations, for any A. The new vector is made
/// orthogonal to all earlier ones at once, twice: by a call for the dot products with all of them,
/// and a product of the matrix of them with these numbers.
template <class Exec, class Multiply, class Dot>
std::vector<double> gmres(const Exec& exec, const Multiply& multiply, const Vector<Exec>& b,
                          const Vector<Exec>& x, int m, const Dot& dot, const Until& until) {
  using memory = typename Exec::memory_space;
  const int n = b.extent_int(0);
  const Vector<Exec> r("r", n), coefficients("coefficients", m);
  const Kokkos::View<double**, Kokkos::LayoutLeft, memory> basis("basis", n, m + 1);
  const auto vector = [&](int j) { return Kokkos::subview(basis, Kokkos::ALL, j); };
  const auto vectors = [&](int count) {
    return Kokkos::subview(basis, Kokkos::ALL, Kokkos::pair(0, count));
  };
  std::vector<std::vector<double>> h(m, std::vector<double>(m + 1));  // h[j]: column j
  std::vector<double> cosine(m), sine(m), g(m + 1);
  Kokkos::deep_copy(exec, x, 0.0);
  Kokkos::deep_copy(exec, r, b);
  std::vector<double> history{std::sqrt(dot(exec, r, r))};
  while (!until.met(history)) {
    g[0] = std::sqrt(dot(exec, r, r));
    acc::scal(exec, vector(0), 1 / g[0], r);
    int j = 0;
    while (j < m && !until.met(history)) {
      const auto w = vector(j + 1);
      multiply(exec, vector(j), w);
      std::vector<double>& column = h[j];
      column.assign(m + 1, 0);
      const auto c = Kokkos::subview(coefficients, Kokkos::pair(0, j + 1));
      for (int pass = 0; pass < 2; ++pass) {
        dot(exec, c, vectors(j + 1), w);
        acc::gemv(exec, "N", -1.0, vectors(j + 1), c, 1.0, w);
        const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
        for (int i = 0; i <= j; ++i) column[i] += found(i);
      }
      const double length = std::sqrt(dot(exec, w, w));
      acc::scal(exec, w, 1 / length, w);
      // Givens rotations. Every product is in an fma, or alone: there is nothing to contract.
      for (int i = 0; i < j; ++i) {
        const double above = column[i], below = column[i + 1];
        column[i] = std::fma(cosine[i], above, sine[i] * below);
        column[i + 1] = std::fma(cosine[i], below, -(sine[i] * above));
      }
      const double norm = std::sqrt(std::fma(column[j], column[j], length * length));
      cosine[j] = column[j] / norm;
      sine[j] = length / norm;
      column[j] = norm;
      g[j + 1] = -(sine[j] * g[j]);
      g[j] = cosine[j] * g[j];
      history.push_back(std::abs(g[++j]));
    }
    const auto y = Kokkos::create_mirror_view(coefficients);  // solves the triangular system
    for (int i = j - 1; i >= 0; --i) {
      double rest = g[i];
      for (int k = i + 1; k < j; ++k) rest = std::fma(-h[k][i], y(k), rest);
      y(i) = rest / h[i][i];
    }
    Kokkos::deep_copy(exec, coefficients, y);
    acc::gemv(exec, "N", 1.0, vectors(j), Kokkos::subview(coefficients, Kokkos::pair(0, j)), 1.0,
              x);
    Kokkos::deep_copy(exec, r, b);
    multiply(exec, x, r, -1.0, 1.0);  // r = b - A x
    exec.fence();
  }
  return history;
}

/// acc's dot products: of two vectors, and of a vector with each column of a matrix.
struct AccDot {
  template <class Exec, class X, class Y>
  double operator()(const Exec& exec, const X& x, const Y& y) const {
    return acc::dot(exec, x, y);
  }
  template <class Exec, class R, class X, class Y>
  void operator()(const Exec& exec, const R& r, const X& x, const Y& y) const {
    acc::dot(exec, r, x, y);
    exec.fence();  // the host reads r
  }
};

/// What most applications write: fast, but the order of the sum depends on the threads.
struct PlainDot {
  template <class Exec, class X, class Y>
  double operator()(const Exec& exec, const X& x, const Y& y) const {
    double sum = 0;
    Kokkos::parallel_reduce(
        "dot", Kokkos::RangePolicy<Exec>(exec, 0, x.extent_int(0)),
        KOKKOS_LAMBDA(int i, double& s) { s += x(i) * y(i); }, sum);
    return sum;
  }
  template <class Exec, class R, class X, class Y>
  void operator()(const Exec& exec, const R& r, const X& x, const Y& y) const {
    for (int j = 0; j < x.extent_int(1); ++j) {
      const double sum = operator()(exec, Kokkos::subview(x, Kokkos::ALL, j), y);
      Kokkos::deep_copy(exec, Kokkos::subview(r, j), sum);
    }
    exec.fence();
  }
};
