# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPU's arrays of PyTorch, CuPy and JAX in a build with CUDA: the bits of the same call on ndarrays,
in the memory they lie in, in the order of their streams. Not found by unittest's discovery, as most
machines have none: run this file. It says what it leaves out, and why."""

import importlib
import os
import sys
import unittest

given = os.environ.get("CTEST_RESOURCE_GROUP_0_GPUS")  # id:NUMBER,slots:1
if given:
    number, visible = given.split(",")[0].removeprefix("id:"), os.environ.get("CUDA_VISIBLE_DEVICES")
    os.environ["CUDA_VISIBLE_DEVICES"] = visible.split(",")[int(number)] if visible else number
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX's part of the GPU's memory

import acc
import numpy as np
from acc import _acc, _gpu
from test_golden import BITS, METHODS, TYPES, line, lines_of, uniform


class Torch:
    def __init__(self):
        self.module = importlib.import_module("torch")
        if not self.module.cuda.is_available():
            raise ImportError("torch sees no GPU")

    def make(self, x):
        return self.module.from_numpy(np.array(x, order="C")).cuda()

    def back(self, x):
        return x.cpu().numpy()


class CuPy:
    def __init__(self):
        self.module = importlib.import_module("cupy")
        self.module.cuda.runtime.getDeviceCount()

    def make(self, x):
        return self.module.asarray(np.array(x, order="C"))

    def back(self, x):
        return self.module.asnumpy(x)


class Jax:
    def __init__(self):
        self.module = importlib.import_module("jax")
        self.module.config.update("jax_enable_x64", True)
        self.gpu = self.module.devices("cuda")[0]

    def make(self, x):
        return self.module.device_put(np.array(x, order="C"), self.gpu)

    def back(self, x):
        return np.asarray(x)


class Interface:
    """What has only the __cuda_array_interface__ of an array of CuPy."""

    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


class ByInterface(CuPy):
    def make(self, x):
        return Interface(super().make(x))


LIBRARIES, MISSING = {}, {}
for library in (Torch, CuPy, Jax, ByInterface):
    try:
        LIBRARIES[library.__name__] = library()
    except Exception as why:  # each has its own errors for a missing GPU
        MISSING[library.__name__] = f"{type(why).__name__}: {why}"
MAKES_ARRAYS = ("Torch", "CuPy")


def numbers(dtype, shape, seed=1):
    return uniform(dtype, shape, seed)


def as_halves(x):
    """float32s that are bfloat16s, and 16-bit floats where they are not too small."""
    return (np.asarray(x, np.float32).view(np.uint32) & 0xffff0000).view(np.float32)


class OnGpu(unittest.TestCase):
    at_work = None  # which library's arrays a test is at

    def same(self, got, want):
        self.assertEqual(np.shape(got), np.shape(want), self.at_work)
        self.assertEqual(np.asarray(got).tobytes(), np.asarray(want).tobytes(), self.at_work)

    def each(self, names=None):
        for self.at_work, library in LIBRARIES.items():
            if names is None or self.at_work in names:
                yield library

    def test_sums(self):
        for library in self.each():
            for dtype in TYPES:
                for shape in ((0,), (1,), (100003,), (37, 210), (3, 5, 70)):
                    x, y = numbers(dtype, shape), numbers(dtype, shape, 2)
                    a, b = library.make(x), library.make(y)
                    for method in acc.methods:
                        for f in (acc.sum, acc.asum, acc.nrm2):
                            self.same(f(a, method=method), f(x, method=method))
                        for f in (acc.dot, acc.dotu):
                            self.same(f(a, b, method), f(x, y, method))
                    if x.size and x.dtype.kind == "f":
                        self.same(acc.mean(a), acc.mean(x))
                        self.same(acc.var(a), acc.var(x))
                        self.same(acc.std(a, ddof=0), acc.std(x))

    def test_strides(self):
        for library in self.each(MAKES_ARRAYS):
            x = numbers(np.float64, (60, 40))
            a = library.make(x)
            self.same(acc.sum(a[7, ::3]), acc.sum(x[7, ::3]))
            self.same(acc.dot(a[:, 1], a[:, 2]), acc.dot(x[:, 1], x[:, 2]))
            self.same(acc.sum(a.T, method="exact"), acc.sum(x, method="exact"))
            self.same(library.back(acc.matmul(a[::2, 1:], a.T[1:, ::3])), acc.matmul(x[::2, 1:], x.T[1:, ::3]))
            for part in (a.T, a[:, 5:]):
                with self.assertRaisesRegex(ValueError, r"acc.sum: x, of shape \(\d+, \d+\), has no constant "
                                                        "stride .* make it contiguous first"):
                    acc.sum(part)

    def test_golden_products(self):
        for library in self.each(MAKES_ARRAYS):
            gemm, exact, fixed = (lines_of(f"gemm{file}.txt") for file in ("", "_exact", "_fixed_point"))
            for dtype, name in TYPES.items():
                a, b = (library.make(uniform(dtype, shape, seed)) for seed, shape in ((1, (3, 40)), (2, (40, 5))))
                for method, its in METHODS.items():
                    if method == "widened" and np.dtype(dtype).itemsize // (1 + (np.dtype(dtype).kind == "c")) == 8:
                        continue
                    strip = 64 if its.endswith("64") else None
                    got = library.back(acc.matmul(a, b, method=method, strip=strip))
                    self.assertEqual(line(got), gemm[f"gemm {its} {name} uniform 3x5x40 NN"])
                self.assertEqual(line(library.back(acc.matmul(a, b, method="exact"))),
                                 exact[f"gemm exact {name} uniform 3x5x40 NN"])
                bits = BITS[dtype]
                self.assertEqual(line(library.back(acc.matmul(a, b, method="fixed_point", bits=bits))),
                                 fixed[f"gemm fixed_point{bits} {name} uniform 3x5x40 NN"])

    def test_scaled_products(self):
        for library in self.each(MAKES_ARRAYS):
            for dtype in TYPES:
                a, b, c = (uniform(dtype, shape, seed) for seed, shape in enumerate(
                    ((700, 33), (19, 700), (33, 19)), 1))
                alpha, beta = uniform(dtype, (1,), 4)[0], uniform(dtype, (1,), 5)[0]
                for method in ("seeded", "compensated", "exact"):
                    to = library.make(c)
                    got = acc.gemm(library.make(a), library.make(b), alpha, beta, to, "C", "T", method)
                    self.assertIs(got, to)
                    self.same(library.back(got), acc.gemm(a, b, alpha, beta, c.copy(), "C", "T", method))
                v = uniform(dtype, (700,), 6)
                self.same(library.back(acc.gemv(library.make(a), library.make(v), alpha, trans="C")),
                          acc.gemv(a, v, alpha, trans="C"))

    def test_vectors_and_stacks(self):
        for library in self.each(MAKES_ARRAYS):
            for shapes in (((40,), (40,)), ((40,), (40, 3)), ((3, 40), (40,)), ((2, 5, 3, 40), (5, 40, 4)),
                           ((6, 3, 40), (40, 4)), ((40,), (2, 40, 3)), ((2, 3, 40), (40,)), ((2, 0, 40), (40, 3))):
                for dtype in (np.float32, np.complex128):
                    x, y = (numbers(dtype, shape, seed) for seed, shape in enumerate(shapes))
                    want = acc.matmul(x, y)
                    out = library.make(np.zeros_like(want))
                    self.assertIs(acc.matmul(library.make(x), library.make(y), out), out)
                    self.same(library.back(out), want)

    def test_results_lie_where_they_were_asked_for(self):
        for library in self.each(("Torch",)):
            x = library.make(numbers(np.float32, (300, 200)))
            out = x.new_empty((300, 600))[:, ::2]
            address = out.data_ptr()
            acc.matmul(x, x.T, out)
            self.assertEqual(out.data_ptr(), address)
            self.assertEqual(_gpu._take("f", "x", x).address, x.data_ptr())
            self.same(library.back(out), acc.matmul(library.back(x), library.back(x).T))

    def halves(self, x, dtype):
        torch = LIBRARIES["Torch"].module
        return torch.from_numpy(x.copy()).cuda().to(getattr(torch, dtype))

    @unittest.skipIf("Torch" not in LIBRARIES, "no torch")
    def test_linear(self):
        torch = LIBRARIES["Torch"].module
        x, w, b = (as_halves(numbers(np.float32, shape, seed)) for seed, shape in enumerate(
            ((2, 32, 1000), (1030, 1000), (1030,)), 1))
        for dtype in ("bfloat16", "float16"):
            wide = [self.halves(a, dtype).float().cpu().numpy() for a in (x, w, b)]
            gpu = [self.halves(a, dtype) for a in (x, w, b)]
            for options in ({}, {"method": "exact"}, {"method": "fixed_point", "bits": 16}):
                want = acc.linear(*wide, **{"method": "widened", **options})
                got = acc.linear(*gpu, **options)
                self.assertEqual(got.dtype, torch.float32)
                self.same(got.cpu().numpy(), want)
                self.same(acc.linear(*(a.cpu() for a in gpu), **options), want)
                no_bias = acc.linear(*gpu[:2], **options)
                self.same(no_bias.cpu().numpy(), acc.linear(*wide[:2], **{"method": "widened", **options}))
        gpu = [torch.from_numpy(a.copy()).cuda() for a in (x, w, b)]
        self.same(acc.linear(*gpu).cpu().numpy(), acc.linear(x, w, b))
        self.same(acc.linear(gpu[0][0, 0], *gpu[1:]).cpu().numpy(), acc.linear(x[0, 0], w, b))
        far = (gpu[0].new_empty((32, 2, 1000)).transpose(0, 1))
        far[...] = gpu[0]
        self.same(acc.linear(far, *gpu[1:]).cpu().numpy(), acc.linear(x, w, b))

    @unittest.skipIf("Torch" not in LIBRARIES, "no torch")
    def test_rows_do_not_depend_on_the_batch(self):
        x, w, b = (as_halves(numbers(np.float32, shape, seed)) for seed, shape in enumerate(
            ((300, 4096), (1030, 4096), (1030,)), 1))
        for dtype in ("bfloat16", "float16", "float32"):
            x, w, b = (self.halves(a, dtype) if isinstance(a, np.ndarray) else a.to(getattr(
                LIBRARIES["Torch"].module, dtype)) for a in (x, w, b))
            for options in ({}, {"method": "exact"}, {"method": "fixed_point", "bits": 8},
                            {"method": "fixed_point", "bits": 16}):
                whole = acc.linear(x, w, b, **options).cpu().numpy()
                for count in (1, 7, 64, 129):
                    for first in (0, 300 - count):
                        part = acc.linear(x[first:first + count], w, b, **options).cpu().numpy()
                        self.same(part, whole[first:first + count])

    @unittest.skipIf("Torch" not in LIBRARIES, "no torch")
    def test_streams_of_torch(self):
        torch = LIBRARIES["Torch"].module
        for stream in (torch.cuda.current_stream(), torch.cuda.Stream(), torch.cuda.Stream()):
            with torch.cuda.stream(stream):
                x, w = torch.zeros(512, 512, device="cuda"), torch.eye(512, device="cuda")
                for value in (1, 2, 3):
                    torch.cuda._sleep(50_000_000)
                    x.fill_(value)
                    y = acc.matmul(x, w)
                    seen = y.clone()
                    x.zero_()  # after the product
                    self.assertEqual(float(seen.sum()), value * 512 * 512)
                torch.cuda._sleep(50_000_000)
                x.fill_(5)
                self.assertEqual(acc.sum(x), 5 * 512 * 512)

    @unittest.skipIf("CuPy" not in LIBRARIES, "no CuPy")
    def test_streams_of_cupy(self):
        cupy = LIBRARIES["CuPy"].module
        slow = cupy.ElementwiseKernel("int64 n", "float64 x", "for (long long k = 0; k < n; ++k) x = x * 0.5;", "slow")
        work = cupy.ones(1 << 18)
        for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(), cupy.cuda.Stream(non_blocking=True)):
            with stream:
                x = cupy.zeros((512, 512))
                for wrap in (lambda a: a, Interface):
                    for value in (1, 2):
                        slow(5_000_000, work)
                        x.fill(value)
                        self.assertEqual(acc.sum(wrap(x)), value * 512 * 512)
                        slow(5_000_000, work)
                        x.fill(-value)
                        y = cupy.zeros((512, 512))
                        acc.matmul(wrap(x), wrap(cupy.eye(512)), y)
                        self.assertEqual(float((y + 0).sum()), -value * 512 * 512)

    def test_errors(self):
        for library in self.each():
            x, one = library.make(np.ones((4, 4))), np.ones((4, 4))
            for f, error, text in (
                (lambda: acc.sum(x, axis=0), TypeError, "acc.sum: axis is not taken with an array on a GPU"),
                (lambda: acc.mean(x, keepdims=True), TypeError, "acc.mean: keepdims is not taken with an"),
                (lambda: acc.dot(x, one), TypeError, "acc.dot: x lies on (a )?CUDA device( 0)? and y in host memory"),
                (lambda: acc.matmul(one, x), TypeError, "acc.matmul: b lies on (a )?CUDA device( 0)? and a in host"),
                (lambda: acc.cumsum(x), TypeError, "acc.cumsum: x lies on (a )?CUDA device( 0)?, but acc.cumsum "
                                                   "takes arrays in host memory alone"),
                (lambda: acc.sum(x, method="fold2"), ValueError, "acc.sum: there is no method 'fold2'"),
                (lambda: acc.sum(library.make(np.arange(5))), TypeError, "acc.sum: x has dtype int64; allowed on a"),
                (lambda: acc.sum(library.make(np.ones(3, np.float16))), TypeError, "acc.sum: x has dtype float16"),
                (lambda: acc.dot(x, library.make(np.ones(3))), ValueError, "acc.dot: x and y must have the same"),
                (lambda: acc.linear(x, x, method="widened", out=x), ValueError, ".*(overlap|does not take|written)"),
                (lambda: acc.matmul(x, library.make(np.ones((3, 4)))), ValueError, "acc.matmul: the last dimension"),
                (lambda: acc.matmul(x, x, library.make(np.ones((3, 4)))), ValueError, "acc.matmul: out (has|cannot)"),
            ):
                with self.assertRaisesRegex(error, "^" + text):
                    f()
        for library in self.each(("Jax", "ByInterface")):
            x = library.make(np.ones((4, 4)))
            with self.assertRaisesRegex(TypeError, "acc.matmul: out is needed, since acc makes no "):
                acc.matmul(x, x)
        for library in self.each(("Jax",)):
            with self.assertRaisesRegex(ValueError, "acc.matmul: out cannot be written"):
                acc.matmul(*[library.make(np.ones((4, 4)))] * 3)
        for library in self.each(("Torch",)):
            x = library.make(np.ones((4, 4), np.float32)).requires_grad_()
            with self.assertRaisesRegex(BufferError, "detach"):
                acc.linear(x, x)
        for library in self.each(("CuPy",)):
            x = library.make(np.ones((4, 4)))
            with self.assertRaisesRegex(ValueError, "acc.matmul: a has a negative stride"):
                acc.matmul(x[::-1], x)

    def test_arrays_of_jax_by_torch(self):
        if not {"Jax", "Torch"} <= set(LIBRARIES):
            self.skipTest("needs JAX and torch")
        x = numbers(np.float32, (50, 60))
        a = LIBRARIES["Torch"].module.from_dlpack(LIBRARIES["Jax"].make(x))
        self.same(acc.matmul(a, a.T).cpu().numpy(), acc.matmul(x, x.T))


if __name__ == "__main__":
    why = None if hasattr(_acc, "gpu") else "this build of acc has no CUDA"
    if why is None and not LIBRARIES:
        why = f"no library has arrays on a GPU: {MISSING}"
    if why is not None:
        print(f"skipped: {why}")
        sys.exit(77)
    for name, reason in MISSING.items():
        print(f"skipped: {name}: {reason}")
    unittest.main(verbosity=2)
