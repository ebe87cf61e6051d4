// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, norms, means and variances of the rows of a matrix, into a vector. Python's side has made
// the rows, from any axes.
#include <acc/along.hpp>

#include "sum_methods.hpp"

#include <cstdint>

namespace acc_python {
namespace {

/// If x is of type T: calls f(exec, r, x). The memory of r, of type R, is written.
template <class T, class R, class F>
bool call(const py::array& x, const py::array& r, const F& f) {
  if (!is_of<T>(x)) return false;
  const auto rows = matrix_of<T>(x);
  const auto results = vector_of<R>(r);
  run([&](const auto& exec) { f(exec, results, rows); });
  return true;
}

}  // namespace

// Each returns whether there is such a type, and method.
void add_along(py::module_& m) {
  m.def("sum_along", [](const py::array& x, const py::array& r, const std::string& name) {
    return with_type(x, [&]<class T>(T) {
      return with_sum_method<T>(basic_methods, name, [&](auto method) {
        call<T, T>(x, r, [&](const auto& exec, const auto& to, const auto& from) {
          acc::sum_along(exec, to, from, 1, method);
        });
      });
    });
  });
  m.def("nrm2_along", [](const py::array& x, const py::array& r, const std::string& name) {
    return with_type(x, [&]<class T>(T) {
      using R = acc::impl::real_t<kokkos_t<T>>;
      return with_sum_method<T>(basic_methods, name, [&](auto method) {
        call<T, R>(x, r, [&](const auto& exec, const auto& to, const auto& from) {
          acc::nrm2_along(exec, to, from, 1, method);
        });
      });
    });
  });
  m.def("mean_along", [](const py::array& x, const py::array& r) {
    const auto f = [](const auto& exec, const auto& to, const auto& from) {
      acc::mean_along(exec, to, from, 1);
    };
    return call<float, float>(x, r, f) || call<double, double>(x, r, f);
  });
  m.def("var_along", [](const py::array& x, const py::array& r, std::int64_t ddof) {
    const auto f = [&](const auto& exec, const auto& to, const auto& from) {
      acc::variance_along(exec, to, from, 1, ddof);
    };
    return call<float, float>(x, r, f) || call<double, double>(x, r, f);
  });
}

}  // namespace acc_python
