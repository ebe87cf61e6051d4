// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients for a sparse matrix whose rows are distributed over MPI ranks: with 1, 2, ...
// ranks, up to all of them, with 1 and 2 threads each. With MPI_Allreduce of the ranks' sums the
// residuals differ. With acc::mpi::dot every residual has the same bits.
//   sparse_ranks [FILE.mtx]         a symmetric matrix; without, a grid's
//   sparse_ranks [--plain] --record-bits=FILE [FILE.mtx]   solves once, with all ranks, and writes
//   the
//                                   bits of all residuals for acc-bits; --plain: with MPI_Allreduce
#include "distributed.hpp"
#include "grid.hpp"
#include "recording.hpp"
#include "solvers.hpp"
#include "table.hpp"

#include <acc/axpby.hpp>
#include <acc/mpi.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using Host = Kokkos::DefaultHostExecutionSpace;  // MPI reads and writes its memory

/// acc's dot products over ranks.
struct AccMpiDot {
  MPI_Comm comm;
  template <class X, class Y>
  double operator()(const Host& exec, const X& x, const Y& y) const {
    return acc::mpi::dot(comm, exec, x, y, acc::reproducible<3>{});
  }
};

/// What most applications write.
struct PlainMpiDot {
  MPI_Comm comm;
  template <class X, class Y>
  double operator()(const Host& exec, const X& x, const Y& y) const {
    double sum = PlainDot{}(exec, x, y);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum;
  }
};

/// A x = (1, ..., 1) by all ranks of the dot product's communicator. Checks that x solves it.
template <class Dot>
std::vector<double> solve(const Host& exec, const Entries& entries, const Dot& dot) {
  const DistributedMatrix<Host> a(dot.comm, entries);
  const int n = a.rows();
  const Vector<Host> b("b", n), x("x", n), ax("A x", n);
  Kokkos::deep_copy(exec, b, 1.0);
  std::vector<double> history = conjugate_gradients(exec, a, b, x, dot, Until{});
  a(exec, x, ax);
  acc::axpy(exec, -1.0, b, ax);
  if (!(std::sqrt(dot(exec, ax, ax)) <= 2 * history.back() + 1e-11 * history.front()))
    throw std::runtime_error("|b - A x| is far from the solver's |r|");
  return history;
}

int run(int argc, char** argv) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string record = recording_in(arguments);
  const auto plain_at = std::find(arguments.begin(), arguments.end(), "--plain");
  const bool plain_alone = plain_at != arguments.end();
  if (plain_alone) arguments.erase(plain_at);
  if (plain_alone && record.empty()) throw std::runtime_error("--plain needs --record-bits=FILE");
  if (arguments.size() > 1) throw std::runtime_error("one matrix, not '" + arguments[1] + "', too");
  const Entries a = arguments.empty() ? grid(40, 0) : read_matrix_market(arguments[0]);
  if (a.rows != a.columns || a.rows < size)
    throw std::runtime_error("the matrix must be square, with as many rows as ranks at least");

  if (!record.empty()) {
    const Host exec;
    const std::vector<double> history = plain_alone ? solve(exec, a, PlainMpiDot{MPI_COMM_WORLD})
                                                    : solve(exec, a, AccMpiDot{MPI_COMM_WORLD});
    if (rank == 0)
      Recording(record, exec, "host, " + std::to_string(size) + " MPI ranks")
          .add("Conjugate gradients", history);
    return 0;
  }

  Table plain("Conjugate gradients, MPI_Allreduce"), ours("Conjugate gradients, acc::mpi::dot");
  for (int ranks = 1; ranks <= size; ++ranks) {
    MPI_Comm comm;  // the first `ranks` ranks; the others skip this run
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL) continue;
    const std::string by = std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
    const auto add = [&](const std::string& text, const Host& exec) {
      plain.add(text, solve(exec, a, PlainMpiDot{comm}));
      ours.add(text, solve(exec, a, AccMpiDot{comm}));
    };
#ifdef KOKKOS_ENABLE_OPENMP
    add(by + ", 1 thread", Kokkos::OpenMP(1));
    add(by + ", 2 threads", Kokkos::OpenMP(2));
#else
    add(by, Host());
#endif
    MPI_Comm_free(&comm);
  }
  int wrong = !ours.same_everywhere();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    if (size == 1) std::puts("With one rank only threads are compared. Start more: mpiexec -n 4.");
    std::printf("%d unknowns, %zu entries, until |r| <= 1e-8 |b|\n", a.rows, a.list.size());
    plain.print();
    ours.print();
    std::puts(wrong
                  ? "\nUnexpected: acc::mpi::dot must give the same bits for any ranks and threads."
                  : "\nWith acc::mpi::dot every residual has the same bits in all runs.");
  }
  return wrong;
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
