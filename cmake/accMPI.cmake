# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MPI where ACC_ENABLE_MPI asks for it, and says in ACC_HAS_MPI whether there is one.
set(ACC_HAS_MPI OFF)
if(ACC_ENABLE_MPI)
  set(MPI_CXX_SKIP_MPICXX ON) # the C interface; MPI's C++ bindings are long gone
  # GLOBAL: also for a project that brings acc along as a subdirectory
  find_package(MPI QUIET GLOBAL COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(ACC_HAS_MPI ON)
    message(STATUS "acc: MPI ${MPI_CXX_VERSION} for acc::mpi: ${MPI_CXX_LIBRARIES}")
  elseif(NOT ACC_ENABLE_MPI STREQUAL "AUTO")
    message(FATAL_ERROR
      "acc: ACC_ENABLE_MPI is ON, but CMake finds no MPI.\n"
      "What to do: install one (Debian: libopenmpi-dev and openmpi-bin), name its compiler wrapper "
      "with -DMPI_CXX_COMPILER=PREFIX/bin/mpicxx, or leave the option OFF.")
  endif()
endif()
