// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results as Python's users get them.
#pragma once

#include "module.hpp"

#include <Kokkos_Complex.hpp>

#include <complex>
#include <type_traits>

namespace acc_python {

template <class T>
std::complex<T> of_python(Kokkos::complex<T> z) {
  return {z.real(), z.imag()};
}
inline float of_python(float x) { return x; }
inline double of_python(double x) { return x; }

/// As a NumPy scalar.
template <class T>
py::object scalar(T x) {
  const auto result = of_python(x);
  return py::dtype::of<std::remove_const_t<decltype(result)>>().attr("type")(result);
}

}  // namespace acc_python
