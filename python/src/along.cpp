// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, norms, means and variances of the rows of a matrix, into a vector. Python's side has made
// the rows, from any axes.
#include <acc/along.hpp>
#include <acc/blas/runtime.hpp>
#include <acc/core/numbers/kokkos_scalar.hpp>

#include "module.hpp"

#include <Kokkos_Core.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

namespace acc_python {
namespace {

template <class T>
using kokkos_t = acc::impl::kokkos_scalar_t<T>;

/// A matrix and a vector of one element for each of its rows. The vector's memory is written.
template <class T, class R>
struct rows {
  using matrix =
      Kokkos::View<const T**, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using vector = Kokkos::View<R*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  matrix x;
  vector r;
};

template <class T, class R>
rows<kokkos_t<T>, kokkos_t<R>> rows_of(const py::array& x, const py::array& r) {
  const auto extent = [&](int i) { return static_cast<std::size_t>(x.shape(i)); };
  const auto stride = [&](int i) { return static_cast<std::size_t>(elements_in<T>(x.strides(i))); };
  using views = rows<kokkos_t<T>, kokkos_t<R>>;
  return {typename views::matrix(static_cast<const kokkos_t<T>*>(x.data()),
                                 Kokkos::LayoutStride(extent(0), stride(0), extent(1), stride(1))),
          typename views::vector(static_cast<kokkos_t<R>*>(const_cast<void*>(r.data())),
                                 static_cast<std::size_t>(r.shape(0)))};
}

/// If x is of type T: calls f(exec, r, x) while other Python threads may run.
template <class T, class R, class F>
bool call(const py::array& x, const py::array& r, const F& f) {
  if (!py::isinstance<py::array_t<T>>(x)) return false;
  const auto views = rows_of<T, R>(x, r);
  start();
  const py::gil_scoped_release others_may_run;
  acc::blas::with_kokkos([&] {
    const auto exec = acc::blas::host_space();
    f(exec, views.r, views.x);
    exec.fence("acc: Python");
  });
  return true;
}

/// f(method) for the method of that name; false if there is none.
template <class F>
bool with_method(const std::string& name, const F& f) {
  if (name == "plain") return f(acc::plain{});
  if (name == "compensated") return f(acc::compensated{});
  if (name == "reproducible") return f(acc::reproducible<3>{});
  if (name == "exact") return f(acc::exact{});
  return false;
}

}  // namespace

// Each returns whether there is such a type, and method.
void add_along(py::module_& m) {
  m.def("sum_along", [](const py::array& x, const py::array& r, const std::string& name) {
    return with_method(name, [&](auto method) {
      const auto f = [&](const auto& exec, const auto& to, const auto& from) {
        acc::sum_along(exec, to, from, 1, method);
      };
      return call<float, float>(x, r, f) || call<double, double>(x, r, f) ||
             call<std::complex<float>, std::complex<float>>(x, r, f) ||
             call<std::complex<double>, std::complex<double>>(x, r, f);
    });
  });
  m.def("nrm2_along", [](const py::array& x, const py::array& r, const std::string& name) {
    return with_method(name, [&](auto method) {
      const auto f = [&](const auto& exec, const auto& to, const auto& from) {
        acc::nrm2_along(exec, to, from, 1, method);
      };
      return call<float, float>(x, r, f) || call<double, double>(x, r, f) ||
             call<std::complex<float>, float>(x, r, f) ||
             call<std::complex<double>, double>(x, r, f);
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
