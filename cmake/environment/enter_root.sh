#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: enter_root.sh ROOT BUILD_DIR CCACHE_DIR COMMAND...
# Runs COMMAND in the root file system ROOT. The source tree stands at /acc/source (read-only,
# unless ACC_WRITE_SOURCE is set) and BUILD_DIR at /acc/build. The mounts live in a namespace of
# their own and end with the command. Who is not root becomes root in a user namespace that knows
# only him, so whatever he makes there is his.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

if [[ ${1:-} != --inside ]]; then
  require_mount_namespace
  exec unshare "${mount_namespace[@]}" -- "$BASH" "$here/enter_root.sh" --inside "$@"
fi

root=$2 build=$3 ccache=$4
shift 4

# A bind mount that must not be written: the flags are those a user namespace may not drop.
bind_read_only() {
  mount --bind "$1" "$2"
  mount -o remount,bind,ro,nosuid,nodev "$2"
}

mount --bind "$root" "$root"
if [[ ${ACC_WRITE_SOURCE:-} ]]; then
  mount --bind "$source_dir" "$root/acc/source"
else
  bind_read_only "$source_dir" "$root/acc/source"
fi
if [[ ${KOKKOS_SOURCE:-} ]]; then
  mkdir -p "$root/acc/kokkos"
  bind_read_only "$KOKKOS_SOURCE" "$root/acc/kokkos"
fi
mount --bind "$build" "$root/acc/build"
mount --bind "$ccache" "$root/acc/ccache"
for dir in proc dev sys; do
  mount --rbind "/$dir" "$root/$dir"
done
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -o remount,bind,ro,nosuid,nodev "$root"

# The environment of this machine means little in there, but for what was said to us.
environment=(PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp LANG=C.UTF-8
  ACC_SOURCE=/acc/source ACC_BUILD=/acc/build CCACHE_DIR=/acc/ccache CMAKE_GENERATOR=Ninja)
for name in TERM CI CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL "${!OMP_@}" "${!KOKKOS_@}" \
  BLA_VENDOR "${!OPENBLAS_@}" "${!BLIS_@}" "${!BENCHMARK_@}" ACC_PERF_IDLE; do
  [[ ! -v $name ]] || environment+=("$name=${!name}")
done
[[ ! ${KOKKOS_SOURCE:-} ]] || environment+=(KOKKOS_SOURCE=/acc/kokkos)
exec chroot "$root" /usr/bin/env -i -C /acc/source "${environment[@]}" "$@"
