// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The example's solvers once more, in a namespace where acc is the name of plain loops by Kokkos:
// what an application has that uses no library.
#include "solvers.hpp"

// All that solvers.hpp includes: below, it is included in a namespace.
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

namespace perf::solvers {
namespace with_loops {
namespace acc {

template <class Exec, class X, class Y>
void axpby(const Exec& exec, double alpha, const X& x, double beta, const Y& y) {
  Kokkos::parallel_for(
      "axpby", Kokkos::RangePolicy<Exec>(exec, 0, y.extent_int(0)),
      KOKKOS_LAMBDA(int i) { y(i) = alpha * x(i) + beta * y(i); });
}
template <class Exec, class X, class Y>
void axpy(const Exec& exec, double alpha, const X& x, const Y& y) {
  Kokkos::parallel_for(
      "axpy", Kokkos::RangePolicy<Exec>(exec, 0, y.extent_int(0)),
      KOKKOS_LAMBDA(int i) { y(i) += alpha * x(i); });
}
template <class Exec, class X, class Y, class Z>
void update(const Exec& exec, double alpha, const X& x, double beta, const Y& y, double gamma,
            const Z& z) {
  Kokkos::parallel_for(
      "update", Kokkos::RangePolicy<Exec>(exec, 0, z.extent_int(0)),
      KOKKOS_LAMBDA(int i) { z(i) = alpha * x(i) + beta * y(i) + gamma * z(i); });
}
template <class Exec, class R, class X>
void scal(const Exec& exec, const R& r, double alpha, const X& x) {
  Kokkos::parallel_for(
      "scal", Kokkos::RangePolicy<Exec>(exec, 0, r.extent_int(0)),
      KOKKOS_LAMBDA(int i) { r(i) = alpha * x(i); });
}

template <class Exec, class X, class Y>
double dot(const Exec& exec, const X& x, const Y& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "dot", Kokkos::RangePolicy<Exec>(exec, 0, x.extent_int(0)),
      KOKKOS_LAMBDA(int i, double& s) { s += x(i) * y(i); }, sum);
  return sum;
}
/// With each column of a matrix: a kernel for each, none of which the host waits for.
template <class Exec, class R, class X, class Y>
void dot(const Exec& exec, const R& r, const X& x, const Y& y) {
  for (int j = 0; j < x.extent_int(1); ++j)
    Kokkos::parallel_reduce(
        "dot", Kokkos::RangePolicy<Exec>(exec, 0, x.extent_int(0)),
        KOKKOS_LAMBDA(int i, double& s) { s += x(i, j) * y(i); }, Kokkos::subview(r, j));
}

/// y = alpha A x + beta y, a row for each thread.
template <class Exec, class A, class X, class Y>
void gemv(const Exec& exec, const char*, double alpha, const A& a, const X& x, double beta,
          const Y& y) {
  Kokkos::parallel_for(
      "gemv", Kokkos::RangePolicy<Exec>(exec, 0, y.extent_int(0)), KOKKOS_LAMBDA(int i) {
        double sum = 0;
        for (int j = 0; j < a.extent_int(1); ++j) sum += a(i, j) * x(j);
        y(i) = alpha * sum + beta * y(i);
      });
}
template <class Exec, class A, class X, class Y>
void spmv(const Exec& exec, const char*, double alpha, const A& a, const X& x, double beta,
          const Y& y) {
  Kokkos::parallel_for(
      "spmv", Kokkos::RangePolicy<Exec>(exec, 0, int(a.rows)), KOKKOS_LAMBDA(int i) {
        double sum = 0;
        for (int k = a.row_map(i); k < a.row_map(i + 1); ++k) sum += a.values(k) * x(a.entries(k));
        y(i) = alpha * sum + beta * y(i);
      });
}

}  // namespace acc

#include "../examples/sparse_solvers/solvers.hpp"

}  // namespace with_loops

peer loop_solver(const system& s, kind which) {
  using namespace with_loops;
  using Exec = Kokkos::DefaultExecutionSpace;
  const Vector<Exec> b("b", s.a.rows), x("x", s.a.rows);
  Kokkos::deep_copy(b, 1.0);
  return [=, a = to_crs<Exec>(s.a), until = Until{s.tolerance, s.iterations}] {
    return ACC_PERF_SOLVE(which, Exec(), a, b, x, AccDot(), until);
  };
}

}  // namespace perf::solvers
