// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the module _acc. Python's side (acc/__init__.py) has checked types and ranks and
// made arrays that a View can express.
#pragma once

#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <stdexcept>

namespace acc_python {

namespace py = pybind11;

/// A stride, or what is not one of elements: an array then needs to be copied.
template <class T>
py::ssize_t elements_in(py::ssize_t bytes) {
  constexpr auto size = static_cast<py::ssize_t>(sizeof(T));
  if (bytes % size != 0) throw std::invalid_argument("acc: a stride is no multiple of an element");
  return bytes / size;
}

/// Starts Kokkos, which ends with the process, at the first call: the import starts no threads, so
/// a process may fork after it. The caller holds the GIL, which keeps os.environ as it is
/// meanwhile.
void start();

void add_along(py::module_& m);
void add_dots(py::module_& m);
void add_foreign_array(py::module_& m);
void add_gemv(py::module_& m);
void add_gpu(py::module_& m);
void add_products(py::module_& m);
void add_sequences(py::module_& m);
void add_sums(py::module_& m);

}  // namespace acc_python
