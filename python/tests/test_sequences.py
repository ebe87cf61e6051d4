# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running totals, and sums by index, of segments and of runs, against fractions and acc.sum."""

import itertools
import unittest

import acc
import numpy as np
from test_sums import REALS, TYPES, fractions, numbers, rounded, same_bits


def parts(x):
    """The real numbers that x is of, and their type."""
    return (x.real, x.imag) if np.iscomplexobj(x) else (x,)


class Cumsum(unittest.TestCase):
    def test_exact_totals_are_correctly_rounded(self):
        for dtype in TYPES:
            x = numbers(dtype, 400)
            for got, part in zip(parts(acc.cumsum(x, method="exact")), parts(x)):
                for one, total in zip(got, itertools.accumulate(fractions(part))):
                    self.assertTrue(same_bits(one, rounded(total, part.dtype)))

    def test_compensated_totals_are_within_their_bound(self):
        for dtype in REALS:
            x = numbers(dtype, 3000)
            u = np.finfo(dtype).eps / 2
            d = 32 + 2 * np.ceil(np.log2(3000 / 16))
            size = 0
            for one, number, total in zip(acc.cumsum(x), fractions(x), itertools.accumulate(fractions(x))):
                size += abs(number)
                bound = u * abs(float(total)) + 2 * (1.01 * d * u) ** 2 * float(size)
                self.assertLessEqual(abs(float(total) - float(one)), bound * (1 + 1e-9))
        self.assertFalse(same_bits(acc.cumsum(numbers(np.float64, 3000)),
                                   np.cumsum(numbers(np.float64, 3000))))

    def test_axes(self):
        for dtype in TYPES:
            x = numbers(dtype, 5 * 4 * 60).reshape(5, 4, 60)
            for method in ("compensated", "exact"):
                self.assertTrue(same_bits(acc.cumsum(x, method=method), acc.cumsum(x.ravel(), method=method)))
                for axis in (0, 1, 2, -1, -3):
                    got = acc.cumsum(x, axis, method=method)
                    lines, of = np.moveaxis(got, axis, -1), np.moveaxis(x, axis, -1)
                    self.assertEqual(got.shape, x.shape)
                    for i in np.ndindex(lines.shape[:-1]):
                        self.assertTrue(same_bits(lines[i], acc.cumsum(of[i].copy(), method=method)))
                out = np.empty_like(x)
                self.assertIs(acc.cumsum(x, 1, out=out, method=method), out)
                self.assertTrue(same_bits(out, acc.cumsum(x, 1, method=method)))
            self.assertTrue(same_bits(acc.cumsum(x[:, ::-2], 1), acc.cumsum(x[:, ::-2].copy(), 1)))
        self.assertEqual(acc.cumsum([1, 2, 3]).tolist(), [1, 3, 6])
        self.assertEqual(acc.cumsum(np.float32(3)).tolist(), [3])
        self.assertEqual(acc.cumsum(np.ones(3, np.float32), dtype=float).dtype, float)
        for shape in ((0,), (3, 0), (0, 3)):
            self.assertEqual(acc.cumsum(np.empty(shape), 0).shape, shape)

    def test_errors(self):
        for error, text, call in (
            (ValueError, "there is no method 'plain'; allowed are compensated, exact",
             lambda: acc.cumsum([1.0], method="plain")),
            (ValueError, "axis is 1, but x has 1 dimensions", lambda: acc.cumsum([1.0], 1)),
            (TypeError, r"axis must be an integer, but is \(0,\)", lambda: acc.cumsum([1.0], (0,))),
            (TypeError, "x is a masked array", lambda: acc.cumsum(np.ma.ones(3))),
            (ValueError, r"out has shape \(2,\), but the result has \(3,\)",
             lambda: acc.cumsum(np.ones(3), out=np.empty(2))),
        ):
            with self.assertRaisesRegex(error, "acc.cumsum: " + text):
                call()


class ByIndex(unittest.TestCase):
    def test_bincount(self):
        random = np.random.default_rng(4)
        for dtype in TYPES:
            w, index = numbers(dtype, 3000), random.integers(0, 50, 3000)
            index[index == 20] = 21
            for method in ("exact", "reproducible"):
                got = acc.bincount(index, w, 60, method=method)
                want = np.array([acc.sum(w[index == i], method=method) for i in range(60)])
                self.assertTrue(same_bits(got, want), (dtype, method))
                self.assertEqual(acc.bincount(index, w, method=method).shape, (index.max() + 1,))
                mixed = random.permutation(3000)
                self.assertTrue(same_bits(acc.bincount(index[mixed], w[mixed], 60, method=method), got))
                rows = w.reshape(1000, 3)
                got = acc.bincount(index[:1000].astype(np.uint8), rows, method=method)
                for column in range(3):
                    self.assertTrue(same_bits(got[:, column].copy(),
                                              acc.bincount(index[:1000], rows[:, column], method=method)))
            self.assertTrue(same_bits(acc.bincount(index[::-1], w[::-1]), acc.bincount(index, w)))
        self.assertEqual(acc.bincount([], []).shape, (0,))
        self.assertEqual(acc.bincount([], [], 3).tolist(), [0, 0, 0])
        self.assertEqual(acc.bincount([1, 1, 0], [2, 3, True]).tolist(), [1, 5])

    def test_add_at(self):
        random = np.random.default_rng(5)
        for dtype in TYPES:
            a, b, index = numbers(dtype, 40), numbers(dtype, 900, 2), random.integers(-40, 40, 900)
            for method in ("exact", "reproducible"):
                got = a.copy()
                self.assertIs(acc.add_at(got, index, b, method=method), got)
                want = np.array([acc.sum(np.concatenate([a[i:i + 1], b[index % 40 == i]]), method=method)
                                 for i in range(40)])
                self.assertTrue(same_bits(got, want))
                wide = np.zeros((40, 3), dtype)[:, ::-1]
                wide[:, 1] = a
                acc.add_at(wide[:, 1], index, b, method=method)
                self.assertTrue(same_bits(wide[:, 1].copy(), want) and not wide[:, ::2].any())
                rows = np.stack([a, a], 1)[::-1]
                acc.add_at(rows, -1 - index % 40, np.stack([b, b], 1), method=method)
                self.assertTrue(same_bits(rows[::-1, 0].copy(), want) and
                                same_bits(rows[::-1, 1].copy(), want))
        one = np.zeros(2)
        self.assertEqual(acc.add_at(one, [0, 0, 1], 1).tolist(), [2, 1])
        self.assertEqual(acc.add_at(one, [], 1).tolist(), [2, 1])
        self.assertEqual(acc.add_at(one, [0, 1, 1, 1, 0], np.broadcast_to(one[:1], 5)).tolist(), [6, 7])

    def test_errors(self):
        fixed = np.zeros(2)
        fixed.flags.writeable = False
        for error, text, call in (
            (ValueError, "acc.bincount: x must not be negative, but has -1", lambda: acc.bincount([0, -1], [1, 2])),
            (ValueError, r"acc.bincount: weights must be .* for each of the 2 elements of x, but has shape \(3,\)",
             lambda: acc.bincount([0, 1], [1, 2, 3])),
            (TypeError, "acc.bincount: x must be of integers, but has dtype float64",
             lambda: acc.bincount([0.5], [1])),
            (TypeError, "acc.bincount: x has the integer 9223372036854775808, which is not an int64",
             lambda: acc.bincount(np.array([2**63], np.uint64), [1])),
            (ValueError, r"acc.bincount: x must have one dimension, but has shape \(1, 1\)",
             lambda: acc.bincount([[0]], [1])),
            (ValueError, "acc.bincount: minlength must not be negative, but is -1",
             lambda: acc.bincount([0], [1], -1)),
            (ValueError, "acc.bincount: there is no method 'compensated'; allowed are reproducible, exact",
             lambda: acc.bincount([0], [1], method="compensated")),
            (IndexError, "acc.add_at: indices has 2, but a has 2 elements",
             lambda: acc.add_at(np.zeros(2), [0, 2], 1)),
            (IndexError, "acc.add_at: indices has -3, but a has 2 elements",
             lambda: acc.add_at(np.zeros(2), [-3], 1)),
            (ValueError, "acc.add_at: a must be an ndarray of one or two dimensions that can be written",
             lambda: acc.add_at(fixed, [0], 1)),
            (ValueError, r"acc.add_at: b has shape \(2,\), which does not broadcast to \(3,\)",
             lambda: acc.add_at(np.zeros(2), [0, 1, 0], [1, 2])),
            (TypeError, "acc.add_at: b has the number 0.1, which is not a float32",
             lambda: acc.add_at(np.zeros(2, np.float32), [0], 0.1)),
            (TypeError, "acc.add_at: dtype is int64", lambda: acc.add_at(np.zeros(2, int), [0], 1)),
        ):
            with self.assertRaisesRegex(error, text):
                call()


class Segments(unittest.TestCase):
    def test_bits_are_those_of_the_segment_alone(self):
        lengths = np.array([0, 1, 7, 300, 0, 5000, 64, 0])
        offsets = np.concatenate([[3], 3 + np.cumsum(lengths)])
        for dtype in TYPES:
            x = numbers(dtype, offsets[-1] + 5)
            for method in ("compensated", "exact"):
                want = np.array([acc.sum(x[i:j], method=method) for i, j in zip(offsets, offsets[1:])])
                for y in (x, x[::-1].copy()[::-1], np.stack([x, x], 1)[:, 0]):
                    self.assertTrue(same_bits(acc.segmented_sum(y, offsets, method=method), want))
                self.assertTrue(same_bits(acc.segmented_sum(x[3:], lengths=lengths.astype(np.int32),
                                                            method=method), want))
        np.testing.assert_allclose(acc.segmented_sum(np.arange(8.0), [0, 4, 6, 8]),
                                   np.add.reduceat(np.arange(8.0), [0, 4, 6]))
        self.assertEqual(acc.segmented_sum(np.ones(3), [0]).shape, (0,))
        self.assertEqual(acc.segmented_sum([], lengths=[0, 0]).tolist(), [0, 0])

    def test_runs_of_keys(self):
        for dtype in TYPES:
            keys = np.repeat([5, -2, 5, 9], [3, 700, 1, 5000])
            x = numbers(dtype, keys.size)
            for method in ("compensated", "exact"):
                unique, sums = acc.sum_by_key(keys, x, method=method)
                self.assertEqual(unique.tolist(), [5, -2, 5, 9])
                want = [acc.sum(x[i:j], method=method) for i, j in ((0, 3), (3, 703), (703, 704), (704, None))]
                self.assertTrue(same_bits(sums, np.array(want)))
        self.assertEqual([len(each) for each in acc.sum_by_key([], [])], [0, 0])

    def test_errors(self):
        x = np.ones(5)
        for error, text, call in (
            (ValueError, "acc.segmented_sum: offsets or lengths must be given, and not both",
             lambda: acc.segmented_sum(x)),
            (ValueError, "acc.segmented_sum: offsets or lengths must be given, and not both",
             lambda: acc.segmented_sum(x, [0, 5], [5])),
            (ValueError, "acc.segmented_sum: offsets must ascend from 0 to at most 5",
             lambda: acc.segmented_sum(x, [0, 6])),
            (ValueError, "acc.segmented_sum: offsets must ascend", lambda: acc.segmented_sum(x, [-1, 2])),
            (ValueError, "acc.segmented_sum: offsets must ascend", lambda: acc.segmented_sum(x, [0, 3, 2])),
            (ValueError, "acc.segmented_sum: offsets must ascend",
             lambda: acc.segmented_sum(x, [0, 2**62 + 1, -2**62, 5])),
            (ValueError, "acc.segmented_sum: offsets must have one element more",
             lambda: acc.segmented_sum(x, [])),
            (ValueError, "acc.segmented_sum: lengths must not be negative, but has -1",
             lambda: acc.segmented_sum(x, lengths=[2, -1])),
            (ValueError, "acc.segmented_sum: the lengths have the sum 6, but x has 5 elements",
             lambda: acc.segmented_sum(x, lengths=[3, 3])),
            (ValueError, "acc.segmented_sum: lengths has 9223372036854775807, but x has 5",
             lambda: acc.segmented_sum(x, lengths=[2**63 - 1, 2**63 - 1])),
            (ValueError, r"acc.segmented_sum: x must have one dimension, but has shape \(1, 5\)",
             lambda: acc.segmented_sum(x[None], [0, 5])),
            (ValueError, "acc.segmented_sum: there is no method 'plain'; allowed are compensated, exact",
             lambda: acc.segmented_sum(x, [0, 5], method="plain")),
            (ValueError, "acc.sum_by_key: keys must have as many elements as x, but has 2 and x has 5",
             lambda: acc.sum_by_key([1, 2], x)),
            (TypeError, "acc.sum_by_key: keys must be of integers, but has dtype bool",
             lambda: acc.sum_by_key(x > 1, x)),
        ):
            with self.assertRaisesRegex(error, text):
                call()


if __name__ == "__main__":
    unittest.main()
