// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results in half precision are rounded once, on every execution space: by the conversion itself,
// and through sums and products whose exact result a float would take for a midpoint.
#pragma once

#include "device.hpp"
#include "half_numbers.hpp"

#include <acc/core/numbers/scalar_traits.hpp>
#include <acc/gemm.hpp>
#include <acc/gemv.hpp>
#include <acc/sum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace acc_test {
namespace {

template <class T>
class HalfResults : public testing::Test {};
using HalfResultTypes = testing::Types<Kokkos::Experimental::half_t, Kokkos::Experimental::bhalf_t>;
TYPED_TEST_SUITE(HalfResults, HalfResultTypes);

template <class Half>
struct ConvertToHalf {
  Kokkos::View<const double*, Exec> x;
  Kokkos::View<Half*, Exec> r;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { r(i) = acc::impl::as_result<Half>(x(i)); }
};

template <class Half>
std::vector<std::uint16_t> bits_of_halves(const Kokkos::View<Half*, Exec>& r) {
  const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), r);
  std::vector<std::uint16_t> all;
  for (std::size_t i = 0; i < h.size(); ++i) all.push_back(Kokkos::bit_cast<std::uint16_t>(h(i)));
  return all;
}

/// Each is a number of the format, whose bits nobody rounds.
template <class Half>
std::vector<std::uint16_t> bits_of_numbers(const std::vector<double>& x) {
  std::vector<std::uint16_t> all;
  for (const double v : x)
    all.push_back(Kokkos::bit_cast<std::uint16_t>(Half(static_cast<float>(v))));
  return all;
}

template <class Half>
void expect_conversions_rounded_once() {
  constexpr auto format = acc::impl::format_of_half<Half>;
  auto x = hard_to_round_to_half(format);
  std::vector<double> want;
  for (const double v : x) want.push_back(nearest_half(format, v));
  x.push_back(-std::numeric_limits<double>::quiet_NaN());
  const Kokkos::View<Half*, Exec> r("r", x.size());
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(0, std::int64_t(x.size())),
                       ConvertToHalf<Half>{on_device(x), r});
  auto bits = bits_of_halves(r);
  EXPECT_EQ(bits.back(), format.digits == 11 ? 0x7e00 : 0x7fc0);
  bits.pop_back();
  EXPECT_EQ(bits, bits_of_numbers<Half>(want));
}

/// 1 + half a unit of 1, and a little more or less, which a float does not hold; m of them, as sums
/// and as entries of C = alpha a b + beta C, b = (1).
template <class Half>
void expect_results_rounded_once() {
  constexpr auto format = acc::impl::format_of_half<Half>;
  constexpr int m = 37;
  const float half_unit = std::ldexp(1.0f, -format.digits);
  const Exec exec;
  for (const float less : {0.0f, 0x1p-20f, -0x1p-20f}) {
    const float alpha = half_unit * (1 + less);
    for (const float odd : {0.0f, 2 * half_unit}) {
      const double want = nearest_half(format, 1.0 + odd + alpha);
      const auto expected = bits_of_numbers<Half>(std::vector<double>(m, want));
      const auto a = on_device(std::vector<Half>(m, Half(1.0f)));
      const auto b = on_device(std::vector<Half>(1, Half(1.0f)));
      const std::vector<Half> before(m, Half(1 + odd));
      const auto y = on_device(before), c = on_device(before);
      using Matrix = Kokkos::View<Half**, Kokkos::LayoutLeft, Exec>;
      const Matrix a_matrix(a.data(), m, 1), b_matrix(b.data(), 1, 1), c_matrix(c.data(), m, 1);
      acc::gemv(exec, "N", alpha, a_matrix, b, 1.0f, y);
      acc::gemm(exec, "N", "N", alpha, a_matrix, b_matrix, 1.0f, c_matrix);
      exec.fence();
      EXPECT_EQ(bits_of_halves<Half>(y), expected) << less << ' ' << odd;
      EXPECT_EQ(bits_of_halves<Half>(c), expected) << less << ' ' << odd;
      const Kokkos::View<Half, Exec> sum("sum");
      acc::sum(exec, sum, on_device(std::vector<float>{1 + odd, alpha}), acc::widened{});
      exec.fence();
      EXPECT_EQ(Kokkos::bit_cast<std::uint16_t>(on_host(sum)), expected[0]) << less << ' ' << odd;
    }
  }
}

TYPED_TEST(HalfResults, AreRoundedOnce) {
  if constexpr (acc::impl::is_half_scalar<TypeParam>) {
    expect_conversions_rounded_once<TypeParam>();
    expect_results_rounded_once<TypeParam>();
  } else {
    GTEST_SKIP() << "this Kokkos has no half precision: its half_t and bhalf_t are float";
  }
}

}  // namespace
}  // namespace acc_test
