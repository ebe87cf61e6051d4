#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ties the golden files to the bits version: no golden line of a version changes or goes.

usage: golden_lines.py SOURCE_DIR          checks, and prints what is wrong
       golden_lines.py SOURCE_DIR --add    records the lines that are new

unit_tests/golden/lines.sha256 has the bits version and a hash of each golden line. Of the same version
--add only adds hashes; with a raised acc::bits_version it writes all of them anew.
"""
import argparse
import hashlib
import pathlib
import re
import sys

VERSION = re.compile(r"# Bits version (\d+)\.")


class Refused(Exception):
    pass


def version_of(file, pattern=VERSION):
    found = pattern.search(file.read_text(encoding="utf-8"))
    if not found:
        raise Refused(f"{file} tells no bits version")
    return int(found.group(1))


class Tree:
    def __init__(self, source):
        self.golden = pathlib.Path(source) / "unit_tests" / "golden"
        self.record = self.golden / "lines.sha256"
        self.version = version_of(pathlib.Path(source) / "core/acc/core/config.hpp.in",
                                  re.compile(r"int bits_version = (\d+);"))
        self.recorded_version = version_of(self.record)

    def lines(self):
        """hash -> FILE/LINE of every golden line."""
        found = {}
        for file in sorted(self.golden.glob("*.txt")):
            if version_of(file) != self.version:
                raise Refused(f"{file.name} is of bits version {version_of(file)}, and acc::bits_version is "
                              f"{self.version}\nWhat to do: run the tests of devices with --update-golden.")
            for line in file.read_text(encoding="utf-8").splitlines():
                if line and not line.startswith("#"):
                    name = f"{file.stem}/{line}"
                    found[hashlib.sha256(name.encode()).hexdigest()[:16]] = name
        return found

    def recorded(self):
        text = self.record.read_text(encoding="utf-8")
        return {line for line in text.splitlines() if line and not line.startswith("#")}

    def new_lines(self, lines):
        """FILE/LINE of what is not recorded. Refuses, where what is recorded is no longer there."""
        recorded = self.recorded()
        lost = len(recorded - set(lines))
        new = sorted(name for key, name in lines.items() if key not in recorded)
        if lost > 0:
            raise Refused(
                f"{lost} golden lines of bits version {self.version} were changed or removed."
                + "".join(f"\n  now: {name}" for name in new[:10]) + "\nWhat to do: restore them, or raise "
                "acc::bits_version (core/acc/core/config.hpp.in; docs/releases.md says what else).")
        return new

    def check(self):
        if self.version != self.recorded_version:
            raise Refused(f"acc::bits_version is {self.version}, and {self.record.name} is of "
                          f"{self.recorded_version}\nWhat to do: golden_lines.py SOURCE_DIR --add")
        lines = self.lines()
        new = self.new_lines(lines)
        if new:
            raise Refused(f"{len(new)} golden lines are not recorded, as {new[0]}\n"
                          "What to do: golden_lines.py SOURCE_DIR --add")
        return f"{len(lines)} golden lines are those of bits version {self.version}"

    def add(self):
        if self.version < self.recorded_version:
            raise Refused(f"acc::bits_version was {self.recorded_version}; it only rises")
        lines = self.lines()
        if self.version == self.recorded_version:
            self.new_lines(lines)
        self.record.write_text(f"# Bits version {self.version}. The golden lines that it has promised; see "
                               "unit_tests/bits/golden_lines.py.\n"
                               + "".join(f"{key}\n" for key in sorted(lines)), encoding="utf-8")
        return f"{self.record}: {len(lines)} golden lines of bits version {self.version}"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("--add", action="store_true", help="record new lines")
    given = parser.parse_args(arguments)
    try:
        tree = Tree(given.source)
        print(tree.add() if given.add else tree.check())
    except (Refused, OSError) as why:
        print(f"acc: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
