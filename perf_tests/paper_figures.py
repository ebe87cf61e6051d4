# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of docs/paper-tables.md; nothing without matplotlib."""

import math

TITLES = ((0, "absolute"), (1, "relative"))


def of_curve(errors, *curve):
    """The points (n, errors) of one curve, a key but for its n."""
    return sorted((key[-1], e) for key, e in errors.items() if key[:-1] == curve)


def plot(pyplot, path, title, which, curves):
    """Curves (label, style, points) into an SVG; of each point's errors number `which`."""
    beside = len(curves) > 5  # too long a legend to lie among the curves
    figure, axes = pyplot.subplots(figsize=(8.8 if beside else 6.4, 4.2), layout="constrained")
    ticks, errors = set(), []
    for label, style, points in curves:
        if points:
            axes.plot([n for n, _ in points], [e[which] for _, e in points], style, label=label,
                      markersize=5)
            ticks |= {n for n, _ in points}
            errors += [e[which] for _, e in points]
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(sorted(ticks), [str(n) for n in sorted(ticks)], rotation=45)
    axes.minorticks_off()
    if errors:
        axes.set_ylim(10 ** math.floor(math.log10(min(errors))),
                      10 ** math.ceil(math.log10(max(errors))))
    axes.set_xlabel("N")
    axes.set_ylabel(f"greatest {title} error, 10 runs")
    axes.grid(alpha=0.3)
    if errors:
        axes.legend(fontsize=9, **({"loc": "upper left", "bbox_to_anchor": (1, 1)} if beside else {}))
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def draw(document, data):
    try:
        import matplotlib
    except ImportError:
        print("paper-tables: no matplotlib here (Debian: python3-matplotlib), so the figures are as "
              "they were")
        return
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "acc", "font.size": 10})
    from matplotlib import pyplot

    blas = document.host.about.get("BLAS", "BLAS").split()[0]
    host, gpu = document.host.figure, document.gpu.figure
    acc = {**host, **gpu}  # the bits are the same
    curves = [("acc plain (preload)", "o-", of_curve(acc, "plain")),
              ("acc blocked{64} (postload)", "s-", of_curve(acc, "blocked 64")),
              ("acc's default, selective<seeded>{256}", "^-", of_curve(acc, "seeded 256")),
              (blas, "x--", of_curve(host, "BLAS")), ("cuBLAS", "+--", of_curve(gpu, "BLAS"))]
    for which, title in TITLES:
        plot(pyplot, data / f"{title}.svg", title, which, curves)

    host, gpu = document.ngemm_host.ngemm, document.ngemm_gpu.ngemm
    acc = {**host, **gpu}
    for kind, leaf in (("float", 1024), ("double", 2048)):
        curves = [("plain", "o-", of_curve(acc, kind, "plain")),
                  (f"ngemm, plain leaves from {leaf}", "v-", of_curve(acc, kind, "plain leaves")),
                  ("outer products of 1024, plain", "s-", of_curve(acc, kind, "outer product")),
                  ("ngemm by default, host", "^-", of_curve(host, kind, "default")),
                  ("ngemm by default, GPU", "D-", of_curve(gpu, kind, "default")),
                  (blas, "x--", of_curve(host, kind, "BLAS")),
                  ("cuBLAS", "+--", of_curve(gpu, kind, "BLAS"))]
        for which, title in TITLES:
            plot(pyplot, data / f"ngemm-{kind}-{title}.svg", title, which, curves)
