# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/paper-tables.md and its figures from the lines that acc_paper_tables printed."""

import csv
import math
import pathlib
import string
import sys

import paper_figures

PAPER, HOST, GPU = "badin-2011", "host", "gpu"


class Lines:
    """One machine's lines of each kind by key, `about` the rest."""

    def __init__(self, path):
        self.product, self.rounding, self.threads, self.figure, self.about = {}, {}, {}, {}, {}
        self.ngemm, self.depth = {}, {}
        if not path.exists():
            return
        for line in path.read_text().splitlines():
            if line.startswith("#"):
                key, _, value = line[1:].partition(":")
                self.about[key.strip()] = value.strip()
                continue
            kind, *fields = next(csv.reader([line]))
            if kind == "product":
                key = (fields[0], fields[1], int(fields[2]), int(fields[3]))
                self.product[key] = [float(x) for x in fields[4:]]
            elif kind == "rounding":
                key = (fields[0], int(fields[1]), fields[2])
                self.rounding[key] = [float(x) for x in fields[3:]]
            elif kind == "threads":
                key = (int(fields[0]), int(fields[1]), int(fields[2]))
                self.threads[key] = [float(x) for x in fields[3:]]
            elif kind == "figure":
                self.figure[fields[0], int(fields[1])] = [float(x) for x in fields[2:]]
            elif kind == "ngemm":
                key = (fields[0], fields[1], int(fields[2]))
                self.ngemm[key] = [float(x) for x in fields[3:]]
            elif kind == "depth":
                key = (fields[0], fields[1], int(fields[2]), int(fields[3]))
                self.depth[key] = [float(x) for x in fields[4:]]


def significant(x, digits=3):
    """x to so many digits, never with an exponent."""
    if x == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(x))))
    return f"{x:.{decimals}f}"


def micro(x):
    return significant(x * 1e6)


def table(head, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines)


def error_cells(row, digits=micro):
    """Average error and range; of a row that was not measured, dashes."""
    return [digits(row[0]), f"[{digits(row[1])}, {digits(row[2])}]"] if row else ["-", "-"]


def speed_cell(row):
    return significant(row[3]) if row else "-"


def paper_cells(row):
    """The paper has millionths without decimals."""
    if not row:
        return ["", "", ""]
    return [*error_cells(row, lambda x: f"{x * 1e6:.0f}"), f"{row[3]:.1f}"]


def same_bits(host, gpu):
    """The points of two dictionaries whose bits machines must agree on."""
    return [key for key in host if key in gpu and not {"BLAS", "default"} & set(key)]


class Document:
    def __init__(self, data):
        self.paper, self.host, self.gpu = (Lines(data / f"{x}.csv") for x in (PAPER, HOST, GPU))
        self.ngemm_host, self.ngemm_gpu = (Lines(data / f"ngemm-{x}.csv") for x in (HOST, GPU))

    def sizes(self):
        return sorted({key[3] for lines in (self.host, self.gpu) for key in lines.product})

    def strips(self, method):
        return sorted({key[2] for lines in (self.host, self.gpu) for key in lines.product
                       if key[1] == method})

    def blas_table(self, interval):
        rows = []
        for n in self.sizes():
            blas, plain = (interval, "BLAS", 0, n), (interval, "plain", 0, n)
            host, gpu = self.host.product, self.gpu.product
            name = self.host.about.get("BLAS", "BLAS").split()[0]
            rows.append([str(n), name, *error_cells(host.get(blas)), speed_cell(host.get(blas)),
                         ""])
            rows.append(["", "cuBLAS", *error_cells(gpu.get(blas)), "", speed_cell(gpu.get(blas))])
            rows.append(["", "acc plain", *error_cells(host.get(plain) or gpu.get(plain)),
                         speed_cell(host.get(plain)), speed_cell(gpu.get(plain))])
            if blas in self.paper.product:
                error, span, speed = paper_cells(self.paper.product[blas])
                rows.append(["", "2011: NVIDIA BLAS", error, span, "", speed])
        return table(["N", "", "average error", "range", "GFLOP/s, host", "GFLOP/s, GPU"], rows)

    def method_table(self, interval, names, paper=True):
        """Rows for the strips of these methods. Errors are the same on every machine: `check`."""
        head = ["N", "method" if len(names) > 1 else "strip", "average error", "range",
                "GFLOP/s, host", "GFLOP/s, GPU"]
        if paper:
            head += ["2011: average error", "range", "GFLOP/s"]
        rows = []
        for n in self.sizes():
            for name, strip in [(m, s) for m in names for s in self.strips(m)]:
                key = (interval, name, strip, n)
                host, gpu = self.host.product.get(key), self.gpu.product.get(key)
                label = f"{name} {strip or ''}".strip() if len(names) > 1 else str(strip)
                row = [str(n), label, *error_cells(host or gpu), speed_cell(host), speed_cell(gpu)]
                rows.append(row + (paper_cells(self.paper.product.get(key)) if paper else []))
        return table(head, rows)

    def rounding_table(self, kinds):
        head = ["products", "strip", "average error", "range", "average error", "range",
                "2011: average error", "range"]
        rows = []
        for kind, label in kinds:
            for strip in (16, 64):
                lines = self.host if self.host.rounding else self.gpu
                paper = self.paper.rounding.get((kind, strip, "gold"))
                rows.append([label, str(strip),
                             *error_cells(lines.rounding.get((kind, strip, "gold"))),
                             *error_cells(lines.rounding.get((kind, strip, "exact"))),
                             *(paper_cells(paper + [0])[:2] if paper else ["", ""])])
        return table(head, rows)

    def threads_table(self):
        rows = []
        for label, lines in (("host, threads: ", self.host), ("GPU", self.gpu),
                             ("2011, threads of a block: ", self.paper)):
            for threads, n in sorted({(key[0], key[2]) for key in lines.threads}):
                cells = [lines.threads.get((threads, strip, n)) for strip in (16, 32, 64)]
                rows.append([label + ("" if lines is self.gpu else str(threads)), str(n),
                             *(significant(c[0]) if c else "-" for c in cells)])
        if not self.gpu.threads:
            rows.insert(-3, ["GPU", "5120", "-", "-", "-"])
        return table(["", "N", "strip 16", "strip 32", "strip 64"], rows)

    @staticmethod
    def spread(lines):
        """Of the rows with several calls: the median one's and the greatest spread, in words."""
        spreads = sorted(row[4] for row in lines.product.values() if row[5] > 1)
        if not spreads:
            return "not measured"
        middle, greatest = (100 * x for x in (spreads[len(spreads) // 2], spreads[-1]))
        return f"{significant(middle, 2)}% of the median in the middle row, {greatest:.0f}% in the worst"

    def check(self):
        """How many rows of acc both machines have; ends the program where their errors differ."""
        both = [key for key in self.host.product if key in self.gpu.product and key[1] != "BLAS"]
        for key in both:
            host, gpu = self.host.product[key][:3], self.gpu.product[key][:3]
            if host[1:] != gpu[1:] or abs(host[0] - gpu[0]) > 1e-4 * host[0]:
                sys.exit(f"paper-tables: {key}: {host} on the host, {gpu} on the GPU")
        for host, gpu in ((self.host.figure, self.gpu.figure),
                          (self.ngemm_host.ngemm, self.ngemm_gpu.ngemm),
                          (self.ngemm_host.depth, self.ngemm_gpu.depth)):
            for key in same_bits(host, gpu):
                if host[key] != gpu[key]:
                    sys.exit(f"paper-tables: figure {key} differs between host and GPU")
        return len(both)

    def depth_table(self):
        """Greatest errors in units of K u, and as multiples of plain's (depth 0)."""
        errors = {**self.ngemm_host.depth, **self.ngemm_gpu.depth}
        n = max((key[2] for key in errors), default=0)
        depths = sorted({key[3] for key in errors if key[2] == n})
        rows = []
        for span in ("[0 1]", "[-1 1]"):
            for kind, u in (("float", 2.0**-24), ("double", 2.0**-53)):
                plain = errors.get((kind, span, n, 0))
                if not plain:
                    continue
                cells = [errors[kind, span, n, d][0] for d in depths]
                rows.append([span, kind, *(f"{significant(e / (n * u), 2)}"
                                           + (f" ({significant(e / plain[0], 2)})" if d else "")
                                           for d, e in zip(depths, cells))])
        bounds = [18**d * ((n >> d)**2 + 6 * (n >> d)) - 6 * n for d in depths]
        rows.append(["any", "bound", *(f"{b // max(n, 1)}" for b in bounds)])
        return table([f"N = {n}", "", *(f"depth {d}" for d in depths)], rows)

    def ngemm_common(self):
        """How many points of acc's curves and depths both machines have, in words."""
        count = sum(len(same_bits(host, gpu)) for host, gpu in
                    ((self.ngemm_host.ngemm, self.ngemm_gpu.ngemm),
                     (self.ngemm_host.depth, self.ngemm_gpu.depth)))
        return f"{count} of {count} points" if count else "not compared yet"

    def about(self, lines, keys):
        return "\n".join(f"- {key}: {lines.about[key]}" for key in keys if key in lines.about)


def write(data):
    document = Document(data)
    both = document.check()
    machine = ["machine", "processor", "GPU", "BLAS", "acc", "execution space", "concurrency",
               "Kokkos", "CUDA", "compiler", "commit", "date", "took"]
    gpu = document.about(document.gpu, machine)
    short = ["machine", "GPU", "BLAS", "concurrency", "commit", "date", "took"]
    not_measured = "- not measured yet"
    template = pathlib.Path(__file__).with_name("paper_tables.md.template").read_text()
    text = string.Template(template).substitute(
        host=document.about(document.host, machine),
        gpu=gpu or "- not measured yet: `make gpu-paper-tables` fills the columns with dashes",
        both=f"{both} of {both} rows" if both else "not compared yet",
        host_spread=document.spread(document.host), gpu_spread=document.spread(document.gpu),
        table1=document.threads_table(),
        table2=document.rounding_table([("truncated", "truncated (emulated)")]),
        table3=document.rounding_table([("rounded", "rounded (emulated)"),
                                        ("fused", "not rounded: acc, FMA")]),
        table4=document.blas_table("[0 1]"), table6=document.blas_table("[-1 1]"),
        table5=document.method_table("[0 1]", ["priest"]),
        table7=document.method_table("[-1 1]", ["priest"]),
        table8=document.method_table("[0 1]", ["kahan"]),
        table9=document.method_table("[-1 1]", ["kahan"]),
        others01=document.method_table("[0 1]", OTHERS, paper=False),
        others11=document.method_table("[-1 1]", OTHERS, paper=False),
        ngemm_host=document.about(document.ngemm_host, short) or not_measured,
        ngemm_gpu=document.about(document.ngemm_gpu, short) or not_measured,
        ngemm_both=document.ngemm_common(), depths=document.depth_table())
    data.with_suffix(".md").write_text(text)
    paper_figures.draw(document, data)


OTHERS = ["blocked", "seeded", "compensated", "widened"]
