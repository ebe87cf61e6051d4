// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prefix sums, and sums by index, of segments and of runs of equal keys.
#include <acc/prefix_sum.hpp>
#include <acc/segmented_sum.hpp>
#include <acc/sum_by_index.hpp>
#include <acc/sum_by_key.hpp>

#include "views.hpp"

#include <cstdint>
#include <string>

namespace acc_python {
namespace {

/// f(method) for what sums in order; false if there is no such method.
template <class F>
bool with_order(const std::string& name, const F& f) {
  if (name == "compensated") return f(acc::compensated{}), true;
  if (name == "exact") return f(acc::exact{}), true;
  return false;
}
/// f(method) for what needs none.
template <class F>
bool without_order(const std::string& name, const F& f) {
  if (name == "reproducible") return f(acc::reproducible<3>{}), true;
  if (name == "exact") return f(acc::exact{}), true;
  return false;
}

using integers = std::int64_t;

}  // namespace

// Each returns whether there is such a method, and writes r.
void add_sequences(py::module_& m) {
  // Of each row of a matrix.
  m.def("prefix_sums", [](const py::array& r, const py::array& x, const std::string& method) {
    return with_type(x, [&]<class T>(T) {
      return with_order(method, [&](auto by) {
        const auto to = matrix_of<T>(r), from = matrix_of<T>(x);
        run([&](const auto& exec) {
          for (std::size_t i = 0; i < from.extent(0); ++i)
            acc::prefix_sum(exec, Kokkos::subview(to, i, Kokkos::ALL),
                            Kokkos::subview(from, i, Kokkos::ALL), by);
        });
      });
    });
  });
  // x has a row for each index; begins_with_r: r's numbers are summed, too.
  m.def("sum_by_index", [](const py::array& r, const py::array& index, const py::array& x,
                           bool begins_with_r, const std::string& method) {
    return with_type(x, [&]<class T>(T) {
      return without_order(method, [&](auto by) {
        const auto at = vector_of<integers>(index);
        const auto sum = [&](const auto& to, const auto& from) {
          run([&](const auto& exec) {
            if (begins_with_r)
              acc::add_by_index(exec, to, at, from, by);
            else
              acc::sum_by_index(exec, to, at, from, by);
          });
        };
        if (x.ndim() == 1)
          sum(vector_of<T>(r), vector_of<T>(x));
        else
          sum(matrix_of<T>(r), matrix_of<T>(x));
      });
    });
  });
  m.def("segmented_sum", [](const py::array& r, const py::array& x, const py::array& offsets,
                            const std::string& method) {
    return with_type(x, [&]<class T>(T) {
      return with_order(method, [&](auto by) {
        const auto to = vector_of<T>(r), from = vector_of<T>(x);
        const auto at = vector_of<integers>(offsets);
        run([&](const auto& exec) { acc::segmented_sum(exec, to, from, at, by); });
      });
    });
  });
  // Returns how many runs there are, or -1.
  m.def("sum_by_key", [](const py::array& r, const py::array& unique, const py::array& keys,
                         const py::array& x, const std::string& method) {
    std::int64_t runs = -1;
    with_type(x, [&]<class T>(T) {
      return with_order(method, [&](auto by) {
        const auto to = vector_of<T>(r), from = vector_of<T>(x);
        const auto of = vector_of<integers>(unique), by_key = vector_of<integers>(keys);
        run([&](const auto& exec) { runs = acc::sum_by_key(exec, to, of, by_key, from, by); });
      });
    });
    return runs;
  });
}

}  // namespace acc_python
