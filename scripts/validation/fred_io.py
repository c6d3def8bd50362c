# SPDX-License-Identifier: Apache-2.0
"""The I/O hot spot: 18 controllers stream to all NPUs, on the mesh and on FRED."""
import functools

import runs

MESH, FRED = "configs/mesh-wafer-io.yaml", "configs/fred-{}.yaml"
LINE, LINK = 128, 750  # GB/s of a controller and of a mesh link
SLOWEST = 0.98  # of its line that each stream must get below the knee
# description, config, overrides, streams on the busiest link (mesh) or None, whether each stream keeps its line
CASES = [
    ("mesh, straight in first", MESH, {}, 9, False),
    ("mesh, X-Y", MESH, {"io.routing": "xy"}, 11, False),
    ("mesh, straight in first", MESH, {"io.bandwidth": "83 GB/s"}, 9, True),
    ("mesh, X-Y", MESH, {"io.routing": "xy", "io.bandwidth": "68 GB/s"}, 11, True),
    ("FRED-D", FRED.format("d"), {}, None, True),
    ("FRED-B", FRED.format("b"), {}, None, False),
]


def study(options):
    """(text, faults)."""
    tasks = [functools.partial(runs.run_tables, options.weft, config, {"workload.io.size": "2 MiB", **sets})
             for _, config, sets, _, _ in CASES]
    rows, faults = [], []
    for (name, _, sets, streams, keeps), (summary, _) in zip(CASES, runs.run_all(tasks, options.jobs, "I/O")):
        found = summary["io"]
        line = found["line_gbps"]
        possible = "" if streams is None else f"{min(1, LINK / streams / line):.3f}"
        if streams is not None and found["busiest_link_streams"] != streams:
            faults.append(f"{name}: {found['busiest_link_streams']} streams on the busiest link, not {streams}")
        if keeps and found["slowest_steady_line_share"] < SLOWEST:
            faults.append(f"{name} at {line:.0f} GB/s: a stream gets {found['slowest_steady_line_share']:.2f} of its line")
        rows.append([name, f"{line:.0f}", "" if streams is None else f"{found['busiest_link_streams']:g}", possible,
                     f"{found['line_share']:.3f}", f"{found['slowest_steady_line_share']:.3f}"])
    return "\n".join([
        "### I/O hot spot", "",
        "18 controllers stream 2 MiB each to all 20 NPUs. `streams`: flits of the mesh's busiest link divided by those of one "
        f"stream. `possible`: the share of the line with which that link is full, 750 / 9 / {LINE} = 0.651 when left and right "
        f"borders go X then Y and top and bottom Y then X, 750 / 11 / {LINE} = 0.533 with plain X-Y. `share` is what all streams "
        "together reach, `slowest` what the slowest one gets while all run. Beyond the knee links do not serve streams "
        "alike; below it (83 and 68 GB/s) each stream keeps its line. FRED-D has no hot spot at all. The trunks of FRED-B "
        "(1.5 TB/s) cannot carry the 14 or 15 streams from elsewhere, up to 1.92 TB/s; that is no hot spot but too thin "
        "a trunk.", "",
        runs.table(["", "GB/s", "streams", "possible", "share", "slowest"], rows)]), faults
