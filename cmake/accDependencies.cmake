# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kokkos 4.7 is the first whose View can be trusted under CUDA 13 (4.6.99 miscompiles
# parallel_reduce there); Kokkos 6 does not exist yet.
set(ACC_KOKKOS_VERSIONS 4.7...<6)

if(NOT TARGET Kokkos::kokkos)
  find_package(Kokkos ${ACC_KOKKOS_VERSIONS} CONFIG QUIET)
  if(NOT Kokkos_FOUND)
    set(_what_to_do
        "What to do: load the machine's Kokkos (`module load`, `spack load`) or install Kokkos 4.7 or "
        "newer, and name its prefix with -DKokkos_ROOT=PREFIX. Or run `make demo` and `make test`, "
        "which make a root file system of Debian with a Kokkos.")
    if(Kokkos_CONSIDERED_CONFIGS)
      list(JOIN Kokkos_CONSIDERED_VERSIONS ", " _versions)
      list(JOIN Kokkos_CONSIDERED_CONFIGS ", " _configs)
      message(FATAL_ERROR "acc: needs Kokkos ${ACC_KOKKOS_VERSIONS}, but found only version "
                          "${_versions} (${_configs}).\n" ${_what_to_do})
    endif()
    message(FATAL_ERROR "acc: needs Kokkos ${ACC_KOKKOS_VERSIONS}, but CMake finds no Kokkos.\n"
                        ${_what_to_do})
  endif()
elseif(Kokkos_VERSION AND Kokkos_VERSION VERSION_LESS 4.7)
  message(FATAL_ERROR "acc: needs Kokkos ${ACC_KOKKOS_VERSIONS}, but the enclosing project brings "
                      "Kokkos ${Kokkos_VERSION}.\nWhat to do: use a newer Kokkos there.")
endif()
message(STATUS "acc: Kokkos ${Kokkos_VERSION} with ${Kokkos_DEVICES} from ${Kokkos_DIR}")

# A preset named after a machine must not quietly test another.
foreach(_required IN LISTS ACC_REQUIRE_KOKKOS)
  if(NOT _required IN_LIST Kokkos_DEVICES AND NOT _required IN_LIST Kokkos_ARCH)
    message(FATAL_ERROR
      "acc: ACC_REQUIRE_KOKKOS asks for a Kokkos with ${_required}, but this one has "
      "${Kokkos_DEVICES} ${Kokkos_ARCH} (${Kokkos_DIR}).\n"
      "What to do: name another Kokkos with -DKokkos_ROOT=PREFIX, or choose another preset.")
  endif()
endforeach()

# Kokkos hands its own flags on to us.
foreach(_target IN ITEMS Kokkos::kokkos Kokkos::kokkoscore)
  if(TARGET ${_target})
    get_target_property(_options ${_target} INTERFACE_COMPILE_OPTIONS)
    acc_refuse_fast_math("the target ${_target}" "${_options}")
  endif()
endforeach()

if(ACC_ENABLE_KOKKOS_KERNELS)
  include(accKokkosKernels)
endif()
