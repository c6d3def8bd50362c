# SPDX-License-Identifier: Apache-2.0
"""The picture of docs/validation.md: cycles of reductions against the length of the vector."""
import os

import wafer_forms as forms

FILE = "docs/plots/wafer_reduce.svg"
# Algorithm: label, colour (told apart by colour-blind readers, too), marker, closed form.
CURVES = {
    "star": ("star", "#000000", "*", forms.star),
    "tree": ("tree", "#009E73", "^", forms.tree),
    "ring": ("ring (all-reduce)", "#CC79A7", "D", forms.ring),
    "chain": ("chain", "#D55E00", "s", forms.chain),
    "two_phase": ("two_phase", "#E69F00", "v", forms.two_phase),
    "auto_gen": ("auto_gen", "#0072B2", "o", forms.auto_gen),
    "multicast": ("multicast (broadcast)", "#56B4E9", "P", forms.broadcast),
}


def draw(ours, p):
    """Draws {(algorithm, P, B): cycles} for this P. The same figures give the same bytes."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    matplotlib.rcParams.update({"svg.hashsalt": "weft", "svg.fonttype": "none", "font.family": "sans-serif",
                                "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = pyplot.subplots(figsize=(8.5, 5.2))
    for algorithm, (label, colour, marker, form) in CURVES.items():
        points = sorted((b, took) for (name, cores, b), took in ours.items() if name == algorithm and cores == p)
        lengths = [b for b, _ in points]
        axes.plot(lengths, [form(p, b) for b in lengths], color=colour, linewidth=1.2)
        axes.plot(lengths, [took for _, took in points], color=colour, marker=marker, markersize=6, linestyle="none",
                  markerfacecolor="none", label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = [2 ** k for k in range(13)]
    axes.set_xticks(ticks, [str(b) for b in ticks])
    axes.set_xlabel("wavelets per vector, B")
    axes.set_ylabel("cycles")
    axes.set_title(f"Row of {p} cores: simulated (markers) and closed forms (lines)", loc="left", fontsize=11)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(loc="upper left", frameon=False, fontsize=9)
    os.makedirs(os.path.dirname(FILE), exist_ok=True)
    figure.savefig(FILE, metadata={"Date": None, "Creator": "weft"}, bbox_inches="tight", facecolor="white")
    print(f"written: {FILE}")
