#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: run.sh ENVIRONMENT COMMAND...
# Runs COMMAND, in the source tree, where what ENVIRONMENT (a file in recipes/) names can be
# found: on this machine if CMake finds it here, else in a root file system made for it.
# Exits with 77 where neither can be had on this machine, else as COMMAND does.
# COMMAND finds ACC_SOURCE and ACC_BUILD, a build directory of its own, in its environment.
#   ACC_ENVIRONMENT=native|root  settles the question
#   ACC_CACHE=DIR                keeps builds and root file systems there, not in ~/.cache/acc
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

environment=$1
shift
[[ -f $here/recipes/$environment ]] || die "there is no environment '$environment'."
cache=$(cache_dir)

# Does CMake find it here, new enough? Asked of CMake itself, in a project of a few lines.
found_here() {
  command -v cmake > /dev/null || return
  local dir
  dir=$(mktemp -d)
  cmake -S "$here/probe" -B "$dir" -DACC_ENVIRONMENT="$environment" > "$dir/log" 2>&1
  local status=$?
  rm -rf "$dir"
  return $status
}

case ${ACC_ENVIRONMENT:-auto} in
  native | root) place=$ACC_ENVIRONMENT ;;
  auto) if found_here; then place=native; else place=root; fi ;;
  *) die "ACC_ENVIRONMENT is '$ACC_ENVIRONMENT', not native or root." ;;
esac

build=$(build_dir "$cache")/$environment-$place
mkdir -p "$build" "$cache/ccache"
say "$environment: $place, build directory $build"

if [[ $place == native ]]; then
  cd "$source_dir"
  ACC_SOURCE=$source_dir ACC_BUILD=$build exec "$@"
fi
root=$("$here/make_root.sh" "$environment")
exec "$here/enter_root.sh" "$root" "$build" "$cache/ccache" "$@"
