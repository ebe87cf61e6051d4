// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients (Hestenes and Stiefel 1952) for a matrix-free five-point stencil. The caller
// supplies the dot product. The product with the matrix has explicit FMAs, so that no compiler
// contracts one kernel and not another, and acc::axpy and acc::update have theirs.
#pragma once

#include <acc/axpby.hpp>
#include <acc/update.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

/// -div(k grad u) on an n x n grid with u = 0 around it. k varies at random from 1 to 128 between
/// cells, so the matrix is ill-conditioned. These are `rows` rows of the grid, starting at `first`.
struct Stencil {
  int n, first, rows;

  /// Twice the conductivity: a hash of the position, the same for every rank.
  KOKKOS_FUNCTION static double k(int row, int column) {
    std::uint32_t h =
        0x9e3779b9u * std::uint32_t(row + 1) + 0x85ebca6bu * std::uint32_t(column + 1);
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return double(1u << ((h >> 16) % 8));
  }

  /// The element of the product at `at`, an index into p. p has one extra row before and after.
  template <class View>
  KOKKOS_FUNCTION double product(const View& p, int at) const {
    const int row = first + at / n - 1, column = at % n;
    const double here = k(row, column), value = p(at);
    const double left = column > 0 ? p(at - 1) : 0, right = column < n - 1 ? p(at + 1) : 0;
    double sum = (here + k(row - 1, column)) * (value - p(at - n));
    sum = Kokkos::fma(here + k(row, column - 1), value - left, sum);
    sum = Kokkos::fma(here + k(row, column + 1), value - right, sum);
    return Kokkos::fma(here + k(row + 1, column), value - p(at + n), sum);
  }
};

template <class Exec>
using Vector = Kokkos::View<double*, typename Exec::memory_space>;

/// q = A p
template <class Exec, class P, class Q>
void multiply(const Exec& exec, const Stencil& a, const P& p, const Q& q) {
  Kokkos::parallel_for(
      "multiply", Kokkos::RangePolicy<Exec>(exec, 0, a.n * a.rows),
      KOKKOS_LAMBDA(int i) { q(i) = a.product(p, i + a.n); });
}

/// Solves A x = (1, ..., 1) until |r| <= 1e-4 |b|. Returns |r|^2 before the first iteration and
/// after each.
///
/// \param fill_ghosts  fill_ghosts(p) receives the rows before and after p from the neighbors
/// \param dot          dot(exec, x, y) of the x and y of all ranks
template <class Exec, class FillGhosts, class Dot>
std::vector<double> solve(const Exec& exec, const Stencil& a, const FillGhosts& fill_ghosts,
                          const Dot& dot) {
  const int size = a.n * a.rows;
  const Vector<Exec> x("x", size), r("r", size), q("q", size), ghosted("p", size + 2 * a.n);
  const auto p = Kokkos::subview(ghosted, Kokkos::pair(a.n, a.n + size));
  Kokkos::deep_copy(exec, r, 1.0);
  Kokkos::deep_copy(exec, p, 1.0);
  std::vector<double> history{dot(exec, r, r)};
  while (history.back() > 1e-8 * history.front() && history.size() < 10000) {
    fill_ghosts(ghosted);
    multiply(exec, a, ghosted, q);
    const double alpha = history.back() / dot(exec, p, q);
    acc::axpy(exec, alpha, p, x);
    acc::axpy(exec, -alpha, q, r);
    const double rr = dot(exec, r, r);
    acc::update(exec, rr / history.back(), p, 1.0, r, 0.0, p);  // p = r + (...) p
    history.push_back(rr);
  }
  return history;
}

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
};
