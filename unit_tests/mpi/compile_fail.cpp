// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/mpi.hpp>

void f(Kokkos::View<double*> x) {
#if defined(SUM)
  (void)acc::mpi::sum(MPI_COMM_WORLD, x, acc::METHOD{});
#else
  (void)acc::mpi::dot(MPI_COMM_WORLD, x, x, acc::METHOD{});
#endif
}
