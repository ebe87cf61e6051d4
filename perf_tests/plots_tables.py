# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/performance.md and README.md, from the measurements in docs/plots. Each stands
between <!-- table NAME --> and <!-- end -->; what stands there is replaced."""

import re

from plots_data import Machine

# Where a library that promises the same was not measured; None leaves such cells and rows out.
PENDING = None

# Rows by other names than the function's.
CALLED = {"scan": "prefix_sum", "segments": "segmented_sum", "runs": "sum_by_key"}
LOOP = "vectorised loop", "vectorized loop"
KOKKOS = "Kokkos", ["Kokkos::parallel_reduce", "Kokkos::parallel_scan"]
SUMS = [KOKKOS] + [(m, [f"acc {m}"]) for m in
                   ("plain", "compensated", "fold<3>", "reproducible<3>", "exact")]
PRODUCTS = [(m, [f"acc {m}"]) for m in
            ("plain", "seeded 256", "seeded 64", "kahan 64", "widened", "compensated")]
# Runs before acc had one default for all machines called this method by what it was on hosts.
METHODS_ON_HOSTS = [(m, names + ["acc default"] * (m == "seeded 256")) for m, names in PRODUCTS]


def sums(rows, peers):
    """(what a reader calls it, names of rows with {} for who adds, those of its peer)."""
    return [(text, where, [where.format(p) for p in peers] + [plain.format(p) for p in peers])
            for text, where, plain in rows]


def of(where, family=""):
    """A row of sums, and that of uniform numbers, whose peer serves where the family has none."""
    return where.replace("{}", f"{family}/{{}}" if family else "{}"), where


def products(rows, peer):
    return [(text, where, [where.format(peer)]) for text, where in rows]


GPU_SUMS = (
    sums([("`sum`, 2^28 doubles", *of("sum/f64/{}/2^28")),
          ("`sum`, 2^28 floats", *of("sum/f32/{}/2^28")),
          ("`sum`, 2^28 doubles, all exponents", *of("sum/f64/{}/2^28", "all exponents")),
          ("`sum`, 2^20 doubles", *of("sum/f64/{}/2^20")),
          ("`sum`, 2^10 doubles", *of("sum/f64/{}/2^10"))], ["CUB"])
    + sums([("`dot`, 2^28 doubles", *of("dot/f64/{}/2^28")),
            ("`dot`, 2^28 floats", *of("dot/f32/{}/2^28")),
            ("`dot`, 2^28 doubles, all exponents", *of("dot/f64/{}/2^28", "all exponents"))], ["cuBLAS"])
    + sums([("`prefix_sum`, 2^24 doubles", *of("scan/f64/{}/2^24")),
            ("`segmented_sum`, 2^24 doubles by 200", *of("segments of 200/f64/{}/2^24"))], ["CUB"]))
GPU_PRODUCTS = products(
    [(f"`gemm`, {n}, {word}", f"gemm/{kind}/{n}/{{}}") for kind, word in (("f64", "double"), ("f32", "float"))
     for n in (4096, 8192)]
    + [(f"`gemm`, {text}, {word}", f"gemm/{kind}/{shape}/{{}}")
       for text, shape in (("64", "64"), ("64 x 64, k = 65536", "64x64x65536"), ("256 x 256, k = 32768", "256x256x32768"),
                           ("2048 x 16, k = 2048", "2048x16x2048"), ("16 x 2048, k = 2048", "16x2048x2048"))
       for kind, word in (("f64", "double"), ("f32", "float"))]
    + [("1000 products of 32 by `batched_gemm`, double", "batched_gemm/f64/1000 of 32/{}")]
    + [(f"`gemv`, {name}, {word}", f"gemv/{kind}/{name}/{{}}")
       for name in ("A x, 8192", "A^T x, 8192", "A x, 512", "A^T x, 512")
       for kind, word in (("f64", "double"), ("f32", "float"))], "cuBLAS")

# On hosts. A core, two and a socket have some of these each, so that a table stays short.
HOST_SUMS = {
    "f64": ("`sum`, 2^27 doubles", *of("sum/f64/{}/2^27")),
    "f32": ("`sum`, 2^27 floats", *of("sum/f32/{}/2^27")),
    "60": ("`sum`, 2^27 doubles, 60 decades", *of("sum/f64/{}/2^27", "60 decades")),
    "all": ("`sum`, 2^27 doubles, all exponents", *of("sum/f64/{}/2^27", "all exponents")),
    "cache": ("`sum`, 2^15 doubles, in cache", *of("sum/f64/{}/2^15")),
    "dot": ("`dot`, 2^27 doubles", *of("dot/f64/{}/2^27")),
    "dot 60": ("`dot`, 2^27 doubles, 60 decades", *of("dot/f64/{}/2^27", "60 decades")),
}
HOST_PRODUCTS = {
    **{f"{kind} {n}": (f"`gemm`, {n}, {word}", f"gemm/{kind}/{n}/{{}}")
       for kind, word in (("f64", "double"), ("f32", "float")) for n in (32, 2048, 4096)},
    "gemv": ("`gemv`, 8192, double", "gemv/f64/A x, 8192/{}"),
}
NGEMM = [(f"`ngemm`, 8192, {word}", f"ngemm/{kind}/8192/{{}}", []) for kind, word in
         (("f64", "double"), ("f32", "float"))]

# The methods of ngemm's base products; "acc" in runs before acc had one default for all machines.
# One or two cores would take minutes.
PLAIN_BASE = "acc plain leaves", "acc plain base products"
SEEDED_BASE = "acc seeded 256 leaves"
GPU_NGEMM = {"f64": {"plain": [*PLAIN_BASE, "acc"], "seeded 256": [SEEDED_BASE]},
             "f32": {"widened": ["acc widened leaves", "acc"], "plain": PLAIN_BASE, "seeded 256": [SEEDED_BASE]}}
HOST_NGEMM = {kind: {"seeded 256": [SEEDED_BASE, "acc"], "plain": PLAIN_BASE} for kind in ("f64", "f32")}


def host(of_sums, of_products, ngemm):
    return ([(SUMS, sums([HOST_SUMS[s] for s in of_sums], LOOP)),
             (METHODS_ON_HOSTS, products([HOST_PRODUCTS[s] for s in of_products], "BLAS"))],
            ngemm, ("vectorized loop", "BLAS"))


MACHINES = {
    "gpu": ([(SUMS, GPU_SUMS), (PRODUCTS, GPU_PRODUCTS)], GPU_NGEMM, ("CUB or cuBLAS", "cuBLAS")),
    "socket": host(("f64", "f32", "60", "cache", "dot"), ("f64 4096", "f32 4096", "gemv"), HOST_NGEMM),
    "two-cores": host(("f64", "dot"), ("f64 2048", "f32 2048"), {}),
    "core": host(("f64", "60", "all", "cache", "dot", "dot 60"), ("f64 2048", "f32 2048", "f64 32", "gemv"), {}),
}

# Who promises the same: library and call, machine, its rows' place and names, acc's method.
PROMISES = [
    ("CUB `gpu_to_gpu`, 2^28 doubles", "gpu", "sum/f64/{}/2^28", ["CUB gpu_to_gpu"], "reproducible<3>"),
    ("CUB `gpu_to_gpu`, 2^28 floats", "gpu", "sum/f32/{}/2^28", ["CUB gpu_to_gpu"], "reproducible<3>"),
    ("CUB `gpu_to_gpu`, 2^28 doubles", "gpu", "sum/f64/{}/2^28", ["CUB gpu_to_gpu"], "exact"),
    ("ReproBLAS `rdsum`, 2^27 doubles, one core", "core", "sum/f64/{}/2^27", ["sequential ReproBLAS"],
     "reproducible<3>"),
    ("ReproBLAS `rddot`, 2^27 doubles, one core", "core", "dot/f64/{}/2^27", ["sequential ReproBLAS"],
     "reproducible<3>"),
    ("xsum, 2^27 doubles, one core", "core", "sum/f64/{}/2^27", ["sequential xsum"], "exact"),
]


class Call:
    """A call that users make, as README and its picture show it: its row on a GPU and on a socket, with the
    peers' rows; which PROMISES it has."""

    def __init__(self, function, method, error, gpu, host, promises=()):
        self.function, self.method, self.error = function, method, error
        self.gpu, self.host, self.promises = gpu, host, promises


def reduction(what, method):
    peer = {"sum": "CUB", "dot": "cuBLAS"}[what]
    return (("gpu", f"{what}/f64/acc {method}/2^28", [f"{what}/f64/{peer}/2^28"], peer),
            ("socket", f"{what}/f64/acc {method}/2^27", [f"{what}/f64/{p}/2^27" for p in LOOP], "loop"))


def product(kind, method):
    return (("gpu", f"gemm/{kind}/4096/acc {method}", [], "cuBLAS"),
            ("socket", f"gemm/{kind}/4096/acc {method}", [], "BLAS"))


def calls(errors):
    """errors: what the GPU's products of floats are off by, beside cuBLAS's (plots_data.Products)."""
    def beside_cublas(*method):
        return f"1/{errors.beside_blas(*method):.0f} of cuBLAS's"
    twice, rounded = "as if in twice the precision", "correctly rounded"
    return [
        Call("`sum`", "`compensated`, the default", twice, *reduction("sum", "compensated")),
        Call("`sum`", "`reproducible<3>`, order-free", "80 bits below the largest term",
             *reduction("sum", "reproducible<3>"), [0, 3]),
        Call("`sum`", "`exact`, order-free", rounded, *reduction("sum", "exact"), [5]),
        Call("`dot`", "`compensated`, the default", twice, *reduction("dot", "compensated")),
        Call("`dot`", "`exact`, order-free", rounded, *reduction("dot", "exact")),
        Call("`gemm`, float", "`widened`", beside_cublas("widened", 0), *product("f32", "widened")),
        Call("`gemm`, float", "`selective<seeded>{256}`, the default", beside_cublas("seeded", 256),
             *product("f32", "seeded 256")),
        Call("`gemm`, double", "`selective<seeded>{256}`, the default", "bound of 256 terms, not 4096",
             *product("f64", "seeded 256")),
    ]


def shown(speed):
    return " to ".join(f"{s:.2f}" for s in speed) if isinstance(speed, list) else f"{speed:.2f}"


def cells(machine, columns, where, peers):
    found = [machine.speed([where.format(n) for n in names], peers) for _, names in columns]
    return ["" if s is None else shown(s) for s in found]


def rate(machine, peers):
    _, row = machine.row(*peers)
    if row and "GB/s" in row:
        return f"{row['GB/s'] / 1000:.2f} TB/s" if row["GB/s"] >= 1000 else f"{row['GB/s']:.3g} GB/s"
    if row and "GFLOP/s" in row:
        return f"{row['GFLOP/s'] / 1000:.1f} TFLOP/s" if row["GFLOP/s"] >= 1000 else f"{row['GFLOP/s']:.3g} GFLOP/s"
    return ""


def of_machine(machine, bands, ngemm, peers):
    lines = []
    for i, (columns, rows) in enumerate(bands):
        heads = [peers[i], *(name for name, _ in columns)]
        if i == 0:
            lines += ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
        else:
            lines.append("| | " + " | ".join(f"**{h}**" for h in heads) + " |")
        if i == 1:
            rows = rows + NGEMM
        for text, where, of_peer in rows:
            names = columns
            if where.startswith("ngemm"):
                names = [(m, ngemm.get(where.split("/")[1], {}).get(m, [])) for m, _ in columns]
            found = cells(machine, names, where, of_peer)
            if any(found):
                lines.append("| " + " | ".join([text, rate(machine, of_peer), *found]) + " |")
    return lines


def head(machine):
    """Machine and versions once, then what each run measured, by which commit, and the spread of the rows
    that were used."""
    first = machine.runs()[0]
    versions = []
    for run in machine.runs():
        versions += [v for v in run.versions() if v not in versions]
    lines = [", ".join([first.machine(), *versions]) + "."]
    for run in machine.runs():
        kinds = []
        for name in run.rows:
            if name.startswith("hard sum") or name not in machine.used[machine.all.index(run)]:
                continue
            kind = CALLED.get(name.split("/")[0], name.split("/")[0].split(" of ")[0])
            kinds += [kind] * (kind not in kinds)
        spreads = machine.spreads(run)
        spread = "spread not kept"
        if spreads:
            spread = (f"coefficient of variation {spreads[len(spreads) // 2]:.1%} in the median row, "
                      f"{spreads[-1]:.0%} in the worst")
        kinds = ", ".join(f"`{CALLED.get(k, k)}`" for k in kinds)
        lines.append(f"{kinds}: {run.commit()}, {spread}.")
    return wrapped(" ".join(lines)) + [""]


def wrapped(text, width=118):
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += " " * bool(lines[-1]) + word
    return lines


def promises(machines):
    lines = ["| library | acc's method | acc's speed beside it | hard sums that the library gets wrong |",
             "|---" * 4 + "|"]
    for promise in PROMISES:
        text, name, where, theirs, method = promise
        found = [beside(machines, promise) or PENDING, wrong(machines[name], where, theirs) or PENDING]
        if any(found):
            lines.append("| " + " | ".join([text, f"`{method}`", *(f or "" for f in found)]) + " |")
    return lines


def beside(machines, promise):
    """acc's speed beside a library's row of the same run."""
    _, name, where, theirs, method = promise
    run, their = machines[name].row(*(where.format(t) for t in theirs))
    _, ours = machines[name].row(where.format(f"acc {method}"), run=run) if run else (None, None)
    return shown(their["us"] / ours["us"]) if ours and "us" in ours and "us" in their else ""


def wrong(machine, where, names):
    """Which of the benchmark's hard sums a library gets wrong, of dot products nothing."""
    what, kind, *_ = where.split("/")
    names = {name.removeprefix("sequential ") for name in names}
    cases = {}
    for run in reversed(machine.all):
        for row, of in run.rows.items():
            fields = row.split("/")
            if fields[:2] == ["hard sum", kind] and fields[3] in names and what == "sum":
                cases[fields[2]] = of.get("wrong", 0) > 0
    failed = [case for case, is_wrong in cases.items() if is_wrong]
    if not cases:
        return ""
    return f"{len(failed) or 'none'} of {len(cases)}" + (f": {', '.join(failed)}" if failed else "")


def of_call(machines, place):
    """(peer's name, speed) of a Call's gpu or host."""
    name, row, peers, peer = place
    machine = machines[name]
    if peer == "BLAS":
        run, _ = machine.row(row)
        peer = next((v.split()[0] for v in run.versions() if v.startswith("OpenBLAS")), peer) if run else peer
    return peer, machine.speed([row], peers)


def readme(machines, errors):
    lines = ["| function | method | error | one H200 | 16 cores | beside those that promise the same |",
             "|---" * 6 + "|"]
    for call in calls(errors):
        found = []
        for place in call.gpu, call.host:
            peer, speed = of_call(machines, place)
            found.append("" if speed is None else f"{peer} {shown(speed)}")
        rivals = []
        for i in call.promises:
            speed = beside(machines, PROMISES[i]) or PENDING
            if speed:
                rivals.append(f"{PROMISES[i][0].split(',')[0]} {speed}")
        lines.append("| " + " | ".join([call.function, call.method, call.error, *found, ", ".join(rivals)]) + " |")
    return lines


def filters(name):
    """What --benchmark_filter must be for the rows of a machine: each row as one alternative."""
    bands, ngemm, _ = MACHINES[name]
    wanted = []
    for columns, rows in bands:
        for _, where, peers in rows:
            before, _, after = where.partition("{}")
            names = [n for _, of in columns for n in of]
            names += [p[len(before):len(p) - len(after)] for p in peers if p.startswith(before) and p.endswith(after)]
            wanted.append((before, [n for n in names if "/" not in n], after))
            for p in peers:
                if not p.startswith(before):
                    wanted.append((p, [""], ""))
    for kind, of in ngemm.items():
        wanted.append((f"ngemm/{kind}/8192/", [n for names in of.values() for n in names], ""))
    for _, machine, where, names, method in PROMISES:
        if machine == name:
            begin, _, end = where.partition("{}")
            wanted += [(begin, [*names, f"acc {method}"], end), ("hard sum/", [""], ".*")]
    def escaped(name):
        if name == ".*":
            return name
        return re.escape(name).replace("\\ ", " ")
    alternatives = [f"{escaped(begin)}({'|'.join(map(escaped, dict.fromkeys(names)))}){escaped(end)}"
                    for begin, names, end in wanted]
    return f"^({'|'.join(dict.fromkeys(alternatives))})/manual_time".replace("()", "")


def fill(folder, root, errors, check=False):
    """Writes the tables into their pages; returns the pages that had others (check: and writes nothing)."""
    machines = {name: Machine(folder, name) for name in MACHINES}
    tables = {name: of_machine(m, *MACHINES[name]) for name, m in machines.items() if m.all}
    tables = {name: head(machines[name]) + lines for name, lines in tables.items()}
    tables["promises"] = promises(machines)
    tables["readme"] = readme(machines, errors)
    stale = []
    for page in root / "docs" / "performance.md", root / "README.md":
        text = page.read_text()
        new = re.sub(r"(<!-- table (\S+) -->\n)(?:.*?\n)??(<!-- end -->)",
                     lambda m: m[1] + "\n".join([*tables.get(m[2], []), m[3]]), text, flags=re.DOTALL)
        if new != text:
            stale.append(page.name)
            if not check:
                page.write_text(new)
    return stale
