#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of acc_bits.py: what it says and its exit status, over recordings made here."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

script = pathlib.Path(__file__).resolve().parent / "acc_bits.py"
sys.dont_write_bytecode = True  # the source tree may be read-only
sys.path.insert(0, str(script.parent))
import acc_bits

one, above_one, minus_one = "3ff0000000000000", "3ff0000000000001", "bff0000000000000"
digest, other_digest = "#00112233445566aa", "#00112233445566ab"


def recording(results, **changed):
    told = {"acc": "0.1.0", "bits_version": "1", "kokkos": "5.0.0", "compiler": "GCC 16",
            "space": "Serial", "concurrency": "1", "device": "host"}
    return {**told, **changed, "results": results}


def content(*recordings, **changed):
    return {"acc_bits": 1, "host": "node1", "recordings": list(recordings), **changed}


class Bits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def run_it(self, *arguments):
        done = subprocess.run([sys.executable, str(script), *map(str, arguments)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout, done.stderr

    def diff(self, *contents, options=()):
        """Of files that hold these, or the JSON of these."""
        files = []
        for i, text in enumerate(contents):
            files.append(self.path / f"{i}.json")
            text = text if isinstance(text, (str, bytes)) else json.dumps(text)
            files[-1].write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.run_it("diff", *options, *files)

    def check_rows(self, a, b, *rows):
        """diff of results a and b, here and there, prints these rows and no more."""
        status, out, _ = self.diff(content(recording(a)), content(recording(b), host="node2"))
        self.assertEqual(status, 1)
        self.assertIn(f"{len(rows)} differences:", out)
        found = [line.split() for line in out.splitlines() if line.startswith("   ")][2:]
        self.assertEqual(found, [row.split() for row in rows])

    def test_equal(self):
        results = {"sum/x": one, "gemm/y": f"{one} {minus_one} {digest}"}
        status, out, _ = self.diff(content(recording(results)),
                                   content(recording(results, space="Cuda", kokkos="4.7.1")))
        self.assertEqual(status, 0)
        self.assertIn("the same bits: 2 results, 2 times", out)

    def test_what_differs(self):
        same = {"same": one}
        self.check_rows({"x": one, **same}, {"x": above_one, **same}, f"x {one} {above_one} 1")
        self.check_rows({"x": f"{one} {one}"}, {"x": f"{one} {minus_one}"},
                        f"x [1] {one} {minus_one} {2 * int(one, 16)}")
        self.check_rows({"x": f"{one} {digest}"}, {"x": f"{one} {other_digest}"},
                        f"x [1] {digest} {other_digest} -")
        self.check_rows({"x": one}, {"x": f"{one} {one}"}, f"x {one} {one} {one} -")
        self.check_rows({"x": one, **same}, same, "x present missing -")
        self.check_rows(same, {"x": one, **same}, "x missing present -")

    def test_ulps(self):
        for a, b, distance in [
            ("00000001", "80000001", "2"), ("00000000", "80000000", "0"), ("007fffff", "00800000", "1"),
            ("7f7fffff", "7f800000", "not finite"), ("7ff8000000000000", one, "not finite"),
            ("7fefffffffffffff", "ffefffffffffffff", str(2 * 0x7fefffffffffffff)),
        ]:
            self.assertEqual(acc_bits.ulps(a, b), distance, (a, b))
            self.assertEqual(acc_bits.ulps(b, a), distance, (b, a))

    def test_two_in_one_file(self):
        status, out, _ = self.diff(content(recording({"x": one}), recording({"x": above_one})))
        self.assertEqual(status, 1)
        self.assertIn(above_one, out)

    def test_long_table(self):
        a, b = ({f"x{i}": x for i in range(100)} for x in (one, above_one))
        _, out, _ = self.diff(content(recording(a)), content(recording(b)))
        self.assertIn("and 60 more", out)

    def test_refused(self):
        good = content(recording({"x": one}))
        for bad, message in [
            (content(recording({"x": one}, bits_version="2")), "bits versions"),
            ("{", "is not JSON"), (b"\xff", "is not JSON"), ("[" * 200000, "is not JSON"),
            ('{"x": 1, "x": 2}', "names twice: 'x'"),
            ("[]", "was not written by acc-bits record"), ({}, "was not written by acc-bits record"),
            ({**good, "acc_bits": 2}, "has format 2; this acc-bits reads 1"),
            (content(), "holds no recordings"), (content(skipped=[1]), "no list of texts"), (content("x"), "without results"),
            (content({"results": {"x": one}}), "does not tell its acc"),
            (content(recording({})), "of no results"),
            (content(recording({"x": 1})), "'x' is not hexadecimal bits: 1"),
            (content(recording({"x": one[1:]})), "is not hexadecimal"),
            (content(recording({"x": one.upper()})), "is not hexadecimal"),
        ]:
            status, out, error = self.diff(good, bad)
            self.assertEqual((status, out), (2, ""), message)
            self.assertIn(message, error)
            self.assertTrue(error.startswith("acc-bits: "), error)
        self.assertEqual(self.diff(good)[0], 2)
        self.assertEqual(self.run_it("diff", "--most", "-1", "a", "b")[0], 2)
        self.assertIn("cannot be read", self.run_it("diff", self.path / "none")[2])

    def test_written_by_a_program(self):
        def lines(results, **changed):
            told = {key: value for key, value in recording({}, **changed).items() if key != "results"}
            return "".join(f"{key}: {value}\n" for key, value in told.items()) + "\n" + results

        def solver(bits):
            return f"cg 0: {one}\ncg 1: {bits}\n"

        status, out, _ = self.diff(lines(solver(one)), lines(solver(one), space="Cuda"))
        self.assertEqual(status, 0)
        self.assertIn("the same bits: 2 results, 2 times", out)
        status, out, _ = self.diff(lines(solver(one)), lines(solver(above_one), concurrency="4"))
        self.assertEqual(status, 1)
        self.assertIn(f"cg 1    {one}  {above_one}  1", out)
        self.assertIn("concurrency 4", out)
        status, out, _ = self.diff(lines(solver(one)), lines(f"cg 0: {one}\n"))  # it stopped earlier
        self.assertEqual(status, 1)
        self.assertIn("missing", out)
        self.assertEqual(self.diff(lines(solver(one)), content(recording({"cg 0": one, "cg 1": one})))[0], 0)
        for bad, message in [(lines(""), "of no results"), (lines("cg 0\n"), "not 'name: value'"),
                             (lines(f"cg 0: {one}\ncg 0: {one}\n"), "names twice: 'cg 0'"),
                             ("acc: 0.1.0\n\nx: 0\n", "tell its bits_version"),
                             (lines("cg 0: 1.5\n"), "is not hexadecimal")]:
            status, out, error = self.diff(lines(solver(one)), bad)
            self.assertEqual((status, out), (2, ""), message)
            self.assertIn(message, error)

    def test_too_few_to_compare(self):
        one_alone = content(recording({"x": one}))
        none = content(skipped=["program: skipped: this processor has no avx2"])
        for contents, found in [([one_alone], "one recording"), ([none, none], "no recordings"),
                                ([one_alone, none], "one recording")]:
            status, _, error = self.diff(*contents)
            self.assertEqual(status, 2)
            self.assertIn(f"holds {found}: there is nothing to compare", error)
            status, out, error = self.diff(*contents, options=["--or-skip"])
            self.assertEqual((status, error), (77, ""))
            self.assertIn(f"skipped: {found} in ", out)
        status, out, _ = self.diff(one_alone, none, one_alone)
        self.assertEqual(status, 0)
        self.assertIn("1.json: program: skipped: this processor has no avx2\n", out)
        self.assertIn("the same bits: 1 results, 2 times", out)

    def record(self, lines, status=0, *options):
        """By a program that writes these lines and ends so."""
        program = self.path / "program"
        program.write_text(f"#!{sys.executable}\nimport sys\nprint('spoke')\n"
                           f"open(sys.argv[-1].split('=')[1], 'w').write({lines!r})\n"
                           f"sys.exit({status})\n")
        program.chmod(0o755)
        return self.run_it("record", program, *options)

    def test_record(self):
        head = "".join(f"{key}: v\n" for key in acc_bits.told)
        lines = f"{head}\nsum/x: {one} {digest}\n"
        status, out, _ = self.record(lines)
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(out)["recordings"][0]["results"], {"sum/x": f"{one} {digest}"})
        self.assertEqual(self.diff(out, out)[0], 0)
        self.assertEqual(self.record(lines, 0, "--output", self.path / "file")[:2], (0, ""))
        self.assertEqual((self.path / "file").read_text(), out)
        status, _, error = self.record(lines, 0, "--output", self.path)
        self.assertEqual(status, 2)
        self.assertIn("cannot be written", error)
        for lines, program_status, message in [(f"{head}\nx: {one}\n", 3, "status 3:\nspoke"),
                                               (f"{head}\nx\n", 0, "not 'name: value'"),
                                               (head, 0, "of no results"),
                                               (f"acc: v\n\nx: {one}\n", 0, "tell its bits_version")]:
            status, out, error = self.record(lines, program_status)
            self.assertEqual((status, out), (2, ""))
            self.assertIn(message, error)
        self.assertIn("cannot be run", self.run_it("record", self.path / "none")[2])
        status, out, error = self.record(lines, 77)
        self.assertEqual(status, 77)
        self.assertEqual(json.loads(out)["recordings"], [])
        self.assertEqual(json.loads(out)["skipped"], [f"{self.path / 'program'}: spoke"])
        self.assertIn(f"acc-bits: {self.path / 'program'}: spoke\n", error)
        (self.path / "program").write_text(f"#!{sys.executable}\nprint('spoke')\n")
        self.assertIn("recorded nothing:\nspoke", self.run_it("record", self.path / "program")[2])


if __name__ == "__main__":
    unittest.main()
