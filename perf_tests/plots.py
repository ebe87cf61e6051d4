# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of docs/pictures.md, from the measurements that lie beside them in docs/plots.

plots.py                                draws them (`make plots`)
plots.py keep RESULT NAME --commit ID   takes the medians of a file that --benchmark_out wrote; of the
                                        rows that --only names
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

DATA = pathlib.Path(__file__).resolve().parent.parent / "docs" / "plots"
CONTEXT = ("date", "commit", "acc", "Kokkos", "execution space", "concurrency", "GPU", "CUDA", "BLAS")
COUNTERS = ("GB/s", "GFLOP/s", "ratio")
METHODS = ("plain", "compensated", "double_word", "fold3", "fold4", "reproducible", "exact")


def is_figure(row):
    """The median of repetitions, or the one there was."""
    return row.get("aggregate_name", "median" if row.get("repetitions", 1) == 1 else "") == "median"


def keep(result, name, commit, only):
    """Medians and their coefficients of variation; nothing that names a computer or a folder."""
    measured = json.loads(pathlib.Path(result).read_text())
    context = {k: str(v).strip() for k, v in measured["context"].items() if k in CONTEXT}
    path = DATA / f"{name}.json"
    context["commit"] = commit
    kept = json.loads(path.read_text()) if path.exists() else {"context": context, "benchmarks": []}
    if kept["context"] != context:
        sys.exit(f"plots.py: {path} is of another run: remove it, or keep this one by another name")
    rows = kept["benchmarks"]
    new = {b["run_name"]: {"name": b["run_name"], "us": b["real_time"]}
           | {k: b[k] for k in COUNTERS if k in b}
           for b in measured["benchmarks"]
           if is_figure(b) and not b.get("error_occurred") and b["time_unit"] == "us"
           and re.search(only, b["run_name"])}
    if not new:
        sys.exit(f"plots.py: {result} has no row that --only names")
    for b in measured["benchmarks"]:
        if b.get("aggregate_name") == "cv" and b["run_name"] in new:
            new[b["run_name"]]["cv"] = b["real_time"]
    rows = [r for r in rows if r["name"] not in new] + list(new.values())
    lines = ",\n".join("  " + json.dumps(r | {k: float(f"{v:.4g}") for k, v in r.items()
                                             if isinstance(v, float)}) for r in rows)
    head = json.dumps(context, indent=1)
    path.write_text(f'{{"context": {head},\n "benchmarks": [\n{lines}\n]}}\n')


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
                                      capture_output=True, text=True).stdout.splitlines()
                true = next(line.split()[-1] for line in text if "condition" in line)
                for words in map(str.split, text):
                    if words and words[0] in METHODS:
                        rows.append([words[0], true, words[2]])
    with open(DATA / "condition.csv", "w", newline="") as out:
        out.write(f"# commit: {commit}\n")
        csv.writer(out, lineterminator="\n").writerows([["method", "condition", "error"], *rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    for name, arguments in (("keep", ("result", "name")), ("condition", ("acc",))):
        command = commands.add_parser(name)
        for argument in arguments:
            command.add_argument(argument)
        command.add_argument("--commit", required=True)
        if name == "keep":
            command.add_argument("--only", metavar="REGEX", default="")
    given = vars(parser.parse_args())
    command = given.pop("command")
    if command:
        {"keep": keep, "condition": condition}[command](**given)
    else:
        import plots_draw  # needs matplotlib
        plots_draw.draw(DATA)


if __name__ == "__main__":
    main()
