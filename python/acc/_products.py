# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices and vectors."""

import math

import numpy as np

from . import _acc, _gpu
from ._acc import gemm_methods
from ._arrays import (_array, _check_method, _check_out, _check_same_type, _check_taken,
                      _check_unmasked, _integer, _is_strided, _numbers, _readable, _scalar, _types)
from ._foreign import HALVES, is_on_gpu, widened_halves
from ._shapes import check_letter, check_rank, linear_shape, product_shape, stacks


def _parameters(function, strip, bits):
    """strip and bits of a method. A strip of 0 is the method's own."""
    bits = _integer(function, "bits", bits, 31)
    if strip is None:
        return 0, bits
    strip = _integer(function, "strip", strip)
    if strip < 1:
        raise ValueError(f"acc.{function}: strip must be at least 1, but is {strip}")
    return strip, bits


def _check_bits(function, method, bits):
    if method == "fixed_point" and not 8 <= bits <= 64:
        raise ValueError(f"acc.{function}: bits must be 8 to 64, but are {bits}")


def _product(function, a, b, alpha, beta, c, trans_a, trans_b, types, call):
    a, b = _array(function, "a", a, types), _array(function, "b", b, types)
    for name, m in (("a", a), ("b", b)):
        check_rank(function, name, m, 2)
    _check_same_type(function, "a", a, "b", b)
    for name, trans in (("trans_a", trans_a), ("trans_b", trans_b)):
        check_letter(function, name, trans)
    alpha = _scalar(function, "alpha", alpha, a.dtype)
    beta = _scalar(function, "beta", beta, a.dtype)
    _check_unmasked(function, "c", c)
    if c is None:
        if beta != 0:
            raise ValueError(f"acc.{function}: beta is {beta}, but there is no c")
        rows = a.shape[0 if trans_a in "Nn" else 1]
        columns = b.shape[1 if trans_b in "Nn" else 0]
        c = np.empty((rows, columns), a.dtype)
    elif not isinstance(c, np.ndarray) or c.ndim != 2 or not c.flags.writeable or not _is_strided(
            c, 0):
        raise ValueError(f"acc.{function}: c must be an ndarray of two dimensions that can be "
                         "written, with strides of whole elements that are not negative")
    _check_same_type(function, "a", a, "c", c)
    a, b = _readable(a), _readable(b)
    call(trans_a, trans_b, alpha, a, b, beta, c)
    return c


def gemm(a, b, alpha=1.0, beta=0.0, c=None, trans_a="N", trans_b="N", method="seeded", strip=None, bits=0):
    """alpha op(a) op(b) + beta c, in c if given, else in a new array; op by the letters of the BLAS.

    method: one of acc.gemm_methods, of which acc::selective is named by its compensation: "plain",
    "blocked", "kahan", "priest", "seeded" (in strips of `strip` products, by default 64 of "blocked" and
    256 of the others; "seeded" is the default everywhere: nearly as fast as plain, and more accurate),
    "widened" (float32 and
    complex64, summed in float64), "compensated", as if in twice the precision, "exact": alpha op(a) op(b)
    + beta c rounded once, or "fixed_point": the same of rows of op(a) and columns of op(b) that are
    rounded to `bits` (8 to 64) binary digits of their largest number.
    """
    _check_method("gemm", method, gemm_methods)
    strip, bits = _parameters("gemm", strip, bits)
    if is_on_gpu("gemm", a=a, b=b, c=c):
        return _gpu.gemm(a, b, alpha, beta, c, trans_a, trans_b, (method, strip, bits))

    def call(*arguments):
        _check_taken("gemm", _acc.gemm(*arguments, method, strip, bits), method, arguments[3].dtype)

    return _product("gemm", a, b, alpha, beta, c, trans_a, trans_b, _types, call)


def gemv(a, x, alpha=1.0, beta=0.0, y=None, trans="N", method="seeded", strip=None, bits=0):
    """alpha op(a) x + beta y, in y if given, else in a new array; op by the letters of the BLAS. The bits
    are those of acc.gemm with x and y as matrices of one column, and so are the methods."""
    _check_method("gemv", method, gemm_methods)
    strip, bits = _parameters("gemv", strip, bits)
    if is_on_gpu("gemv", a=a, x=x, y=y):
        return _gpu.gemv(a, x, alpha, beta, y, trans, (method, strip, bits))
    a, x = _array("gemv", "a", a), _array("gemv", "x", x)
    check_rank("gemv", "a", a, 2)
    check_rank("gemv", "x", x, 1)
    _check_same_type("gemv", "a", a, "x", x)
    check_letter("gemv", "trans", trans)
    alpha, beta = (_scalar("gemv", *each, a.dtype) for each in (("alpha", alpha), ("beta", beta)))
    _check_unmasked("gemv", "y", y)
    if y is None:
        if beta != 0:
            raise ValueError(f"acc.gemv: beta is {beta}, but there is no y")
        y = np.empty(a.shape[0 if trans in "Nn" else 1], a.dtype)
    elif not isinstance(y, np.ndarray) or y.ndim != 1 or not y.flags.writeable or not _is_strided(y, 0):
        raise ValueError("acc.gemv: y must be an ndarray of one dimension that can be written, with a "
                         "stride of whole elements that is not negative")
    _check_same_type("gemv", "a", a, "y", y)
    a, x = _readable(a), _readable(x)
    _check_taken("gemv", _acc.gemv(trans, alpha, a, x, beta, y, method, strip, bits), method, a.dtype)
    return y


def matmul(a, b, out=None, *, method="seeded", strip=None, bits=0):
    """The matrix product a b by the rules of numpy.matmul: of matrices, of a matrix and a vector, of two
    vectors (a number), and of stacks of matrices in the last two dimensions, whose other dimensions
    broadcast. Each number has the bits that acc.gemm gives for its row and column. a and b are converted
    as acc.sum's x is, if that changes no number, and must then have one type.

    out: an ndarray of the product's shape and type, which is written and returned.
    method, strip, bits: as for acc.gemm.
    """
    _check_method("matmul", method, gemm_methods)
    strip, bits = _parameters("matmul", strip, bits)
    _check_bits("matmul", method, bits)
    if is_on_gpu("matmul", a=a, b=b, out=out):
        return _gpu.matmul(a, b, out, (method, strip, bits))
    a, b = _numbers("matmul", "a", a), _numbers("matmul", "b", b)
    stack, shape = product_shape("matmul", a, b)
    c = out
    if out is not None:
        _check_out("matmul", out, shape, a.dtype)
    if out is None or not _is_strided(out, 0) or any(np.may_share_memory(out, m) for m in (a, b)):
        c = np.empty(shape, a.dtype)
    a, b = _readable(a), _readable(b)
    one, none = a.dtype.type(1), a.dtype.type(0)
    options = method, strip, bits
    if max(a.ndim, b.ndim) > 2:
        full_a, full_b, full_c = a, b, c
        if a.ndim == 1:
            full_a, full_c = a[np.newaxis], full_c[..., np.newaxis, :]
        if b.ndim == 1:
            full_b, full_c = b[:, np.newaxis], full_c[..., np.newaxis]
        full_a = np.broadcast_to(full_a, stack + full_a.shape[-2:])
        full_b = np.broadcast_to(full_b, stack + full_b.shape[-2:])
        is_taken = True

        def call(*matrices):
            nonlocal is_taken
            is_taken = _acc.batched_gemm(*matrices, *options)

        stacks(call, full_a, full_b, full_c)
    elif b.ndim == 1:
        to = c if a.ndim == 2 else c[np.newaxis]
        is_taken = _acc.gemv("N", one, a if a.ndim == 2 else a[np.newaxis], b, none, to, *options)
    elif a.ndim == 1 and a.dtype.kind == "c":  # whose products are summed in an order of their own
        is_taken = _acc.gemm("N", "N", one, a[np.newaxis], b, none, c[np.newaxis], *options)
    elif a.ndim == 1:
        is_taken = _acc.gemv("T", one, b, a, none, c, *options)
    else:
        is_taken = _acc.gemm("N", "N", one, a, b, none, c, *options)
    _check_taken("matmul", is_taken, method, a.dtype)
    if out is None:
        return c[()]  # of no dimensions: a NumPy scalar
    if c is not out:
        out[...] = c
    return out


def _layer(function, name, x):
    """An argument of linear as an array of one of acc's types, and the dtype that it came with."""
    if x is None:
        return None, None
    _check_unmasked(function, name, x)
    a, dtype = widened_halves(function, name, x)
    return _array(function, name, a), dtype


def linear(x, weight, bias=None, out=None, *, method=None, strip=None, bits=0):
    """x weight^T + bias, as torch.nn.functional.linear: a linear layer whose result for a row of x does not
    depend on the rest of the batch, nor on the machine. Each number has the bits that acc.gemm gives for
    its row of x, its row of weight and its bias, which is rounded in with the products.

    x: of shape (..., k). weight: (n, k). bias: (n,). All of one type. Half precision (float16, bfloat16)
    gives float32, which has the bits of float32s with the same numbers by the same method (on a GPU "widened",
    "exact" or "fixed_point"); other types give their own.
    out: an array of the result's shape and type, which is written and returned.
    method, strip, bits: as for acc.gemm. None: the method that half precision has by default in C++,
        "widened", for float16 and bfloat16; else "seeded".
    """
    if method is not None:
        _check_method("linear", method, gemm_methods)
    strip, bits = _parameters("linear", strip, bits)
    _check_bits("linear", method, bits)
    if is_on_gpu("linear", x=x, weight=weight, bias=bias, out=out):
        return _gpu.linear(x, weight, bias, out, (method, strip, bits))
    (a, dtype), (w, of_w), (start, of_start) = (_layer("linear", *each) for each in (
        ("x", x), ("weight", weight), ("bias", bias)))
    for name, other in (("weight", of_w), ("bias", of_start)):
        if other not in (None, dtype):
            raise TypeError(f"acc.linear: x and {name} must have the same dtype, but x has {dtype} and "
                            f"{name} has {other}")
    shape = linear_shape(a, w, start)
    if out is not None:
        _check_out("linear", out, shape, a.dtype)
    y = np.empty(shape, a.dtype) if start is None else np.broadcast_to(start, shape).copy()
    count = math.prod(shape[:-1])
    rows, to = a.reshape(count, a.shape[-1]), y.reshape(count, shape[-1])
    one, beta = a.dtype.type(1), a.dtype.type(0 if start is None else 1)
    method = method or ("widened" if dtype in HALVES else "seeded")
    is_taken = _acc.gemm("N", "T", one, _readable(rows), _readable(w), beta, to, method, strip, bits)
    _check_taken("linear", is_taken, method, a.dtype)
    if out is None:
        return y
    out[...] = y
    return out


def ngemm(a, b, alpha=1.0, beta=0.0, c=None, trans_a="N", trans_b="N", depth=-1, check_sign=False):
    """As acc.gemm for non-negative a and b of float32 or float64, in fewer operations if they are
    large: by acc::ngemm, with so many levels of recursion (-1: as it chooses). check_sign: signs
    that mix are a ValueError; else they are not looked at.
    """
    depth = _integer("ngemm", "depth", depth, 31)

    def call(*arguments):
        _acc.ngemm(*arguments, depth, check_sign)

    return _product("ngemm", a, b, alpha, beta, c, trans_a, trans_b, _types[:2], call)
