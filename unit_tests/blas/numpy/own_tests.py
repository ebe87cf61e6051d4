# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs NumPy's and SciPy's own tests of linear algebra by themselves and through acc's library with the BLAS's
own names.

usage: own_tests.py LIBRARY [--path DIR[:DIR]] [--threads N]

LIBRARY and --path are those of bits.py. It needs pytest and hypothesis; SciPy's tests are left out where
there is no SciPy. Exits with 1 if a test fails through acc that does not fail without, or is not run.
"""
import argparse
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import bits

# module, what pytest's -k selects
SUITES = [("numpy.linalg", ""), ("numpy._core.tests.test_multiarray", "dot or matmul"),
          ("numpy._core.tests.test_einsum", ""), ("scipy.linalg.tests.test_blas", ""),
          ("scipy.linalg.tests.test_fblas", ""), ("scipy.linalg.tests.test_lapack", "")]


def run(suite, environment):
    """test -> "passed", "failed" or "skipped"."""
    module, selection = suite
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        ran = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}",
                              "--pyargs", module, "-k", selection], cwd=folder, env=environment, check=False,
                             capture_output=True, text=True)
        if not report.exists():
            sys.exit(f"{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}\npytest {module} ended with {ran.returncode}")
        results = {}
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            kinds = {child.tag for child in case}
            ending = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            results[f"{case.get('classname')}.{case.get('name')}"] = ending
        return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--path", default="")
    parser.add_argument("--threads", default="2")
    arguments = parser.parse_args()
    library = arguments.library.resolve(strict=True)
    bits.require_reached(arguments.path, library)
    worse = []
    print(f"{'alone: passed, failed, skipped':>80}   through acc")
    for suite in SUITES:
        if importlib.util.find_spec(suite[0].split(".", maxsplit=1)[0]) is None:
            print(f"{suite[0]:47} left out: not here")
            continue
        alone, through = (run(suite, {**bits.variables(arguments.path, preloaded),
                                      **bits.on_threads(arguments.threads)}) for preloaded in (None, library))
        count = [[list(results.values()).count(ending) for ending in ("passed", "failed", "skipped")]
                 for results in (alone, through)]
        print(f"{' '.join(suite):47}", *(f"{number:10}" for numbers in count for number in numbers), flush=True)
        new = sorted(test for test, ending in alone.items() if through.get(test, "gone") not in (ending, "passed"))
        worse += [f"{test}: {alone[test]} alone, {through.get(test, 'gone')} through acc" for test in new]
        worse += [f"{suite[0]}: no test passed"] * (count[1][0] == 0)
        for test, ending in alone.items():
            if ending == "failed" == through.get(test):
                print(f"    fails alone, too: {test}")
    for line in worse:
        print(f"FAILED: {line}")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
