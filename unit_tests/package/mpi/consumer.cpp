// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles and links; only --run, on a machine where that can be, starts MPI.
#include <acc/mpi.hpp>

#include <string_view>

int main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "--run") return 0;
  MPI_Init(&argc, &argv);
  acc::superaccumulator<double> sum(1.0);
  acc::mpi::all_reduce(MPI_COMM_WORLD, sum);
  MPI_Finalize();
  return sum.value() >= 1 ? 0 : 1;
}
