# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
48c\
  acc::superaccumulator<double> T;
49s/, T)/, acc::ExactSum<double>(T))/
60c\
  acc::mpi::all_reduce(MPI_COMM_WORLD, T);
61s/T \*/T.value() */
