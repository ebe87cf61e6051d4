// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where tests compute what they want of a device, by thousands of short calls.
#pragma once

#include <Kokkos_Core.hpp>

namespace acc_test {

/// One thread of the host. It wakes no other for a call, which takes longer than a short sum; and
/// it lets what many threads compute be compared with what one does.
inline auto one_thread() {
#if defined KOKKOS_ENABLE_SERIAL
  return Kokkos::Serial{};
#elif defined KOKKOS_ENABLE_OPENMP
  return Kokkos::OpenMP(1);
#else
  return Kokkos::DefaultHostExecutionSpace{};
#endif
}

}  // namespace acc_test
