#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): demo.sh
# Builds the command line tool and an example, and shows them at work.
set -euo pipefail
# The folder was named by run.sh; ACC_BUILD may be another name of it, in a root file system.
echo 'acc: building the tool and an example, for some minutes; demo.log in that directory has the messages' >&2
cmake/environment/build.sh -DACC_ENABLE_EXAMPLES=ON -- acc_tool refinement > "$ACC_BUILD/demo.log" 2>&1 || {
  tail -n 40 "$ACC_BUILD/demo.log" >&2
  # A library that is missing is named far above the target that is missing then.
  grep -A 4 'acc: the command line tool is not built' "$ACC_BUILD/demo.log" >&2 || true
  exit 1
}
export TMPDIR=$ACC_BUILD # half a gigabyte of numbers, on the disk rather than in memory
exec tools/demo.sh "$ACC_BUILD/bin"
