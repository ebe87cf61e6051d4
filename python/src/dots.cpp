// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and dot products by the methods that <acc/c.h> does not have, and sums and dot products with
// a bound of their error.
#include <acc/certificate.hpp>
#include <acc/dot.hpp>
#include <acc/sum.hpp>

#include "scalar.hpp"
#include "sum_methods.hpp"

namespace acc_python {
namespace {

/// Those that dot products alone have.
inline constexpr auto dot_methods =
    std::make_tuple(std::pair{"compensated_fma", acc::compensated_fma{}});

/// f(exec, method) by that name, as a NumPy scalar; None if numbers of type T have no such method.
template <class T, class Methods, class F>
py::object sum_by(const Methods& methods, const std::string& name, const F& f) {
  kokkos_t<T> sum{};
  const bool is_known = with_sum_method<T>(
      methods, name, [&](auto method) { run([&](const auto& exec) { sum = f(exec, method); }); });
  return is_known ? scalar(sum) : py::none();
}

/// value, error_bound and condition.
template <class F>
py::object certificate(const py::array& x, const F& f) {
  py::object result = py::none();
  with_type(x, [&]<class T>(T) {
    acc::certified<kokkos_t<T>> c{};
    run([&](const auto& exec) { c = f(T(), exec); });
    result = py::make_tuple(scalar(c.value), scalar(c.error_bound), scalar(c.condition));
    return true;
  });
  return result;
}

}  // namespace

void add_dots(py::module_& m) {
  m.attr("sum_methods") = names_of(std::tuple_cat(basic_methods, further_methods));
  m.attr("dot_methods") = names_of(std::tuple_cat(basic_methods, further_methods, dot_methods));
  // Of each row of x. Returns whether there is such a method.
  m.def("further_sums", [](const py::array& x, const py::array& r, const std::string& name) {
    return with_type(x, [&]<class T>(T) {
      return with_sum_method<T>(further_methods, name, [&](auto method) {
        const auto rows = matrix_of<T>(x);
        const auto to = vector_of<T>(r);
        run([&](const auto& exec) {
          for (std::size_t i = 0; i < rows.extent(0); ++i)
            acc::sum(exec, Kokkos::subview(to, i), Kokkos::subview(rows, i, Kokkos::ALL), method);
        });
      });
    });
  });
  const auto add_dot = [&](const char* label, auto conjugates) {
    m.def(label, [conjugates](const py::array& x, const py::array& y, const std::string& name) {
      py::object result = py::none();
      with_type(x, [&]<class T>(T) {
        const auto v = vector_of<T>(x), w = vector_of<T>(y);
        result = sum_by<T>(std::tuple_cat(further_methods, dot_methods), name,
                           [&](const auto& exec, auto method) {
                             if constexpr (decltype(conjugates)::value)
                               return acc::dot(exec, v, w, method);
                             else
                               return acc::dotu(exec, v, w, method);
                           });
        return true;
      });
      return result;
    });
  };
  add_dot("further_dot", std::true_type{});
  add_dot("further_dotu", std::false_type{});
  m.def("sum_with_bound", [](const py::array& x) {
    return certificate(x, [&]<class T>(T, const auto& exec) {
      return acc::sum_with_bound(exec, vector_of<T>(x));
    });
  });
  m.def("dot_with_bound", [](const py::array& x, const py::array& y) {
    return certificate(x, [&]<class T>(T, const auto& exec) {
      return acc::dot_with_bound(exec, vector_of<T>(x), vector_of<T>(y));
    });
  });
}

}  // namespace acc_python
