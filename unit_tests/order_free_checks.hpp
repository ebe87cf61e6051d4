// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What holds for the methods exact and reproducible<K> on any numbers: correct rounding against the
// oracle, and the results of the value types.
#pragma once

#include "device.hpp"

#include <acc/accumulate.hpp>
#include <acc/asum.hpp>
#include <acc/dot.hpp>
#include <acc/nrm2.hpp>
#include <acc/sum.hpp>

namespace acc_test {
namespace {

template <class T>
std::vector<real_t<T>> part(const std::vector<T>& x, std::size_t k) {
  std::vector<real_t<T>> r;
  for (const T& v : x) r.push_back(parts(v)[k]);
  return r;
}

template <class T>
std::string described(const std::string& what, std::size_t n) {
  return name(T{}) + " " + what + ", n = " + std::to_string(n);
}

/// The products whose sum is a part of the dot: pairs of real vectors.
template <class T>
std::vector<Pair<real_t<T>>> dots(const std::vector<T>& x, const std::vector<T>& y,
                                  bool conjugate) {
  if constexpr (!is_complex<T>) {
    return {{x, y}};
  } else {
    std::vector<Pair<real_t<T>>> r{{flat(x), {}}, {flat(x), {}}};
    for (const T& v : y) {
      r[0].y.push_back(v.real());
      r[0].y.push_back(conjugate ? v.imag() : -v.imag());
      r[1].y.push_back(v.imag());
      r[1].y.push_back(conjugate ? -v.real() : v.real());
    }
    return r;
  }
}

/// The root of `squares`, rounded to nearest even: judged by comparing squares.
template <class R>
void expect_root(R got, const Exact& squares, const std::string& what) {
  if (squares.is_zero()) {
    EXPECT_EQ(bits(got), bits(R(0))) << what;
    return;
  }
  using Limits = std::numeric_limits<R>;
  const Exact four_squares = Exact(4.0) * squares;
  const bool even =
      got == Limits::infinity() ||
      (std::bit_cast<std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>>(got) & 1) ==
          0;
  const Exact beyond = pow2(Limits::max_exponent);  // what infinity stands for
  const Exact value = std::isfinite(got) ? Exact(got) : beyond;
  const R up = std::nextafter(got, Limits::infinity()), down = std::nextafter(got, R(0));
  const Exact low = value + Exact(down);
  EXPECT_TRUE(low * low < four_squares || (even && low * low == four_squares)) << what;
  if (!std::isfinite(got)) return;
  const Exact high = value + (std::isfinite(up) ? Exact(up) : beyond);
  EXPECT_TRUE(four_squares < high * high || (even && four_squares == high * high)) << what;
}

/// All functions with the method exact, on finite data: correctly rounded. Zero results apart.
template <class T>
void expect_exact(const std::vector<T>& x, const std::vector<T>& y, const std::string& family) {
  using R = real_t<T>;
  const std::string what = described<T>(family, x.size());
  const auto dx = on_device(x), dy = on_device(y);
  const auto fx = flat(x);
  const auto check = [&](R got, const Exact& want, const char* function) {
    if (want.is_zero()) {
      EXPECT_EQ(got, R(0)) << function << ", " << what;
    } else {
      EXPECT_EQ(bits(got), bits(round_to<R>(want))) << function << ", " << what;
    }
  };
  const auto sum = parts(acc::sum(Exec{}, dx, acc::exact{}));
  for (std::size_t k = 0; k < sum.size(); ++k) check(sum[k], exact_sum<R>(part(x, k)), "sum");
  check(acc::asum(Exec{}, dx, acc::exact{}), exact_abs_sum<R>(fx), "asum");
  expect_root(acc::nrm2(Exec{}, dx, acc::exact{}), exact_dot<R>(fx, fx), "nrm2, " + what);
  for (const bool conjugate : {true, false}) {
    const auto dot = parts(conjugate ? acc::dot(Exec{}, dx, dy, acc::exact{})
                                     : acc::dotu(Exec{}, dx, dy, acc::exact{}));
    const auto real = dots(x, y, conjugate);
    for (std::size_t k = 0; k < dot.size(); ++k)
      check(dot[k], exact_dot<R>(real[k].x, real[k].y), conjugate ? "dot" : "dotu");
  }
}

/// The method's results and accumulators are those of the value types, deposit by deposit: for any
/// data, NaN and zeros of both signs included.
template <class Sum, class T, class M>
void expect_value_type(const std::vector<T>& x, const std::vector<T>& y, M method,
                       const std::string& family) {
  const std::string what = described<T>(family, x.size());
  const auto dx = on_device(x), dy = on_device(y);
  Sum sum, dot, dotu;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum.add(x[i]);
    dotu.add_product(x[i], y[i]);
    if constexpr (is_complex<T>) {
      dot.re.add_product(x[i].real(), y[i].real());
      dot.re.add_product(x[i].imag(), y[i].imag());
      dot.im.add_product(x[i].real(), y[i].imag());
      dot.im.add_product(x[i].imag(), -y[i].real());
    } else {
      dot.add_product(x[i], y[i]);
    }
  }
  EXPECT_EQ(bits(acc::sum(Exec{}, dx, method)), bits(sum.value())) << "sum, " << what;
  EXPECT_EQ(bits(acc::dot(Exec{}, dx, dy, method)), bits(dot.value())) << "dot, " << what;
  EXPECT_EQ(bits(acc::dotu(Exec{}, dx, dy, method)), bits(dotu.value())) << "dotu, " << what;

  // In three batches, in another order than they have.
  const Kokkos::View<Sum, Exec> batched("batched"), batched_dot("batched dot");
  Kokkos::deep_copy(batched, Sum());
  Kokkos::deep_copy(batched_dot, Sum());
  const std::size_t a = x.size() / 3, b = x.size() - x.size() / 4;
  for (const auto& range :
       {std::make_pair(b, x.size()), std::make_pair(std::size_t(0), a), std::make_pair(a, b)}) {
    acc::accumulate(Exec{}, batched, Kokkos::subview(dx, range));
    acc::accumulate_dot(Exec{}, batched_dot, Kokkos::subview(dx, range),
                        Kokkos::subview(dy, range));
  }
  EXPECT_TRUE(identical(on_host(batched), sum)) << "accumulate, " << what;
  EXPECT_TRUE(identical(on_host(batched_dot), dot)) << "accumulate_dot, " << what;
}

template <class T>
void expect_value_types(const std::vector<T>& x, const std::vector<T>& y,
                        const std::string& family) {
  expect_value_type<acc::superaccumulator<T>>(x, y, acc::exact{}, family + ", exact");
  expect_value_type<acc::binned<T, 3>>(x, y, acc::reproducible{}, family + ", reproducible<3>");
  if constexpr (!is_complex<T>) {
    expect_value_type<acc::binned<T, 2>>(x, y, acc::reproducible<2>{}, family + ", 2 bins");
    expect_value_type<acc::binned<T, 5>>(x, y, acc::reproducible<5>{}, family + ", 5 bins");
    expect_value_type<acc::binned<T, 8>>(x, y, acc::reproducible<8>{}, family + ", 8 bins");
  }
}

}  // namespace
}  // namespace acc_test
