// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm_problem.hpp"

#include <utility>

#include <fmt/format.h>

namespace acc_tool {
namespace {

void check_type(const Matrix& a, const Matrix& other) {
  if (type_name(a.values) == type_name(other.values)) return;
  throw Error(fmt::format("gemm: {} is {} but {} is {}", a.name, type_name(a.values), other.name,
                          type_name(other.values)));
}

/// For example "op(A) is 3 x 4 (a.npy, transposed)".
std::string operand(char letter, const Matrix& m, char trans, std::size_t rows,
                    std::size_t columns) {
  return fmt::format("op({}) is {} x {} ({}{})", letter, rows, columns, m.name,
                     trans == 'N' ? "" : ", transposed");
}

}  // namespace

GemmProblem::GemmProblem(Matrix a_matrix, Matrix b_matrix, std::optional<Matrix> c_matrix,
                         char trans_of_a, char trans_of_b, std::complex<double> alpha_value,
                         std::complex<double> beta_value)
    : a(std::move(a_matrix)),
      b(std::move(b_matrix)),
      c(std::move(c_matrix)),
      trans_a(trans_of_a),
      trans_b(trans_of_b),
      alpha(alpha_value),
      beta(beta_value) {
  check_type(a, b);
  if (c) check_type(a, *c);
  const std::size_t rows_of_b = trans_b == 'N' ? b.rows : b.columns;
  if (depth() != rows_of_b) {
    throw Error(fmt::format(
        "gemm: {} but {}: the columns of the first are not the rows of the second",
        operand('A', a, trans_a, rows(), depth()), operand('B', b, trans_b, rows_of_b, columns())));
  }
  if (c && (c->rows != rows() || c->columns != columns())) {
    throw Error(fmt::format("gemm: C is {} x {} ({}) but op(A) op(B) is {} x {}", c->rows,
                            c->columns, c->name, rows(), columns()));
  }
  std::visit(
      [&]<class T>(const std::vector<T>&) {
        if (!is_complex<T> && (alpha.imag() != 0 || beta.imag() != 0)) {
          throw Error(fmt::format("gemm: {} is {}, which takes no complex alpha or beta", a.name,
                                  type_name<T>()));
        }
        if (sizeof(T) / (is_complex<T> ? 2 : 1) == sizeof(float)) {
          alpha = std::complex<double>(std::complex<float>(alpha));
          beta = std::complex<double>(std::complex<float>(beta));
        }
      },
      a.values);
}

}  // namespace acc_tool
