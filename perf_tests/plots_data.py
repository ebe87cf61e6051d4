# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pictures and the tables read: files of `plots.py keep`."""

import csv
import json
import re


class Measured:
    """One run: NAME.json."""

    def __init__(self, path):
        data = json.loads(path.read_text())
        self.context = data["context"]
        self.rows = {row["name"].removesuffix("/manual_time"): row for row in data["benchmarks"]}

    def machine(self):
        c = self.context
        if "GPU" in c:
            return c["GPU"]
        threads = int(c["concurrency"])
        return f"{c['machine']}, {threads} thread{'s' if threads > 1 else ''}"

    def versions(self):
        c, found = self.context, []
        if "Kokkos" in c:
            kokkos = int(c["Kokkos"])
            found.append(f"Kokkos {kokkos // 10000}.{kokkos // 100 % 100}.{kokkos % 100}")
        if "CUDA" in c:
            cuda = int(c["CUDA"])
            found.append(f"CUDA {cuda // 1000}.{cuda // 10 % 100}")
        if "CUB" in c:
            cub = int(c["CUB"])
            found.append(f"CUB {cub // 100000}.{cub // 100 % 1000}.{cub % 100}")
        products = any(name.partition("/")[0] in ("gemm", "gemv", "ngemm") for name in self.rows)
        if "BLAS" in c and ("GPU" in c or products):
            found.append(blas(c["BLAS"]))
        return found

    def commit(self):
        return f"commit {self.context['commit']}, {self.context['date'][:10]}"

    def source(self):
        return ", ".join([self.machine(), *(v for v in self.versions() if not v.startswith("OpenBLAS")),
                          self.commit()])

    def curve(self, begin, counter):
        begin += "2^"
        return sorted((2 ** int(name.removeprefix(begin)), row[counter])
                      for name, row in self.rows.items() if name.startswith(begin))

    def squares(self, kind, name, counter):
        """Of gemm: (N, counter), by N."""
        rows = ((key.split("/"), row) for key, row in self.rows.items())
        return sorted((int(n), row[counter]) for (what, of, n, *rest), row in rows
                      if (what, of, rest) == ("gemm", kind, [name]) and n.isdigit() and counter in row)


def blas(description):
    """'cuBLAS 130100' as cuBLAS 13.1; of OpenBLAS its version and kernels."""
    name, _, rest = description.partition(" ")
    if name == "cuBLAS" and rest.isdigit():
        return f"cuBLAS {int(rest) // 10000}.{int(rest) // 100 % 100}"
    kernels = re.search(r"kernels for \w+", description)
    if name == "OpenBLAS" and kernels:
        return f"OpenBLAS {rest.split()[0].rstrip(',')} ({kernels[0]})"
    return description


class Machine:
    """The runs NAME.json and NAME-*.json that are of the newest one's machine. A row is that of the newest run
    that has it."""

    def __init__(self, folder, name):
        files = [folder / f"{name}.json", *sorted(folder.glob(f"{name}-*.json"))]
        self.all = sorted((Measured(path) for path in files if path.exists()),
                          key=lambda run: run.context["date"], reverse=True)
        self.all = [run for run in self.all if run.machine() == self.all[0].machine()]
        self.used = [set() for _ in self.all]

    def runs(self):
        """Those of which a row was used, newest first."""
        return [run for run, used in zip(self.all, self.used) if used]

    def spreads(self, run):
        """Of the rows that were used, ascending."""
        return sorted(run.rows[name]["cv"] for name in self.used[self.all.index(run)] if "cv" in run.rows[name])

    def row(self, *names, run=None):
        """(run, row), of one run if given; else Nones."""
        for i, of in enumerate(self.all):
            for name in names:
                if name in of.rows and run in (None, of):
                    self.used[i].add(name)
                    return of, of.rows[name]
        return None, None

    def speed(self, names, peers):
        """The peer's time over that of a row: of calls in turn, or of two rows of a run. A number, two for a
        range, or None."""
        run, row = self.row(*names)
        if row is None or "ratio" in row:
            return row and row["ratio"]
        peer = self.row(*peers, run=run)[1]
        return peer["us"] / row["us"] if peer and "us" in peer else None


class Products:
    """Products of floats in [0, 1) of docs/paper-tables/gpu.csv: (method, strip, N) to average error
    and TFLOP/s."""

    def __init__(self, path):
        lines = path.read_text().splitlines()
        about = dict(line[1:].strip().split(": ", 1) for line in lines if line.startswith("#"))
        self.commit = about["commit"].split(";")[0]
        self.source = f"{about['GPU']}, commit {self.commit}, {about['date']}"
        self.rows = {}
        for kind, *fields in csv.reader(line for line in lines if not line.startswith("#")):
            if kind == "product" and fields[0] == "[0 1]":
                key = fields[1], int(fields[2]), int(fields[3])
                self.rows[key] = float(fields[4]), float(fields[7]) / 1000

    def beside_blas(self, method, strip, n=4096):
        """cuBLAS's average error over the method's."""
        return self.rows["BLAS", 0, n][0] / self.rows[method, strip, n][0]
