// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module.hpp"

#include <acc/c.h>
#include <acc/core/config.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdlib>

#include <stdexcept>

namespace acc_python {

void start() {
  static bool is_started = false;
  if (is_started) return;
  // Its advice on OMP_PROC_BIND is not for who imports a module.
  constexpr const char* quiet = "KOKKOS_DISABLE_WARNINGS";
  const bool is_set = std::getenv(quiet) != nullptr;
  if (!is_set) setenv(quiet, "1", 1);
  const int status = acc_initialize();
  if (!is_set) unsetenv(quiet);
  if (status != ACC_SUCCESS) throw std::runtime_error(acc_last_error());
  is_started = true;
}

}  // namespace acc_python

PYBIND11_MODULE(_acc, m) {
  m.attr("__version__") = ACC_VERSION_STRING;
  acc_python::add_along(m);
  acc_python::add_dots(m);
  acc_python::add_foreign_array(m);
  acc_python::add_gemv(m);
#if defined(KOKKOS_ENABLE_CUDA)
  acc_python::add_gpu(m);
#endif
  acc_python::add_products(m);
  acc_python::add_sequences(m);
  acc_python::add_sums(m);
}
