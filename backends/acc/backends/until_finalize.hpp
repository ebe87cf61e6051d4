// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_UNTIL_FINALIZE_HPP
#define ACC_BACKENDS_UNTIL_FINALIZE_HPP

/// \file
/// Objects that live until Kokkos::finalize, because they own what Kokkos allocates.

#include <Kokkos_Core.hpp>
#include <mutex>

namespace acc::backends {

/// Kokkos's list of finalize hooks has no lock. This one is for all hooks of acc.
inline std::mutex& finalize_hooks() {
  static std::mutex guard;
  return guard;
}

/// The one T of this Kokkos::initialize: the first call makes it. For calls that a lock keeps
/// apart.
template <class T>
T& until_finalize() {
  static T* one = nullptr;
  if (!one) {
    one = new T;
    const std::lock_guard lock(finalize_hooks());
    Kokkos::push_finalize_hook([] {
      delete one;
      one = nullptr;
    });
  }
  return *one;
}

}  // namespace acc::backends

#endif
