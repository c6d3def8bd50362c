# SPDX-License-Identifier: Apache-2.0
"""This module carries out training iterations on the mesh and on FRED-A to D flit by flit, beside the closed form and the paper."""
import dataclasses
import functools
import os
import subprocess
import tempfile

import fred_iteration
import fred_parts
import fred_workloads
import runs
from fred_fabric import FABRICS

PAGE = "docs/fred_paper.md"
# Configuration, algorithm of all-reduces and chunks under way; 64 chunks of at least 32 KiB, as the configurations have them.
SYSTEMS = {"mesh": ("configs/mesh-wafer.yaml", "hierarchical_2d", 0), "A": ("configs/fred-a.yaml", "two_level_ring", 32),
           "B": ("configs/fred-b.yaml", "in_switch", 32), "C": ("configs/fred-c.yaml", "two_level_ring", 32),
           "D": ("configs/fred-d.yaml", "in_switch", 32)}
MAXIMUM = "C, maximum"  # This is the same with matching: maximum, which the RTL cannot do; it is a study.
FORM_BOUND = 0.10  # of the closed form, for every iteration
ANY_RATE = 1e16  # Operations per second of the runs that the rate is fitted from.


@dataclasses.dataclass(frozen=True)
class Workload:
    """A workload with its trace and with what the paper says of it."""
    name: str
    make: tuple  # words of `weft trace gen`
    form: object  # the same for the closed form
    paper: dict  # speed-up against the mesh, by fabric
    bound: float  # of D over C


WORKLOADS = [
    Workload("ResNet-152", ("resnet", "--npus", "20", "--batch", "320"), fred_workloads.WORKLOADS["ResNet-152"],
             {"C": 1.41, "D": 1.76}, 0.06),
]


@dataclasses.dataclass(frozen=True)
class Point:
    """One iteration, as the mean of all that were run; all are ms. CPU seconds are of the whole run."""
    total: float
    compute: float
    exposed: float
    cpu: float
    parts: dict = dataclasses.field(default_factory=dict)  # shares of the total, for the rank that ends last; empty where nobody asked


def play(options, folder, iterations, name, rate, more=None, split=False):
    """It returns the Point of fabric `name` with NPUs of `rate` operations per second, and with `more` keys of its configuration changed. With
    `split` it has the parts of its time."""
    config, algorithm, active = SYSTEMS[name.split(",")[0]]
    trace = f"{{chakra: {folder}/t, groups: {folder}/comm_group.json, algorithm: {algorithm}, chunks: 64, chunk_bytes: 32 KiB"
    trace += f", active_chunks: {active}}}"
    sets = {"npu.peak_flops": f"{rate / 1e12:.6f} TFLOP/s", "workload": f"{{trace: {trace}}}", "log.level": "off"}
    if name == MAXIMUM:
        sets["fabric.matching"] = "maximum"
    sets.update(more or {})
    parts = {}
    if split:
        sets["log.level"] = "ranks"
    summary, _ = runs.run_tables(options.weft, config, sets,
                                 lambda out: parts.update(fred_parts.read(out, fred_parts.phases_of(folder))) if split else None)
    if not summary["finished"]:
        raise RuntimeError(f"{name}: {summary['stop_text']}")
    slowest = max(summary["ranks"], key=lambda rank: rank["finish_ns"])
    return Point(*(each / 1e6 / iterations for each in (summary["time_ns"], slowest["compute_ns"], slowest["exposed_comm_ns"])),
                 summary["cpu_s"], parts)


def play_all(options, folder, iterations, rate, title, split=False):
    names = [*SYSTEMS, MAXIMUM]
    tasks = [functools.partial(play, options, folder, iterations, name, rate, split=split) for name in names]
    return dict(zip(names, runs.run_all(tasks, options.jobs, title)))


def fitted_rate(found, wanted):
    """It returns the rate at which D is `wanted` times as fast as the mesh. Nothing overlaps, so that only computing has to do
    with the rate: (x + mesh) / (x + D) = wanted."""
    mesh, fred = found["mesh"].exposed, found["D"].exposed
    compute = (mesh - wanted * fred) / (wanted - 1)
    return ANY_RATE * found["D"].compute / compute


def judge(workload, rate, found):
    """It returns (rows of the table, faults)."""
    rows, faults = [], []
    for name, point in found.items():
        fabric = name.split(",")[0]
        form = 1e3 * fred_iteration.iteration(workload.form, FABRICS[fabric], rate).total
        paper = workload.paper.get(fabric)
        speed_up = found["mesh"].total / point.total
        rows.append([workload.name, name, f"{point.total:.4f}", f"{point.compute:.4f}", f"{point.exposed:.4f}", f"{form:.4f}",
                     f"{100 * (point.total / form - 1):+.1f} %", f"{speed_up:.3f}", "" if paper is None else f"{paper:.2f}",
                     "" if paper is None else f"{100 * (speed_up / paper - 1):+.1f} %", f"{point.cpu:.1f}"])
        if abs(point.total / form - 1) > FORM_BOUND:
            faults.append(f"{workload.name} on {name}: {point.total:.4f} ms, closed form {form:.4f}")
    ratio, wanted = found["C"].total / found["D"].total, workload.paper["D"] / workload.paper["C"]
    if abs(ratio / wanted - 1) > workload.bound:
        faults.append(f"{workload.name}: D is {ratio:.3f} times as fast as C, in the paper {wanted:.3f}")
    ratios = [workload.name, f"{rate / 1e15:.2f}", f"{ratio:.3f}", f"{wanted:.3f}", f"{100 * (ratio / wanted - 1):+.1f} %",
              f"{100 * workload.bound:.0f} %", f"{found[MAXIMUM].total / found['D'].total:.3f}"]
    return rows, ratios, faults


def study(options):
    """It writes the page, and returns whether all that is judged is within its bounds."""
    import fred_more  # It plays with this module.
    iterations = 1 if options.quick else 2
    rows, ratios, faults, played = [], [], [], {}
    for workload in WORKLOADS:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([options.weft, "trace", "gen", *workload.make, "--iterations", str(iterations), "--out",
                            os.path.join(folder, "t")], check=True, stdout=subprocess.DEVNULL)
            first = play_all(options, folder, iterations, ANY_RATE, f"{workload.name}, any rate")
            rate = fitted_rate(first, workload.paper["D"])
            found = play_all(options, folder, iterations, rate, f"{workload.name}, fitted rate", split=True)
        of_fabrics, of_ratio, wrong = judge(workload, rate, found)
        played[workload.name] = (workload, rate, found)
        rows += of_fabrics
        ratios.append(of_ratio)
        faults += wrong
    more, wrong = fred_more.sections(options, *played[fred_more.PLAYED])
    faults += wrong
    of_parts = [(name, found) for name, (_, _, found) in played.items()]
    text = "\n\n".join([page(rows, ratios, faults), fred_parts.section(of_parts), more])
    print(text)
    if not options.quick and not options.dry:
        import fred_pictures
        fred_pictures.iterations(fred_parts.bars_of(of_parts))
        with open(PAGE, "w") as file:
            file.write(text + "\n")
        print(f"written: {PAGE}")
    return not faults


def page(rows, ratios, faults):
    return "\n".join([
        "# Training iterations of the FRED paper", "",
        "`scripts/reproduce fred` writes this page. It plays training iterations of \"FRED: A Wafer-scale Fabric for 3D Parallel DNN "
        "Training\" (ISCA 2025, arXiv 2406.19580) on `configs/mesh-wafer.yaml` and `configs/fred-a.yaml` to `fred-d.yaml`, at full size and "
        "flit by flit, and holds them beside the paper and beside a closed form from bandwidths alone "
        "(`scripts/reproduction/fred_closed_form.py`), which takes no figure from Weft.", "",
        "What is outside its bounds: " + "; ".join(faults) + "." if faults else "All that is judged is within its bounds.", "",
        "Of the paper's four workloads ResNet-152 is here. Transformer-17B, GPT-3 and Transformer-1T are not played at full size yet; "
        "their closed forms are printed by `scripts/reproduction/fred_closed_form.py`.", "",
        "## Iterations", "",
        "The paper gives no compute rate. For each workload it is the rate with which the simulated FRED-D is as much faster than the simulated mesh as in the "
        "paper, so that the row of D says nothing; with one such rate the other rows follow. Times are ms for one iteration, the mean of two that follow "
        "one another. Nothing overlaps: the gradients of all layers are reduced in one all-reduce behind the backward pass. `exposed` is what "
        "the last rank waits for communication, `form` the closed form at the same rate, whose difference is judged by "
        f"{100 * FORM_BOUND:.0f} %. FRED switches start unicasts greedily, as their RTL does; the row `{MAXIMUM}` is a study with the largest "
        "possible matching. Buffers have 64 KiB for each plane and class of traffic, where the paper has 24 KiB for all planes.", "",
        runs.table(["workload", "fabric", "total", "compute", "exposed", "form", "difference", "speed-up", "paper", "difference", "CPU s"],
                   rows), "",
        "## D over C", "",
        "How much faster D is than C follows from the rate that is fitted to D over the mesh. It is judged.", "",
        runs.table(["workload", "PFLOP/s", "D over C", "paper", "difference", "bound", "with maximum"], ratios)])
