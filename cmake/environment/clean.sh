#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: clean.sh [--all]
# Removes this source tree's builds; with --all everything in the cache directory that is ours.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

cache=$(cache_dir)
rm -rf --one-file-system "$source_dir/build" "$(build_dir "$cache")"
[[ ${1:-} != --all ]] || rm -rf --one-file-system "$cache"/{build,ccache,roots}
