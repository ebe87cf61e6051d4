# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of docs/bindings.md: each print gives what the comment beside it says."""

import pathlib
import re
import sys
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/bindings.md"


@unittest.skipUnless(PAGE.exists(), "the documents are not part of an sdist")
class Documented(unittest.TestCase):
    def test_programs_print_what_they_say(self):
        programs = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
        on_hosts = [text for text in programs if "cuda" not in text]
        self.assertGreaterEqual(len(on_hosts), 2)
        for text in on_hosts:
            lines = text.splitlines()
            compared = []

            def compare(*values):
                comment = re.search(r"\)\s+# (.*)$", lines[sys._getframe(1).f_lineno - 1])
                if comment:
                    compared.append(comment[1])
                    self.assertEqual(" ".join(map(str, values)), comment[1])

            exec(text, {"print": compare})
            self.assertTrue(compared)


if __name__ == "__main__":
    unittest.main()
