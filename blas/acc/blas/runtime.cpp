// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.hpp"

#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <mutex>
#include <stdexcept>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

namespace acc::blas {

void need_kokkos() {
  static std::once_flag once;
  // Through call_once every time: a second thread may not look at Kokkos while a first starts it.
  std::call_once(once, [] {
    if (Kokkos::is_initialized() || Kokkos::is_finalized()) return;
    Kokkos::initialize();
    // After Kokkos and CUDA have registered what they do at exit, so before they do it.
    std::atexit([] {
      if (Kokkos::is_initialized()) Kokkos::finalize();
    });
  });
  if (!Kokkos::is_initialized())
    throw std::runtime_error("Kokkos has been finalized and cannot be initialized again");
}

bool is_in_parallel_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return omp_get_level() > 0;
#else
  return false;
#endif
}

}  // namespace acc::blas
