# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, dots and norms against exact arithmetic (math.fsum, fractions) and NumPy."""

import functools
import math
import threading
import unittest
import warnings
from fractions import Fraction

import acc
import numpy as np

REALS = (np.float32, np.float64)
TYPES = REALS + (np.complex64, np.complex128)


def numbers(dtype, n, seed=1):
    """Numbers of 40 binades of both signs."""
    random = np.random.default_rng(seed)
    x = random.standard_normal(n) * 2.0 ** random.integers(-20, 20, n)
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * random.standard_normal(n)
    return x.astype(dtype)


def same_bits(a, b):
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def rounded(exact, dtype):
    """A fraction to nearest: float(Fraction) rounds once; float32 by comparing its neighbours."""
    if dtype == np.float64:
        return np.float64(float(exact))
    near = np.float32(float(exact))
    candidates = [near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf))]
    return min(candidates, key=lambda c: (abs(Fraction(float(c)) - exact),
                                          int(np.float32(c).view(np.uint32)) & 1))


def quietly(test):
    """A test of results that are NaN: warnings have a test of their own."""
    @functools.wraps(test)
    def quiet(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            test(self)

    return quiet


def fractions(x):
    return [Fraction(float(v)) for v in x]


class Exact(unittest.TestCase):
    def test_sum_is_math_fsum(self):
        for n in (0, 1, 2, 100, 10000):
            x = numbers(np.float64, n)
            self.assertEqual(acc.sum(x, method="exact").hex(), math.fsum(x).hex())
        hard = np.array([1, 1e100, 1, -1e100] * 10000)
        self.assertEqual(acc.sum(hard, method="exact"), 20000)
        self.assertEqual(acc.sum(np.full(10, 0.1), method="exact"), 1.0)

    def test_against_fractions(self):
        for dtype in REALS:
            x, y = numbers(dtype, 3000), numbers(dtype, 3000, 2)
            a, b = fractions(x), fractions(y)
            dot = rounded(sum(p * q for p, q in zip(a, b)), dtype)
            for got, want in (
                (acc.sum(x, method="exact"), rounded(sum(a), dtype)),
                (acc.asum(x, method="exact"), rounded(sum(map(abs, a)), dtype)),
                (acc.dot(x, y, method="exact"), dot),
                (acc.dotu(x, y, method="exact"), dot),
            ):
                self.assertTrue(same_bits(got, want), (dtype, got, want))

    def test_complex_against_fractions(self):
        for dtype, real in ((np.complex64, np.float32), (np.complex128, np.float64)):
            x, y = numbers(dtype, 500), numbers(dtype, 500, 2)
            a, b, c, d = (fractions(v) for v in (x.real, x.imag, y.real, y.imag))
            for got, re, im in (
                (acc.sum(x, method="exact"), sum(a), sum(b)),
                (acc.dot(x, y, method="exact"),
                 sum(p * r + q * s for p, q, r, s in zip(a, b, c, d)),
                 sum(p * s - q * r for p, q, r, s in zip(a, b, c, d))),
                (acc.dotu(x, y, method="exact"),
                 sum(p * r - q * s for p, q, r, s in zip(a, b, c, d)),
                 sum(p * s + q * r for p, q, r, s in zip(a, b, c, d))),
            ):
                self.assertEqual(got.dtype, dtype)
                self.assertTrue(same_bits(got.real, rounded(re, real)))
                self.assertTrue(same_bits(got.imag, rounded(im, real)))


class AllMethods(unittest.TestCase):
    def test_close_to_numpy_in_the_type_of_the_input(self):
        for dtype in TYPES:
            x, y = numbers(dtype, 5000), numbers(dtype, 5000, 2)
            wide = np.complex128 if np.issubdtype(dtype, np.complexfloating) else np.float64
            v, w = x.astype(wide), y.astype(wide)
            size, products = np.abs(v).sum(), np.abs(v * w).sum()
            asum, norm = np.abs(v.real).sum() + np.abs(v.imag).sum(), np.linalg.norm(v)
            eps = np.finfo(dtype).eps
            for method in acc.methods:
                # Twice the bound of plain at a depth of 50 (docs/arithmetic.md), relative to what
                # each sum is of; NumPy's own errors are in the other half.
                for got, want, scale in (
                    (acc.sum(x, method=method), v.sum(), size),
                    (acc.asum(x, method=method), asum, asum),
                    (acc.nrm2(x, method=method), norm, norm),
                    (acc.dot(x, y, method), np.vdot(v, w), products),
                    (acc.dotu(x, y, method), np.dot(v, w), products),
                ):
                    self.assertLessEqual(abs(got - want), 100 * eps * scale, (dtype, method))
                    self.assertGreater(abs(want), 1000 * eps * scale)  # 0 would not pass
                self.assertEqual(acc.sum(x, method=method).dtype, dtype)
                self.assertEqual(acc.dot(x, y, method).dtype, dtype)
                self.assertEqual(acc.nrm2(x, method=method).dtype, x.real.dtype)
                self.assertEqual(acc.asum(x, method=method).dtype, x.real.dtype)

    def test_methods_differ(self):
        hard = np.array([1, 1e100, 1, -1e100] * 1000)
        self.assertNotEqual(acc.sum(hard, method="plain"), 2000)
        self.assertEqual(acc.sum(hard, method="exact"), 2000)
        self.assertEqual(acc.methods, ("plain", "compensated", "reproducible", "exact"))

    def test_bits_of_the_readme(self):
        x, y = np.full(1000, 0.1), np.ones(1000)
        self.assertEqual(acc.dot(x, y).hex(), "0x1.9000000000000p+6")
        self.assertEqual(acc.dot(x, y, "plain").hex(), "0x1.9000000000001p+6")

    def test_order_free(self):
        x = numbers(np.float64, 20000)
        shuffled = np.random.default_rng(3).permutation(x)
        for method in ("reproducible", "exact"):
            self.assertTrue(same_bits(acc.sum(x, method=method), acc.sum(shuffled, method=method)))
        self.assertFalse(same_bits(acc.sum(x, method="plain"), acc.sum(shuffled, method="plain")))

    def test_nothing(self):
        for dtype in TYPES:
            zero = acc.sum(np.empty(0, dtype))
            self.assertTrue(same_bits(zero, dtype(0)))
            self.assertTrue(same_bits(acc.dot(np.empty((3, 0), dtype), np.empty((3, 0), dtype)), zero))


class FurtherMethods(unittest.TestCase):
    """Those that sums and dot products alone have."""

    def test_a_fold_is_as_if_in_so_many_times_the_precision(self):
        for dtype in REALS:
            u = Fraction(float(np.finfo(dtype).eps)) / 2
            x, y = (numbers(dtype, 2000, seed) for seed in (1, 2))
            for scale in (1, 2**20, 2**40):  # cancels more and more
                v = np.concatenate([x * dtype(scale), -x * dtype(scale), y]).astype(dtype)
                w = np.concatenate([y, y, x])
                exact, size = sum(fractions(v)), sum(map(abs, fractions(v)))
                products = [p * q for p, q in zip(fractions(v), fractions(w))]
                for k in range(2, 9):
                    # Ogita, Rump, Oishi 2005, Proposition 4.10 for SumK, 5.10 for DotK; gamma of 4 n is
                    # generous for the depth of acc's tree.
                    gamma = 4 * v.size * u / (1 - 4 * v.size * u)
                    for got, want, total in (
                        (acc.sum(v, method=f"fold{k}"), exact, size),
                        (acc.dot(v, w, f"fold{k}"), sum(products), sum(map(abs, products))),
                        (acc.dotu(v, w, f"fold{k}"), sum(products), sum(map(abs, products))),
                    ):
                        self.assertLessEqual(abs(Fraction(float(got)) - want),
                                             (u + 3 * gamma**2) * abs(want) + 2 * gamma**k * total, (dtype, k))
        hard = np.array([1, 1e100, 1, -1e100] * 1000 + [1e60, -1e-10, -1e60])
        self.assertNotEqual(acc.sum(hard, method="compensated"), acc.sum(hard, method="exact"))
        self.assertEqual(acc.sum(hard, method="fold8"), acc.sum(hard, method="exact"))

    def test_fold2_and_compensated_fma_and_double_word(self):
        x, y = numbers(np.float64, 5000), numbers(np.float64, 5000, 2)
        self.assertTrue(same_bits(acc.sum(x, method="fold2"), acc.sum(x)))
        exact = float(sum(p * q for p, q in zip(fractions(x), fractions(y))))
        for method in ("fold2", "compensated_fma", "double_word"):
            self.assertLessEqual(abs(acc.dot(x, y, method) - exact), np.spacing(abs(exact)))
        self.assertLessEqual(abs(acc.sum(x, method="double_word") - math.fsum(x)),
                             np.spacing(abs(math.fsum(x))))

    def test_widened_rounds_a_sum_in_double_once(self):
        x, y = numbers(np.float32, 5000), numbers(np.float32, 5000, 2)
        self.assertTrue(same_bits(acc.sum(x, method="widened"),
                                  np.float32(acc.sum(x.astype(np.float64), method="exact"))))
        want = np.float32(float(sum(p * q for p, q in zip(fractions(x), fractions(y)))))
        self.assertTrue(same_bits(acc.dot(x, y, "widened"), want))
        for text, call in (("acc.sum: method widened does not take float64",
                            lambda: acc.sum([1.0], method="widened")),
                           ("acc.sum: method widened does not take complex128",
                            lambda: acc.sum(np.ones((2, 3), complex), axis=0, method="widened")),
                           ("acc.dot: method widened does not take float64",
                            lambda: acc.dot([1.0], [1.0], "widened"))):
            with self.assertRaisesRegex(ValueError, text):
                call()

    def test_axes_and_memory(self):
        for dtype in TYPES:
            x, y = (numbers(dtype, 4000, seed) for seed in (1, 2))
            for method in acc.dot_methods:
                if method == "widened" and np.finfo(dtype).bits == 64:
                    continue
                dot = acc.dot(x, y, method)
                self.assertEqual(dot.dtype, dtype)
                self.assertTrue(same_bits(acc.dot(x[::-1].copy()[::-1], np.stack([y, y], 1)[:, 1], method), dot))
                if method == "compensated_fma":
                    continue
                total = acc.sum(x, method=method)
                for same in (x[::-1].copy()[::-1], x.reshape(40, 100), np.asfortranarray(x.reshape(40, 100))):
                    self.assertTrue(same_bits(acc.sum(same, method=method), total), (dtype, method))
                rows = x.reshape(4, 1000)
                want = np.array([acc.sum(row, method=method) for row in rows])
                self.assertTrue(same_bits(acc.sum(rows, axis=1, method=method), want))
                self.assertTrue(same_bits(acc.sum(rows.T.copy(), axis=0, method=method), want))

    def test_refused(self):
        for f in (acc.nrm2, acc.asum):
            with self.assertRaisesRegex(ValueError, "there is no method 'fold3'"):
                f([1.0], method="fold3")
        with self.assertRaisesRegex(ValueError, "acc.sum: there is no method 'compensated_fma'"):
            acc.sum([1.0], method="compensated_fma")
        self.assertEqual(acc.dot_methods, acc.sum_methods + ("compensated_fma",))
        self.assertEqual(acc.sum_methods[:4], acc.methods)


class Bounds(unittest.TestCase):
    def test_errors_are_bounded(self):
        for dtype in REALS:
            for scale in (1, 1e5, 1e12):
                x, y = (numbers(dtype, 3000, seed) for seed in (1, 2))
                v = np.concatenate([x * dtype(scale), y, -x * dtype(scale)])
                w = np.concatenate([y, x, y])
                for got, terms in (
                    (acc.sum_with_bound(v), fractions(v)),
                    (acc.sum_with_bound(v.reshape(-1, 50)), fractions(v)),
                    (acc.dot_with_bound(v, w), [p * q for p, q in zip(fractions(v), fractions(w))]),
                ):
                    exact, size = sum(terms), sum(map(abs, terms))
                    self.assertIsInstance(got, acc.Certified)
                    self.assertEqual([each.dtype for each in got], [dtype] * 3)
                    error = abs(Fraction(float(got.value)) - exact)
                    self.assertLessEqual(error, Fraction(float(got.error_bound)))
                    self.assertLess(got.error_bound, float(size) * 1e-5)  # infinity would not pass
                    factor = 1 if len(terms) and got.condition * 1.5 < 2 * float(size / abs(exact)) else 2
                    if error < abs(exact) / 1000:
                        self.assertAlmostEqual(got.condition / float(factor * size / abs(exact)), 1, 1)
                self.assertTrue(same_bits(acc.sum_with_bound(v).value, acc.sum(v)))
                self.assertTrue(same_bits(acc.dot_with_bound(v, w).value, acc.dot(v, w)))
        z = numbers(np.complex128, 100)
        self.assertEqual(acc.sum_with_bound(z).value, acc.sum(z))
        self.assertEqual(acc.dot_with_bound(z, 1j * z).value, acc.dot(z, 1j * z))
        self.assertEqual(acc.sum_with_bound([1, 2, 3]), (6, 0, 1))
        self.assertEqual(acc.sum_with_bound([]), (0, 0, 0))

    def test_refused(self):
        for f, arguments in ((acc.sum_with_bound, (np.ma.ones(3),)),
                             (acc.dot_with_bound, (np.ones(3), np.ma.ones(3)))):
            with self.assertRaisesRegex(TypeError, f"acc.{f.__name__}: . is a masked array"):
                f(*arguments)
        with self.assertRaisesRegex(ValueError, "acc.dot_with_bound: x and y must have the same shape"):
            acc.dot_with_bound(np.ones(3), np.ones(4))


class Memory(unittest.TestCase):
    """The bits depend on the elements' indices, not on where they lie."""

    def layouts(self, flat):
        """The same 60 x 70 matrix in memory of many kinds."""
        a = flat.reshape(60, 70)
        padded = np.full((121, 213), np.nan, a.dtype)
        padded[1::2, 2:212:3] = a
        packed = np.zeros(a.shape, dtype=[("one", "u1"), ("value", a.dtype)])  # not aligned
        packed["value"] = a
        wide = np.zeros(a.shape, dtype=[("value", a.dtype), ("more", "f4")])
        wide["value"] = a
        return {"fortran": np.asfortranarray(a), "padded": padded[1::2, 2:212:3],
                "reversed": a[::-1, ::-1].copy()[::-1, ::-1], "packed": packed["value"],
                "wide": wide["value"], "row list": np.array(list(a))}

    def test_two_dimensions(self):
        for dtype in TYPES:
            flat, y = numbers(dtype, 4200), numbers(dtype, 4200, 2).reshape(60, 70)
            for method in acc.methods:
                total, dot = acc.sum(flat, method=method), acc.dot(flat, y.ravel(), method)
                for name, a in self.layouts(flat).items():
                    self.assertTrue(same_bits(acc.sum(a, method=method), total), (dtype, method, name))
                    self.assertTrue(same_bits(acc.dot(a, y, method), dot), (dtype, method, name))

    def test_one_dimension(self):
        for dtype in TYPES:
            x = numbers(dtype, 10000)
            for method in acc.methods:
                for name, stride, rows in (("every third", 3, None), ("backwards", -1, None),
                                           ("every second, backwards", -2, None)):
                    memory = np.full(10000 * abs(stride), np.nan, dtype)
                    memory[::stride] = x
                    strided = memory[::stride]
                    self.assertTrue(same_bits(acc.sum(strided, method=method), acc.sum(x, method=method)), name)
                    self.assertTrue(same_bits(acc.nrm2(strided, method=method), acc.nrm2(x, method=method)), name)
                    self.assertTrue(
                        same_bits(acc.dotu(strided, x[::-1], method),
                                  acc.dotu(x, x[::-1].copy(), method)), name)
            constant = np.broadcast_to(dtype(0.25), 5000)
            self.assertEqual(acc.sum(constant, method="plain"), 1250)

    def test_lists(self):
        self.assertEqual(acc.sum([0.5, 0.25]), 0.75)
        self.assertEqual(acc.dot([1j], [1j]), 1)
        self.assertEqual(acc.dotu([1j], [1j]), -1)

    def test_readable_alone(self):
        x = numbers(np.float64, 100)
        x.flags.writeable = False
        self.assertEqual(acc.sum(x, method="exact"), math.fsum(x))

    def test_many_threads(self):
        x = numbers(np.float64, 100000)
        want, got = acc.sum(x), []
        threads = [threading.Thread(target=lambda: got.append(acc.sum(x))) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual([v.hex() for v in got], [want.hex()] * 4)


    def test_copies_no_more_than_must_be(self):
        cube = np.random.default_rng(1).random((3, 4, 5))
        for x in (cube, cube[0, 0, ::2], cube[0, 0, ::-2], cube[::-1, ::-1, ::-1], cube[:, :, 1],
                  np.broadcast_to(np.float64(2), (7,))):
            self.assertTrue(np.shares_memory(acc._arrays._vector(x), x))
            self.assertTrue(np.shares_memory(acc._arrays._vector(x, any_order=True), x))
        for x in (cube.T, cube.transpose(1, 2, 0), cube[::-1], cube[:, ::-1].T, cube[:, :, :1].T):
            self.assertTrue(np.shares_memory(acc._arrays._vector(x, any_order=True), x))
            self.assertEqual(sorted(acc._arrays._vector(x, any_order=True)), sorted(x.flat))
            self.assertEqual(list(acc._arrays._vector(x)), list(x.flat))


class Conversions(unittest.TestCase):
    FUNCTIONS = (acc.sum, acc.asum, acc.nrm2, acc.mean, acc.var, acc.std, lambda x: acc.dot(x, x),
                 lambda x: acc.sum(np.stack([x, x]), axis=1))

    def test_exact_ones(self):
        for f in self.FUNCTIONS:
            for x in (np.arange(-5, 100), np.arange(9, dtype=np.uint8), np.array([True, False, True]),
                      np.linspace(-3, 3, 99, dtype=np.float16), np.array([2**53, -(2**53), 2**53 + 2]),
                      np.array([2**63, 2**64 - 2**11], np.uint64), np.array([-(2**63)])):
                self.assertTrue(same_bits(f(x), f(x.astype(np.float64))), x)
            self.assertTrue(same_bits(f([1, 2, 3]), f(np.array([1.0, 2.0, 3.0]))))
        for dtype in TYPES:
            x = numbers(dtype, 1000)
            self.assertTrue(same_bits(acc.sum(x.astype(x.dtype.newbyteorder())), acc.sum(x)))
        self.assertEqual(acc.sum(np.full(3, 60000, np.float16)), 180000)
        self.assertEqual(acc.sum(np.array([], int)).dtype, np.float64)

    def test_others_are_refused(self):
        for n, dtype in ((2**53 + 1, np.int64), (-(2**53) - 1, np.int64), (2**63 - 1, np.int64),
                         (2**64 - 1, np.uint64), (2**53 + 1, np.uint64)):
            with self.assertRaisesRegex(TypeError, f"acc.mean: x has the integer {n}, which is not"):
                acc.mean(np.array([1, n], dtype))
            with self.assertRaisesRegex(TypeError, f"acc.dot: y has the integer {n}, which is not"):
                acc.dot([1, 2], np.array([1, n], dtype))


class Errors(unittest.TestCase):
    def test_types(self):
        for x in (["a"], [None], np.ones(3, np.longdouble), np.ones(3, "m8[s]")):
            with self.assertRaisesRegex(TypeError, r"acc.sum: x has dtype .*; allowed are float32, "
                                                   "float64, complex64, complex128"):
                acc.sum(x)
        with self.assertRaisesRegex(TypeError, "acc.dot: y has dtype <U1"):
            acc.dot(np.ones(3), ["a"])
        with self.assertRaisesRegex(TypeError, "acc.dot: x and y must have the same dtype, but x has "
                                               "float64 and y has float32"):
            acc.dot(np.ones(3), np.ones(3, np.float32))

    def test_methods(self):
        for f in (acc.sum, acc.asum, acc.nrm2):
            with self.assertRaisesRegex(ValueError, "acc.%s: there is no method 'precise'; allowed are "
                                                    "plain, compensated, reproducible, exact"
                                                    % f.__name__):
                f(np.ones(3), method="precise")
        with self.assertRaisesRegex(ValueError, "acc.dot: there is no method 'fast'"):
            acc.dot(np.ones(3), np.ones(3), "fast")

    def test_shapes(self):
        with self.assertRaisesRegex(ValueError, r"acc.dot: x and y must have the same shape, but x has "
                                                r"shape \(3,\) and y has shape \(4,\)"):
            acc.dot(np.ones(3), np.ones(4))
        with self.assertRaisesRegex(ValueError, "acc.dotu: x and y must have the same shape"):
            acc.dotu(np.ones((2, 3)), np.ones((3, 2)))


if __name__ == "__main__":
    unittest.main()
