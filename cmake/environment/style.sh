#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): style.sh [--fix]
# Checks what a reader should not have to: C++ formatting (.clang-format), scripts (shellcheck) and
# that every source file names its licence. --fix formats the C++ instead.
set -euo pipefail

rooms=(core algorithms backends blas python tools examples unit_tests perf_tests)
mapfile -t cpp < <(find "${rooms[@]}" -name '*.[ch]pp' -o -name '*.[ch]' 2> /dev/null | sort)
mapfile -t scripts < <(find cmake tools examples unit_tests .ci -name '*.sh' -o -path .ci/run | sort)
mapfile -t others < <(find . \( -name CMakeLists.txt -o -name '*.cmake' -o -name '*.in' -o -name '*.f90' -o -name '*.py' \) \
  -not -path './build*/*' -not -path './venv/*' | sort)

clang-format --version
if [[ ${1:-} == --fix ]]; then
  exec clang-format -i "${cpp[@]}"
fi
clang-format --dry-run --Werror "${cpp[@]}"
shellcheck -x "${scripts[@]}"
unlicensed=$(grep -L 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' \
  "${cpp[@]}" "${scripts[@]}" "${others[@]}") || true
if [[ $unlicensed ]]; then
  printf 'no SPDX line in:\n%s\n' "$unlicensed" >&2
  exit 1
fi
echo "style: ${#cpp[@]} C++ files, ${#scripts[@]} scripts and ${#others[@]} others are in order"
