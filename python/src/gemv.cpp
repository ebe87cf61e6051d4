// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// acc::gemv of arrays.
#include <acc/gemv.hpp>

#include "gemm_methods.hpp"

namespace acc_python {

// Returns whether it takes such a type, and a method of that name for it. y's memory is written.
void add_gemv(py::module_& m) {
  m.def("gemv", [](const std::string& trans, const py::object& alpha, const py::array& a,
                   const py::array& x, const py::object& beta, const py::array& y,
                   const std::string& method, std::int64_t strip, int bits) {
    return with_type(y, [&]<class T>(T) {
      return with_gemm_method<T>({method, strip, bits}, [&](const auto& by) {
        const auto p = kokkos_t<T>(alpha.cast<T>()), q = kokkos_t<T>(beta.cast<T>());
        const auto A = matrix_of<T>(a);
        const auto from = vector_of<T>(x), to = vector_of<T>(y);
        run([&](const auto& exec) { acc::gemv(exec, trans.c_str(), p, A, from, q, to, by); });
      });
    });
  });
}

}  // namespace acc_python
