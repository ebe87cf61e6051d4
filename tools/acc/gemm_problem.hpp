// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix product as the command line gives it: C = alpha op(A) op(B) + beta C.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>

#include "matrix.hpp"

namespace acc_tool {

class GemmProblem {
 public:
  /// The letters are N, T or C. alpha and beta are rounded to the matrices' type. Throws Error
  /// where types or extents do not match, or a real matrix is to be scaled by a complex number.
  GemmProblem(Matrix a, Matrix b, std::optional<Matrix> c, char trans_a, char trans_b,
              std::complex<double> alpha, std::complex<double> beta);

  std::size_t rows() const { return trans_a == 'N' ? a.rows : a.columns; }
  std::size_t depth() const { return trans_a == 'N' ? a.columns : a.rows; }
  std::size_t columns() const { return trans_b == 'N' ? b.columns : b.rows; }

  Matrix a, b;
  std::optional<Matrix> c;  // there if beta is not zero
  char trans_a, trans_b;
  std::complex<double> alpha, beta;
};

}  // namespace acc_tool
