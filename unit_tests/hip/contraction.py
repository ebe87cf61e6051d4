#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: contraction.py ASSEMBLY OTHER_ASSEMBLY

Compares how many additions, multiplications and FMAs each function has in two compilations of the same
calls, one with -ffp-contract=off, the other with -ffp-contract=fast. If the counts are the same, the
compiler had no product and sum left to contract: an operation that decides a bit is written so that it
cannot be (core/acc/core/eft.hpp).
"""
import collections
import re
import sys

INSTRUCTION = re.compile(r"^\tv_(?:pk_)?(add|sub|subrev|mul|fma|fmac|fmamk|fmaak|mad|mac)(?:_mix(?:lo|hi)?)?_f(?:16|32|64)")
FUNCTION = re.compile(r"^([A-Za-z_$][\w$.]*):")
KIND = {"subrev": "add", "sub": "add", "fmac": "fma", "fmamk": "fma", "fmaak": "fma", "mad": "fma", "mac": "fma"}


def counts(file):
    """Function -> how many of each operation."""
    functions, name = {}, None
    with open(file, encoding="utf-8") as assembly:
        for line in assembly:
            label = FUNCTION.match(line)
            if label and not label.group(1).startswith((".L", "__hip_cuid")):
                name = label.group(1)
                functions[name] = collections.Counter()
            operation = INSTRUCTION.match(line)
            if operation and name:
                functions[name][KIND.get(operation.group(1), operation.group(1))] += 1
    return functions


def main(files):
    if len(files) != 2:
        sys.exit(__doc__)
    first, second = map(counts, files)
    wrong = [f"{name}: only in one" for name in sorted(first.keys() ^ second.keys())]
    wrong += [f"{name}: {dict(first[name])} and {dict(second[name])}"
              for name in sorted(first.keys() & second.keys()) if first[name] != second[name]]
    for line in wrong:
        print(line)
    total = sum(second.values(), collections.Counter())
    print(f"{len(second)} functions with {dict(total)}: " + (f"{len(wrong)} differ" if wrong else "the same in both"))
    return 1 if wrong or not total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
