// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a call's matrices become Views: in their own order, also by rows. Default options recurse
// only where matrices have thousands of rows, so here depth is named.
#include <acc/blas/views.hpp>
#include <acc/ngemm.hpp>

#include <gtest/gtest.h>

#include "generators.hpp"

namespace acc_test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Right = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

constexpr int n = 64;
constexpr acc::ngemm_options one_level{.depth = 1};

Right matrix(std::uint64_t seed) {
  const Right m("matrix", n, n);
  const auto x = make<double>(Data::positive, n * n, seed);
  std::copy(x.begin(), x.end(), m.data());
  return m;
}

bool same(const Right& x, const Right& y) {
  return std::equal(x.data(), x.data() + n * n, y.data());
}

/// By rows a CBLAS may form C^T = B^T A^T. Here that has other bits.
TEST(BlasOperands, KeepTheirOrderByRows) {
  const Right a = matrix(1), b = matrix(2), got = matrix(3), want = matrix(3), swapped = matrix(3);
  const acc::blas::call<double> call{
      {true, 'N', 'N', n, n, n, n, n, n}, 1, 0, a.data(), b.data(), got.data()};
  acc::blas::multiply_on(Host(), call, [](const Host& exec, auto... arguments) {
    acc::ngemm(exec, arguments..., one_level);
  });
  acc::ngemm(Host(), "N", "N", 1.0, a, b, 0.0, want, one_level);

  const acc::blas::call<double> other{
      {false, 'N', 'N', n, n, n, n, n, n}, 1, 0, b.data(), a.data(), swapped.data()};
  acc::blas::multiply_on(Host(), other, [](const Host& exec, auto... arguments) {
    acc::ngemm(exec, arguments..., one_level);
  });
  EXPECT_TRUE(same(got, want));
  EXPECT_FALSE(same(swapped, want));  // else this test would see nothing
}

}  // namespace
}  // namespace acc_test
