#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): demo.sh
# Builds the command line tool and shows it at work.
set -euo pipefail
cmake/environment/build.sh -- acc_tool > "$ACC_BUILD/demo.log" 2>&1 || {
  tail -n 40 "$ACC_BUILD/demo.log" >&2
  exit 1
}
export TMPDIR=$ACC_BUILD # half a gigabyte of numbers, on the disk rather than in memory
exec tools/demo.sh "$ACC_BUILD/bin"
