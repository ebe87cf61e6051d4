// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_BACKENDS_GENERIC_SCATTER_ATOMICS_HPP
#define ACC_BACKENDS_GENERIC_SCATTER_ATOMICS_HPP

/// \file
/// The additions of sums by index (scatter.hpp) that a machine may have better ones for.

#include <acc/core/exact/shared_limbs.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::backends::generic {

struct scatter_atomics {
  /// How a caller's kernel adds to a sum that other threads may add to at the same time.
  struct additions : impl::atomic_additions {
    KOKKOS_FORCEINLINE_FUNCTION explicit additions(std::int64_t /*sum*/) {}
  };
  /// Adds to a word of team scratch memory; what it was.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t fetch_add_scratch(std::uint32_t* word,
                                                                     std::uint32_t v) {
    return Kokkos::atomic_fetch_add(word, v);
  }
  /// Adds to a limb that neighbouring threads often add to, too.
  KOKKOS_FORCEINLINE_FUNCTION static void add_contended(std::int64_t* limb, std::int64_t v) {
    Kokkos::atomic_add(limb, v);
  }
  /// Enqueues the kernel of teams that have copies of all sums in scratch memory.
  template <class Policy, class Kernel>
  static void launch_teams(const char* label, const Policy& policy, const Kernel& kernel) {
    Kokkos::parallel_for(label, policy, kernel);
  }
};

}  // namespace acc::backends::generic

#endif
