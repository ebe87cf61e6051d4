#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): bench.sh [GOOGLE BENCHMARK OPTION]...
# Builds the benchmarks and runs them; bench.json in the build directory has the results too.
set -euo pipefail
cmake/environment/build.sh -DACC_ENABLE_BENCHMARKS=ON -DACC_ENABLE_TESTS=OFF \
  -DACC_ENABLE_TOOLS=OFF -- acc_perf_tests
exec "$ACC_BUILD/bin/acc_perf_tests" --benchmark_out="$ACC_BUILD/bench.json" "$@"
