// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a call's matrices become Views: in their own order, also by rows. That shows where ngemm
// recurses: with a depth that is named, or by its default options with large matrices.
#include <acc/blas.h>
#include <acc/blas/views.hpp>
#include <acc/ngemm.hpp>

#include <gtest/gtest.h>

#include "generators.hpp"

#include <algorithm>
#include <utility>

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

/// Default options recurse only from some thousand rows on; there sngemm does, too.
TEST(BlasOperands, LargeOnesRecurse) {
  using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  int large = 1024;
  while (large < 8192 && acc::ngemm_depth<float>(large, large, large) == 0) large *= 2;
  const Matrix a("A", large, large), c("C", large, large), want("C", large, large);
  const auto x = make<float>(Data::positive, a.size(), 1);
  std::copy(x.begin(), x.end(), a.data());
  acc::ngemm(Host(), "N", "T", 1.0f, a, a, 0.0f, want);
  cblas_sngemm(AccRowMajor, AccNoTrans, AccTrans, large, large, large, 1, a.data(), large, a.data(),
               large, 0, c.data(), large);
  EXPECT_TRUE(std::equal(c.data(), c.data() + c.size(), want.data()));
  // One row is enough to see that gemm has other bits.
  const auto first = [](const Matrix& m) {
    return Kokkos::subview(m, std::pair(0, 1), Kokkos::ALL);
  };
  acc::gemm(Host(), "N", "T", 1.0f, first(a), a, 0.0f, first(c));
  EXPECT_FALSE(std::equal(c.data(), c.data() + large, want.data()));
}

}  // namespace
}  // namespace acc_test
