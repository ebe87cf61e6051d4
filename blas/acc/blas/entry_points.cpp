// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "entry_points.hpp"

ACC_BLAS_ENTRY_POINTS(sngemm, "SNGEMM", float, non_negative_product)
ACC_BLAS_ENTRY_POINTS(dngemm, "DNGEMM", double, non_negative_product)
ACC_BLAS_ENTRY_POINTS(sagemm, "SAGEMM", float, accurate_product)
ACC_BLAS_ENTRY_POINTS(dagemm, "DAGEMM", double, accurate_product)
ACC_BLAS_ENTRY_POINTS(sxgemm, "SXGEMM", float, exact_product)
ACC_BLAS_ENTRY_POINTS(dxgemm, "DXGEMM", double, exact_product)
