// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "matrix.hpp"
#include "npy.hpp"
#include "temporary_file.hpp"

namespace {

using acc_tool::Error;
using acc_tool::Matrix;
using acc_tool::read_matrix;

/// What read_matrix says of the file, after its name.
std::string complaint(const TemporaryFile& file,
                      std::optional<acc_tool::TextType> type = std::nullopt) {
  const std::string text = message_of<Error>([&] { read_matrix(file.path(), type); });
  EXPECT_TRUE(text.starts_with(file.path())) << text;
  return text.substr(std::min(text.size(), file.path().size()));
}

TEST(Matrix, WhatIsWrittenIsRead) {
  const TemporaryFile file("m.npy", "");
  for (const bool by_columns : {false, true}) {
    acc_tool::write_matrix(file.path(),
                           {"", std::vector<double>{1, 2, 3, 4, 5, 6}, 3, 2, by_columns});
    const Matrix m = read_matrix(file.path(), std::nullopt);
    EXPECT_EQ(m.rows, 3u);
    EXPECT_EQ(m.columns, 2u);
    EXPECT_EQ(m.by_columns, by_columns);
    EXPECT_EQ(m.name, file.path());
    EXPECT_EQ(std::get<std::vector<double>>(m.values)[m.row_stride() + m.column_stride()],
              by_columns ? 5 : 4);
  }
  acc_tool::write_matrix(file.path(), {"", std::vector<float>{}, 0, 7});
  EXPECT_EQ(read_matrix(file.path(), std::nullopt).columns, 7u);
}

TEST(Matrix, MatrixMarketKnowsItsType) {
  const TemporaryFile file("m.mtx", "%%MatrixMarket matrix array real general\n1 2\n3\n4\n");
  EXPECT_EQ(std::get<std::vector<double>>(read_matrix(file.path(), std::nullopt).values),
            (std::vector<double>{3, 4}));
  EXPECT_EQ(std::get<std::vector<float>>(read_matrix(file.path(), acc_tool::TextType::f32).values),
            (std::vector<float>{3, 4}));
}

TEST(Matrix, WhatIsNone) {
  const TemporaryFile vector("v.npy", ""), text("v.txt", "1 2\n3 4\n");
  acc_tool::write_npy(vector.path(), std::vector<double>(3));
  EXPECT_EQ(complaint(vector), ": an array of rank 1, where a matrix has rank 2");
  EXPECT_EQ(complaint(vector, acc_tool::TextType::f64),
            ": --type is for text, an .npy file has its own type");
  acc_tool::write_npy(vector.path(), std::vector<double>(6), {1, 2, 3});
  EXPECT_EQ(complaint(vector), ": an array of rank 3, where a matrix has rank 2");
  EXPECT_EQ(complaint(text),
            ": plain text has no rows; a matrix is read from .npy or Matrix Market");
}

}  // namespace
