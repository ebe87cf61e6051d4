#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat << EOF
usage: migrate.sh [OPTION]... [PROGRAM]...
       migrate.sh --check | --help
Migrates public programs to acc, runs each before and after, and prints a hash of what it computed for
several numbers of MPI ranks and threads. PROGRAM: cgsolve, cloverleaf, examinimd, hpcg, kokkos-hpcg
(default: all).
It needs git, CMake, a C++20 compiler, MPI, and acc with acc::mpi and its Kokkos with OpenMP.
CMake reads CXX and CXXFLAGS. With a Kokkos that has CUDA, set CXX to its nvcc_wrapper: then all programs but
hpcg run on the GPU (each rank on the next one), and the threads are the host's, so --shapes '1x1 2x1' will do.
  --prefix PATHS  where CMake finds Kokkos and acc (CMAKE_PREFIX_PATH: a list with semicolons)
  --mirror DIR    clone DIR/NAME, not from github.com (NAME: of the repository)
  --work DIR      an empty or new directory to work in (default: one of its own, then removed)
  --size N        the edge of the problem: elements, cells, unit cells or rows (default: each program's)
  --runs N        runs for each number of ranks and threads (default: 3)
  --shapes LIST   RANKSxTHREADS with spaces between (default: '1x1 1x2 1x4 1x8 2x1 4x1')
  --mpiexec CMD   how ranks are started (default: mpiexec)
  --check         read every file of edits, without a network or a compiler, and end
EOF
}

die() {
  echo "migrate.sh: $*" >&2
  exit 1
}

# edits/PROGRAM/both/FILE.sed changes FILE of both versions (it prints what is hashed), .../after/FILE.sed that of
# the second, after it. They are scripts for sed, since the programs' text is not ours.
edits() {
  (cd "$1" && find . -name '*.sed' | sort)
}

# sed reads a whole script before it reads a line.
check() {
  local file count=0
  while read -r file; do
    sed -n -f "$here/edits/$file" < /dev/null || die "edits/$file is not a script for sed."
    grep -qv '^#' "$here/edits/$file" || die "edits/$file changes nothing."
    count=$((count + 1))
  done < <(edits "$here/edits")
  ((count > 0)) || die "there are no edits."
  echo "$count files of edits"
}

# edit PROGRAM VERSION DIR
edit() {
  [[ -d $here/edits/$1/$2 ]] || return 0
  local script file
  while read -r script; do
    file=$3/${script%.sed}
    sed -f "$here/edits/$1/$2/$script" "$file" > "$work/edited"
    ! cmp -s "$work/edited" "$file" || die "edits/$1/$2/$script changes nothing."
    cat "$work/edited" > "$file"
  done < <(edits "$here/edits/$1/$2")
}

programs=()
prefix='' mirror='' work='' size='' runs=3 shapes='1x1 1x2 1x4 1x8 2x1 4x1' mpiexec=mpiexec
while (($#)); do
  case $1 in
    --help) usage && exit ;;
    --check) check && exit ;;
    --prefix | --mirror | --work | --size | --runs | --shapes | --mpiexec)
      (($# > 1)) || die "$1 needs a value."
      printf -v "${1#--}" %s "$2"
      shift 2
      ;;
    cgsolve | cloverleaf | examinimd | hpcg | kokkos-hpcg) programs+=("$1") && shift ;;
    *) die "there is no option or program '$1'. Try --help." ;;
  esac
done
((${#programs[@]})) || programs=(cgsolve cloverleaf examinimd hpcg kokkos-hpcg)
[[ ! $size || $size =~ ^[1-9][0-9]*$ ]] || die "--size is '$size', not a positive integer."
[[ $runs =~ ^[1-9][0-9]*$ ]] || die "--runs is '$runs', not a positive integer."
for shape in $shapes; do
  [[ $shape =~ ^[1-9][0-9]*x[1-9][0-9]*$ ]] || die "--shapes has '$shape', not RANKSxTHREADS."
done

if [[ ! $work ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
[[ ! $(ls -A "$work") ]] || die "$work is not empty."
work=$(cd "$work" && pwd)

# What is known of a program: repository, commit, size, what it says of its seconds.
describe() {
  case $1 in
    cgsolve) repository=kokkos/kokkos-remote-spaces commit=b8b6f0697e8d0a9d72a1e12f658360f8593eee01 edge=50 ;;
    cloverleaf) repository=UoB-HPC/cloverleaf_kokkos commit=ab16307627c30dc6271bd60c688e8d21dd52d977 edge=240 ;;
    examinimd) repository=ECP-copa/ExaMiniMD commit=3264e29e28e7a5a4695a959c12df6bdf03bada34 edge=12 ;;
    hpcg) repository=hpcg-benchmark/hpcg commit=114602d458d1034faa52b71e4c15aba9b3a17698 edge=32 ;;
    kokkos-hpcg) repository=zabookey/Kokkos-HPCG commit=7ca081e51a275c4fb6b21e8871788e88e8715dbc edge=32 ;;
  esac
  edge=${size:-$edge}
}

# Input files, in the directory where the program runs, and its arguments.
prepare() {
  arguments=()
  case $1 in
    cgsolve) arguments=("$edge") ;;
    cloverleaf)
      sed -E "s/^( [xy]_cells)=.*/\1=$edge/; s/^ test_problem.*/ summary_frequency=10/" \
        "$work/$1-before/InputDecks/clover_bm_short.in" > clover.in
      ;;
    examinimd)
      sed -E "s/^(region.*block).*/\1 0 $edge 0 $edge 0 $edge/" "$work/$1-before/input/in.lj" > in.lj
      arguments=(-il in.lj --comm-type MPI)
      ;;
    hpcg | kokkos-hpcg) printf 'acc\nacc\n%s %s %s\n0\n' "$edge" "$edge" "$edge" > hpcg.dat ;; # 0 seconds: one solution
  esac
}

# The program's own clock, without its start.
seconds() {
  case $1 in
    cgsolve) sed -nE 's/^CGSolve.*; ([0-9.]+) time.*/\1/p' output ;;
    cloverleaf) sed -n 's/^Wall clock //p' output | tail -n 1 ;;
    examinimd) awk '/PERFORMANCE/ { print $4 }' output ;;
    hpcg) sed -n 's/^Benchmark Time Summary::Total=//p' HPCG-Benchmark*.txt ;;
    kokkos-hpcg) sed -n 's/^Total time for CG: //p' output ;;
  esac
}

for program in "${programs[@]}"; do
  describe "$program"
  git clone --quiet "${mirror:-https://github.com/${repository%/*}}/${repository#*/}" "$work/$program-before"
  git -C "$work/$program-before" checkout --quiet --detach "$commit"
  edit "$program" both "$work/$program-before"
  cp -R "$work/$program-before" "$work/$program-after"
  edit "$program" after "$work/$program-after"
  # In /: git reads a repository around the current directory, which may be broken. It says by its status
  # that there are differences.
  changes=$(
    cd /
    git diff --no-index --numstat "$work/$program-before" "$work/$program-after" || true
  )
  awk -v p="$program" '{ a += $1; r += $2; f += 1 }
    END { printf "%s: %d lines added, %d removed, in %d files\n", p, a, r, f }' <<< "$changes"

  if ! {
    cmake -S "$here" -B "$work/$program-build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
      -DPROGRAM="$program" -DBEFORE="$work/$program-before" -DAFTER="$work/$program-after" &&
      cmake --build "$work/$program-build"
  } > "$work/log" 2>&1; then
    cat "$work/log"
    die "the build of $program failed."
  fi
done

# Kokkos's CMake files say where the programs run.
grep -m 1 '^-- Enabled Kokkos devices' "$work/log" || true
# A program that fails stops the script: set -e sees the plain commands below.
printf '%-11s %-7s %5s %7s %4s %10s  %s\n' program version ranks threads run seconds 'hash of the results'
for program in "${programs[@]}"; do
  describe "$program"
  for shape in $shapes; do
    ranks=${shape%x*}
    # miniFE's solver and HPCG's Kokkos port, as it is built, know no MPI, and CloverLeaf as it is aborts with
    # several ranks.
    [[ $ranks == 1 || $program == examinimd || $program == hpcg ]] || continue
    for ((run = 1; run <= runs; ++run)); do
      # Before and after alternate, so that noise of the machine meets both.
      for version in before after; do
        rm -rf "$work/run"
        mkdir "$work/run"
        cd "$work/run"
        prepare "$program"
        command=("$work/$program-build/${program}_$version" "${arguments[@]}")
        if ((ranks > 1)); then
          read -ra start <<< "$mpiexec"
          command=("${start[@]}" -n "$ranks" "${command[@]}")
        fi
        OMP_NUM_THREADS=${shape#*x} OMP_PROC_BIND=false "${command[@]}" > output
        grep '^history' output > history
        hash=$(cmake -E sha256sum history)
        printf '%-11s %-7s %5s %7s %4s %10s  %s\n' "$program" "$version" "$ranks" "${shape#*x}" "$run" \
          "$(seconds "$program")" "${hash:0:16}"
      done
    done
  done
done
