#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage (through run.sh): numpy.sh
# NumPy, SciPy, R and Octave through the library with the BLAS's own names: how many results there are, and
# NumPy's and SciPy's own tests, with each BLAS and LAPACK of this system. docs/bindings.md has what came of it.
set -euo pipefail
cmake/environment/build.sh -DBUILD_SHARED_LIBS=ON -DACC_ENABLE_TESTS=OFF -DACC_ENABLE_TOOLS=OFF -- acc_standard_blas
library=$ACC_BUILD/blas/libacc_standard_blas.so
python3 --version
python3 -c 'import numpy, scipy; print("NumPy", numpy.__version__, "SciPy", scipy.__version__)'

# Debian keeps each BLAS and LAPACK in a folder; what has none here stays the system's.
libraries=$(dirname "$(find /usr/lib -name 'libblas.so.3' -path '*/blas/*' -print -quit)")
libraries=${libraries%/blas}
openblas=$libraries/openblas-pthread reference=$libraries/lapack:$libraries/blas
status=0
printf '\n== the reference BLAS'"'"'s test programs\n'
python3 -B unit_tests/blas/reference_tests.py "$library" --path "$libraries/blas" || status=1
for path in "$openblas" "$libraries/lapack:$openblas" "$reference"; do
  printf '\n== %s\n' "$path"
  python3 -B unit_tests/blas/numpy/bits.py "$library" --path "$path" || status=1
  python3 -B unit_tests/blas/numpy/interpreters.py "$library" --path "$path" || status=1
done
for path in "$openblas" "$reference"; do
  printf '\n== %s\n' "$path"
  python3 -B unit_tests/blas/numpy/own_tests.py "$library" --path "$path" || status=1
done
exit $status
