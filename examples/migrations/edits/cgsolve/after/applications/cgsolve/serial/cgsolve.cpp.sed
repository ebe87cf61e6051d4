# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
23a\
#include <acc/acc.hpp>
29,62c\
  acc::spmv("N", 1.0, acc::crs_matrix{A.num_rows(), int64_t(x.extent(0)), A.row_ptr, A.col_idx, A.values}, x, 0.0, y);
67,72c\
  return acc::dot(y, x);
77,80c\
  acc::update(alpha, x, beta, y, 0.0, z);
