#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: compile_time.sh HEADER:PERCENT... -- COMPILER ARGUMENT...
# Fails if a header takes more than PERCENT of the time that <Kokkos_Core.hpp> takes to compile.
# Time is the processor's, in user mode, the least of three turns: other programs slow down both.
set -euo pipefail

limits=()
while [[ $1 != -- ]]; do
  limits+=("$1")
  shift
done
shift

TIMEFORMAT=%3U
declare -A least
for _ in 1 2 3; do
  for header in Kokkos_Core.hpp "${limits[@]%:*}"; do
    time=$({ time "$@" "-DACC_TEST_HEADER=<$header>" 2>&1; } 2>&1) || { echo "$time" && exit 1; }
    time=$((10#${time//[!0-9]/})) # milliseconds
    [[ -n ${least[$header]:-} ]] && ((least[$header] <= time)) || least[$header]=$time
  done
done

kokkos=${least[Kokkos_Core.hpp]}
echo "<Kokkos_Core.hpp>: $kokkos ms"
status=0
for limit in "${limits[@]}"; do
  time=${least[${limit%:*}]}
  percent=$((100 * time / kokkos))
  echo "<${limit%:*}>: $time ms, $percent % of that; at most ${limit##*:} %"
  ((percent <= ${limit##*:})) || { echo "error: <${limit%:*}> takes too long to compile" && status=1; }
done
exit $status
