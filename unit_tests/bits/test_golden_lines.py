#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""golden_lines.py on copies of this tree's golden files: what it must notice, and what it must allow.

usage: test_golden_lines.py SOURCE_DIR [unittest's options]
"""
import contextlib
import io
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import golden_lines

SOURCE = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
CONFIG = "core/acc/core/config.hpp.in"


class GoldenLines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        self.golden = self.tree / "unit_tests" / "golden"
        shutil.copytree(str(SOURCE / "unit_tests" / "golden"), str(self.golden))
        (self.tree / CONFIG).parent.mkdir(parents=True)
        shutil.copy(str(SOURCE / CONFIG), str(self.tree / CONFIG))

    def run_tool(self, *options):
        """Its exit status and what it says."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = golden_lines.main([str(self.tree), *options])
        return status, said.getvalue()

    def expect(self, status, *options, saying=""):
        got, said = self.run_tool(*options)
        self.assertEqual(got, status, said)
        self.assertIn(saying, said)

    def edit(self, file, change):
        path = self.tree / file
        path.write_text(change(path.read_text()))

    def change_a_bit(self):
        """The last digit of the last line of sum.txt."""
        self.edit("unit_tests/golden/sum.txt",
                  lambda text: text[:-2] + ("0" if text[-2] != "0" else "1") + text[-1])

    def set_version(self, version, files=True):
        self.edit(CONFIG, lambda text: re.sub(r"(bits_version = )\d+", rf"\g<1>{version}", text))
        for path in self.golden.glob("*.txt") if files else ():
            path.write_text(re.sub(r"(Bits version )\d+", rf"\g<1>{version}", path.read_text()))

    def version(self):
        return golden_lines.Tree(self.tree).version

    def test_this_tree(self):
        self.expect(0)

    def test_a_changed_bit(self):
        self.change_a_bit()
        self.expect(1, saying="1 golden lines")
        self.expect(1, "--add", saying="raise acc::bits_version")
        self.expect(1)

    def test_a_removed_line(self):
        self.edit("unit_tests/golden/gemm.txt", lambda text: text[:text.rindex("\n", 0, -1) + 1])
        self.expect(1, saying="changed or removed")
        self.expect(1, "--add", saying="changed or removed")

    def test_a_removed_file(self):
        (self.golden / "norms.txt").unlink()
        self.expect(1, "--add", saying="changed or removed")

    def test_a_renamed_case(self):
        self.edit("unit_tests/golden/sum.txt", lambda text: text.replace("exact ", "right ", 1))
        self.expect(1, "--add", saying="changed or removed")

    def test_bits_that_change_places(self):
        first, second = (self.golden / "norms.txt").read_text().splitlines()[1:3]
        (a, x), (b, y) = first.split(": "), second.split(": ")
        self.edit("unit_tests/golden/norms.txt",
                  lambda text: text.replace(first, f"{a}: {y}").replace(second, f"{b}: {x}"))
        self.expect(1, "--add", saying="2 golden lines")

    def test_an_added_line(self):
        self.edit("unit_tests/golden/sum.txt", lambda text: text + "new: 3ff0000000000000\n")
        self.expect(1, saying="not recorded")
        self.expect(0, "--add")
        self.expect(0)
        self.edit("unit_tests/golden/sum.txt", lambda text: text.replace("new: 3ff0", "new: 3ff1"))
        self.expect(1, "--add", saying="changed or removed")

    def test_a_raised_version(self):
        self.change_a_bit()
        self.set_version(self.version() + 1)
        self.expect(1, saying="--add")
        self.expect(0, "--add")
        self.expect(0)

    def test_a_version_that_was_raised_in_one_place(self):
        self.set_version(self.version() + 1, files=False)
        self.expect(1)
        self.expect(1, "--add", saying="--update-golden")

    def test_a_version_that_falls(self):
        self.change_a_bit()
        self.set_version(self.version() - 1)
        self.expect(1)
        self.expect(1, "--add", saying="only rises")

    def test_without_a_record(self):
        (self.golden / "lines.sha256").unlink()
        self.expect(1, saying="lines.sha256")
        self.expect(1, "--add", saying="lines.sha256")


if __name__ == "__main__":
    unittest.main()
