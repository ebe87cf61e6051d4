# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of docs/pictures.md and the tables of docs/performance.md and README.md, from the
measurements in docs/plots.

plots.py                                draws the pictures and fills in the tables (`make plots`)
plots.py tables                         fills in the tables alone; --check: fails if they are not so
plots.py filter MACHINE                 prints the --benchmark_filter for the tables' rows of gpu,
                                        socket, two-cores or core
plots.py keep RESULT NAME --commit ID   takes the medians of a file that --benchmark_out wrote into
                                        NAME.json; with --only REGEX of rows so named;
                                        --machine TEXT names a processor
plots.py condition ACC --commit ID      measures errors against condition numbers by the tool acc
"""

import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import plots_data
import plots_tables

DATA = pathlib.Path(__file__).resolve().parent.parent / "docs" / "plots"
CONTEXT = ("date", "commit", "acc", "Kokkos", "execution space", "concurrency", "GPU", "CUDA", "CUB", "BLAS", "xsum",
           "ReproBLAS")
COUNTERS = ("GB/s", "GFLOP/s", "ratio", "wrong", "results", "ulps", "label")
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
METHODS = ("plain", "compensated", "double_word", "fold3", "fold4", "reproducible", "exact")


def keep(result, name, commit, only, machine):
    """Medians, their coefficients of variation and what rows count; nothing that names a computer or a folder."""
    measured = json.loads(pathlib.Path(result).read_text())
    context = {k: str(v).strip() for k, v in measured["context"].items() if k in CONTEXT}
    context["commit"] = commit
    if machine:
        context["machine"] = machine
    path = DATA / f"{name}.json"
    kept = json.loads(path.read_text()) if path.exists() else {"context": context, "benchmarks": []}
    if kept["context"] != context:
        sys.exit(f"plots.py: {path} is of another run: remove it, or keep this one by another name")
    new = {}
    for b in measured["benchmarks"]:
        if b.get("error_occurred") or not re.search(only, b["run_name"]):
            continue
        row = new.setdefault(b["run_name"], {"name": b["run_name"]})
        if b.get("aggregate_name") == "cv":
            row["cv"] = b["real_time"]
        elif b.get("aggregate_name") == "median" or b.get("repetitions", 1) == 1:
            row["us"] = b["real_time"] * MICROSECONDS[b["time_unit"]]
            row |= {k: b[k] for k in COUNTERS if k in b}
    new = {k: row for k, row in new.items() if "us" in row}
    if not new:
        sys.exit(f"plots.py: {result} has no figure" + (f" of a name like '{only}'" if only else ""))
    rows = {row["name"]: row for row in kept["benchmarks"]} | new
    lines = ",\n".join("  " + json.dumps({k: float(f"{v:.4g}") if isinstance(v, float) else v
                                          for k, v in row.items()}) for row in rows.values())
    path.write_text(f'{{"context": {json.dumps(context, indent=1)},\n "benchmarks": [\n{lines}\n]}}\n')


def condition(acc, commit):
    """Dot products of 1000 numbers: the error of each method, as `acc compare` prints it."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        x, y = f"{folder}/x.npy", f"{folder}/y.npy"
        for exponent in range(0, 81, 4):
            for seed in (1, 2, 3):
                subprocess.run([acc, "generate", "gendot", "-n", "1000", "--condition",
                                f"1e{exponent}", "--seed", str(seed), x, y], check=True)
                text = subprocess.run([acc, "compare", "--dot", x, y, "--repeat", "1"], check=True,
                                      stdout=subprocess.PIPE, text=True).stdout.splitlines()
                true = next(line.split()[-1] for line in text if "condition" in line)
                for words in map(str.split, text):
                    if words and words[0] in METHODS:
                        rows.append([words[0], true, words[2]])
    with open(DATA / "condition.csv", "w", newline="") as out:
        out.write(f"# commit: {commit}\n")
        csv.writer(out, lineterminator="\n").writerows([["method", "condition", "error"], *rows])


def tables(check=False):
    errors = plots_data.Products(DATA.parent / "paper-tables" / "gpu.csv")
    stale = plots_tables.fill(DATA, DATA.parent.parent, errors, check)
    if check and stale:
        sys.exit(f"plots.py: {', '.join(stale)} differ from docs/plots: run `plots.py tables`")


def print_filter(machine):
    print(plots_tables.filters(machine))


def draw():
    import plots_draw  # needs matplotlib
    plots_draw.draw(DATA)
    tables()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(run=draw)
    commands = parser.add_subparsers()
    keeping, measuring = commands.add_parser("keep"), commands.add_parser("condition")
    filling, filtering = commands.add_parser("tables"), commands.add_parser("filter")
    filling.add_argument("--check", action="store_true")
    filling.set_defaults(run=tables)
    filtering.add_argument("machine", choices=plots_tables.MACHINES)
    filtering.set_defaults(run=print_filter)
    keeping.add_argument("result")
    keeping.add_argument("name")
    keeping.add_argument("--only", metavar="REGEX", default="")
    keeping.add_argument("--machine", metavar="TEXT")
    measuring.add_argument("acc")
    for command, run in (keeping, keep), (measuring, condition):
        command.add_argument("--commit", required=True)
        command.set_defaults(run=run)
    given = vars(parser.parse_args())
    given.pop("run")(**given)


if __name__ == "__main__":
    main()
