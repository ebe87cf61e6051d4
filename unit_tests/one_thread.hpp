// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where tests compute what they want of a device, by thousands of short calls.
#pragma once

#include <Kokkos_Core.hpp>

#include <optional>

namespace acc_test {

/// One thread of the host. It wakes no other for a call, which takes longer than a short sum; and
/// it lets what many threads compute be compared with what one does.
inline const auto& one_thread() {
#if defined KOKKOS_ENABLE_SERIAL
  using Space = Kokkos::Serial;
  const auto make = [] { return Space(); };
#elif defined KOKKOS_ENABLE_OPENMP
  using Space = Kokkos::OpenMP;
  const auto make = [] { return Space(1); };
#else
  using Space = Kokkos::DefaultHostExecutionSpace;
  const auto make = [] { return Space(); };
#endif
  // One for all calls: acc keeps memory for each instance.
  static std::optional<Space> exec;
  if (!exec) {
    exec = make();
    Kokkos::push_finalize_hook([] { exec.reset(); });
  }
  return *exec;
}

}  // namespace acc_test
