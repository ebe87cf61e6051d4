#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: operations.py ASSEMBLY...

Compares the floating-point operations of each kernel of operations.cpp, as hipcc compiled it, with those
that docs/arithmetic.md states. A kernel is a line of code without branches. Its instructions are carried
out with names in place of numbers. So each result is an expression, and must be the expected one: no
product is fused with a sum that is to be rounded by itself, none is left out, and none is added in another
order. It also checks that a kernel rounds to nearest and keeps subnormal numbers.
"""
import re
import struct
import sys

# -- Expressions: ("x", name), ("constant", text), ("add", e, e), ("mul", e, e), ("fma", e, e, e), ("neg", e).
# What is equal in every bit is written in one way: signs outside, operands in order.


def constant(x):
    bits, positive = struct.pack("<d", x), ("constant", repr(abs(float(x))))
    return neg(positive) if bits[7] & 128 else positive


def neg(a):
    return a[1] if a[0] == "neg" else ("neg", a)


def _sign(a):
    return (a[1], True) if a[0] == "neg" else (a, False)


def never_negative_zero(e):
    return e == constant(0) or e[0] == "add" and any(map(never_negative_zero, e[1:]))


def add(a, b):
    if ("neg", constant(0)) in (a, b):  # x + -0 is x, also where x is 0
        return a if b == ("neg", constant(0)) else b
    for p, q in ((a, b), (b, a)):  # p - p is 0 or NaN, of which a sign changes nothing but -0
        if never_negative_zero(p) and q[0] == "neg" and q[1] == ("add", *sorted([p, neg(p)], key=repr)):
            return add(p, q[1])
    return ("add", *sorted([a, b], key=repr))  # -a + -b is not -(a + b): where a is -b, that is -0


def sub(a, b):
    return add(a, neg(b))


def mul(a, b):
    (p, m), (q, n) = sorted([_sign(a), _sign(b)], key=repr)
    product = constant(0) if constant(0) in (p, q) and p[0] == q[0] == "constant" else ("mul", p, q)
    return neg(product) if m != n else product


def fma(a, b, c):
    (p, m), (q, n) = sorted([_sign(a), _sign(b)], key=repr)
    if m != n:
        p = neg(p)
    if constant(0) in (p, neg(p), q) and q[0] == "constant" == _sign(p)[0][0]:
        return add(mul(p, q), c)
    return ("fma", p, q, c)


def text(e):
    if e[0] in ("x", "constant"):
        return e[1]
    if e[0] == "neg":
        return "-" + text(e[1])
    return f"{e[0]}({', '.join(map(text, e[1:]))})"


# -- What docs/arithmetic.md states.


def two_sum(a, b):
    s = add(a, b)
    b_in_s = sub(s, a)
    return s, add(sub(a, sub(s, b_in_s)), sub(b, b_in_s))


def fast_two_sum(a, b):
    s = add(a, b)
    return s, sub(b, sub(s, a))


def two_prod(a, b):
    p = mul(a, b)
    return p, fma(a, b, neg(p))


def split(a, splitter):
    c = mul(splitter, a)
    high = sub(c, sub(c, a))
    return high, sub(a, high)


def two_prod_dekker(a, b, splitter):
    p = mul(a, b)
    (a1, a2), (b1, b2) = split(a, splitter), split(b, splitter)
    return p, sub(mul(a2, b2), sub(sub(sub(p, mul(a1, b1)), mul(a2, b1)), mul(a1, b2)))


def err_fma(a, b, c):
    value = fma(a, b, c)
    p, e = two_prod(a, b)
    low, low_error = two_sum(c, e)
    high, high_error = two_sum(p, low)
    return (value, *fast_two_sum(add(sub(high, value), high_error), low_error))


def pairs_sum(x, y):
    s, e = two_sum(x[0], y[0])
    t, f = two_sum(x[1], y[1])
    v, g = fast_two_sum(s, add(e, t))
    return fast_two_sum(v, add(f, g))


def double_word_plus(s, x):
    value, error = two_sum(s[0], x)
    return fast_two_sum(value, add(s[1], error))


def double_word_times(x, y):
    p, e = two_prod(x[0], y[0])
    t = fma(x[0], y[1], mul(x[1], y[1]))
    return fast_two_sum(p, add(e, fma(x[1], y[0], t)))


def compensated(s, rest, a, b):
    p, e = two_prod(a, b)
    value, error = two_sum(s, p)
    return value, add(rest, add(e, error))


def kahan(total, rest, strip):
    y = add(strip, rest)
    t = add(total, y)
    return t, add(sub(total, t), y)


def seeded(total, strip):
    t = add(total, strip)
    return t, sub(strip, sub(t, total))


def scaled_with_low(products):
    high = low = None
    for factor, h, l in products:
        p, e = two_prod(factor, h)
        rest = e if l is None else fma(factor, l, e)
        if high is None:
            high, low = p, rest
        else:
            high, error = two_sum(high, p)
            low = add(low, add(rest, error))
    return (add(high, sub(low, sub(low, low))),)


def expected(kind):
    """The results of each kernel."""
    a, b, c, d, e = (("x", n) for n in "abcde")
    zero, three, five = constant(0), constant(3), constant(5)
    splitter = constant(134217729 if kind == "double" else 4097)
    ab, cd, bc, de = mul(a, b), mul(c, d), mul(b, c), mul(d, e)
    p, pe = two_prod(a, b)
    return {
        "two_sum": two_sum(a, b),
        "two_sum_of_product": two_sum(ab, c),
        "two_sum_of_products": two_sum(ab, cd),
        "fast_two_sum_of_product": fast_two_sum(ab, c),
        "two_prod": two_prod(a, b),
        "two_prod_of_product": two_prod(ab, c),
        "two_prod_dekker": two_prod_dekker(a, b, splitter),
        "err_fma": err_fma(a, b, c),
        "err_fma_of_products": err_fma(a, bc, de),
        "sum_of_two_prod": (add(p, c), add(pe, c)),
        "plain_sum_of_product": (add(a, bc),),
        "double_word_of_product": double_word_plus((a, b), cd),
        "double_word_from_product": double_word_plus((ab, constant(-0.0)), c),
        "expansion_from_product": two_sum(ab, c),
        "expansion_add_product": compensated(a, b, c, d),
        "double_word_add_product": pairs_sum((a, b), two_prod(c, d)),
        "double_word_product": double_word_times((a, b), (c, d)),
        "plain_chain": (fma(d, e, fma(b, c, a)),),
        "compensated_chain": compensated(a, b, c, d),
        "blocked_strip": (add(a, fma(c, d, b)),),
        "kahan_strip": kahan(a, b, fma(d, e, c)),
        "seeded_strip": seeded(a, fma(c, d, b)),
        "alpha_beta": (fma(three, a, mul(five, b)),),
        "alpha_beta_with_low": scaled_with_low([(five, c, zero), (three, a, b)]),
        "combination": (fma(five, cd, mul(three, ab)),),
    }


# -- A kernel's instructions. A register of 32 bits holds ("int", bits), ("float", e), a half of a double,
# ("lo", e) or ("hi", e) (the sign, so that of ("lo", e) does not count), or ("pointer", half) to r.


class Unknown(Exception):
    pass


def registers(name):
    """Their names: v[2:3] is v2 and v3."""
    several = re.fullmatch(r"([sv])\[(\d+):(\d+)\]", name)
    if several:
        kind, first, last = several.groups()
        return [f"{kind}{i}" for i in range(int(first), int(last) + 1)]
    if re.fullmatch(r"[sv]\d+", name):
        return [name]
    raise Unknown(f"no register: {name}")


def inline_bits(operand):
    """The 32 bits of a constant, of a double the upper ones."""
    if operand.startswith("0x"):
        return int(operand, 16)
    if re.fullmatch(r"-?\d+", operand):
        return int(operand) & 0xFFFFFFFF
    return None


class Kernel:
    def __init__(self, kind):
        self.double = kind == "double"
        self.value = {}
        self.base = None
        self.results = {}

    # Operands

    def word(self, operand):
        if inline_bits(operand) is not None:
            return ("int", inline_bits(operand))
        if re.fullmatch(r"-?\d+\.\d+", operand):
            return ("int", struct.unpack("<I", struct.pack("<f", float(operand)))[0])
        (name,) = registers(operand)
        if name not in self.value:
            raise Unknown(f"{name} has no value")
        return self.value[name]

    @staticmethod
    def as_float(word):
        if word[0] == "float":
            return word[1]
        if word[0] == "int":
            return constant(struct.unpack("<f", struct.pack("<I", word[1]))[0])
        raise Unknown(f"no float: {word}")

    @staticmethod
    def as_double(low, high):
        if low[0] == "lo" and high[0] == "hi" and low[1] == _sign(high[1])[0]:
            return high[1]
        if low[0] == high[0] == "int":
            return constant(struct.unpack("<d", struct.pack("<II", low[1], high[1]))[0])
        raise Unknown(f"no double: {low}, {high}")

    def number(self, operand, double):
        if operand.startswith("-") and operand[1] in "sv":
            return neg(self.number(operand[1:], double))
        if operand[0] in "sv":
            words = [self.value.get(name, ("nothing",)) for name in registers(operand)]
            return self.as_double(*words) if double else self.as_float(*words)
        bits = inline_bits(operand)
        if bits is None:
            return constant(float(operand))
        if operand.startswith("0x"):
            return self.as_double(("int", 0), ("int", bits)) if double else self.as_float(("int", bits))
        if bits == 0:
            return constant(0)
        raise Unknown(f"no number: {operand}")

    def halves(self, operand):
        """A packed operand's two words, or a constant's."""
        if operand[0] in "sv":
            return [self.value.get(name, ("nothing",)) for name in registers(operand)]
        raise Unknown(f"packed constant {operand}")

    def set(self, destination, e, double):
        names = registers(destination)
        if double:
            self.value[names[0]], self.value[names[1]] = ("lo", _sign(e)[0]), ("hi", e)
        else:
            (name,) = names
            self.value[name] = ("float", e)

    # Instructions

    def argument(self, word):
        """The word of the kernel's arguments: r, then the numbers."""
        if word < 2:
            return ("pointer", word)
        if not self.double:
            return ("float", ("x", "abcde"[word - 2]))
        x = ("x", "abcde"[word // 2 - 1])
        return ("hi", x) if word % 2 else ("lo", x)

    def load(self, destination, base, offset):
        if self.base not in (None, base) or any(name in self.value for name in registers(base)):
            raise Unknown("a load from elsewhere")
        self.base = base
        for i, name in enumerate(registers(destination)):
            word = int(offset, 0) // 4 + i
            if word < 12 or not self.double:
                try:
                    self.value[name] = self.argument(word)
                except IndexError:  # an aligned load may read on
                    self.value.pop(name, None)
        if self.base and any(name in self.value for name in registers(self.base)):
            self.base = "overwritten"

    def store(self, address, data, base, offset):
        if self.word(address) != ("int", 0) or [self.value[n] for n in registers(base)] != [
                ("pointer", 0), ("pointer", 1)]:
            raise Unknown("a store to elsewhere")
        words = [self.value[name] for name in registers(data)]
        size = 8 if self.double else 4
        for i in range(len(words) * 4 // size):
            e = self.as_double(*words[2 * i:2 * i + 2]) if self.double else self.as_float(words[i])
            self.results[offset // size + i] = e

    def packed(self, operation, destination, operands, modifiers):
        count = len(operands)
        select = {"op_sel": [0] * count, "op_sel_hi": [1] * count, "neg_lo": [0] * count, "neg_hi": [0] * count}
        for name, values in re.findall(r"(\w+):\[([01,]+)\]", modifiers):
            select[name] = [int(v) for v in values.split(",")]
        words = [self.halves(o) for o in operands]
        results = []
        for chosen, negated in (("op_sel", "neg_lo"), ("op_sel_hi", "neg_hi")):
            numbers = [self.as_float(w[s]) for w, s in zip(words, select[chosen])]
            results.append(operation(*[neg(x) if n else x for x, n in zip(numbers, select[negated])]))
        for name, e in zip(registers(destination), results):
            self.value[name] = ("float", e)

    def step(self, instruction, operands, modifiers):
        name = re.sub(r"_e(32|64)$", "", instruction)
        arithmetic = {"add": add, "sub": sub, "subrev": lambda a, b: sub(b, a), "mul": mul, "fma": fma}
        if name in ("s_waitcnt", "s_nop", "s_endpgm"):
            return
        if name.startswith("s_load_dword"):
            return self.load(*operands)
        if name in ("v_mov_b32", "s_mov_b32"):
            self.value[registers(operands[0])[0]] = self.word(operands[1])
            return
        if name in ("v_mov_b64", "s_mov_b64") and operands[1][0] in "sv":
            words = [self.value[n] for n in registers(operands[1])]
            self.value.update(zip(registers(operands[0]), words))
            return
        if name in ("v_mov_b64", "s_mov_b64") and operands[1] == "0":
            self.value.update((n, ("int", 0)) for n in registers(operands[0]))
            return
        if name in ("s_brev_b32", "v_bfrev_b32"):
            self.value[operands[0]] = ("int", int(f"{inline_bits(operands[1]):032b}"[::-1], 2))
            return
        if name == "v_pk_mov_b32":
            chosen = re.search(r"op_sel:\[([01]),([01])\]", modifiers)
            words = [self.halves(o)[int(c)] for o, c in zip(operands[1:], chosen.groups())]
            self.value.update(zip(registers(operands[0]), words))
            return
        if name == "v_xor_b32" and "0x80000000" in operands[1:]:
            (other,) = [o for o in operands[1:] if o != "0x80000000"]
            word = self.word(other)
            if word[0] not in ("float", "hi"):
                raise Unknown(f"the sign of {word}")
            self.value[operands[0]] = (word[0], neg(word[1]))
            return
        match = re.fullmatch(r"global_store_dword(x[234])?", name)
        if match:
            offset = re.search(r"offset:(\d+)", modifiers)
            return self.store(*operands, int(offset.group(1)) if offset else 0)
        match = re.fullmatch(r"v_(pk_)?(\w+)_f(32|64)", name)
        if match and not re.search(r"\||clamp|mul:|div:|abs", " ".join(operands) + modifiers):
            packed, operation, size = match.groups()
            double = size == "64"
            if operation == "fmac" and not packed:
                operation, operands = "fma", [*operands, operands[0]]
            if operation == "fmamk":
                operation, operands = "fma", operands
            if operation == "fmaak":
                operation = "fma"
            if operation in arithmetic:
                if packed:
                    return self.packed(arithmetic[operation], operands[0], operands[1:], modifiers)
                numbers = [self.number(o, double) for o in operands[1:]]
                return self.set(operands[0], arithmetic[operation](*numbers), double)
        raise Unknown("no instruction of ours")


def run(kind, lines):
    kernel = Kernel(kind)
    for line in lines:
        instruction, _, rest = line.partition(" ")
        modifiers = re.search(r"( (op_sel|op_sel_hi|neg_lo|neg_hi|offset|clamp|mul|div)\b.*)?$", rest).group(0)
        operands = [o.strip() for o in rest[:len(rest) - len(modifiers)].split(",")]
        try:
            kernel.step(instruction, operands, modifiers)
        except (Unknown, KeyError, TypeError) as problem:
            raise Unknown(f"{line}: {problem}") from problem
    return tuple(kernel.results[i] for i in sorted(kernel.results))


def kernels(assembly):
    """Name, lines and mode of each kernel."""
    for name in re.findall(r"^\s*\.amdhsa_kernel (\w+)$", assembly, re.M):
        body = re.search(rf"^{name}:.*?\ts_endpgm", assembly, re.M | re.S).group(0)
        lines = [re.sub(r"\s+", " ", line.split(";")[0]).strip() for line in body.splitlines()[1:]]
        mode = re.search(rf"\.amdhsa_kernel {name}\n(.*?)\.end_amdhsa_kernel", assembly, re.S).group(1)
        yield name, [line for line in lines if line], dict(re.findall(r"\.amdhsa_(float_\w+) (\d+)", mode))


# Rounds to nearest; keeps subnormal numbers, read and written.
MODE = {"float_round_mode_32": "0", "float_round_mode_16_64": "0", "float_denorm_mode_32": "3",
        "float_denorm_mode_16_64": "3"}


def check(file):
    with open(file, encoding="utf-8") as text_of_file:
        assembly = text_of_file.read()
    wrong = []
    wanted = {(name, kind) for kind in ("double", "float") for name in expected(kind)}
    for kernel, lines, mode in kernels(assembly):
        name, _, kind = kernel.rpartition("_")
        if (name, kind) not in wanted:  # Kokkos's own
            continue
        wanted.discard((name, kind))
        if mode != MODE:
            wrong.append(f"{kernel}: the mode is {mode}, not {MODE}")
        try:
            found = run(kind, lines)
        except Unknown as problem:
            wrong.append(f"{kernel}: cannot be read: {problem}")
            continue
        results = expected(kind)[name]
        if found != results:
            wrong.append(f"{kernel}: is\n    " + "\n    ".join(map(text, found)) + "\n  not\n    " +
                         "\n    ".join(map(text, results)))
    wrong += [f"{name}_{kind}: no such kernel" for name, kind in sorted(wanted)]
    return wrong


def main(files):
    if not files:
        sys.exit(__doc__)
    failed = False
    for file in files:
        wrong = check(file)
        print(f"{file}: " + (f"{len(wrong)} kernels have other operations" if wrong else
                             f"{2 * len(expected('double'))} kernels have the operations of docs/arithmetic.md"))
        for line in wrong:
            print(line)
        failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
