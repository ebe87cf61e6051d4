# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Python's side does with a GPU's arrays before and after the compiled side computes, on any machine:
a stand-in takes that side's place, and host memory a GPU's. gpu_arrays.py is for a GPU."""

import sys
import types
import unittest
from unittest import mock

import acc
import numpy as np
from acc import _acc, _foreign, _gpu

DTYPES = (np.float32, np.float64, np.complex64, np.complex128)
VERSIONS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # before that NumPy knew no version of DLPack


class Array:
    """An array of a library that says, by DLPack, that its memory is a GPU's. Indexing is NumPy's."""

    def __init__(self, array, device=(2, 0)):
        self.array, self.device = array, device

    def __getitem__(self, index):
        return type(self)(self.array[index], self.device)

    def __setitem__(self, index, value):
        self.array[index] = value.array if isinstance(value, Array) else value

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream, max_version):
        StandIn.log.append(("reads", stream))
        return self.array.__dlpack__(**({"max_version": max_version} if VERSIONS else {}))


class Tensor(Array):
    """An array of a library whose streams acc knows."""

    def new_empty(self, shape, dtype):
        return Tensor(np.full(shape, np.nan, dtype))


class Interface:
    """What has only a __cuda_array_interface__."""

    def __init__(self, array, **changes):
        its = array.__array_interface__
        self.array = array
        self.__cuda_array_interface__ = {"shape": its["shape"], "strides": its["strides"], "data": its["data"],
                                         "typestr": its["typestr"], "version": 3, **changes}


TORCH = types.SimpleNamespace(Tensor=Tensor, float32="float32", float64="float64", complex64="complex64",
                              complex128="complex128",
                              cuda=types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(
                                  cuda_stream=77)))


class StandIn:
    """For _acc.gpu."""
    STREAM = 4711
    log = []

    @staticmethod
    def array(a):
        memory = _foreign._Memory(a, a.dtype)
        memory.__array_interface__["data"] = (a.address, a.read_only)
        return np.asarray(memory)

    @staticmethod
    def device():
        return 0

    @staticmethod
    def stream():
        return StandIn.STREAM

    @staticmethod
    def gpu_at(address):
        return 0

    def __getattr__(self, name):
        if name in ("wait_for", "precede", "finish"):
            return lambda *handle: self.log.append((name, *handle))

        def reduce(*arguments):
            self.log.append("computes")
            return getattr(acc, name)(*(self.array(a) if isinstance(a, _acc.ForeignArray) else a for a in arguments))

        def by_method(*arguments):
            *arrays, method = arguments
            assert all(a.ndim == 1 for a in arrays)
            return getattr(acc, name)(*(self.array(a) for a in arrays), method=method)

        return by_method if name in ("sum", "asum", "nrm2", "dot", "dotu") else reduce

    def mean(self, x):
        return acc.mean(self.array(x))

    def var(self, x, ddof):
        return acc.var(self.array(x), ddof=ddof)

    def product(self, trans_a, trans_b, alpha, a, b, beta, c, method, strip, bits):
        a, b, c = (self.array(m) for m in (a, b, c))
        if method == "widened" and a.real.dtype == np.float64:
            return False
        self.log.append("computes")
        assert a.ndim == b.ndim == c.ndim == 3 and a.shape[0] == b.shape[0] == c.shape[0]
        for x, y, z in zip(a, b, c):
            acc.gemm(x, y, alpha, beta, z, trans_a, trans_b, method, strip or None, bits)
        return True


class Calls(unittest.TestCase):
    def setUp(self):
        StandIn.log.clear()
        for patch in (mock.patch.object(_foreign, "gpu", StandIn()), mock.patch.object(_gpu, "gpu", StandIn()),
                      mock.patch.dict(sys.modules, torch=TORCH)):
            patch.start()
            self.addCleanup(patch.stop)

    def same(self, got, want):
        got = got.array if isinstance(got, Array) else got
        self.assertEqual((np.shape(got), np.asarray(got).dtype), (np.shape(want), np.asarray(want).dtype))
        self.assertEqual(np.asarray(got).tobytes(), np.asarray(want).tobytes())

    def numbers(self, shape, dtype=np.float64, seed=1):
        parts = np.random.default_rng(seed).standard_normal((*shape, 2))
        return (parts[..., 0] + 1j * parts[..., 1]).astype(dtype) if np.dtype(dtype).kind == "c" else (
            parts[..., 0].astype(dtype))

    def test_reductions(self):
        for dtype in DTYPES:
            x, y = (self.numbers((6, 7, 8), dtype, seed) for seed in (1, 2))
            for wrap in (Array, Tensor, Interface):
                for part in (np.s_[:], np.s_[0], np.s_[:, 1, 2], np.s_[0, 0, ::-2], np.s_[:0]):
                    a, b = x[part], y[part]
                    for method in acc.methods:
                        for f in (acc.sum, acc.asum, acc.nrm2):
                            self.same(f(wrap(a), method=method), f(a, method=method))
                        for f in (acc.dot, acc.dotu):
                            self.same(f(wrap(a), wrap(b), method), f(a, b, method))
                    if x.dtype.kind == "f" and a.size:
                        self.same(acc.mean(wrap(a)), acc.mean(a))
                one = x[1, 1, 1:2].reshape(())
                self.same(acc.sum(wrap(one)), acc.sum(one))
                for any_order in (x.T, x[::-1, :, ::-1], x.transpose(1, 0, 2)[:, ::-1]):
                    for f in (acc.sum, acc.asum, acc.nrm2):
                        self.same(f(wrap(any_order), method="exact"), f(any_order, method="exact"))
                    if x.dtype.kind == "f":
                        self.same(acc.var(wrap(any_order), ddof=1), acc.var(any_order, ddof=1))
                        self.same(acc.std(wrap(any_order)), acc.std(any_order))
                    with self.assertRaisesRegex(ValueError, "acc.sum: x, of shape .* has no constant stride"):
                        acc.sum(wrap(any_order))

    def test_products(self):
        for dtype in DTYPES:
            for shapes in (((40,), (40,)), ((40,), (40, 3)), ((3, 40), (40,)), ((2, 5, 3, 40), (5, 40, 4)),
                           ((6, 3, 40), (40, 4)), ((40,), (2, 40, 3)), ((2, 3, 40), (40,)), ((2, 0, 40), (40, 3)),
                           ((3, 40), (40, 4)), ((4, 1, 3, 40), (1, 5, 40, 2)), ((3, 0), (0, 4)),
                           ((2, 1, 3, 40), (1, 5, 40, 2))):
                a, b = (self.numbers(shape, dtype, seed) for seed, shape in enumerate(shapes))
                want = acc.matmul(a, b)
                self.same(acc.matmul(Tensor(a), Tensor(b)), want)
                big = np.zeros((*want.shape, 2), dtype)
                out = Array(big[..., 1])
                self.assertIs(acc.matmul(Array(a), Interface(b), out), out)
                self.same(out, want)
            a, b, c = (self.numbers(shape, dtype, seed) for seed, shape in enumerate(((9, 4), (6, 9), (4, 6))))
            for options in ({}, {"method": "exact"}, {"method": "kahan", "strip": 4},
                            {"method": "fixed_point", "bits": 20}):
                to = Array(c.copy(order="F"))
                self.assertIs(acc.gemm(Array(a), Array(b), 2, 0.5, to, "C", "T", **options), to)
                self.same(to, acc.gemm(a, b, 2, 0.5, c.copy(), "C", "T", **options))
                self.same(acc.gemm(Tensor(a.T), Tensor(b.T), **options), acc.gemm(a.T, b.T, **options))
            for trans, count in (("N", 4), ("T", 9), ("C", 9)):
                x = self.numbers((count,), dtype)
                self.same(acc.gemv(Tensor(a), Tensor(x), trans=trans), acc.gemv(a, x, trans=trans))
                y = np.ones(13 - count, dtype)
                self.same(acc.gemv(Tensor(a), Tensor(x), 2, 3, Tensor(y.copy()), trans),
                          acc.gemv(a, x, 2, 3, y.copy(), trans))

    def test_linear(self):
        for dtype in DTYPES:
            w, b = self.numbers((5, 30), dtype), self.numbers((5,), dtype, 2)
            for shape in ((30,), (7, 30), (2, 3, 30), (2, 2, 3, 30), (0, 30)):
                x = self.numbers(shape, dtype, 3)
                for each in (x, x[..., ::-1].copy()[..., ::-1].copy("F")):
                    self.same(acc.linear(Tensor(each), Tensor(w)), acc.linear(each, w))
                    want = acc.linear(each, w, b, method="exact")
                    self.same(acc.linear(Tensor(each), Tensor(w), Tensor(b), method="exact"), want)
                    out = Array(np.zeros_like(want))
                    self.assertIs(acc.linear(Array(each), Array(w), Array(b), out, method="exact"), out)
                    self.same(out, want)
            far = self.numbers((3, 2, 30), dtype, 4).transpose(1, 0, 2)
            StandIn.log.clear()
            self.same(acc.linear(Tensor(far), Tensor(w)), acc.linear(far, w))
            self.assertEqual(StandIn.log.count("computes"), 1)

    def test_one_call_where_rows_are_one_in_memory(self):
        x, w = self.numbers((4, 5, 30)), self.numbers((6, 30))
        acc.linear(Tensor(x), Tensor(w))
        self.assertEqual(StandIn.log.count("computes"), 1)

    def test_order(self):
        x = self.numbers((4, 4))
        acc.matmul(Tensor(x), Tensor(x))
        self.assertEqual(StandIn.log, [("wait_for", 77), ("reads", -1)] * 3 + ["computes", ("precede", 77)])
        StandIn.log.clear()
        acc.sum(Array(x))
        self.assertEqual(StandIn.log, [("reads", StandIn.STREAM)])
        for wrap, ends in ((Array, [("finish",)]), (Interface, [("finish",)])):
            StandIn.log.clear()
            acc.matmul(wrap(x), Tensor(x), Tensor(np.zeros((4, 4))))
            self.assertEqual(StandIn.log[-2:], ["computes", *ends])
        for changes, waits in (({"stream": 5}, [("wait_for", 5)]), ({"stream": None}, []), ({}, []),
                               ({"version": 2}, [("wait_for", 1)])):
            StandIn.log.clear()
            acc.sum(Interface(x, **changes))
            self.assertEqual(StandIn.log, waits)

    def test_errors(self):
        x, fixed = np.ones((4, 4)), np.ones((4, 4))
        fixed.flags.writeable = False
        a = Array(x)
        cases = [
            (lambda: acc.sum(a, axis=0), TypeError, "acc.sum: axis is not taken with an array on a GPU"),
            (lambda: acc.sum(a, initial=1), TypeError, "acc.sum: initial is not taken"),
            (lambda: acc.nrm2(a, dtype=np.float64), TypeError, "acc.nrm2: dtype is not taken"),
            (lambda: acc.mean(a, keepdims=True), TypeError, "acc.mean: keepdims is not taken"),
            (lambda: acc.var(a, where=[True]), TypeError, "acc.var: where is not taken"),
            (lambda: acc.std(a, out=a), TypeError, "acc.std: out is not taken"),
            (lambda: acc.sum(a, method="fold2"), ValueError, "acc.sum: there is no method 'fold2'; allowed are plain"),
            (lambda: acc.mean(Array(x + 1j)), TypeError, "acc.mean: x has dtype complex128; allowed on a GPU are "
                                                         "float32, float64"),
            (lambda: acc.sum(Array(np.arange(5))), TypeError, "acc.sum: x has dtype int64; allowed on a GPU are"),
            (lambda: acc.sum(Interface(np.ones(3, ">f8"))), TypeError, "acc.sum: x has dtype >f8; allowed on a GPU"),
            (lambda: acc.sum(Interface(x, mask=a)), TypeError, "acc.sum: x is a masked array; fill or compress"),
            (lambda: acc.matmul(Array(np.ones(3, np.float16)), a), TypeError, "acc.matmul: a has dtype float16"),
            (lambda: acc.dot(a, x), TypeError, "acc.dot: x lies on CUDA device 0 and y in host memory; all must lie"),
            (lambda: acc.matmul(x, a), TypeError, "acc.matmul: b lies on CUDA device 0 and a in host memory"),
            (lambda: acc.matmul(a, a, x), TypeError, "acc.matmul: a lies on CUDA device 0 and out in host memory"),
            (lambda: acc.sum(Array(x, (2, 1))), TypeError, "acc.sum: x lies on CUDA device 1, but acc computes on "
                                                           "CUDA device 0"),
            (lambda: acc.dot(a, Array(x, (2, 1))), TypeError, "acc.dot: y lies on CUDA device 1, but"),
            (lambda: acc.dot(a, Array(x, (10, 0))), TypeError, "acc.dot: y lies on ROCm device 0, which acc does not"),
            (lambda: acc.cumsum(a), TypeError, "acc.cumsum: x lies on CUDA device 0, but acc.cumsum takes arrays in "
                                               "host memory alone"),
            (lambda: acc.ngemm(a, a), TypeError, "acc.ngemm: a lies on CUDA device 0, but acc.ngemm takes"),
            (lambda: acc.dot(a, Array(np.ones(16))), ValueError, r"acc.dot: x and y must have the same shape, but x "
                                                                 r"has shape \(4, 4\) and y has shape \(16,\)"),
            (lambda: acc.dot(a, Array(x.astype(np.float32))), TypeError, "acc.dot: x and y must have the same dtype"),
            (lambda: acc.matmul(a, a), TypeError, "acc.matmul: out is needed, since acc makes no test_gpu_calls.Array"),
            (lambda: acc.matmul(a, a, Interface(fixed)), ValueError, "acc.matmul: out cannot be written"),
            # Without versions an array that must not be written has no DLPack: its library says so.
            (lambda: acc.matmul(a, a, Array(fixed)), *((ValueError, "acc.matmul: out cannot be written") if VERSIONS
                                                       else (BufferError, "Cannot export readonly array"))),
            (lambda: acc.matmul(a, a, Array(x[:2])), ValueError, r"acc.matmul: out has shape \(2, 4\), but the "
                                                                 r"result has \(4, 4\)"),
            (lambda: acc.matmul(a, a, Array(x.astype(np.float32))), TypeError, "acc.matmul: out has dtype float32, "
                                                                               "but the result has float64"),
            (lambda: acc.matmul(a, Array(np.ones(3))), ValueError, "acc.matmul: the last dimension of a must be"),
            (lambda: acc.matmul(Tensor(x[::-1]), a), ValueError, "acc.matmul: a has a negative stride"),
            (lambda: acc.gemm(a, a, c=Array(np.zeros((4, 4))[::-1])), ValueError,
             "acc.gemm: the result has a negative stride"),
            (lambda: acc.matmul(Tensor(x), a, method="widened"), ValueError, "acc.matmul: method widened does not "
                                                                             "take float64"),
            (lambda: acc.gemm(a, a, beta=1), ValueError, "acc.gemm: beta is 1, but there is no c"),
            (lambda: acc.gemm(Tensor(x), a, trans_a="H"), ValueError, 'acc.gemm: trans_a must be "N", "T" or "C"'),
            (lambda: acc.gemm(Tensor(x), a, alpha=1j), TypeError, "acc.gemm: alpha must be a real number"),
            (lambda: acc.gemv(a, a), ValueError, "acc.gemv: x must have one dimension"),
            (lambda: acc.linear(a, a, Array(np.ones(3))), ValueError, "acc.linear: bias must have as many elements"),
            (lambda: acc.linear(a, a, x[0]), TypeError, "acc.linear: x lies on CUDA device 0 and bias in host memory"),
        ]
        for f, error, text in cases:
            with self.assertRaisesRegex(error, "^" + text):
                f()
        out, bias = Array(np.zeros((4, 4))), Array(np.ones(4))
        for arguments, options, text in (((a, a, bias, out), {"method": "widened"}, "method widened does not take"),
                                         ((a, a, bias, out), {"method": "fixed_point"}, "bits must be 8 to 64"),
                                         ((a, Array(x[:3]), Array(np.ones(3)), out), {}, r"out has shape \(4, 4\)"),
                                         ((Array(x[::-1]), a, bias, out), {}, "x has a negative stride")):
            with self.assertRaisesRegex(ValueError, "^acc.linear: " + text):
                acc.linear(*arguments, **options)
            self.assertFalse(out.array.any())
        kept = x.copy()
        for name, arguments in (("x", (a, Array(kept), bias)), ("weight", (Array(kept), a, bias)),
                                ("bias", (Array(kept), Array(kept), Array(x[0])))):
            with self.assertRaisesRegex(ValueError, f"^acc.linear: out shares memory with {name}, and acc copies "):
                acc.linear(*arguments, Array(x))
            self.same(x, kept)
        with self.assertRaisesRegex(TypeError, "acc.linear: bias cannot be written to out, which is "
                                               "test_gpu_calls.Interface"):
            acc.linear(a, a, bias, Interface(x.copy()))
        self.assertNotIn("computes", StandIn.log)


if __name__ == "__main__":
    unittest.main()
