# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Refuses a project without C++, and nvcc itself as the C++ compiler, in acc's build and in that of its
# users, before Kokkos fails in ways that do not say so.
get_property(_acc_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT "CXX" IN_LIST _acc_languages)
  message(FATAL_ERROR
    "acc: this project has no C++, which Kokkos needs and which links acc.\n"
    "What to do: add CXX to the languages of project(), as in project(app LANGUAGES C CXX).")
endif()
cmake_path(GET CMAKE_CXX_COMPILER FILENAME _acc_compiler)
if(_acc_compiler MATCHES "^nvcc(\\.exe)?$")
  message(FATAL_ERROR
    "acc: CMAKE_CXX_COMPILER is nvcc, which takes neither Kokkos's flags nor a .cpp file for device "
    "code.\n"
    "What to do: name -DCMAKE_CXX_COMPILER=PREFIX/bin/nvcc_wrapper of Kokkos's prefix, or the host "
    "compiler, which Kokkos then replaces by it.")
endif()
