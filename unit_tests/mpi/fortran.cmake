# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets MPI_Fortran_HAVE_F90_MODULE where there is a Fortran compiler and MPI has its module. A macro:
# languages are enabled for a folder.
include(CheckLanguage)
macro(acc_find_mpi_fortran)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    find_package(MPI QUIET COMPONENTS Fortran)
  endif()
endmacro()
