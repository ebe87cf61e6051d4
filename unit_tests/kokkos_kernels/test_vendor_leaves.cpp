// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// acc::ngemm over leaves by KokkosBlas::gemm. The data are small integers, of which every product
// and sum is exact in any order: so the results are those of acc::gemm.
#include <acc/ngemm_kokkos_blas.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

namespace {

using Space = Kokkos::DefaultExecutionSpace;

template <class T, class Layout>
Kokkos::View<T**, Layout, Space> make(int rows, int columns, int seed) {
  // A block of a larger matrix, so that no stride is a number of rows or columns.
  const Kokkos::View<T**, Layout, Space> whole("whole", rows + 3, columns + 5);
  auto const host = Kokkos::create_mirror_view(whole);
  for (int i = 0; i < rows + 3; ++i)
    for (int j = 0; j < columns + 5; ++j) host(i, j) = T((i * 7 + j * 5 + seed) % 11 - 5);
  Kokkos::deep_copy(whole, host);
  return Kokkos::subview(whole, std::pair(0, rows), std::pair(0, columns));
}

template <class T>
struct VendorLeaves : testing::Test {
  template <class LA, class LB, class LC>
  static void compare(const char* ta, const char* tb) {
    Space const space;
    int const m = 70, n = 67, k = 75;
    auto const a = ta[0] == 'N' ? make<T, LA>(m, k, 1) : make<T, LA>(k, m, 1);
    auto const b = tb[0] == 'N' ? make<T, LB>(k, n, 2) : make<T, LB>(n, k, 2);
    for (int depth : {0, 1, 2}) {
      for (T beta : {T(0), T(2)}) {
        auto const ours = make<T, LC>(m, n, 3), theirs = make<T, LC>(m, n, 3);
        acc::gemm(space, ta, tb, T(3), a, b, beta, ours, acc::plain{});
        acc::ngemm(space, ta, tb, T(3), a, b, beta, theirs, {.depth = depth}, acc::kokkos_blas{});
        auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ours);
        auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), theirs);
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) ASSERT_EQ(x(i, j), y(i, j)) << i << ' ' << j << ' ' << depth;
      }
    }
  }
  template <class LC>
  static void compare_layouts() {
    using L = Kokkos::LayoutLeft;
    using R = Kokkos::LayoutRight;
    compare<L, L, LC>("N", "N");
    compare<R, R, LC>("N", "N");
    compare<R, L, LC>("T", "N");
    compare<L, R, LC>("N", "T");
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(VendorLeaves, Scalars);

TYPED_TEST(VendorLeaves, IntoColumns) { this->template compare_layouts<Kokkos::LayoutLeft>(); }
TYPED_TEST(VendorLeaves, IntoRows) { this->template compare_layouts<Kokkos::LayoutRight>(); }

}  // namespace
