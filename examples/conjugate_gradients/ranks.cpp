// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients with 1, 2, ... MPI ranks, up to all of them. With MPI_Allreduce of the ranks'
// sums the residuals differ, and so may the number of iterations. With acc::mpi::dot every residual
// has the same bits.
#include "solve.hpp"
#include "table.hpp"

#include <acc/mpi.hpp>

using Host = Kokkos::DefaultHostExecutionSpace;  // MPI reads and writes the ghost rows

/// Receives the rows of the grid before and after its own from the neighbors in comm.
struct FillGhosts {
  MPI_Comm comm;
  Stencil a;
  int before, after;

  void operator()(const Vector<Host>& p) const {
    Kokkos::fence();
    double* const first = p.data();
    double* const end = first + a.n * (a.rows + 1);  // of this rank's rows
    MPI_Sendrecv(first + a.n, a.n, MPI_DOUBLE, before, 0, end, a.n, MPI_DOUBLE, after, 0, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(end - a.n, a.n, MPI_DOUBLE, after, 0, first, a.n, MPI_DOUBLE, before, 0, comm,
                 MPI_STATUS_IGNORE);
  }
};

/// The residuals with all ranks of comm. Each has about n / ranks rows of the grid.
template <class Dot>
std::vector<double> solve_by(MPI_Comm comm, const Dot& dot) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  constexpr int n = 60;
  const int first = n * rank / ranks;
  const Stencil a{n, first, n * (rank + 1) / ranks - first};
  const FillGhosts fill_ghosts{comm, a, rank > 0 ? rank - 1 : MPI_PROC_NULL,
                               rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL};
  return solve(Host(), a, fill_ghosts, dot);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Table plain("MPI_Allreduce"), reproducible("acc::mpi::dot");
    for (int ranks = 1; ranks <= size; ++ranks) {
      MPI_Comm comm;  // the first `ranks` ranks; the others skip this run
      MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
      if (comm == MPI_COMM_NULL) continue;
      const std::string by = std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
      plain.add(by, solve_by(comm, [&](const auto&... arguments) {
                  double sum = PlainDot{}(arguments...);
                  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
                  return sum;
                }));
      reproducible.add(by, solve_by(comm, [&](const auto&... arguments) {
                         return acc::mpi::dot(comm, arguments..., acc::reproducible<3>{});
                       }));
      MPI_Comm_free(&comm);
    }
    wrong = !reproducible.same_everywhere();
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
      if (size == 1)
        std::puts("With one rank there is nothing to compare. Start more: mpiexec -n 4.");
      std::puts("Conjugate gradients, 3600 unknowns, until |r| <= 1e-4 |b|");
      plain.print();
      reproducible.print();
      std::puts(
          wrong ? "\nUnexpected: acc::mpi::dot must give the same bits for any number of ranks."
                : "\nWith acc::mpi::dot every residual has the same bits for any number of ranks.");
    }
  }
  MPI_Finalize();
  return wrong;
}
