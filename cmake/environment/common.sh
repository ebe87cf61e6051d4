# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced by the scripts beside it.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # chroot; a user's PATH lacks them on Debian

say() { printf 'acc: %s\n' "$*" >&2; }

# die MESSAGE [WHAT TO DO]...: one line each.
die() {
  say "$1"
  shift
  (($# == 0)) || printf '     %s\n' "$@" >&2
  exit 1
}

# A user of a cluster cannot install what a root file system needs. The site's Kokkos he has.
without_root=("With a Kokkos of this machine, 4.7 or newer (module load, spack load), none is needed:"
  "  cmake -S . -B build -DKokkos_ROOT=PREFIX -DACC_ENABLE_TESTS=OFF -DACC_ENABLE_TOOLS=OFF")

# die, where this machine lacks the means for a root file system, so that trying again is of no use:
# status 77.
die_without_means() {
  (die "$@" "${without_root[@]}") || exit 77
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export source_dir
source_dir=$(cd "$here/../.." && pwd)

# Everything we make lies here, and nothing of it in the source tree.
cache_dir() {
  local dir=${ACC_CACHE:-${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}/acc}
  [[ $dir == /?* && $dir != /acc ]] ||
    die "no cache directory: neither HOME nor XDG_CACHE_HOME is set." "Set ACC_CACHE to one."
  { mkdir -p "$dir" 2> /dev/null && [[ -w $dir ]]; } ||
    die "cannot write to the cache directory $dir." "Set ACC_CACHE to another."
  (cd "$dir" && pwd)
}

# What `unshare` needs to be told to give us mounts of our own; who is not root becomes root in a
# user namespace that knows only him.
mount_namespace=(--mount)
((EUID == 0)) || mount_namespace+=(--map-root-user)

require_mount_namespace() {
  local reason
  reason=$(unshare "${mount_namespace[@]}" true 2>&1) ||
    die_without_means \
      "this machine lets us make no mount namespace for a root file system (unshare ${mount_namespace[*]}):" "$reason" \
      "In a container: run it with --privileged. As a user: ask for user namespaces, or be root." \
      "In a chroot: make its folder a mount point before you enter it (mount --bind DIR DIR, then mount /proc in it)."
}

# build_dir CACHE: where the builds of this source tree lie.
build_dir() {
  local key
  key=$(sha256sum <<< "$source_dir")
  echo "$1/build/${source_dir##*/}-${key:0:12}"
}
