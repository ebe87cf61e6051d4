# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/void operator() (const T_INT& i, T_V_FLOAT& KE)/s/T_V_FLOAT/acc::superaccumulator<double>/
/#include <types.h>/i\
#include <acc/mpi.hpp>\
#include <acc/reducers.hpp>
