#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): hip_row.sh NAME COMPILER SHARED FLAGS [--short], with KOKKOS_SOURCE in the environment
# By hipcc, for the one of AMD's GPUs that NAME ends in, gfx90a (MI200) or gfx942 (MI300): checks the operations of
# the machine code. Compiles, warnings as errors: the library, the tests of numbers, which run on the host, and every
# call. Unless it is to be short, it also checks the operations of every call, and compiles every header alone and
# every test file of devices, which no GPU runs: about 50 minutes of one core.
# Kokkos is built from its source, the folder KOKKOS_SOURCE: Debian has none with HIP.
set -euo pipefail
name=$1 compiler=$2 shared=$3 extent=${5:-}
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
gpu=${name#hip-}
kokkos=$ACC_BUILD/kokkos-$gpu
export ACC_BUILD=$ACC_BUILD/matrix-$name
options=(-DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_BUILD_TYPE=Release)
tests=(acc_test_eft acc_test_value_types acc_test_superaccumulator acc_test_binned)

cmake --log-level=WARNING -S "$KOKKOS_SOURCE" -B "$ACC_BUILD-kokkos" "${options[@]}" \
  -DCMAKE_CXX_STANDARD=20 -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_HIP=ON "-DKokkos_ARCH_AMD_${gpu^^}=ON" \
  -DKokkos_ENABLE_ROCTHRUST=OFF -DKokkos_ENABLE_DEPRECATED_CODE_4=OFF \
  -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$kokkos"
cmake --build "$ACC_BUILD-kokkos" --parallel "$jobs" --target install

rm -f "$ACC_BUILD/CMakeCache.txt" # so that CMake names the compiler each time
# hipcc asks to link for GPUs also where it only compiles, and Clang warns of that.
cmake/environment/build.sh "${options[@]}" -DKokkos_ROOT="$kokkos" \
  -DBUILD_SHARED_LIBS="$shared" -DACC_ENABLE_HWLOC=OFF -DACC_ENABLE_TOOLS=OFF -DACC_ENABLE_BLAS=OFF \
  -DCMAKE_CXX_FLAGS=-Wno-unused-command-line-argument -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
  -- acc "${tests[@]}"
ctest --test-dir "$ACC_BUILD" --output-on-failure --no-tests=error -R '^hip[.](operations|deposits)$'
ctest --test-dir "$ACC_BUILD" --output-on-failure --no-tests=error -R every_call_without_a_warning
for test in "${tests[@]}"; do
  "$ACC_BUILD/bin/$test" --gtest_brief=1
done
if [[ $extent != --short ]]; then
  # A line per test and device: test, device, target.
  mapfile -t checks < <(awk '$2 == "hip" { print $3 }' "$ACC_BUILD/unit_tests/checks.txt")
  ((${#checks[@]} > 0)) || { printf 'acc: %s: no test of devices for HIP\n' "$name" >&2 && exit 1; }
  cmake --build "$ACC_BUILD" --parallel "$jobs" --target acc_hip_calls test_headers "${checks[@]}"
  ctest --test-dir "$ACC_BUILD" --output-on-failure --no-tests=error -R '^hip[.]calls$'
fi
