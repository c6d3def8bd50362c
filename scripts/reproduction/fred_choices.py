# SPDX-License-Identifier: Apache-2.0
"""This module has what the open choices change for each workload by the closed form alone, at the rate that fits the workload."""
import dataclasses

import fred_iteration
import runs
from fred_closed_form import PAPER
from fred_fabric import PLACEMENTS
from fred_iteration import OVERLAPS, Options
from fred_map import with_sequence
from fred_workloads import WORKLOADS

VOCABULARY = 50257  # tokens of GPT-2's and GPT-3's table


def model_with(workload, **sets):
    return dataclasses.replace(workload, model=dataclasses.replace(workload.model, **sets))


def sides(workload, rate):
    """It returns {choice: {side: (workload, rate, options)}} of what the closed form has for the workload."""
    def with_options(**sets):
        return workload, rate, Options(**sets)
    table = {
        "compute rate": {"half": (workload, rate / 2, Options()), "double": (workload, rate * 2, Options())},
        "overlap": {name: with_options(overlap=name) for name in OVERLAPS if name != "none"},
        "placement on the mesh": {name: with_options(placement=name) for name in PLACEMENTS},
        "recomputed activations": {"yes": with_options(recompute=True)},
        "minibatch comes in before": {"yes": with_options(load=True)},
    }
    if workload.streaming:
        table["routing of streams"] = {"X first": with_options(routing="xy")}
        table["streams go to"] = {"replicas": with_options(streams_to="replicas")}
        table["gradients leave the mesh as"] = {"shards": with_options(mesh_sums="shards")}
    else:
        table["gradients"] = {"zero2": with_options(gradients="zero2")}
    if hasattr(workload.model, "sequence"):
        table["sequence"] = {"half": (with_sequence(workload, workload.model.sequence // 2), rate, Options()),
                             "double": (with_sequence(workload, workload.model.sequence * 2), rate, Options())}
        table["operations of attention"] = {"not counted": (model_with(workload, attention=False), rate, Options())}
        table["table of tokens and logits"] = {"counted": (model_with(workload, vocabulary=VOCABULARY), rate, Options())}
    return table


def bars(name):
    """It returns (bars by width, speed-up as given); a bar is (choice, (side, least speed-up), (side, greatest speed-up))."""
    workload = WORKLOADS[name]
    rate = fred_iteration.fit(workload, "D", PAPER[name]["D"])
    base = fred_iteration.speed_up(workload, "D", rate)
    found = []
    for choice, options in sides(workload, rate).items():
        speed_ups = {side: fred_iteration.speed_up(model, "D", at, each) for side, (model, at, each) in options.items()}
        ends = [pick([("as given", base), *speed_ups.items()], key=lambda end: end[1]) for pick in (min, max)]
        if abs(ends[1][1] - ends[0][1]) > 5e-4:
            found.append((choice, *ends))
    return sorted(found, key=lambda bar: bar[1][1] - bar[2][1]), base, rate


def section():
    """It returns (text, {workload: (bars, speed-up as given)})."""
    rows, pictures = [], {}
    for name in WORKLOADS:
        found, base, rate = bars(name)
        pictures[name] = found, base
        for choice, low, high in found:
            rows.append([name, f"{rate / 1e15:.2f}", choice, low[0], f"{low[1]:.3f}", high[0], f"{high[1]:.3f}", f"{high[1] - low[1]:.3f}"])
    return "\n".join([
        "### All four workloads, by the closed form", "",
        "The closed form has bandwidths and operations only, at the rate that gives the paper's D over the mesh for each workload. Of the choices above it has "
        "the compute rate. It has no buffers, latencies, reconfiguration, m, clock, headers, pre-emption and errors, and for Transformer-17B, GPT-3 and "
        "Transformer-1T those are not played. It has others that the paper leaves open, too: these are the least and the greatest speed-up of D over "
        "the mesh with each, where it makes a difference of 0.001 at all. Nothing is judged here.", "",
        runs.table(["workload", "PFLOP/s", "choice", "least with", "speed-up", "greatest with", "speed-up", "width"], rows)]), pictures
