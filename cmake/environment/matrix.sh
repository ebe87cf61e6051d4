#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: matrix.sh [--short] [ROW]...
# Builds and tests with each compiler, Kokkos and kind of library in the table below (or the rows
# named), by matrix_row.sh; then says how each ended. docs/compilers.md has what came of it.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

extent=()
if [[ ${1:-} == --short ]]; then
  extent+=(--short)
  shift
fi

# row, environment, compiler, shared libraries, flags. Spack compiles with -march for the processor that
# it finds. What a cross compiler built is run by an emulator. The native rows are of this machine, with
# Kokkos_ROOT and CXX for the compiler; for nvcc there is `make gpu-test`. For AMD's GPUs hip_row.sh compiles,
# with a Kokkos from the source that KOKKOS_SOURCE names.
table="
gcc            compilers       g++              OFF
gcc-shared     compilers       g++              ON
gcc-12         compilers       g++-12           OFF
gcc-v3         compilers       g++              OFF  -march=x86-64-v3
gcc-v4         compilers       g++              OFF  -march=x86-64-v4
clang          compilers       clang++-22       OFF
clang-shared   compilers       clang++-22       ON
kokkos-5.0     kokkos-kernels  g++              OFF
aarch64        aarch64         aarch64-linux-gnu-g++  OFF
hip-gfx90a     hip             hipcc            OFF
hip-gfx942     hip             hipcc            OFF
native         native          ${CXX:-c++}      OFF
native-shared  native          ${CXX:-c++}      ON
"

# Whether this processor has the instructions of x86-64-v3 or -v4.
has_instructions() {
  local flag=avx2
  [[ $1 == v3 ]] || flag=avx512vl
  grep -qw "$flag" /proc/cpuinfo
}

status=0
endings=
log=$(mktemp)
trap 'rm -f "$log"' EXIT
while read -r row environment compiler shared flags; do
  [[ $row && (-z $* || " $* " == *" $row "*) ]] || continue
  known+=" $row"
  place=root script=matrix_row.sh passed=passed
  if [[ $environment == native ]]; then
    if [[ -z ${Kokkos_ROOT:-} ]]; then
      endings+="acc: $row: left out: Kokkos_ROOT names no Kokkos"$'\n'
      continue
    fi
    environment=openmp place=native
  fi
  if [[ $environment == hip ]]; then
    if [[ ! -f ${KOKKOS_SOURCE:-}/cmake/KokkosCore_config.h.in ]]; then
      endings+="acc: $row: left out: KOKKOS_SOURCE names no source of Kokkos"$'\n'
      continue
    fi
    KOKKOS_SOURCE=$(cd "$KOKKOS_SOURCE" && pwd)
    export KOKKOS_SOURCE
    script=hip_row.sh passed="compiled, not run"
  fi
  if [[ $flags == *x86-64-v* ]] && ! has_instructions "${flags##*x86-64-}"; then
    endings+="acc: $row: left out: this processor lacks instructions of ${flags#-march=}"$'\n'
    continue
  fi
  if [[ $environment == "$(uname -m)" ]]; then
    endings+="acc: $row: left out: the other rows test this processor"$'\n'
    continue
  fi
  if ACC_ENVIRONMENT=$place "$here/run.sh" "$environment" \
    "cmake/environment/$script" "$row" "$compiler" "$shared" "$flags" "${extent[@]}" < /dev/null 2>&1 | tee "$log"; then
    end=$passed
  else
    end=FAILED status=1
  fi
  what=$(sed -n 's/^-- The CXX compiler identification is //p; s/^-- acc: \(Kokkos [^ ]*\).*/\1/p' "$log" |
    awk '!seen[$0]++' | paste -sd, | sed 's/,/, /')
  endings+="acc: $row: $what, shared libraries $shared: $end"$'\n'
done <<< "$table"
for row in "$@"; do
  [[ " ${known:-} " == *" $row "* ]] || die "there is no row '$row' in the matrix."
done
printf '\n%s' "$endings"
exit $status
