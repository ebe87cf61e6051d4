#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: whole_programs.sh PYTHON ACC_BITS FOLDER_OF_SPARSE_SOLVERS FOLDER_TO_WRITE_TO [MPIEXEC FLAG_OF_RANKS]
# Solvers record all their residuals with other numbers of threads and MPI ranks, and on the host where
# Kokkos's default device is a GPU. acc-bits finds no bit that differs. In those of MPI_Allreduce it does.
set -eu
python=$1 acc_bits=$2 programs=$3 folder=$4
shift 4
export OMP_PROC_BIND=false OMP_WAIT_POLICY=passive
mkdir -p "$folder"
cd "$folder"
rm -f ./*.bits

for threads in 1 4; do
  OMP_NUM_THREADS=$threads "$programs/sparse_solvers" --record-bits=threads$threads.bits > output
done
OMP_NUM_THREADS=2 "$programs/sparse_solvers" --host --record-bits=host.bits > output
"$python" -B "$acc_bits" diff threads1.bits threads4.bits host.bits

[ $# != 0 ] || exit 0
kinds="host plain"
[ "$(grep '^space:' threads1.bits)" = "$(grep '^space:' host.bits)" ] || kinds="device $kinds"
for run in 1x1 1x4 3x1 2x2; do
  for kind in $kinds; do
    case $kind in
      device) option= ;;
      host) option=--host ;;
      plain) option="--host --plain" ;;
    esac
    # shellcheck disable=SC2086 # $option has no word, one or two
    OMP_NUM_THREADS=${run#*x} "$1" "$2" "${run%x*}" "$programs/sparse_ranks" $option --record-bits=$kind$run.bits
  done
done
"$python" -B "$acc_bits" diff host1x1.bits host1x4.bits host3x1.bits host2x2.bits
case $kinds in
  device*) "$python" -B "$acc_bits" diff host1x1.bits device1x1.bits device1x4.bits device3x1.bits device2x2.bits ;;
esac
status=0
"$python" -B "$acc_bits" diff --most 1 plain1x1.bits plain1x4.bits plain3x1.bits plain2x2.bits || status=$?
[ $status = 1 ]
