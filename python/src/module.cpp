// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module.hpp"

#include <acc/c.h>
#include <acc/core/config.hpp>

#include <cstdlib>

namespace acc_python {
namespace {

/// Starts Kokkos, which ends with the process. Its advice on OMP_PROC_BIND is not for who imports a
/// module.
void start() {
  constexpr const char* quiet = "KOKKOS_DISABLE_WARNINGS";
  const bool is_set = std::getenv(quiet) != nullptr;
  if (!is_set) setenv(quiet, "1", 1);
  const int status = acc_initialize();
  if (!is_set) unsetenv(quiet);
  if (status != ACC_SUCCESS) throw py::import_error(acc_last_error());
}

}  // namespace
}  // namespace acc_python

PYBIND11_MODULE(_acc, m) {
  acc_python::start();
  m.attr("__version__") = ACC_VERSION_STRING;
  // Kokkos has run since the import, so what can fail now is a fork.
  m.def("has_its_threads", [] { return acc_initialize() == ACC_SUCCESS; });
  acc_python::add_sums(m);
  acc_python::add_products(m);
}
