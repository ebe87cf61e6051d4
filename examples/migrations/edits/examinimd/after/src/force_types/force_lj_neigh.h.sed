# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
63a\
#include <acc/mpi.hpp>\
#include <acc/reducers.hpp>\
#include <acc/core/fixed_point_sum.hpp>
# With CUDA, Kokkos takes the size of accumulators in shared memory from the functor's value_type.
94s/T_V_FLOAT/acc::superaccumulator<double>/
135s/T_V_FLOAT/acc::superaccumulator<double>/
139s/T_V_FLOAT/acc::superaccumulator<double>/
