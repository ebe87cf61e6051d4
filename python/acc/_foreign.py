# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries than NumPy: where they lie, and those in host memory as ndarrays. By DLPack
(dmlc.github.io/dlpack) or __cuda_array_interface__ (Numba's documentation, version 3)."""

import numpy as np

from . import _acc

gpu = getattr(_acc, "gpu", None)  # only in a build with CUDA

HALVES = ("float16", "bfloat16")

# DLPack's types of devices.
_CPU, _CUDA, _CUDA_HOST, _ROCM_HOST, _CUDA_MANAGED = 1, 2, 3, 11, 13
_DEVICES = {_CUDA: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", _CUDA_MANAGED: "CUDA",
            14: "oneAPI", 15: "WebGPU"}


def _device_of(x):
    """The device in whose memory x lies, as DLPack's type and a number (None: x does not tell); None for
    the host."""
    if isinstance(x, np.ndarray):
        return None
    if hasattr(x, "__dlpack_device__"):
        kind, number = x.__dlpack_device__()
        return None if kind in (_CPU, _CUDA_HOST, _ROCM_HOST) else (int(kind), int(number))
    return (_CUDA, None) if hasattr(x, "__cuda_array_interface__") else None


def place_of(device):
    if device is None:
        return "in host memory"
    kind, number = device
    name = _DEVICES.get(kind, f"DLPack's type {kind}")
    return f"on a {name} device" if number is None else f"on {name} device {number}"


def is_on_gpu(function, **arrays):
    """Whether they lie in the memory of the GPU on which acc computes. Those that it cannot reach, and
    two memories in one call, are refused. None is no array."""
    devices = {name: _device_of(x) for name, x in arrays.items() if x is not None}
    for name, device in devices.items():
        if device is not None:
            _check_reachable(function, name, device)
            break
    else:
        return False
    for other, its in devices.items():
        if its is None:
            raise TypeError(f"acc.{function}: {name} lies {place_of(device)} and {other} in host memory; all "
                            "must lie in the same memory")
        _check_reachable(function, other, its)
    return True


def _check_reachable(function, name, device):
    kind, number = device
    says = f"acc.{function}: {name} lies {place_of(device)}, "
    if kind not in (_CUDA, _CUDA_MANAGED):
        raise TypeError(says + "which acc does not reach; copy it to the host")
    if gpu is None:
        raise TypeError(says + "but this acc was built without CUDA; copy it to the host, or build acc with "
                               "a Kokkos that has CUDA")
    check_number(function, name, number)


def check_number(function, name, number):
    """Refuses another GPU than the one that Kokkos uses; number None: not told."""
    if number not in (None, gpu.device()):
        raise TypeError(f"acc.{function}: {name} lies on CUDA device {number}, but acc computes on CUDA "
                        f"device {gpu.device()}")


def _check_on_host(function, name, x):
    device = _device_of(x)
    if device is not None:
        _check_reachable(function, name, device)
        raise TypeError(f"acc.{function}: {name} lies {place_of(device)}, but acc.{function} takes arrays in "
                        "host memory alone; copy it there")


def on_host(function, name, x):
    """x as what numpy.asarray takes, for functions that know no GPU."""
    if isinstance(x, np.ndarray):
        return x
    _check_on_host(function, name, x)
    if hasattr(x, "__array__") or not hasattr(x, "__dlpack__"):
        return x
    array = read(x)
    try:
        return _viewed(array, np.dtype(array.dtype))
    except TypeError:
        raise TypeError(f"acc.{function}: {name} has dtype {array.dtype}, which NumPy lacks") from None


def widened_halves(function, name, x):
    """As on_host, but what has half precision, bfloat16 too, in float32, which changes no number; and the
    dtype's name before that."""
    _check_on_host(function, name, x)
    if not isinstance(x, np.ndarray) and hasattr(x, "__dlpack__"):
        array = read(x)  # NumPy cannot: it has no bfloat16
        if array.dtype == "bfloat16":
            return (_viewed(array, np.uint16).astype(np.uint32) << 16).view(np.float32), "bfloat16"
    a = np.asarray(on_host(function, name, x))
    dtype = a.dtype.name
    return (a.astype(np.float32) if dtype in HALVES else a), dtype


def read(x, **options):
    """What x's capsule of DLPack says, as a ForeignArray."""
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **options)
    except TypeError:  # from before version 1
        capsule = x.__dlpack__(**options)
    return _acc.read_dlpack(capsule)


class _Memory:
    """A ForeignArray in host memory, for NumPy, which keeps it."""

    def __init__(self, array, dtype):
        self.array = array
        self.__array_interface__ = {"version": 3, "data": (array.address, True), "shape": array.shape,
                                    "strides": array.strides, "typestr": np.dtype(dtype).str}


def _viewed(array, dtype):
    return np.asarray(_Memory(array, dtype))
