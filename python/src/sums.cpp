// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of <acc/c.h>, chosen by the type of an array and the name of a method. They find
// out by themselves in which memory it lies.
#include <acc/c.h>

#include "views.hpp"
#if defined(KOKKOS_ENABLE_CUDA)
#include "gpu.hpp"
#endif

#include <cstdint>
#include <string>

namespace acc_python {
namespace {

template <class T, class R>
using of_one = int(std::int64_t, const T*, std::int64_t, R*);
template <class T>
using of_two = int(std::int64_t, const T*, std::int64_t, const T*, std::int64_t, T*);

/// The functions of a type and a method.
template <class T, class R>
struct functions {
  of_one<T, T>* sum;
  of_one<T, R>*asum, *nrm2;
  of_two<T>*dot, *dotu;
};

/// A rank-1 array as a vector of the BLAS, whose address is that of its lowest element.
template <class T>
struct vector {
  std::int64_t n, increment;
  const T* data;

  template <class Array>
  explicit vector(const Array& x)
      : n(x.shape(0)),
        increment(elements_in<T>(x.strides(0))),
        data(static_cast<const T*>(x.data())) {
    if (increment < 0 && n > 0) data += (n - 1) * increment;
  }
};

/// The result as a NumPy scalar.
template <class R>
py::object result_of(int status, R result) {
  if (status == ACC_INVALID_ARGUMENT) throw std::invalid_argument(acc_last_error());
  if (status != ACC_SUCCESS) throw std::runtime_error(acc_last_error());
  return py::dtype::of<R>().attr("type")(result);
}

template <class T, class R, class Array>
py::object call(of_one<T, R>* function, const Array& array) {
  const vector<T> x(array);
  R r{};
  int status;
  start();
  {
    const py::gil_scoped_release others_may_run;
    status = function(x.n, x.data, x.increment, &r);
  }
  return result_of(status, r);
}

template <class T, class Array>
py::object call(of_two<T>* function, const Array& first, const Array& second) {
  const vector<T> x(first), y(second);
  T r{};
  int status;
  start();
  {
    const py::gil_scoped_release others_may_run;
    status = function(x.n, x.data, x.increment, y.data, y.increment, &r);
  }
  return result_of(status, r);
}

/// body(functions) of x's type and the method.
template <class Array, class Body>
py::object with_functions(const Array& x, const std::string& method, const Body& body) {
  [[maybe_unused]] const scope_of_call<Array> scope{};
#define ACC_TRY(type, T, R, name)                                                \
  if (method == #name && is_of<T>(x))                                            \
    return body(functions<T, R>{acc_##type##sum_##name, acc_##type##asum_##name, \
                                acc_##type##nrm2_##name, acc_##type##dot_##name, \
                                acc_##type##dotu_##name});
  ACC_EACH_TYPE_AND_METHOD(ACC_TRY)
  throw std::invalid_argument("acc: no such type or method");
}

template <class Array>
void add_sums_of(py::module_& m) {
#define ACC_ADD_ONE(name)                                                             \
  m.def(#name, [](const Array& x, const std::string& method) {                        \
    return with_functions(x, method, [&](const auto& f) { return call(f.name, x); }); \
  });
  ACC_ADD_ONE(sum)
  ACC_ADD_ONE(asum)
  ACC_ADD_ONE(nrm2)
#define ACC_ADD_TWO(name)                                                                \
  m.def(#name, [](const Array& x, const Array& y, const std::string& method) {           \
    return with_functions(x, method, [&](const auto& f) { return call(f.name, x, y); }); \
  });
  ACC_ADD_TWO(dot)
  ACC_ADD_TWO(dotu)
}

}  // namespace

void add_sums(py::module_& m) {
  py::list names;
#define ACC_APPEND(type, T, R, name) names.append(#name);
  ACC_EACH_METHOD(ACC_APPEND, s, float, float)
  m.attr("methods") = py::tuple(names);
  add_sums_of<py::array>(m);
}

#if defined(KOKKOS_ENABLE_CUDA)
void add_gpu_sums(py::module_& gpu) { add_sums_of<foreign_array>(gpu); }
#endif

}  // namespace acc_python
