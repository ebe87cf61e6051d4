// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_SOLVERS_HPP
#define ACC_PERF_TESTS_SOLVERS_HPP

/// \file
/// Whole solvers: those of examples/sparse_solvers, and their peers, the same source with loops by
/// Kokkos or the functions of Kokkos Kernels in the place of acc's.

#include "../examples/sparse_solvers/matrix_market.hpp"

#include <cstddef>
#include <functional>

namespace perf::solvers {

enum class kind { cg, bicgstab, gmres };

/// A system of equations A x = b, where b's numbers are 1, and when a solver stops.
struct system {
  Entries a;
  double tolerance;
  std::size_t iterations;
};

/// Solves by one of the functions of the example's solvers.hpp that are in scope: how many
/// iterations it took.
#define ACC_PERF_SOLVE(which, exec, a, b, x, dot, until)                                            \
  ((which) == kind::cg         ? conjugate_gradients(exec, multiply_by(a), b, x, dot, until).size() \
   : (which) == kind::bicgstab ? bicgstab(exec, multiply_by(a), b, x, dot, until).size()            \
                               : gmres(exec, multiply_by(a), b, x, 30, dot, until).size()) -        \
      1

/// What solves a system on the default execution space without acc, and returns how many iterations
/// it took.
using peer = std::function<std::size_t()>;

/// By loops of parallel_for and parallel_reduce.
peer loop_solver(const system& s, kind which);
#if defined(ACC_HAS_KOKKOS_KERNELS)
/// By KokkosSparse and KokkosBlas.
peer kokkos_solver(const system& s, kind which);
#endif

}  // namespace perf::solvers

#endif
