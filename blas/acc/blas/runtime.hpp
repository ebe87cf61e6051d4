// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BLAS_RUNTIME_HPP
#define ACC_BLAS_RUNTIME_HPP

#include <future>

namespace acc::blas {

/// Initializes Kokkos if nobody has, once, and then has it finalized at exit.
///
/// \throws std::runtime_error if Kokkos has been finalized, or was started by the process that this
/// one is a fork of; what Kokkos::initialize throws
void need_kokkos();

/// Whether the caller is in an OpenMP parallel region, and Kokkos's host space is OpenMP: it
/// refuses to start and to work there.
bool is_in_parallel_region();

/// f(), from a thread of its own if need be: to that one it is no region. Calls from the threads of
/// a region take turns then, by Kokkos's locks, each with all of Kokkos's threads.
template <class F>
auto outside_of_parallel_regions(const F& f) {
  return is_in_parallel_region() ? std::async(std::launch::async, f).get() : f();
}

}  // namespace acc::blas

#endif
