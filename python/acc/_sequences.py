# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running totals, and sums by index, of segments and of runs of equal keys."""

import numpy as np

from . import _acc
from ._arrays import (_check_method, _check_out, _integer, _integers, _is_strided, _numbers, _readable,
                      _type, _types)
from ._sums import _axes

_methods_in_order = ("compensated", "exact")
_methods_without_order = ("reproducible", "exact")


def cumsum(x, axis=None, dtype=None, out=None, *, method="compensated"):
    """The running totals of x along an axis, or of all its elements in row-major order, by
    acc::prefix_sum. Arguments are numpy.cumsum's, method is "compensated" or "exact": each total
    correctly rounded. dtype and out are as for acc.sum.
    """
    _check_method("cumsum", method, _methods_in_order)
    a = _numbers("cumsum", "x", x, dtype=dtype)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis, = _axes("cumsum", _integer("cumsum", "axis", axis), a.ndim)
    if out is not None:
        _check_out("cumsum", out, a.shape, a.dtype)
    lines = np.moveaxis(a, axis, -1)
    # reshape(-1) cannot tell a length where another one is 0.
    rows = lines.reshape(int(np.prod(lines.shape[:-1], dtype=np.int64)), lines.shape[-1])
    totals = np.empty(rows.shape, a.dtype)
    _acc.prefix_sums(totals, _readable(rows), method)
    result = np.moveaxis(totals.reshape(lines.shape), -1, axis)
    if out is None:
        return np.ascontiguousarray(result)
    out[...] = result
    return out


def _indexes(function, name, x, rank=1):
    index = _integers(function, name, x)
    if index.ndim != rank:
        raise ValueError(f"acc.{function}: {name} must have one dimension, but has shape {index.shape}")
    return index


def bincount(x, weights, minlength=0, *, method="exact"):
    """The sum of the weights of each index, by acc::sum_by_index: result[i] is the sum of all weights[j]
    with x[j] == i, in the type of the weights, and +0 for an index that does not occur.

    x: n integers that are not negative.
    weights: n numbers, or n rows of numbers, which are summed column by column.
    minlength: the least length of the result, which is otherwise max(x) + 1.
    method: "exact" (correctly rounded) or "reproducible"; both give the same bits for any order of x.
    """
    _check_method("bincount", method, _methods_without_order)
    index, a = _indexes("bincount", "x", x), _numbers("bincount", "weights", weights)
    if a.ndim not in (1, 2) or len(a) != index.size:
        raise ValueError(f"acc.bincount: weights must be a number or a row of numbers for each of the "
                         f"{index.size} elements of x, but has shape {a.shape}")
    minlength = _integer("bincount", "minlength", minlength)
    if minlength < 0:
        raise ValueError(f"acc.bincount: minlength must not be negative, but is {minlength}")
    if index.size and index.min() < 0:
        raise ValueError(f"acc.bincount: x must not be negative, but has {index.min()}")
    sums = np.zeros((max(minlength, int(index.max()) + 1 if index.size else 0), *a.shape[1:]), a.dtype)
    if sums.size and a.size:
        _acc.sum_by_index(sums, index, _readable(a), False, method)
    return sums


def add_at(a, indices, b, *, method="exact"):
    """As numpy.add.at(a, indices, b): adds b[j] to a[indices[j]] for each j, but a's numbers and all that
    they get are summed at once, by acc::add_by_index, so the order does not count. Returns a.

    a: an ndarray of one or two dimensions, which is written.
    indices: n integers; a negative one counts from the end.
    b: n numbers, or n rows of numbers as long as a's, or what broadcasts to them.
    method: as for acc.bincount.
    """
    _check_method("add_at", method, _methods_without_order)
    if not isinstance(a, np.ndarray) or isinstance(a, np.ma.MaskedArray) or a.ndim not in (1, 2) or (
            not a.flags.writeable):
        raise ValueError("acc.add_at: a must be an ndarray of one or two dimensions that can be written")
    dtype = _type("add_at", a.dtype, _types)
    index, terms = _indexes("add_at", "indices", indices), _numbers("add_at", "b", b, dtype=dtype)
    outside = index[(index < -len(a)) | (index >= len(a))]
    if outside.size:
        raise IndexError(f"acc.add_at: indices has {outside[0]}, but a has {len(a)} elements")
    try:
        terms = np.broadcast_to(terms, (index.size, *a.shape[1:]))
    except ValueError:
        raise ValueError(f"acc.add_at: b has shape {terms.shape}, which does not broadcast to "
                         f"{(index.size, *a.shape[1:])}") from None
    if terms.size == 0:
        return a
    may_write = _is_strided(a, 0) and not np.may_share_memory(a, terms)
    sums = a if may_write else a.copy("C")
    index = np.where(index < 0, index + len(a), index)
    _acc.sum_by_index(sums, index, _readable(terms), True, method)
    if sums is not a:
        a[...] = sums
    return a


def _sequence(function, x):
    a = _numbers(function, "x", x)
    if a.ndim != 1:
        raise ValueError(f"acc.{function}: x must have one dimension, but has shape {a.shape}")
    return _readable(a)


def segmented_sum(x, offsets=None, lengths=None, *, method="compensated"):
    """The sums of segments of x, each with the bits of acc.sum over it; +0 of an empty one.

    offsets: where segments begin, and where the last one ends: m + 1 integers from 0 to len(x) in
        ascending order for m segments, as the row pointers of a CSR matrix. numpy.add.reduceat takes
        offsets[:-1].
    lengths: in place of offsets, the lengths of the segments, the first of which begins with x[0].
    method: "compensated" or "exact".
    """
    _check_method("segmented_sum", method, _methods_in_order)
    a = _sequence("segmented_sum", x)
    if (offsets is None) == (lengths is None):
        raise ValueError("acc.segmented_sum: offsets or lengths must be given, and not both")
    if lengths is not None:
        sizes = _indexes("segmented_sum", "lengths", lengths)
        if sizes.size and sizes.min() < 0:
            raise ValueError(f"acc.segmented_sum: lengths must not be negative, but has {sizes.min()}")
        if sizes.size and int(sizes.max()) > a.size:  # whose sum could overflow
            raise ValueError(f"acc.segmented_sum: lengths has {sizes.max()}, but x has {a.size} elements")
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        if offsets[-1] > a.size:
            raise ValueError(f"acc.segmented_sum: the lengths have the sum {offsets[-1]}, but x has "
                             f"{a.size} elements")
    at = _indexes("segmented_sum", "offsets", offsets)
    if at.size == 0:
        raise ValueError("acc.segmented_sum: offsets must have one element more than there are segments, "
                         "but has none")
    if at[0] < 0 or at[-1] > a.size or (at[1:] < at[:-1]).any():
        raise ValueError(f"acc.segmented_sum: offsets must ascend from 0 to at most {a.size}, the length of "
                         "x, but do not")
    sums = np.empty(at.size - 1, a.dtype)
    _acc.segmented_sum(sums, a, at, method)
    return sums


def sum_by_key(keys, x, *, method="compensated"):
    """The sums of runs of equal keys, each with the bits of acc.sum over its run: returns the key of each
    run, and its sum. A key that comes again after another one begins a new run; sort first for one sum of
    each key, or use acc.bincount.

    keys: as many integers as x has numbers.
    method: "compensated" or "exact".
    """
    _check_method("sum_by_key", method, _methods_in_order)
    a, of = _sequence("sum_by_key", x), _indexes("sum_by_key", "keys", keys)
    if of.size != a.size:
        raise ValueError(f"acc.sum_by_key: keys must have as many elements as x, but has {of.size} and x has "
                         f"{a.size}")
    runs = int(np.count_nonzero(of[1:] != of[:-1])) + 1 if of.size else 0
    unique, sums = np.empty(runs, np.int64), np.empty(runs, a.dtype)
    if runs:
        _acc.sum_by_key(sums, unique, of, a, method)
    return unique, sums
