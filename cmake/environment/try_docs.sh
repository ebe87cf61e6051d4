#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): try_docs.sh
# Runs the commands of docs/getting-started.md as a reader would who copies them, from an empty folder;
# fails where one of them does, or where a sum has other bits than the page says.
set -euo pipefail
page=docs/getting-started.md log=$ACC_BUILD/try_docs.log
rm -rf "${ACC_BUILD:?}"/{acc,prefix,first}
# `make shell` led here.
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside && $0 != "make shell"' "$page" |
  bash -euxo pipefail | tee "$log"
grep '^acc::sum' "$page" | sort > "$log.page"
grep '^acc::sum' "$log" | sort | diff - "$log.page"
echo 'try-docs: the commands of docs/getting-started.md work, and the sums are those of the page'
