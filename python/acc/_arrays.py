# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What acc takes: checks and conversions of arrays and numbers. A function's name is for its texts."""

import numbers
import operator

import numpy as np

from ._foreign import on_host

_types = ("float32", "float64", "complex64", "complex128")
# Their result does not depend on the order of the numbers, so any memory order will do.
_order_free = ("reproducible", "exact")


def _array(function, name, x, types=_types):
    _check_unmasked(function, name, x)
    a = np.asarray(on_host(function, name, x))
    if a.dtype.isnative and a.dtype.name in types:
        return a
    raise TypeError(f"acc.{function}: {name} has dtype {a.dtype}; allowed are {', '.join(types)}, "
                    "in native byte order")


def _numbers(function, name, x, types=_types, dtype=None):
    """As _array, after a conversion that changes no number: of byte order; of bool, integers and float16
    to float64; and to dtype, if it is given."""
    _check_unmasked(function, name, x)
    a = np.asarray(on_host(function, name, x))
    if not a.dtype.isnative:
        a = a.astype(a.dtype.newbyteorder("="))
    if a.dtype.kind in "biu" or a.dtype == np.float16:
        _check_exact(function, name, a)
        a = a.astype(np.float64)
    if dtype is None:
        return _array(function, name, a, types)
    return _of_type(function, name, _array(function, name, a), _type(function, dtype, types))


def _type(function, dtype, types):
    """dtype as NumPy's object."""
    d = np.dtype(dtype)
    if d.isnative and d.name in types:
        return d
    raise TypeError(f"acc.{function}: dtype is {d}; allowed are {', '.join(types)}, in native byte order")


def _of_type(function, name, a, dtype):
    """a in another of acc's types, if all its numbers are of that type."""
    if a.dtype == dtype:
        return a
    if a.dtype.kind == "c" and dtype.kind != "c":
        raise TypeError(f"acc.{function}: {name} has dtype {a.dtype}, which is not converted to {dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        converted = a.astype(dtype)
        back = converted.astype(np.result_type(a, dtype))
        changed = _differs(a.real, back.real) | _differs(a.imag, back.imag)
    if changed.any():
        raise TypeError(f"acc.{function}: {name} has the number {a[changed].flat[0]}, which is not a "
                        f"{dtype}; round it first")
    return converted


def _differs(x, y):
    return (x != y) & (x == x)


def _check_exact(function, name, a):
    """Refuses integers that are not float64s. All up to 2^53 are."""
    if a.dtype.kind not in "iu" or a.itemsize < 8:
        return
    large = a[(a > 2**53) | (a < -(2**53))] if a.dtype.kind == "i" else a[a > 2**53]
    for n in large.tolist():
        if int(float(n)) != n:
            raise TypeError(f"acc.{function}: {name} has the integer {n}, which is not a float64; round "
                            "or split it first")


def _selection(function, x, where, dtype=None):
    """The data of x, which elements count (None: all), and whether x is a masked array. Those that do not
    count need not be numbers of the type to which x is converted."""
    is_masked = isinstance(x, np.ma.MaskedArray)
    keep = None
    if is_masked:
        if x.mask is not np.ma.nomask:
            keep = ~np.ma.getmaskarray(x)
        x = x.data
    a = np.asarray(on_host(function, "x", x))
    if where is not True:
        chosen = np.asarray(on_host(function, "where", where))
        if chosen.dtype != bool:
            raise TypeError(f"acc.{function}: where must be of bool, but has dtype {chosen.dtype}")
        try:
            chosen = np.broadcast_to(chosen, a.shape)
        except ValueError:
            raise ValueError(f"acc.{function}: where has shape {chosen.shape}, which does not broadcast "
                             f"to x's {a.shape}") from None
        keep = chosen if keep is None else keep & chosen
    if keep is not None and (a.dtype.kind in "iu" or dtype is not None):
        a = np.where(keep, a, a.dtype.type(0))
    return a, keep, is_masked


def _check_out(function, out, shape, dtype):
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"acc.{function}: out must be an ndarray, but is {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"acc.{function}: out has shape {out.shape}, but the result has {shape}")
    if out.dtype != dtype:
        raise TypeError(f"acc.{function}: out has dtype {out.dtype}, but the result has {dtype}")
    if not out.flags.writeable:
        raise ValueError(f"acc.{function}: out cannot be written")


def _check_unmasked(function, name, x):
    if isinstance(x, np.ma.MaskedArray):  # its mask would not count
        raise TypeError(f"acc.{function}: {name} is a masked array; fill or compress it first")


def _check_method(function, method, allowed):
    if method not in allowed:
        raise ValueError(f"acc.{function}: there is no method {method!r}; allowed are "
                         f"{', '.join(allowed)}")


def _check_taken(function, is_taken, method, dtype):
    if not is_taken:
        raise ValueError(f"acc.{function}: method {method} does not take {dtype}")


def _is_strided(a, least):
    """Whether elements lie where they should, and in steps of at least `least` whole ones."""
    # A complex number lies on a multiple of its size, as Kokkos's do. NumPy aligns its parts alone.
    lies_as_kokkos = a.dtype.kind != "c" or a.__array_interface__["data"][0] % a.itemsize == 0
    return lies_as_kokkos and a.flags.aligned and all(
        stride % a.itemsize == 0 and (n < 2 or stride >= least)
        for n, stride in zip(a.shape, a.strides))


def _readable(a):
    """a, or a copy where a View cannot express it."""
    return a if _is_strided(a, 0) else a.copy("C")


def _vector(a, any_order=False):
    if any_order:  # as its elements lie in memory; ravel("K") would copy all that has gaps
        a = a[tuple(slice(None, None, -1 if stride < 0 else 1) for stride in a.strides)]
        a = a.transpose(sorted(range(a.ndim), key=lambda i: -a.strides[i]))
    flat = a.reshape(-1)
    return flat if _is_strided(flat, -np.inf) else flat.copy()


def _check_same_type(function, first, a, second, b):
    if a.dtype != b.dtype:
        raise TypeError(f"acc.{function}: {first} and {second} must have the same dtype, but {first} "
                        f"has {a.dtype} and {second} has {b.dtype}")


def _scalar(function, name, number, dtype):
    """number in the type of the matrices. That type alone would take a text, None and the real part of
    a complex number, too."""
    if isinstance(number, np.ndarray) and number.ndim == 0:
        number = number[()]
    kind, allowed = ("complex", numbers.Complex) if dtype.kind == "c" else ("real", numbers.Real)
    if not isinstance(number, allowed):
        raise TypeError(f"acc.{function}: {name} must be a {kind} number, but is {number!r}")
    return dtype.type(number)


def _integer(function, name, number, digits=63):
    """An integer of so many binary digits beside its sign."""
    try:
        n = operator.index(number)
    except TypeError:
        raise TypeError(f"acc.{function}: {name} must be an integer, but is {number!r}") from None
    if not -2**digits <= n < 2**digits:
        raise ValueError(f"acc.{function}: {name} must be -2^{digits} to 2^{digits} - 1, but is {n}")
    return n


def _integers(function, name, x):
    """x as contiguous int64s."""
    _check_unmasked(function, name, x)
    a = np.asarray(on_host(function, name, x))
    if a.size == 0 and not isinstance(x, np.ndarray):
        a = a.astype(np.int64)
    if a.dtype.kind not in "iu":
        raise TypeError(f"acc.{function}: {name} must be of integers, but has dtype {a.dtype}")
    if a.dtype == np.uint64 and a.size and a.max() >= 2**63:
        raise TypeError(f"acc.{function}: {name} has the integer {a.max()}, which is not an int64")
    return np.ascontiguousarray(a, np.int64)
