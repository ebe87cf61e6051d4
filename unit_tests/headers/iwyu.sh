#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: iwyu.sh COMPILER ARGUMENT...
# In the compiler's place (CMake calls it its launcher): include-what-you-use reads the file and all
# of our headers below it. Fails where a header does not include what it uses. What it would remove
# is printed and may stay: it does not see which include a template needs once it is instantiated.
set -euo pipefail
shift
here=$(dirname "${BASH_SOURCE[0]}")
options=()
for option in --no_fwd_decls --cxx17ns --max_line_length=100 --check_also='*acc/*.hpp' \
  --mapping_file="$here/kokkos.imp"; do
  options+=(-Xiwyu "$option")
done
output=$(include-what-you-use "${options[@]}" "$@" 2>&1) || {
  printf '%s\nerror: include-what-you-use failed\n' "$output" && exit 1
}
awk '/ should (add|remove) these lines:/ { title = $0; next }
  /^The full include-list/ { title = "" }
  title && NF && title !~ /\.cpp should/ { print title " " $0; if (title ~ /add/) missing = 1 }
  END { exit missing }' <<< "$output" || { echo 'error: a header does not include what it uses' && exit 1; }
