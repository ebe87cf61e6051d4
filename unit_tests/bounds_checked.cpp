// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What acc looks for where Kokkos checks bounds. Few Kokkos do, so this program says to its headers
// what such a one's configuration would.
#include <Kokkos_Macros.hpp>
#if !defined(KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
#define KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
#endif

#include <acc/spmv.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

struct Matrix {
  Kokkos::View<int[4], Exec> row_map{"row map"};
  Kokkos::View<int[3], Exec> entries{"entries"};
  Kokkos::View<double[3], Exec> values{"values"};
  acc::crs_matrix<decltype(row_map), decltype(entries), decltype(values)> crs{3, 4, row_map,
                                                                              entries, values};
};

TEST(BoundsChecked, SpmvFindsAColumnThatAHasNotBeforeItWrites) {
  const Matrix a;
  a.row_map(1) = 2;
  a.row_map(2) = a.row_map(3) = 3;
  a.entries(1) = 4;
  const Kokkos::View<double[4], Exec> x("x");
  const Kokkos::View<double[3], Exec> y("y");
  Kokkos::deep_copy(y, 7);
  try {
    acc::spmv(Exec(), "N", 1.0, a.crs, x, 0.0, y);
    ADD_FAILURE() << "not found";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "acc::spmv: entry 1 of A names column 4, but A is 3 x 4");
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(y(i), 7) << i;

  a.entries(1) = 3;
  acc::spmv(Exec(), "N", 1.0, a.crs, x, 0.0, y);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(y(i), 0) << i;
}

}  // namespace
