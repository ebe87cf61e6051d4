# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the different results of NumPy's linear algebra over threads and processors: of the BLAS that
NumPy was linked to, and of acc's library with the BLAS's own names before it.

usage: bits.py LIBRARY [--threads 1,2,3,4] [--path DIR[:DIR]] [--acc-only]

LIBRARY is libacc_standard_blas.so. --path is put before LD_LIBRARY_PATH: it names another BLAS or LAPACK, as
/usr/lib/x86_64-linux-gnu/openblas-pthread on Debian. Each number of threads is combined with each
processor of the table below that this one can stand in for: what OpenBLAS, acc and the C library
are told to use of it. --acc-only leaves NumPy by itself out.

Exits with 0 if each product of NumPy has one result through acc. Where LAPACK is the reference's, solutions and
factors must have one, too, and where the BLAS is also the reference's, all must. Exits with 77 if this NumPy
does not call acc's library.
"""
import argparse
import hashlib
import os
import pathlib
import re
import subprocess
import sys

# name of OpenBLAS (OPENBLAS_CORETYPE), of acc (ACC_HOST_ISA), flags that Linux shows in /proc/cpuinfo
PROCESSORS = [("Prescott", "baseline", "pni"), ("Haswell", "avx2", "avx2 fma"), ("Zen", "avx2", "avx2 fma"),
              ("SkylakeX", "avx512", "avx512f avx512dq avx512bw avx512vl")]
WIDER = {"baseline": ["AVX2", "FMA", "AVX512F"], "avx2": ["AVX512F"], "avx512": []}  # glibc's names

# Whose results they are. "BLAS": NumPy asks the BLAS for them. "factors": it asks LAPACK, and the reference's
# asks for functions of the BLAS that acc has, or that do not round. "LAPACK": the reference's also asks for
# functions that stay those of NumPy's BLAS, as trmm and ger.
OPERATIONS = {
    "a @ b": ("BLAS", lambda np, d: d.a @ d.b),
    "a @ a.T": ("BLAS", lambda np, d: d.a @ d.a.T),
    "a @ v": ("BLAS", lambda np, d: d.a @ d.v),
    "v @ a.T": ("BLAS", lambda np, d: d.v @ d.a.T),
    "v @ v": ("BLAS", lambda np, d: d.v @ d.v),
    "vdot(v, v)": ("BLAS", lambda np, d: np.vdot(d.v, d.v)),
    "solve": ("factors", lambda np, d: np.linalg.solve(d.square, d.right)),
    "inv": ("factors", lambda np, d: np.linalg.inv(d.square)),
    "cholesky": ("factors", lambda np, d: np.linalg.cholesky(d.definite)),
    "qr": ("LAPACK", lambda np, d: np.linalg.qr(d.square)),
    "lstsq": ("LAPACK", lambda np, d: np.linalg.lstsq(d.tall, d.right, rcond=None)[0]),
    "svd": ("LAPACK", lambda np, d: np.linalg.svd(d.tall)),
    "eigvalsh": ("LAPACK", lambda np, d: np.linalg.eigvalsh(d.definite)),
    "eigvals": ("LAPACK", lambda np, d: np.linalg.eigvals(d.square)),
}
TYPES = ["float32", "float64", "complex64", "complex128"]


class Data:
    """Matrices in [-1, 1) of shapes that no register tile divides, large enough for threads."""

    def __init__(self, np, dtype, m=211, k=307, n=103):
        bits = np.random.PCG64(2026)

        def uniform(*shape):  # by integers alone, in a way that NumPy keeps from version to version
            kind = np.dtype(dtype)
            parts = 1 + (kind.kind == "c")
            digits = np.finfo(kind).nmant + 1
            units = bits.random_raw(parts * int(np.prod(shape))) >> np.uint64(64 - digits)
            real = units.astype(f"f{kind.itemsize // parts}") * 2.0 ** (1 - digits) - 1
            return real.view(kind).reshape(shape)

        self.a, self.b, self.v = uniform(m, k), uniform(k, n), uniform(k)
        self.square, self.right, self.tall = uniform(m, m), uniform(m, 7), uniform(m, 97)
        h = uniform(m, m)
        self.definite = ((h + h.conj().T) / 2 + 40 * np.eye(m)).astype(dtype)


def compute():
    """In a process of its own: the libraries, and a hash of each result."""
    import numpy as np

    for name in TYPES:
        data = Data(np, name)
        for operation, (_, call) in OPERATIONS.items():
            result = call(np, data)
            result = result if isinstance(result, tuple) else (result,)
            digest = hashlib.sha256(b"".join(np.ascontiguousarray(r).tobytes() for r in result)).hexdigest()
            print("hash", name, digest[:16], operation)
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    for library in sorted(set(re.findall(r"(/\S*/lib(?!acc)\S*(?:blas|lapack)\S*\.so\S*)", maps))):
        print("library", library)


class Died(Exception):
    """A program ended with an error."""


def child(environment, command, **options):
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **options)
    if ran.returncode:
        raise Died(f"{ran.stderr[-2000:]}\n{' '.join(command)} ended with {ran.returncode}")
    return ran


def python(environment, *command):
    return child(environment, [sys.executable, "-B", *command])


def variables(path, library):
    """The environment of NumPy by itself, or through acc."""
    new = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    new["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [path, os.environ.get("LD_LIBRARY_PATH")]))
    if library:
        new["LD_PRELOAD"] = str(library)
    return new


def on_threads(number):
    return {"OMP_NUM_THREADS": number, "OPENBLAS_NUM_THREADS": number, "OMP_WAIT_POLICY": "passive",
            "OMP_PROC_BIND": "false"}


def require_reached(path, library):
    """Ends the process unless NumPy's calls go to the library: with 77 if NumPy calls no BLAS by its own names."""
    trace = python({**variables(path, library), "LD_DEBUG": "bindings"}, "-c",
                   "import numpy; a = numpy.ones((2, 3)); a @ numpy.ones((3, 4))").stderr
    bound = re.search(r"binding file \S*_multiarray_umath\S* \[0\] to (\S+) \[0\]: normal symbol `cblas_dgemm'", trace)
    if not bound:
        print("skipped: this NumPy has a BLAS of its own (numpy.show_config()), which no library can replace")
        sys.exit(77)
    if pathlib.Path(bound[1]).resolve() != library:
        sys.exit(f"FAILED: NumPy calls cblas_dgemm of {bound[1]}, not of {library}")


def processors():
    info = pathlib.Path("/proc/cpuinfo")
    flags = info.read_text(encoding="utf-8").split() if info.exists() else []
    found = [p for p in PROCESSORS if set(p[2].split()) <= set(flags)]
    return found or [("", "", "")]  # no x86: itself alone


def environments(path, library, threads):
    """One for each processor that this one can stand in for, and each number of threads."""
    for core, isa, _ in processors():
        for number in threads:
            environment = {**variables(path, library), **on_threads(number)}
            if core:
                off = ",".join(f"-{name}" for name in WIDER[isa])
                environment.update(OPENBLAS_CORETYPE=core, ACC_HOST_ISA=isa, GLIBC_TUNABLES=f"glibc.cpu.hwcaps={off}")
            yield environment


def each_result(run, path, library, threads):
    """run(environment) in each of the environments. A BLAS that dies by itself is left out there, and
    named: OpenBLAS 0.3.34 did, in its own sgemm, where it was told to be another processor."""
    for environment in environments(path, library, threads):
        try:
            yield run(environment)
        except Died as died:
            if library:
                raise
            print(f"\nalone, left out: {environment.get('OPENBLAS_CORETYPE', 'this processor')},"
                  f" threads: {environment['OMP_NUM_THREADS']}{str(died).rstrip()}")


def count(path, library, threads):
    """operation and type -> the set of its hashes; and the libraries."""
    hashes, libraries = {}, set()
    for ran in each_result(lambda environment: python(environment, __file__, "--compute"), path, library, threads):
        for line in ran.stdout.splitlines():
            kind, *rest = line.split(maxsplit=3)
            if kind == "hash":
                hashes.setdefault((rest[2], rest[0]), set()).add(rest[1])
            else:
                libraries.add(rest[0])
    return hashes, libraries


def digest(results):
    """One hash of the hashes of results, each a tuple -> a set: to compare with another machine's."""
    lines = sorted(str((*key, *sorted(hashes))) for key, hashes in results.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--threads", default="1,2,3,4")
    parser.add_argument("--path", default="")
    parser.add_argument("--acc-only", action="store_true")
    arguments = parser.parse_args()
    library = arguments.library.resolve(strict=True)
    threads = arguments.threads.split(",")

    require_reached(arguments.path, library)

    def results_of(kinds):
        return {key: hashes for key, hashes in through.items() if OPERATIONS[key[0]][0] in kinds}

    alone = {} if arguments.acc_only else count(arguments.path, None, threads)[0]
    through, libraries = count(arguments.path, library, threads)
    # Those libraries choose by the processor and by threads, and their LAPACK does not call the BLAS.
    optimised = [name for name in libraries if re.search("openblas|mkl|atlas|blis|flame", name)]
    mine = {"BLAS"}
    if not any("lapack" in name for name in optimised) and any("lapack" in name for name in libraries):
        mine |= {"factors"} if optimised else {"factors", "LAPACK"}

    print(*sorted(libraries), sep="\n")
    print(f"\nresults over {', '.join(core or 'this processor' for core, *_ in processors())} and"
          f" {arguments.threads} threads: {'alone -> ' if alone else ''}through acc\n")
    print(f"{'':12}", *(f"{name:>12}" for name in TYPES))
    wrong = []
    for operation, (who, _) in OPERATIONS.items():
        cells = []
        for name in TYPES:
            before, after = (len(hashes.get((operation, name), ())) for hashes in (alone, through))
            cells.append(f"{f'{before} -> {after}' if alone else after:>12}")
            if after != 1 and who in mine:
                wrong.append(f"{operation} of {name}: {after} results")
        print(f"{operation:12}", *cells)
    print(f"\nall products: {digest(results_of({'BLAS'}))}")
    if len(mine) > 1:
        print(f"{'all results' if 'LAPACK' in mine else 'products and factors'}: {digest(results_of(mine))}")
    others = [operation for operation, (who, _) in OPERATIONS.items() if who not in mine]
    if others:
        print(f"computed in part by {' '.join(sorted(optimised)) or 'NumPy itself'}: {', '.join(others)}")
    for line in wrong:
        print(f"FAILED: {line}")
    return int(bool(wrong))


if __name__ == "__main__":
    if sys.argv[1:] == ["--compute"]:
        compute()
    else:
        try:
            sys.exit(main())
        except Died as died:
            sys.exit(f"FAILED: {died}")
