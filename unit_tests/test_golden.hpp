// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same bits everywhere: results against hexadecimal files that every backend shares.
#pragma once

#include "device.hpp"
#include "golden.hpp"
#include "views.hpp"

#include <acc/abs.hpp>
#include <acc/along.hpp>
#include <acc/asum.hpp>
#include <acc/axpby.hpp>
#include <acc/core/fixed_point_sum.hpp>
#include <acc/dot.hpp>
#include <acc/iamax.hpp>
#include <acc/mult.hpp>
#include <acc/prefix_sum.hpp>
#include <acc/nrm2.hpp>
#include <acc/nrminf.hpp>
#include <acc/reciprocal.hpp>
#include <acc/rot.hpp>
#include <acc/scal.hpp>
#include <acc/segmented_sum.hpp>
#include <acc/sum.hpp>
#include <acc/sum_by_index.hpp>
#include <acc/sum_by_key.hpp>
#include <acc/update.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace acc_test {
namespace {

/// Data of every kind of path: ordinary, wide, cancelling, and (near_overflow) summed with a scale.
inline constexpr Data golden_data[] = {Data::uniform, Data::wide, Data::massive_cancellation,
                                       Data::near_overflow};

/// A recording has these, too, of other data and lengths than the golden files. No file holds them:
/// whether every execution space, thread count and instruction set computes them alike, only a
/// comparison of recordings can tell.
inline constexpr Data recorded_data[] = {Data::positive,   Data::all_exponents, Data::ascending,
                                         Data::descending, Data::alternating,   Data::harmonic,
                                         Data::constant,   Data::subnormal};

/// Calls body(what, x, y) for the lengths and families of scalar type T; x and y on the device.
template <class T, class Body>
void for_golden_cases(const Body& body) {
  const auto each = [&](Data data, std::size_t n, std::uint64_t seed) {
    const auto x = on_device(elements<T>(data, n, seed));
    const auto y = on_device(elements<T>(Data::uniform, n, seed + 1));
    body(name(T{}) + " " + std::string(name(data)) + " " + std::to_string(n), x, y);
  };
  for (const Data data : golden_data) {
    for (const std::size_t n : {std::size_t(3), std::size_t(1000), 5 * leaf<T> + row<T> + 1})
      each(data, n, 1);
  }
  if (recording().empty()) return;
  for (const Data data : recorded_data) {
    for (const std::size_t n : {std::size_t(77), leaf<T> - 1, 11 * leaf<T> + 5}) each(data, n, n);
  }
}

template <class T, class... Methods>
void check_sums(Golden& golden, Methods... methods) {
  for_golden_cases<T>([&](const std::string& what, const auto& x, const auto&) {
    (golden.check(name(methods) + " " + what, bits(acc::sum(Exec{}, x, methods))), ...);
  });
}

template <class T, class... Methods>
void check_dots(Golden& golden, Methods... methods) {
  for_golden_cases<T>([&](const std::string& what, const auto& x, const auto& y) {
    (golden.check("dot " + name(methods) + " " + what, bits(acc::dot(Exec{}, x, y, methods))), ...);
    if constexpr (is_complex<T>) {
      (golden.check("dotu " + name(methods) + " " + what, bits(acc::dotu(Exec{}, x, y, methods))),
       ...);
    }
  });
}

template <class T>
void check_norms(Golden& golden) {
  for_golden_cases<T>([&](const std::string& what, const auto& x, const auto&) {
    const Exec exec;
    golden.check("asum plain " + what, bits(acc::asum(exec, x, acc::plain{})));
    golden.check("asum compensated " + what, bits(acc::asum(exec, x, acc::compensated{})));
    golden.check("nrm2 plain " + what, bits(acc::nrm2(exec, x, acc::plain{})));
    golden.check("nrm2 compensated " + what, bits(acc::nrm2(exec, x, acc::compensated{})));
    golden.check("asum exact " + what, bits(acc::asum(exec, x, acc::exact{})));
    golden.check("nrm2 exact " + what, bits(acc::nrm2(exec, x, acc::exact{})));
    golden.check("asum reproducible3 " + what, bits(acc::asum(exec, x, acc::reproducible{})));
    golden.check("nrm2 reproducible3 " + what, bits(acc::nrm2(exec, x, acc::reproducible{})));
  });
}

template <class T, class Method>
void check_scans(Golden& golden, Method method) {
  for_golden_cases<T>([&](const std::string& what, const auto& x, const auto&) {
    const Exec exec;
    const auto n = static_cast<std::int64_t>(x.extent(0));
    const Kokkos::View<T*, Exec> r("r", x.extent(0)), sums("sums", 6);
    acc::prefix_sum(exec, r, x, method);
    golden.check(
        "scan " + name(method) + " " + what,
        bits(on_host(Kokkos::subview(r, n / 3))) + " " + bits(on_host(Kokkos::subview(r, n - 1))),
        bits_of_all(to_host(r)));
    const auto offsets = on_device(std::vector<std::int64_t>{0, 1, 1, n / 50, n / 7, n / 4, n});
    acc::segmented_sum(exec, sums, x, offsets, method);
    std::string all;
    for (const T& sum : to_host(sums)) all += (all.empty() ? "" : " ") + bits(sum);
    golden.check("segments " + name(method) + " " + what, all);
    if (n < 100) return;
    // Runs that are those segments, without the empty one.
    std::vector<int> key_of(x.extent(0));
    for (std::int64_t i = 0; i < n; ++i)
      key_of[std::size_t(i)] = i < 1 ? 3 : i < n / 50 ? 4 : i < n / 7 ? -1 : i < n / 4 ? 8 : 9;
    const Kokkos::View<int*, Exec> unique("unique", 6);
    const auto runs = acc::sum_by_key(exec, sums, unique, on_device(key_of), x, method);
    all.clear();
    for (std::int64_t i = 0; i < runs; ++i)
      all += (i == 0 ? "" : " ") + bits(on_host(Kokkos::subview(sums, i)));
    golden.check("keys " + name(method) + " " + what, all);
  });
}

constexpr auto all_folds =
    std::tuple(acc::fold<2>{}, acc::fold<3>{}, acc::fold<4>{}, acc::fold<5>{}, acc::fold<6>{},
               acc::fold<7>{}, acc::fold<8>{});

TEST(Golden, Sum) {
  Golden golden("sum.txt");
  const auto methods = [&]<class T>(T) {
    check_sums<T>(golden, acc::plain{}, acc::compensated{}, acc::double_word{});
    std::apply([&](auto... folds) { check_sums<T>(golden, folds...); }, all_folds);
    check_sums<T>(golden, acc::exact{}, acc::reproducible<2>{}, acc::reproducible<3>{});
  };
  methods(float{});
  methods(double{});
  methods(Kokkos::complex<float>{});
  methods(Kokkos::complex<double>{});
  check_sums<float>(golden, acc::widened{});
  check_sums<Kokkos::complex<float>>(golden, acc::widened{});
  golden.finish();
}

TEST(Golden, Dot) {
  Golden golden("dot.txt");
  const auto methods = [&]<class T>(T) {
    check_dots<T>(golden, acc::plain{}, acc::compensated{}, acc::compensated_fma{},
                  acc::double_word{});
    std::apply([&](auto... folds) { check_dots<T>(golden, folds...); }, all_folds);
    check_dots<T>(golden, acc::exact{}, acc::reproducible<2>{}, acc::reproducible<3>{});
  };
  methods(float{});
  methods(double{});
  methods(Kokkos::complex<float>{});
  methods(Kokkos::complex<double>{});
  check_dots<float>(golden, acc::widened{});
  check_dots<Kokkos::complex<float>>(golden, acc::widened{});
  golden.finish();
}

TEST(Golden, Norms) {
  Golden golden("norms.txt");
  check_norms<float>(golden);
  check_norms<double>(golden);
  check_norms<Kokkos::complex<float>>(golden);
  check_norms<Kokkos::complex<double>>(golden);
  golden.finish();
}

/// Columns, axes and sums by index, by methods that are not their defaults: the first result, and a
/// digest of all.
template <class T>
void check_slices(Golden& golden) {
  const Exec exec;
  constexpr std::size_t rows = 1000, columns = 9, sums = 7;
  std::vector<int> index(rows * columns);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = int(i * i % (sums + 2)) - 1;
  for (int& b : index)
    if (b >= int(sums)) b = -1;
  const auto places = on_device(index);
  for (const Data data : golden_data) {
    const std::string what = name(T{}) + " " + std::string(name(data));
    const auto x = on_device(elements<T>(data, rows * columns, 1));
    const auto y = on_device(elements<T>(Data::uniform, rows * columns, 2));
    using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
    const Matrix a(x.data(), rows, columns), b(y.data(), rows, columns);
    const Kokkos::View<T***, Kokkos::LayoutRight, Exec> cube(x.data(), 10, 100, columns);
    const Kokkos::View<T*, Exec> r("r", columns), by_index("by index", sums);
    const Matrix plane("plane", 10, columns);
    const auto check = [&](const std::string& function, const auto& v) {
      const auto all = to_host(v);
      golden.check(function + " " + what, bits(all[0]), bits_of_all(all));
    };
    const auto check_methods = [&](const auto& method) {
      acc::sum(exec, r, a, method);
      check("sum of columns " + name(method), r);
      acc::dot(exec, r, a, b, method);
      check("dot of columns " + name(method), r);
      acc::sum_along(exec, plane, cube, 1, method);
      exec.fence();
      check("sum_along " + name(method), Kokkos::View<T*, Exec>(plane.data(), plane.span()));
    };
    check_methods(acc::exact{});
    check_methods(acc::reproducible<3>{});
    acc::sum_by_index(exec, by_index, places, x, acc::reproducible<3>{});
    check("sum_by_index reproducible3", by_index);
    acc::add_by_index(exec, by_index, places, y, acc::reproducible<2>{});
    check("add_by_index reproducible2", by_index);
  }
}

TEST(Golden, Slices) {
  Golden golden("slices.txt");
  check_slices<float>(golden);
  check_slices<double>(golden);
  golden.finish();
}

/// The sum of 50 neighbors of each number. Each 64th has a number more that does not fit.
template <class T>
struct SumNeighbors {
  Kokkos::View<T*, Exec> x, r;
  acc::fixed_point_sum<T> none;
  T too_large;
  KOKKOS_FUNCTION void operator()(int i) const {
    acc::fixed_point_sum<T> sum = none;
    for (int k = 0; k < 50; ++k) sum += x((i + k) % x.extent_int(0));
    if (i % 64 == 63) sum += too_large;
    r(i) = sum.value();
  }
};

/// fixed_point_sum in a kernel: the first result, and a digest of all.
template <class T>
void check_neighbors(Golden& golden) {
  for (const Data data : {Data::uniform, Data::wide, Data::massive_cancellation,
                          Data::all_exponents, Data::subnormal}) {
    const auto x = elements<T>(data, 1000, 1);
    T largest = 0;
    for (const T& v : x) largest = std::max(largest, std::abs(v));
    const auto none = acc::fixed_point_sum<T>::up_to(largest);
    const Kokkos::View<T*, Exec> r("r", x.size());
    Kokkos::parallel_for(
        "neighbors", Kokkos::RangePolicy<Exec>(0, int(x.size())),
        SumNeighbors<T>{on_device(x), r, none, std::ldexp(T(1), none.range().top)});
    const auto all = to_host(r);
    golden.check("fixed_point_sum " + name(T{}) + " " + std::string(name(data)), bits(all[0]),
                 bits_of_all(all));
  }
}

TEST(Golden, Neighbors) {
  Golden golden("neighbors.txt");
  check_neighbors<float>(golden);
  check_neighbors<double>(golden);
  golden.finish();
}

/// Of each element by itself: the first result, and a digest of all.
template <class T>
void check_elements(Golden& golden) {
  using R = real_t<T>;
  T a(R(0.7)), s(R(0.8));
  if constexpr (is_complex<T>) {
    a = T(R(0.7), R(-0.3));
    s = T(R(0.48), R(0.64));
  }
  const T b(R(-1.3)), c(R(0.1));
  for_golden_cases<T>([&](const std::string& what, const auto& x, const auto& y) {
    const Exec exec;
    const std::size_t n = x.extent(0);
    const Kokkos::View<T*, Exec> r("r", n), z("z", n);
    const Kokkos::View<R*, Exec> real("real", n);
    const auto check = [&](const std::string& function, const auto& v) {
      const auto all = to_host(v);
      golden.check(function + " " + what, bits(all[0]), bits_of_all(all));
    };
    const auto begin = [&] { Kokkos::deep_copy(exec, r, y), Kokkos::deep_copy(exec, z, x); };
    begin();
    acc::axpy(exec, a, x, r);
    check("axpy", r);
    begin();
    acc::axpby(exec, a, x, b, r);
    check("axpby", r);
    acc::update(exec, a, x, b, y, c, r);
    check("update", r);
    acc::scal(exec, r, a, x);
    check("scal", r);
    begin();
    acc::mult(exec, a, r, b, x, x);
    check("mult", r);
    begin();
    acc::rot(exec, r, z, R(0.6), s);
    check("rot x", r);
    check("rot y", z);
    acc::abs(exec, real, x);
    check("abs", real);
    acc::reciprocal(exec, r, x);
    check("reciprocal", r);
    golden.check("nrminf " + what, bits(acc::nrminf(exec, x)));
    golden.check("iamax " + what, bits(double(acc::iamax(exec, x))));
    golden.check("nrm2_squared plain " + what, bits(acc::nrm2_squared(exec, x, acc::plain{})));
    golden.check("nrm2_squared compensated " + what, bits(acc::nrm2_squared(exec, x)));
    golden.check("nrm2_squared exact " + what, bits(acc::nrm2_squared(exec, x, acc::exact{})));
    golden.check("nrm2_squared reproducible3 " + what,
                 bits(acc::nrm2_squared(exec, x, acc::reproducible<3>{})));
  });
}

TEST(Golden, Elements) {
  Golden golden("elements.txt");
  check_elements<float>(golden);
  check_elements<double>(golden);
  check_elements<Kokkos::complex<float>>(golden);
  check_elements<Kokkos::complex<double>>(golden);
  golden.finish();
}

TEST(Golden, Scans) {
  Golden golden("scans.txt");
  const auto methods = [&]<class T>(T) {
    check_scans<T>(golden, acc::compensated{});
    check_scans<T>(golden, acc::exact{});
  };
  methods(float{});
  methods(double{});
  methods(Kokkos::complex<float>{});
  methods(Kokkos::complex<double>{});
  golden.finish();
}

}  // namespace
}  // namespace acc_test
