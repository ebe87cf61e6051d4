#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: installed_bits.sh FOLDER_OF_INSTALLED_TESTS FOLDER_TO_WRITE_TO
# Two runs in the place of two machines, with other numbers of threads and instruction sets.
set -eu
export OMP_PROC_BIND=false OMP_WAIT_POLICY=passive
OMP_NUM_THREADS=1 ACC_HOST_ISA=baseline "$1/acc-bits" record --output "$2/one.json"
OMP_NUM_THREADS=4 "$1/acc-bits" record --output "$2/other.json"
"$1/acc-bits" diff "$2/one.json" "$2/other.json"
