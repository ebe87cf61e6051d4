// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "matrix.hpp"
#include "vector.hpp"

namespace acc_tool {

inline constexpr std::string_view matrix_market_banner = "%%MatrixMarket";

/// The entries of a matrix in Matrix Market exchange format (Boisvert, Pozo and Remington,
/// NISTIR 5935, 1996), in the order of the file. A file that stores one triangle only (symmetric,
/// skew-symmetric, hermitian) stands for the whole matrix: each entry off the diagonal is followed
/// by its mirror image. A `pattern` entry is 1; `integer` is read as a floating-point number.
/// Throws Error with line and column.
Values parse_matrix_market(std::string_view text, std::string_view name, TextType type);

/// The whole matrix of an array file, by columns. Throws Error also for a coordinate file.
Matrix parse_matrix_market_array(std::string_view text, std::string_view name, TextType type);

}  // namespace acc_tool
