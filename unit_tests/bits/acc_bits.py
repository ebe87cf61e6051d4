#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do two machines compute the same bits?

acc-bits record [PROGRAM...] > a.json    on each machine: results, by every execution space
acc-bits diff FILE...                    all that the files hold, compared with the first

PROGRAM is a test program of acc, one for each execution space (default: every acc_tests_* beside
this script). The results are those of the golden tests and more of the same kind, which no golden
file holds. Files are JSON: format below, host and machine, and a list of recordings, one per
program. diff also reads what a program of yours wrote: lines 'name: value' that tell
acc, bits_version, kokkos, compiler, space, concurrency and device, in this order, an empty line, then
lines 'name: bits', each number in 16 (double) or 8 (float) hexadecimal digits. Exit status: 0, the same bits; 1, bits or names of results differ; 2, something cannot be
run, read or compared; 77, the processor lacks what a program was asked to use, or, with
diff --or-skip, fewer than two recordings are left.
"""

import argparse
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

format_version = 1
told = ["acc", "bits_version", "kokkos", "compiler", "space", "concurrency", "device"]
word = re.compile(r"[0-9a-f]{16}|[0-9a-f]{8}|#[0-9a-f]{16}")  # double, float, digest of many


skipped = 77  # the exit status of a test that cannot run here; ctest's SKIP_RETURN_CODE


class Refused(Exception):
    """What cannot be run, read or compared, and why."""


def check_recording(recording, origin):
    if not isinstance(recording, dict) or not isinstance(recording.get("results"), dict):
        raise Refused(f"{origin}: a recording without results")
    for key in told:
        if not isinstance(recording.get(key), str):
            raise Refused(f"{origin}: a recording that does not tell its {key}")
    if not recording["results"]:
        raise Refused(f"{origin}: a recording of no results")
    for name, bits in recording["results"].items():
        if not isinstance(bits, str) or not all(map(word.fullmatch, bits.split(" "))):
            raise Refused(f"{origin}: the result '{name}' is not hexadecimal bits: {bits!r}")
    return recording


def parse(text, origin):
    """What a program wrote (recording.hpp, golden.cpp): what computed, an empty line, results."""
    head, _, body = text.partition("\n\n")
    pairs = [[line.split(": ", 1) for line in part.splitlines()] for part in (head, body)]
    if any(len(pair) != 2 for part in pairs for pair in part):
        raise Refused(f"{origin}: wrote a line that is not 'name: value'")
    told_pairs, results = (unique(part, origin) for part in pairs)
    return check_recording({**told_pairs, "results": results}, origin)


def unique(pairs, origin):
    """The dictionary of these pairs, none of which may replace another."""
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        raise Refused(f"{origin}: names twice: {next(n for n in names if names.count(n) > 1)!r}")
    return content


def run(program):
    print(f"acc-bits: {program}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "bits"
        try:
            done = subprocess.run([str(program), "--gtest_filter=Golden.*", f"--record-bits={file}"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  encoding="utf-8", errors="replace")
        except OSError as error:
            raise Refused(f"{program}: cannot be run: {error.strerror}")
        if done.returncode == skipped:
            reason = done.stdout.strip().splitlines() or ["skipped"]
            return {"skipped": f"{program}: {reason[-1]}"}
        if done.returncode != 0 or not file.exists():
            why = f"failed with status {done.returncode}" if done.returncode else "recorded nothing"
            raise Refused(f"{program}: {why}:\n{done.stdout[-2000:]}"
                          "\nTo leave it out, name the programs to run.")
        return parse(file.read_text(encoding="utf-8", errors="replace"), program)


def record(programs, output):
    here = pathlib.Path(__file__).resolve().parent
    programs = programs or sorted(here.glob("acc_tests_*"))
    if not programs:
        raise Refused(f"there is no acc_tests_* in {here}: name the programs to run")
    recordings = [run(program) for program in programs]
    reasons = [r["skipped"] for r in recordings if "skipped" in r]
    for reason in reasons:
        print(f"acc-bits: {reason}", file=sys.stderr)
    content = {"acc_bits": format_version, "host": platform.node(), "machine": platform.platform(),
               "recordings": [r for r in recordings if "skipped" not in r], "skipped": reasons}
    text = json.dumps(content, indent=1) + "\n"
    try:
        pathlib.Path(output).write_text(text) if output else sys.stdout.write(text)
    except OSError as error:
        raise Refused(f"{output}: cannot be written: {error.strerror}")
    return skipped if reasons else 0


def load(file):
    """The recordings of a file, each with a line that tells where it is from."""
    try:
        text = pathlib.Path(file).read_text(encoding="utf-8")
        if text.startswith("acc: "):  # what a program wrote, which record did not run
            content = {"acc_bits": format_version, "host": "unnamed host",
                       "recordings": [parse(text, file)]}
        else:
            content = json.loads(text, object_pairs_hook=lambda pairs: unique(pairs, file))
    except OSError as error:
        raise Refused(f"{file}: cannot be read: {error.strerror}")
    except (ValueError, RecursionError) as error:  # also of text that is not UTF-8
        raise Refused(f"{file}: is not JSON: {error}")
    if not isinstance(content, dict) or "acc_bits" not in content:
        raise Refused(f"{file}: was not written by acc-bits record")
    if content["acc_bits"] != format_version:
        raise Refused(f"{file}: has format {content['acc_bits']}; this acc-bits reads "
                      f"{format_version}")
    recordings, reasons = content.get("recordings"), content.get("skipped", [])
    if not isinstance(recordings, list) or not (recordings or reasons):
        raise Refused(f"{file}: holds no recordings")
    if not isinstance(reasons, list) or not all(isinstance(r, str) for r in reasons):
        raise Refused(f"{file}: 'skipped' is no list of texts")
    for reason in reasons:
        print(f"-  {file}: {reason}")
    label = ("{file}: {host}, {space} with concurrency {concurrency}, {device}; Kokkos {kokkos}, "
             "{compiler}, bits version {bits_version}")
    place = {"file": file, "host": content.get("host", "?")}
    return [(label.format(**{**check_recording(r, file), **place}), r) for r in recordings]


def ulps(a, b):
    """How many floating-point numbers lie between two finite ones, plus one; -0 and +0 are one."""
    if a.startswith("#") or b.startswith("#") or len(a) != len(b):
        return "-"
    bits = 4 * len(a)
    magnitudes = [int(x, 16) & (1 << (bits - 1)) - 1 for x in (a, b)]
    if max(magnitudes) >= (0x7ff << 52 if bits == 64 else 0xff << 23):
        return "not finite"
    signed = [-m if int(x, 16) >> (bits - 1) else m for x, m in zip((a, b), magnitudes)]
    return str(abs(signed[0] - signed[1]))


def differences(a, b):
    """Rows of what two recordings' results differ in: name, bits of both, distance in ulps."""
    for name in sorted(a.keys() | b.keys()):
        if name not in a or name not in b:
            yield (name, *("present" if name in x else "missing" for x in (a, b)), "-")
            continue
        words = [x[name].split(" ") for x in (a, b)]
        if len(words[0]) != len(words[1]):
            yield name, a[name], b[name], "-"
            continue
        for i, (x, y) in enumerate(zip(*words)):
            if x != y:
                yield name + (f" [{i}]" if len(words[0]) > 1 else ""), x, y, ulps(x, y)


def diff(files, most, or_skip):
    recordings = [entry for file in files for entry in load(file)]
    if len(recordings) < 2:
        found = "one recording" if recordings else "no recordings"
        if or_skip:
            print(f"skipped: {found} in {', '.join(files)}: a comparison needs two, by two execution "
                  "spaces, thread counts or instruction sets")
            return skipped
        raise Refused(f"{files[0]}: holds {found}: there is nothing to compare it with")
    (first_label, first), others = recordings[0], recordings[1:]
    versions = {r["bits_version"] for _, r in recordings}
    if len(versions) > 1:
        raise Refused("the bits may differ, for the bits versions do:\n" +
                      "\n".join(label for label, _ in recordings))
    differ = False
    print(f"a  {first_label}")
    for label, other in others:
        rows = list(differences(first["results"], other["results"]))
        print(f"b  {label}")
        if not rows:
            continue
        differ = True
        print(f"   {len(rows)} differences:")
        table = [("result", "a", "b", "ulps")] + rows[:most]
        widths = [max(len(row[i]) for row in table) for i in range(4)]
        for row in table:
            print("   " + "  ".join(x.ljust(w) for x, w in zip(row, widths)).rstrip())
        if len(rows) > most:
            print(f"   and {len(rows) - most} more (--most)")
    if not differ:
        print(f"the same bits: {len(first['results'])} results, {len(recordings)} times")
    return 1 if differ else 0


def main():
    parser = argparse.ArgumentParser(prog="acc-bits", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", metavar="record|diff")
    commands.required = True
    recorder = commands.add_parser("record")
    recorder.add_argument("programs", nargs="*", metavar="PROGRAM")
    recorder.add_argument("--output", metavar="FILE", help="default: standard output")
    compare = commands.add_parser("diff")
    compare.add_argument("files", nargs="+", metavar="FILE")
    compare.add_argument("--or-skip", action="store_true",
                         help="exit with 77, not 2, where there are fewer than two recordings")
    compare.add_argument("--most", type=int, default=40, help="rows of a table to print")
    options = parser.parse_args()
    try:
        if options.command == "record":
            return record(options.programs, options.output)
        if options.most < 0:
            raise Refused("--most must not be negative")
        status = diff(options.files, options.most, options.or_skip)
        sys.stdout.flush()
        return status
    except (Refused, OSError, UnicodeError) as refused:  # the last two of standard output
        print(f"acc-bits: {refused}", file=sys.stderr)
        sys.stdout = None  # nothing is left to be flushed at exit
        return 2


if __name__ == "__main__":
    sys.exit(main())
