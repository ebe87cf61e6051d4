#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tool `acc` on the data shipped with it and on one large file: demo.sh BIN_DIR
# BIN_DIR holds the program acc. Fails as soon as any call fails.
set -eu
acc=${1:?usage: demo.sh BIN_DIR}/acc
data=$(cd "$(dirname "$0")/data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

caption() { printf '\n\n== %s\n\n' "$1"; }
run() {
  printf '$ acc'
  for argument; do printf ' %s' "${argument##*/}"; done
  printf '\n'
  "$acc" "$@"
}
# mean METHOD FILE
mean() { "$acc" sum "$2" --method "$1" >"$folder/report" && awk '$1 == "mean" { print $2 }' "$folder/report"; }

"$acc" --version

caption 'One sum in full: NIST StRD NumAcc4, 1001 numbers near 10000000.2'
run sum "$data/numacc4.txt"

caption 'The certified means of NIST StRD, and those obtained'
printf '%-10s%14s  %-22s%-22s\n' '' certified plain compensated
for i in 1 2 3 4; do
  file=$data/numacc$i.txt
  certified=$(sed -n 's/^# Certified values.*: mean \([0-9.]*\),.*/\1/p' "$file")
  plain=$(mean plain "$file")
  compensated=$(mean compensated "$file")
  printf '%-10s%14s  %-22s%-22s\n' "NumAcc$i" "$certified" "$plain" "$compensated"
done

caption 'A dot product with condition number 1e25 (Ogita, Rump and Oishi): 25 digits cancel'
run compare --dot "$data/gendot_x.npy" "$data/gendot_y.npy"

caption 'The harmonic series: 1000 terms shipped in Matrix Market format, 10 million made here'
"$acc" generate harmonic -n 10000000 "$folder/harmonic.npy"
run compare "$data/harmonic.mtx" "$folder/harmonic.npy"

caption 'A large file: 2^26 doubles, uniform in [-1, 1), 512 MiB'
"$acc" generate uniform -n 67108864 "$folder/large.npy"
run compare "$folder/large.npy"

caption 'A file cut short is refused'
head -c 4000 "$data/gendot_x.npy" >"$folder/cut.npy"
status=0
run sum "$folder/cut.npy" 2>&1 || status=$?
[ "$status" -eq 1 ] || { echo "demo: expected exit status 1, got $status" >&2; exit 1; }
