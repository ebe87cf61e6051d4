#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: environment.sh SOURCE_DIR
# What `make test` does where an environment cannot be had: its scripts in a folder of their own,
# with a run.sh that ends as the case wants, and with a machine that has nothing.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/cmake" "$folder/bin"
cp -r "$1/cmake/environment" "$folder/cmake"
scripts=$folder/cmake/environment
failures=0

# expect STATUS TEXT COMMAND...: COMMAND ends so and says TEXT.
expect() {
  local status=0 said
  said=$("${@:3}" 2>&1) || status=$?
  if [[ $status != "$1" || $said != *"$2"* ]]; then
    printf '%s\nstatus %s, expected %s and "%s" of: %s\n\n' "$said" "$status" "$1" "$2" "${*:3}"
    failures=$((failures + 1))
  fi
}

# Whatever a machine lacks, the message names the other way, too: the site's Kokkos.
site=$'\n       cmake -S . -B build -DKokkos_ROOT=PREFIX '
# On this machine no root file system can be made: there is no apt-get to find mmdebstrap by.
for tool in bash awk basename cat chmod dirname env find flock grep head id mkdir mktemp mv rm \
  sha256sum unshare; do
  ! path=$(command -v $tool) || ln -s "$path" "$folder/bin"
done
sed -i 's/^PATH=.*//' "$scripts/common.sh" # it would add the folders of this machine
alone=(env -i PATH="$folder/bin" ACC_CACHE="$folder/cache" ACC_ENVIRONMENT=root
  "$BASH" "$scripts/run.sh")
expect 77 'acc: ' "${alone[@]}" openmp true
expect 77 'acc: ' "${alone[@]}" kokkos-kernels true
expect 1 'there is no environment' "${alone[@]}" nowhere true

# Nor where mounts are refused: the reason is the kernel's, and shown.
rm "$folder/bin/unshare"
printf '#!/bin/sh\necho "unshare: not by $*" >&2\nexit 1\n' > "$folder/bin/unshare"
chmod +x "$folder/bin/unshare"
expect 77 'no mount namespace' "${alone[@]}" openmp true
expect 77 $'\n     unshare: not by --mount' "${alone[@]}" openmp true
expect 77 "$site" "${alone[@]}" openmp true

# Where mounts are allowed, mmdebstrap is missing, which a user can only ask for. The message of
# docs/errors.md is that of root on a machine that is no Debian.
printf '#!/bin/sh\n' > "$folder/bin/unshare"
documented=$(awk '/^### / { here = /^### No root file system$/ } here && /^```$/ { exit } inside { print }
  here && /^```text$/ { inside = 1 }' "$1/docs/errors.md")
cp "$scripts/make_root.sh" "$folder/make_root.sh"
as() { sed "s/EUID/$1/g" "$folder/make_root.sh" > "$scripts/make_root.sh"; }
as 0
expect 77 "${documented:?}" "${alone[@]}" openmp true
as 1000
expect 77 'Ask root for: apt-get install mmdebstrap' "${alone[@]}" openmp true
expect 77 "$site" "${alone[@]}" openmp true

# test.sh by the endings of its two environments.
cat > "$scripts/run.sh" << 'END'
#!/bin/bash
echo "ran $1"
case $1 in kokkos-kernels) exit "$KERNELS" ;; *) exit "$OPENMP" ;; esac
END
# shellcheck disable=SC2329 # expect calls it
test_ending() { env -u CI KERNELS="$1" OPENMP="$2" "${@:3}" "$scripts/test.sh"; }
expect 0 'ran openmp' test_ending 0 0
expect 0 'acc: kokkos-kernels: left out' test_ending 77 0
expect 1 'ran openmp' test_ending 77 1
expect 1 'ran openmp' test_ending 77 77
expect 1 'ran openmp' test_ending 1 0
expect 1 'no test ran' test_ending 77 0 CI=true # nothing is left out silently before a change lands

exit $((failures > 0))
