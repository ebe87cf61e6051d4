// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replacing MPI_Allreduce: `before` and `after` are the same global sum. The second has the same
// bits for any number of ranks and threads.
#include <acc/mpi.hpp>
#include <acc/reducers.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <cstdio>
#include <cstring>

using Field = Kokkos::View<double*>;

double before(MPI_Comm comm, const Field& field) {
  double sum = 0;
  Kokkos::parallel_reduce(field.extent(0), KOKKOS_LAMBDA(int i, double& s) { s += field(i); }, sum);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  return sum;
}

double after(MPI_Comm comm, const Field& field) {
  acc::superaccumulator<double> sum;
  Kokkos::parallel_reduce(
      field.extent(0), KOKKOS_LAMBDA(int i, acc::superaccumulator<double>& s) { s += field(i); },
      acc::ExactSum<double>(sum));
  acc::mpi::all_reduce(comm, sum);
  return sum.value();
}

/// Elements 1/1, 1/2, 1/3, ... 1/100000, of which each rank of comm has a block.
Field make_field(MPI_Comm comm) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const long n = 100000, first = n * rank / ranks;
  const Field field("field", n * (rank + 1) / ranks - first);
  Kokkos::parallel_for(
      field.extent(0), KOKKOS_LAMBDA(int i) { field(i) = 1.0 / double(first + i + 1); });
  return field;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) std::printf("ranks  %-24s%s\n", "MPI_Allreduce", "acc::mpi::all_reduce");
    double first = 0;
    for (int ranks = 1; ranks <= size; ++ranks) {
      MPI_Comm comm;  // the first `ranks` ranks; the others skip this run
      MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
      if (comm == MPI_COMM_NULL) continue;
      const Field field = make_field(comm);
      const double plain = before(comm, field), exact = after(comm, field);
      if (rank == 0) std::printf("%5d  %-24a%a\n", ranks, plain, exact);
      if (ranks == 1) first = exact;
      if (rank == 0) wrong |= std::memcmp(&exact, &first, sizeof exact) != 0;
      MPI_Comm_free(&comm);
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
      std::puts(wrong ? "Unexpected: acc::mpi::all_reduce must give the same bits for any ranks."
                      : "With acc::mpi::all_reduce the sum has the same bits for any ranks.");
  }
  MPI_Finalize();
  return wrong;
}
