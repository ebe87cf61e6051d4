# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What plots.py draws. Each picture says in its last line what it was measured with."""

import csv

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams.update({"svg.hashsalt": "acc", "svg.fonttype": "none", "font.size": 10, "axes.grid": True,
                            "grid.alpha": 0.3, "axes.axisbelow": True})
from matplotlib import pyplot

from plots_data import Machine, Measured, Products
import plots_tables

# Colours of Okabe and Ito, which most eyes can tell apart; peers are black.
STYLES = {"plain": ("#999999", "o"), "compensated": ("#0072b2", "s"), "double_word": ("#56b4e9", "D"),
          "fold<3>": ("#009e73", "^"), "fold<4>": ("#f0e442", "v"), "fold<8>": ("#cc79a7", "P"),
          "reproducible<3>": ("#e69f00", "X"), "exact": ("#d55e00", "*")}
PEERS = {"CUB": "--", "cuBLAS": "--", "vectorised loop": "--", "Kokkos::parallel_reduce int64": ":"}
PRODUCTS = {"plain": ("#999999", "o"), "seeded 256": ("#d55e00", "*"), "seeded 64": ("#e69f00", "X"),
            "kahan 64": ("#0072b2", "s"), "priest 64": ("#009e73", "^"), "widened": ("#56b4e9", "D"),
            "compensated": ("#cc79a7", "P")}
BINARY64 = 2.0 ** -53

# An H200 by NVIDIA's data sheet: TB/s; TFLOP/s by FMAs of the vector units, by tensor cores.
BANDWIDTH, PEAKS = 4.8, {"f64": (34, 67), "f32": (67, None)}
# Operations a number of a sum and a product of a dot (docs/methods.md).
OPERATIONS = {"plain": (1, 1), "compensated": (7, 10), "double_word": (10, 22), "fold<3>": (13, 22),
              "fold<8>": (43, 82), "reproducible<3>": (7, 16)}


def style(method, styles=STYLES):
    colour, marker = styles[method]
    return {"color": colour, "marker": marker, "markersize": 6, "label": method}


def save(figure, path, source):
    figure.supxlabel(source, fontsize=8, color="#555555", x=0.99, ha="right")
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def speed(measured, peers, path):
    """Bytes read a second, and beside them the same over the peer's; peers of sums and of dots."""
    figure, grid = pyplot.subplots(2, 2, figsize=(9.6, 7.6), sharex=True, layout="constrained")
    for row, kind, peer in zip(grid, ("sum", "dot"), peers):
        base = dict(measured.curve(f"{kind}/f64/{peer}/", "GB/s"))
        curves = [(name, {"color": "black", "linestyle": line, "label": name.removesuffix(" int64")})
                  for name, line in PEERS.items()]
        curves += [(f"acc {m}", style(m)) for m in STYLES if m not in ("double_word", "fold<4>")]
        for name, look in curves:
            points = measured.curve(f"{kind}/f64/{name}/", "GB/s")
            if points:
                row[0].plot(*zip(*points), **look)
                row[1].plot([n for n, _ in points], [y / base[n] for n, y in points], **look)
        row[0].set_ylabel("GB/s read, launch included")
        row[0].set_title(f"{kind} of n doubles")
        row[0].legend(fontsize=8)
        row[1].set_title(f"speed over the {peer}'s" if peer.islower() else f"speed over {peer}'s")
        row[1].set_ylim(bottom=0)
    for axes in grid.flat:
        axes.set_xscale("log", base=2)
    for axes in grid[1]:
        axes.set_xlabel("n")
    save(figure, path, measured.source())


def condition(path_of_data, path):
    lines = path_of_data.read_text().splitlines()
    commit = lines[0].partition(":")[2].strip()
    names = {"fold3": "fold<3>", "fold4": "fold<4>", "reproducible": "reproducible<3>"}
    points = {}
    for row in csv.DictReader(lines[1:]):
        error = BINARY64 if row["error"] == "exact" else float(row["error"])
        points.setdefault(names.get(row["method"], row["method"]), []).append(
            (float(row["condition"]), min(max(error, BINARY64), 1)))
    figure, axes = pyplot.subplots(figsize=(7.2, 4.2), layout="constrained")
    for method, of_method in points.items():
        look = style(method) | {"markersize": 4, "linewidth": 1}
        axes.plot(*zip(*sorted(of_method)), **look)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(1, 1e80)
    axes.set_xlabel("condition number, 2 sum |x y| / |sum x y|")
    axes.set_ylabel("relative error, at least u and at most 1")
    axes.set_title("dot products of 1000 doubles")
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    save(figure, path, f"acc generate gendot, acc compare --dot, commit {commit}; the same on any machine")


def strips(products, path, n=4096):
    rows = {key[:2]: row for key, row in products.rows.items() if key[2] == n}
    figure, panels = pyplot.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    colours = {"kahan": ("#0072b2", "s"), "priest": ("#009e73", "^"), "seeded": ("#d55e00", "o")}
    for which, axes in enumerate(panels):
        for method, (colour, marker) in colours.items():
            points = sorted((s, row[which]) for (m, s), row in rows.items() if m == method)
            axes.plot(*zip(*points), color=colour, marker=marker, label=f"selective<{method}>")
        for method, line in (("plain", "-"), ("widened", "-."), ("BLAS", "--")):
            axes.axhline(rows[method, 0][which], color="black", linestyle=line, linewidth=1,
                         label="cuBLAS" if method == "BLAS" else method)
        axes.set_xscale("log", base=2)
        axes.set_xlabel("strip")
    panels[0].set_yscale("log")
    ticks = 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3
    panels[0].set_yticks(ticks, [f"{t:.0e}" for t in ticks])
    panels[0].minorticks_off()
    panels[0].set_ylabel("average error of an entry")
    panels[0].set_title(f"error, floats in [0, 1), {n} x {n}")
    panels[1].set_ylabel("TFLOP/s")
    panels[1].set_ylim(bottom=0)
    panels[1].set_title("speed")
    panels[1].legend(fontsize=8)
    save(figure, path, products.source)


def squares(measured, peer, path):
    """Square products of floats and doubles: operations a second, and the speed over the peer's, whose
    calls took turns with ours."""
    figure, grid = pyplot.subplots(2, 2, figsize=(9.6, 7.6), sharex=True, layout="constrained")
    for column, (kind, word) in zip(grid.T, (("f32", "floats"), ("f64", "doubles"))):
        curves = [(f"acc {m}", style(m, PRODUCTS)) for m in PRODUCTS]
        curves.append((peer, {"color": "black", "linestyle": "--", "label": peer}))
        for name, look in curves:
            points = measured.squares(kind, name, "GFLOP/s")
            if points:
                column[0].plot([n for n, _ in points], [y / 1000 for _, y in points], **look)
            ratios = measured.squares(kind, name, "ratio")
            if ratios:
                column[1].plot(*zip(*ratios), **look)
        column[0].set_title(f"N x N products of {word}")
        column[0].set_ylabel("10^12 operations a second")
        column[0].legend(fontsize=8)
        column[1].set_title(f"speed over {peer}'s")
        column[1].set_xlabel("N")
        column[1].axhline(1, color="black", linestyle="--")
    for axes in grid.flat:
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
    save(figure, path, measured.source())


def roofline(measured, products, path, n=4096):
    figure, panels = pyplot.subplots(1, 2, figsize=(9.6, 4.4), sharey=True, layout="constrained")
    for axes, (kind, bytes_each) in zip(panels, (("f64", 8), ("f32", 4))):
        vector, tensor = PEAKS[kind]
        x = [2 ** (e / 8) for e in range(-32, 81)]
        top = tensor or vector
        axes.plot(x, [min(BANDWIDTH * i, top) for i in x], color="black", linewidth=1)
        axes.axhline(vector / 2, color="black", linewidth=1, linestyle=":")
        axes.annotate("additions alone", (1000, vector / 2), fontsize=8, va="top", ha="right")
        for method, operations in OPERATIONS.items():
            points = []
            for what, each, operands in zip(("sum", "dot"), operations, (1, 2)):
                row = measured.rows.get(f"{what}/{kind}/acc {method}/2^28")
                if row:
                    intensity = each / (operands * bytes_each)
                    points.append((intensity, row["GB/s"] * intensity / 1000))
            axes.plot(*zip(*points), linestyle="", **style(method))
        if kind == "f32":
            for name, strip, marker in (("plain", 0, "o"), ("seeded", 256, "^"), ("widened", 0, "v")):
                axes.plot([n / 6], [products.rows[name, strip, n][1]], color="black", marker=marker,
                          markersize=5, linestyle="", label=f"gemm {name}, N = {n}")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("operations a byte")
        axes.set_title("double" if kind == "f64" else "float")
        axes.legend(fontsize=8, loc="lower right")
    panels[0].set_ylabel("10^12 operations a second")
    save(figure, path, f"{measured.source()}; gemm: {products.source}; roofs: NVIDIA's data sheet")


def glance(machines, errors, path):
    """Calls that users make: speed over the peer's on a GPU and on a socket, and what the error is."""
    calls = plots_tables.calls(errors)
    figure, axes = pyplot.subplots(figsize=(9.2, 4.8), layout="constrained")
    places = (("gpu", "#0072b2", "one H200, beside CUB or cuBLAS"),
              ("host", "#d55e00", "16 cores of a Xeon, beside a vectorized loop or a BLAS"))
    longest = 1.2
    for i, call in enumerate(calls):
        for shift, (place, colour, label) in zip((-0.2, 0.2), places):
            _, speed = plots_tables.of_call(machines, getattr(call, place))
            if speed is not None:
                longest = max(longest, speed)
                axes.barh(i + shift, speed, 0.38, color=colour, label=label if i == 0 else None)
                axes.annotate(f"{speed:.2f}", (speed, i + shift), (-4, 0), textcoords="offset points",
                              va="center", ha="right", fontsize=9, color="white", weight="bold")
        axes.annotate(call.error, (1, i), (8, 0), xycoords=("axes fraction", "data"),
                      textcoords="offset points", va="center", fontsize=9)
    names = [f"{call.function} {call.method}".replace("`", "").partition(", order-free")[0] for call in calls]
    axes.set_yticks(range(len(calls)), [n.replace(", the default", " (default)") for n in names])
    axes.invert_yaxis()
    axes.grid(False)
    axes.axvline(1, color="black", linewidth=1.5, zorder=0)
    axes.set_xlim(0, longest + 0.05)
    axes.set_xticks([0, 0.5, 1], ["0", "half as fast", "as fast as the peer's plain call"])
    axes.tick_params(length=0)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.annotate("error", (1, 1), (8, 0), xycoords="axes fraction", textcoords="offset points", weight="bold")
    axes.set_title("speed", fontsize=10, weight="bold", loc="left", pad=2)
    figure.legend(fontsize=9, loc="outside upper center", ncols=2, frameon=False)
    gpu, socket = machines["gpu"].runs(), machines["socket"].runs()
    commits = dict.fromkeys(run.context["commit"] for run in gpu + socket)
    save(figure, path, f"{gpu[0].machine()}; {socket[0].machine()}; commits " + ", ".join(commits) + "; 2^28 or 2^27 doubles, GEMM of 4096")


def draw(data):
    gpu = Measured(data / "gpu.json")
    products = Products(data.parent / "paper-tables" / "gpu.csv")
    products_of_gpu = Measured(data / "gpu-products.json")
    glance({name: Machine(data, name) for name in ("gpu", "socket")}, products, data / "glance.svg")
    speed(gpu, ("CUB", "cuBLAS"), data / "speed.svg")
    speed(Measured(data / "socket.json"), ("vectorised loop",) * 2, data / "speed-cpu.svg")
    squares(products_of_gpu, "cuBLAS", data / "squares.svg")
    roofline(gpu, products, data / "roofline.svg")
    condition(data / "condition.csv", data / "condition.svg")
    strips(products, data / "strips.svg")
