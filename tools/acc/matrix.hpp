// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of one file as a dense matrix.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "vector.hpp"

namespace acc_tool {

struct Matrix {
  std::string name;
  Values values;
  std::size_t rows, columns;
  bool by_columns = false;  // the order in which the elements lie; else by rows

  std::size_t row_stride() const { return by_columns ? 1 : columns; }
  std::size_t column_stride() const { return by_columns ? rows : 1; }
};

/// Reads a dense matrix: .npy of rank 2, in either order, or a Matrix Market array. Throws Error.
Matrix read_matrix(const std::string& path, std::optional<TextType> type);

/// Writes it as .npy, by rows or by columns as it lies. Throws Error.
void write_matrix(const std::string& path, const Matrix& m);

}  // namespace acc_tool
