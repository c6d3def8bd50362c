# SPDX-License-Identifier: Apache-2.0
"""Runs with run.fast_forward: steady against runs of every cycle: how far an approximation is from what it stands for."""
import os
import statistics
import subprocess
import tempfile

import runs

MOST = 0.5  # percent, of time and of the flits of the busiest link
MEDIAN = 0.1

MESH = ["fabric.kind=mesh", "fabric.routing=xy"]
FABRICS = {
    "mesh 3x2": [*MESH, "fabric.size=[3,2]"],
    "mesh 4x4": [*MESH, "fabric.size=[4,4]"],
    "mesh 4x4, o1turn": ["fabric.kind=mesh", "fabric.routing=o1turn", "fabric.size=[4,4]"],
    "mesh 5x4, unlike links": [*MESH, "fabric.size=[5,4]", "fabric.link.bandwidth=45 GB/s", "npu.reduce_bandwidth=57 GB/s"],
    "torus 4x4": ["fabric.kind=torus", "fabric.routing=dimension_order", "fabric.size=[4,4]"],
    "crossbar of 6": ["fabric.size=6"],
}
JOBS = {
    "all_reduce hierarchical_2d": ("all_reduce", "hierarchical_2d"),
    "all_reduce ring": ("all_reduce", "ring"),
    "all_reduce direct": ("all_reduce", "direct"),
    "all_to_all direct": ("all_to_all", "direct"),
    "all_gather ring": ("all_gather", "ring"),
}
SIZES = ["8 MiB", "24 MiB"]
BASE = {"clock": "1 GHz", "fabric.flit_bytes": "64 B", "fabric.router": "{vcs: 4, buffer_flits: 16}",
        "npu.packet_bytes": "512 B", "log.level": "off"}
# Rings over FRED switches, of which nothing is moved on today, so that they have to be exact.
OVER_SWITCHES = {"fred-d: all_reduce ring, 256 MiB": ("all_reduce", "256 MiB"),
                 "fred-d: all_gather ring, 8 MiB": ("all_gather", "8 MiB")}
# These are two layers of a model like GPT-3, divided by 8; nothing but their streams takes long.
STREAMS = ["weight-streaming", "--model", "gpt3-like", "--layers", "2", "--seq", "256", "--scale", "8", "--npus", "20",
           "--batch", "20"]
# This step has groups of all three kinds at once, whose messages contend for links.
STEP = ["transformer", "--layers", "2", "--d-model", "4096", "--d-ff", "16384", "--seq", "512", "--heads", "32", "--vocab",
        "32000", "--tp", "2", "--pp", "2", "--npus", "20", "--batch", "20", "--microbatches", "2"]
# Twelve layers that are alike, in which computations take longer than streams.
LAYERS = ["weight-streaming", "--model", "gpt3-like", "--layers", "12", "--scale", "100", "--npus", "20", "--batch", "320"]
# Three long layers: loads meet the messages of reduce-scatters for long, once beside long computations and once beside short ones.
LONG_LAYERS = ["weight-streaming", "--model", "gpt3-like", "--layers", "3", "--scale", "8", "--npus", "20", "--batch", "320"]
COMPUTES = {"npu.peak_flops": "1000 TFLOP/s", "npu.memory_bandwidth": "3 TB/s"}


def trace_cases(program, folder):
    """Traces of streams and of training steps: contention, and classes of traffic that pre-empt each other."""
    for name, make in ("streams", STREAMS), ("step", STEP), ("layers", LAYERS), ("long_layers", LONG_LAYERS):
        os.makedirs(f"{folder}/{name}")
        subprocess.run([program, "trace", "gen", *make, "--out", f"{folder}/{name}/t"], check=True, stdout=subprocess.DEVNULL)

    def playing(trace, more=""):
        return f"{{trace: {{chakra: {folder}/{trace}/t, groups: {folder}/{trace}/comm_group.json{more}}}}}"
    yield "fred-d-streaming, 2 layers", "configs/fred-d-streaming.yaml", {"workload": playing("streams")}
    yield "fred-d-streaming, 12 layers", "configs/fred-d-streaming.yaml", {"workload": playing("layers")}
    yield ("mesh-streaming, 12 layers", "configs/mesh-streaming.yaml",
           {"workload": playing("layers", ", algorithm: hierarchical_2d, chunks: 16")})
    yield ("mesh-streaming, 2 layers", "configs/mesh-streaming.yaml",
           {"workload": playing("streams", ", algorithm: hierarchical_2d, chunks: 16")})
    for flops in "1000 TFLOP/s", "10000 TFLOP/s":
        yield (f"mesh-streaming, 3 layers, {flops}", "configs/mesh-streaming.yaml",
               {"npu.peak_flops": flops, "workload": playing("long_layers", ", algorithm: hierarchical_2d, chunks: 1")})
    yield ("mesh-streaming, 3 layers, 16 chunks", "configs/mesh-streaming.yaml",
           {"workload": playing("long_layers", ", algorithm: hierarchical_2d, chunks: 16")})
    yield "fred-d, a step", "configs/fred-d.yaml", {**COMPUTES, "workload": playing("step", ", algorithm: in_switch")}
    yield "fred-d, a step in rings", "configs/fred-d.yaml", {**COMPUTES, "workload": playing("step", ", algorithm: ring")}
    yield "mesh-wafer, a step", "configs/mesh-wafer.yaml", {**COMPUTES, "workload": playing("step", ", algorithm: ring")}


def cases():
    """A name, a configuration and settings each; hierarchical_2d is for grids."""
    for fabric, settings in FABRICS.items():
        for job, (kind, algorithm) in JOBS.items():
            if algorithm == "hierarchical_2d" and fabric.startswith("crossbar"):
                continue
            for size in SIZES:
                workload = f"{{collective: {{kind: {kind}, algorithm: {algorithm}, size: {size}}}}}"
                name = f"{fabric}: {job}, {size}"
                base = "configs/switch-8.yaml" if fabric.startswith("crossbar") else "configs/booksim-ref4.yaml"
                yield name, base, {**BASE, **dict(each.split("=", 1) for each in settings), "workload": workload}

    for name, (kind, size) in OVER_SWITCHES.items():
        yield name, "configs/fred-d.yaml", {"workload": f"{{collective: {{kind: {kind}, algorithm: ring, size: {size}}}}}"}


def both(options, config, sets):
    def one(mode):
        return runs.run_tables(options.weft, config, {"log.level": "off", **sets, "run.fast_forward": mode})
    return one("off"), one("steady")


def apart(one, other, key):
    """In percent."""
    return 100 * abs(one[key] / other[key] - 1)


def busiest(tables):
    return max(int(row["flits"]) for row in tables["links"])


def validate(options):
    with tempfile.TemporaryDirectory() as folder:
        return judge(options, [*cases(), *trace_cases(options.weft, folder)])


def judge(options, all_cases):
    chosen = runs.chosen(all_cases, lambda case: case[0], options, "steady")
    tasks = [lambda config=config, sets=sets: both(options, config, sets) for _, config, sets in chosen]
    results = runs.run_all(tasks, options.jobs, "steady")
    rows, errors, faults = [], [], []
    for (name, _, _), ((all_cycles, all_tables), (steady, tables)) in zip(chosen, results):
        time = 100 * (steady["cycles"] / all_cycles["cycles"] - 1)
        link = 100 * (busiest(tables) / busiest(all_tables) - 1)
        share = 100 * steady.get("estimate", {"cycles": 0})["cycles"] / steady["cycles"]
        copies = 100 * steady["skipped_cycles"] / steady["cycles"]
        rows.append([name, all_cycles["cycles"], f"{share:.1f} %", f"{copies:.1f} %", f"{time:+.3f} %", f"{link:+.3f} %"])
        if share > 0:
            errors.append(abs(time))
        within = abs(time) <= MOST
        if share == 0:
            within = steady["cycles"] == all_cycles["cycles"] and link == 0  # such a run is exact
        most = MOST if "streaming" in name else 0  # where streams move on by whole pieces, packets are an estimate, too
        if not within or abs(link) > MOST or apart(steady, all_cycles, "packets") > most:
            faults.append(name)
    print(runs.table(["run", "cycles", "at rates", "copies", "time", "busiest link"], rows))
    if errors:
        median = statistics.median(errors)
        print(f"\nOf {len(rows)} runs {len(errors)} were left out at rates in part: time within {max(errors):.3f} % "
              f"(bound {MOST} %), median {median:.3f} % " + ("(judged of all runs alone)." if options.only else f"(bound {MEDIAN} %)."))
        if median > MEDIAN and not options.only:
            faults.append("the median")
    for name in faults:
        print(f"scripts/validate steady: out of bounds: {name}")
    return not faults
