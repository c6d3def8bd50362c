# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/validation.md about FRED. The same figures give the same bytes."""
import os

FOLDER = "docs/plots"


def start(width=7.0, height=4.0):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    matplotlib.rcParams.update({"svg.hashsalt": "weft", "svg.fonttype": "none", "font.family": "sans-serif",
                                "axes.spines.top": False, "axes.spines.right": False})
    return pyplot.subplots(figsize=(width, height))


def save(figure, name):
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, name)
    figure.savefig(path, metadata={"Date": None, "Creator": "weft"}, bbox_inches="tight", facecolor="white")
    print(f"written: {path}")


def bars(names, ours, derived):
    """Time per byte of the wafer-wide all-reduce, simulated beside derived."""
    figure, axes = start()
    for shift, values, colour, label in ((-0.2, ours, "#0072B2", "simulated"), (0.2, derived, "#E69F00", "derived bound")):
        drawn = axes.bar([i + shift for i in range(len(names))], values, 0.38, color=colour, label=label)
        axes.bar_label(drawn, labels=[f"{value:.2f}" for value in values], fontsize=8, padding=2)
    axes.set_xticks(range(len(names)), [name if name == "mesh" else f"FRED-{name}" for name in names])
    axes.set_ylabel("s x TB/s per byte")
    axes.set_title("Wafer-wide all-reduce of 64 MiB on 20 NPUs", loc="left", fontsize=11)
    axes.legend(frameon=False, fontsize=9)
    save(figure, "fred-all-reduce.svg")


def buffers(sizes, ours, predicted, knee):
    """Throughput against the buffer of each plane, in KiB and TB/s."""
    figure, axes = start()
    axes.plot(sizes, predicted, color="#E69F00", linewidth=1.4, label="buffer / round trip, at most the line rate")
    axes.plot(sizes, ours, color="#0072B2", marker="o", linestyle="none", markerfacecolor="none", label="simulated")
    axes.axvline(knee, color="#888888", linewidth=0.8, linestyle=":")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("buffer per plane and traffic class, KiB")
    axes.set_ylabel("TB/s per NPU")
    axes.set_title("FRED-D: all-reduce against the buffers of 20 ns links", loc="left", fontsize=11)
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    save(figure, "fred-buffer.svg")
