# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that others start: by fork, forkserver and spawn, before and after the first call here. Each
case is a program of its own, since a process has one first call. One that hangs is killed."""

import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

THREADS = 3  # of Kokkos, where it has threads at all
REFUSES = os.environ.get("ACC_TEST_REFUSES_IN_CHILD") == "1"  # a Kokkos with a GPU survives no fork

# What every process computes: all methods of sums and products, larger than one thread's share.
COMMON = """
import hashlib, multiprocessing, os, sys
import numpy as np  # whose BLAS may start threads of its own
before = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
import acc

def bits(_=None):
    random = np.random.default_rng(1)
    x, y = random.standard_normal(50000), random.standard_normal(50000)
    a, b = random.standard_normal((150, 130)), random.standard_normal((130, 170))
    all_bits = hashlib.sha256()
    for t in (np.float32, np.float64, np.complex64, np.complex128):
        for method in acc.methods:
            for f in (acc.sum, acc.asum, acc.nrm2):
                all_bits.update(f(x.astype(t), method=method).tobytes())
            for f in (acc.dot, acc.dotu):
                all_bits.update(f(x.astype(t), y.astype(t), method=method).tobytes())
        for method in acc.gemm_methods:
            if method != "widened" or t in (np.float32, np.complex64):
                all_bits.update(acc.gemm(a.astype(t), b.astype(t), method=method, bits=30).tobytes())
    all_bits.update(acc.ngemm(np.abs(a), np.abs(b)).tobytes())
    return all_bits.hexdigest()

def bits_and_threads(_=None):
    return bits() + " " + str(acc._acc.threads())

def threads():
    return len(os.listdir("/proc/self/task"))
"""


def run(program, *arguments):
    """The words that a program prints, whose children die with it where it takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        main = pathlib.Path(folder) / "main.py"
        main.write_text(COMMON + program)
        environment = dict(os.environ, OMP_NUM_THREADS=str(THREADS), KOKKOS_NUM_THREADS=str(THREADS),
                           OMP_WAIT_POLICY="passive")
        with subprocess.Popen([sys.executable, "-B", "-W", "ignore", main, *arguments],
                              stdout=subprocess.PIPE, env=environment, text=True,
                              start_new_session=True) as process:
            try:
                words = process.communicate(timeout=120)[0].split()
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                raise
        if process.returncode != 0:
            raise AssertionError(f"status {process.returncode}")
        return words


@unittest.skipUnless(os.path.isdir("/proc/self/task"), "no threads to count")
class Import(unittest.TestCase):
    def test_starts_no_threads(self):
        alone, imported, called, of_kokkos = map(int, run("""
print(before, threads())
acc.sum(np.ones(3))
print(threads(), acc._acc.threads())
"""))
        self.assertEqual(imported, alone)
        # The control: they can be seen. A GPU's driver has some of its own.
        (self.assertGreaterEqual if REFUSES else self.assertEqual)(called - imported, of_kokkos - 1)

    def test_starts_none_for_wrong_arguments(self):
        before, after = run("""
print(threads())
try:
    acc.sum(["1", "2"])
except TypeError:
    print(threads())
""")
        self.assertEqual(before, after)


class Processes(unittest.TestCase):
    def pool(self, method, when):
        """The bits and Kokkos's threads of the parent, and of four tasks in two children."""
        if method not in multiprocessing.get_all_start_methods():
            self.skipTest(f"no {method} here")
        return run("""
if __name__ == "__main__":
    method, when = sys.argv[1:]
    if when == "after":
        print(bits_and_threads())
    with multiprocessing.get_context(method).Pool(2) as pool:
        print(*pool.map(bits_and_threads, range(4)))
    if when == "before":
        print(bits_and_threads())
""", method, when)

    def test_pools(self):
        all_bits = set()
        for method in ("fork", "forkserver", "spawn"):
            for when in ("before", "after"):
                if REFUSES and (method, when) == ("fork", "after"):
                    continue
                with self.subTest(method=method, when=when):
                    words = self.pool(method, when)
                    all_bits.update(words[::2])
                    self.assertEqual((len(words), len(all_bits)), (10, 1))
                    here = words[1 if when == "after" else 9]
                    are_forks_of_one_that_computed = (method, when) == ("fork", "after")
                    self.assertEqual(words[3:8:2],
                                     ["1" if are_forks_of_one_that_computed else here] * 3)

    @unittest.skipIf(REFUSES, "Kokkos survives no fork")
    @unittest.skipUnless("forkserver" in multiprocessing.get_all_start_methods(), "no forkserver")
    def test_forkserver_that_has_computed(self):
        """Its __main__ computes when it is preloaded; the children are forks of that. An older Python, as 3.11,
        preloads no __main__ (CPython's issue 126631): each child computes by itself."""
        words = run("""
here, by = bits(), os.getpid()
def bits_threads_and_by(_):
    return bits_and_threads() + (" itself" if by == os.getpid() else " server")
if __name__ == "__main__":
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__"])
    with context.Pool(2) as pool:
        print(here, acc._acc.threads(), *pool.map(bits_threads_and_by, range(4)))
""")
        self.assertEqual(len(words), 14)
        self.assertEqual(set(words[2::3]), {words[0]})
        preloads = sys.version_info >= (3, 14)
        self.assertIn(words[4::3], [["server"] * 4] if preloads else [["server"] * 4, ["itself"] * 4])
        self.assertEqual(words[3::3], ["1" if by == "server" else words[1] for by in words[4::3]])

    @unittest.skipIf(REFUSES, "Kokkos survives no fork")
    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_fork_by_hand(self):
        """The child and its child compute, and end as programs do: nothing waits for Kokkos's threads."""
        words = run("""
def fork(level):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        print(bits(), acc._acc.threads())
        if level > 1:
            fork(level - 1)
        sys.exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

print(bits())
fork(2)
print(bits())
""")
        first, child, child_threads, grandchild, grandchild_threads, *ends, last = words
        self.assertEqual({first, child, grandchild}, {last})
        self.assertEqual((child_threads, grandchild_threads, ends), ("1", "1", ["3", "3"]))

    @unittest.skipIf(REFUSES, "Kokkos survives no fork")
    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_fork_during_calls(self):
        """A call in another Python thread is under way: the child does not wait for it."""
        words = run("""
import threading
x = np.random.default_rng(1).random(1000000)
a = np.random.default_rng(1).random((300, 300))
want, is_over = (acc.sum(x), acc.matmul(a, a).tobytes()), False

def computes():
    return (acc.sum(x), acc.matmul(a, a).tobytes()) == want

def compute():
    while not is_over:
        assert computes()

others = [threading.Thread(target=compute) for _ in range(2)]
for each in others:
    each.start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0 if computes() else 1)
    print(os.waitpid(child, 0)[1])
is_over = True
for each in others:
    each.join()
""")
        self.assertEqual(words, ["0"] * 20)

    @unittest.skipUnless(REFUSES, "Kokkos survives forks")
    def test_says_so_rather_than_wait(self):
        words = run("""
def is_refused(f):
    try:
        f()
    except RuntimeError as error:
        return "Kokkos was started before the fork" in str(error)

bits()
child = os.fork()
if child == 0:
    one = np.ones((1, 1))
    os._exit(0 if is_refused(lambda: acc.sum(one)) and is_refused(lambda: acc.matmul(one, one)) else 1)
print(os.waitpid(child, 0)[1])
""")
        self.assertEqual(words, ["0"])


if __name__ == "__main__":
    unittest.main()
