#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): check.sh TEST DEVICE [FILTER]
# Builds one test file, optimised little and with nothing else than the library, and runs it, or those of
# its tests that FILTER (GoogleTest's) selects. DEVICE is a label of ctest, as openmp; tests of numbers
# run on none.
set -euo pipefail
test=$1 device=$2 filter=${3:-*}
export ACC_BUILD=$ACC_BUILD/check

build() { cmake --build "$ACC_BUILD" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" --target "$@"; }

# die MESSAGE [LINES]: the lines are indented.
die() {
  printf 'acc: %s\n' "$1" >&2
  local lines
  mapfile -t lines <<< "${2:-}"
  (($# == 1)) || printf '     %s\n' "${lines[@]}" >&2
  exit 1
}

# Once. Later the build itself asks CMake, where a CMake file has changed.
if [[ ! -e $ACC_BUILD/build.ninja && ! -e $ACC_BUILD/Makefile ]]; then
  cmake/environment/build.sh -DACC_ENABLE_TOOLS=OFF -DACC_ENABLE_BLAS=OFF -- acc_test_support
fi

# A line per test and device: test, device, target.
checks=$ACC_BUILD/unit_tests/checks.txt
find_target() {
  awk -v t="$test" -v d="$device" '$1 == t && ($2 == d || $2 == "numbers") { print $3 }' "$checks"
}
target=$(find_target)
if [[ ! $target ]]; then # or it is new
  cmake "$ACC_BUILD" > /dev/null
  target=$(find_target)
fi
if [[ ! $target ]]; then
  devices=$(awk -v t="$test" '$1 == t { print $2 }' "$checks" | paste -sd' ')
  [[ ! $devices ]] || die "$test has no DEVICE=$device. This Kokkos has: $devices"
  known=$(awk '{ print $1 }' "$checks" | sort -u | paste -sd' ' | fold -s -w 90)
  [[ $test ]] || die "say which test, as in make check TEST=test_sum. There are:" "$known"
  die "there is no TEST=$test. There are:" "$known"
fi

build "$target"
program=$ACC_BUILD/bin/$target
export OMP_PROC_BIND=${OMP_PROC_BIND:-false} OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
# GoogleTest passes where its filter selects nothing. Names of tests are indented.
selected=$("$program" --gtest_list_tests --gtest_filter="$filter")
grep -q '^  ' <<< "$selected" ||
  die "FILTER='$filter' selects none of these tests:" "$("$program" --gtest_list_tests | grep '^  \|[.]')"
exec "$program" --gtest_filter="$filter"
