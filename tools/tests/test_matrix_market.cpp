// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "matrix_market.hpp"
#include "temporary_file.hpp"

namespace {

using acc_tool::Error;
using acc_tool::TextType;
using Complex = std::complex<double>;

template <class T = double>
std::vector<T> parse(std::string_view kind, std::string_view body, TextType type = TextType::f64) {
  const std::string text = "%%MatrixMarket matrix " + std::string(kind) + "\n" + std::string(body);
  return std::get<std::vector<T>>(acc_tool::parse_matrix_market(text, "m.mtx", type));
}
std::string complaint(std::string_view kind, std::string_view body) {
  return message_of<Error>([&] { parse(kind, body); });
}

TEST(MatrixMarket, Array) {
  EXPECT_EQ(parse("array real general", "% comment\n2 3\n1\n2\n3\n4\n5\n6\n"),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(parse<float>("array integer general", "1 2\n7\n-8", TextType::f32),
            (std::vector<float>{7, -8}));
  EXPECT_TRUE(parse("array real general", "0 5\n").empty());
}

TEST(MatrixMarket, Coordinate) {
  EXPECT_EQ(parse("coordinate real general", "3 4 2\n1 4 1.5\n3 1 0x1p-1\n"),
            (std::vector<double>{1.5, 0.5}));
  EXPECT_EQ(parse("coordinate pattern general", "3 4 2\n1 4\n3 1\n"), (std::vector<double>{1, 1}));
  EXPECT_EQ(parse<Complex>("coordinate complex general", "1 1 1\n1 1 2 -3\n"),
            (std::vector<Complex>{{2, -3}}));
}

TEST(MatrixMarket, TheBannerIgnoresCase) {
  EXPECT_EQ(std::get<std::vector<double>>(acc_tool::parse_matrix_market(
                "%%MatrixMarket MATRIX Array REAL General\r\n1 1\r\n5\r\n", "m", TextType::f64)),
            std::vector<double>{5});
}

// A file that stores one triangle stands for the whole matrix.
TEST(MatrixMarket, TrianglesAreExpanded) {
  EXPECT_EQ(parse("coordinate real symmetric", "2 2 2\n1 1 5\n2 1 7\n"),
            (std::vector<double>{5, 7, 7}));
  EXPECT_EQ(parse("coordinate real skew-symmetric", "2 2 1\n2 1 7\n"),
            (std::vector<double>{7, -7}));
  EXPECT_EQ(parse<Complex>("coordinate complex hermitian", "2 2 1\n2 1 7 1\n"),
            (std::vector<Complex>{{7, 1}, {7, -1}}));
  EXPECT_EQ(parse("array real symmetric", "2 2\n1\n2\n3\n"), (std::vector<double>{1, 2, 2, 3}));
  EXPECT_EQ(parse("array real skew-symmetric", "3 3\n1\n2\n3\n"),
            (std::vector<double>{1, -1, 2, -2, 3, -3}));
}

TEST(MatrixMarket, TooFewOrTooManyEntries) {
  EXPECT_EQ(complaint("coordinate real general", "3 3 2\n1 1 5\n"),
            "m.mtx: the file ends where entry 2 of 2 should be");
  EXPECT_EQ(complaint("array real general", "2 2\n1\n2\n3\n"),
            "m.mtx: the file ends where the value of row 2, column 2 should be");
  EXPECT_EQ(complaint("array real general", "1 1\n1\n2\n"),
            "m.mtx:4:1: more entries than the size line says");
  EXPECT_EQ(complaint("array real general", ""),
            "m.mtx: the file ends where the size line should be");
  EXPECT_EQ(complaint("coordinate real general", "3 3\n1 1 5\n"),
            "m.mtx:2: too few numbers on this line");
  EXPECT_EQ(complaint("coordinate real general", "3 3 2\n1 1\n2 2 5\n"),
            "m.mtx:3: too few numbers on this line");
  EXPECT_EQ(complaint("coordinate real general", "3 3 1\n1 1 5 6\n"),
            "m.mtx:3:7: too many numbers on this line");
}

TEST(MatrixMarket, IndexesOutOfRange) {
  EXPECT_EQ(complaint("coordinate real general", "3 4 1\n4 1 5\n"),
            "m.mtx:3:1: expected an index from 1 to 3");
  EXPECT_EQ(complaint("coordinate real general", "3 4 1\n1 0 5\n"),
            "m.mtx:3:3: expected an index from 1 to 4");
  EXPECT_FALSE(complaint("coordinate real general", "3 4 1\n-1 1 5\n").empty());
  EXPECT_FALSE(complaint("coordinate real general", "3 4 1\n1.5 1 5\n").empty());
  EXPECT_FALSE(complaint("array real general", "99999999999999999999 1\n5\n").empty());
}

TEST(MatrixMarket, BannersItCannotRead) {
  for (const char* kind :
       {"", "array", "array real", "dense real general", "array rational general",
        "array pattern general", "array real hermitian", "array real diagonal"}) {
    EXPECT_NE(complaint(kind, "1 1\n5\n").find("m.mtx:1: Matrix Market header"), std::string::npos)
        << kind;
  }
  EXPECT_FALSE(complaint("array real symmetric", "2 3\n1\n1\n1\n1\n1\n").empty());
  EXPECT_FALSE(complaint("coordinate real skew-symmetric", "2 2 1\n1 1 3\n").empty());
  EXPECT_EQ(message_of<Error>([] {
              acc_tool::parse_matrix_market("%%MatrixMarket vector array real general\n1\n5\n", "m",
                                            TextType::f64);
            }),
            "m:1: Matrix Market header: object must be 'matrix'");
}

template <class T>
acc_tool::Matrix matrix(std::string_view kind, std::string_view body, std::vector<T>& values) {
  const std::string text = "%%MatrixMarket matrix " + std::string(kind) + "\n" + std::string(body);
  acc_tool::Matrix m = acc_tool::parse_matrix_market_array(text, "m.mtx", TextType::f64);
  values = std::get<std::vector<T>>(m.values);
  return m;
}

TEST(MatrixMarket, AMatrixByColumns) {
  std::vector<double> values;
  const acc_tool::Matrix m = matrix("array real general", "2 3\n1\n2\n3\n4\n5\n6\n", values);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(m.rows, 2u);
  EXPECT_EQ(m.columns, 3u);
  EXPECT_TRUE(m.by_columns);
  EXPECT_EQ(m.name, "m.mtx");
}

TEST(MatrixMarket, TrianglesFillAMatrix) {
  std::vector<double> values;
  matrix("array real symmetric", "3 3\n1\n2\n3\n4\n5\n6\n", values);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 2, 4, 5, 3, 5, 6}));
  matrix("array real skew-symmetric", "3 3\n1\n2\n3\n", values);
  EXPECT_EQ(values, (std::vector<double>{0, 1, 2, -1, 0, 3, -2, -3, 0}));
  std::vector<Complex> complex;
  matrix("array complex hermitian", "2 2\n1 0\n2 3\n4 0\n", complex);
  EXPECT_EQ(complex, (std::vector<Complex>{{1, 0}, {2, 3}, {2, -3}, {4, 0}}));
}

TEST(MatrixMarket, AMatrixIsNotReadFromCoordinates) {
  EXPECT_EQ(message_of<Error>([] {
              std::vector<double> values;
              matrix("coordinate real general", "1 1 1\n1 1 5\n", values);
            }),
            "m.mtx:1: a matrix is read from the format 'array', not 'coordinate'");
}

}  // namespace
