# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions along axes: each number has the bits of its slice alone; shapes are NumPy's."""

import itertools
import unittest
import warnings
from fractions import Fraction

import acc
import numpy as np
from test_sums import REALS, TYPES, numbers, quietly, rounded, same_bits

AXES = [axes for n in range(5) for axes in itertools.permutations(range(4), n)]


def slices(x, axes):
    """The elements that each result is of, in row-major order."""
    axes = tuple(sorted(d % x.ndim for d in axes))
    kept = tuple(d for d in range(x.ndim) if d not in axes)
    n = int(np.prod([x.shape[d] for d in axes]))
    return [np.ascontiguousarray(row) for row in x.transpose(kept + axes).reshape(-1, n)]


FUNCTIONS = [(f, {"method": m}) for f in (acc.sum, acc.nrm2) for m in acc.methods]
MOMENTS = [(acc.mean, {}), (acc.var, {}), (acc.var, {"ddof": 1}), (acc.std, {"ddof": 2})]


class Axes(unittest.TestCase):
    @quietly
    def test_bits_are_those_of_the_slice_alone(self):
        for dtype in TYPES:
            x = numbers(dtype, 7 * 5 * 4 * 6).reshape(7, 5, 4, 6)
            for f, options in FUNCTIONS + (MOMENTS if dtype in REALS else []):
                for axes in AXES:
                    got = f(x, axis=axes, **options)
                    want = np.array([f(row, **options) for row in slices(x, axes)])
                    same = same_bits(np.ravel(got), want)
                    # The sign and payload of NaN (one element, ddof 1) are nobody's promise.
                    self.assertTrue(same or np.array_equal(np.ravel(got), want, equal_nan=True)
                                    and np.isnan(want).all(), (dtype, f, options, axes))

    def test_long_rows(self):
        for dtype in TYPES:
            x = numbers(dtype, 6 * 5000).reshape(6, 5000)
            for f, options in FUNCTIONS + (MOMENTS if dtype in REALS else []):
                for axis, matrix in ((1, x), (0, x.T), (-1, x), (1, np.asfortranarray(x)),
                                     (1, x[::-1]), (1, x[:, ::-1]), (1, x[::2, ::3])):
                    rows = matrix if axis else matrix.T
                    want = np.array([f(row, **options) for row in rows])
                    self.assertTrue(same_bits(f(matrix, axis=axis, **options), want),
                                    (dtype, f, options, axis))

    def test_columns_beside_each_other(self):
        """Some lines of memory of them at once, and what is left over; of one leaf and of several."""
        for dtype in TYPES:
            for rows, columns in ((1, 300), (17, 129), (64, 70), (129, 123), (5000, 67), (8200, 150)):
                x = numbers(dtype, rows * columns).reshape(rows, columns)
                for f, options in FUNCTIONS:
                    for y in (x, x[:, 1:], x[:, ::2]):
                        want = np.array([f(column.copy(), **options) for column in y.T])
                        self.assertTrue(same_bits(f(y, axis=0, **options), want),
                                        (dtype, rows, columns, f, options))

    def test_rows_of_any_length(self):
        for dtype in TYPES:
            for n in (1, 2, 15, 16, 17, 63, 64, 65, 100, 127, 128, 129, 200, 4095, 4096, 4097, 8193):
                x = numbers(dtype, 3 * n).reshape(3, n)
                filled = np.zeros((3, -(-n // 1024) * 1024), dtype)
                filled[:, :n] = x
                for f, options in FUNCTIONS:
                    # Zeros change no sum, and fill the leaf's last stripe.
                    want = np.array([f(row, **options) for row in filled])
                    self.assertTrue(same_bits(f(x, axis=1, **options), want), (dtype, n, f, options))

    def test_shapes_are_numpys(self):
        x = numbers(np.float64, 120).reshape(2, 3, 4, 5)
        for ours, numpys in ((acc.sum, np.sum), (acc.mean, np.mean), (acc.var, np.var),
                             (acc.std, np.std), (acc.nrm2, np.sum)):
            for axis in [None, 0, 3, -1, -4] + AXES:
                for keep in (False, True):
                    got, want = (f(x, axis=axis, keepdims=keep) for f in (ours, numpys))
                    self.assertEqual(np.shape(got), np.shape(want), (ours, axis, keep))
                    self.assertIs(type(got), type(want), (ours, axis, keep))
                    if ours is not acc.nrm2:
                        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-6)

    def test_broadcast_and_unaligned(self):
        x = np.broadcast_to(numbers(np.float64, 50), (3, 50))
        packed = np.zeros((3, 50), dtype=[("one", "u1"), ("value", "f8")])
        packed["value"] = x
        for f in (acc.sum, acc.nrm2, acc.mean, acc.var):
            want = np.full(3, f(x[0]))
            self.assertTrue(same_bits(f(x, axis=1), want))
            self.assertTrue(same_bits(f(packed["value"], axis=1), want))
            self.assertTrue(same_bits(f(packed["value"][:1], axis=1), want[:1]))

    def test_nothing(self):
        for dtype in TYPES:
            self.assertTrue(same_bits(acc.sum(np.empty((3, 0), dtype), axis=1), np.zeros(3, dtype)))
            self.assertEqual(acc.sum(np.empty((3, 0), dtype), axis=0).shape, (0,))
            self.assertEqual(acc.sum(np.empty((0, 3, 2), dtype), axis=(0, 2)).shape, (3,))
        for f, options, text in ((acc.mean, {}, "a mean of no elements is NaN"),
                                 (acc.var, {}, "of 0 elements or fewer it is NaN"),
                                 (acc.std, {"ddof": 1}, "of 1 elements or fewer it is NaN")):
            for x, axis, where in ((np.empty(0), None, True), (np.empty((2, 0)), 1, True),
                                   (np.ones((2, 3)), 1, [[False], [True]])):
                with self.assertWarnsRegex(RuntimeWarning, f"acc.{f.__name__}: {text}") as seen:
                    self.assertTrue(np.isnan(np.ravel(f(x, axis=axis, where=where, **options))[0]))
                self.assertEqual(seen.filename, __file__)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(f(np.empty((0, 3)), axis=1, **options).size, 0)
                f(np.ma.masked_all(3), **options)
        self.assertEqual(acc.sum(np.float64(3), axis=()), 3)


class Moments(unittest.TestCase):
    def test_correctly_rounded(self):
        for dtype in REALS:
            x = numbers(dtype, 4 * 300).reshape(4, 300)
            for ddof in (0, 1):
                means, variances = acc.mean(x, axis=1), acc.var(x, axis=1, ddof=ddof)
                for row, mean, variance in zip(x, means, variances):
                    exact = [Fraction(float(v)) for v in row]
                    middle = sum(exact) / len(exact)
                    self.assertTrue(same_bits(mean, rounded(middle, dtype)))
                    squares = sum((v - middle) ** 2 for v in exact)
                    self.assertTrue(same_bits(variance, rounded(squares / (len(exact) - ddof), dtype)))
                    self.assertTrue(same_bits(acc.std(row, ddof=ddof), np.sqrt(variance)))
        self.assertEqual(acc.var(np.array([1e9 + 1, 1e9 + 2, 1e9 + 3])), 2 / 3)


class Errors(unittest.TestCase):
    def test_axis(self):
        x = np.ones((2, 3))
        for f in (acc.sum, acc.nrm2, acc.mean, acc.var, acc.std):
            name = f"acc.{f.__name__}: "
            for axis, error, text in (
                (2, ValueError, "axis is 2, but x has 2 dimensions"),
                ((0, -3), ValueError, "axis is -3, but x has 2 dimensions"),
                ((1, -1), ValueError, r"axis \(1, -1\) names a dimension twice"),
                (0.5, TypeError, "axis must be an integer, but is 0.5"),
                ("exact", TypeError, "axis must be an integer, but is 'exact'; a method is named: "
                                     "method='exact'"),
                ([0], TypeError, r"axis must be an integer, but is \[0\]"),
            ):
                with self.assertRaisesRegex(error, name + text):
                    f(x, axis=axis)

    def test_types(self):
        for f in (acc.var, acc.std):
            with self.assertRaisesRegex(TypeError, f"acc.{f.__name__}: x has dtype complex128; allowed "
                                                   "are float32, float64"):
                f(np.ones(3, complex))
        with self.assertRaisesRegex(ValueError, "acc.nrm2: there is no method 'precise'"):
            acc.nrm2(np.ones((2, 2)), method="precise", axis=0)
        for f in (acc.var, acc.std):
            with self.assertRaisesRegex(ValueError, "ddof must not be negative, but is -1"):
                f(np.ones(3), ddof=-1)
            with self.assertRaisesRegex(TypeError, "ddof must be an integer, but is 0.5"):
                f(np.ones(3), ddof=0.5)


if __name__ == "__main__":
    unittest.main()
