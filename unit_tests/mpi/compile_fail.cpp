// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/mpi.hpp>

#if !defined(TYPE)
#define TYPE double
#endif

void f(Kokkos::View<TYPE*> x) {
#if defined(SUM)
  (void)acc::mpi::sum(MPI_COMM_WORLD, x, acc::METHOD{});
#else
  (void)acc::mpi::dot(MPI_COMM_WORLD, x, x, acc::METHOD{});
#endif
}
