# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A Kokkos without OpenMP, as far as accDependencies.cmake asks before it refuses it.
set(Kokkos_DEVICES SERIAL)
add_library(Kokkos::kokkos INTERFACE IMPORTED)
