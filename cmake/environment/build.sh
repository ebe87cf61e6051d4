#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): build.sh [CMAKE OPTION]... [-- TARGET...]
# Configures and builds the library, and TARGET or all, in ACC_BUILD.
set -euo pipefail

options=()
while (($# > 0)) && [[ $1 != -- ]]; do
  options+=("$1")
  shift
done
targets=()
(($# < 2)) || targets=(--target "${@:2}")

# A build begun without Ninja goes on without: CMake refuses another generator in the same directory.
[[ -e $ACC_BUILD/CMakeCache.txt ]] || ! command -v ninja > /dev/null || options+=(-G Ninja)
# On the user's own machine ccache is his to choose: there it would come between Kokkos's launcher and the
# compiler, which that must replace where Kokkos has CUDA.
[[ $ACC_SOURCE != /acc/source ]] || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
cmake -S "$ACC_SOURCE" -B "$ACC_BUILD" "${options[@]}"
cmake --build "$ACC_BUILD" --parallel "$jobs" "${targets[@]}"
