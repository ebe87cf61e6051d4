#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): matrix_row.sh NAME COMPILER SHARED FLAGS [--short]
# Builds with one compiler, warnings as errors: the library, every call, the tests of numbers; then,
# unless it is to be short, the golden bits, acc::blas, the tool and every header alone. Runs the
# tests. The whole suite would take half an hour for each compiler.
# A cross compiler, as aarch64-linux-gnu-g++, builds for another processor, and qemu runs the tests. No
# other row tests that processor. So even in short the tests of sums, dot products, norms and matrix
# products run, with their golden bits, and else the whole suite of OpenMP.
set -euo pipefail
name=$1 compiler=$2 shared=$3 flags=$4 extent=${5:-}
export ACC_BUILD=$ACC_BUILD/matrix-$name

tests=(acc_test_eft acc_test_value_types acc_test_superaccumulator acc_test_binned)
more=()
[[ $extent == --short ]] || more+=(acc_blas test_headers)
options=(-DCMAKE_CXX_COMPILER="$compiler")
[[ -z $flags ]] || options+=(-DCMAKE_CXX_FLAGS="$flags") # else the user's CXXFLAGS
emulator=()
device_tests=all
if [[ $compiler == *-linux-gnu-g++ ]]; then
  emulator=("qemu-${compiler%%-*}")
  options+=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${compiler%%-*}"
    -DCMAKE_CROSSCOMPILING_EMULATOR="${emulator[0]}")
  [[ $extent != --short ]] || device_tests="test_golden;test_golden_gemm;test_sum;test_dot;test_norms;test_gemm"
  tests+=(acc_tests_openmp)
elif [[ $extent != --short ]]; then
  tests+=(acc_tests_golden)
  more+=(acc_tool)
fi
# A newer GCC's libraries ask for more of libstdc++ than an older GCC links. Shared ones find it when they
# run (where acc's own are shared, though, nothing of theirs may be missing); a static GoogleTest is
# built by the same compiler, where its source lies beside it, as on Debian.
[[ $shared == ON ]] || options+=("-DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined")
if [[ -f /usr/src/googletest/CMakeLists.txt ]]; then
  gtest=$ACC_BUILD-googletest
  cmake --log-level=WARNING -S /usr/src/googletest -B "$gtest" "${options[@]}" -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_GMOCK=OFF -DCMAKE_INSTALL_PREFIX="$gtest/prefix"
  cmake --build "$gtest" --target install
  options+=(-DGTest_ROOT="$gtest/prefix")
fi
rm -f "$ACC_BUILD/CMakeCache.txt" # so that CMake names the compiler each time
cmake/environment/build.sh "${options[@]}" -DACC_DEVICE_TESTS="$device_tests" -DBUILD_SHARED_LIBS="$shared" \
  -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -- acc "${tests[@]}"
export OMP_WAIT_POLICY=passive OMP_PROC_BIND=false
if ((${#emulator[@]} > 0)); then
  export ACC_TEST_FUZZ_CASES=5000 # an emulator is slow
  # GoogleTest starts a program anew for a death test, without the emulator: that cannot run here.
  export GTEST_FILTER='-*DeathTest*'
fi
for test in "${tests[@]}"; do
  "${emulator[@]}" "$ACC_BUILD/bin/$test" --gtest_brief=1
done
ctest --test-dir "$ACC_BUILD" --output-on-failure --no-tests=error -R every_call_without_a_warning
if [[ $shared == ON ]]; then # the library under the BLAS's own names is always a shared one
  cmake --build "$ACC_BUILD" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" --target acc_blas_standard_names
  ctest --test-dir "$ACC_BUILD" --output-on-failure --no-tests=error -R "blas[.](standard_names|symbols_of)"
  # Installed, shared libraries find each other without LD_LIBRARY_PATH.
  rm -rf "$ACC_BUILD/prefix"
  cmake --install "$ACC_BUILD" --prefix "$ACC_BUILD/prefix" --component Unspecified > /dev/null
  needed=$(env -u LD_LIBRARY_PATH ldd "$ACC_BUILD"/prefix/lib*/libacc_standard_blas.so)
  if [[ $needed != *libacc.so* || $needed == *"not found"* ]]; then
    printf 'acc: the installed libraries do not find each other:\n%s\n' "$needed" >&2
    exit 1
  fi
fi
if ((${#more[@]} > 0)); then
  cmake --build "$ACC_BUILD" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" --target "${more[@]}"
fi
