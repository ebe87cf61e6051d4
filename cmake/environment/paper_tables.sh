#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): paper_tables.sh [OPTION OF perf_tests/paper_tables.py]...
# Builds acc_paper_tables, measures, and writes docs/paper-tables.md.
set -euo pipefail
cmake/environment/build.sh -DACC_ENABLE_BENCHMARKS=ON -DACC_ENABLE_TESTS=OFF \
  -DACC_ENABLE_TOOLS=OFF -- acc_paper_tables
# The first Python that can draw; without one the figures stay as they are.
python=python3
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import matplotlib' 2> /dev/null; then
    python=$candidate
    break
  fi
done
exec "$python" -B perf_tests/paper_tables.py "$@" "$ACC_BUILD/bin/acc_paper_tables"
