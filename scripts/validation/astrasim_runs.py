# SPDX-License-Identifier: Apache-2.0
"""Rows of ASTRA-sim's times, and the same collectives as runs of Weft."""
import collections
import csv
import functools

import runs

REFERENCE = "docs/reference/astrasim.csv"
CONFIG = "configs/astrasim-ring-8.yaml"
RING_VCS = 4  # as in CONFIG
LONG = 65536  # bytes: messages from here on are cut into packets of 4 KiB, shorter ones into packets of 512 B
BACKENDS = ("unaware", "aware")  # of congestion
ALGORITHMS = {"ring": "ring", "direct": "direct", "halvingDoubling": "halving_doubling", "doubleBinaryTree": "double_binary_tree"}

Key = collections.namedtuple("Key", "topology algorithm npus kind size splits active")


def reference_rows():
    with open(REFERENCE, newline="") as file:
        return list(csv.DictReader(file))


def reference_times():
    """{Key: {backend: ns}} of all rows with one dimension."""
    times = {}
    for row in reference_rows():
        if "_" not in row["topology"]:
            key = Key(row["topology"], row["implementation"], int(row["npus"]), row["collective"], int(row["comm_size_bytes"]),
                      int(row["preferred_dataset_splits"]), int(row["active_chunks_per_dim"]))
            times.setdefault(key, {})[row["backend"].replace("congestion_", "")] = float(row["finish_ns_max"])
    return times


def name_of(key, backend):
    return f"{key.topology} {key.algorithm} {key.npus} NPUs {key.kind} {key.size} {key.splits} {key.active} {backend}"


def too_long(key):
    """Runs of many minutes: 64 NPUs each send 4 MiB to all others, four times, over ways of 16 links or routers with 64 ports."""
    return key.algorithm == "direct" and key.npus == 64 and key.kind == "all_gather" and key.size > 1 << 20 and key.topology != "Switch"


def shortest_message(key):
    chunk = key.size // key.splits
    return chunk if key.kind == "all_gather" else chunk // key.npus


def packet_and_flit(key):
    """Bytes of packets and flits in the run of `key`. Packets of one flit are as if routers served packets at once."""
    if (key.topology, key.algorithm) == ("Ring", "ring") or key.topology == "Switch":
        return 4096, 512
    whole = 4096 if shortest_message(key) >= LONG or key.npus == 64 and key.algorithm != "ring" else 512
    return whole, whole


def collective_sets(kind, size, splits, active, algorithm):
    return {
        "workload.collective.kind": kind,
        "workload.collective.size": f"{size} B",
        "workload.collective.chunks": splits,
        "workload.collective.active_chunks": active,
        "workload.collective.algorithm": algorithm,
    }


def fabric_sets(key):
    packet, flit = packet_and_flit(key)
    sets = {"npu.packet_bytes": f"{packet} B", "fabric.flit_bytes": f"{flit} B"}
    if key.topology == "Ring":
        sets.update({"fabric.size": f"[{key.npus}, 1]", "fabric.router.vcs": RING_VCS})
    else:
        sets["fabric.size"] = key.npus
        sets["fabric.router.vcs"] = 1  # ways through one router or over one link never wait for each other in a circle
    if key.topology == "FullyConnected":
        sets.update({"fabric.kind": "fully_connected", "fabric.routing": "direct"})
    elif key.topology == "Switch":
        sets.update({"fabric.kind": "switch", "fabric.routing": "through", "fabric.local.bandwidth": "50 GiB/s",
                     "fabric.local.latency": "500 ns"})
    if key.topology != "Switch" and key.algorithm != "ring":  # several flows meet in a router: its ports and buffers must not show
        sets.update({"fabric.local.bandwidth": "16384 GB/s", "fabric.router.buffer_flits": 65535})
        if key.topology == "FullyConnected":
            sets["clock"] = "8 GHz"
    return sets


def in_turn_sets(key):
    """Messages one behind the other, as in ASTRA-sim's links: the oldest chunk first, the fewest VCs that the fabric takes."""
    return {"npu.message_order": "oldest_first", "fabric.router.vcs": 2 if key.topology == "Ring" else 1}


def task(options, key, more=None):
    sets = fabric_sets(key)
    sets.update(collective_sets(key.kind, key.size, key.splits, key.active, ALGORITHMS[key.algorithm]))
    sets.update(more or {})
    return functools.partial(runs.run, options.weft, CONFIG, sets)


def duration(result):
    collective = result[1][0]
    return float(collective["end_ns"]) - float(collective["start_ns"])


def times_of(options, keys, title, more_of=None):
    """{key: ns} of runs of Weft, the longest first."""
    keys = sorted(keys, key=lambda key: -key.npus * key.size)
    tasks = [task(options, key, more_of(key) if more_of else None) for key in keys]
    return dict(zip(keys, map(duration, runs.run_all(tasks, options.jobs, title))))
