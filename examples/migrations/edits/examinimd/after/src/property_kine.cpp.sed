# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
48c\
  acc::superaccumulator<double> KE;
49s/, KE)/, acc::ExactSum<double>(KE))/
59c\
  acc::mpi::all_reduce(MPI_COMM_WORLD, KE);
60s/KE/KE.value()/
