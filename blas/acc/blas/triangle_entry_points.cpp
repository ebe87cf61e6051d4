// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "triangle_entry_points.hpp"

ACC_BLAS_TRIANGLES(ACC_BLAS_OWN_NAME, ACC_BLAS_OWN_ROUTINE)
