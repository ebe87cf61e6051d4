// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_CORE_NUMBERS_BIT_COUNTS_HPP
#define ACC_CORE_NUMBERS_BIT_COUNTS_HPP

/// \file
/// Zeros at the ends of integers, by the processor's instructions. Kokkos::countl_zero is constexpr
/// and therefore, on a GPU, some forty instructions.

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace acc::impl {

/// All of them where bits is 0.
KOKKOS_FORCEINLINE_FUNCTION int leading_zeros(std::uint32_t bits) {
  return Kokkos::Experimental::countl_zero_builtin(bits);
}
KOKKOS_FORCEINLINE_FUNCTION int leading_zeros(std::uint64_t bits) {
  return Kokkos::Experimental::countl_zero_builtin(bits);
}
KOKKOS_FORCEINLINE_FUNCTION int trailing_zeros(std::uint32_t bits) {
  return Kokkos::Experimental::countr_zero_builtin(bits);
}
KOKKOS_FORCEINLINE_FUNCTION int trailing_zeros(std::uint64_t bits) {
  return Kokkos::Experimental::countr_zero_builtin(bits);
}

}  // namespace acc::impl

#endif
