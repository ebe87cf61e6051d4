# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, norms, moments and dot products."""

import collections
import math
import warnings

import numpy as np

from . import _acc, _gpu
from ._acc import dot_methods, methods, sum_methods
from ._arrays import (_check_method, _check_out, _check_same_type, _check_taken, _check_unmasked, _integer,
                      _numbers, _order_free, _readable, _selection, _types, _vector)
from ._foreign import is_on_gpu

_real_types = _types[:2]
_AxisError = getattr(np, "exceptions", np).AxisError  # in NumPy 1.24 of its own name space


def _axes(function, axis, rank):
    """axis as a sorted tuple of dimensions from 0 on."""
    if axis is None:
        return tuple(range(rank))
    axes = []
    for one in axis if isinstance(axis, tuple) else (axis,):
        if isinstance(one, str):  # where the method once was
            raise TypeError(f"acc.{function}: axis must be an integer, but is {one!r}; a method is named: "
                            f"method={one!r}")
        d = _integer(function, "axis", one)
        if not -rank <= d < rank:
            raise _AxisError(f"acc.{function}: axis is {d}, but x has {rank} dimensions")
        axes.append(d % rank)
    if len(set(axes)) < len(axes):
        raise ValueError(f"acc.{function}: axis {axis} names a dimension twice")
    return tuple(sorted(axes))


class _Slices:
    """What a function reduces: the slices of x along axes, in row-major order. `call(rows, results)`
    reduces the rows of a matrix."""

    def __init__(self, function, x, axis, dtype, keepdims, where, types):
        self.function = function
        data, self.keep, self.is_masked = _selection(function, x, where, dtype)
        self.a = a = _numbers(function, "x", data, types, dtype)
        self.axes = _axes(function, axis, a.ndim)
        self.kept = tuple(d for d in range(a.ndim) if d not in self.axes)
        self.counts = tuple(a.shape[d] for d in self.kept)
        self.shape = (tuple(1 if d in self.axes else n for d, n in enumerate(a.shape)) if keepdims
                      else self.counts)

    def rows(self, a):
        """a's slices as the rows of a matrix."""
        n = math.prod(a.shape[d] for d in self.axes)  # reshape(-1) cannot tell it where a has no elements
        return a.transpose(self.kept + self.axes).reshape(math.prod(self.counts), n)

    def reduce(self, dtype, call, initial=None, any_order=False):
        """The results of all slices, a number each."""
        results = np.empty(math.prod(self.counts), dtype)
        if self.keep is None and initial is None and not self.kept:
            rows = _vector(self.a, any_order)[np.newaxis]
        else:
            rows = self.rows(self.a)
        keep = None if self.keep is None else self.rows(self.keep)
        if initial is not None:
            first = np.full((rows.shape[0], 1), initial, rows.dtype)
            rows = np.concatenate([first, rows], axis=1)
            if keep is not None:
                keep = np.concatenate([np.ones(first.shape, bool), keep], axis=1)
        if keep is None:
            call(rows, results)
        else:
            self._reduce_kept(rows, keep, results, call)
        return results

    @staticmethod
    def _reduce_kept(rows, keep, results, call):
        """Of the elements that keep marks. Rows that have as many of them are reduced at once."""
        counts = np.count_nonzero(keep, axis=1)
        order = np.argsort(counts, kind="stable")
        kept = rows[order][keep[order]]  # one row's after another's
        lengths, firsts = np.unique(counts[order], return_index=True)
        begin = 0
        for n, first, end in zip(lengths, firsts, [*firsts[1:], order.size]):
            some = np.empty(end - first, results.dtype)
            call(kept[begin:begin + some.size * n].reshape(some.size, n), some)
            results[order[first:end]] = some
            begin += some.size * n

    def warn_of_nan(self, least, text, depth):
        """Says, as NumPy does, that a result is NaN for want of elements; depth: of calls below the user's."""
        if self.keep is None:
            lacks = math.prod(self.counts) > 0 and math.prod(self.a.shape[d] for d in self.axes) < least
        else:
            lacks = (np.count_nonzero(self.rows(self.keep), axis=1) < least).any()
        if lacks and not self.is_masked:
            warnings.warn(f"acc.{self.function}: {text}", RuntimeWarning, stacklevel=depth + 1)

    def result(self, results, out, least=1):
        """Of the shape that NumPy gives it, in out if given; of a masked array masked where fewer than
        `least` elements counted."""
        results = results.reshape(self.shape)
        if out is not None:
            _check_out(self.function, out, self.shape, results.dtype)
            out[...] = results
            return out
        if not self.is_masked:
            return results[()]  # of no dimensions: a NumPy scalar
        mask = np.ma.nomask
        if self.keep is not None:
            mask = (np.count_nonzero(self.rows(self.keep), axis=1) < least).reshape(self.shape)
        if self.shape == ():
            return np.ma.masked if mask is not np.ma.nomask and mask else results[()]
        return np.ma.array(results, mask=mask)


def _refuse_on_gpu(function, axis=None, dtype=None, out=None, keepdims=False, where=True, initial=None):
    """A GPU's arrays are reduced as a whole."""
    _gpu.refuse(function, axis=axis is not None, dtype=dtype is not None, out=out is not None,
                keepdims=bool(keepdims), where=where is not True, initial=initial is not None)


def _along(function, x, axis, dtype, out, keepdims, where, method, initial=None):
    if is_on_gpu(function, x=x):
        _refuse_on_gpu(function, axis, dtype, out, keepdims, where, initial)
        return _gpu.reduce(function, x, method, methods)
    _check_method(function, method, sum_methods if function == "sum" else methods)
    slices = _Slices(function, x, axis, dtype, keepdims, where, _types)
    a = slices.a
    if initial is not None:
        initial = _numbers(function, "initial", initial, dtype=a.dtype)
        if initial.ndim != 0:
            raise ValueError(f"acc.{function}: initial must be one number, but has shape {initial.shape}")
    result = a.real.dtype if function == "nrm2" else a.dtype
    of_all, along = getattr(_acc, function), getattr(_acc, function + "_along")
    if method not in methods:
        along = _acc.further_sums

    def call(rows, results):
        if rows.shape[0] == 1 and method in methods:  # on all threads
            results[0] = of_all(_vector(rows[0]), method)
        else:
            _check_taken(function, along(_readable(rows), results, method), method, a.dtype)

    return slices.result(slices.reduce(result, call, initial, method in _order_free), out)


def sum(x, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True, *,
        method="compensated"):
    """The sum of all elements of x, or along axes; +0 if there are none. Arguments are numpy.sum's.

    axis: an integer or a tuple of integers, from -rank to rank - 1; None: all dimensions.
    dtype: the type in which x is summed; None: x's. Every number of x must be one of that type.
    out: an ndarray of the result's shape and type, which is written and returned.
    keepdims: whether the result keeps the dimensions of the axes, with length 1.
    initial: one more number of each sum, before the others.
    where: bools that broadcast to x's shape: which elements count. Each sum has the bits of
        acc.sum(slice[where]). Masked elements of a masked array do not count either; its sums are
        masked where all elements are.
    method: one of acc.sum_methods: "plain", "compensated" (as if in twice the precision), "reproducible"
        (acc::reproducible<3>), "exact", which is rounded once, "double_word", "fold2" to "fold8" (as if in
        so many times the precision) or "widened" (float32 and complex64, summed in float64). All but
        "reproducible" and "exact" take the elements in row-major order of their indices, however they lie
        in memory.
    """
    return _along("sum", x, axis, dtype, out, keepdims, where, method, initial)


def nrm2(x, axis=None, dtype=None, out=None, keepdims=False, where=True, *, method="compensated"):
    """The Euclidean norm of all elements of x, or along axes; otherwise as acc.sum, by one of
    acc.methods."""
    return _along("nrm2", x, axis, dtype, out, keepdims, where, method)


def asum(x, method="compensated"):
    """The sum of |x_i|, of complex x of |re| + |im| as in the BLAS; otherwise as acc.sum of all."""
    if is_on_gpu("asum", x=x):
        return _gpu.reduce("asum", x, method, methods)
    _check_method("asum", method, methods)
    slices = _Slices("asum", x, None, None, False, True, _types)

    def call(rows, results):
        results[0] = _acc.asum(rows[0], method)

    return slices.result(slices.reduce(slices.a.real.dtype, call, None, method in _order_free), None)


def mean(x, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The mean of all elements of x, or along axes, correctly rounded (of complex numbers: both parts);
    NaN, and a RuntimeWarning, if there are no elements. Arguments are those of acc.sum."""
    if is_on_gpu("mean", x=x):
        _refuse_on_gpu("mean", axis, dtype, out, keepdims, where)
        return _gpu.moment("mean", x)
    slices = _Slices("mean", x, axis, dtype, keepdims, where, _types)
    a = slices.a

    def call(rows, results):
        rows = _readable(rows)
        if a.dtype.kind != "c":
            return _acc.mean_along(rows, results)
        for part, numbers in (("real", rows.real), ("imag", rows.imag)):
            means = np.empty(results.shape, numbers.dtype)
            _acc.mean_along(numbers, means)
            setattr(results, part, means)

    slices.warn_of_nan(1, "a mean of no elements is NaN", 2)
    return slices.result(slices.reduce(a.dtype, call, None, True), out)


def _variance(function, x, axis, dtype, out, ddof, keepdims, where, finish=lambda results: results):
    ddof = _integer(function, "ddof", ddof)
    if ddof < 0:
        raise ValueError(f"acc.{function}: ddof must not be negative, but is {ddof}")
    if is_on_gpu(function, x=x):
        _refuse_on_gpu(function, axis, dtype, out, keepdims, where)
        return finish(_gpu.moment(function, x, ddof))
    slices = _Slices(function, x, axis, dtype, keepdims, where, _real_types)
    variances = slices.reduce(slices.a.dtype, lambda rows, results: _acc.var_along(_readable(rows),
                                                                                   results, ddof),
                              None, True)
    slices.warn_of_nan(ddof + 1, f"of {ddof} elements or fewer it is NaN", 3)
    return slices.result(finish(variances), out, ddof + 1)


def var(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    """The variance of the real elements of x, or along axes, correctly rounded: the sum of squares of
    deviations from the mean, over n - ddof; NaN, and a RuntimeWarning, where n is not more than ddof.
    Other arguments are those of acc.sum."""
    return _variance("var", x, axis, dtype, out, ddof, keepdims, where)


def std(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    """The square root of acc.var, rounded once more."""
    return _variance("std", x, axis, dtype, out, ddof, keepdims, where, np.sqrt)


def _two(function, x, y):
    """The vectors of two arrays of one shape and type, without pairs that have a masked element; None
    where all have."""
    data, keep, _ = _selection(function, x, True)
    other, keep_other, _ = _selection(function, y, True)
    a, b = _numbers(function, "x", data), _numbers(function, "y", other)
    _check_same_type(function, "x", a, "y", b)
    if a.shape != b.shape:
        raise ValueError(f"acc.{function}: x and y must have the same shape, but x has shape "
                         f"{a.shape} and y has shape {b.shape}")
    if keep is None:
        keep = keep_other
    elif keep_other is not None:
        keep = keep & keep_other
    if keep is not None:
        if not keep.any():
            return None
        a, b = a[keep], b[keep]
    return _vector(a), _vector(b)


def _of_two(function, x, y, method):
    if is_on_gpu(function, x=x, y=y):
        return _gpu.dot(function, x, y, method, methods)
    _check_method(function, method, dot_methods)
    vectors = _two(function, x, y)
    if vectors is None:
        return np.ma.masked
    product = getattr(_acc, function if method in methods else "further_" + function)
    if method not in methods:
        vectors = [_readable(v) for v in vectors]
    result = product(*vectors, method)
    _check_taken(function, result is not None, method, vectors[0].dtype)
    return result


def dot(x, y, method="compensated"):
    """The sum of conj(x_i) y_i over all elements of x and y, which have one shape and type. Pairs with a
    masked element do not count; the result is masked where all have one.

    method: one of acc.dot_methods: those of acc.sum, and "compensated_fma".
    """
    return _of_two("dot", x, y, method)


def dotu(x, y, method="compensated"):
    """The sum of x_i y_i, without conjugation; otherwise as acc.dot."""
    return _of_two("dotu", x, y, method)


Certified = collections.namedtuple("Certified", "value error_bound condition")
Certified.__doc__ = """A result, a bound of its error, and its condition number.

value: the result by the method compensated
error_bound: |value - exact result| is at most this; infinity where the sum of finite numbers overflows,
    NaN where a number is not finite
condition: sum |x_i| / |sum x_i|, or 2 sum |x_i y_i| / |x . y|; 0 if all terms are 0
"""


def sum_with_bound(x):
    """The sum of all elements of x with a rigorous bound of its error, from one pass: an acc.Certified.
    (acc::sum_with_bound; Ogita, Rump, Oishi 2005)"""
    a = _vector(_numbers("sum_with_bound", "x", x))
    return Certified(*_acc.sum_with_bound(_readable(a)))


def dot_with_bound(x, y):
    """The sum of conj(x_i) y_i with a rigorous bound of its error, from one pass: an acc.Certified."""
    for name, each in (("x", x), ("y", y)):
        _check_unmasked("dot_with_bound", name, each)
    return Certified(*_acc.dot_with_bound(*(_readable(v) for v in _two("dot_with_bound", x, y))))
