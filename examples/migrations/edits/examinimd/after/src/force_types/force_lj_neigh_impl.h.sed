# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
140c\
  acc::superaccumulator<double> energy;
143,150s/, energy)/, acc::ExactSum<double>(energy))/
155c\
  acc::mpi::all_reduce(MPI_COMM_WORLD, energy);\
  return energy.value();
174,176c\
  acc::fixed_point_sum<double> fxi({-39, 12}), fyi = fxi, fzi = fxi;
202,204s/;/.value();/
259s/T_V_FLOAT/acc::superaccumulator<double>/
301s/T_V_FLOAT/acc::superaccumulator<double>/
