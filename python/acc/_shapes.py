# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shapes of products, of ndarrays and ForeignArrays alike."""

import math

import numpy as np

from ._arrays import _check_same_type


def check_letter(function, name, trans):
    if trans not in tuple("NnTtCc"):
        raise ValueError(f'acc.{function}: {name} must be "N", "T" or "C", but is {trans!r}')


def check_rank(function, name, a, rank):
    if a.ndim != rank:
        dimensions = "two dimensions" if rank == 2 else "one dimension"
        raise ValueError(f"acc.{function}: {name} must have {dimensions}, but has shape {a.shape}")


def product_shape(function, a, b):
    """The dimensions before the matrices of numpy.matmul(a, b), and its shape."""
    for name, m in (("a", a), ("b", b)):
        if m.ndim == 0:
            raise ValueError(f"acc.{function}: {name} must have at least one dimension, but is a number")
    _check_same_type(function, "a", a, "b", b)
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise ValueError(f"acc.{function}: the last dimension of a must be as long as the "
                         f"{'last but one' if b.ndim > 1 else 'only one'} of b, but a has shape {a.shape} "
                         f"and b has shape {b.shape}")
    try:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError(f"acc.{function}: the dimensions before the last two must broadcast, but a has "
                         f"shape {a.shape} and b has shape {b.shape}") from None
    return stack, stack + (a.shape[-2:-1] if a.ndim > 1 else ()) + (b.shape[-1:] if b.ndim > 1 else ())


def strided(m, shape, strides):
    """The same memory with other extents, which lie in it."""
    if isinstance(m, np.ndarray):
        return np.lib.stride_tricks.as_strided(m, shape, strides)
    return m.strided(shape, strides)


def row(m):
    """The last dimension as matrices of one row."""
    n, stride = m.shape[-1], m.strides[-1]
    return strided(m, (*m.shape[:-1], 1, n), (*m.strides[:-1], n * stride, stride))


def column(m):
    """The last dimension as matrices of one column."""
    return strided(m, (*m.shape, 1), (*m.strides, m.itemsize))


def stacks(call, *arrays):
    """call of arrays of rank 3, the first index of which counts matrices, for arrays of at least this rank
    with the same indexes before those of a matrix. Two of these that are one in memory count as one."""
    if arrays[0].ndim == 3:
        return call(*arrays)
    first, second = arrays[0].shape[:2]
    if first == 1 or second == 1 or all(m.strides[0] == second * m.strides[1] for m in arrays):
        step = 0 if second == 1 else 1
        return stacks(call, *(strided(m, (first * second, *m.shape[2:]), (m.strides[step], *m.strides[2:]))
                              for m in arrays))
    for each in zip(*arrays):
        stacks(call, *each)


def linear_shape(x, weight, bias):
    """The shape of acc.linear(x, weight, bias)."""
    if x.ndim == 0:
        raise ValueError("acc.linear: x must have at least one dimension, but is a number")
    check_rank("linear", "weight", weight, 2)
    for name, a in (("weight", weight), ("bias", bias)):
        if a is not None:
            _check_same_type("linear", "x", x, name, a)
    if x.shape[-1] != weight.shape[1]:
        raise ValueError("acc.linear: the last dimensions of x and weight must have the same length, but x "
                         f"has shape {x.shape} and weight has shape {weight.shape}")
    if bias is not None and bias.shape != weight.shape[:1]:
        raise ValueError(f"acc.linear: bias must have as many elements as weight has rows, but has shape "
                         f"{bias.shape} and weight has shape {weight.shape}")
    return (*x.shape[:-1], weight.shape[0])


def merged_rows(*arrays):
    """Arrays of the same dimensions but the last, with these as one where they are one in memory, and at
    least two dimensions."""
    if arrays[0].ndim == 1:
        return tuple(row(m) for m in arrays)
    counts = arrays[0].shape[:-1]
    if len(counts) == 1 or any(outer != n * inner for m in arrays for outer, n, inner in
                               zip(m.strides, counts[1:], m.strides[1:-1])):
        return arrays
    return tuple(strided(m, (math.prod(counts), m.shape[-1]), m.strides[-2:]) for m in arrays)
