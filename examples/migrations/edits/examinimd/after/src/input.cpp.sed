# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
733,736c\
    acc::superaccumulator<double> total_mass, total_momentum_x, total_momentum_y, total_momentum_z;
760,763s/.*(&\(.*\),1);/    acc::mpi::all_reduce(MPI_COMM_WORLD, \1);/
765,767s/\(total_[a-z_]*\) \/ total_mass/\1.value() \/ total_mass.value()/
