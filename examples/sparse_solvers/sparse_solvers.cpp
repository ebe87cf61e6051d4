// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients, BiCGStab and restarted GMRES for sparse matrices from Matrix Market files,
// with 1, 2, 3 and 8 threads, and on the device if Kokkos has one. With dot products by
// Kokkos::parallel_reduce the residuals differ. With acc's every residual has the same bits.
//   sparse_solvers                  solves with two matrices, which it writes into files first
//   sparse_solvers FILE.mtx         BiCGStab and GMRES, and conjugate gradients if it is symmetric
//   sparse_solvers [--host] --record-bits=FILE ...   solves once, on Kokkos's default device or the
//                                   host, with acc's dot products, and writes the bits of all
//                                   residuals for acc-bits
#include "grid.hpp"
#include "matrix_market.hpp"
#include "recording.hpp"
#include "solvers.hpp"
#include "table.hpp"

#include <acc/nrm2.hpp>
#include <acc/spmv.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

enum class Solver { cg, bicgstab, gmres };

/// One solver on one execution space. Checks that x solves the system.
template <class Exec, class Dot>
std::vector<double> solve(const Exec& exec, Solver solver, const Entries& entries, const Dot& dot) {
  const auto a = to_crs<Exec>(entries);
  const Vector<Exec> b("b", entries.rows), x("x", entries.rows);
  Kokkos::deep_copy(exec, b, 1.0);
  std::vector<double> history =
      solver == Solver::cg         ? conjugate_gradients(exec, multiply_by(a), b, x, dot, Until{})
      : solver == Solver::bicgstab ? bicgstab(exec, multiply_by(a), b, x, dot, Until{})
                                   : gmres(exec, multiply_by(a), b, x, 30, dot, Until{});
  // The solvers update |r| and do not compute b - A x, from which it drifts away by rounding.
  acc::spmv(exec, "N", -1.0, a, x, 1.0, b);
  if (!(acc::nrm2(exec, b) <= 2 * history.back() + 1e-11 * history.front()))
    throw std::runtime_error("|b - A x| is far from the solver's |r|");
  return history;
}

/// One solver with one kind of dot product, everywhere.
template <class Dot>
Table table_of(const std::string& title, Solver solver, const Entries& a) {
  Table table(title);
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Device = Kokkos::DefaultExecutionSpace;
#ifdef KOKKOS_ENABLE_OPENMP
  for (const int threads : {1, 2, 3, 8})
    table.add(std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
              solve(Kokkos::OpenMP(threads), solver, a, Dot{}));
#else
  table.add(Host::name(), solve(Host(), solver, a, Dot{}));
#endif
  if constexpr (!std::is_same_v<Host, Device>)
    table.add(Device::name(), solve(Device(), solver, a, Dot{}));
  return table;
}

/// Prints one solver with both kinds of dot product. True if acc's has the same bits everywhere.
bool compare(const std::string& name, Solver solver, const Entries& a) {
  table_of<PlainDot>(name + ", parallel_reduce", solver, a).print();
  const Table table = table_of<AccDot>(name + ", acc::dot", solver, a);
  table.print();
  return table.same_everywhere();
}

/// Solves with the matrices of all files, and with those of its own by fewer solvers. By
/// `recording` once, on exec. True if acc's residuals have the same bits everywhere.
template <class Exec>
bool run(const Exec& exec, const std::vector<std::string>& files, bool own, Recording* recording) {
  bool same = true;
  for (const std::string& file : files) {
    const Entries a = read_matrix_market(file);
    if (a.rows != a.columns || a.rows == 0)
      throw std::runtime_error(file + ": the matrix must be square and not empty");
    std::vector<std::pair<const char*, Solver>> solvers;
    const bool symmetric = is_symmetric(a);
    if (symmetric) solvers.emplace_back("Conjugate gradients", Solver::cg);
    if (!symmetric || !own) {
      solvers.emplace_back("BiCGStab", Solver::bicgstab);
      solvers.emplace_back("GMRES(30)", Solver::gmres);
    }
    std::printf("\n%s: %d unknowns, %zu entries, until |r| <= 1e-8 |b|\n", file.c_str(), a.rows,
                a.list.size());
    for (const auto& [name, solver] : solvers) {
      if (recording)
        recording->add(file + ", " + name, solve(exec, solver, a, AccDot{}));
      else
        same &= compare(name, solver, a);
    }
  }
  return same;
}
template <class Exec>
void record(const Exec& exec, const std::string& name, const std::vector<std::string>& files,
            bool own) {
  Recording recording(name, exec, exec.name());
  run(exec, files, own, &recording);
}

int main(int argc, char** argv) try {
  Kokkos::ScopeGuard kokkos(argc, argv);
  std::vector<std::string> files(argv + 1, argv + argc);
  const std::string recording = recording_in(files);
  const bool on_host = take(files, "--host");
  if (on_host && recording.empty()) throw std::runtime_error("--host needs --record-bits=FILE");
  const bool own = files.empty();
  if (own) {
    files = {"diffusion.mtx", "wind.mtx"};
    write_matrix_market(files[0], grid(40, 0), true);
    write_matrix_market(files[1], grid(40, 0.75), false);
  }
  const Kokkos::DefaultExecutionSpace exec;
  if (!recording.empty()) {
    if (on_host)
      record(Kokkos::DefaultHostExecutionSpace(), recording, files, own);
    else
      record(exec, recording, files, own);
    return 0;
  }
  const bool same = run(exec, files, own, nullptr);
  std::puts(same ? "\nWith acc::dot every residual has the same bits in all runs."
                 : "\nUnexpected: acc::dot must give the same bits everywhere.");
  return same ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
