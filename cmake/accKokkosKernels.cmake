# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Defines acc::kokkos_kernels, by whichever name the Kokkos Kernels found calls its target:
# Kokkos::kokkoskernels upstream, KokkosKernels::all_libs where it came out of Trilinos (Debian).
# For tests only: acc itself does not use Kokkos Kernels.
if(NOT TARGET acc::kokkos_kernels)
  if(NOT TARGET Kokkos::kokkoskernels AND NOT TARGET KokkosKernels::all_libs)
    find_package(KokkosKernels CONFIG QUIET)
    if(NOT KokkosKernels_FOUND)
      message(FATAL_ERROR
        "acc: ACC_ENABLE_KOKKOS_KERNELS is ON, but CMake finds no Kokkos Kernels.\n"
        "What to do: name its prefix with -DKokkosKernels_ROOT=PREFIX, or leave the option OFF.")
    endif()
  endif()
  add_library(acc_kokkos_kernels INTERFACE)
  add_library(acc::kokkos_kernels ALIAS acc_kokkos_kernels)
  if(TARGET Kokkos::kokkoskernels)
    target_link_libraries(acc_kokkos_kernels INTERFACE Kokkos::kokkoskernels)
  else()
    target_link_libraries(acc_kokkos_kernels INTERFACE KokkosKernels::all_libs)
  endif()
endif()
