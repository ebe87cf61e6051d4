# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/^#include "ComputeDotProduct_ref.hpp"/a\
#include <acc/mpi.hpp>
/double local_result = 0.0;/,/^  return 0;/c\
  using vector = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;\
  result = acc::mpi::dot(MPI_COMM_WORLD, vector(x.values, n), vector(y.values, n), acc::reproducible<3>{});\
  return 0;
