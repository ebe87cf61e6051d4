#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: make_root.sh RECIPE
# Prints the path of the root file system that recipes/RECIPE describes; makes it first if this
# machine has none. It is a plain directory, owned by the caller: `rm -r` removes it. Exits with 77
# where this machine lacks the means to make one.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

recipe=$1
recipe_file=$here/recipes/$recipe
# shellcheck source=recipes/openmp
. "$recipe_file"
roots=$(cache_dir)/roots
hash=$(sha256sum < "$recipe_file")
root=$roots/$recipe-${hash:0:12}
if [[ -d $root ]]; then
  echo "$root"
  exit
fi

# The mirrors to try: the one this machine gets its own Debian from, then Debian's.
mirrors() {
  if [[ -n ${ACC_DEBIAN_MIRROR:-} ]]; then
    echo "$ACC_DEBIAN_MIRROR"
    return
  fi
  if grep -qx 'ID=debian' /etc/os-release; then
    # shellcheck disable=SC2016 # the $(...) are apt's
    apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
      awk '$1 !~ "[-/]" && $2 == "main" { sub("/$", "", $3); print $3 }'
  fi
  echo http://deb.debian.org/debian
}

# This machine's apt settings that decide whether a mirror can be reached.
apt_options() {
  apt-config dump Acquire::http
  apt-config dump Acquire::https
  [[ ! -r /etc/apt/auth.conf ]] || echo 'Dir::Etc::netrc "/etc/apt/auth.conf";'
  [[ ! -r /etc/apt/auth.conf.d ]] || echo 'Dir::Etc::netrcparts "/etc/apt/auth.conf.d";'
  echo 'Acquire::Check-Valid-Until "false";' # a mirror may lag; signatures are still checked
}

require_mmdebstrap() {
  local packages=(mmdebstrap debian-archive-keyring)
  if ((EUID != 0)); then
    { command -v mmdebstrap && command -v newuidmap; } > /dev/null ||
      die_without_means "a root file system needs mmdebstrap and newuidmap." \
        "Ask root for: apt-get install ${packages[*]} uidmap"
    grep -q "^\($(id -un)\|$UID\):" /etc/subuid ||
      die_without_means "a root file system needs a range of subordinate user ids in /etc/subuid, and you have none." \
        "Ask root for: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $(id -un)"
  fi
  ! command -v mmdebstrap > /dev/null || return 0
  command -v apt-get > /dev/null ||
    die_without_means "a root file system needs mmdebstrap, and this is not a Debian system."
  say "installing ${packages[*]}"
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update && apt-get install --no-install-recommends -y "${packages[@]}"; } \
    > "$log" 2>&1 < /dev/null || die "cannot install mmdebstrap:" "$(tail -n 5 "$log")"
}

# mmdebstrap writes a tar archive and we unpack it: so the files belong to the caller, whichever
# user namespace mmdebstrap needed, and no device node or foreign owner is left in the cache.
# As root, mmdebstrap mounts /proc and /dev and would leave them behind if killed: so it gets
# namespaces of its own, which end with it.
bootstrap() {
  local mirror=$1 suite option options=() sources=()
  # apt calls a package of the second architecture NAME:ARCHITECTURE; its programs need an emulator.
  [[ -z ${foreign:-} ]] || options+=("--architectures=$(dpkg --print-architecture),$foreign")
  for suite in "${suites[@]}"; do
    sources+=("deb $mirror $suite main")
  done
  while IFS= read -r option; do
    options+=("--aptopt=$option")
  done < <(apt_options)
  "${shell[@]}" mmdebstrap --mode="$mode" --variant=apt --format=tar "${options[@]}" \
    --include="$(IFS=, && echo "${packages[*]}")" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "${suites[0]}" - "${sources[@]}" 2> "$log" < /dev/null |
    tar -x --no-same-owner --exclude='./dev/*' -C "$making" 2> /dev/null
}

# libkokkos-dev 5.2.2 leaves out two static archives that its CMake files name. Both libraries are
# header-only, so an empty archive (the magic of ar(5), nothing else) takes their place.
add_missing_archives() {
  local core archive
  for core in "$1"/usr/lib/*/libkokkoscore.so; do
    for archive in "${core%/*}"/libkokkos{algorithms,simd}.a; do
      [[ -e $archive ]] || printf '!<arch>\n' > "$archive"
    done
  done
}

mkdir -p "$roots"
exec 9> "$roots/.lock"
flock --nonblock 9 || { say "another run is making a root file system; waiting" && flock 9; }
if [[ ! -d $root ]]; then
  require_mount_namespace
  rm -rf --one-file-system "$roots"/.making-* # of a run that was killed
  making=$(mktemp -d "$roots/.making-XXXXXX")
  log=$roots/$recipe.log
  trap 'rm -rf --one-file-system "$making"' EXIT
  require_mmdebstrap
  # mmdebstrap's temporary files, 1.5 GB; a user's subordinate ids may not enter his home.
  mode=unshare shell=(env)
  export TMPDIR=${TMPDIR:-/var/tmp}
  if ((EUID == 0)); then
    mode=root shell=(unshare --mount --pid --fork --kill-child --mount-proc)
    TMPDIR=$making/tmp
  fi
  made=
  while IFS= read -r mirror; do
    say "making a root file system of Debian ${suites[*]} from $mirror (a minute or two)"
    mkdir -p "$making/tmp"
    if bootstrap "$mirror"; then
      made=yes
      break
    fi
    say "that failed: $(grep -m 1 '^E:' "$log" | cut -c 1-200)"
    find "$making" -xdev -mindepth 1 -delete
  done < <(mirrors | awk '!seen[$0]++')
  [[ $made ]] || die "cannot make the root file system; the whole story is in $log." \
    "No network? Connect once; later runs need none. Another mirror: ACC_DEBIAN_MIRROR=URL." \
    "${without_root[@]}"
  [[ ! " ${packages[*]} " =~ " libkokkos-dev"[\ :] ]] || add_missing_archives "$making"
  rm -f "$making/etc/apt/apt.conf.d/99mmdebstrap" # it may hold a proxy's password
  mkdir -p "$making"/acc/{source,build,ccache}
  chmod 755 "$making"
  mv -T "$making" "$root"
fi
echo "$root"
