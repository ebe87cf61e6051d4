// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same kernels from two files of a program.
#include "calls.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace acc_test {
namespace {

/// Entry (i, j) of `product`.
double entry(int i, int j) {
  int sum = 0;
  for (int l = 0; l < 40; ++l) sum += ((i + l) % 7 - 3) * ((j + 2 * l) % 5 - 2);
  return sum;
}

TEST(TwoFiles, Multiply) {
  for (const bool is_double : {true, false}) {
    const Numbers here = is_double ? product<double>() : product<float>();
    EXPECT_EQ(product_of_second_file(is_double), here);
    for (const int i : {0, 1, 1000, 2303})
      for (const int j : {0, 7, 1234, 2303})
        EXPECT_EQ(here[std::size_t(i) + 2304 * std::size_t(j)], entry(i, j)) << i << ", " << j;
  }
}

/// Less memory in the second file than in the first, and more.
TEST(TwoFiles, SumByIndex) {
  const Numbers first = sums_of(8000);
  for (const int sums : {5000, 8000, 12000}) {
    Numbers want(std::size_t(sums), 0.0);
    for (int i = 0; i < 1 << 20; ++i) want[std::size_t(i % sums)] += i % 11;
    EXPECT_EQ(sums_of_second_file(sums), want) << sums;
    if (sums == 8000) {
      EXPECT_EQ(first, want);
    }
  }
}

}  // namespace
}  // namespace acc_test
