// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>

#include <gtest/gtest.h>

#include "gemm_check.hpp"
#include "temporary_file.hpp"

namespace {

using namespace acc_tool;
using Complex = std::complex<double>;

Matrix matrix(std::string name, std::size_t rows, std::size_t columns, Values values,
              bool by_columns = false) {
  return {std::move(name), std::move(values), rows, columns, by_columns};
}
Matrix doubles(std::string name, std::size_t rows, std::size_t columns) {
  return matrix(std::move(name), rows, columns, std::vector<double>(rows * columns, 1));
}
GemmCheck check(const GemmProblem& p, const Matrix& result) {
  return check_product(p, result, plain_bound, {.strip = 1});
}
std::string complaint(Matrix a, Matrix b, std::optional<Matrix> c, char trans_a = 'N',
                      char trans_b = 'N', Complex alpha = 1) {
  return message_of<Error>(
      [&] { GemmProblem(std::move(a), std::move(b), std::move(c), trans_a, trans_b, alpha, 1); });
}

TEST(GemmProblem, WhatDoesNotMatch) {
  EXPECT_EQ(complaint(doubles("a", 2, 3), doubles("b", 4, 5), {}),
            "gemm: op(A) is 2 x 3 (a) but op(B) is 4 x 5 (b): the columns of the first are not the "
            "rows of the second");
  EXPECT_EQ(complaint(doubles("a", 2, 3), doubles("b", 3, 5), {}, 'T'),
            "gemm: op(A) is 3 x 2 (a, transposed) but op(B) is 3 x 5 (b): the columns of the first "
            "are not the rows of the second");
  EXPECT_EQ(complaint(doubles("a", 2, 3), doubles("b", 5, 3), doubles("c", 5, 2), 'N', 'C'),
            "gemm: C is 5 x 2 (c) but op(A) op(B) is 2 x 5");
  const Matrix f = matrix("f", 2, 2, std::vector<float>(4));
  EXPECT_EQ(complaint(doubles("a", 2, 2), f, {}), "gemm: a is float64 but f is float32");
  EXPECT_EQ(complaint(f, f, doubles("c", 2, 2)), "gemm: f is float32 but c is float64");
  EXPECT_EQ(complaint(f, f, {}, 'N', 'N', {1, 2}),
            "gemm: f is float32, which takes no complex alpha or beta");
  EXPECT_EQ(complaint(doubles("a", 3, 2), doubles("b", 5, 3), doubles("c", 2, 5), 'T', 'T'), "");
}

TEST(GemmProblem, ScalarsHaveTheMatricesType) {
  const Matrix f = matrix("f", 1, 1, std::vector<float>(1)), d = doubles("d", 1, 1);
  EXPECT_EQ(GemmProblem(f, f, {}, 'N', 'N', 0.1, 0).alpha, Complex(0.1f));
  EXPECT_EQ(GemmProblem(d, d, {}, 'N', 'N', 0.1, 0).alpha, Complex(0.1));
}

TEST(GemmCheck, FindsTheWrongEntry) {
  // [1 2; 3 4; 5 6] times [1 0 -1; 2 1 0], the first by columns.
  const Matrix a = matrix("a", 3, 2, std::vector<double>{1, 3, 5, 2, 4, 6}, true);
  const Matrix b = matrix("b", 2, 3, std::vector<double>{1, 0, -1, 2, 1, 0});
  std::vector<double> c{5, 2, -1, 11, 4, -3, 17, 6, -5};
  const GemmProblem p(a, b, {}, 'N', 'N', 1, 0);
  const GemmCheck right = check(p, matrix("c", 3, 3, c));
  EXPECT_EQ(right.checked, 9u);
  EXPECT_EQ(right.correctly_rounded, 9u);
  EXPECT_EQ(right.ulps.value, 0);
  EXPECT_EQ(right.of_bound.value, 0);

  c[5] = -3 + 0x1p-50;  // two ulps of -3
  const GemmCheck wrong = check(p, matrix("c", 3, 3, c));
  EXPECT_EQ(wrong.correctly_rounded, 8u);
  EXPECT_EQ(wrong.ulps.value, 2);
  EXPECT_EQ(wrong.ulps.row, 1u);
  EXPECT_EQ(wrong.ulps.column, 2u);
  EXPECT_NEAR(wrong.of_bound.value, 0x1p-50 / (2 * 0x1p-53 * 3), 1e-9);  // gamma_2 S, S = 3
}

TEST(GemmCheck, TransposesAndScales) {
  const Matrix a = matrix("a", 1, 2, std::vector<double>{3, -5}, true);  // op(A) = [3; -5]
  const Matrix b = matrix("b", 1, 1, std::vector<double>{7});
  const Matrix c = matrix("c", 2, 1, std::vector<double>{0.5, 0.25}, true);
  const GemmProblem p(a, b, c, 'T', 'N', -2, 4);
  EXPECT_EQ(check(p, matrix("r", 2, 1, std::vector<double>{-40, 71})).correctly_rounded, 2u);
  const GemmProblem without_product(a, b, c, 'T', 'N', 0, 4);
  EXPECT_EQ(check(without_product, c).correctly_rounded, 0u);
  EXPECT_EQ(check(without_product, matrix("r", 2, 1, std::vector<double>{2, 1})).correctly_rounded,
            2u);
}

TEST(GemmCheck, ComplexNumbers) {
  const Matrix a = matrix("a", 1, 1, std::vector<Complex>{{1, 2}});
  const Matrix b = matrix("b", 1, 1, std::vector<Complex>{{3, 5}});
  const Matrix c = matrix("c", 1, 1, std::vector<Complex>{{7, 11}});
  const auto right = [&](char trans_a, char trans_b, Complex alpha, Complex beta, Complex result) {
    const GemmProblem p(a, b, c, trans_a, trans_b, alpha, beta);
    return check(p, matrix("r", 1, 1, std::vector<Complex>{result})).correctly_rounded == 1;
  };
  EXPECT_TRUE(right('N', 'N', 1, 0, {-7, 11}));
  EXPECT_TRUE(right('T', 'N', 1, 0, {-7, 11}));
  EXPECT_TRUE(right('C', 'N', 1, 0, {13, -1}));
  EXPECT_TRUE(right('C', 'C', 1, 0, {-7, -11}));
  EXPECT_TRUE(right('N', 'N', {2, 3}, {-1, 4},
                    Complex(2, 3) * Complex(-7, 11) + Complex(-1, 4) * Complex(7, 11)));
  EXPECT_FALSE(right('N', 'N', 1, 0, {-7, 12}));
}

TEST(GemmCheck, InfinitiesAndNoProducts) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Matrix a = matrix("a", 1, 1, std::vector<double>{inf}), one = doubles("b", 1, 1);
  const GemmProblem p(a, one, {}, 'N', 'N', 1, 0);
  EXPECT_EQ(check(p, a).correctly_rounded, 1u);
  EXPECT_EQ(check(p, a).of_bound.value, 0);
  EXPECT_EQ(check(p, one).of_bound.value, inf);
  const GemmProblem empty(doubles("a", 2, 0), doubles("b", 0, 2), {}, 'N', 'N', 1, 0);
  EXPECT_EQ(check(empty, matrix("r", 2, 2, std::vector<double>(4))).correctly_rounded, 4u);
  const GemmProblem none(doubles("a", 0, 2), doubles("b", 2, 2), {}, 'N', 'N', 1, 0);
  EXPECT_EQ(check(none, doubles("r", 0, 2)).checked, 0u);
}

TEST(GemmCheck, SamplesALargeProduct) {
  const GemmProblem p(doubles("a", 100, 1), doubles("b", 1, 90), {}, 'N', 'N', 1, 0);
  Matrix result = doubles("r", 100, 90);
  GemmCheck sampled = check(p, result);
  EXPECT_EQ(sampled.entries, 9000u);
  EXPECT_EQ(sampled.checked, most_entries);
  EXPECT_EQ(sampled.correctly_rounded, most_entries);
  // Of every two or three entries one is checked; these three hold all of such a part.
  auto& values = std::get<std::vector<double>>(result.values);
  for (std::size_t e = 4500; e < 4503; ++e) values[e] = 2;
  EXPECT_GE(most_entries - check(p, result).correctly_rounded, 1u);
}

TEST(GemmBounds, OrderOfTheMethods) {
  const GemmTerms t{1000, 64, 0, 0x1p-53};
  EXPECT_NEAR(plain_bound(t).of_products, 1000 * 0x1p-53, 1e-20);
  EXPECT_NEAR(blocked_bound(t).of_products, (64 + 16) * 0x1p-53, 1e-20);
  EXPECT_NEAR(selective_bound(t).of_products, (64 + 2) * 0x1p-53, 1e-20);
  EXPECT_EQ(compensated_bound(t).relative, 0x1p-53);
  EXPECT_LT(compensated_bound(t).of_all, 1e-25);
  EXPECT_EQ(widened_bound({1000, 1, 0, 0x1p-24}).relative, 0x1p-24);
  EXPECT_EQ(fixed_point_bound({1000, 1, 0, 0x1p-53, 8}).of_largest, 0x1p-7 + 0x1p-16);
  // Scaling costs something, and no products are no error.
  EXPECT_GT(plain_bound({1000, 64, 2, 0x1p-53}).of_products, plain_bound(t).of_products);
  EXPECT_EQ(blocked_bound({0, 64, 0, 0x1p-53}).of_products, 0);
}

}  // namespace
