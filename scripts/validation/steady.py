# SPDX-License-Identifier: Apache-2.0
"""Runs with run.fast_forward: steady against runs of every cycle: how far an approximation is from what it stands for."""
import statistics

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
                yield name, base, {**dict(each.split("=", 1) for each in settings), "workload": workload}


BASE = {"clock": "1 GHz", "fabric.flit_bytes": "64 B", "fabric.router": "{vcs: 4, buffer_flits: 16}",
        "npu.packet_bytes": "512 B", "log.level": "off"}


def both(options, config, sets):
    def one(mode):
        return runs.run_tables(options.weft, config, {**BASE, **sets, "run.fast_forward": mode})
    return one("off"), one("steady"), spread(options, config, sets)


def spread(options, config, sets):
    """Cycles of runs with other seeds, where chance chooses routes: a run that is moved on draws other ones."""
    if sets.get("fabric.routing") != "o1turn":
        return []
    return [runs.run_tables(options.weft, config, {**BASE, **sets, "run.fast_forward": "off", "seed": seed})[0]["cycles"]
            for seed in (2, 3)]


def busiest(tables):
    return max(int(row["flits"]) for row in tables["links"])


def validate(options):
    chosen = runs.chosen(list(cases()), lambda case: case[0], options, "steady")
    tasks = [lambda config=config, sets=sets: both(options, config, sets) for _, config, sets in chosen]
    results = runs.run_all(tasks, options.jobs, "steady")
    rows, errors, faults = [], [], []
    for (name, _, _), ((all_cycles, all_tables), (steady, tables), others) in zip(chosen, results):
        time = 100 * (steady["cycles"] / all_cycles["cycles"] - 1)
        link = 100 * (busiest(tables) / busiest(all_tables) - 1)
        share = 100 * steady.get("estimate", {"cycles": 0})["cycles"] / steady["cycles"]
        copies = 100 * steady["skipped_cycles"] / steady["cycles"]
        rows.append([name, all_cycles["cycles"], f"{share:.1f} %", f"{copies:.1f} %", f"{time:+.3f} %", f"{link:+.3f} %"])
        if share > 0:
            errors.append(abs(time))
        low, high = (extreme([all_cycles["cycles"], *others]) for extreme in (min, max))
        within = low * (1 - MOST / 100) <= steady["cycles"] <= high * (1 + MOST / 100)
        if share == 0:
            within = steady["cycles"] == all_cycles["cycles"] and link == 0  # such a run is exact
        if not within or abs(link) > MOST or steady["packets"] != all_cycles["packets"]:
            faults.append(name)
    print(runs.table(["run", "cycles", "at rates", "copies", "time", "busiest link"], rows))
    if errors:
        median = statistics.median(errors)
        print(f"\nOf {len(rows)} runs {len(errors)} were left out at rates in part: time within {max(errors):.3f} % "
              f"(bound {MOST} %), median {median:.3f} % (bound {MEDIAN} %).")
        if median > MEDIAN and not options.only:
            faults.append("the median")
    for name in faults:
        print(f"scripts/validate steady: out of bounds: {name}")
    return not faults
