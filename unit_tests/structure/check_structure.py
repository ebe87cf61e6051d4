#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the walls of the house (docs/design.md): who may include whom, who names execution spaces.

usage: check_structure.py SOURCE_DIR             checks the tree, prints each breach
       check_structure.py SOURCE_DIR --breaches  plants breaches one by one: each must be found
"""
import pathlib
import re
import sys

# The rooms of core, and which of them each may include; "" are the public headers beside the rooms.
CORE = {
    "": {"", "numbers", "exact", "order"},
    "numbers": {"", "numbers"},
    "exact": {"", "numbers", "exact"},
    "order": {"", "numbers", "exact", "order"},
    "gemm": {"", "numbers", "exact", "order", "gemm"},
    "elements": {"", "numbers", "gemm", "elements"},
    "checks": {"", "numbers", "gemm", "checks"},
}
DISPATCH = "backends/acc/backends/dispatch.hpp"
SPACES = re.compile(
    r"Kokkos::(?:Experimental::)?(?:Cuda|HIP|SYCL|OpenMP|OpenMPTarget|OpenACC|Serial|Threads|HPX)\b"
    r"|KOKKOS_ENABLE_(?:CUDA|HIP|SYCL|OPENMP|OPENMPTARGET|OPENACC|SERIAL|THREADS|HPX)\b")
LAUNCH = re.compile(r"\b(?:parallel_for|parallel_reduce|parallel_scan|TeamPolicy|RangePolicy|MDRangePolicy)\b"
                    r"|\b(?:TeamVectorRange|TeamThreadRange|ThreadVectorRange)\b")
# nvcc compiles a call of such a function in a kernel with a warning, to one of what is not there.
UNMARKED = re.compile(r"^(?!.*(?:_FUNCTION|operator==))[\w<> ]*\bconstexpr [\w:<>, ]+ \w+\(", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def read(source):
    """The headers and sources of the three floors: path -> text."""
    files = {}
    for floor in ("core", "backends", "algorithms"):
        for path in sorted((source / floor).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".in") and path.is_file():
                files[path.relative_to(source).as_posix()] = path.read_text(encoding="utf-8")
    return files


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def core_room(path):
    """The room of core/acc/core/ROOM/file.hpp; "" beside the rooms."""
    parts = path.split("/")
    return parts[0] if len(parts) > 1 else ""


def machine_of(path):
    """The machine of acc/backends/MACHINE/...; None of what all machines share."""
    parts = path.split("/")
    return parts[2] if len(parts) > 3 else None


def include_breach(path, included):
    """Why `path` may not include `included`, or None."""
    if not included.startswith("acc/"):
        return None
    if path.startswith("core/"):
        if not included.startswith("acc/core/"):
            return "core includes nothing but core"
        room, other = core_room(path[len("core/acc/core/"):]), core_room(included[len("acc/core/"):])
        if other not in CORE.get(room, set()):
            return f"core's room '{room or 'public'}' may not include '{other}'"
    elif path.startswith("backends/"):
        if not included.startswith(("acc/core/", "acc/backends/")):
            return "backends include core and backends alone"
        if included.startswith("acc/backends/") and path != DISPATCH:
            own, other = machine_of(path[len("backends/"):]), machine_of(included)
            if other is not None and other not in {own, "generic" if own else None}:
                return f"only dispatch.hpp includes a machine's folder; here '{own or 'shared'}' includes '{other}'"
    elif included.startswith("acc/backends/") and machine_of(included) is not None:
        return "algorithms include no machine's folder, dispatch.hpp instead"
    return None


def is_public(path):
    """Whether users may include it: what lies directly in acc/, acc/mpi/ and acc/core/."""
    folder = path.rpartition("/")[0]
    return folder in ("algorithms/acc", "core/acc/core") or path in (
        "algorithms/acc/mpi/sum.hpp", "algorithms/acc/mpi/all_reduce.hpp", "algorithms/acc/mpi/gemm.hpp",
        "algorithms/acc/mpi/statistics.hpp", "algorithms/acc/mpi/columns.hpp",
        "algorithms/acc/mpi/scatter_sum.hpp", "algorithms/acc/mpi/sum_by_index.hpp")


def breaches(files):
    found = []
    for path, text in files.items():
        code = without_comments(text)
        if is_public(path) != ("\n// Public header.\n" in text):
            found.append(f"{path}: public headers, and no others, say '// Public header.'")
        for included in INCLUDE.findall(code):
            why = include_breach(path, included)
            if why:
                found.append(f"{path} includes <{included}>: {why}")
        if path != DISPATCH:
            for name in sorted(set(SPACES.findall(code))):
                found.append(f"{path} names {name}: only dispatch.hpp names execution spaces")
        if path.startswith("core/"):
            for name in sorted(set(LAUNCH.findall(code))):
                found.append(f"{path} has {name}: core launches no kernel")
        if path.startswith("backends/acc/backends/cuda/"):
            for line in UNMARKED.findall(code):
                found.append(f"{path} has '{line.strip()}': a constexpr function has a mark, or is consteval")
        if path.startswith("backends/acc/backends/host/kernels/") and "Kokkos" in code:
            found.append(f"{path} names Kokkos: host/kernels/ is compiled without it")
    return found


# A line that must not stand in a file, and what is said of it.
PLANTED = [
    ("core/acc/core/order/terms.hpp", "#include <acc/backends/workspace.hpp>", "core includes nothing but core"),
    ("core/acc/core/eft.hpp", "#include <acc/sum.hpp>", "core includes nothing but core"),
    ("core/acc/core/numbers/ieee_number.hpp", "#include <acc/core/order/terms.hpp>", "may not include 'order'"),
    ("core/acc/core/exact/long_integer.hpp", "#include <acc/core/checks/check.hpp>", "may not include 'checks'"),
    ("core/acc/core/order/finish.hpp", "inline void f() { Kokkos::parallel_for(1, g); }", "core launches no kernel"),
    ("core/acc/core/method.hpp", "#if defined(KOKKOS_ENABLE_CUDA)\n#endif", "only dispatch.hpp names execution spaces"),
    ("backends/acc/backends/generic/reduce.hpp", "#include <acc/backends/host/reduce.hpp>", "'generic' includes 'host'"),
    ("backends/acc/backends/host/gemm.hpp", "#include <acc/backends/cuda/gemm.hpp>", "'host' includes 'cuda'"),
    ("backends/acc/backends/workspace.hpp", "#include <acc/backends/host/topology.hpp>", "'shared' includes 'host'"),
    ("backends/acc/backends/cuda/reduce.hpp", "using space = Kokkos::Cuda;", "only dispatch.hpp names execution spaces"),
    ("backends/acc/backends/cuda/gemv.hpp", "  static constexpr int f(int a) { return a; }", "has a mark, or is consteval"),
    ("backends/acc/backends/host/reduce.hpp", "#include <acc/impl/reduce.hpp>", "include core and backends alone"),
    ("backends/acc/backends/host/kernels/instruction_set.cpp", "#include <Kokkos_Core.hpp>", "compiled without it"),
    ("algorithms/acc/impl/reduce.hpp", "\n// Public header.\n", "and no others"),
    ("algorithms/acc/sum.hpp", "#include <acc/backends/cuda/reduce.hpp>", "algorithms include no machine's folder"),
    ("algorithms/acc/impl/gemm.hpp", "using space = Kokkos::Experimental::HIP;", "only dispatch.hpp names execution"),
]


def main():
    source = pathlib.Path(sys.argv[1])
    files = read(source)
    found = breaches(files)
    for breach in found:
        print(breach)
    if sys.argv[2:] == ["--breaches"]:
        missed = len(found)  # a breach of the tree itself would hide a planted one
        for path, line, why in PLANTED:
            planted = breaches({path: files[path] + "\n" + line + "\n"})
            if not any(why in breach and breach.startswith(path) for breach in planted):
                print(f"not found: '{line}' in {path}")
                missed += 1
            commented = {path: files[path] + "\n// " + line.replace("\n", "\n// ") + "\n"}
            if not line.lstrip().startswith("//") and breaches(commented):
                print(f"found in a comment: '{line}' in {path}")
                missed += 1
        print(f"{len(PLANTED)} breaches planted, {missed} problems")
        return missed != 0
    print(f"{len(files)} files, {len(found)} breaches")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
