# SPDX-License-Identifier: Apache-2.0
"""Collectives that ASTRA-sim and Weft carry out by different algorithms: shown beside each other, not judged."""
import functools

import astrasim_runs
import runs


def difference(ours, theirs):
    return f"{100 * (ours / theirs - 1):+.2f} %"


def size_text(size):
    return f"{size // 1048576} MiB"


def two_rings(options):
    """The rows of topology Ring_Ring, with the two-dimensional algorithm on a torus."""
    rows = [row for row in astrasim_runs.reference_rows() if row["topology"] == "Ring_Ring" and row["collective"] != "all_to_all"]
    tasks = []
    for row in rows:
        size_x, size_y = row["npus_per_dim"].split("x")
        bandwidth, latency = row["bandwidth_GBps"].split("_"), row["latency_ns"].split("_")
        sets = astrasim_runs.collective_sets(row["collective"], row["comm_size_bytes"], row["preferred_dataset_splits"],
                                             row["active_chunks_per_dim"], "hierarchical_2d")
        sets.update({
            "fabric.size": f"[{size_x}, {size_y}]",
            "fabric.link.bandwidth": f"{bandwidth[0]} GiB/s",
            "fabric.link.latency": f"{latency[0]} ns",
            "fabric.link_y.bandwidth": f"{bandwidth[1]} GiB/s",
            "fabric.link_y.latency": f"{latency[1]} ns",
        })
        tasks.append(functools.partial(runs.run, options.weft, astrasim_runs.CONFIG, sets))
    cells = []
    for row, result in zip(rows, runs.run_all(tasks, options.jobs, "two rings")):
        theirs, ours = float(row["finish_ns_max"]), astrasim_runs.duration(result)
        cells.append([row["collective"], size_text(int(row["comm_size_bytes"])), row["preferred_dataset_splits"],
                      row["active_chunks_per_dim"], f"{theirs:.0f}", f"{ours:.0f}", difference(ours, theirs)])
    return "\n".join([
        f"Study: two rings. These {len(rows)} rows are shown and not judged, because the algorithms are different ones. The network is a "
        "4x4 torus whose links have 100 GiB/s and 100 ns along x, 50 GiB/s and 500 ns along y; ASTRA-sim's times are those without "
        "congestion. ASTRA-sim takes each chunk over the fast ring first and a quarter of it over the slow one. `hierarchical_2d` sends "
        "half of each chunk over the slow ring first, so that both dimensions of a mesh of equal links are busy at once. Two active "
        "chunks do not share links in ASTRA-sim's times.", "",
        runs.table(["collective", "size", "splits", "active", "ASTRA-sim", "Weft", "difference"], cells)])


def double_binary_trees(theirs, times):
    """The rows of algorithm doubleBinaryTree."""
    keys = [key for key in theirs if key.algorithm == "doubleBinaryTree"]
    cells = [[key.topology, key.npus, f"{times[key]:.0f}"] +
             [cell for backend in astrasim_runs.BACKENDS
              for cell in (f"{theirs[key][backend]:.0f}", difference(times[key], theirs[key][backend]))] for key in keys]
    return "\n".join([
        f"Study: double binary trees. These {2 * len(keys)} rows are shown and not judged, because it is not known which trees ASTRA-sim "
        "builds and when it reduces. There, the whole chunk travels over each edge of a rank's tree; in Weft, half of the chunk travels "
        "over each of two trees. Every row is an all_reduce of 1 MiB in 4 chunks, one after the other.", "",
        runs.table(["topology", "NPUs", "Weft", "unaware", "difference", "aware", "difference"], cells)])
