# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/^#include <Kokkos_Core.hpp>/s/.*/#include <acc\/acc.hpp>/
/^class SPMV/,/^};/d
s/^	Kokkos::parallel_for.*/	acc::spmv("N", 1.0, A.localMatrix, x.values, 0.0, y.values);/
