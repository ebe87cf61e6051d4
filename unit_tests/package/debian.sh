#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: debian.sh CPACK BUILD FILE_OF_KOKKOS FOLDER_TO_WRITE_TO
# cpack makes packages for Debian. Each has what its name says, and libacc-dev asks for the package that the file of
# Kokkos belongs to. Unpacks all into FOLDER/root, for a program that uses them.
set -eu
cpack=$1 build=$2 kokkos=$3 folder=$4
fail() { echo "debian.sh: $*" >&2 && exit 1; }

rm -rf "$folder"
mkdir -p "$folder/root"
"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$folder" -D CPACK_PACKAGE_CONTACT="Nobody <nobody@example.org>"
for deb in "$folder"/*.deb; do
  dpkg-deb --info "$deb"
  dpkg-deb --extract "$deb" "$folder/root"
done

set -- "$folder"/libacc-dev_*.deb
[ $# = 1 ] && [ -f "$1" ] || fail "there must be one package libacc-dev"
contents=$(dpkg-deb --contents "$1")
for file in include/acc/sum.hpp cmake/acc/accConfig.cmake; do
  case $contents in *"$file"*) ;; *) fail "libacc-dev has no $file" ;; esac
done
case $contents in *libexec*) fail "libacc-dev has tests or benchmarks" ;; esac
if owner=$(dpkg-query --search "$kokkos" 2> /dev/null); then
  case $(dpkg-deb --field "$1" Depends) in *"${owner%%:*}"*) ;; *) fail "libacc-dev does not depend on ${owner%%:*}" ;; esac
fi
