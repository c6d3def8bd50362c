# SPDX-License-Identifier: Apache-2.0
"""Times of ring collectives against ASTRA-sim's analytical backends."""
import csv
import functools

import runs

REFERENCE = "docs/reference/astrasim_rings.csv"
NAMED = 0.05  # differences above this are explained


def key_of(row):
    return (int(row["npus"]), row["collective"], int(row["comm_size_bytes"]), int(row["preferred_dataset_splits"]),
            int(row["active_chunks_per_dim"]))


def sets_of(key):
    npus, collective, size, splits, active = key
    return {
        "fabric.size": f"[{npus}, 1]",
        "workload.collective.kind": collective,
        "workload.collective.size": f"{size} B",
        "workload.collective.chunks": splits,
        "workload.collective.active_chunks": active,
    }


def reason(key, backend, ours, theirs):
    """Why our time differs by more than NAMED."""
    active = key[4]
    if abs(ours / theirs - 1) <= NAMED:
        return ""
    if backend == "congestion_unaware" and active > 1 and ours > theirs:
        return "their chunks overlap as if each had the links to itself"
    if active > 1:
        return "chunks share a link packet by packet here, message by message there"
    return "unexplained"


def torus_rows(options):
    """Two rings: the rows of topology Ring_Ring, with the two-dimensional algorithm on a torus. Cells of the table."""
    with open(REFERENCE, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["topology"] == "Ring_Ring" and row["collective"] != "all_to_all"]
    tasks = []
    for row in rows:
        size_x, size_y = row["npus_per_dim"].split("x")
        bandwidth, latency = row["bandwidth_GBps"].split("_"), row["latency_ns"].split("_")
        sets = sets_of((0, row["collective"], int(row["comm_size_bytes"]), int(row["preferred_dataset_splits"]),
                        int(row["active_chunks_per_dim"])))
        sets.update({
            "fabric.size": f"[{size_x}, {size_y}]",
            "fabric.link.bandwidth": f"{bandwidth[0]} GiB/s",
            "fabric.link.latency": f"{latency[0]} ns",
            "fabric.link_y.bandwidth": f"{bandwidth[1]} GiB/s",
            "fabric.link_y.latency": f"{latency[1]} ns",
            "workload.collective.algorithm": "hierarchical_2d",
        })
        tasks.append(functools.partial(runs.run, options.weft, "configs/astrasim-ring-8.yaml", sets))
    cells = []
    for row, (summary, collectives) in zip(rows, runs.run_all(tasks, options.jobs, "two rings")):
        theirs = float(row["finish_ns_max"])
        ours = float(collectives[0]["end_ns"]) - float(collectives[0]["start_ns"])
        cells.append([row["collective"], f"{int(row['comm_size_bytes']) // 1048576} MiB", row["preferred_dataset_splits"],
                      row["active_chunks_per_dim"], f"{theirs:.0f}", f"{ours:.0f}", f"{100 * (ours / theirs - 1):+.2f} %"])
    return cells


def validate(options):
    with open(REFERENCE, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["topology"] == "Ring" and row["implementation"] == "ring"]
    rows = runs.chosen(rows, lambda row: f"{row['backend']} {' '.join(map(str, key_of(row)))}", options, "astrasim")
    keys = sorted({key_of(row) for row in rows}, key=lambda key: -key[0] * key[2])
    tasks = [functools.partial(runs.run, options.weft, "configs/astrasim-ring-8.yaml", sets_of(key)) for key in keys]
    times = {}
    for key, (summary, collectives) in zip(keys, runs.run_all(tasks, options.jobs, "astrasim")):
        times[key] = float(collectives[0]["end_ns"]) - float(collectives[0]["start_ns"])
    cells, unexplained, close = [], [], 0
    for row in rows:
        key, theirs = key_of(row), float(row["finish_ns_max"])
        ours = times[key]
        why = reason(key, row["backend"], ours, theirs)
        close += not why
        if why == "unexplained":
            unexplained.append(f"{row['backend']} {key}")
        cells.append([row["backend"].replace("congestion_", ""), key[0], key[1], f"{key[2] // 1048576} MiB", key[3], key[4],
                      f"{theirs:.0f}", f"{ours:.0f}", f"{100 * (ours / theirs - 1):+.2f} %", why])
    text = "\n".join([
        f"{len(rows)} rows of topology Ring with the ring algorithm: {close} within {100 * NAMED:.0f} %, "
        f"{len(rows) - close - len(unexplained)} explained, {len(unexplained)} unexplained.", "",
        "Times in ns, from issue to the last rank's end. Weft moves flits of 512 B through routers and links of one "
        "torus row, cycle by cycle; ASTRA-sim computes message times.", "",
        runs.table(["congestion", "NPUs", "collective", "size", "splits", "active", "ASTRA-sim", "Weft", "difference",
                    "reason"], cells)])
    if not options.only:
        text += "\n\n" + "\n".join([
            "Two rings of four on a 4x4 torus (links along x 100 GiB/s and 100 ns, along y 50 GiB/s and 500 ns), theirs "
            "without congestion. Another algorithm, so other times: theirs takes each chunk over the fast ring first and a "
            "quarter of it over the slow one; `hierarchical_2d` sends half of each chunk over the slow ring first, so that "
            "both dimensions of a mesh of equal links are busy at once. With two active chunks theirs do not share links.",
            "", runs.table(["collective", "size", "splits", "active", "ASTRA-sim", "Weft", "difference"],
                           torus_rows(options))])
    print(text)
    if not options.only and not options.dry:
        runs.write_part("astrasim", text)
    return not unexplained
