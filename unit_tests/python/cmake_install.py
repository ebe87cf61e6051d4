# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CMake alone installs the Python package: usage: cmake_install.py PACKAGE VERSION FOLDER CMAKE ARGUMENTS...,
which makes the virtual environment FOLDER/venv with the Python that runs this, and leaves the package in it.
ARGUMENTS are for the configuration."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv
from email.parser import Parser

package, version, folder, cmake, *arguments = sys.argv[1:]
folder = pathlib.Path(folder)
venv.create(folder / "venv", clear=True, symlinks=True)
# What `activate` sets. No folder of this environment is searched for modules before the new one's.
environment = os.environ | {"VIRTUAL_ENV": str(folder / "venv"),
                            "PATH": f"{folder / 'venv' / 'bin'}:{os.environ.get('PATH', '')}"}
environment.pop("PYTHONPATH", None)


def run(*command):
    return subprocess.run(command, check=True, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True).stdout


def python(*words):
    return run(folder / "venv" / "bin" / "python", "-B", *words)


def fail(message, *texts):
    sys.exit("\n".join([message, *texts]))


# The new environment sees NumPy and pip where this one has them.
site = pathlib.Path(python("-c", "import sysconfig; print(sysconfig.get_path('platlib'), end='')"))
found = {str(pathlib.Path(importlib.util.find_spec(name).origin).parent.parent)
         for name in ("numpy", "pip", "pybind11")}
(site / "outside.pth").write_text("\n".join(found))
before = set(site.rglob("*"))

# Where the module's libraries lie, the dynamic linker must know from the module.
outside = [f"-DCMAKE_PROJECT_acc_python_INCLUDE={pathlib.Path(__file__).parent.resolve() / 'library_elsewhere.cmake'}",
           f"-DACC_TEST_ELSEWHERE={folder / 'library'}"]
log = run(cmake, "-S", package, "-B", "build-cmake", *outside, *arguments)
if f"acc: cmake --install puts the Python package into {site}\n" not in log:
    fail(f"not configured for {site}:", log)
run(cmake, "--build", "build-cmake", "--parallel", os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2"))

# An earlier version is forgotten.
earlier = site / "acc_kokkos-0.0.1.dist-info"
earlier.mkdir()
(earlier / "METADATA").write_text("Metadata-Version: 2.1\nName: acc-kokkos\nVersion: 0.0.1\n")
run(cmake, "--install", "build-cmake")
modules = {path.name for path in pathlib.Path(package, "acc").glob("*.py")}
got = python("-c", """if True:
    import acc, importlib.metadata as m
    print(acc.__file__, acc.__version__, m.version('acc-kokkos'), acc.sum([1, 1e100, 1, -1e100], method='exact'))
    print(*sorted(str(f) for f in m.files('acc-kokkos') if f.locate().exists() and f.parent.name == 'acc'))
    print(*(f for f in m.files('acc-kokkos') if not f.locate().exists()))""").splitlines()
if got[0] != f"{site}/acc/__init__.py {version} {version} 2.0":
    fail("the package is not what was installed:", *got)
compiled = [path.name for path in (site / "acc").iterdir() if path.suffix != ".py"]
if len(compiled) != 1 or got[1:] != [" ".join(sorted(f"acc/{name}" for name in {*modules, *compiled})), ""]:
    fail("the files recorded are not those installed:", *got)

pip = "-m", "pip", "--disable-pip-version-check", "--no-cache-dir"
listed = python(*pip, "list")
if ["acc-kokkos", version] not in [line.split() for line in listed.splitlines()]:
    fail("pip does not list it:", listed)
metadata = Parser().parsestr((site / f"acc_kokkos-{version}.dist-info" / "METADATA").read_text()).items()
if importlib.util.find_spec("scikit_build_core"):
    from scikit_build_core import build
    os.chdir(package)
    with tempfile.TemporaryDirectory() as wheel:
        info = build.prepare_metadata_for_build_wheel(wheel)
        theirs = Parser().parsestr(pathlib.Path(wheel, info, "METADATA").read_text()).items()
    # The version of the format is the writer's choice.
    ours, theirs = (sorted(item for item in items if item[0] != "Metadata-Version") for items in (metadata, theirs))
    if ours != theirs:
        fail("the metadata are not those of pip's wheel:", str(ours), str(theirs))

python(*pip, "uninstall", "--yes", "acc-kokkos")
if left := set(site.rglob("*")) - before:
    fail("pip uninstall leaves", *map(str, left))
run(cmake, "--install", "build-cmake")

# A prefix named at the installation is that of the package.
elsewhere = folder / "elsewhere"
shutil.rmtree(elsewhere, ignore_errors=True)
run(cmake, "--install", "build-cmake", "--prefix", elsewhere)
if not (elsewhere / site.relative_to(folder / "venv") / f"acc_kokkos-{version}.dist-info" / "RECORD").exists():
    fail(f"nothing installed into {elsewhere}")
