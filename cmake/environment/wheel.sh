#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): wheel.sh, with KOKKOS_SOURCE in the environment
# Makes a wheel of the Python package with Kokkos (Serial, OpenMP) inside, in ACC_BUILD/dist, and runs the
# package's tests with it in a new virtual environment. Kokkos is built from its source, the folder
# KOKKOS_SOURCE: a wheel needs a static one, and Debian's is shared.
set -euo pipefail
kokkos=$KOKKOS_SOURCE
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
launcher=
! command -v ccache > /dev/null || launcher=ccache

# Without an architecture of Kokkos, so it runs on each processor; acc's kernels choose by themselves. Kokkos 4's
# deprecated code would count the default instance's threads for every instance.
prefix=$ACC_BUILD/kokkos
cmake --fresh -S "$kokkos" -B "$ACC_BUILD/build-kokkos" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_CXX_STANDARD=20 \
  -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_DEPRECATED_CODE_4=OFF -DCMAKE_INSTALL_LIBDIR=lib \
  -DCMAKE_CXX_COMPILER_LAUNCHER=$launcher -DCMAKE_INSTALL_PREFIX="$prefix"
rm -rf "$prefix"
cmake --build "$ACC_BUILD/build-kokkos" --parallel "$jobs" --target install

# The compiler's own libraries inside, too: a user's may be older. Their names stay inside: of two libstdc++ in
# one process, NumPy's and this one, the linker would else mix objects. libgomp is the one that auditwheel adds.
rm -rf "$ACC_BUILD/raw" "$ACC_BUILD/dist" "$ACC_BUILD/venv"
CMAKE_BUILD_PARALLEL_LEVEL=$jobs python3 -m pip wheel --no-build-isolation --no-deps --no-index \
  --wheel-dir "$ACC_BUILD/raw" --config-settings=build-dir="$ACC_BUILD/build-python" \
  --config-settings=cmake.define.Kokkos_ROOT="$prefix" \
  --config-settings=cmake.define.ACC_ENABLE_HWLOC=OFF \
  --config-settings=cmake.define.CMAKE_MODULE_LINKER_FLAGS="-static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL" \
  --config-settings=cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=$launcher \
  --config-settings=cmake.define.CMAKE_COMPILE_WARNING_AS_ERROR="${CI:+ON}" \
  "$ACC_SOURCE/python"
auditwheel repair --wheel-dir "$ACC_BUILD/dist" "$ACC_BUILD"/raw/*.whl
wheel=$(echo "$ACC_BUILD"/dist/*.whl)

# The new environment has the wheel and, since no package index is asked, this system's NumPy.
python3 -m venv --system-site-packages "$ACC_BUILD/venv"
python=$ACC_BUILD/venv/bin/python
"$python" -m pip install --no-deps --no-index --disable-pip-version-check "$wheel"
cd "$ACC_BUILD" # not the source tree, whose acc Python would find first
"$python" -B "$ACC_SOURCE/unit_tests/python/wheel_alone.py"
OMP_WAIT_POLICY=passive "$python" -B -m unittest discover --start-directory "$ACC_SOURCE/python/tests"
echo "acc: tested: $wheel"
