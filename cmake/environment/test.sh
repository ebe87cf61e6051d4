#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: test.sh [CTEST OPTION]...
# Runs every test in the environment openmp, and those that need Kokkos Kernels in kokkos-kernels;
# then says again how each ended. Kokkos Kernels is a comparison: where it is not found and no root
# file system with it can be made, its tests are left out, but not where CI is set.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
endings=

# With a selection, one of the two environments may have no such test.
none=error
[ $# = 0 ] || none=ignore

# run_tests ENVIRONMENT COUNT CTEST_OPTION{COUNT} BUILD_ARGUMENT...
# shellcheck disable=SC2016 # $1 and ACC_BUILD are for the inner shell
run_tests() {
  local environment=$1
  shift
  local ending=0
  "$here/run.sh" "$environment" bash -c '
      set -euo pipefail
      none=$1 ctest_options=("${@:3:$2}")
      shift $((2 + $2))
      cmake/environment/build.sh "$@"
      # Teams larger than the machine must not spin while they wait for one another.
      export OMP_WAIT_POLICY=passive OMP_PROC_BIND=false
      status=0
      ctest --test-dir "$ACC_BUILD" --output-on-failure --no-tests="$none" \
        --parallel "${CTEST_PARALLEL_LEVEL:-$(nproc)}" "${ctest_options[@]}" || status=$?
      # ctest names the tests that it skipped; why, only its log tells.
      log=$ACC_BUILD/Testing/Temporary/LastTest.log
      [[ ! -f $log ]] || grep "^skipped: " "$log" | sort -u || true
      exit $status' \
    test "$none" "$@" 2>&1 | tee "$log" || ending=$?
  if [[ $ending == 77 && $environment == kokkos-kernels && -z ${CI:-} ]]; then
    endings+="acc: $environment: left out
no Kokkos Kernels here (KokkosKernels_ROOT names one), nor the means to make one: see above
"
    return
  fi
  ((ending == 0)) || status=1
  endings+="acc: $environment: $(sed -n 's/^-- acc: //p' "$log" | head -n 1)
$(grep ' tests passed, ' "$log" | tail -n 1 || echo 'no test ran, or the build failed: see above')
"
}

run_tests kokkos-kernels $((2 + $#)) -L kokkos-kernels "$@" \
  -DACC_ENABLE_KOKKOS_KERNELS=ON -DACC_ENABLE_TOOLS=OFF -DACC_ENABLE_EXAMPLES=ON \
  -- kokkos_kernels_tests acc_examples
# The examples are built against the installed acc; `make demo` may have asked for them here, too.
run_tests openmp $# "$@" -DACC_ENABLE_MPI=AUTO -DACC_INSTALL_TESTS=ON -DACC_ENABLE_EXAMPLES=OFF \
  -DCMAKE_COMPILE_WARNING_AS_ERROR=${CI:+ON}
printf '\n%s' "$endings"
exit $status
