# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the reference BLAS's own test programs, of Fortran and of C, through acc's library with the BLAS's own
names.

usage: reference_tests.py LIBRARY [--programs DIR] [--path DIR[:DIR]]

LIBRARY is libacc_standard_blas.so. --programs has xdblat1 and so on with their inputs: by default where
Debian's package libblas-test has them. --path has another BLAS for what acc lacks (LD_LIBRARY_PATH), if
that is not the system's. Exits with 1 if a program finds an error or ends early, with 77 if there are no programs.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COMPLAINTS = re.compile(r"\bFAIL|FATAL|SUSPECT|ABANDONED|LESS THAN HALF|\*{7}|NOT DETECTED|ERROR STOP|cannot be preloaded", re.I)
PASSES = re.compile(r"PASSED THE .*TESTS|----- PASS -----", re.I)


def programs(folder):
    """Each program, and its input if it reads one."""
    for kind, inputs in (("blat", "{t}blat{level}.in"), ("cblat", "{t}in{level}")):
        for level in "123":
            for t in "sdcz":
                # Debian names xblat1d and xdcblat1.
                names = [f"x{t}{kind}{level}", f"x{kind}{level}{t}"]
                found = [folder / name for name in names if (folder / name).exists()]
                if found:
                    yield found[0], folder / inputs.format(t=t, level=level) if level != "1" else None


def run(program, given, environment):
    """What the program printed and wrote."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([program], cwd=folder, env=environment, input=given.read_text() if given else "",
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                             timeout=600)
        written = "".join(file.read_text(errors="replace") for file in sorted(pathlib.Path(folder).iterdir()))
        if ran.returncode:
            written += f"\nended with {ran.returncode}: FAIL"
        return ran.stdout + written


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path)
    parser.add_argument("--path", default="")
    arguments = parser.parse_args()
    library = arguments.library.resolve(strict=True)
    folder = arguments.programs or next(iter(pathlib.Path("/usr/lib").glob("*/blas/xblat3d")), pathlib.Path("/")).parent
    all_programs = list(programs(folder))
    if not all_programs:
        print(f"{folder} has no test programs of the reference BLAS (Debian: libblas-test)")
        return 77
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    if arguments.path:
        environment["LD_LIBRARY_PATH"] = arguments.path
    failed = 0
    for program, given in all_programs:
        output = run(program, given, environment)
        complaints = [line.strip() for line in output.splitlines() if COMPLAINTS.search(line)]
        passes = len(PASSES.findall(output))
        failed += bool(complaints) or passes == 0
        print(f"{program.name:10} {passes:3} passed, {len(complaints)} complaints")
        for line in complaints[:5]:
            print(f"           {line}")
    print(f"{len(all_programs)} programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
