// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points name no method. From C and Fortran they have the bits of acc's default method,
// here by its name, and golden ones.
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <acc/core/gemm_method.hpp>
#include <acc/gemm.hpp>
#include <acc/ngemm.hpp>

#include "device.hpp"
#include "golden.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

#define ACC_TEST_DECLARE(language)                                                   \
  void sagemm_from_##language(int, int, int, const float*, const float*, float*);    \
  void sngemm_from_##language(int, int, int, const float*, const float*, float*);    \
  void dagemm_from_##language(int, int, int, const double*, const double*, double*); \
  void dngemm_from_##language(int, int, int, const double*, const double*, double*);
extern "C" {
ACC_TEST_DECLARE(c)
ACC_TEST_DECLARE(fortran)
}

namespace acc_test {
namespace {

constexpr acc::selective<acc::seeded> by_name{.strip = 256};

/// A product of more than two strips. acc's call by name, and that of an entry point.
template <class T, class Named, class EntryPoint>
bool same_bits(const Named& named, EntryPoint entry_point) {
  constexpr int m = 33, n = 19, k = 700;
  using View = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  auto a = make<T>(Data::positive, m * k, 1), b = make<T>(Data::positive, k * n, 2);
  std::vector<T> want(std::size_t(m * n), T(-1)), got = want;
  named(View(a.data(), m, k), View(b.data(), k, n), View(want.data(), m, n));
  entry_point(m, n, k, a.data(), b.data(), got.data());
  return std::memcmp(got.data(), want.data(), got.size() * sizeof(T)) == 0;
}
template <class T, class Method>
auto gemm(const Method& method) {
  return [=](const auto& a, const auto& b, const auto& c) {
    const Kokkos::DefaultHostExecutionSpace exec;
    acc::gemm(exec, "N", "N", T(1), a, b, T(0), c, method);
    exec.fence();
  };
}
template <class T>
auto ngemm() {
  return [](const auto& a, const auto& b, const auto& c) {
    const Kokkos::DefaultHostExecutionSpace exec;
    const acc::ngemm_options options{.cutoff = sizeof(T) == 4 ? 2048 : 4096};
    acc::ngemm(exec, "N", "N", T(1), a, b, T(0), c, options, by_name);
    exec.fence();
  };
}

TEST(BlasDefaults, FromC) {
  EXPECT_TRUE(same_bits<float>(gemm<float>(by_name), sagemm_from_c));
  EXPECT_TRUE(same_bits<double>(gemm<double>(by_name), dagemm_from_c));
  EXPECT_TRUE(same_bits<float>(ngemm<float>(), sngemm_from_c));
  EXPECT_TRUE(same_bits<double>(ngemm<double>(), dngemm_from_c));
}

#ifdef ACC_TEST_FORTRAN
TEST(BlasDefaults, FromFortran) {
  EXPECT_TRUE(same_bits<float>(gemm<float>(by_name), sagemm_from_fortran));
  EXPECT_TRUE(same_bits<double>(gemm<double>(by_name), dagemm_from_fortran));
  EXPECT_TRUE(same_bits<float>(ngemm<float>(), sngemm_from_fortran));
  EXPECT_TRUE(same_bits<double>(ngemm<double>(), dngemm_from_fortran));
}
#endif

/// The golden line of acc::ngemm, of factors too small for a level of recursion, so of acc::gemm:
/// C = A B^T by rows, which by columns is C^T = B A^T. Its line has alpha = 1 and beta = 0.
template <class T, class EntryPoint>
void expect_golden(EntryPoint entry_point) {
  constexpr int m = 40, n = 36, k = 1300;
  const auto a = make<T>(Data::positive, m * k, 9), b = make<T>(Data::positive, n * k, 10);
  std::vector<T> b_by_columns(b.size()), c(std::size_t(m * n));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t l = 0; l < k; ++l) b_by_columns[j + l * n] = b[j * k + l];
  }
  entry_point(n, m, k, b_by_columns.data(), a.data(), c.data());
  Golden golden("defaults.txt");
  golden.check("ngemm " + name(T{}), bits(c.front()) + " " + bits(c.back()), bits_of_all(c));
}

TEST(BlasDefaults, AreGolden) {
  expect_golden<float>(sagemm_from_c);
  expect_golden<double>(dagemm_from_c);
  expect_golden<float>(sngemm_from_c);
  expect_golden<double>(dngemm_from_c);
#ifdef ACC_TEST_FORTRAN
  expect_golden<float>(sagemm_from_fortran);
  expect_golden<double>(dagemm_from_fortran);
  expect_golden<float>(sngemm_from_fortran);
  expect_golden<double>(dngemm_from_fortran);
#endif
}

// Or the tests above would show nothing.
TEST(BlasDefaults, OtherMethodsHaveOtherBits) {
  constexpr acc::selective<acc::seeded> other{.strip = 64};
  EXPECT_FALSE(same_bits<float>(gemm<float>(other), sagemm_from_c));
  EXPECT_FALSE(same_bits<double>(gemm<double>(other), dagemm_from_c));
  EXPECT_FALSE(same_bits<float>(gemm<float>(acc::plain()), sngemm_from_c));
  EXPECT_FALSE(same_bits<double>(gemm<double>(acc::plain()), dngemm_from_c));
}

}  // namespace
}  // namespace acc_test
