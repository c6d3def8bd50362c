# SPDX-License-Identifier: Apache-2.0
"""This module plays layers of GPT-3 and Transformer-1T with weight streaming on the mesh and FRED-A to D, beside the closed form and the paper."""
import dataclasses
import functools
import os
import subprocess
import tempfile

import fred_fabric
import fred_layers
import runs
from fred_workloads import WORKLOADS

PAGE = "docs/fred_streaming.md"
SCALES, QUICK_SCALES = (40, 80), (160, 320)  # All bytes and operations are divided by them.
QUICK_RATE = 33e15  # Hardly any gradients are late.
PARTS = {"A": 8, "C": 32}  # of the share of a rank where endpoints gather or reduce
FORM_BOUND = 0.10  # of the closed form
RATIO_BOUND = 0.01  # of D over C, which the paper has at 1.00
FIT_BOUND = 0.02  # of the fitted ratio
TRIES = 3  # that are played of each workload
NEIGHBOURS = 0.96, 1.04  # of a rate that fits, where it was found sooner: it may fit by chance
MAXIMUM = "C, maximum"  # This is C with matching: maximum, which the RTL cannot do; it is a study.
COPIES = "D, copies"  # This is D whose switches copy weights and sum gradients, where that is not the faster way.
FABRICS = ("mesh", "A", "B", "C", "D", COPIES, MAXIMUM)
QUICK_FABRICS = ("mesh", "C", "D")
IN_PAPER = ("C", "D", COPIES, MAXIMUM)  # The paper has no training times of A and B.


def variant(fabric):
    """It returns the name under which the configurations and the closed form have a fabric."""
    return fabric.split(",")[0]


@dataclasses.dataclass(frozen=True)
class Workload:
    """A workload, the layers of the two models that are played of it, and what it needs on each fabric."""
    name: str
    model: str  # of `weft trace gen`
    layers: tuple  # of the models that are played: two numbers, multiples of pp
    paper: float  # speed-up of C and D over the mesh
    first_rate: float
    on_mesh: str  # This algorithm carries out collectives on the mesh,
    on_endpoints: str  # and this one on A and C, where switches do not reduce, and on D where it does what C does.
    order: str  # This npu.message_order of the mesh is the faster one for its collectives.
    copies_on_d: bool  # On D it is the faster way that switches copy and sum; where not, D does what C does.

    @property
    def form(self):
        return WORKLOADS[self.name]

    def trace_words(self, fabric, layers, scale):
        """It returns the words of `weft trace gen` for this fabric."""
        strategy, form = self.form.strategy, self.form
        parts = PARTS.get(self.plays_as(fabric), 0)
        return ("weight-streaming", "--model", self.model, "--layers", layers, "--vocab", 20, "--scale", scale, "--npus", strategy.ranks,
                "--mp", strategy.mp, "--pp", strategy.pp, "--microbatches", form.microbatches, "--batch", strategy.dp * form.samples,
                "--prefetch", 0, "--loads-first", "--load-parts", parts, "--store-parts", parts)

    def plays_as(self, fabric):
        """It returns the fabric, by the name of its configuration, whose way of loading, storing and reducing is played."""
        return "C" if fabric == "D" and not self.copies_on_d else variant(fabric)

    def fabrics(self, of):
        """It returns the fabrics without `D, copies` where D copies anyway."""
        return tuple(fabric for fabric in of if fabric != COPIES or not self.copies_on_d)

    def algorithm(self, fabric):
        if fabric == "mesh":
            return self.on_mesh
        return "in_switch" if fred_fabric.FABRICS[self.plays_as(fabric)].in_switch else self.on_endpoints

    def placement(self, fabric):
        """It returns the NPU of rank 0, 1, ... A rank of the trace is mp + MP (dp + DP pp). FRED has MP first, then PP, then DP (paper);
        on the mesh a DP group is a row, so that no two groups share a link, and the rows of an MP pair lie next to each other."""
        mp, dp, _ = dataclasses.astuple(self.form.strategy)
        places = []
        for rank in range(self.form.strategy.ranks):
            m, d, p = rank % mp, rank // mp % dp, rank // mp // dp
            inner = m + mp * p
            places.append(inner * fred_fabric.COLUMNS + d if fabric == "mesh" else inner + self.form.strategy.ranks // dp * d)
        return places if dp < fred_fabric.NPUS else list(range(fred_fabric.NPUS))


STUDIED = (
    Workload("GPT-3", "gpt3-like", (4, 8), 1.34, 12.7e15, "ring", "ring", "oldest_first", copies_on_d=False),
    Workload("Transformer-1T", "transformer-1t-like", (2, 4), 1.40, 85e15, "hierarchical_2d", "two_level_ring", "round_robin", copies_on_d=True),
)
ROWS = "rows of DP groups"


def form_placement(workload):
    """It returns the name under which the closed form has the placement of the mesh."""
    if workload.form.strategy.dp == fred_fabric.NPUS:
        return "columns"
    strategy, npus = workload.form.strategy, workload.placement("mesh")
    # The closed form has a rank at mp + MP (pp + PP dp).
    at = []
    for rank in range(strategy.ranks):
        m, p, d = rank % strategy.mp, rank // strategy.mp % strategy.pp, rank // strategy.mp // strategy.pp
        npu = npus[m + strategy.mp * (d + strategy.dp * p)]
        at.append((npu % fred_fabric.COLUMNS, npu // fred_fabric.COLUMNS))
    fred_fabric.PLACEMENTS[ROWS] = at
    return ROWS


def form_iteration(workload, fabric, rate):
    """It returns the seconds of an iteration by the closed form."""
    placement = form_placement(workload) if fabric == "mesh" else "columns"
    return fred_layers.iteration(workload.form, fred_fabric.FABRICS[variant(fabric)], rate, placement=placement)


def settings(workload, folder, fabric, rate):
    """It returns (configuration, overrides) of one run."""
    trace = {"chakra": f"{folder}/t", "groups": f"{folder}/comm_group.json", "algorithm": workload.algorithm(fabric), "chunks": 64,
             "chunk_bytes": "32 KiB", "active_chunks": 0 if fabric == "mesh" else 32}
    sets = {"npu.peak_flops": f"{rate / 1e12:.6f} TFLOP/s", "npu.memory_bandwidth": "1000 TB/s", "memory.tensors": "io", "log.level": "off",
            "npu.placement": str(workload.placement(fabric)).replace(" ", ""),
            "workload": "{trace: {" + ", ".join(f"{key}: {value}" for key, value in trace.items()) + "}}"}
    if fabric == "mesh":
        return "configs/mesh-streaming.yaml", {**sets, "fabric.router.vcs": 16, "npu.injection_vcs": "by_direction", "npu.message_order": workload.order}
    sets = {**sets, "fabric.reload_cycles": 25, "memory.piece": "64 KiB"}
    if fabric == MAXIMUM:
        sets["fabric.matching"] = "maximum"
    return f"configs/fred-{variant(fabric).lower()}.yaml", sets


@dataclasses.dataclass(frozen=True)
class Played:
    """The iteration of the whole model; all times are seconds."""
    total: float  # at the first of the scales, times that scale
    smaller: float  # the same at the second one
    layer: float  # what one more layer adds at the first one
    cpu: float


def play_one(options, workload, folder, fabric, rate):
    summary, _ = runs.run_tables(options.weft, *settings(workload, folder, fabric, rate))
    if not summary["finished"]:
        raise RuntimeError(f"{workload.name} on {fabric}: {summary['stop_text']}")
    return summary["time_ns"] / 1e9, summary["cpu_s"]


def of_few_layers(workload, few, more):
    """It returns (seconds of all layers, of one) from those of the two models: each further layer takes what those take that the second one
    has more."""
    layer = (more - few) / (workload.layers[1] - workload.layers[0])
    return few + (workload.form.model.layers - workload.layers[0]) * layer, layer


def at_full_size(scales, times):
    """It returns the time at scale 1 from those at two scales, each times its scale. What does not shrink with the bytes counts as often as
    the scale says, so that the time is taken as linear in it."""
    return times[0] - (times[1] - times[0]) / (scales[1] - scales[0]) * (scales[0] - 1)


def whole(workload, scales, seconds, cpu):
    """It returns Played from {(scale, layers): seconds}."""
    each = [of_few_layers(workload, *(scale * seconds[scale, layers] for layers in workload.layers)) for scale in scales]
    totals, layers = zip(*each)
    return Played(*totals, layers[0], cpu)


def trace_folder(folder, fabric, layers, scale):
    return os.path.join(folder, f"{fabric.replace(', ', '-')}-{layers}-{scale}")


def play(options, workload, folder, scales, fabrics, rate, title):
    """It returns {fabric: Played}."""
    models = [(scale, layers) for scale in scales for layers in workload.layers]
    tasks = [functools.partial(play_one, options, workload, trace_folder(folder, fabric, layers, scale), fabric, rate)
             for fabric in fabrics for scale, layers in models]
    found = iter(runs.run_all(tasks, options.jobs, f"{workload.name}, {title}"))
    played = {}
    for fabric in fabrics:
        of_fabric = {model: next(found) for model in models}
        seconds = {model: time for model, (time, _) in of_fabric.items()}
        played[fabric] = whole(workload, scales, seconds, sum(cpu for _, cpu in of_fabric.values()))
    return played


def make_traces(options, workload, folder, scales, fabrics):
    for fabric in fabrics:
        for scale in scales:
            for layers in workload.layers:
                words = map(str, workload.trace_words(fabric, layers, scale))
                subprocess.run([options.weft, "trace", "gen", *words, "--out", os.path.join(trace_folder(folder, fabric, layers, scale), "t")],
                               check=True, stdout=subprocess.DEVNULL)


def next_rate(workload, tries):
    """It returns the rate to be tried next. Behind one try nothing but computing is taken to change with the rate, and the closed form says how
    long D computes; behind two the speed-up is taken as linear in the rate."""
    rate, found = tries[-1]
    if len(tries) > 1:
        before, apart = tries[-2][0], distance(workload, tries[-2][1])
        return before + (rate - before) * apart / (apart - distance(workload, found))
    one = fred_layers.layer(workload.form, fred_fabric.FABRICS["D"], rate)
    compute = workload.form.model.layers / workload.form.strategy.pp * one.compute
    return rate * compute / (compute + (found["mesh"].total - workload.paper * found["D"].total) / (workload.paper - 1))


def distance(workload, found):
    """It returns by how much D over the mesh differs from the paper, as a share of it."""
    return found["mesh"].total / found["D"].total / workload.paper - 1


def fit(workload, play_at):
    """It returns all TRIES, (rate, {fabric: Played}), the one that is nearest to the paper last."""
    tries, rate = [], workload.first_rate
    while len(tries) < TRIES and not any(abs(distance(workload, found)) <= FIT_BOUND for _, found in tries):
        rate = next_rate(workload, tries) if tries else rate
        tries.append((rate, play_at(("mesh", "D"), rate)))
    fitting = tries[-1][0]
    for share in NEIGHBOURS[:TRIES - len(tries)]:
        tries.append((share * fitting, play_at(("mesh", "D"), share * fitting)))
    return sorted(tries, key=lambda each: -abs(distance(workload, each[1])))


def judge_fit(workload, found):
    """It returns the faults of the rate that was chosen."""
    if abs(distance(workload, found)) <= FIT_BOUND:
        return []
    return [f"{workload.name}: no rate was found at which D is {workload.paper:.2f} times as fast as the mesh within {100 * FIT_BOUND:.0f} %"]


def judge_tries(workload, tries):
    """It returns (rows, faults) of all rates that were tried, whether they fit or not."""
    rows, faults = [], []
    for rate, found in sorted(tries, key=lambda each: each[0]):
        apart = {fabric: found[fabric].total / form_iteration(workload, fabric, rate) - 1 for fabric in ("mesh", "D")}
        rows.append([workload.name, f"{rate / 1e15:.2f}", *(cell for fabric, share in apart.items()
                                                            for cell in (f"{1e3 * found[fabric].total:.1f}", f"{100 * share:+.1f} %")),
                     f"{found['mesh'].total / found['D'].total:.3f}", f"{workload.paper:.2f}"])
        faults += [f"{workload.name} on {fabric} at {rate / 1e15:.2f} PFLOP/s: {100 * share:+.1f} % from the closed form"
                   for fabric, share in apart.items() if abs(share) > FORM_BOUND]
    return rows, faults


def over_c(found, fabric, scales):
    """It returns how much faster a fabric is than C: at the second scale, at the first one, and at full size."""
    full = [at_full_size(scales, (point.total, point.smaller)) for point in (found["C"], found[fabric])]
    return found["C"].smaller / found[fabric].smaller, found["C"].total / found[fabric].total, full[0] / full[1]


def judge_ratio(workload, found, scales, counts):
    """It returns (rows, faults) of D over C. Where D does what C does, there is nothing to judge but that this is the faster way."""
    faults = []
    bounds = {"D": f"{100 * RATIO_BOUND:.0f} %" if counts and workload.copies_on_d else "not judged"}
    if COPIES in found:
        bounds = {"D": "the same", COPIES: "not judged"}
        if found[COPIES].total < found["D"].total:
            faults.append(f"{workload.name}: copies in switches are the faster way on D")
    ratios = {fabric: over_c(found, fabric, scales) for fabric in bounds}
    if counts and workload.copies_on_d and abs(ratios["D"][-1] - 1) > RATIO_BOUND:
        faults.append(f"{workload.name}: D is {ratios['D'][-1]:.3f} times as fast as C, in the paper 1.00")
    return [[workload.name, fabric, *(f"{one:.3f}" for one in ratio), "1.00", f"{100 * (ratio[-1] - 1):+.1f} %", bounds[fabric]]
            for fabric, ratio in ratios.items()], faults


def judge(workload, rate, found, scales, ratio_counts=True):
    """It returns (rows, rows of ratios, faults). Without `ratio_counts` D over C is not judged."""
    rows, faults = [], []
    for fabric, point in found.items():
        form = form_iteration(workload, fabric, rate)
        speed_up = found["mesh"].total / point.total
        rows.append([workload.name, fabric, f"{rate / 1e15:.2f}", f"{1e3 * point.total:.1f}", f"{1e3 * point.smaller:.1f}", f"{1e3 * point.layer:.3f}", f"{1e3 * form:.1f}",
                     f"{100 * (point.total / form - 1):+.1f} %", f"{speed_up:.3f}", f"{workload.paper:.2f}" if fabric in IN_PAPER else "",
                     f"{100 * (speed_up / workload.paper - 1):+.1f} %" if fabric in IN_PAPER else "", f"{sum(workload.layers)} of {workload.form.model.layers}",
                     f"{point.cpu:.0f}"])
        if abs(point.total / form - 1) > FORM_BOUND:
            faults.append(f"{workload.name} on {fabric}: {1e3 * point.total:.1f} ms, closed form {1e3 * form:.1f}")
    ratios, wrong = judge_ratio(workload, found, scales, ratio_counts)
    return rows, ratios, faults + wrong


def study(options):
    """It writes the page, and returns whether all that is judged is within its bounds."""
    scales, all_fabrics = (QUICK_SCALES, QUICK_FABRICS) if options.quick else (SCALES, FABRICS)
    rows, ratios, tried, faults = [], [], [], []
    for workload in STUDIED[-1:] if options.quick else STUDIED:
        fabrics = workload.fabrics(all_fabrics)
        with tempfile.TemporaryDirectory() as folder:
            make_traces(options, workload, folder, scales, fabrics)
            at = functools.partial(play, options, workload, folder, scales)
            if options.quick:
                rate = QUICK_RATE
                tries = [(rate, at(fabrics, rate, "one rate"))]
            else:
                tries = fit(workload, lambda fabrics, rate: at(fabrics, rate, f"{rate / 1e15:.1f} PFLOP/s"))
            rate, found = tries[-1]
            others = tuple(fabric for fabric in fabrics if fabric not in found)
            if others:
                found.update(at(others, rate, "fitted rate"))
        of_fabrics, of_ratios, wrong = judge(workload, rate, {fabric: found[fabric] for fabric in fabrics}, scales, not options.quick)
        of_tries, wrong_tries = judge_tries(workload, tries[:-1])
        rows += of_fabrics
        ratios += of_ratios
        tried += of_tries
        faults += wrong + wrong_tries + ([] if options.quick else judge_fit(workload, found))
    text = page(scales, rows, ratios, tried, faults)
    print(text)
    if not options.quick and not options.dry:
        with open(PAGE, "w") as file:
            file.write(text + "\n")
        print(f"written: {PAGE}")
    return not faults


def page(scales, rows, ratios, tried, faults):
    """It returns the page."""
    other = [
        "", "## Other rates", "",
        "These rates were played, too. Their differences from the closed form are judged by the same bound. The time on the mesh does not follow the rate evenly: which of its rings, transfers between stages and "
        "shares of weights meet on a link changes with the rate.", "",
        runs.table(["workload", "PFLOP/s", "mesh", "from the form", "D", "from the form", "D over mesh", "paper"], tried)]
    return "\n".join([
        "# Weight streaming in the FRED paper", "",
        "`scripts/reproduce streaming` writes this page. It plays layers of GPT-3 and Transformer-1T, whose weights lie outside the wafer, on "
        "`configs/mesh-streaming.yaml` and `fred-a.yaml` to `fred-d.yaml` flit by flit, and holds iterations that are made up of them beside \"FRED: A "
        "Wafer-scale Fabric for 3D Parallel DNN Training\" (ISCA 2025, arXiv 2406.19580) and beside a closed form from bandwidths alone "
        "(`scripts/reproduction/fred_layers.py`), which takes no figure from Weft. [fred_paper.md](fred_paper.md) has the paper's other two workloads.", "",
        "What is outside its bounds: " + "; ".join(faults) + "." if faults else "All that is judged is within its bounds.", "",
        "## What is approximate", "",
        "Two models of few layers are played in full width, and each further layer is taken to last as long as those last that the second one has more. "
        f"All bytes and operations are divided by {scales[0]}, and times multiplied by it. The same at 1/{scales[1]} shows what that decides. On FRED it takes as long or longer for each byte, since latencies do not shrink "
        "and chunks become fewer; on the mesh it takes more or less, as other messages meet there. Rates are fitted, and iterations compared, at "
        f"1/{scales[0]}; only D over C is taken at full size, on the line through both. Embedding and logits are left out, as in the closed form.", "",
        "## What is played", "",
        "An NPU loads the weights of a layer when it has worked on the one before, so that it computes nothing meanwhile but the first product for the gradients of weights. Gradients of a layer "
        "leave when the load that starts at the end of its work has ended (`weft trace gen weight-streaming --prefetch 0 --loads-first`). The paper says neither. GPT-3 has "
        f"{WORKLOADS['GPT-3'].strategy} and two micro-batches, Transformer-1T {WORKLOADS['Transformer-1T'].strategy}; the minibatch is DP x 16, the sequence 2048 tokens. NPUs compute at their rate whatever "
        "their memory has to bring.", "",
        "* Switches of B copy weights to a DP group and sum its gradients, as do those of D for Transformer-1T. GPT-3 is played on D as on C: NPUs load shares and gather them, and switches neither copy nor sum. "
        "That is faster, since a switch has one setting at a time: while it carries out an all-reduce for one stage, it brings no weights to the other one. The row `D, copies` shows the other way.",
        f"* On A and C, and on D for GPT-3, each NPU loads its share of a layer in parts, {PARTS['A']} on A and {PARTS['C']} elsewhere, and all-gathers one part while it loads the next one. Gradients are reduce-scattered in as many parts, and shares of one part leave beside the next one.",
        "* On the mesh routers copy weights to all NPUs for Transformer-1T. They copy to no smaller group, so that groups of GPT-3 load shares, and gather them when all have come. Gradients are "
        "reduce-scattered by rings (GPT-3) or by rows and columns (Transformer-1T), and the shares leave when that has ended; the paper has them reduced on their way out. Nothing goes in parts there, so that the mesh "
        "loses what C, and D for GPT-3, gain by them.",
        "* FRED switches start unicasts greedily, as their RTL does; the row `C, maximum` is a study with the largest possible matching.",
        "* A DP group of GPT-3 is a row of the mesh, and the rows of an MP pair lie beside each other. Routers have 16 VCs, two for each of an NPU's four directions in each of two classes, so that what waits for one "
        "link holds up no other, as in `configs/mesh-wafer.yaml`. Each workload has the order of messages that is the faster one for its collectives: GPT-3 `oldest_first`, Transformer-1T `round_robin`.",
        "* FRED asks each controller for 64 KiB at a time, since what is summed for one controller comes faster than its line takes it, and loads a stored setting in 25 cycles. "
        "Collectives have up to 64 chunks of 32 KiB and more, of which 32 are under way at once on FRED and all on the mesh.", "",
        "## Iterations", "",
        f"The paper gives no compute rate. It is chosen here for each workload: of {TRIES} that were played, the one at which D is most nearly as much faster than the mesh as in the paper. So the row of D says little; it has to be within "
        f"{100 * FIT_BOUND:.0f} % of the paper, which has no training times of A and B. With `--quick` there is one rate, at which nothing is fitted. Times are ms of one iteration and of one of its layers; `form` is "
        f"the closed form of the iteration at the same rate, whose difference is judged by {100 * FORM_BOUND:.0f} %.", "",
        runs.table(["workload", "fabric", "PFLOP/s", "total", f"at 1/{scales[1]}", "layer", "form", "difference", "speed-up", "paper", "difference", "layers played", "CPU s"], rows), "",
        "## D over C", "",
        "The table gives how much faster D is than C at both sizes and, on the line through them, at full size. The last one is judged. Where D does what C does, the ratio is 1 by construction, and it is judged that copies would be slower.", "",
        runs.table(["workload", "fabric", f"at 1/{scales[1]}", f"at 1/{scales[0]}", "over C", "paper", "difference", "bound"], ratios), *(other if tried else [])])
