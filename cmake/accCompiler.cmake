# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Refuses nvcc itself as the C++ compiler, in acc's build and in that of its users, before a Kokkos
# with CUDA fails in ways that do not say so.
cmake_path(GET CMAKE_CXX_COMPILER FILENAME _acc_compiler)
if(_acc_compiler MATCHES "^nvcc(\\.exe)?$")
  message(FATAL_ERROR
    "acc: CMAKE_CXX_COMPILER is nvcc, which takes neither Kokkos's flags nor a .cpp file for device "
    "code.\n"
    "What to do: name -DCMAKE_CXX_COMPILER=PREFIX/bin/nvcc_wrapper of Kokkos's prefix, or the host "
    "compiler, which Kokkos then replaces by it.")
endif()
