// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of one execution space share. CMake compiles every test_*.hpp once for each
// enabled space, with ACC_TEST_SPACE its type (devices.cmake).
#pragma once

#include "bounds.hpp"
#include "generators.hpp"
#include "oracle.hpp"

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

namespace acc_test {

using Exec = ACC_TEST_SPACE;
using Memory = Exec::memory_space;

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<Kokkos::complex<T>> {
  using type = T;
};
template <class T>
using real_t = typename RealOf<T>::type;
template <class T>
inline constexpr bool is_complex = !std::is_same_v<T, real_t<T>>;

/// x in the memory of the execution space under test.
template <class T>
Kokkos::View<T*, Exec> on_device(const std::vector<T>& x) {
  Kokkos::View<T*, Exec> d(Kokkos::view_alloc("x", Kokkos::WithoutInitializing), x.size());
  using Host = Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(d, Host(x.data(), x.size()));
  return d;
}

/// The value of a rank-0 View.
template <class View>
auto on_host(const View& r) {
  typename View::non_const_value_type value;
  Kokkos::deep_copy(value, r);
  return value;
}

/// The bits in hexadecimal: what the law is about. NaN equals NaN here and -0 differs from +0.
inline std::string bits(double x) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(x)));
  return text;
}
inline std::string bits(float x) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(std::bit_cast<std::uint32_t>(x)));
  return text;
}
template <class T>
std::string bits(Kokkos::complex<T> x) {
  return bits(x.real()) + " " + bits(x.imag());
}

/// Bits of many numbers as one: FNV-1a over their hexadecimal digits.
template <class T>
std::string bits_of_all(const std::vector<T>& x) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto& v : x) {
    for (const char c : bits(v)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return bits(std::bit_cast<double>(hash));
}

/// n scalars of a family; a complex vector takes real and imaginary parts from it in turn.
template <class T>
std::vector<T> elements(Data data, std::size_t n, std::uint64_t seed) {
  if constexpr (is_complex<T>) {
    const auto reals = make<real_t<T>>(data, 2 * n, seed);
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = T(reals[2 * i], reals[2 * i + 1]);
    return x;
  } else {
    return make<T>(data, n, seed);
  }
}

/// Real and imaginary part, or the number itself.
template <class T>
std::vector<real_t<T>> parts(const T& x) {
  if constexpr (is_complex<T>) {
    return {x.real(), x.imag()};
  } else {
    return {x};
  }
}
/// All parts of all scalars in turn.
template <class T>
std::vector<real_t<T>> flat(const std::vector<T>& x) {
  std::vector<real_t<T>> r;
  for (const T& v : x) {
    for (const real_t<T> p : parts(v)) r.push_back(p);
  }
  return r;
}

/// Scalars in a leaf of the canonical order: 64 rows of 512 bytes.
template <class T>
inline constexpr std::size_t leaf = 64 * 512 / sizeof(T);
/// Scalars in a row.
template <class T>
inline constexpr std::size_t row = 512 / sizeof(T);

/// Lengths around every seam of the canonical order: group, row, leaf, tree of leaves.
template <class T>
std::vector<std::size_t> lengths() {
  return {1,
          2,
          3,
          5,
          row<T> - 1,
          row<T>,
          row<T> + 1,
          row<T> + row<T> / 2 + 3,
          2 * row<T> - 1,
          2 * row<T>,
          leaf<T> - 1,
          leaf<T>,
          leaf<T> + 1,
          3 * leaf<T>,
          7 * leaf<T> + row<T> + 2};
}

/// A method and a scalar type: the parameter of a typed test.
template <class M, class S>
struct Case {
  using Method = M;
  using Scalar = S;
  using Real = real_t<S>;
};

inline std::string name(acc::plain) { return "plain"; }
inline std::string name(acc::compensated) { return "compensated"; }
inline std::string name(acc::compensated_fma) { return "compensated_fma"; }
inline std::string name(acc::double_word) { return "double_word"; }
inline std::string name(acc::widened) { return "widened"; }
template <int K>
std::string name(acc::fold<K>) {
  return "fold" + std::to_string(K);
}

inline std::string name(acc::exact) { return "exact"; }
template <int K>
std::string name(acc::reproducible<K>) {
  return "reproducible" + std::to_string(K);
}

inline std::string name(float) { return "float"; }
inline std::string name(double) { return "double"; }
template <class T>
std::string name(Kokkos::complex<T>) {
  return "complex_" + name(T{});
}

/// |got - exact| keeps the bound, part by part.
template <class T>
void expect_within(const T& got, const std::vector<Exact>& exact, const std::vector<Exact>& sum_abs,
                   const Bound& bound, const std::string& what) {
  const auto got_parts = parts(got);
  ASSERT_EQ(got_parts.size(), exact.size());
  for (std::size_t k = 0; k < exact.size(); ++k) {
    ASSERT_TRUE(std::isfinite(got_parts[k])) << what << ", part " << k;
    EXPECT_LE(abs(Exact(got_parts[k]) - exact[k]), bound.limit(exact[k], sum_abs[k]))
        << what << ", part " << k << ": got " << got_parts[k] << ", exact " << to_string(exact[k]);
  }
}

}  // namespace acc_test
