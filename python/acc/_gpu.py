# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls on arrays in a GPU's memory, which are read and written where they are. acc's stream waits for
what the arrays' libraries have begun, and theirs for acc. So calls are asynchronous, except where a
number is returned, or a library does not tell its stream: then the host waits."""

import math
import sys

import numpy as np

from ._acc import ForeignArray
from ._arrays import _check_method, _check_same_type, _check_taken, _order_free, _scalar, _types
from ._foreign import HALVES, check_number, gpu, read
from ._shapes import (check_letter, check_rank, column, linear_shape, merged_rows, product_shape, row,
                      stacks)


def refuse(function, **given):
    """Arguments that only arrays in host memory have: name = whether it is given."""
    for name, is_given in given.items():
        if is_given:
            raise TypeError(f"acc.{function}: {name} is not taken with an array on a GPU")


def _take(function, name, x, types=_types):
    """x as a ForeignArray that acc's stream may use."""
    stream = _stream_of(x)
    if stream is not None:
        gpu.wait_for(stream)
        a = read(x, stream=-1)  # the library need not order anything, which takes longer
    elif hasattr(x, "__dlpack__"):
        a = read(x, stream=gpu.stream())
    else:
        a = _by_interface(function, name, x)
    if a.dtype not in types:
        raise TypeError(f"acc.{function}: {name} has dtype {a.dtype}; allowed on a GPU are "
                        f"{', '.join(types)}")
    if a.address % a.itemsize or any(stride % a.itemsize for stride in a.strides):
        raise ValueError(f"acc.{function}: {name} must lie, and have strides, on multiples of its elements' "
                         f"{a.itemsize} bytes")
    return a


def _by_interface(function, name, x):
    said = x.__cuda_array_interface__
    if said.get("mask") is not None:
        raise TypeError(f"acc.{function}: {name} is a masked array; fill or compress it first")
    dtype = np.dtype(said["typestr"])
    address, read_only = said["data"]
    shape, strides = tuple(said["shape"]), said.get("strides")
    if strides is None:
        strides = tuple(dtype.itemsize * math.prod(shape[i + 1:]) for i in range(len(shape)))
    if math.prod(shape):
        check_number(function, name, gpu.gpu_at(address))
    # Before version 3 no stream was told: the default stream's order is what everyone knew.
    stream = said.get("stream") if said["version"] >= 3 else 1
    if stream is not None:
        gpu.wait_for(stream)
    type_name = dtype.name if dtype.isnative else str(dtype)
    return ForeignArray(address or 0, type_name, dtype.itemsize, shape, strides, bool(read_only), x)


def _stream_of(x):
    """The stream in whose order x's library uses memory; None: it does not tell."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(x, torch.Tensor):
        return torch.cuda.current_stream(x.device).cuda_stream
    if cupy is not None and isinstance(x, cupy.ndarray):
        return cupy.cuda.get_current_stream().ptr
    return None


def _give_back(*arrays):
    """Lets the arrays' libraries use their memory after what acc has begun."""
    streams = {_stream_of(x) for x in arrays if x is not None}
    if None in streams:
        gpu.finish()
    else:
        for stream in streams:
            gpu.precede(stream)


def _empty(function, like, shape, dtype):
    """A new array of like's library."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(like, torch.Tensor):
        return like.new_empty(shape, dtype=getattr(torch, dtype))
    if cupy is not None and isinstance(like, cupy.ndarray):
        with like.device:
            return cupy.empty(shape, dtype)
    raise TypeError(f"acc.{function}: out is needed, since acc makes no {_name_of(type(like))}; or pass "
                    "arrays of PyTorch or CuPy, which share its memory by from_dlpack")


def _name_of(kind):
    return f"{kind.__module__}.{kind.__qualname__}"


def _vector(function, name, a, any_order=False):
    """All elements of a in row-major order, or in any, as a ForeignArray of one dimension."""
    steps = [(n, stride) for n, stride in zip(a.shape, a.strides) if n != 1]
    if math.prod(a.shape) == 0:
        return a.strided((0,), (a.itemsize,))
    offset = 0
    if any_order:
        offset = sum((n - 1) * stride for n, stride in steps if stride < 0)
        steps = sorted(((n, abs(stride)) for n, stride in steps), key=lambda step: -step[1])
    if any(outer != n * inner for (_, outer), (n, inner) in zip(steps, steps[1:])):
        raise ValueError(f"acc.{function}: {name}, of shape {a.shape}, has no constant stride (its strides "
                         f"are {a.strides} bytes), and acc copies nothing on a GPU; make it contiguous first")
    return a.strided((math.prod(a.shape),), (steps[-1][1] if steps else a.itemsize,), offset)


def reduce(function, x, method, allowed):
    """sum, asum or nrm2 of all elements."""
    _check_method(function, method, allowed)
    a = _vector(function, "x", _take(function, "x", x), method in _order_free)
    return getattr(gpu, function)(a, method)


def moment(function, x, *arguments):
    """mean or var of all elements."""
    a = _vector(function, "x", _take(function, "x", x, _types[:2]), True)
    return getattr(gpu, "mean" if function == "mean" else "var")(a, *arguments)


def dot(function, x, y, method, allowed):
    _check_method(function, method, allowed)
    a, b = _take(function, "x", x), _take(function, "y", y)
    _check_same_type(function, "x", a, "y", b)
    if a.shape != b.shape:
        raise ValueError(f"acc.{function}: x and y must have the same shape, but x has shape {a.shape} and y "
                         f"has shape {b.shape}")
    return getattr(gpu, function)(_vector(function, "x", a), _vector(function, "y", b), method)


def _result(function, name, out, shape, dtype, like):
    """out, or a new array of like's library; and the same as a ForeignArray that acc may write."""
    if out is None:
        out = _empty(function, like, shape, dtype)
    c = _take(function, name, out)
    if c.dtype != dtype:
        raise TypeError(f"acc.{function}: {name} has dtype {c.dtype}, but the result has {dtype}")
    if c.shape != shape:
        raise ValueError(f"acc.{function}: {name} has shape {c.shape}, but the result has {shape}")
    jax = sys.modules.get("jax")
    if c.read_only or jax is not None and isinstance(out, jax.Array):  # which are never written
        raise ValueError(f"acc.{function}: {name} cannot be written")
    return out, c


def _check_strides(function, arrays):
    """arrays: by the names that messages have."""
    for name, m in arrays.items():
        if any(stride < 0 for stride in m.strides):
            raise ValueError(f"acc.{function}: {name} has a negative stride, and acc copies nothing on a GPU")


def _check_apart(function, out, **arrays):
    """That out shares no memory with arrays, as far as their first and last bytes tell."""
    def extent(m):
        if math.prod(m.shape) == 0:
            return m.address, m.address
        steps = [(n - 1) * stride for n, stride in zip(m.shape, m.strides)]
        return (m.address + sum(step for step in steps if step < 0),
                m.address + sum(step for step in steps if step > 0) + m.itemsize)

    first, end = extent(out)
    for name, m in arrays.items():
        begins, ends = extent(m)
        if begins < end and first < ends:
            raise ValueError(f"acc.{function}: out shares memory with {name}, and acc copies nothing on a GPU")


def _multiply(function, trans, alpha, a, b, beta, c, options):
    """c = alpha op(a) op(b) + beta c of each matrix of stacks with the same dimensions before the last
    two; options: method, strip, bits."""
    _check_strides(function, {"a": a, "b": b, "the result": c})
    dtype = np.dtype(c.dtype)
    alpha, beta = _scalar(function, "alpha", alpha, dtype), _scalar(function, "beta", beta, dtype)

    def call(*matrices):
        is_taken = gpu.product(*trans, alpha, matrices[0], matrices[1], beta, matrices[2], *options)
        _check_taken(function, is_taken, options[0], a.dtype)

    if c.ndim == 2:
        a, b, c = (m.strided((1, *m.shape), (0, *m.strides)) for m in (a, b, c))
    stacks(call, a, b, c)


def gemm(a, b, alpha, beta, c, trans_a, trans_b, options):
    x, y = _take("gemm", "a", a), _take("gemm", "b", b)
    check_rank("gemm", "a", x, 2)
    check_rank("gemm", "b", y, 2)
    _check_same_type("gemm", "a", x, "b", y)
    check_letter("gemm", "trans_a", trans_a)
    check_letter("gemm", "trans_b", trans_b)
    if c is None and beta != 0:
        raise ValueError(f"acc.gemm: beta is {beta}, but there is no c")
    shape = (x.shape[0 if trans_a in "Nn" else 1], y.shape[1 if trans_b in "Nn" else 0])
    c, z = _result("gemm", "c", c, shape, x.dtype, a)
    _multiply("gemm", (trans_a, trans_b), alpha, x, y, beta, z, options)
    _give_back(a, b, c)
    return c


def gemv(a, x, alpha, beta, y, trans, options):
    m, v = _take("gemv", "a", a), _take("gemv", "x", x)
    check_rank("gemv", "a", m, 2)
    check_rank("gemv", "x", v, 1)
    _check_same_type("gemv", "a", m, "x", v)
    check_letter("gemv", "trans", trans)
    if y is None and beta != 0:
        raise ValueError(f"acc.gemv: beta is {beta}, but there is no y")
    y, w = _result("gemv", "y", y, (m.shape[0 if trans in "Nn" else 1],), m.dtype, a)
    _multiply("gemv", (trans, "N"), alpha, m, column(v), beta, column(w), options)
    _give_back(a, x, y)
    return y


def matmul(a, b, out, options):
    x, y = _take("matmul", "a", a), _take("matmul", "b", b)
    stack, shape = product_shape("matmul", x, y)
    out, z = _result("matmul", "out", out, shape, x.dtype, a)
    if y.ndim == 1:
        y, z = column(y), column(z)
    if x.ndim == 1:
        x, z = row(x), row(z)

    def spread(m):
        """m, broadcast to the stack."""
        outer = len(stack) + 2 - m.ndim
        steps = [0 if n == 1 else stride for n, stride in zip(m.shape[:-2], m.strides[:-2])]
        return m.strided((*stack, *m.shape[-2:]), (*[0] * outer, *steps, *m.strides[-2:]))

    _multiply("matmul", ("N", "N"), 1, spread(x), spread(y), 0, z, options)
    _give_back(a, b, out)
    return out


def linear(x, weight, bias, out, options):
    """As acc.linear; options without a method have the default one."""
    types = (*_types, *HALVES)
    rows, w = _take("linear", "x", x, types), _take("linear", "weight", weight, types)
    start = None if bias is None else _take("linear", "bias", bias, types)
    shape = linear_shape(rows, w, start)
    is_half = rows.dtype in HALVES
    dtype = "float32" if is_half else rows.dtype
    method, *parameters = options
    options = (method or ("widened" if is_half else "seeded"), *parameters)
    takes = options[0] in ("widened", "exact", "fixed_point") if is_half else (
        options[0] != "widened" or dtype in ("float32", "complex64"))
    _check_taken("linear", takes, options[0], rows.dtype)
    out, y = _result("linear", "out", out, shape, dtype, x)
    _check_strides("linear", {"x": rows, "weight": w, "out": y})
    if bias is not None:  # after all checks: it is written
        if not hasattr(type(out), "__setitem__"):
            raise TypeError(f"acc.linear: bias cannot be written to out, which is {_name_of(type(out))}")
        _check_apart("linear", y, x=rows, weight=w, bias=start)
        out[...] = bias
        y = _take("linear", "out", out)
    rows, y = merged_rows(rows, y)
    w = w.strided((*rows.shape[:-2], *w.shape), (*[0] * (rows.ndim - 2), *w.strides))
    _multiply("linear", ("N", "T"), 1, rows, w, 0 if bias is None else 1, y, options)
    _give_back(x, weight, bias, out)
    return out
