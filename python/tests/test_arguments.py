# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's arguments of reductions, and masked arrays: each number has the bits that the function gives
for the elements that count; shapes, types and masks are NumPy's."""

import functools
import unittest
from fractions import Fraction

import acc
import numpy as np
from test_sums import REALS, TYPES, fractions, numbers, quietly, rounded, same_bits

REDUCTIONS = [(f, {"method": m}) for f in (acc.sum, acc.nrm2) for m in acc.methods]
MOMENTS = [(acc.mean, {}), (acc.var, {}), (acc.var, {"ddof": 2}), (acc.std, {"ddof": 1})]
NUMPYS = ((acc.sum, np.sum), (acc.mean, np.mean), (acc.var, np.var), (acc.std, np.std))


def functions(dtype):
    return REDUCTIONS + (MOMENTS if dtype in REALS else [(acc.mean, {})])


def same_numbers(got, want):
    """The same bits, except those of NaN."""
    nan = np.isnan(want)
    return np.array_equal(np.isnan(got), nan) and same_bits(got[~nan], want[~nan])


class Where(unittest.TestCase):
    @quietly
    def test_what_does_not_count_is_not_converted(self):
        x = np.array([0.1, 1.0])
        self.assertEqual(acc.sum(x, dtype=np.float32, where=[False, True]), np.float32(1))
        self.assertEqual(acc.sum(np.ma.array(x, mask=[True, False]), dtype=np.float32), np.float32(1))
        with self.assertRaisesRegex(TypeError, "which is not a complex64"):
            acc.sum(np.array([complex(np.nan, 0.1)]), dtype=np.complex64)

    def test_bits_are_those_of_the_elements_that_count(self):
        random = np.random.default_rng(5)
        for dtype in TYPES:
            x = numbers(dtype, 40 * 300).reshape(40, 300)
            where = random.random((40, 300)) < random.random((40, 1))
            where[3], where[4], where[5] = False, True, np.arange(300) == 7
            for f, options in functions(dtype):
                got = f(x, axis=1, where=where, **options)
                want = np.array([f(row[w], **options) for row, w in zip(x, where)])
                self.assertTrue(same_numbers(got, want), (dtype, f, options))
                self.assertTrue(same_numbers(f(x.T, axis=0, where=where.T, **options), want))
                self.assertTrue(same_bits(f(x, where=where, **options), f(x[where], **options)))
                self.assertTrue(same_bits(f(x, axis=1, where=True, **options), f(x, axis=1, **options)))

    @quietly
    def test_broadcasts(self):
        x = numbers(np.float64, 7 * 5 * 90).reshape(7, 5, 90)
        for where in (np.arange(90) % 3 == 0, np.arange(5)[:, None] > 1, np.bool_(True), np.bool_(False),
                      np.arange(7)[:, None, None] != 2):
            full = np.broadcast_to(where, x.shape)
            for f, numpys in NUMPYS:
                for axis in (None, 0, 2, (0, 2), (1, 2)):
                    for keep in (False, True):
                        got = f(x, axis=axis, where=where, keepdims=keep)
                        want = numpys(x, axis=axis, where=full, keepdims=keep)
                        self.assertEqual(np.shape(got), np.shape(want))
                        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-6)

    def test_what_does_not_count_is_not_read(self):
        x = np.array([1.0, np.nan, 3.0, np.inf])
        where = np.array([True, False, True, False])
        self.assertEqual(acc.sum(x, where=where), 4)
        self.assertEqual(acc.mean(x, where=where), 2)
        self.assertEqual(acc.var(x, where=where), 1)
        self.assertEqual(acc.sum(np.array([1, 2**53 + 1]), where=[True, False]), 1)

    def test_errors(self):
        x = np.ones((2, 3))
        for f in (acc.sum, acc.nrm2, acc.mean, acc.var, acc.std):
            name = f"acc.{f.__name__}: where "
            with self.assertRaisesRegex(TypeError, name + "must be of bool, but has dtype int"):
                f(x, where=np.array([1, 0, 1]))
            with self.assertRaisesRegex(ValueError, name + r"has shape \(2,\), which does not broadcast to "
                                                           r"x's \(2, 3\)"):
                f(x, where=[True, False])


class Initial(unittest.TestCase):
    def test_one_more_number(self):
        for dtype in TYPES:
            x = numbers(dtype, 6 * 500).reshape(6, 500)
            where = np.random.default_rng(2).random((6, 500)) < 0.5
            for method in acc.methods:
                got = acc.sum(x, axis=1, initial=1.5, method=method)
                chosen = acc.sum(x, axis=1, initial=1.5, where=where, method=method)
                for row, w, one, other in zip(x, where, got, chosen):
                    first = np.array([1.5], dtype)
                    self.assertTrue(same_bits(one, acc.sum(np.concatenate([first, row]), method=method)))
                    self.assertTrue(same_bits(other,
                                              acc.sum(np.concatenate([first, row[w]]), method=method)))
        hard = np.array([1e100, 1.0])
        self.assertEqual(acc.sum(hard, initial=-1e100, method="exact"), 1)
        self.assertEqual(acc.sum(np.empty(0), initial=3), 3)
        self.assertEqual(acc.sum(np.empty((2, 0)), axis=1, initial=3).tolist(), [3, 3])

    def test_errors(self):
        with self.assertRaisesRegex(TypeError, "acc.sum: initial has dtype <U1"):
            acc.sum([1.0], initial="1")
        with self.assertRaisesRegex(TypeError, "acc.sum: initial has dtype complex128, which is not "
                                               "converted to float64"):
            acc.sum([1.0], initial=1j)
        with self.assertRaisesRegex(TypeError, "acc.sum: initial has the number 0.1, which is not a "
                                               "float32; round it first"):
            acc.sum(np.ones(2, np.float32), initial=0.1)
        with self.assertRaisesRegex(ValueError, r"acc.sum: initial must be one number, but has shape \(2,\)"):
            acc.sum([1.0], initial=[1, 2])


class Dtype(unittest.TestCase):
    def test_wider(self):
        for narrow, wide in ((np.float32, np.float64), (np.float32, np.complex64),
                             (np.float32, np.complex128), (np.float64, np.complex128),
                             (np.complex64, np.complex128), (np.float16, np.float32),
                             (np.int16, np.float32), (bool, np.complex64)):
            x = (numbers(np.float32, 900) % 100 - 50).astype(narrow).reshape(3, 300)
            for f, options in functions(wide):
                for axis in (None, 0, 1):
                    got = f(x, axis=axis, dtype=wide, **options)
                    self.assertTrue(same_bits(got, f(x.astype(wide), axis=axis, **options)))
                    self.assertIn(got.dtype, (wide, np.empty(0, wide).real.dtype))

    def test_narrower_only_if_it_changes_no_number(self):
        x = numbers(np.float32, 100)
        self.assertTrue(same_bits(acc.sum(x.astype(np.float64), dtype=np.float32), acc.sum(x)))
        self.assertTrue(same_bits(acc.sum(np.array([np.nan, 1]), dtype=np.float32), np.float32(np.nan)))
        for f in (acc.sum, acc.nrm2, acc.mean, acc.var, acc.std):
            name = f"acc.{f.__name__}: "
            for x, number in ((np.array([1, 0.1]), "0.1"), (np.array([1e300]), r"1e\+300"),
                              (np.array([2**24 + 1]), "16777217.0")):
                with self.assertRaisesRegex(TypeError, name + f"x has the number {number}, which is not a "
                                                              "float32"):
                    f(x, dtype=np.float32)
            with self.assertRaisesRegex(TypeError, name + "dtype is int64; allowed are float32, float64"):
                f([1.0], dtype=int)
            with self.assertRaisesRegex(TypeError, name + "dtype is >f8; allowed are .*, in native byte"):
                f([1.0], dtype=">f8")
        with self.assertRaisesRegex(TypeError, "acc.sum: x has dtype complex128, which is not converted"):
            acc.sum([1j], dtype=float)


class Out(unittest.TestCase):
    def test_written_and_returned(self):
        for dtype in TYPES:
            x = numbers(dtype, 120).reshape(4, 30)
            for f, options in functions(dtype):
                for axis, keep in ((None, False), (0, False), (1, True), ((0, 1), True)):
                    want = f(x, axis=axis, keepdims=keep, **options)
                    for out in (np.empty_like(want), np.empty((*np.shape(want), 3), want.dtype)[..., 1]):
                        self.assertIs(f(x, axis=axis, keepdims=keep, out=out, **options), out)
                        self.assertTrue(same_bits(out, np.asarray(want)))
        x = numbers(np.float64, 90).reshape(3, 30)
        want = acc.sum(x, axis=1)
        self.assertTrue(same_bits(acc.sum(x, axis=1, out=x[:, 0]), want))  # of x's own memory

    def test_errors(self):
        x = np.ones((2, 3))
        fixed = np.empty(3)
        fixed.flags.writeable = False
        for f in (acc.sum, acc.nrm2, acc.mean, acc.var, acc.std):
            name = f"acc.{f.__name__}: out "
            for out, error, text in (
                ([0, 0, 0], TypeError, "must be an ndarray, but is list"),
                (np.ma.zeros(3), TypeError, "must be an ndarray, but is MaskedArray"),
                (np.empty(2), ValueError, r"has shape \(2,\), but the result has \(3,\)"),
                (np.empty(3, np.float32), TypeError, "has dtype float32, but the result has float64"),
                (fixed, ValueError, "cannot be written"),
            ):
                with self.assertRaisesRegex(error, name + text):
                    f(x, axis=0, out=out)


class Masked(unittest.TestCase):
    def test_masks_and_types_are_numpys(self):
        x = np.ma.array(numbers(np.float64, 5 * 4 * 6).reshape(5, 4, 6), mask=False)
        x[1], x[2, :, :-1], x[3, 1:], x[0, 0, 0] = (np.ma.masked,) * 4
        for y in (x, np.ma.array(x.data), np.ma.masked_all((2, 3))):
            of_samples = [tuple(functools.partial(g, ddof=1) for g in each) for each in NUMPYS[2:]]
            for f, numpys in (*NUMPYS, *of_samples):
                for axis in (None, 0, 1, 2, (1, 2), (0, 1, 2))[:6 if y.ndim == 3 else 3]:
                    for keep in (False, True):
                        got, want = (g(y, axis=axis, keepdims=keep) for g in (f, numpys))
                        self.assertIs(type(got), type(want), (f, axis, keep, y.shape))
                        self.assertEqual(np.shape(got), np.shape(want))
                        self.assertTrue(np.array_equal(np.ma.getmaskarray(got), np.ma.getmaskarray(want)))
                        np.testing.assert_allclose(np.ma.filled(got, 7), np.ma.filled(want, 7), rtol=1e-9)

    def test_bits_are_those_of_the_elements_that_are_not_masked(self):
        random = np.random.default_rng(8)
        for dtype in TYPES:
            x = np.ma.array(numbers(dtype, 3000).reshape(10, 300), mask=random.random((10, 300)) < 0.3)
            y = np.ma.array(numbers(dtype, 3000, 2).reshape(10, 300), mask=random.random((10, 300)) < 0.3)
            where = random.random((10, 300)) < 0.5
            for f, options in functions(dtype):
                got = f(x, axis=1, **options)
                for row, one in zip(x, got):
                    self.assertTrue(same_bits(one, f(row.compressed(), **options)))
                for row, w, one in zip(x, where, f(x, axis=1, where=where, **options)):
                    self.assertTrue(same_bits(one, f(row.data[~row.mask & w], **options)))
            both = ~x.mask & ~y.mask
            for method in acc.methods:
                self.assertTrue(same_bits(acc.asum(x, method=method), acc.asum(x.compressed(), method=method)))
                for f in (acc.dot, acc.dotu):
                    self.assertTrue(same_bits(f(x, y, method), f(x.data[both], y.data[both], method)))
                    self.assertTrue(same_bits(f(x, y.data, method),
                                              f(x.compressed(), y.data[~x.mask], method)))
        self.assertIs(acc.dot(np.ma.masked_all(3), np.ones(3)), np.ma.masked)
        self.assertIs(acc.asum(np.ma.masked_all(3)), np.ma.masked)
        self.assertEqual(acc.sum(np.ma.array([2**53 + 1, 3], mask=[1, 0])), 3)


class Moments(unittest.TestCase):
    def test_mean_of_complex_numbers(self):
        for dtype, real in ((np.complex64, np.float32), (np.complex128, np.float64)):
            x = numbers(dtype, 3 * 400).reshape(3, 400)
            for row, mean in zip(x, acc.mean(x, axis=1)):
                self.assertEqual(mean.dtype, dtype)
                for part, numbers_of_part in ((mean.real, row.real), (mean.imag, row.imag)):
                    exact = sum(fractions(numbers_of_part)) / Fraction(400)
                    self.assertTrue(same_bits(part, rounded(exact, real)))


if __name__ == "__main__":
    unittest.main()
