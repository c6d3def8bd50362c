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
FIT_BOUND = 0.005  # of the fitted ratio; what is left stands in the table
TRIES = 3  # at most, to fit a rate
VOCABULARY = 51200  # The trace of Transformer-17B makes logits, which the closed form of the paper's tables leaves out.


@dataclasses.dataclass(frozen=True)
class Workload:
    """A workload with its trace and with what the paper says of it."""
    name: str
    make: tuple  # words of `weft trace gen`
    form: object  # the same for the closed form
    paper: dict  # speed-up against the mesh, by fabric
    bound: float  # of D over C
    form_options: object = fred_iteration.Options()
    fabrics: tuple = (*SYSTEMS, MAXIMUM)
    ring: bool = False  # The groups allow neither two levels nor two dimensions.
    phases: bool = False  # MP and DP have traffic classes of their own. Both levels of a two-level ring of one phase would share one.
    placement: tuple = ()  # NPUs of the mesh for rank 0, 1, ...
    iterations: int = 2
    first_rate: float = ANY_RATE
    quick: bool = True  # It is played with --quick, too.

    def form_parts(self, name, rate):
        return fred_iteration.iteration(self.form, FABRICS[name.split(",")[0]], rate, self.form_options)


def of_transformer(name):
    """It returns the closed form of a workload whose last stage makes the logits."""
    form = fred_workloads.WORKLOADS[name]
    return dataclasses.replace(form, model=dataclasses.replace(form.model, vocabulary=VOCABULARY))


# A random search found this placement. A ring goes from each member to the nearest one that is left, and ranks are MP, DP, PP; no link
# carries two flows of MP, DP or PP, nor one of MP of the first stage and one of DP of the second stage: these run at once at the end, since
# the second stage is through with its last microbatch before the first one is.
RINGS = (17, 12, 2, 10, 19, 13, 5, 14, 7, 6, 16, 1, 15, 18, 8, 0, 4, 3)
WORKLOADS = [
    Workload("ResNet-152", ("resnet", "--npus", "20", "--batch", "320"), fred_workloads.WORKLOADS["ResNet-152"],
             {"C": 1.41, "D": 1.76}, 0.06),
    # A part of a head is left to some ranks of an MP group, and all wait for the largest part.
    Workload("Transformer-17B", ("transformer", "--model", "turing-nlg-like", "--tp", "3", "--pp", "2", "--npus", "18", "--batch", "48",
                                 "--microbatches", "8", "--uneven", "largest", "--no-overlap"), of_transformer("Transformer-17B"),
             {"C": 1.75, "D": 1.87}, 0.03, fred_iteration.Options(weights_beside_mp=True), ("mesh", "C", "D"), True, True, RINGS, 1, 8.2e15, False),
]


@dataclasses.dataclass(frozen=True)
class Point:
    """One iteration, as the mean of all that were run; all are ms. CPU seconds are of the whole run."""
    total: float
    compute: float
    exposed: float
    cpu: float
    parts: dict = dataclasses.field(default_factory=dict)  # shares of the total, for the rank that ends last; empty where nobody asked


def settings(workload, folder, name, rate, more=None):
    """It returns (configuration, overrides) of fabric `name` with NPUs of `rate` operations per second, and with `more` keys changed."""
    config, algorithm, active = SYSTEMS[name.split(",")[0]]
    if workload.ring and algorithm != "in_switch":
        algorithm = "ring"
    trace = f"{{chakra: {folder}/t, groups: {folder}/comm_group.json, algorithm: {algorithm}, chunks: 64, chunk_bytes: 32 KiB"
    trace += (f", phases: {folder}/group_phases.json" if workload.phases else "") + f", active_chunks: {active}}}"
    sets = {"npu.peak_flops": f"{rate / 1e12:.6f} TFLOP/s", "workload": f"{{trace: {trace}}}", "log.level": "off"}
    if name == MAXIMUM:
        sets["fabric.matching"] = "maximum"
    if name == "mesh" and workload.placement:
        sets["npu.placement"] = str(list(workload.placement)).replace(" ", "")
    return config, {**sets, **(more or {})}


def play(options, workload, folder, iterations, name, rate, more=None, split=False):
    """It returns the Point of one run; with `split` it has the parts of its time."""
    config, sets = settings(workload, folder, name, rate, more)
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


def play_all(options, workload, folder, iterations, names, rate, title):
    tasks = [functools.partial(play, options, workload, folder, iterations, name, rate, split=True) for name in names]
    return dict(zip(names, runs.run_all(tasks, options.jobs, f"{workload.name}, {title}")))


def fitted_rate(found, wanted, rate=ANY_RATE):
    """It returns the rate at which D is `wanted` times as fast as the mesh, from runs at `rate`. Nothing overlaps, so that only computing has to do
    with the rate: (x + mesh) / (x + D) = wanted."""
    mesh, fred = found["mesh"].exposed, found["D"].exposed
    compute = (mesh - wanted * fred) / (wanted - 1)
    return rate * found["D"].compute / compute


def secant_rate(tries, wanted):
    """It returns the same from the last two of `tries`, (rate, Points) each, where the rank that ends last also waits for the computing
    of others. On each fabric the total is taken as linear in the time of an operation: (mesh + a x) / (D + b x) = wanted."""
    (before, old), (rate, new) = tries[-2:]
    mesh, fred = ((new[name].total - old[name].total) / (1 / rate - 1 / before) for name in ("mesh", "D"))
    return 1 / (1 / rate + (wanted * new["D"].total - new["mesh"].total) / (mesh - wanted * fred))


def fit(first_rate, wanted, play_at):
    """It returns (rate, Points of the mesh and of D at it), where D is `wanted` times as fast within FIT_BOUND or tries are used up.
    `play_at` plays both at a rate."""
    tries = [(first_rate, play_at(first_rate, "any rate"))]
    while len(tries) < TRIES and abs(tries[-1][1]["mesh"].total / tries[-1][1]["D"].total / wanted - 1) > FIT_BOUND:
        rate = fitted_rate(tries[0][1], wanted, first_rate) if len(tries) == 1 else secant_rate(tries, wanted)
        tries.append((rate, play_at(rate, "fitted rate")))
    return tries[-1]


def judge(workload, rate, found):
    """It returns (rows of the table, faults)."""
    rows, faults = [], []
    for name, point in found.items():
        form = 1e3 * workload.form_parts(name, rate).total
        paper = workload.paper.get(name.split(",")[0])
        speed_up = found["mesh"].total / point.total
        rows.append([workload.name, name, f"{point.total:.4f}", f"{point.compute:.4f}", f"{point.exposed:.4f}", f"{form:.4f}",
                     f"{100 * (point.total / form - 1):+.1f} %", f"{speed_up:.3f}", "" if paper is None else f"{paper:.2f}",
                     "" if paper is None else f"{100 * (speed_up / paper - 1):+.1f} %", f"{point.cpu:.1f}"])
        if abs(point.total / form - 1) > FORM_BOUND:
            faults.append(f"{workload.name} on {name}: {point.total:.4f} ms, closed form {form:.4f}")
    ratio, wanted = found["C"].total / found["D"].total, workload.paper["D"] / workload.paper["C"]
    if abs(ratio / wanted - 1) > workload.bound:
        faults.append(f"{workload.name}: D is {ratio:.3f} times as fast as C, in the paper {wanted:.3f}")
    maximum = f"{found[MAXIMUM].total / found['D'].total:.3f}" if MAXIMUM in found else ""
    ratios = [workload.name, f"{rate / 1e15:.2f}", f"{ratio:.3f}", f"{wanted:.3f}", f"{100 * (ratio / wanted - 1):+.1f} %",
              f"{100 * workload.bound:.0f} %", maximum]
    return rows, ratios, faults


def study(options):
    """It writes the page, and returns whether all that is judged is within its bounds."""
    import fred_more  # It plays with this module.
    rows, ratios, faults, played = [], [], [], {}
    for workload in [each for each in WORKLOADS if each.quick or not options.quick]:
        iterations = 1 if options.quick else workload.iterations
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([options.weft, "trace", "gen", *workload.make, "--iterations", str(iterations), "--out",
                            os.path.join(folder, "t")], check=True, stdout=subprocess.DEVNULL)
            play_some = functools.partial(play_all, options, workload, folder, iterations)
            rate, found = fit(workload.first_rate, workload.paper["D"], functools.partial(play_some, ("mesh", "D")))
            found.update(play_some([name for name in workload.fabrics if name not in found], rate, "fitted rate"))
        found = {name: found[name] for name in workload.fabrics}
        of_fabrics, of_ratio, wrong = judge(workload, rate, found)
        played[workload.name] = (workload, rate, found)
        rows += of_fabrics
        ratios.append(of_ratio)
        faults += wrong
    more, wrong = fred_more.sections(options, *played[fred_more.PLAYED])
    faults += wrong
    of_parts = [(name, found) for name, (_, _, found) in played.items()]
    forms = {name: {fabric: workload.form_parts(fabric, rate) for fabric in found} for name, (workload, rate, found) in played.items()}
    text = "\n\n".join([page(list(played), rows, ratios, faults), fred_parts.section(of_parts, forms), more])
    print(text)
    if not options.quick and not options.dry:
        import fred_pictures
        fred_pictures.iterations(fred_parts.bars_of(of_parts))
        with open(PAGE, "w") as file:
            file.write(text + "\n")
        print(f"written: {PAGE}")
    return not faults


def page(names, rows, ratios, faults):
    """It returns the first part of the page, about the workloads `names`."""
    return "\n".join([
        "# Training iterations of the FRED paper", "",
        "`scripts/reproduce fred` writes this page. It plays training iterations of \"FRED: A Wafer-scale Fabric for 3D Parallel DNN "
        "Training\" (ISCA 2025, arXiv 2406.19580) on `configs/mesh-wafer.yaml` and `configs/fred-a.yaml` to `fred-d.yaml`, at full size and "
        "flit by flit, and holds them beside the paper and beside a closed form from bandwidths alone "
        "(`scripts/reproduction/fred_closed_form.py`), which takes no figure from Weft.", "",
        "What is outside its bounds: " + "; ".join(faults) + "." if faults else "All that is judged is within its bounds.", "",
        f"Of the paper's four workloads {' and '.join(names)} {'are' if len(names) > 1 else 'is'} played here. [fred_streaming.md](fred_streaming.md) has GPT-3 "
        "and Transformer-1T, made up of layers that are played; the closed forms of all are printed by `scripts/reproduction/fred_closed_form.py`.", "",
        "## Iterations", "",
        "The paper gives no compute rate. For each workload it is the rate with which the simulated FRED-D is as much faster than the simulated mesh as in the "
        f"paper within {100 * FIT_BOUND:.1f} %, so that the row of D says nothing; with one such rate the other rows follow. Times are ms for one "
        "iteration: of ResNet-152 the mean of two that follow one another, of Transformer-17B a single one. Gradients do not overlap: those of all layers "
        "are reduced in one all-reduce behind the backward pass. `exposed` is what "
        "the last rank waits for communication, `form` the closed form at the same rate, whose difference is judged by "
        f"{100 * FORM_BOUND:.0f} %. FRED switches start unicasts greedily, as their RTL does; the row `{MAXIMUM}` is a study with the largest "
        "possible matching. Buffers have 64 KiB for each plane and class of traffic, where the paper has 24 KiB for all planes.", "",
        f"Transformer-17B has {fred_workloads.WORKLOADS['Transformer-17B'].strategy} with 18 of the 20 NPUs, 8 micro-batches in the order 1F1B, and on the "
        "mesh a placement in which no link carries two flows of MP or DP, nor one of MP of the first stage and one of DP of the second one. "
        "Groups of three are rings on the mesh and on C. The paper names neither vocabulary nor order. In what is played the last stage also makes the logits of 51,200 tokens, and an all-reduce of "
        "MP in the backward pass runs beside the product for the gradients of weights, since they do not need each other. Both are in the "
        "`form` of this workload.", "",
        runs.table(["workload", "fabric", "total", "compute", "exposed", "form", "difference", "speed-up", "paper", "difference", "CPU s"],
                   rows), "",
        "## D over C", "",
        "How much faster D is than C follows from the rate that is fitted to D over the mesh. It is judged.", "",
        runs.table(["workload", "PFLOP/s", "D over C", "paper", "difference", "bound", "with maximum"], ratios)])
