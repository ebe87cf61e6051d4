// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers for tests of bits, and how C passes one.
#pragma once

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace acc_test {

template <class Real>
using Complex = Kokkos::complex<Real>;

/// The type of a number's parts.
template <class T>
struct Parts {
  using real = T;
};
template <class Real>
struct Parts<Complex<Real>> {
  using real = Real;
};

/// A number as C passes it: a complex one by address.
template <class T>
T number(const T& x) {
  return x;
}
template <class Real>
const void* number(const Complex<Real>& x) {
  return &x;
}

/// Numbers of both signs and many exponents, so that another order has other bits.
template <class T>
std::vector<T> numbers(std::size_t n, unsigned seed) {
  using real = typename Parts<T>::real;
  unsigned state = seed * 2654435761u + 1;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return std::ldexp(real(int(state >> 8) - (1 << 23)), -int(state >> 28) - 20);
  };
  std::vector<T> x(n);
  for (T& e : x) {
    if constexpr (std::is_same_v<T, real>) {
      e = next();
    } else {
      const real re = next();
      e = T(re, next());
    }
  }
  return x;
}

}  // namespace acc_test
