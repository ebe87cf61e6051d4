# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, dot products, norms and matrix products of NumPy arrays: accurate, and with the same bits
on every machine, for any number of threads, memory order and stride.

    acc.sum(x, method="exact")      acc.asum(x)      acc.nrm2(x)
    acc.sum(x, axis=1)              acc.mean(x)      acc.var(x)      acc.std(x)
    acc.dot(x, y)                   acc.dotu(x, y)
    acc.matmul(a, b)                acc.gemm(a, b, alpha=..., c=..., beta=...)
    acc.ngemm(a, b)

Arrays are float32, float64, complex64 or complex128, of products in native byte order. Sums, dot
products, norms and moments convert what changes no number: the byte order, and bool, integers and
float16 to float64. An integer that is not a float64, and every other type, is a TypeError. Wrong
shapes, methods and letters are ValueErrors. An array is copied only where it is converted or its
memory cannot be described by one stride (two, of a matrix) of whole elements.

acc.sum, nrm2, mean, var and std take axis (an integer, a tuple of integers, or None for all elements)
and keepdims, as NumPy's do. Each number of the result has the bits that the function gives for its
elements alone.

Other Python threads run while acc computes. Kokkos starts at the first call, with the threads that
KOKKOS_NUM_THREADS or OMP_NUM_THREADS says, and ends with the process. In a process forked after that
the calling thread computes alone, with the same bits.
"""

import math
import numbers
import operator

import numpy as np

from . import _acc
from ._acc import __version__, gemm_methods, methods

__all__ = ["sum", "asum", "nrm2", "mean", "var", "std", "dot", "dotu", "gemm", "matmul", "ngemm",
           "methods", "gemm_methods", "__version__"]

_types = ("float32", "float64", "complex64", "complex128")
# Their result does not depend on the order of the numbers, so any memory order will do.
_order_free = ("reproducible", "exact")


def _array(function, name, x, types=_types):
    _check_unmasked(function, name, x)
    a = np.asarray(x)
    if a.dtype.isnative and a.dtype.name in types:
        return a
    raise TypeError(f"acc.{function}: {name} has dtype {a.dtype}; allowed are {', '.join(types)}, "
                    "in native byte order")


def _numbers(function, name, x, types=_types):
    """As _array, after a conversion that changes no number: of byte order, and of bool, integers and
    float16 to float64."""
    _check_unmasked(function, name, x)
    a = np.asarray(x)
    if not a.dtype.isnative:
        a = a.astype(a.dtype.newbyteorder("="))
    if a.dtype.kind in "biu" or a.dtype == np.float16:
        _check_exact(function, name, a)
        a = a.astype(np.float64)
    return _array(function, name, a, types)


def _check_exact(function, name, a):
    """Refuses integers that are not float64s. All up to 2^53 are."""
    if a.dtype.kind not in "iu" or a.itemsize < 8:
        return
    large = a[(a > 2**53) | (a < -(2**53))] if a.dtype.kind == "i" else a[a > 2**53]
    for n in large.tolist():
        if int(float(n)) != n:
            raise TypeError(f"acc.{function}: {name} has the integer {n}, which is not a float64; round "
                            "or split it first")


def _check_unmasked(function, name, x):
    if isinstance(x, np.ma.MaskedArray):  # its mask would not count
        raise TypeError(f"acc.{function}: {name} is a masked array; fill or compress it first")


def _check_method(function, method, allowed):
    if method not in allowed:
        raise ValueError(f"acc.{function}: there is no method {method!r}; allowed are "
                         f"{', '.join(allowed)}")


def _is_strided(a, least):
    """Whether elements lie where they should, and in steps of at least `least` whole ones."""
    return a.flags.aligned and all(
        stride % a.itemsize == 0 and (n < 2 or stride >= least)
        for n, stride in zip(a.shape, a.strides))


def _vector(a, any_order=False):
    if any_order:  # as its elements lie in memory; ravel("K") would copy all that has gaps
        a = a[tuple(slice(None, None, -1 if stride < 0 else 1) for stride in a.strides)]
        a = a.transpose(sorted(range(a.ndim), key=lambda i: -a.strides[i]))
    flat = a.reshape(-1)
    return flat if _is_strided(flat, -np.inf) else flat.copy()


def _axes(function, axis, rank):
    """axis as a sorted tuple of dimensions from 0 on."""
    if axis is None:
        return tuple(range(rank))
    axes = []
    for one in axis if isinstance(axis, tuple) else (axis,):
        d = _integer(function, "axis", one)
        if not -rank <= d < rank:
            raise ValueError(f"acc.{function}: axis is {d}, but x has {rank} dimensions")
        axes.append(d % rank)
    if len(set(axes)) < len(axes):
        raise ValueError(f"acc.{function}: axis {axis} names a dimension twice")
    return tuple(sorted(axes))


def _along(a, axes, keepdims, dtype, call):
    """call(rows, results) for the matrix whose rows are what is reduced, each in row-major order."""
    kept = tuple(d for d in range(a.ndim) if d not in axes)
    shape = tuple(a.shape[d] for d in kept)
    # reshape(-1) cannot tell a length where another one is 0.
    rows = a.transpose(kept + axes).reshape(math.prod(shape), math.prod(a.shape[d] for d in axes))
    results = np.empty(rows.shape[0], dtype)
    call(rows if _is_strided(rows, 0) else rows.copy("C"), results)
    if keepdims:
        shape = tuple(1 if d in axes else n for d, n in enumerate(a.shape))
    return results.reshape(shape)[()]  # of no dimensions: a NumPy scalar


def _of_one(function, x, method):
    a = _numbers(function, "x", x)
    _check_method(function, method, methods)
    return getattr(_acc, function)(_vector(a, method in _order_free), method)


def _of_one_along(function, x, method, axis, keepdims):
    if axis is None and not keepdims:
        return _of_one(function, x, method)
    a = _numbers(function, "x", x)
    _check_method(function, method, methods)
    axes = _axes(function, axis, a.ndim)
    if len(axes) == a.ndim:  # one number: as without axis, on all threads
        return np.full((1,) * a.ndim if keepdims else (), _of_one(function, a, method))[()]
    if not axes:
        a, axes = a[..., np.newaxis], (a.ndim,)
        keepdims = False
    dtype = a.real.dtype if function == "nrm2" else a.dtype
    call = getattr(_acc, function + "_along")
    return _along(a, axes, keepdims, dtype, lambda rows, results: call(rows, results, method))


def sum(x, method="compensated", axis=None, keepdims=False):
    """The sum of all elements of x, or along axes, in its type; +0 if there are none.

    method: one of acc.methods: "plain", "compensated", "reproducible" (acc::reproducible<3>) or
    "exact", which is rounded once. The first two take the elements in row-major order of their
    indices, however they lie in memory.
    axis: an integer or a tuple of integers, from -rank to rank - 1; None: all dimensions.
    keepdims: whether the result keeps the dimensions of the axes, with length 1.
    """
    return _of_one_along("sum", x, method, axis, keepdims)


def asum(x, method="compensated"):
    """The sum of |x_i|, of complex x of |re| + |im| as in the BLAS; otherwise as acc.sum of all."""
    return _of_one("asum", x, method)


def nrm2(x, method="compensated", axis=None, keepdims=False):
    """The Euclidean norm of all elements of x, or along axes; otherwise as acc.sum."""
    return _of_one_along("nrm2", x, method, axis, keepdims)


def _moment(function, x, axis, keepdims, call):
    a = _numbers(function, "x", x, _types[:2])
    axes = _axes(function, axis, a.ndim)
    if not axes:
        a, axes, keepdims = a[..., np.newaxis], (a.ndim,), False
    return _along(a, axes, keepdims, a.dtype, call)


def mean(x, axis=None, keepdims=False):
    """The mean of float32 or float64 x, correctly rounded; NaN if there are no elements. axis and
    keepdims are as for acc.sum."""
    return _moment("mean", x, axis, keepdims, _acc.mean_along)


def _variance(function, x, axis, ddof, keepdims):
    ddof = _integer(function, "ddof", ddof)
    if ddof < 0:
        raise ValueError(f"acc.{function}: ddof must not be negative, but is {ddof}")
    return _moment(function, x, axis, keepdims,
                   lambda rows, results: _acc.var_along(rows, results, ddof))


def var(x, axis=None, ddof=0, keepdims=False):
    """The variance of float32 or float64 x, correctly rounded: the sum of squares of deviations from
    the mean, over n - ddof. axis and keepdims are as for acc.sum."""
    return _variance("var", x, axis, ddof, keepdims)


def std(x, axis=None, ddof=0, keepdims=False):
    """The square root of acc.var, rounded once more."""
    return np.sqrt(_variance("std", x, axis, ddof, keepdims))


def _of_two(function, x, y, method):
    a, b = _numbers(function, "x", x), _numbers(function, "y", y)
    _check_method(function, method, methods)
    _check_same_type(function, "x", a, "y", b)
    if a.shape != b.shape:
        raise ValueError(f"acc.{function}: x and y must have the same shape, but x has shape "
                         f"{a.shape} and y has shape {b.shape}")
    return getattr(_acc, function)(_vector(a), _vector(b), method)


def _check_same_type(function, first, a, second, b):
    if a.dtype != b.dtype:
        raise TypeError(f"acc.{function}: {first} and {second} must have the same dtype, but {first} "
                        f"has {a.dtype} and {second} has {b.dtype}")


def dot(x, y, method="compensated"):
    """The sum of conj(x_i) y_i over all elements of x and y, which have one shape and type.

    Methods are as for acc.sum.
    """
    return _of_two("dot", x, y, method)


def dotu(x, y, method="compensated"):
    """The sum of x_i y_i, without conjugation; otherwise as acc.dot."""
    return _of_two("dotu", x, y, method)


def _scalar(function, name, number, dtype):
    """number in the type of the matrices. That type alone would take a text, None and the real part of
    a complex number, too."""
    if isinstance(number, np.ndarray) and number.ndim == 0:
        number = number[()]
    kind, allowed = ("complex", numbers.Complex) if dtype.kind == "c" else ("real", numbers.Real)
    if not isinstance(number, allowed):
        raise TypeError(f"acc.{function}: {name} must be a {kind} number, but is {number!r}")
    return dtype.type(number)


def _integer(function, name, number):
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"acc.{function}: {name} must be an integer, but is {number!r}") from None


def _product(function, a, b, alpha, beta, c, trans_a, trans_b, types, call):
    a, b = _array(function, "a", a, types), _array(function, "b", b, types)
    for name, m in (("a", a), ("b", b)):
        if m.ndim != 2:
            raise ValueError(f"acc.{function}: {name} must have two dimensions, but has shape "
                             f"{m.shape}")
    _check_same_type(function, "a", a, "b", b)
    for name, trans in (("trans_a", trans_a), ("trans_b", trans_b)):
        if trans not in tuple("NnTtCc"):
            raise ValueError(f'acc.{function}: {name} must be "N", "T" or "C", but is {trans!r}')
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
    a, b = (m if _is_strided(m, 0) else m.copy("C") for m in (a, b))
    call(trans_a, trans_b, alpha, a, b, beta, c)
    return c


def gemm(a, b, alpha=1.0, beta=0.0, c=None, trans_a="N", trans_b="N", method="seeded", strip=256, bits=0):
    """alpha op(a) op(b) + beta c, in c if given, else in a new array; op by the letters of the BLAS.

    method: one of acc.gemm_methods: "plain", "seeded" (acc::selective<acc::seeded>{strip}, the
    default everywhere: nearly as fast and more accurate), "widened" (float32 and complex64, summed in
    float64), "compensated", as if in twice the precision, "exact": alpha op(a) op(b) + beta c rounded
    once, or "fixed_point": the same of rows of op(a) and columns of op(b) that are rounded to `bits`
    (8 to 64) binary digits of their largest number.
    """
    _check_method("gemm", method, gemm_methods)
    strip = _integer("gemm", "strip", strip)
    bits = _integer("gemm", "bits", bits)

    def call(*arguments):
        if not _acc.gemm(*arguments, method, strip, bits):
            raise ValueError(f"acc.gemm: method {method} does not take {arguments[3].dtype}")

    return _product("gemm", a, b, alpha, beta, c, trans_a, trans_b, _types, call)


def matmul(a, b, method="seeded", strip=256, bits=0):
    """a b for matrices: acc.gemm without c."""
    return gemm(a, b, method=method, strip=strip, bits=bits)


def ngemm(a, b, alpha=1.0, beta=0.0, c=None, trans_a="N", trans_b="N", depth=-1, check_sign=False):
    """As acc.gemm for non-negative a and b of float32 or float64, in fewer operations if they are
    large: by acc::ngemm, with so many levels of recursion (-1: as it chooses). check_sign: signs
    that mix are a ValueError; else they are not looked at.
    """
    depth = _integer("ngemm", "depth", depth)

    def call(*arguments):
        _acc.ngemm(*arguments, depth, check_sign)

    return _product("ngemm", a, b, alpha, beta, c, trans_a, trans_b, _types[:2], call)
