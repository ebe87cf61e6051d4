// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays as Views, and calls on them.
#pragma once

#include <acc/blas/runtime.hpp>
#include <acc/core/numbers/kokkos_scalar.hpp>

#include "module.hpp"

#include <Kokkos_Core.hpp>

#include <complex>
#include <cstddef>
#include <utility>

namespace acc_python {

template <class T>
using kokkos_t = acc::impl::kokkos_scalar_t<T>;

/// The memory of NumPy's arrays.
inline Kokkos::HostSpace space_of(const py::array&) { return {}; }

/// Strides of any kind, so that a function is compiled once for all memory orders. The memory of
/// results is written through such a View, too. Array: py::array or another with its members.
template <class DataType, class Array>
using view =
    Kokkos::View<DataType, Kokkos::LayoutStride, decltype(space_of(std::declval<const Array&>())),
                 Kokkos::MemoryUnmanaged>;

/// a as a View of that data type. The layout: extent and stride of each dimension.
template <class DataType, class T, class Array>
view<DataType, Array> view_of(const Array& a, const Kokkos::LayoutStride& layout) {
  return view<DataType, Array>(static_cast<kokkos_t<T>*>(const_cast<void*>(a.data())), layout);
}
template <class Array>
std::size_t extent(const Array& a, int i) {
  return static_cast<std::size_t>(a.shape(i));
}
template <class T, class Array>
std::size_t stride(const Array& a, int i) {
  return static_cast<std::size_t>(elements_in<T>(a.strides(i)));
}
template <class T, class Array>
auto vector_of(const Array& a) {
  return view_of<kokkos_t<T>*, T>(a, Kokkos::LayoutStride(extent(a, 0), stride<T>(a, 0)));
}
template <class T, class Array>
auto matrix_of(const Array& a) {
  return view_of<kokkos_t<T>**, T>(
      a, Kokkos::LayoutStride(extent(a, 0), stride<T>(a, 0), extent(a, 1), stride<T>(a, 1)));
}
/// The first index counts matrices.
template <class T, class Array>
auto stack_of(const Array& a) {
  return view_of<kokkos_t<T>***, T>(
      a, Kokkos::LayoutStride(extent(a, 0), stride<T>(a, 0), extent(a, 1), stride<T>(a, 1),
                              extent(a, 2), stride<T>(a, 2)));
}

template <class T>
bool is_of(const py::array& a) {
  return py::isinstance<py::array_t<T>>(a);
}

/// Calls f(exec) while other Python threads may run, and waits for what it launched.
template <class F>
void run(const F& f) {
  start();
  const py::gil_scoped_release others_may_run;
  acc::blas::with_kokkos([&] {
    const auto exec = acc::blas::host_space();
    f(exec);
    exec.fence("acc: Python");
  });
}

/// What lasts as long as a call on arrays of a kind.
template <class Array>
struct scope_of_call {};

/// f(T()) for the type T of a's elements; false if there is none, or f returns false.
template <class Array, class F>
bool with_type(const Array& a, const F& f) {
  if (is_of<float>(a)) return f(float());
  if (is_of<double>(a)) return f(double());
  if (is_of<std::complex<float>>(a)) return f(std::complex<float>());
  if (is_of<std::complex<double>>(a)) return f(std::complex<double>());
  return false;
}

}  // namespace acc_python
