# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An sdist of the Python package needs nothing beside it but an installed acc: usage: sdist.py PACKAGE
VERSION COMMAND..., where COMMAND configures the project in the current folder for that acc."""

import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

from scikit_build_core import build

package, version, *configure = sys.argv[1:]
os.chdir(package)
with tempfile.TemporaryDirectory() as folder:
    archive = build.build_sdist(folder)
    with tarfile.open(pathlib.Path(folder, archive)) as tar:
        tar.extractall(folder)
    alone = pathlib.Path(folder, archive.removesuffix(".tar.gz"))
    files = [*pathlib.Path("acc").glob("*.py"), *pathlib.Path("src").glob("*.?pp")]
    missing = [str(f) for f in files if not (alone / f).exists()]
    os.chdir(alone)
    info = build.prepare_metadata_for_build_wheel(folder)
    metadata = pathlib.Path(folder, info, "METADATA").read_text().splitlines()
    if missing or f"Version: {version}" not in metadata:
        sys.exit(f"lacks {missing}, or version {version} among:\n" + "\n".join(metadata))
    subprocess.run(configure, check=True)
    os.chdir(package)  # the folder goes
