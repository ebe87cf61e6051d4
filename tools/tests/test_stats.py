#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what `acc stats` prints with rational arithmetic, bit by bit.

usage: test_stats.py ACC
"""
import fractions
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

Fraction = fractions.Fraction
# name: significant bits, exponent of the least number, struct's letter
TYPES = {"float32": (24, -149, "f"), "float64": (53, -1074, "d")}


def rounded(x, type_name):
    """The number of the type that is nearest to the fraction x, ties to even, as a Python float."""
    bits, least, _ = TYPES[type_name]
    if x == 0:
        return 0.0
    n, d = abs(x.numerator), x.denominator
    # 2^(e - 1) < |x| < 2^(e + 1): one of two exponents
    e = n.bit_length() - d.bit_length()
    if Fraction(n, d) < Fraction(2) ** e:
        e -= 1
    spacing = max(e - bits + 1, least)
    m = round(abs(x) / Fraction(2) ** spacing)  # ties to even
    largest_exponent = 2 - least - bits  # of a leading bit
    if m.bit_length() - 1 + spacing > largest_exponent:
        return math.inf if x > 0 else -math.inf
    value = math.ldexp(m, spacing)
    return value if x > 0 else -value


def expected(numbers, ddof, type_name):
    """Of finite numbers: the report's sum, mean and variance."""
    exact = [Fraction(v) for v in numbers]
    n, total = len(exact), sum(exact, Fraction(0))
    all_minus_zero = n > 0 and all(v == 0 and math.copysign(1, v) < 0 for v in numbers)
    zero = -0.0 if all_minus_zero else 0.0
    result = {"sum": rounded(total, type_name) if total else zero, "mean": math.nan, "variance": math.nan}
    if n > 0:
        result["mean"] = rounded(total / n, type_name) if total else zero
    if n > ddof:
        mean = total / n
        result["variance"] = rounded(sum(((v - mean) ** 2 for v in exact), Fraction(0)) / (n - ddof), type_name)
    return result


def same(a, b):
    return struct.pack("<d", a) == struct.pack("<d", b) or (math.isnan(a) and math.isnan(b))


class Report:
    def __init__(self, text):
        self.number, self.line = {}, {}
        label = None
        for line in text.splitlines():
            name, value = line[:12].strip(), line[12:]
            if name:
                self.line[name], label = value, name
            else:
                self.number[label] = float.fromhex(value)


def npy(numbers, letter, order="<"):
    header = "{'descr': '%sf%d', 'fortran_order': False, 'shape': (%d,), }" % (
        order, struct.calcsize(letter), len(numbers))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(order + str(len(numbers)) + letter, *numbers))


def data_sets(type_name, rng):
    bits, least, letter = TYPES[type_name]
    largest = math.ldexp(2 ** bits - 1, 3 - least - 2 * bits)
    assert struct.unpack(letter, struct.pack(letter, largest)) == (largest,)

    def number(low, high):
        """Any sign, all bits, an exponent of the leading bit from low to high."""
        e = rng.randint(low, high)
        return rounded(Fraction(rng.randint(2 ** (bits - 1), 2 ** bits - 1) * rng.choice((-1, 1)))
                       * Fraction(2) ** (e - bits + 1), type_name)

    highest = 1 - least - bits  # half of the largest exponent's numbers
    wide = [number(least + bits, highest - 12) for _ in range(300)]
    return {
        "one": [number(0, 0)],
        "two": [number(0, 3), number(0, 3)],
        "three": [number(-2, 2) for _ in range(3)],
        "near one": [number(0, 0) for _ in range(400)],
        # enough for many teams of threads
        "many": [number(-8, 8) for _ in range(20000)],
        "all exponents": wide,
        "half the exponents": [number(least // 2, highest // 2 - 6) for _ in range(300)],
        # the variance is subnormal
        "small": [number(least // 2, least // 2 + 3) for _ in range(5)],
        # the sum and the mean are what is left of numbers that cancel
        "cancelling": wide + [-v for v in wide] + [number(least + bits, 0)],
        # one pass in the type loses all of the variance
        "offset": [math.ldexp(1.0, bits - 2) + i % 3 for i in range(500)],
        "subnormal": [math.ldexp(rng.randint(-40, 40), least) for _ in range(99)],
        # the mean is finite, the sum is not; and squares overflow
        "large": [largest, largest, largest / 2],
        "larger": [largest, -largest, largest, 1.0],
        "constant": [number(-3, 3)] * 77,
        "zeros": [0.0, -0.0, -0.0],
        "minus zeros": [-0.0, -0.0],
        "none": [],
    }


def main():
    acc = sys.argv[1]
    failures = calls = 0
    for value in [Fraction(1, 3), Fraction(2 ** 54 + 1), Fraction(2 ** 54 + 2), Fraction(2 ** 54 + 6),
                  Fraction(3, 2 ** 1076), Fraction(-1, 2 ** 1075), Fraction(2 ** 1024 - 2 ** 970 - 1)]:
        assert same(rounded(value, "float64"), float(value)), value
    assert rounded(Fraction(2 ** 1024 - 2 ** 970), "float64") == math.inf

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def check(what, numbers, type_name, ddof, arguments, stdin=""):
            nonlocal failures, calls
            calls += 1
            if ddof is not None:
                arguments = arguments + ["--ddof", str(ddof)]
            done = subprocess.run([acc, "stats"] + arguments, cwd=folder, input=stdin, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, universal_newlines=True)
            wrong = []
            if done.returncode != 0 or done.stderr:
                wrong.append("status %d: %s" % (done.returncode, done.stderr))
            else:
                report = Report(done.stdout)
                if report.line["count"] != "%d %s" % (len(numbers), type_name):
                    wrong.append("count " + report.line["count"])
                if report.line["ddof"] != str(ddof or 0):
                    wrong.append("ddof " + report.line["ddof"])
                for label, value in expected(numbers, ddof or 0, type_name).items():
                    if not same(report.number[label], value):
                        wrong.append("%s %s, not %s" % (label, report.number[label].hex(), value.hex()))
                    # the decimal line reads back as the same number
                    decimal = float(report.line[label])
                    if math.isfinite(decimal) and decimal != 0:
                        decimal = rounded(Fraction(report.line[label]), type_name)
                    if not same(decimal, value):
                        wrong.append("%s %s, not %s" % (label, report.line[label], value))
            for text in wrong:
                print("FAILED: %s, %s: acc stats %s: %s" % (what, type_name, " ".join(arguments), text))
            failures += len(wrong)

        rng = random.Random(1)
        for type_name, (_, _, letter) in TYPES.items():
            for what, numbers in data_sets(type_name, rng).items():
                n = len(numbers)
                text_type = ["--type", "f32"] if type_name == "float32" else []
                (folder / "x.npy").write_bytes(npy(numbers, letter))
                for ddof in sorted({0, 1, max(n - 1, 0), n, n + 1}):
                    check(what, numbers, type_name, ddof, ["x.npy"])
                # Without --ddof; as text, from standard input, on one thread.
                text = " ".join(v.hex() for v in numbers)
                check(what, numbers, type_name, None, ["-", "--threads", "1"] + text_type, text)
                # Another order in files of unequal lengths, one of them empty, of two formats.
                shuffled = rng.sample(numbers, n)
                a, b = n // 7, n // 2
                (folder / "a.txt").write_text(", ".join(v.hex() for v in shuffled[:a]) + "# none\n")
                (folder / "b.txt").write_text("\n".join(v.hex() for v in shuffled[a:b]))
                (folder / "empty.txt").write_text("")
                rest = " ".join(v.hex() for v in shuffled[b:])
                check(what, numbers, type_name, 1, ["a.txt", "empty.txt", "-", "b.txt"] + text_type, rest)
                if not text_type:
                    (folder / "c.npy").write_bytes(npy(shuffled[b:], letter, ">"))
                    check(what, numbers, type_name, 1, ["c.npy", "b.txt", "a.txt"])
    print("%d calls, %d failures" % (calls, failures))
    return 1 if failures or calls < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
