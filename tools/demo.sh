#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tool `acc` on the data shipped with it and on large files: demo.sh BIN_DIR
# BIN_DIR holds the programs acc and refinement, an example. Fails as soon as any call fails.
set -eu
bin=$(cd "${1:?usage: demo.sh BIN_DIR}" && pwd)
acc=$bin/acc
data=$(cd "$(dirname "$0")/data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cp "$data"/*.txt "$data"/*.mtx "$data"/*.npy "$folder"
cd "$folder"

caption() { printf '\n\n== %s\n\n' "$1"; }
run() {
  printf '$ acc %s\n' "$*"
  "$acc" "$@"
}
# field LABEL ARGUMENT...: what acc's report first says after the label
field() {
  label=$1
  shift
  "$acc" "$@" >report || exit 1
  sed -n "/^$label  */{s///p;q;}" report
}

"$acc" --version

caption 'One sum in full: NIST StRD NumAcc4, 1001 numbers near 10000000.2'
run sum numacc4.txt

caption 'The certified means of NIST StRD, and those obtained: the sum, rounded, over n'
printf '%-10s%14s  %-22s%s\n' '' certified plain compensated
for i in 1 2 3 4; do
  file=numacc$i.txt
  certified=$(sed -n 's/^# Certified values.*: mean \([0-9.]*\),.*/\1/p' "$file")
  plain=$(field mean sum "$file" --method plain)
  compensated=$(field mean sum "$file" --method compensated)
  printf '%-10s%14s  %-22s%s\n' "NumAcc$i" "$certified" "$plain" "$compensated"
done
cat <<'END'
NumAcc3: 1000000.2, and 500 times 1000000.1 and 1000000.3; added one by one, 1000000.1999999994
NumAcc4: 10000000.2, and 500 times 10000000.1 and 10000000.3; added one by one, 10000000.200000098
Their sums are right in the last bit; the quotient rounds again, to a neighbour of the certified mean
END

caption 'A dot product with condition number 1e25 (Ogita, Rump and Oishi): 25 digits cancel'
run compare --dot gendot_x.npy gendot_y.npy

caption 'The harmonic series: 1000 terms shipped in Matrix Market format, 10 million made here'
run generate harmonic -n 10000000 harmonic.npy
run compare harmonic.mtx harmonic.npy

caption 'A sum that every other method gets wrong: 1 and pairs of +-1e30, +-1e45 ... +-1e300'
{
  echo 1
  for sign in '' -; do
    e=30
    while [ $e -le 300 ]; do
      echo "${sign}1e$e"
      e=$((e + 15))
    done
  done
} >pairs.txt
run compare pairs.txt
exact=$(field '' sum pairs.txt --method exact)
[ "$exact" = 0x1p+0 ] || { echo "demo: the exact sum is 0x1p+0, not $exact" >&2; exit 1; }

caption 'One sum of three files, one in memory at a time: the same bits in any order'
sed -n '1,7p' pairs.txt >first.txt
sed -n '8,30p' pairs.txt >second.txt
sed -n '31,$p' pairs.txt >third.txt
run sum --batch first.txt second.txt third.txt
batches=$(field '' sum --batch third.txt first.txt second.txt)
[ "$batches" = "$exact" ] || { echo "demo: the batches' sum is $batches, not $exact" >&2; exit 1; }

caption 'The same bits for any number of threads, whatever the method'
for method in plain compensated fold3 reproducible exact; do
  one=$(field '' sum harmonic.npy --method $method --threads 1)
  two=$(field '' sum harmonic.npy --method $method --threads 2)
  printf '%-14s1 thread %s, 2 threads %s\n' $method "$one" "$two"
  [ "$one" = "$two" ] || { echo 'demo: the bits differ' >&2; exit 1; }
done

caption 'A large file: 2^26 doubles, uniform in [-1, 1), 512 MiB'
run generate uniform -n 67108864 large.npy
run compare large.npy

caption 'Matrix products: every method beside the exact one, and for 1 and 2 threads the same file'
"$acc" generate uniform -n 700 --columns 1500 a.npy
"$acc" generate normal -n 1500 --columns 600 b.npy
run gemm a.npy b.npy --check
printf '\n%-14s%s\n' method 'error, at most'
for method in plain blocked seeded kahan priest compensated; do
  error=$(field error gemm a.npy b.npy --method $method --check --threads 1 --repeat 1 -o one.npy)
  "$acc" gemm a.npy b.npy --method $method --threads 2 --repeat 1 -o two.npy >report
  printf '%-14s%s\n' $method "$error"
  cmp one.npy two.npy || { echo 'demo: the bits differ' >&2; exit 1; }
done

caption 'Iterative refinement (examples/refinement): the residuals b - A x by two methods of acc::gemv'
"$bin/refinement" --kokkos-disable-warnings

caption 'A file cut short is refused'
head -c 4000 gendot_x.npy >cut.npy
status=0
run sum cut.npy 2>&1 || status=$?
[ "$status" -eq 1 ] || { echo "demo: expected exit status 1, got $status" >&2; exit 1; }
