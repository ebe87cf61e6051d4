#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: paper_tables.py [--only gemm|ngemm] [--sizes N,...] [--figure-sizes N,...]
                       [--ngemm-sizes N,...] [--machine WORDS] [--commit ID] [PROGRAM]

Measures with PROGRAM (acc_paper_tables) what docs/paper-tables/{host,gpu}.csv has of this kind of
machine, and ngemm-{host,gpu}.csv of recursive products, then writes docs/paper-tables.md and its
figures anew from all that lies there. Without PROGRAM it only writes.
"""

import argparse
import datetime
import os
import pathlib
import re
import subprocess

import paper_document

data = pathlib.Path(__file__).resolve().parent.parent / "docs" / "paper-tables"


def processor():
    """The processor as Linux describes it; a virtual machine may hide its name, not its family."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    value = lambda key: (re.search(rf"^{key}\s*:\s*(.*)$", text, re.M) or [None, "?"])[1]
    family, model = value("cpu family"), value("model")
    return f"{value('model name')}, family {family}, model {model}, {os.cpu_count()} processors"


def run(program, *arguments, **environment):
    print("paper-tables:", *arguments, *(f"{k}={v}" for k, v in environment.items()), flush=True)
    return subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.PIPE,
                          text=True, env={**os.environ, **environment}).stdout


def thread_counts():
    """1, 2, 4, ... up to all processors that this process may use."""
    most = len(os.sched_getaffinity(0))
    return sorted({min(2**i, most) for i in range(most.bit_length() + 1)})


class Measured:
    """A file of lines that begins with what they were measured on, and ends with how long it took."""

    def __init__(self, name, program, machine, options):
        self.program, self.started = program, datetime.datetime.now()
        self.file = (data / f"{name}.csv").open("w")
        self.file.write(machine + f"# processor: {processor()}\n")
        if options.machine:
            self.file.write(f"# machine: {options.machine}\n")
        self.file.write(f"# date: {self.started:%Y-%m-%d}\n# commit: {options.commit}\n")

    def keep(self, *arguments, **environment):
        self.file.write(run(self.program, *arguments, **environment))
        self.file.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        minutes = (datetime.datetime.now() - self.started).total_seconds() / 60
        self.file.write(f"# took: {minutes:.0f} minutes\n")
        self.file.close()


def measure_gemm(program, machine, kind, options):
    sizes, figure_sizes = options.sizes, options.figure_sizes
    if not sizes:
        sizes = [1024, 2048, 3072, 4096, 5120] + ([16384] if kind == "gpu" else [])
    if not figure_sizes:
        figure_sizes = [256, 512, 1024, 1536, 2048, 3072, 4096]
        figure_sizes += [5120, 8192] if kind == "gpu" else []
    # The paper's size of table 1 is 5120.
    size = max(n for n in sizes if n <= max(5120, min(sizes)))
    with Measured(kind, program, machine, options) as to:
        to.keep("rounding")
        for threads in thread_counts() if kind == "host" else [None]:
            to.keep("threads", size, **({"OMP_NUM_THREADS": str(threads)} if threads else {}))
        for n in figure_sizes:
            to.keep("figures", n)
        for n in sizes:
            to.keep("tables", n)


def measure_ngemm(program, machine, kind, options):
    sizes = options.ngemm_sizes
    if not sizes:
        sizes = [1024, 1536, 2048, 3072, 4096, 6144, 8192]
        sizes += [12288, 16384, 32768] if kind == "gpu" else []
    with Measured(f"ngemm-{kind}", program, machine, options) as to:
        for n in sizes:
            to.keep("ngemm", n)
        to.keep("depths", max(n for n in sizes if n <= max(4096, min(sizes))))


def measure(program, options):
    machine = run(program, "machine")
    kind = "gpu" if "# device: gpu" in machine else "host"
    if options.only != "ngemm":
        measure_gemm(program, machine, kind, options)
    if options.only != "gemm":
        measure_ngemm(program, machine, kind, options)


def numbers(text):
    return [int(n) for n in text.replace(",", " ").split()]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--only", choices=["gemm", "ngemm"])
    parser.add_argument("--sizes", type=numbers)
    parser.add_argument("--figure-sizes", type=numbers)
    parser.add_argument("--ngemm-sizes", type=numbers)
    parser.add_argument("--machine", help="what the machine is, in words")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("program", nargs="?")
    options = parser.parse_args()
    if options.program:
        measure(options.program, options)
    paper_document.write(data)


if __name__ == "__main__":
    main()
