// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole solvers (examples/sparse_solvers) with acc's functions beside the same ones with plain
// loops by Kokkos, with Kokkos Kernels', and with acc's except for dot products, which are by
// Kokkos::parallel_reduce. A row has the iterations of each, and ratios of the times that whole
// solutions take.

#include "products.hpp"
#include "solvers.hpp"

#include "../examples/sparse_solvers/grid.hpp"
#include "../examples/sparse_solvers/solvers.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace {

using namespace perf;
using solvers::kind;

void measure_solver(benchmark::State& state, const solvers::system& s, kind which) {
  const auto a = to_crs<Exec>(s.a);
  const Vector<Exec> b("b", s.a.rows), x("x", s.a.rows);
  Kokkos::deep_copy(b, 1.0);
  const Until until{s.tolerance, s.iterations};
  std::size_t ours = 0, plain = 0, by_loops = 0;
  std::vector<rival> rivals{{"ratio of parallel_reduce", [&] {
                               plain = ACC_PERF_SOLVE(which, Exec(), a, b, x, PlainDot(), until);
                             }}};
  rivals.push_back({"ratio of loops",
                    [&by_loops, peer = solvers::loop_solver(s, which)] { by_loops = peer(); }});
#if defined(ACC_HAS_KOKKOS_KERNELS)
  std::size_t theirs = 0;
  rivals.push_back({"ratio of KokkosBlas",
                    [&theirs, peer = solvers::kokkos_solver(s, which)] { theirs = peer(); }});
#endif
  measure_product(
      state, double(s.a.list.size()),
      [&] { ours = ACC_PERF_SOLVE(which, Exec(), a, b, x, AccDot(), until); }, rivals);
  state.counters.erase("GFLOP/s");  // of how many iterations it did not know
  state.counters["iterations"] = double(ours);
  state.counters["iterations, parallel_reduce"] = double(plain);
  state.counters["iterations, loops"] = double(by_loops);
#if defined(ACC_HAS_KOKKOS_KERNELS)
  state.counters["iterations, KokkosBlas"] = double(theirs);
#endif
}

const bool registered = [] {
  const auto add = [](int n, std::size_t iterations) {
    const auto by = [=](const std::string& name, kind which, double wind) {
      add_product(name + "/" + std::to_string(n) + "^2", [=](benchmark::State& state) {
        measure_solver(state, {grid(n, wind), 1e-8, iterations}, which);
      });
    };
    by("solve/conjugate gradients", kind::cg, 0);
    by("solve/BiCGStab", kind::bicgstab, 0.75);
    by("solve/GMRES(30)", kind::gmres, 0.75);
  };
  add(40, 3000);
  add(1000, 60);  // out of the caches: the first iterations
  return true;
}();

}  // namespace
