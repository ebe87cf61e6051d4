// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.hpp"

#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <type_traits>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define ACC_BLAS_HAS_FORK
#endif

namespace acc::blas {

namespace {

/// This process is a fork of one that had started Kokkos, whose threads and GPU it does not have:
/// whatever asks them to do something waits for ever, Kokkos::finalize too.
bool is_cut_off = false;

void watch_forks() {
#if defined(ACC_BLAS_HAS_FORK)
  using host = Kokkos::DefaultHostExecutionSpace;
  if (std::is_same_v<host, Kokkos::DefaultExecutionSpace> && host().concurrency() == 1) return;
  pthread_atfork(nullptr, nullptr, [] { is_cut_off = true; });
#endif
}

}  // namespace

void need_kokkos() {
  static std::once_flag once;
  // Through call_once every time: a second thread may not look at Kokkos while a first starts it.
  std::call_once(once, [] {
    if (Kokkos::is_finalized()) return;
    if (!Kokkos::is_initialized()) {
      Kokkos::initialize();
      // After Kokkos and CUDA have registered what they do at exit, so before they do it.
      std::atexit([] {
        if (Kokkos::is_initialized() && !is_cut_off) Kokkos::finalize();
      });
    }
    watch_forks();
  });
  if (!Kokkos::is_initialized())
    throw std::runtime_error("Kokkos has been finalized and cannot be initialized again");
  if (is_cut_off)
    throw std::runtime_error("the threads of Kokkos do not live on in a forked process");
}

bool is_in_parallel_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return omp_get_level() > 0;
#else
  return false;
#endif
}

}  // namespace acc::blas
