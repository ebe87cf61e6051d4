#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of the command line: test_cli.sh ACC DATA_FOLDER GROUP
# Runs one group of cases in a folder of its own and fails if any case does.
set -u
[ -x "$1" ] || { echo "no program $1"; exit 1; }
acc=$1 data=$2 group=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  sed 's/^/    /' output errors
  failures=$((failures + 1))
}

# expect STATUS ARGUMENT...: runs acc; messages go to standard error, and only there.
expect() {
  status=$1
  shift
  "$acc" "$@" >output 2>errors
  got=$?
  [ $got -eq "$status" ] || fail "status $got, not $status: acc $*"
  if [ "$status" -eq 0 ]; then
    [ ! -s errors ] || fail "a message on success: acc $*"
  else
    grep -q . errors || fail "no message: acc $*"
  fi
  if [ "$status" -eq 1 ]; then
    case $(cat errors) in "acc: "*) ;; *) fail "the message does not begin with 'acc: ': acc $*" ;; esac
  fi
}
says() { grep -qF -- "$1" output || fail "output lacks '$1'"; }
complains() { grep -qF -- "$1" errors || fail "message lacks '$1'"; }
# line LABEL TEXT: the report has this line
line() { grep -qE "^$1 +$2\$" output || fail "no line '$1 $2'"; }

help() {
  expect 0 --help
  says 'fold8'
  says 'Exit status'
  for command in sum stats dot compare gemm generate; do
    expect 0 "$command" --help
    says "acc $command [OPTIONS]" # some versions of CLI11 write "Usage: " in front
  done
  expect 0 --version
  says 'acc '
  says 'Kokkos '
  expect 2
  expect 2 frobnicate
  complains "there is no command 'frobnicate'"
  expect 2 sum
  expect 2 sum a b
  expect 2 sum "$data/numacc1.txt" --method quick
  complains 'quick'
  expect 2 sum "$data/numacc1.txt" --type f16
  expect 2 sum "$data/numacc1.txt" --threads 0
  expect 2 sum "$data/numacc1.txt" --repeat -1
  expect 2 dot x
  expect 2 compare
  expect 2 compare --dot x
  complains '--dot'
}

sum() {
  # Certified means of NIST, as exact as a quotient of two rounded numbers can be.
  expect 0 sum "$data/numacc1.txt"
  line result 30000006
  line mean 10000002
  expect 0 sum "$data/numacc2.txt"
  line elements '1001 float64'
  line mean '1.2'
  line error 'exact .*'
  expect 0 sum "$data/numacc3.txt"
  line mean '1000000.2(000000001)?'
  expect 0 sum "$data/numacc4.txt"
  line mean '10000000.2(00000001)?'
  expect 0 sum "$data/harmonic.mtx" -m fold3 --threads 1
  line result '7.485470860550345'
  line '' '0x1.df11f45f4e61ap[+]2'
  line condition '1.00e[+]00'

  for method in plain compensated double_word fold2 fold8 reproducible exact; do
    expect 0 sum "$data/numacc1.txt" --method $method
    line method $method
    line result 30000006
  done
  expect 0 sum "$data/numacc2.txt" --type f32 --method widened
  line elements '1001 float32'
  expect 1 sum "$data/numacc2.txt" --method widened
  complains 'widened does not take a sum of float64'
  expect 1 sum "$data/numacc2.txt" --method compensated_fma
  expect 1 sum "$data/gendot_x.npy" --type f64
  complains '--type is for text'

  : >empty.txt
  expect 0 sum empty.txt
  line result 0
  line condition undefined
  echo '1 inf' >inf.txt
  expect 0 sum inf.txt
  line result inf
  echo '1 nan' >nan.txt
  expect 0 sum nan.txt
  line result '-?nan'
  printf '0x1p-1074, 1e308 # comment\n-1e308' >text
  expect 0 sum - <text
  line result '5e-324'
  expect 0 sum text
  printf '%%%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 3 4\n' >h.mtx
  expect 0 sum h.mtx
  line 'result re' 7
  line 'result im' '-?0'
}

# same_bits HEX ARGUMENT...: the first hexadecimal line of the report
same_bits() {
  bits=$1
  shift
  expect 0 "$@"
  got_bits=$(sed -n 's/^ *\(-\{0,1\}0x.*\)/\1/p;' output | head -n 1)
  [ "$got_bits" = "$bits" ] || fail "$got_bits, not $bits: acc $*"
}

batch() {
  expect 0 sum --help
  says '--batch'
  says 'or exact with --batch'

  # A file and the same numbers in three files of unequal lengths, in two orders.
  grep -v '^#' "$data/numacc4.txt" >whole.txt
  sed -n '1,100p' whole.txt >a.txt
  sed -n '101,103p' whole.txt >b.txt
  sed -n '104,$p' whole.txt >c.txt
  for method in exact reproducible; do
    expect 0 sum whole.txt --method $method
    hex=$(sed -n 's/^ *\(0x.*\)/\1/p;' output | head -n 1)
    case $hex in 0x1.*p+33) ;; *) fail "no hexadecimal line, but '$hex'" ;; esac
    same_bits "$hex" sum --batch whole.txt --method $method
    line batches 1
    same_bits "$hex" sum --batch a.txt b.txt c.txt --method $method
    line 'sum of' 'a.txt and 2 more'
    line batches 3
    line elements '1001 float64'
    line method $method
    line error 'exact .*'
    line condition '1.00e[+]00'
    says 'time '
    line bits 'the same for any order .*'
    same_bits "$hex" sum --method $method c.txt a.txt b.txt --batch --threads 1 --repeat 1
  done
  same_bits "$hex" sum --batch c.txt a.txt b.txt # exact by default
  line method exact
  expect 0 sum a.txt
  if grep -q '^batches\|^bits' output; then fail 'a sum of one file speaks of batches'; fi

  # What cancels from batch to batch: 1 + 2^-50 are left.
  echo '1e300 1' >p.txt
  echo '0x1p-50' >q.txt
  echo '-1e300' >m.txt
  : >empty.txt
  same_bits 0x1.0000000000004p+0 sum --batch p.txt q.txt m.txt empty.txt
  line condition '2.00e[+]300'
  same_bits 0x1.0000000000004p+0 sum --batch empty.txt m.txt p.txt q.txt
  same_bits 0x1.0000000000004p+0 sum --batch p.txt - m.txt <q.txt
  same_bits 0x0p+0 sum --batch empty.txt empty.txt
  line elements '0 float64'
  echo '1e38 1' >p.txt
  echo '-1e38' >m.txt
  same_bits 0x1p+0 sum --batch p.txt m.txt --type f32
  line elements '3 float32'

  # .npy, and complex numbers
  expect 0 generate uniform -n 5001 --seed 1 u.npy
  expect 0 generate normal -n 70000 --seed 2 n.npy
  expect 0 sum --batch u.npy n.npy "$data/harmonic.mtx"
  line elements '76001 float64'
  line error 'exact .*'
  hex=$(sed -n 's/^ *\(-\{0,1\}0x.*\)/\1/p;' output | head -n 1)
  same_bits "$hex" sum --batch n.npy "$data/harmonic.mtx" u.npy
  printf '%%%%MatrixMarket matrix array complex general\n2 1\n1 2\n0 1\n' >z.mtx
  for method in exact reproducible; do
    expect 0 sum --batch z.mtx z.mtx z.mtx --method $method
    line elements '6 complex128'
    line 'result re' 3
    line 'result im' 9
  done

  expect 2 sum --batch
  expect 2 sum a.txt b.txt
  complains 'Use --batch'
  for method in plain widened compensated double_word fold3; do
    expect 2 sum --batch a.txt b.txt --method $method
    complains "the result of method $method depends on how the numbers are divided into batches"
    complains 'Use reproducible or exact'
  done
  expect 1 sum --batch a.txt no_such_file c.txt
  complains 'no_such_file: cannot open: No such file'
  [ ! -s output ] || fail 'a report in spite of an error'
  expect 1 sum --batch a.txt b.txt z.mtx
  complains 'a.txt is float64 but z.mtx is complex128'
  expect 1 sum --batch u.npy a.txt --type f32
  complains '--type is for text'
  expect 1 sum --batch a.txt "$acc"
}

# Every bit is compared with rational arithmetic in test_axis.py.
axis() {
  expect 0 sum --help
  says '--axis N'
  expect 0 generate uniform -n 3 --columns 2 m.npy
  expect 0 sum --axis 0 m.npy
  [ "$(wc -l <output)" -eq 2 ] || fail 'a matrix of two columns has other than two sums of columns'
  expect 0 sum --axis -1 m.npy --method fold3 --threads 1
  [ "$(wc -l <output)" -eq 3 ] || fail 'a matrix of three rows has other than three sums of rows'
  expect 0 sum --axis 1 m.npy --method exact -o rows.npy
  [ ! -s output ] || fail 'numbers are printed although they go to a file'
  expect 0 sum --axis 1 m.npy --method exact
  "$acc" sum - --method exact <output >total || fail 'printed sums are not read'
  grep '^result' total >printed
  "$acc" sum rows.npy --method exact | grep '^result' >written
  cmp -s printed written || fail 'the sums that were written are not those that were printed'
  for axis in 2 -3 7; do
    expect 1 sum --axis $axis m.npy
    complains "m.npy: there is no axis $axis in an array of rank 2; it has 0 to 1"
  done
  expect 1 sum --axis 0 rows.npy
  complains 'rows.npy: an array of rank 1; sums along an axis are of rank 2 or more'
  expect 1 sum --axis 0 m.npy --method widened
  complains 'method widened does not take a sum of float64'
  expect 1 sum --axis 0 m.npy --type f64
  complains '--type is for text'
  expect 1 sum --axis 0 "$data/numacc1.txt"
  expect 1 sum --axis 0 m.npy -o no_such_folder/r.npy
  complains 'no_such_folder/r.npy: cannot write'
  expect 2 sum --axis 0 --batch m.npy
  expect 2 sum --axis x m.npy
  expect 2 sum --axis 0 m.npy m.npy
  expect 2 sum m.npy -o r.npy
}

# Every bit is compared with rational arithmetic in test_stats.py.
stats() {
  expect 0 stats --help
  says '--ddof'
  says 'correctly rounded'
  for option in --type --threads --progress; do says $option; done
  if grep -qe '--repeat\|--method' output; then fail 'stats has options that mean nothing to it'; fi

  # NIST certifies the mean and the standard deviation: 1, and 0.1 of numbers that are decimal.
  expect 0 stats "$data/numacc1.txt" --ddof 1
  line 'stats of' "$data/numacc1.txt"
  line count '3 float64'
  line sum 30000006
  line mean 10000002
  line '' '0x1.312d04p[+]23'
  line variance 1
  line '' '0x1p[+]0'
  line ddof 1
  line bits 'correctly rounded, so the same .*'
  if grep -q '^batches' output; then fail 'the statistics of one file speak of batches'; fi
  expect 0 stats "$data/numacc1.txt"
  line variance '0.6666666666666666'
  line ddof 0
  for i in 2 3 4; do
    expect 0 stats --ddof 1 "$data/numacc$i.txt"
    line count '1001 float64'
    line mean '10*.2'
    line variance '0.0(1000000|0999999).*'
  done
  expect 0 stats "$data/numacc1.txt" "$data/numacc4.txt" - <"$data/numacc2.txt"
  line 'stats of' "$data/numacc1.txt and 2 more"
  line batches 3
  line count '2005 float64'
  expect 0 stats "$data/numacc2.txt" --type f32 --threads 1
  line count '1001 float32'
  line mean 1.2
  expect 0 generate uniform -n 7 --columns 3 m.npy
  expect 0 stats m.npy "$data/harmonic.mtx"
  line count '1021 float64'

  # Too few numbers, and numbers that are not finite: as acc sum prints them.
  : >empty.txt
  expect 0 stats empty.txt
  line count '0 float64'
  line sum 0
  line mean '-?nan'
  line variance '-?nan'
  echo 3 >one.txt
  expect 0 stats one.txt
  line variance 0
  expect 0 stats one.txt empty.txt --ddof 1
  line mean 3
  line variance '-?nan'
  expect 0 stats "$data/numacc1.txt" --ddof 9223372036854775807
  line variance '-?nan'
  echo '1 inf' >inf.txt
  expect 0 stats inf.txt
  line sum inf
  line mean inf
  line variance '-?nan'
  echo '-inf' >minus.txt
  expect 0 stats inf.txt minus.txt
  line sum '-?nan'

  expect 2 stats
  for ddof in -1 1.5 x '' 9223372036854775808; do
    expect 2 stats one.txt --ddof "$ddof"
    complains '--ddof'
  done
  expect 2 stats one.txt --method exact
  expect 2 stats one.txt --type f16
  expect 2 stats one.txt --threads 0
  expect 1 stats one.txt no_such_file
  complains 'no_such_file: cannot open: No such file'
  [ ! -s output ] || fail 'a report in spite of an error'
  expect 1 stats one.txt "$data/gendot_x.npy" --type f64
  complains '--type is for text'
  printf '1 2\n3 x4 5\n' >garbage.txt
  expect 1 stats garbage.txt
  complains "garbage.txt:2:3: 'x4' is not a number"
  expect 1 stats - <garbage.txt
  complains 'standard input:2:3: '
  head -c 4000 "$data/gendot_x.npy" >cut.npy
  expect 1 stats cut.npy
  complains 'cut.npy: truncated'
  printf '%%%%MatrixMarket matrix array complex general\n2 1\n1 2\n0 1\n' >z.mtx
  expect 1 stats z.mtx
  complains 'stats: z.mtx is complex128, but statistics are of real numbers'
  expect 1 stats one.txt z.mtx
  complains 'stats: one.txt is float64 but z.mtx is complex128'
}

dot() {
  expect 0 dot "$data/gendot_x.npy" "$data/gendot_y.npy" --method fold3
  line result '-0.6972093783303075'
  line error 'exact .*'
  line condition '1.00e[+]25'
  expect 0 dot "$data/gendot_x.npy" "$data/gendot_y.npy" --method compensated_fma
  head -n 9 "$data/numacc4.txt" >short.txt
  expect 1 dot "$data/numacc4.txt" short.txt
  complains 'has 1001 elements but'
  expect 1 dot "$data/numacc1.txt" "$data/no_such"
  printf '%%%%MatrixMarket matrix array complex general\n2 1\n1 2\n0 1\n' >c.mtx
  expect 0 dot c.mtx c.mtx
  line 'result re' 6
  line 'result im' '-?0'
  echo '1 2' >real.txt
  expect 1 dot c.mtx real.txt
  complains 'c.mtx is complex128 but real.txt is float64'
}

compare() {
  expect 0 compare "$data"/numacc?.txt "$data/harmonic.mtx"
  for method in plain compensated double_word fold2 fold8 reproducible exact; do says $method; done
  [ "$(grep -c '^fold4 .*exact' output)" -eq 5 ] || fail 'fold4 is not exact five times'
  expect 0 compare --dot "$data/gendot_x.npy" "$data/gendot_y.npy"
  says compensated_fma
  expect 0 compare --type f32 "$data/numacc2.txt"
  says widened
  expect 1 compare "$data/numacc1.txt" no_such_file
}

gemm() {
  expect 0 --help
  says 'Methods of gemm:'
  expect 0 gemm --help
  says 'priest'
  if grep -q fold3 output; then fail 'gemm speaks of methods that it does not have'; fi

  # [1 2 3; 4 5 6] and [1 0; 0 1; 2 2]: [7 8; 16 17].
  array='%%MatrixMarket matrix array'
  printf '%s real general\n2 3\n1\n4\n2\n5\n3\n6\n' "$array" >a.mtx
  printf '%s integer general\n3 2\n1\n0\n2\n0\n1\n2\n' "$array" >b.mtx
  expect 0 gemm a.mtx b.mtx -o ab.npy --check
  line gemm 'A B'
  line A 'a.mtx: 2 x 3 float64, by columns'
  line result '2 x 2 float64, by rows'
  line method 'seeded, strips of 256'
  line checked 'all 4 entries'
  line error '0 ulp at most; 4 correctly rounded'
  line bound 'kept; the error is at most 0 of it'
  line written ab.npy
  says 'GFLOP/s'
  expect 0 sum ab.npy --method plain
  line result 48
  # 2 A^T C^T - AB, from .npy: another shape.
  printf '%s real general\n3 2\n1\n1\n0\n1\n0\n1\n' "$array" >c.mtx
  expect 0 gemm a.mtx c.mtx --transa t --transb T --check --alpha 2 -o d.npy
  line gemm '2 A\^T B\^T'
  line result '3 x 3 float64, by rows'
  expect 0 sum d.npy
  line result 84
  expect 0 gemm a.mtx b.mtx --c ab.npy --beta -1 -o zero.npy --method compensated --check
  line gemm 'A B [+] -1 C'
  line error '0 ulp .*'
  expect 0 sum zero.npy
  line result 0
  expect 0 gemm a.mtx b.mtx --c ab.npy --alpha 0x1p-1 -o e.npy
  line gemm '0.5 A B [+] 1 C'
  expect 0 sum e.npy
  line result 72
  expect 0 gemm a.mtx b.mtx --type f32 -m widened
  line B 'b.mtx: 3 x 2 float32, by columns'
  printf '%s complex hermitian\n2 2\n1 0\n2 3\n4 0\n' "$array" >h.mtx
  expect 0 gemm h.mtx h.mtx --transa C --alpha 1,-1 --check -o h.npy
  line gemm '[(]1, -1[)] A\^H B'
  line error '0 ulp at most; 4 correctly rounded'
  expect 0 sum h.npy
  line 'result re' 63
  line 'result im' -63

  # Large enough for tiles and samples: bounds are kept, and no thread, order or run moves a bit.
  expect 0 generate uniform -n 150 --columns 301 --seed 1 x.npy
  expect 0 generate normal -n 301 --columns 140 --seed 2 y.npy
  # The same bytes by columns are the transpose.
  sed "1s/False, 'shape': (150, 301)/True, 'shape': (301, 150) /" x.npy >turned.npy
  for method in plain blocked seeded kahan priest compensated exact; do
    expect 0 gemm x.npy y.npy --method $method --check --threads 1 --repeat 1 -o one.npy
    line method "$method.*"
    line checked '4096 of 21000 entries, drawn at random'
    line bound 'kept; .*'
    expect 0 gemm x.npy y.npy --method $method --threads 2 --repeat 1 -o two.npy
    cmp one.npy two.npy || fail "$method: the bits depend on the number of threads"
    expect 0 gemm turned.npy y.npy --transa T --method $method --repeat 1 -o two.npy
    cmp one.npy two.npy || fail "$method: the bits depend on the order of elements in memory"
    expect 0 gemm x.npy y.npy --method $method -o again.npy --c one.npy --beta 0 --repeat 1
    cmp one.npy again.npy || fail "$method: beta = 0 reads C"
  done
  says 'GFLOP/s'
  # Without a method: acc::gemm's default, here by its name.
  expect 0 gemm x.npy y.npy --repeat 1 -o one.npy
  expect 0 gemm x.npy y.npy --method seeded --strip 256 --repeat 1 -o two.npy
  cmp one.npy two.npy || fail 'the default is not seeded with strips of 256'
  expect 0 gemm x.npy y.npy --method seeded --strip 64 --repeat 1 -o two.npy
  if cmp -s one.npy two.npy; then fail 'strips of 64 have the same bits, so this shows nothing'; fi
  expect 0 gemm x.npy y.npy --method seeded --strip 1 --check
  line method 'seeded, strips of 1'
  line bound 'kept; .*'
  expect 0 gemm x.npy y.npy --method compensated --check
  line error '.* 4096 correctly rounded'
  expect 0 gemm x.npy y.npy --method exact --check --alpha 0.1 --c one.npy --beta -0.3
  line error '.* 4096 correctly rounded'
  expect 0 gemm x.npy y.npy --check --alpha 0.1 --c one.npy --beta -0.3
  line bound 'kept; .*'
  expect 0 gemm x.npy y.npy --method fixed_point --bits 20 --check --alpha 0.1 --c one.npy --beta -0.3
  line method 'fixed_point, 20 bits'
  line bound 'kept; .*'
  if grep -qE "error .* 4096 correctly" output; then fail '20 bits cut nothing, so this shows nothing'; fi

  expect 1 gemm x.npy no_such.npy
  complains 'no_such.npy: cannot open: No such file'
  expect 1 gemm x.npy x.npy
  complains 'gemm: op(A) is 150 x 301 (x.npy) but op(B) is 150 x 301 (x.npy): the columns'
  expect 1 gemm x.npy x.npy --transa T --c y.npy
  complains 'gemm: C is 301 x 140 (y.npy) but op(A) op(B) is 301 x 301'
  expect 1 gemm h.mtx a.mtx
  complains 'gemm: h.mtx is complex128 but a.mtx is float64'
  expect 1 gemm a.mtx b.mtx --alpha 1,2
  complains 'a.mtx is float64, which takes no complex alpha'
  expect 1 gemm x.npy y.npy --method widened
  complains 'method widened does not take a product of float64'
  expect 1 gemm "$data/gendot_x.npy" x.npy
  complains 'gendot_x.npy: an array of rank 1, where a matrix has rank 2'
  expect 1 gemm "$data/numacc1.txt" x.npy
  complains 'numacc1.txt: plain text has no rows'
  printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 5\n' >s.mtx
  expect 1 gemm s.mtx s.mtx
  complains "s.mtx:1: a matrix is read from the format 'array'"
  head -c 5000 x.npy >cut.npy
  expect 1 gemm cut.npy y.npy
  complains 'cut.npy: truncated'
  expect 1 gemm a.mtx b.mtx -o no_such_folder/c.npy
  complains 'no_such_folder/c.npy: cannot write'
  expect 2 gemm a.mtx
  expect 2 gemm a.mtx b.mtx --method fold3
  expect 2 gemm a.mtx b.mtx --transa X
  expect 2 gemm a.mtx b.mtx --strip 0
  expect 2 gemm a.mtx b.mtx --method plain --strip 8
  complains 'method plain has no strips'
  expect 2 gemm a.mtx b.mtx --method fixed_point
  complains 'method fixed_point needs --bits'
  expect 2 gemm a.mtx b.mtx --method fixed_point --bits 7
  expect 2 gemm a.mtx b.mtx --bits 24
  complains 'method seeded does not cut numbers'
  expect 2 gemm a.mtx b.mtx --beta 2
  complains '--c'
  for alpha in x '' 1,2,3 inf; do
    expect 2 gemm a.mtx b.mtx "--alpha=$alpha"
    complains '--alpha'
  done
}

generate() {
  expect 0 generate gendot -n 100 --condition 1e30 --seed 5 x.npy y.npy
  expect 0 dot x.npy y.npy --method fold4
  line error 'exact .*'
  expect 0 generate gendot -n 1000 --condition 1e24 --seed 28 x.npy y.npy
  cmp x.npy "$data/gendot_x.npy" || fail 'the shipped pair is not what generate makes'
  for kind in harmonic uniform normal; do
    expect 0 generate $kind -n 5001 $kind.npy
    expect 0 sum $kind.npy
    line elements '5001 float64'
    line error 'exact .*'
  done
  expect 0 generate uniform -n 6 v.npy
  expect 0 generate uniform -n 2 --columns 3 m.npy
  grep -qF "'shape': (2, 3)" m.npy || fail 'not a matrix of 2 rows and 3 columns'
  [ "$(tail -c 48 v.npy | cksum)" = "$(tail -c 48 m.npy | cksum)" ] || fail 'a matrix of other numbers'
  expect 2 generate harmonic --columns 3 m.npy
  expect 2 generate normal --columns 0 m.npy
  expect 0 generate harmonic -n 0 none.npy
  expect 0 sum none.npy
  line result 0
  expect 1 generate uniform no_such_folder/x.npy
  complains 'no_such_folder/x.npy: cannot write'
  expect 2 generate
  expect 2 generate gendot x.npy
  expect 2 generate gendot -n 3 x.npy y.npy
  expect 2 generate gendot --condition 0.5 x.npy y.npy
  expect 2 generate harmonic -n -1 x.npy
}

# stages ARGUMENT...: acc --progress says on standard error what it does, and the same as without it
# on standard output, but for times.
stages() {
  expect 0 "$@"
  grep -vE '^time|^speed|^written' output >without
  "$acc" "$@" --progress >output 2>errors || fail "status $?: acc $* --progress"
  grep -vE '^time|^speed|^written' output | cmp -s - without || fail "another result with --progress"
  grep -qv '^acc: ' errors && fail "a line of progress that does not begin with 'acc: '"
}

progress() {
  expect 0 generate uniform -n 100000 x.npy
  expect 0 generate uniform -n 30 --columns 20 a.npy
  stages sum x.npy
  complains 'reading x.npy: done in '
  complains 'exact sum of x.npy: done in '
  complains 'method plain: done in '
  complains 'method compensated: done in '
  stages sum "$data/numacc1.txt"
  complains 'numacc1.txt: done in '
  stages sum "$data/harmonic.mtx"
  complains 'parsing '
  stages sum --batch x.npy x.npy
  complains 'batches: done in '
  stages stats x.npy x.npy
  complains 'reading x.npy: done in '
  complains 'batches: done in '
  stages dot x.npy x.npy
  complains 'exact dot product of x.npy: done in '
  stages gemm a.npy a.npy --transb T --check
  complains 'exact entries of the product: done in '
  "$acc" compare x.npy --progress >output 2>errors || fail "status $?: acc compare --progress"
  complains 'method exact: done in '
  expect 0 sum x.npy --no-progress
  head -c 4000 x.npy >cut.npy
  expect 1 sum cut.npy --progress
  complains 'cut.npy: truncated'
  grep -q 'cut.npy: done' errors && fail 'a stage that failed is called done'
}

broken_npy() {
  x=$data/gendot_x.npy # 128 bytes of header, 8000 of data
  for bytes in 0 3 6 7 8 9 10 50 127; do
    head -c $bytes "$x" >cut.npy
    expect 1 sum cut.npy
    complains 'cut.npy: truncated'
  done
  for bytes in 128 129 4000 8127; do
    head -c $bytes "$x" >cut.npy
    expect 1 sum cut.npy
    complains "$((bytes - 128)) bytes follow"
  done
  { cat "$x" && printf x; } >long.npy
  expect 1 sum long.npy
  complains 'trailing bytes'
  sed "s/'descr'/'dxscr'/" "$x" >header.npy
  expect 1 sum header.npy
  complains 'malformed .npy header'
  sed 's/<f8/<i8/' "$x" >type.npy
  expect 1 sum type.npy
  complains "'<i8' is not supported"
  sed 's/<f8/>f8/' "$x" >swapped.npy
  expect 0 sum swapped.npy
  cp "$data/numacc1.txt" text.npy
  expect 1 sum text.npy
  complains 'not an .npy file'
  expect 1 compare "$x" header.npy
}

broken_text() {
  printf '1 2\n3 x4 5\n' >garbage.txt
  expect 1 sum garbage.txt
  complains "garbage.txt:2:3: 'x4' is not a number"
  expect 1 sum - <garbage.txt
  complains 'standard input:2:3: '
  printf '1 2\n1e999' >range.txt
  expect 1 sum range.txt
  complains 'out of the range of float64'
  head -c 4096 "$acc" >binary
  expect 1 sum binary
  banner='%%MatrixMarket matrix coordinate real general'
  printf '%s\n3 3 2\n1 1 5\n' "$banner" >few.mtx
  expect 1 sum few.mtx
  complains 'ends where entry 2 of 2 should be'
  printf '%s\n3 3 1\n4 1 5\n' "$banner" >index.mtx
  expect 1 sum index.mtx
  complains 'index.mtx:3:1: expected an index from 1 to 3'
  printf '%s\n' '%%MatrixMarket tensor' >banner.mtx
  expect 1 sum banner.mtx
}

unusable_files() {
  expect 1 sum no_such_file
  complains 'no_such_file: cannot open: No such file'
  mkdir folder
  expect 1 sum folder
  complains 'folder: is a directory'
  expect 1 dot folder folder
  echo 1 >secret.txt
  chmod 0 secret.txt
  if [ ! -r secret.txt ]; then # root may read everything
    expect 1 sum secret.txt
    complains 'Permission denied'
  fi
  if [ -w /dev/full ]; then
    "$acc" sum "$data/numacc1.txt" >/dev/full 2>errors && fail 'a full disk went unnoticed'
    expect 1 generate uniform /dev/full
  fi
}

# A name may hold any byte: it neither steers the terminal nor begins a line.
strange_names() {
  name=$(printf 'a\033[31m\nacc: well') shown='a?[31m?acc: well'
  tame() {
    "$1" "$2"
    if grep -q "$(printf '\033')" output errors; then fail "an escape sequence beside '$2'"; fi
    if grep -q '^acc: well' output errors; then fail "a line by a name beside '$2'"; fi
  }
  echo '1 2' >"$name"
  expect 0 sum "$name"
  tame says "sum of      $shown"
  expect 0 sum --batch "$name" "$name"
  tame says "sum of      $shown and 1 more"
  expect 0 stats "$name" "$name"
  tame says "stats of    $shown and 1 more"
  expect 0 compare "$name"
  tame says "sum of $shown: 2 float64"
  "$acc" sum "$name" --progress >output 2>errors || fail "status $?: --progress"
  tame complains "acc: exact sum of $shown: done in "
  expect 0 generate uniform -n 2 --columns 2 "$name.npy"
  expect 0 gemm "$name.npy" "$name.npy" -o "$name.npy"
  tame says "B           $shown.npy: 2 x 2"
  tame says "written     $shown.npy"
  expect 1 sum "no $name"
  tame complains "acc: no $shown: cannot open"
  expect 2 sum x "--method=$name"
  tame complains "$shown"
  expect 2 gemm a b "--alpha=$name"
  tame complains "$shown"
}

: >output
: >errors
"$group"
[ $failures -eq 0 ]
