# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries: those in host memory are taken, those in another memory are refused by name
in a build without CUDA. gpu_arrays.py has what a build with CUDA does with a GPU's."""

import ctypes
import unittest

import acc
import numpy as np
from acc import _acc


class Exporter:
    """An array that says by DLPack alone what it holds. kind: the type of device that it names."""

    def __init__(self, array, kind=1, number=0, version=1):
        self.array, self.device, self.version = array, (kind, number), version

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        if self.version == 0 and "max_version" in options:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**(options if self.version and np.lib.NumpyVersion(np.__version__) >= "2.1.0"
                                        else {}))


class Interface:
    """What has only a __cuda_array_interface__."""
    __cuda_array_interface__ = {"shape": (2,), "typestr": "<f8", "data": (4096, False), "version": 3}


_PyCapsule_New = ctypes.pythonapi.PyCapsule_New
_PyCapsule_New.restype = ctypes.py_object
_PyCapsule_New.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p


class Tensor(ctypes.Structure):
    """DLPack's structure of an array."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("kind", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Brain:
    """A vector of bfloat16, from the upper halves of float32s."""

    def __init__(self, x):
        self.halves = np.ascontiguousarray(x, np.float32).view(np.uint16).reshape(*x.shape, 2)[..., 1].copy()
        self.shape = (ctypes.c_int64 * x.ndim)(*x.shape)
        self.tensor = Tensor(self.halves.ctypes.data, 1, 0, x.ndim, 4, 16, 1, self.shape, None, 0)

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):
        return _PyCapsule_New(ctypes.addressof(self.tensor), b"dltensor", None)


def halves(shape, seed):
    """float32s that are bfloat16s."""
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return (x.view(np.uint32) & 0xffff0000).view(np.float32)


class OnTheHost(unittest.TestCase):
    def test_capsules(self):
        x = np.arange(24.0).reshape(2, 3, 4)
        for version in (0, 1):
            a = _acc.read_dlpack(Exporter(x[:, 1:, ::2]).__dlpack__(max_version=(version, 0)))
            self.assertEqual((a.dtype, a.itemsize, a.ndim), ("float64", 8, 3))
            self.assertEqual((a.shape, a.strides), ((2, 2, 2), (96, 32, 16)))
            self.assertEqual(a.address, x[:, 1:].__array_interface__["data"][0])
            inner = a[1]
            self.assertEqual((inner.shape, inner.strides, inner.address - a.address), ((2, 2), (32, 16), 96))
            for index in (-1, 2):
                with self.assertRaises(IndexError):
                    a[index]
        with self.assertRaises(IndexError):
            _acc.read_dlpack(np.array(1.0).__dlpack__())[0]
        with self.assertRaisesRegex(ValueError, "a capsule of DLPack is named 'other'"):
            _acc.read_dlpack(_PyCapsule_New(1, b"other", None))
        self.assertEqual(_acc.read_dlpack(Brain(np.ones(3)).__dlpack__()).dtype, "bfloat16")

    def test_bits(self):
        for dtype in (np.float32, np.float64, np.complex64, np.complex128):
            x = np.random.default_rng(1).standard_normal((40, 30)).astype(dtype)
            for array in (x, x.T, x[::-2, 3:]):
                other = Exporter(array)
                self.assertEqual(acc.sum(other), acc.sum(array))
                self.assertEqual(acc.dot(other, array), acc.dot(array, array))
                self.assertEqual(acc.nrm2(other, axis=0).tolist(), acc.nrm2(array, axis=0).tolist())
                self.assertEqual(acc.matmul(other, array.T).tolist(), acc.matmul(array, array.T).tolist())
            self.assertEqual(acc.sum(Exporter(x, version=0)), acc.sum(x))
        self.assertEqual(acc.sum(Exporter(np.arange(5))), 10)
        self.assertEqual(acc.cumsum(Exporter(np.arange(4.0))).tolist(), [0, 1, 3, 6])

    def test_pinned_memory_is_the_hosts(self):
        x = np.arange(5.0)
        for kind in (3, 11):
            self.assertEqual(acc.sum(Exporter(x, kind)), 10)

    def test_memory_is_kept_while_it_is_used(self):
        class Counted(np.ndarray):
            ended = 0

            def __del__(self):
                Counted.ended += 1

        other = Exporter(np.ones(1000).view(Counted))
        capsule = other.__dlpack__(max_version=(0, 0))
        array = _acc.read_dlpack(capsule)
        part = array.strided((10,), (8,))
        del other, capsule, array
        self.assertEqual(Counted.ended, 0)
        del part
        self.assertEqual(Counted.ended, 1)

    def test_what_numpy_lacks(self):
        with self.assertRaisesRegex(TypeError, "acc.sum: x has dtype bfloat16, which NumPy lacks"):
            acc.sum(Brain(np.ones(3)))


class ElsewhereWithoutCuda(unittest.TestCase):
    FUNCTIONS = {"sum": acc.sum, "asum": acc.asum, "nrm2": acc.nrm2, "mean": acc.mean, "var": acc.var,
                 "std": acc.std, "sum_with_bound": acc.sum_with_bound, "cumsum": acc.cumsum,
                 "dot": lambda x: acc.dot(x, x), "dotu": lambda x: acc.dotu(x, x),
                 "dot_with_bound": lambda x: acc.dot_with_bound(x, x)}
    PRODUCTS = {"a": {"gemm": lambda x: acc.gemm(x, x), "ngemm": lambda x: acc.ngemm(x, x),
                      "matmul": lambda x: acc.matmul(x, x), "gemv": lambda x: acc.gemv(x, x)},
                "x": {"linear": lambda x: acc.linear(x, x)}}

    def every_function(self):
        return [(name, "x", f) for name, f in self.FUNCTIONS.items()] + [
            (name, argument, f) for argument, all in self.PRODUCTS.items() for name, f in all.items()]

    def test_other_devices_are_refused(self):
        for function, name, f in self.every_function():
            for kind, text in ((10, "ROCm device 1"), (8, "Metal device 1"), (99, "DLPack's type 99 device 1")):
                with self.assertRaisesRegex(TypeError, f"^acc.{function}: {name} lies on {text}, which acc does "
                                                       "not reach; copy it to the host$"):
                    f(Exporter(np.ones((2, 2)), kind, 1))

    @unittest.skipIf(hasattr(_acc, "gpu"), "this build has CUDA")
    def test_gpus_are_refused(self):
        for function, name, f in self.every_function():
            for x, place in ((Exporter(np.ones((2, 2)), 2, 3), "CUDA device 3"),
                             (Exporter(np.ones((2, 2)), 13), "CUDA device 0"), (Interface(), "a CUDA device")):
                with self.assertRaisesRegex(TypeError, f"^acc.{function}: {name} lies on {place}, but this acc was "
                                                       "built without CUDA; copy it to the host, or build acc "
                                                       "with a Kokkos that has CUDA$"):
                    f(x)
        one = np.ones((2, 2))
        for f in (acc.gemm, acc.matmul, acc.linear):
            name = "weight" if f is acc.linear else "b"
            with self.assertRaisesRegex(TypeError, f"^acc.{f.__name__}: {name} lies on CUDA device 3, but"):
                f(one, Exporter(one, 2, 3))
        with self.assertRaisesRegex(TypeError, "^acc.matmul: out lies on CUDA device 0, but"):
            acc.matmul(one, one, out=Exporter(one, 2))
        with self.assertRaisesRegex(TypeError, "^acc.sum: where lies on CUDA device 0, but"):
            acc.sum(one, where=Exporter(one, 2))
        with self.assertRaisesRegex(TypeError, "^acc.bincount: weights lies on CUDA device 0, but"):
            acc.bincount([0, 1], Exporter(one, 2))


class Linear(unittest.TestCase):
    def test_bits_are_those_of_products(self):
        for dtype in (np.float32, np.float64, np.complex64, np.complex128):
            x, w, b = (np.random.default_rng(seed).standard_normal(shape).astype(dtype)
                       for seed, shape in enumerate(((5, 33), (17, 33), (17,))))
            start = np.broadcast_to(b, (5, 17))
            for method in (None, "plain", "compensated", "exact"):
                by = {"method": method or "seeded"}
                self.assertEqual(acc.linear(x, w, method=method).tolist(), acc.matmul(x, w.T, **by).tolist())
                want = acc.gemm(x, w, beta=1, c=start.copy(), trans_b="T", **by)
                self.assertEqual(acc.linear(x, w, b, method=method).tolist(), want.tolist())
                stack = np.stack([x, 2 * x, x])
                self.assertEqual(acc.linear(stack, w, b, method=method)[2].tolist(), want.tolist())
                self.assertEqual(acc.linear(x[3], w, b, method=method).tolist(), want[3].tolist())

    def test_half_precision_enters_as_float32(self):
        x, w, b = halves((7, 300), 1), halves((9, 300), 2), halves((9,), 3)
        for convert in (Brain, lambda a: a.astype(np.float16)):
            wide = [a if convert is Brain else a.astype(np.float16).astype(np.float32) for a in (x, w, b)]
            for method, bits in ((None, 0), ("widened", 0), ("exact", 0), ("fixed_point", 16)):
                got = acc.linear(*(convert(a) for a in (x, w, b)), method=method, bits=bits)
                self.assertEqual(got.dtype, np.float32)
                want = acc.linear(*wide, method=method or "widened", bits=bits)
                self.assertEqual(got.tolist(), want.tolist())
            with self.assertRaisesRegex(TypeError, "acc.linear: x and weight must have the same dtype, but x has "
                                                   "b?float16 and weight has float32"):
                acc.linear(convert(x), w)

    def test_rows_do_not_depend_on_the_batch(self):
        x, w, b = (halves(shape, seed) for seed, shape in enumerate(((64, 700), (130, 700), (130,))))
        for options in ({}, {"method": "seeded"}, {"method": "exact"}, {"method": "fixed_point", "bits": 12}):
            whole = acc.linear(x.astype(np.float16), w.astype(np.float16), b.astype(np.float16), **options)
            for count in (1, 7, 63):
                for first in (0, 64 - count):
                    part = acc.linear(x[first:first + count].astype(np.float16), w.astype(np.float16),
                                      b.astype(np.float16), **options)
                    self.assertEqual(part.tobytes(), whole[first:first + count].tobytes())

    def test_out_and_empty(self):
        x, w, b = np.ones((4, 3)), np.ones((2, 3)), np.array([1.0, 2.0])
        out = np.full((4, 4), np.nan)[:, ::2]
        self.assertIs(acc.linear(x, w, b, out), out)
        self.assertEqual(out.tolist(), [[4, 5]] * 4)
        self.assertEqual(acc.linear(x[:0], w, b).shape, (0, 2))
        self.assertEqual(acc.linear(x[:, :0], w[:, :0], b).tolist(), [[1, 2]] * 4)
        self.assertEqual(acc.linear(x[:, :0], w[:, :0]).tolist(), [[0, 0]] * 4)
        self.assertEqual(acc.linear(x.tolist(), w.tolist()).tolist(), [[3, 3]] * 4)

    def test_errors(self):
        x, w = np.ones((4, 3)), np.ones((2, 3))
        for arguments, error, text in (
            ((x, w[0]), ValueError, r"weight must have two dimensions, but has shape \(3,\)"),
            ((x, w.T), ValueError, r"the last dimensions of x and weight must have the same length, but x has "
                                   r"shape \(4, 3\) and weight has shape \(3, 2\)"),
            ((x, w, np.ones(3)), ValueError, r"bias must have as many elements as weight has rows, but has shape "
                                             r"\(3,\) and weight has shape \(2, 3\)"),
            ((x, w, np.ones(2, np.float32)), TypeError, "x and bias must have the same dtype, but x has float64 "
                                                        "and bias has float32"),
            ((x, w.astype(np.float32)), TypeError, "x and weight must have the same dtype"),
            ((1.0, w), ValueError, "x must have at least one dimension, but is a number"),
            ((x, w, None, np.ones((4, 3))), ValueError, r"out has shape \(4, 3\), but the result has \(4, 2\)"),
            ((np.ma.array(x, mask=True), w), TypeError, "x is a masked array"),
            ((x.astype(int), w.astype(int)), TypeError, "x has dtype int64; allowed are"),
        ):
            with self.assertRaisesRegex(error, "^acc.linear: " + text):
                acc.linear(*arguments)
        with self.assertRaisesRegex(ValueError, "acc.linear: there is no method 'tensor'"):
            acc.linear(x, w, method="tensor")
        with self.assertRaisesRegex(ValueError, "acc.linear: bits must be 8 to 64, but are 7"):
            acc.linear(x, w, method="fixed_point", bits=7)
        with self.assertRaisesRegex(ValueError, "acc.linear: method widened does not take float64"):
            acc.linear(x, w, method="widened")


if __name__ == "__main__":
    unittest.main()
