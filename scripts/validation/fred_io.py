# SPDX-License-Identifier: Apache-2.0
"""The I/O hot spot: 18 controllers stream to all NPUs, on the mesh and on FRED."""
import functools

import runs

MESH, FRED = "configs/mesh-wafer-io.yaml", "configs/fred-{}.yaml"
LINE, LINK = 128, 750  # GB/s of a controller and of a mesh link
TRUNK, FROM_ELSEWHERE = 1500, 15  # GB/s of a trunk of FRED-B, streams that most L1 switches get over it
SLOWEST = 0.98  # of its line that each stream must get below the knee
SHARED = 0.9  # of an equal share of the trunk that each stream must get
# description, config, overrides, streams on the busiest link (mesh) or None, least share of its line for each stream
CASES = [
    ("mesh, straight in first", MESH, {}, 9, None),
    ("mesh, X-Y", MESH, {"io.routing": "xy"}, 11, None),
    ("mesh, straight in first", MESH, {"io.bandwidth": "83 GB/s"}, 9, SLOWEST),
    ("mesh, X-Y", MESH, {"io.routing": "xy", "io.bandwidth": "68 GB/s"}, 11, SLOWEST),
    ("FRED-D", FRED.format("d"), {}, None, SLOWEST),
    ("FRED-B", FRED.format("b"), {}, None, SHARED * TRUNK / FROM_ELSEWHERE / LINE),
]


def study(options):
    """(text, faults)."""
    tasks = [functools.partial(runs.run_tables, options.weft, config, {"workload.io.size": "2 MiB", **sets})
             for _, config, sets, _, _ in CASES]
    rows, faults = [], []
    for (name, _, sets, streams, least), (summary, _) in zip(CASES, runs.run_all(tasks, options.jobs, "I/O")):
        found = summary["io"]
        line = found["line_gbps"]
        possible = f"{min(1, LINK / streams / line):.3f}" if streams else ""
        if name == "FRED-B":
            possible = f"{TRUNK / FROM_ELSEWHERE / line:.3f}"
        if streams is not None and found["busiest_link_streams"] != streams:
            faults.append(f"{name}: {found['busiest_link_streams']} streams on the busiest link, not {streams}")
        if least and found["slowest_steady_line_share"] < least:
            faults.append(f"{name} at {line:.0f} GB/s: a stream gets {found['slowest_steady_line_share']:.2f} of its line, "
                          f"not {least:.2f}")
        rows.append([name, f"{line:.0f}", "" if streams is None else f"{found['busiest_link_streams']:g}", possible,
                     f"{found['line_share']:.3f}", f"{found['slowest_steady_line_share']:.3f}"])
    return "\n".join([
        "### I/O hot spot", "",
        "18 controllers stream 2 MiB each to all 20 NPUs. `streams`: flits of the mesh's busiest link divided by those of one "
        f"stream. `possible`: the share of the line with which that link is full, 750 / 9 / {LINE} = 0.651 when left and right "
        f"borders go X then Y and top and bottom Y then X, 750 / 11 / {LINE} = 0.533 with plain X-Y. `share` is what all streams "
        "together reach, `slowest` what the slowest one gets while all run. The fastest lines that every stream keeps are 83 "
        "and 68 GB/s, 0.648 and 0.531 of the controllers' 128; beyond that routers do not serve streams alike. "
        "FRED-D has no hot spot at all. The trunks of FRED-B carry 14 or 15 streams from elsewhere, up to 1.92 TB/s on 1.5: "
        "`possible` is an equal share of them.", "",
        runs.table(["", "GB/s", "streams", "possible", "share", "slowest"], rows)]), faults
