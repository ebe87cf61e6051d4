# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the different results of R's and Octave's linear algebra over threads and processors: of the BLAS
that they were linked to, and of acc's library with the BLAS's own names before it.

usage: interpreters.py LIBRARY [--threads 1,2,3,4] [--path DIR[:DIR]]

LIBRARY, --threads and --path are those of bits.py. Exits with 0 if each product has one result through acc, in R and
Octave alike, and, where the LAPACK is the reference's, each solution, too; with 77 if there is neither R nor Octave.
"""
import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import bits

# Who computes it, as in bits.py; R; Octave. a is 211 x 307, b 307 x 103, v 307 long, s square, h positive definite.
OPERATIONS = {
    "a b": ("BLAS", "a %*% b", "a * b"),
    "a a^T": ("BLAS", "tcrossprod(a)", "a * a.'"),
    "a v": ("BLAS", "a %*% v", "a * v"),
    "v^T v": ("BLAS", "crossprod(v)", "v.' * v"),
    "complex a b": ("BLAS", "(a + 1i * a[, ncol(a):1]) %*% (b - 2i * b)", "(a + 1i * a(:, end:-1:1)) * (b - 2i * b)"),
    "solve": ("factors", "solve(s, a[, 1:7])", "s \\ a(:, 1:7)"),
    "cholesky": ("factors", "chol(h)", "chol(h)"),
}
# The numbers are quotients of integers: every machine has the same.
R = """
uniform <- function(m, n, k) {
  i <- as.numeric(seq_len(m * n))
  matrix(((i * i * 31 + i * k) %% 100003 - 50001) / 100003, m, n)
}
a <- uniform(211, 307, 1); b <- uniform(307, 103, 2); v <- uniform(307, 1, 3); s <- uniform(211, 211, 4)
h <- uniform(211, 211, 5); h <- (h + t(h)) / 2 + 40 * diag(211)
save <- function(name, x) { x <- as.vector(x); writeBin(if (is.complex(x)) c(Re(x), Im(x)) else x, name) }
"""
OCTAVE = """
function x = uniform(m, n, k)
  i = (1:m * n)'; x = reshape((mod(i .* i * 31 + i * k, 100003) - 50001) / 100003, m, n);
end
function save_numbers(name, x)
  if iscomplex(x) x = [real(x(:)); imag(x(:))]; end
  f = fopen(name, 'w'); fwrite(f, x(:), 'double'); fclose(f);
end
a = uniform(211, 307, 1); b = uniform(307, 103, 2); v = uniform(307, 1, 3); s = uniform(211, 211, 4);
h = uniform(211, 211, 5); h = (h + h.') / 2 + 40 * eye(211);
"""


def r_program():
    lines = [f'save("{n}", {r})' for n, (_, r, _) in enumerate(OPERATIONS.values())]
    return R + "\n".join(lines) + '\ncat(readLines("/proc/self/maps"), sep = "\\n")\n'


def octave_program():
    lines = [f"save_numbers('{n}', {octave});" for n, (_, _, octave) in enumerate(OPERATIONS.values())]
    return "1;\n" + OCTAVE + "\n".join(lines) + "\nfputs(stdout, fileread('/proc/self/maps'));\n"


# name -> the command, the suffix of its programs, and the program
INTERPRETERS = {
    "R": (["Rscript", "--vanilla"], ".R", r_program),
    "Octave": (["octave-cli", "--norc", "--no-history", "--quiet"], ".m", octave_program),
}


def run(name, environment):
    """The hash of each operation's result, and the libraries."""
    command, suffix, program = INTERPRETERS[name]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / f"program{suffix}"
        file.write_text(program(), encoding="utf-8")
        ran = bits.child(environment, [*command, str(file)], cwd=folder)
        hashes = {operation: hashlib.sha256((pathlib.Path(folder) / str(n)).read_bytes()).hexdigest()[:16]
                  for n, operation in enumerate(OPERATIONS)}
    return hashes, set(re.findall(r"(/\S*/lib\S*(?:blas|lapack)\S*\.so\S*)", ran.stdout, re.I))


def count(name, path, library, threads):
    """operation -> the set of its hashes; and the libraries."""
    results, libraries = {operation: set() for operation in OPERATIONS}, set()
    extra = {}
    if path and name == "R":  # which puts folders of its own before LD_LIBRARY_PATH
        home = subprocess.run(["R", "RHOME"], capture_output=True, text=True, check=True).stdout.strip()
        extra["R_LD_LIBRARY_PATH"] = os.pathsep.join([path, f"{home}/lib"])
    for hashes, found in bits.each_result(lambda environment: run(name, {**environment, **extra}), path, library, threads):
        libraries |= found
        for operation, digest in hashes.items():
            results[operation].add(digest)
    return results, libraries


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--threads", default="1,2,3,4")
    parser.add_argument("--path", default="")
    arguments = parser.parse_args()
    library = arguments.library.resolve(strict=True)
    threads = arguments.threads.split(",")
    found = [name for name, (command, *_) in INTERPRETERS.items() if shutil.which(command[0])]
    if not found:
        print("skipped: there is neither R nor Octave")
        sys.exit(77)
    wrong, products = [], {}  # products: those of all interpreters
    for name in found:
        alone = count(name, arguments.path, None, threads)[0]
        through, libraries = count(name, arguments.path, library, threads)
        if str(library) not in libraries:
            sys.exit(f"FAILED: {name} has not loaded {library}")
        optimised = [other for other in libraries if re.search("openblas|mkl|atlas|blis|flame", other)]
        # R takes LAPACK's functions from the first library that has them: an OpenBLAS has them all.
        lapack = optimised if name == "R" else [other for other in optimised if "lapack" in other]
        mine = {"BLAS"} if lapack else {"BLAS", "factors"}
        print(f"\n{name}", *sorted(libraries), sep="\n")
        for operation, (who, *_) in OPERATIONS.items():
            print(f"{operation:12} {len(alone[operation])} -> {len(through[operation])}")
            if who in mine and len(through[operation]) != 1:
                wrong.append(f"{operation} of {name}: {len(through[operation])} results")
            if who == "BLAS":
                products.setdefault((operation,), set()).update(through[operation])
        if "factors" in mine:
            print(f"all results: {bits.digest({(operation,): through[operation] for operation in OPERATIONS})}")
    print(f"\nall products of {' and '.join(found)}: {bits.digest(products)}")
    for (operation,), hashes in products.items():
        if len(hashes) != 1:
            wrong.append(f"{operation}: {len(hashes)} results of {' and '.join(found)}")
    for line in wrong:
        print(f"FAILED: {line}")
    return int(bool(wrong))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except bits.Died as died:
        sys.exit(f"FAILED: {died}")
