// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients, BiCGStab and restarted GMRES for sparse matrices whose rows are distributed
// over MPI ranks: with 1, 2, ... ranks, up to all of them, with 1 and 2 threads each. With
// MPI_Allreduce of the ranks' sums the residuals differ. With acc::mpi::dot every residual has the
// same bits. Where Kokkos has a device, the ranks solve on it, too. Several ranks may share
// one.
//   sparse_ranks                    solves with two matrices of grids
//   sparse_ranks FILE.mtx           BiCGStab and GMRES, and conjugate gradients if it is symmetric
//   sparse_ranks [--host] [--plain] --record-bits=FILE [FILE.mtx]   solves once, with all ranks,
//                                   on Kokkos's default device or the host, and writes the bits of
//                                   all residuals for acc-bits; --plain: with MPI_Allreduce
#include "distributed.hpp"
#include "grid.hpp"
#include "recording.hpp"
#include "solvers.hpp"
#include "table.hpp"

#include <acc/axpby.hpp>
#include <acc/mpi.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

using Host = Kokkos::DefaultHostExecutionSpace;
using Device = Kokkos::DefaultExecutionSpace;

/// acc's dot products over ranks: of two vectors, and of a vector with each column of a matrix.
struct AccMpiDot {
  MPI_Comm comm;
  template <class Exec, class X, class Y>
  double operator()(const Exec& exec, const X& x, const Y& y) const {
    return acc::mpi::dot(comm, exec, x, y, acc::reproducible<3>{});
  }
  template <class Exec, class R, class X, class Y>
  void operator()(const Exec& exec, const R& r, const X& x, const Y& y) const {
    acc::mpi::dot(comm, exec, r, x, y, acc::reproducible<3>{});
    exec.fence();  // the host reads r
  }
};

/// What most applications write.
struct PlainMpiDot {
  MPI_Comm comm;
  template <class Exec, class X, class Y>
  double operator()(const Exec& exec, const X& x, const Y& y) const {
    double sum = PlainDot{}(exec, x, y);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum;
  }
  template <class Exec, class R, class X, class Y>
  void operator()(const Exec& exec, const R& r, const X& x, const Y& y) const {
    PlainDot{}(exec, r, x, y);
    const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), r);
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), sums.extent_int(0), MPI_DOUBLE, MPI_SUM, comm);
    Kokkos::deep_copy(r, sums);
  }
};

enum class Solver { cg, bicgstab, gmres };

struct System {
  std::string title;
  Solver solver;
  const Entries* a;
};

/// A x = (1, ..., 1) by all ranks of the dot product's communicator. Checks that x solves it.
template <class Exec, class Dot>
std::vector<double> solve(const Exec& exec, const System& system, const Dot& dot) {
  const DistributedMatrix<Exec> a(dot.comm, *system.a);
  const int n = a.rows();
  const Vector<Exec> b("b", n), x("x", n), ax("A x", n);
  Kokkos::deep_copy(exec, b, 1.0);
  std::vector<double> history =
      system.solver == Solver::cg         ? conjugate_gradients(exec, a, b, x, dot, Until{})
      : system.solver == Solver::bicgstab ? bicgstab(exec, a, b, x, dot, Until{})
                                          : gmres(exec, a, b, x, 30, dot, Until{});
  a(exec, x, ax);
  acc::axpy(exec, -1.0, b, ax);
  if (!(std::sqrt(dot(exec, ax, ax)) <= 2 * history.back() + 1e-11 * history.front()))
    throw std::runtime_error("|b - A x| is far from the solver's |r|");
  return history;
}

/// Prints one solver with both kinds of dot product. True on every rank if acc's residuals have the
/// same bits everywhere.
bool compare(const System& system) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Table plain(system.title + ", MPI_Allreduce"), ours(system.title + ", acc::mpi::dot");
  for (int ranks = 1; ranks <= size; ++ranks) {
    MPI_Comm comm;  // the first `ranks` ranks; the others skip this run
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL) continue;
    const std::string by = std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
    const auto add = [&](const std::string& text, const auto& exec) {
      plain.add(text, solve(exec, system, PlainMpiDot{comm}));
      ours.add(text, solve(exec, system, AccMpiDot{comm}));
    };
#ifdef KOKKOS_ENABLE_OPENMP
    add(by + ", 1 thread", Kokkos::OpenMP(1));
    add(by + ", 2 threads", Kokkos::OpenMP(2));
#else
    add(by, Host());
#endif
    if constexpr (!std::is_same_v<Host, Device>) add(by + ", " + Device::name(), Device());
    MPI_Comm_free(&comm);
  }
  int wrong = !ours.same_everywhere();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    plain.print();
    ours.print();
  }
  return wrong == 0;
}

/// Solves each system once with all ranks, on exec, and writes all residuals.
template <class Exec>
void record(const Exec& exec, const std::string& file, const std::vector<System>& systems,
            bool plain) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::optional<Recording> recording;
  if (rank == 0)
    recording.emplace(file, exec, exec.name() + (", " + std::to_string(size)) + " MPI ranks");
  for (const System& system : systems) {
    const std::vector<double> history = plain ? solve(exec, system, PlainMpiDot{MPI_COMM_WORLD})
                                              : solve(exec, system, AccMpiDot{MPI_COMM_WORLD});
    if (recording) recording->add(system.title, history);
  }
}

int run(int argc, char** argv) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string file = recording_in(arguments);
  const bool plain = take(arguments, "--plain"), on_host = take(arguments, "--host");
  if ((plain || on_host) && file.empty())
    throw std::runtime_error("--plain and --host need --record-bits=FILE");
  if (arguments.size() > 1) throw std::runtime_error("one matrix, not '" + arguments[1] + "', too");

  const bool own = arguments.empty();
  const Entries a = own ? grid(40, 0) : read_matrix_market(arguments[0]);
  const Entries other = own ? grid(40, 0.75) : a;  // is not symmetric
  if (a.rows != a.columns || a.rows < size)
    throw std::runtime_error("the matrix must be square, with as many rows as ranks at least");
  std::vector<System> systems;
  if (own || is_symmetric(a)) systems.push_back({"Conjugate gradients", Solver::cg, &a});
  systems.push_back({"BiCGStab", Solver::bicgstab, &other});
  systems.push_back({"GMRES(30)", Solver::gmres, &other});

  if (!file.empty()) {
    if (on_host)
      record(Host(), file, systems, plain);
    else
      record(Device(), file, systems, plain);
    return 0;
  }

  if (rank == 0) {
    if (size == 1) std::puts("With one rank only threads are compared. Start more: mpiexec -n 4.");
    std::printf("%d unknowns, %zu entries, until |r| <= 1e-8 |b|\n", a.rows, a.list.size());
  }
  bool same = true;
  for (const System& system : systems) same &= compare(system);
  if (rank == 0)
    std::puts(
        same ? "\nWith acc::mpi::dot every residual has the same bits in all runs."
             : "\nUnexpected: acc::mpi::dot must give the same bits for any ranks and threads.");
  return same ? 0 : 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    try {
      status = run(argc, argv);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      MPI_Abort(MPI_COMM_WORLD, 2);  // other ranks may wait for this one
    }
  }
  MPI_Finalize();
  return status;
}
