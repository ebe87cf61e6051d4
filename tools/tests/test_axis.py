#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what `acc sum --axis` prints and writes with rational arithmetic, bit by bit.

usage: test_axis.py ACC
"""
import ast
import fractions
import itertools
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from test_stats import TYPES, rounded

Fraction = fractions.Fraction


def at(shape, index, fortran):
    """Where an element lies in memory."""
    place = 0
    for d in reversed(range(len(shape))) if fortran else range(len(shape)):
        place = place * shape[d] + index[d]
    return place


def write_npy(path, shape, fortran, letter, numbers):
    text = "{'descr': '<f%d', 'fortran_order': %s, 'shape': (%s,), }" % (
        struct.calcsize(letter), fortran, ", ".join(map(str, shape)))
    text += " " * (-(len(text) + 11) % 64) + "\n"
    data = struct.pack("<%d%s" % (len(numbers), letter), *numbers)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data)


def read_npy(path, letter):
    data = path.read_bytes()
    (length,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode())
    body = data[10 + length:]
    return header, struct.unpack("<%d%s" % (len(body) // struct.calcsize(letter), letter), body)


def as_type(x, letter):
    return struct.unpack("<" + letter, struct.pack("<" + letter, x))[0]


def same(got, want):
    return struct.pack("<%dd" % len(got), *got) == struct.pack("<%dd" % len(want), *want)


def main():
    acc = sys.argv[1]
    source = random.Random(5)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        x, r = pathlib.Path(folder, "x.npy"), pathlib.Path(folder, "r.npy")
        shapes = [(3, 4), (1, 7), (40, 3), (3, 4, 5), (2, 1, 30), (2, 3, 4, 5), (2, 2, 3, 2, 3), (0, 3), (3, 0)]
        for shape, fortran, name in itertools.product(shapes, (False, True), TYPES):
            letter = TYPES[name][2]
            n = 1
            for extent in shape:
                n *= extent
            numbers = [as_type(source.uniform(-1, 1) * 2.0 ** source.randint(-60, 60), letter) for _ in range(n)]
            write_npy(x, shape, fortran, letter, numbers)
            axis = source.randrange(-len(shape), len(shape))
            rest = [e for d, e in enumerate(shape) if d != axis % len(shape)]
            want = []
            for index in itertools.product(*map(range, rest)):
                line = [index[:axis % len(shape)] + (k,) + index[axis % len(shape):] for k in range(shape[axis])]
                want.append(rounded(sum((Fraction(numbers[at(shape, i, fortran)]) for i in line), Fraction(0)), name))
            command = [acc, "sum", "--axis", str(axis), "--method", "exact", "--no-progress", str(x)]
            printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode().split()
            # A float's shortest decimal is that of a float: it is rounded as one.
            got = [as_type(float(v), letter) for v in printed]
            subprocess.run(command + ["-o", str(r)], check=True)
            header, written = read_npy(r, letter)
            in_file = [written[at(rest, i, header["fortran_order"])] for i in itertools.product(*map(range, rest))]
            if not same(got, want) or not same(in_file, want) or list(header["shape"]) != rest:
                print("FAILED:", name, shape, "fortran" if fortran else "c", "axis", axis, got, in_file, want)
                failures += 1
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
