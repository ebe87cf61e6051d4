#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat << EOF
usage: migrate.sh [--prefix PATHS] [--mirror DIR] [--work DIR] [--size N] [--runs N]
       migrate.sh --check | --help
Migrates a public program to acc, runs it before and after, and prints a hash of its residuals
for 1, 2, 3 and 4 threads. It needs git, CMake, a C++20 compiler, Kokkos and acc.
  --prefix PATHS  where CMake finds Kokkos and acc (CMAKE_PREFIX_PATH: a list with semicolons)
  --mirror DIR    clone DIR/kokkos-remote-spaces, not from github.com
  --work DIR      an empty or new directory to work in (default: one of its own, then removed)
  --size N        the edge of the cube, in elements (default: 50)
  --runs N        runs for each thread count (default: 3)
  --check         read every patch file, without a network or a compiler, and end
EOF
}

die() {
  echo "migrate.sh: $*" >&2
  exit 1
}

# git apply --numstat reads a whole patch, without the files that it changes. It runs in /, since it
# reads a repository around the current directory, which may be broken, too.
check() {
  local patch changes
  for patch in "$here"/patches/*.patch; do
    changes=$(cd / && git apply --numstat --unidiff-zero "$patch") || die "$patch is not a patch."
    [[ $changes ]] || die "$patch changes nothing."
    echo "${patch##*/}: added, removed, file: $changes"
  done
}

prefix='' mirror=https://github.com/kokkos work='' size=50 runs=3
while (($#)); do
  case $1 in
    --help) usage && exit ;;
    --check) check && exit ;;
    --prefix | --mirror | --work | --size | --runs)
      (($# > 1)) || die "$1 needs a value."
      printf -v "${1#--}" %s "$2"
      shift 2
      ;;
    *) die "there is no option '$1'. Try --help." ;;
  esac
done
[[ $size =~ ^[1-9][0-9]*$ ]] || die "--size is '$size', not a positive integer."
[[ $runs =~ ^[1-9][0-9]*$ ]] || die "--runs is '$runs', not a positive integer."

if [[ ! $work ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
[[ ! $(ls -A "$work") ]] || die "$work is not empty."
work=$(cd "$work" && pwd)

commit=b8b6f0697e8d0a9d72a1e12f658360f8593eee01
git clone --quiet "$mirror/kokkos-remote-spaces" "$work/before"
git -C "$work/before" checkout --quiet --detach "$commit"
# The first patch prints each residual with all its bits. Both versions have it.
git -C "$work/before" apply --unidiff-zero "$here/patches/cgsolve-history.patch"
cp -R "$work/before" "$work/after"
git -C "$work/after" apply --unidiff-zero "$here/patches/cgsolve-acc.patch"

cmake -S "$here" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
  -DBEFORE="$work/before" -DAFTER="$work/after" > "$work/log"
cmake --build "$work/build" >> "$work/log" || { cat "$work/log" && die "the build failed."; }

# A program that fails stops the script: set -e sees the plain assignments below.
printf '%-8s %7s %4s %11s %9s  %s\n' version threads run iterations seconds 'hash of the residuals'
for threads in 1 2 3 4; do
  for ((run = 1; run <= runs; ++run)); do
    # Before and after alternate, so that noise of the machine meets both.
    for version in before after; do
      output=$(OMP_NUM_THREADS=$threads OMP_PROC_BIND=false "$work/build/cgsolve_$version" "$size")
      history=$(grep '^history' <<< "$output")
      summary=$(grep '^CGSolve' <<< "$output")
      iterations=$(sed -E 's/.*; ([0-9]+) iterations.*/\1/' <<< "$summary")
      seconds=$(sed -E 's/.*; ([0-9.]+) time.*/\1/' <<< "$summary")
      echo "$history" > "$work/history"
      hash=$(cmake -E sha256sum "$work/history")
      printf '%-8s %7s %4s %11s %9s  %s\n' "$version" "$threads" "$run" "$iterations" "$seconds" "${hash:0:16}"
    done
  done
done
