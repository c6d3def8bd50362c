#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program prints the closed form of training iterations on the FRED wafer and on the mesh, from bandwidths alone.

`fred_fabric.py` has the time per byte of each phase, `fred_workloads.py` the operations and bytes of the models,
`fred_iteration.py` puts them together. Nothing here is measured, so that simulated iterations can be judged by it.
"""
import argparse
import dataclasses
import os
import sys

import fred_fabric
from fred_fabric import FABRICS, PLACEMENTS, Strategy
from fred_iteration import OVERLAPS, Options, averages, fit, iteration, speed_up, sweep
from fred_workloads import BYTES, WORKLOADS

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "validation"))
from runs import table  # noqa: E402

# Speed-ups against the mesh that the paper publishes.
PAPER = {"ResNet-152": {"C": 1.41, "D": 1.76}, "Transformer-17B": {"C": 1.75, "D": 1.87},
         "GPT-3": {"C": 1.34, "D": 1.34}, "Transformer-1T": {"C": 1.40, "D": 1.40}}
# The paper's sweep has these averages of D over the mesh for training time and for exposed communication.
PAPER_SWEEP = {"Transformer-17B": (1.63, 4.22), "Transformer-1T": (1.44, 3.92)}
FLAT_RATE = 10e15  # This is what ResNet-152 implies.
SWEEP_RATES = (5e15, 5.5e15, 6e15)


def peta(rate):
    return "none" if rate is None else f"{rate / 1e15:.2f}"


def distance(found, wanted):
    return f"{100 * (found / wanted - 1):+.1f} %"


def workload_table(options):
    rows = []
    for workload in WORKLOADS.values():
        parts = iteration(workload, FABRICS["D"], 1.0, options)
        rows.append([workload.name, str(workload.strategy), workload.microbatches, f"{workload.parameters / 1e9:.4g}",
                     f"{BYTES * workload.parameters / 1e9:.4g}", f"{workload.model.layer_forward() / 1e9:.4g}",
                     f"{parts.compute / 1e15:.4g}", f"{parts.bubble / 1e15:.4g}"])
    return table(["workload", "strategy", "microbatches", "10^9 parameters", "GB of weights", "GFLOP forward, layer and sample",
                  "PFLOP per NPU", "PFLOP in the bubble"], rows)


def phase_table():
    rows = []
    for strategy in (Strategy(1, 20, 1), *(WORKLOADS[name].strategy for name in ("GPT-3", "Transformer-17B"))):
        for kind in ("mp", "pp", "dp"):
            if getattr(strategy, kind) == 1:
                continue
            for what in (fred_fabric.all_reduce, fred_fabric.reduce_scatter, fred_fabric.all_gather):
                times = [what(fabric, strategy, kind) for fabric in FABRICS.values()]
                rows.append([f"{strategy}, {kind}", what.__name__, *(f"{1e12 * time:.3f}" for time in times)])
        if strategy.pp > 1:
            times = [fred_fabric.point_to_point(fabric, strategy) for fabric in FABRICS.values()]
            rows.append([f"{strategy}, pp", "point_to_point", *(f"{1e12 * time:.3f}" for time in times)])
    return table(["groups", "phase", *FABRICS], rows)


def flow_table():
    rows = []
    for strategy in (WORKLOADS[name].strategy for name in ("GPT-3", "Transformer-17B")):
        for name in PLACEMENTS:
            to = round(fred_fabric.point_to_point(FABRICS["mesh"], strategy, name) * fred_fabric.LINK)
            rows.append([str(strategy), name, *(fred_fabric.ring_flows(strategy, kind, name) for kind in ("mp", "pp", "dp")), to])
    return table(["strategy", "placement", "mp ring", "pp ring", "dp ring", "pp transfers"], rows)


def stream_table():
    rows = []
    cases = [("to all NPUs", fred_fabric.everyone()), ("to the DP groups of GPT-3", fred_fabric.replicas(WORKLOADS["GPT-3"].strategy)),
             ("to one NPU each", fred_fabric.each_alone(fred_fabric.NPUS))]
    for name, sets in cases:
        for routing in ("straight", "xy"):
            shares = [fred_fabric.stream_share(fabric, sets, routing) for fabric in FABRICS.values()]
            rows.append([name, routing, *(f"{share:.3f}" for share in shares)])
    return table(["streams", "routing on the mesh", *FABRICS], rows)


def ratio_rows(options, rate_of):
    """It returns rows of the eight ratios, with a rate for each workload."""
    rows = []
    for name, paper in PAPER.items():
        workload, rate = WORKLOADS[name], rate_of(WORKLOADS[name])
        if rate is None:
            rows.append([name, "none", *[""] * 11])
            continue
        found = {fabric: speed_up(workload, fabric, rate, options) for fabric in "ABCD"}
        judged, wanted = found["D"] / found["C"], paper["D"] / paper["C"]
        rows.append([name, peta(rate), f"{found['A']:.2f}", f"{found['B']:.2f}",
                     *(text for fabric in "CD" for text in (f"{found[fabric]:.3f}", paper[fabric], distance(found[fabric], paper[fabric]))),
                     f"{judged:.3f}", f"{wanted:.3f}", distance(judged, wanted)])
    return rows


def ratio_table(options, rate_of):
    return table(["workload", "PFLOP/s", "A", "B", "C", "paper", "distance", "D", "paper", "distance", "D/C", "paper", "distance"],
                 ratio_rows(options, rate_of))


def parts_table(options, rate_of):
    rows = []
    for workload in WORKLOADS.values():
        rate = rate_of(workload)
        for name in FABRICS if rate else []:
            parts = iteration(workload, FABRICS[name], rate, options)
            rows.append([workload.name, name, *(f"{1e3 * value:.4g}" for value in (*dataclasses.astuple(parts), parts.total))])
    return table(["workload", "", "compute", "bubble", "mp", "pp", "dp", "stream", "load", "total"], rows)


def variant_table(options, rate):
    def change(**sets):
        return dataclasses.replace(options, **sets)
    variants = [("as given", options), *((f"overlap {name}", change(overlap=name)) for name in OVERLAPS),
                *((f"placement {name}", change(placement=name)) for name in PLACEMENTS),
                ("streams X first (0.533)", change(routing="xy")), ("streams to replicas", change(streams_to="replicas")),
                ("shards on the mesh", change(mesh_sums="shards")), ("zero2", change(gradients="zero2")),
                ("recompute", change(recompute=True)), ("load exposed", change(load=True))]
    rows = []
    for name, each in variants:
        rows.append([name, *(" / ".join(f"{speed_up(workload, fabric, rate, each):.3f}" for fabric in "CD")
                             for workload in WORKLOADS.values())])
    return table(["C / D against the mesh", *WORKLOADS], rows)


def sweep_table(options):
    rows = []
    for name, (time, exposed) in PAPER_SWEEP.items():
        for rate in SWEEP_RATES:
            points = sweep(WORKLOADS[name], rate, options)
            found = averages(points)
            best = [str(min(points, key=lambda row, column=column: row[column])[0]) for column in (1, 2)]
            rows.append([name, peta(rate), *(f"{found[key]:.2f}" for key in ("mean of speed-ups", "speed-up of sums")), time,
                         *(f"{found[key]:.2f}" for key in ("mean of exposed", "exposed of sums")), exposed, *best])
    return table(["workload", "PFLOP/s", "mean speed-up", "of sums", "paper", "mean exposed", "of sums", "paper", "best on the mesh",
                  "best on D"], rows)


def tables(options):
    in_sequence = dataclasses.replace(options, overlap="none")
    def fitted(workload):
        return fit(workload, "D", PAPER[workload.name]["D"], options)
    resnet = fit(WORKLOADS["ResNet-152"], "D", PAPER["ResNet-152"]["D"], in_sequence)
    return "\n\n".join([
        "## Workloads", workload_table(options),
        "## Phases", "Time per byte in s x TB/s; ranks lie in columns of the mesh.", phase_table(),
        "Flows on the mesh's busiest link, each of which gets its share of 750 GB/s.", flow_table(),
        "Share of their 128 GB/s that 18 streams get.", stream_table(),
        "## Eight ratios", "Speed-ups against the mesh, with the rate fitted to the paper's D for each workload.",
        ratio_table(options, fitted), "Parts of these iterations in ms.", parts_table(options, fitted),
        "## One rate", "The rate is fitted to ResNet-152 on D without overlap.", ratio_table(in_sequence, lambda _: resnet),
        f"## Choices at {peta(FLAT_RATE)} PFLOP/s", variant_table(options, FLAT_RATE),
        "## Sweep", "All 18 strategies, times divided by the minibatch; the mesh takes the placement that suits it best.",
        sweep_table(options)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--overlap", choices=OVERLAPS, default="none",
                        help="what runs beside something else: nothing (default), gradients that leave beside weights that come in, "
                        "both beside computing, or also DP and PP beside computing")
    parser.add_argument("--placement", choices=["best", *PLACEMENTS], default="best", help="of ranks on the mesh (default best)")
    parser.add_argument("--routing", choices=["straight", "xy"], default="straight",
                        help="of streams on the mesh: straight in first, 0.651 of line rate (default), or X first, 0.533")
    parser.add_argument("--streams-to", choices=["all", "replicas"], default="all",
                        help="who gets each stream: all NPUs (default), or the replicas that need it")
    parser.add_argument("--mesh-sums", choices=["trees", "shards"], default="trees",
                        help="how gradients leave the mesh: summed along the trees of the streams (default), or as shards")
    parser.add_argument("--gradients", choices=["all_reduce", "zero2"], default="all_reduce",
                        help="DP phase where weights stay: an all-reduce (default), or reduce-scatter and all-gather")
    parser.add_argument("--recompute", action="store_true", help="the backward pass carries out the forward pass once more")
    parser.add_argument("--load", action="store_true", help="the minibatch comes in before the iteration")
    parser.add_argument("--no-attention", dest="attention", action="store_false", help="only products with weights count")
    parser.add_argument("--vocabulary", type=int, default=0, help="tokens whose table and logits count (default 0: they do not)")
    given = vars(parser.parse_args())
    shape = {key: given.pop(key) for key in ("vocabulary", "attention")}
    for name, workload in WORKLOADS.items():
        if name != "ResNet-152":
            WORKLOADS[name] = dataclasses.replace(workload, model=dataclasses.replace(workload.model, **shape))
    print(tables(Options(**given)))


if __name__ == "__main__":
    main()
