# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, dot products, norms and matrix products of NumPy arrays: accurate, and with the same bits
on every machine, for any number of threads, memory order and stride.

    acc.sum(x, method="exact")      acc.asum(x)      acc.nrm2(x)
    acc.sum(x, axis=1)              acc.mean(x)      acc.var(x)      acc.std(x)
    acc.dot(x, y)                   acc.dotu(x, y)
    acc.sum_with_bound(x)           acc.dot_with_bound(x, y)
    acc.cumsum(x)                   acc.bincount(index, weights)    acc.add_at(a, index, b)
    acc.segmented_sum(x, offsets)   acc.sum_by_key(keys, x)
    acc.matmul(a, b)                acc.gemm(a, b, alpha=..., c=..., beta=...)
    acc.gemv(a, x)                  acc.ngemm(a, b)     acc.linear(x, weight, bias)

Arrays are float32, float64, complex64 or complex128, of products in native byte order. Sums, dot
products, norms and moments convert what changes no number: the byte order, and bool, integers and
float16 to float64. An integer that is not a float64, and every other type, is a TypeError. Wrong
shapes, methods and letters are ValueErrors. An array is copied only where it is converted, where
elements are left out, or its memory cannot be described by one stride (two, of a matrix) of whole
elements.

acc.sum, mean, var and std take the arguments of NumPy's: axis, dtype, out, keepdims, where (and sum
initial), and masked arrays; nrm2 does, too. Each number of the result has the bits that the function
gives for its elements alone.

Other Python threads run while acc computes. Kokkos starts at the first call, with the threads that
KOKKOS_NUM_THREADS or OMP_NUM_THREADS says, and ends with the process. In a process forked after that
the calling thread computes alone, with the same bits.
"""

from ._acc import __version__, dot_methods, gemm_methods, methods, sum_methods
from ._products import gemm, gemv, linear, matmul, ngemm
from ._sequences import add_at, bincount, cumsum, segmented_sum, sum_by_key
from ._sums import (Certified, asum, dot, dot_with_bound, dotu, mean, nrm2, std, sum, sum_with_bound, var)

__all__ = ["sum", "asum", "nrm2", "mean", "var", "std", "dot", "dotu", "sum_with_bound", "dot_with_bound",
           "Certified", "cumsum", "bincount", "add_at", "segmented_sum", "sum_by_key", "gemm", "gemv",
           "matmul", "linear", "ngemm", "methods", "sum_methods", "dot_methods", "gemm_methods", "__version__"]
