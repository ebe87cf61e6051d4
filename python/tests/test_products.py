# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products against exact arithmetic and NumPy."""

import unittest
from fractions import Fraction

import acc
import numpy as np
from test_sums import TYPES, numbers, same_bits


def matrix(dtype, rows, columns, seed):
    return numbers(dtype, rows * columns, seed).reshape(rows, columns)


def methods(dtype):
    wide = np.finfo(dtype).bits == 64
    return [m for m in acc.gemm_methods if m != "widened" or not wide]


class Gemm(unittest.TestCase):
    def test_integers_are_exact(self):
        random = np.random.default_rng(1)
        for dtype in TYPES:
            a = random.integers(-9, 9, (33, 150)).astype(dtype)
            b = random.integers(-9, 9, (150, 21)).astype(dtype)
            if np.issubdtype(dtype, np.complexfloating):
                a, b = a * dtype(1 + 2j), b * dtype(3 - 1j)
            c = random.integers(-9, 9, (33, 21)).astype(dtype)
            self.assertTrue(same_bits(acc.matmul(a, b), a @ b))
            for method in methods(dtype):
                self.assertTrue(same_bits(acc.gemm(a, b, method=method, bits=30), a @ b), (dtype, method))
                given = c.copy()
                got = acc.gemm(a.T.copy(), b.conj().T, 2, -1, given, "T", "C", method, strip=10, bits=30)
                self.assertIs(got, given)
                self.assertTrue(same_bits(got, 2 * (a @ b) - c), (dtype, method))

    def test_widened_rounds_once(self):
        a, b = matrix(np.float32, 4, 300, 1), matrix(np.float32, 300, 3, 2)
        c = acc.matmul(a, b, method="compensated")
        for i in range(4):
            for j in range(3):
                products = [Fraction(float(p)) * Fraction(float(q)) for p, q in zip(a[i], b[:, j])]
                exact, size = sum(products), sum(map(abs, products))
                got = Fraction(float(c[i, j]))
                self.assertLessEqual(abs(got - exact), abs(exact) / 2**24 + size / 2**40)

    def test_exact_rounds_once(self):
        for dtype in (np.float32, np.float64):
            a, b = matrix(dtype, 4, 300, 1), matrix(dtype, 300, 3, 2)
            a[:, 150:] = -a[:, :150]  # what is left of the products is small
            c = matrix(dtype, 4, 3, 3)
            got = acc.gemm(a, b, alpha=0.5, beta=-3, c=c.copy(), method="exact")
            for i in range(4):
                for j in range(3):
                    products = [Fraction(float(p)) * Fraction(float(q)) for p, q in zip(a[i], b[:, j])]
                    exact = sum(products) / 2 - 3 * Fraction(float(c[i, j]))
                    error = abs(Fraction(float(got[i, j])) - exact)
                    for neighbor in (np.nextafter(got[i, j], dtype(x)) for x in (-np.inf, np.inf)):
                        self.assertLessEqual(error, abs(Fraction(float(neighbor)) - exact))

    def test_fixed_point_cuts_rows_and_columns(self):
        def cut(row, bits):
            unit = Fraction(2) ** (int(np.floor(np.log2(np.abs(row).max()))) + 1 - bits)
            return [round(Fraction(float(x)) / unit) * unit for x in row]

        a, b = matrix(np.float64, 4, 50, 1), matrix(np.float64, 50, 3, 2)
        a[:, ::2] *= 1000
        for bits in (8, 20, 40):
            got = acc.matmul(a, b, method="fixed_point", bits=bits)
            for i in range(4):
                for j in range(3):
                    want = sum(x * y for x, y in zip(cut(a[i], bits), cut(b[:, j], bits)))
                    self.assertEqual(got[i, j], float(want))

    def test_bits_do_not_depend_on_memory(self):
        for dtype in TYPES:
            a, b = matrix(dtype, 40, 65, 1), matrix(dtype, 65, 30, 2)
            for method in methods(dtype):
                want = acc.gemm(a, b, method=method, bits=30)
                padded = np.full((80, 195), np.nan, dtype)
                padded[::2, 1::3] = a
                for name, x in (("fortran", np.asfortranarray(a)), ("padded", padded[::2, 1::3]),
                                ("reversed", a[::-1].copy()[::-1])):
                    c = np.empty((30, 40), dtype).T  # by columns
                    acc.gemm(x, np.asfortranarray(b), c=c, method=method, bits=30)
                    self.assertTrue(same_bits(c.copy(), want), (dtype, method, name))
                self.assertTrue(same_bits(acc.gemm(a, b[:, 3:4], method=method, bits=30), want[:, 3:4].copy()))

    def test_broadcast(self):
        ones = np.broadcast_to(np.float64(1), (3, 4))
        self.assertTrue((acc.matmul(ones, np.ones((4, 2))) == 4).all())

    def test_any_number_is_a_scalar(self):
        a, b = np.ones((2, 3)), np.ones((3, 4))
        for alpha in (2, 2.0, np.float32(2), np.int8(2), np.array(2.0), Fraction(2)):
            self.assertTrue((acc.gemm(a, b, alpha=alpha) == 6).all())
            self.assertTrue((acc.gemm(a + 0j, b + 0j, alpha=alpha) == 6).all())

    def test_a_method_has_strips_of_its_own(self):
        a, b = matrix(np.float64, 5, 3000, 1), matrix(np.float64, 3000, 4, 2)
        for method, strip in (("blocked", 64), ("kahan", 256), ("priest", 256), ("seeded", 256)):
            for f in (acc.gemm, acc.matmul):
                self.assertTrue(same_bits(f(a, b, method=method), f(a, b, method=method, strip=strip)))

    def test_strips_matter(self):
        a, b = matrix(np.float64, 20, 500, 1), matrix(np.float64, 500, 20, 2)
        self.assertFalse(same_bits(acc.gemm(a, b, strip=1), acc.gemm(a, b, strip=1000)))

    def test_errors(self):
        a, b = np.ones((2, 3)), np.ones((3, 4))
        for error, text, call in (
            (ValueError, r"acc::gemm: .*op\(A\) is 2 x 3.*op\(B\) is 2 x 3", lambda: acc.gemm(a, a)),
            (ValueError, """acc.gemm: trans_a must be "N", "T" or "C", but is 'X'""",
             lambda: acc.gemm(a, b, trans_a="X")),
            (ValueError, "acc.gemm: trans_b must be .*, but is 'Nonsense'",
             lambda: acc.gemm(a, b, trans_b="Nonsense")),
            (ValueError, "acc.gemm: trans_a must be .*, but is ''", lambda: acc.gemm(a, b, trans_a="")),
            (ValueError, "acc.gemm: trans_b must be .*, but is None",
             lambda: acc.gemm(a, b, trans_b=None)),
            (ValueError, "acc.gemm: strip must be at least 1, but is 0",
             lambda: acc.gemm(a, b, strip=0)),
            (ValueError, "acc.gemm: strip must be at least 1, but is 0",
             lambda: acc.gemm(a, b, method="exact", strip=0)),
            (ValueError, r"acc.gemm: strip must be -2\^63 to 2\^63 - 1, but is 9223372036854775808",
             lambda: acc.gemm(a, b, strip=2**63)),
            (ValueError, r"acc.gemm: bits must be -2\^31 to 2\^31 - 1, but is 2147483648",
             lambda: acc.gemm(a, b, method="fixed_point", bits=2**31)),
            (ValueError, "acc::gemm: bits must be 8 to 64, but are 0",
             lambda: acc.gemm(a, b, method="fixed_point")),
            (TypeError, "acc.gemm: bits must be an integer, but is 24.0",
             lambda: acc.gemm(a, b, method="fixed_point", bits=24.0)),
            (ValueError, "acc::gemm: C .* overlap", lambda: acc.gemm(a.T @ a, b[:, :3], c=b[:, :3])),
            (ValueError, "acc::gemm: .*C is 4 x 4", lambda: acc.gemm(a, b, c=np.ones((4, 4)))),
            (ValueError, r"acc.gemm: a must have two dimensions, but has shape \(3,\)",
             lambda: acc.gemm(a[0], b)),
            (ValueError, "acc.gemm: beta is 1.0, but there is no c", lambda: acc.gemm(a, b, beta=1)),
            (ValueError, "acc.gemm: c must be an ndarray",
             lambda: acc.gemm(a, b, c=np.ones((2, 4))[::-1])),
            (ValueError, "acc.gemm: there is no method 'fold3'; allowed are plain, blocked, kahan, "
                         "priest, seeded, widened, compensated, exact, fixed_point", lambda: acc.gemm(a, b, method="fold3")),
            (ValueError, "acc.gemm: method widened does not take float64",
             lambda: acc.gemm(a, b, method="widened")),
            (TypeError, "acc.gemm: a has dtype int64", lambda: acc.gemm(a.astype(np.int64), b)),
            (TypeError, "acc.gemm: a and b must have the same dtype",
             lambda: acc.gemm(a, b.astype(np.float32))),
            (TypeError, "acc.gemm: a and c must have the same dtype",
             lambda: acc.gemm(a, b, c=np.ones((2, 4), np.float32))),
            (TypeError, "acc.gemm: strip must be an integer, but is 1.5",
             lambda: acc.gemm(a, b, strip=1.5)),
            (TypeError, "acc.ngemm: depth must be an integer, but is 1000.0",
             lambda: acc.ngemm(a, b, depth=1e3)),
            (TypeError, "acc.gemm: alpha must be a real number, but is 1j",
             lambda: acc.gemm(a, b, alpha=1j)),
            (TypeError, "acc.gemm: alpha must be a real number, but is ",
             lambda: acc.gemm(a, b, alpha=np.complex128(1j))),
            (TypeError, "acc.gemm: alpha must be a real number, but is array",
             lambda: acc.gemm(a, b, alpha=np.ones(2))),
            (TypeError, "acc.gemm: beta must be a real number, but is None",
             lambda: acc.gemm(a, b, beta=None)),
            (TypeError, "acc.gemm: beta must be a complex number, but is '1'",
             lambda: acc.gemm(a + 0j, b + 0j, beta="1")),
            (TypeError, "acc.gemm: c is a masked array",
             lambda: acc.gemm(a, b, c=np.ma.ones((2, 4)))),
        ):
            with self.assertRaisesRegex(error, text):
                call()


class Ngemm(unittest.TestCase):
    def test_integers_are_exact(self):
        random = np.random.default_rng(1)
        for dtype in TYPES[:2]:
            a = random.integers(0, 9, (130, 64)).astype(dtype)
            b = random.integers(0, 9, (64, 70)).astype(dtype)
            for depth in (-1, 0, 2):
                self.assertTrue(same_bits(acc.ngemm(a, b, depth=depth), a @ b))

    def test_depth_matters(self):
        random = np.random.default_rng(1)
        a, b = random.random((128, 128)), random.random((128, 128))
        flat, deep = acc.ngemm(a, b, depth=0), acc.ngemm(a, b, depth=2)
        self.assertFalse(same_bits(flat, deep))
        self.assertLess(np.abs(flat - deep).max(), 1e-10)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "acc::ngemm: .*sign"):
            acc.ngemm(np.ones((2, 2)), np.array([[1.0, -1], [1, 1]]), check_sign=True)
        with self.assertRaisesRegex(TypeError, "acc.ngemm: a has dtype complex64; allowed are float32, "
                                               "float64"):
            acc.ngemm(np.ones((2, 2), np.complex64), np.ones((2, 2), np.complex64))


class Gemv(unittest.TestCase):
    def test_bits_are_those_of_gemm(self):
        for dtype in TYPES:
            a, x, y = matrix(dtype, 40, 2100, 1), numbers(dtype, 2100, 2), numbers(dtype, 40, 3)
            for method in methods(dtype):
                options = {"method": method, "bits": 30, "strip": 10}
                want = acc.gemm(a, x[:, None], 2, -3, y[:, None].copy(), **options).ravel()
                for name, m in (("rows", a), ("columns", np.asfortranarray(a)),
                                ("reversed", a[::-1].copy()[::-1])):
                    given = y.copy()
                    got = acc.gemv(m, x, 2, -3, given, **options)
                    self.assertIs(got, given)
                    self.assertTrue(same_bits(got, want), (dtype, method, name))
                    self.assertTrue(same_bits(acc.gemv(m.T, x[::-1].copy()[::-1], 2, -3, y.copy(), "T",
                                                       **options), want))
                    self.assertTrue(same_bits(acc.gemv(m.conj().T, x, 2, -3, y.copy(), "C", **options), want))
                self.assertTrue(same_bits(acc.gemv(a, x, **options), acc.gemm(a, x[:, None], **options).ravel()))

    def test_errors(self):
        a, x = np.ones((2, 3)), np.ones(3)
        for error, text, call in (
            (ValueError, "acc::gemv: .*x", lambda: acc.gemv(a, x[:2])),
            (ValueError, r"acc.gemv: a must have two dimensions, but has shape \(3,\)", lambda: acc.gemv(x, x)),
            (ValueError, r"acc.gemv: x must have one dimension, but has shape \(2, 3\)",
             lambda: acc.gemv(a, a)),
            (ValueError, """acc.gemv: trans must be "N", "T" or "C", but is 'X'""",
             lambda: acc.gemv(a, x, trans="X")),
            (ValueError, "acc.gemv: beta is 1.0, but there is no y", lambda: acc.gemv(a, x, beta=1)),
            (ValueError, "acc.gemv: y must be an ndarray of one dimension that can be written",
             lambda: acc.gemv(a, x, y=np.ones((2, 1)))),
            (ValueError, "acc.gemv: method widened does not take float64",
             lambda: acc.gemv(a, x, method="widened")),
            (TypeError, "acc.gemv: a and x must have the same dtype", lambda: acc.gemv(a, x + 0j)),
            (TypeError, "acc.gemv: alpha must be a real number, but is 1j", lambda: acc.gemv(a, x, alpha=1j)),
        ):
            with self.assertRaisesRegex(error, text):
                call()


class Matmul(unittest.TestCase):
    SHAPES = (((5,), (5,)), ((4, 5), (5,)), ((5,), (5, 3)), ((4, 5), (5, 3)), ((7, 4, 5), (5, 3)),
              ((7, 4, 5), (7, 5, 3)), ((4, 5), (7, 5, 3)), ((2, 7, 4, 5), (7, 5, 3)), ((2, 1, 4, 5), (7, 5, 3)),
              ((7, 4, 5), (5,)), ((5,), (2, 7, 5, 3)), ((3, 1, 2, 4, 5), (2, 1, 5, 3)), ((1, 4, 5), (7, 5, 3)),
              ((0,), (0,)), ((4, 0), (0, 3)), ((4, 0), (0,)), ((0, 5), (5, 3)), ((0, 4, 5), (5, 3)),
              ((7, 4, 0), (7, 0, 3)), ((1, 5), (5, 1)), ((0, 5), (5,)), ((7, 0, 5), (5,)))

    def test_integers_are_exact(self):
        random = np.random.default_rng(6)
        for dtype in TYPES:
            for shape, other in self.SHAPES:
                a = random.integers(-9, 9, shape).astype(dtype)
                b = random.integers(-9, 9, other).astype(dtype)
                if np.issubdtype(dtype, np.complexfloating):
                    a, b = a * dtype(1 + 2j), b * dtype(3 - 1j)
                want = a @ b + dtype(0)  # no -0
                for method in methods(dtype):
                    got = acc.matmul(a, b, method=method, bits=30)
                    self.assertIs(type(got), type(want))
                    self.assertTrue(same_bits(got + dtype(0), want), (dtype, method, shape, other))
                    out = np.empty((*want.shape, 2), dtype)[..., 1]
                    self.assertIs(acc.matmul(a, b, out, method=method, bits=30), out)
                    self.assertTrue(same_bits(out + dtype(0), np.asarray(want)))

    def test_bits_are_those_of_gemm(self):
        for dtype in TYPES:
            a = numbers(dtype, 6 * 4 * 700).reshape(2, 3, 4, 700)
            b = numbers(dtype, 3 * 700 * 5, 2).reshape(3, 700, 5)
            for method in methods(dtype):
                options = {"method": method, "bits": 30, "strip": 10}
                for x, y in ((a, b), (a.transpose(1, 0, 2, 3)[:, ::-1], b[:, None]),
                             (np.asfortranarray(a), np.asfortranarray(b)), (a[:, :1], b), (a[0, 0], b)):
                    got = acc.matmul(x, y, **options)
                    shape = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
                    left, right = (np.broadcast_to(m, shape + m.shape[-2:]) for m in (x, y))
                    for i in np.ndindex(shape):
                        self.assertTrue(same_bits(got[i], acc.gemm(left[i], right[i], **options)))
                want = acc.gemm(a[1, 1], b[1], **options)
                self.assertTrue(same_bits(acc.matmul(a[1, 1], b[1, :, 2], **options), want[:, 2].copy()))
                self.assertTrue(same_bits(acc.matmul(a[1, 1, 3], b[1], **options), want[3]))
                self.assertTrue(same_bits(acc.matmul(a[1, 1, 3], b[1, :, 2], **options), want[3, 2]))
                self.assertTrue(same_bits(acc.matmul(a[1], b[1, :, 2], **options),
                                          np.array([acc.matmul(m, b[1, :, 2], **options) for m in a[1]])))

    def test_conversions_that_change_no_number(self):
        a = np.arange(6).reshape(2, 3)
        for x, y in ((a, [1, 2, 3]), (a > 2, np.ones((3, 2), np.int8)), (a.astype(">f8"), a.T)):
            self.assertTrue(same_bits(acc.matmul(x, y), np.asarray(x, float) @ np.asarray(y, float)))

    def test_complex_numbers_that_are_aligned_for_their_parts(self):
        memory = np.random.default_rng(5).standard_normal(2 * 70 * 71 + 2)
        first = (memory.ctypes.data // 8 + 1) % 2  # not a multiple of 16 bytes
        a = memory[first:first + 2 * 70 * 71].view(np.complex128).reshape(70, 71)
        x = a.reshape(-1)[:71]
        aligned, vector = np.array(a), np.array(x)
        for method in ("seeded", "compensated", "exact"):
            for got, want in (
                (acc.matmul(a, x, method=method), acc.matmul(aligned, vector, method=method)),
                (acc.matmul(a, x[:, None], method=method), acc.matmul(aligned, vector[:, None], method=method)),
                (acc.gemv(a[::2, ::2], x[::2], method=method),
                 acc.gemv(aligned[::2, ::2], vector[::2], method=method))):
                self.assertTrue(same_bits(got, want))

    def test_out_may_be_an_operand(self):
        a, b = matrix(np.float64, 30, 30, 1), matrix(np.float64, 30, 30, 2)
        want = acc.matmul(a, b)
        for out in (a.copy(), a.copy()[::-1]):
            self.assertTrue(same_bits(acc.matmul(a if out.base is None else a, b, out).copy(), want))
        c = a.copy()
        self.assertIs(acc.matmul(c, b, out=c), c)
        self.assertTrue(same_bits(c, want))

    def test_errors(self):
        a, b = np.ones((2, 3)), np.ones((3, 4))
        for error, text, call in (
            (ValueError, r"the last dimension of a must be as long as the last but one of b, but a has shape "
                         r"\(2, 3\) and b has shape \(2, 3\)", lambda: acc.matmul(a, a)),
            (ValueError, r"the last dimension of a must be as long as the only one of b, but a has shape "
                         r"\(2, 3\) and b has shape \(4,\)", lambda: acc.matmul(a, b[0])),
            (ValueError, r"the dimensions before the last two must broadcast, but a has shape \(2, 2, 3\) and "
                         r"b has shape \(5, 3, 4\)",
             lambda: acc.matmul(np.ones((2, 2, 3)), np.ones((5, 3, 4)))),
            (ValueError, "b must have at least one dimension, but is a number", lambda: acc.matmul(a, 2.0)),
            (ValueError, r"out has shape \(2, 3\), but the result has \(2, 4\)",
             lambda: acc.matmul(a, b, np.empty((2, 3)))),
            (TypeError, "out has dtype float32, but the result has float64",
             lambda: acc.matmul(a, b, np.empty((2, 4), np.float32))),
            (TypeError, "out must be an ndarray, but is list", lambda: acc.matmul(a, b, [])),
            (ValueError, "strip must be at least 1, but is 0", lambda: acc.matmul(a, b, strip=0)),
            (ValueError, "bits must be 8 to 64, but are 0", lambda: acc.matmul(a, b, method="fixed_point")),
            (TypeError, "bits must be an integer, but is 24.0",
             lambda: acc.matmul(a, b, method="fixed_point", bits=24.0)),
            (ValueError, "there is no method 'fold3'; allowed are plain, blocked, kahan",
             lambda: acc.matmul(a, b, method="fold3")),
            (ValueError, "method widened does not take float64", lambda: acc.matmul(a, b, method="widened")),
            (TypeError, "a has the integer 9007199254740993, which is not a float64",
             lambda: acc.matmul([2**53 + 1], [1])),
            (TypeError, "a and b must have the same dtype", lambda: acc.matmul(a, b.astype(np.float32))),
            (TypeError, "b is a masked array", lambda: acc.matmul(a, np.ma.array(b))),
        ):
            with self.assertRaisesRegex(error, "acc.matmul: " + text):
                call()


if __name__ == "__main__":
    unittest.main()
