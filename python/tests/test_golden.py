# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results have the bits of the golden files that hold the library to them on every backend."""

import math
import pathlib
import unittest

import acc
import numpy as np

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "unit_tests" / "golden"
TYPES = {np.float32: "float", np.float64: "double", np.complex64: "complex_float",
         np.complex128: "complex_double"}
METHODS = {"plain": "plain", "blocked": "blocked64", "kahan": "kahan64", "priest": "priest64",
           "seeded": "seeded64", "widened": "widened", "compensated": "compensated"}
BITS = {np.float32: 12, np.float64: 30, np.complex64: 12, np.complex128: 64}  # of fixed_point


def real(dtype):
    return np.finfo(dtype).dtype.type


def mt19937_64(seed, n):
    """The first n numbers of std::mt19937_64, by its parameters in the C++ standard."""
    lower, word = 2**31 - 1, 2**64 - 1
    x = [seed]
    for i in range(1, 312):
        x.append(6364136223846793005 * (x[-1] ^ x[-1] >> 62) + i & word)
    for i in range(n):
        y = x[i] & ~lower | x[i + 1] & lower
        x.append(x[i + 156] ^ y >> 1 ^ (0xb5026f5aa96619e9 if y % 2 else 0))
    z = np.array(x[312:], np.uint64)
    z ^= z >> 29 & 0x5555555555555555
    z ^= z << 17 & 0x71d67fffeda60000
    z ^= z << 37 & 0xfff7eee000000000
    return z ^ z >> 43


def uniform(dtype, shape, seed):
    """The data that unit_tests/generators.hpp calls so: [-1, 1), of a complex number part by part."""
    digits = np.finfo(dtype).nmant + 1
    n = math.prod(shape) * np.dtype(dtype).itemsize // real(dtype)().itemsize
    units = (mt19937_64(seed, n) >> (64 - digits)).astype(real(dtype))
    return (units * 2.0 ** (1 - digits) - 1).view(dtype).reshape(shape)


def line(c):
    """A golden line: the first entry, the last one, and FNV-1a over the digits of all."""
    size = real(c.dtype)().itemsize
    parts = np.ascontiguousarray(c).view(f"u{size}").reshape(c.size, -1).tolist()
    entries = [" ".join(f"{part:0{2 * size}x}" for part in entry) for entry in parts]
    digest = 0xcbf29ce484222325
    for digit in "".join(entries).encode():
        digest = (digest ^ digit) * 0x100000001b3 % 2**64
    return f"{entries[0]} {entries[-1]} {digest:016x}"


def layouts(m):
    """The same matrix by rows, by columns, among other numbers, and with its rows in reverse."""
    wide = np.full((2 * m.shape[0] + 1, 3 * m.shape[1]), np.nan, m.dtype)
    wide[1::2, 2::3] = m
    return {"rows": m, "columns": np.asfortranarray(m), "wide": wide[1::2, 2::3],
            "reversed": m[::-1].copy()[::-1]}


def lines_of(file):
    return dict(each.split(": ") for each in (GOLDEN / file).read_text().splitlines() if ": " in each)


class Golden(unittest.TestCase):
    def setUp(self):
        self.lines = lines_of("gemm.txt")

    def check(self, what, dtype, a, b, alpha, beta, c, trans):
        for method, name in METHODS.items():
            if method == "widened" and real(dtype) == np.float64:
                continue
            want = self.lines[f"gemm {name} {TYPES[dtype]} {what}"]
            for layout, x in layouts(a).items():
                with self.subTest(what, dtype=dtype, method=method, layout=layout):
                    got = acc.gemm(x, layouts(b)[layout], alpha, beta, c.copy(), trans, trans, method, 64)
                    self.assertEqual(line(got), want)

    def test_products(self):
        for dtype in TYPES:
            a, b, c = (uniform(dtype, shape, seed) for seed, shape in enumerate(
                ((3, 40), (40, 5), (3, 5)), 1))
            self.check("uniform 3x5x40 NN", dtype, a, b, 1, 0, c, "N")

    def test_products_whose_sums_are_exact(self):
        exact, fixed_point = lines_of("gemm_exact.txt"), lines_of("gemm_fixed_point.txt")
        for dtype, name in TYPES.items():
            a, b = uniform(dtype, (3, 40), 1), uniform(dtype, (40, 5), 2)
            self.assertEqual(line(acc.matmul(a, b, method="exact")),
                             exact[f"gemm exact {name} uniform 3x5x40 NN"])
            bits = BITS[dtype]
            self.assertEqual(line(acc.matmul(a, b, method="fixed_point", bits=bits)),
                             fixed_point[f"gemm fixed_point{bits} {name} uniform 3x5x40 NN"])

    def test_every_method_has_a_test(self):
        self.assertEqual({*METHODS, "exact", "fixed_point"}, set(acc.gemm_methods))

    def test_scaled_products_of_transposed_matrices(self):
        for dtype in TYPES:
            a, b, c = (uniform(dtype, shape, seed) for seed, shape in enumerate(
                ((2200, 33), (19, 2200), (33, 19)), 1))
            alpha, beta = uniform(dtype, (1,), 4)[0], uniform(dtype, (1,), 5)[0]
            self.check("uniform 33x19x2200 CC", dtype, a, b, alpha, beta, c, "C")


def bits(x):
    """The digits of one number, real part first."""
    parts = np.array([x]).view(f"u{real(x.dtype)().itemsize}")
    return " ".join(f"{part:0{2 * parts.itemsize}x}" for part in parts.tolist())


class Defaults(unittest.TestCase):
    """Calls that name no method, as unit_tests/test_defaults.hpp has them."""

    def setUp(self):
        self.lines = lines_of("defaults.txt")

    def test_products(self):
        for dtype, name in TYPES.items():
            a, b, c = (uniform(dtype, shape, seed)[0] for seed, shape in enumerate(
                ((2, 33, 700), (2, 19, 700), (2, 33, 19)), 6))
            alpha, beta = uniform(dtype, (1,), 4)[0], uniform(dtype, (1,), 5)[0]
            with self.subTest(name):
                got = acc.gemm(a, b, alpha, beta, c.copy(), "N", "T")
                self.assertEqual(line(got), self.lines[f"gemm {name}"])
                named = acc.gemm(a, b, trans_b="T", method="seeded", strip=256)
                other = acc.gemm(a, b, trans_b="T", method="seeded", strip=64)
                self.assertEqual(line(acc.matmul(a, b.T)), line(named))
                self.assertNotEqual(line(acc.matmul(a, b.T)), line(other))
                if a.dtype.kind != "c":  # too small for levels of recursion
                    self.assertEqual(line(acc.ngemm(a, b, trans_b="T")), line(named))

    def test_norms(self):
        for dtype, name in TYPES.items():
            unit, n = np.finfo(dtype).epsneg, 9 * (64 * 512 // np.dtype(dtype).itemsize) + 5
            x = np.full(n, real(dtype)(0.6) * unit, dtype)
            y = np.full(n, np.sqrt(real(dtype)(0.6) * unit), dtype)
            x[0] = y[0] = 1
            with self.subTest(name):
                self.assertEqual(bits(acc.asum(x)), self.lines[f"asum {name}"])
                self.assertEqual(bits(acc.nrm2(y)), self.lines[f"nrm2 {name}"])

    def test_sums(self):
        """Of numbers that cancel beyond what twice the precision holds."""
        for dtype, name in TYPES.items():
            tiny = real(dtype)(2) ** (-2 * np.finfo(dtype).nmant - 8)
            x = np.array([1, tiny, 3 * tiny, -1] * 3000, dtype) * uniform(dtype, (12000,), 1)
            x = np.concatenate([x, -x[::-1], np.full(7, tiny, dtype)])
            ones = np.ones_like(x)
            with self.subTest(name):
                for got, by_name in ((acc.sum(x), lambda m: acc.sum(x, method=m)),
                                     (acc.dot(x, ones), lambda m: acc.dot(x, ones, m)),
                                     (acc.dotu(x, ones), lambda m: acc.dotu(x, ones, m))):
                    self.assertEqual(bits(got), bits(by_name("compensated")))
                    for method in ("plain", "exact"):
                        self.assertNotEqual(bits(got), bits(by_name(method)))


if __name__ == "__main__":
    unittest.main()
