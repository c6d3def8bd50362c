# SPDX-License-Identifier: Apache-2.0
"""The I/O hot spot: 18 controllers stream to all NPUs, on the mesh and on FRED."""
import functools

import runs

MESH, FRED = "configs/mesh-wafer-io.yaml", "configs/fred-{}.yaml"
LINE, LINK = 128, 750  # GB/s of a controller and of a mesh link
UPLINK, ON_ONE = 375, 4  # GB/s of an uplink of FRED-B, most streams on one: an L1 switch gets 14 or 15 over four
SLOWEST = 0.98  # of its line that each stream must get below the knee
SHARED = 0.98  # of an equal share of that uplink that each stream must get
IN_STEP = 0.985  # of what the busiest link allows that streams in step must reach together
FREE = {"workload.io.window": "0 B"}
WINDOW = {"workload.io.window": "64 KiB", "workload.io.window_latency": "100 ns"}  # those of the mesh
# A window of 64 KiB covers the way there and back, some 210 ns (100 ns of the window, four links of 20 ns, three switches), at
# 128 GB/s twice, so that streams in step keep their lines but for turns of planes.
FRED_IN_STEP = 0.95
XY = {"io.routing": "xy"}
# description, config, overrides, streams on the busiest link (mesh) or None, least share of its line for each stream,
# least part of the possible share for all
CASES = [
    ("mesh, straight in first", MESH, {}, 9, None, IN_STEP),
    ("mesh, X-Y", MESH, XY, 11, None, IN_STEP),
    ("mesh, straight in first", MESH, {"io.bandwidth": "83 GB/s"}, 9, SLOWEST, IN_STEP),
    ("mesh, X-Y", MESH, {**XY, "io.bandwidth": "68 GB/s"}, 11, SLOWEST, IN_STEP),
    ("mesh, straight in first, not in step", MESH, FREE, 9, None, 0),
    ("mesh, X-Y, not in step", MESH, {**XY, **FREE}, 11, None, 0),
    ("FRED-D", FRED.format("d"), {}, None, SLOWEST, 0),
    ("FRED-D, in step", FRED.format("d"), WINDOW, None, FRED_IN_STEP, 0),
    ("FRED-B", FRED.format("b"), {}, None, SHARED * UPLINK / ON_ONE / LINE, 0),
    ("FRED-B, in step", FRED.format("b"), WINDOW, None, SHARED * UPLINK / ON_ONE / LINE, 0),
]


def study(options):
    """(text, faults)."""
    tasks = [functools.partial(runs.run_tables, options.weft, config, {"workload.io.size": "2 MiB", **sets})
             for _, config, sets, *_ in CASES]
    rows, faults = [], []
    for (name, _, _, streams, least, part), (summary, _) in zip(CASES, runs.run_all(tasks, options.jobs, "I/O")):
        found = summary["io"]
        line = found["line_gbps"]
        possible = min(1, LINK / streams / line) if streams else None
        if name.startswith("FRED-B"):
            possible = UPLINK / ON_ONE / line
        if streams is not None and found["busiest_link_streams"] != streams:
            faults.append(f"{name}: {found['busiest_link_streams']} streams on the busiest link, not {streams}")
        if least and found["slowest_steady_line_share"] < least:
            faults.append(f"{name} at {line:.0f} GB/s: a stream gets {found['slowest_steady_line_share']:.2f} of its line, "
                          f"not {least:.2f}")
        if part and found["line_share"] < part * possible:
            faults.append(f"{name} at {line:.0f} GB/s: all streams get {found['line_share']:.3f} of their lines, "
                          f"possible are {possible:.3f}")
        rows.append([name, f"{line:.0f}", "" if streams is None else f"{found['busiest_link_streams']:g}",
                     "" if possible is None else f"{possible:.3f}",
                     f"{found['line_share']:.3f}", f"{found['slowest_steady_line_share']:.3f}"])
    return "\n".join([
        "### I/O hot spot", "",
        "18 controllers stream 2 MiB each to all 20 NPUs. `streams`: flits of the mesh's busiest link divided by those of one "
        f"stream. `possible`: the share of the line with which that link is full, 750 / 9 / {LINE} = 0.651 when left and right "
        f"borders go X then Y and top and bottom Y then X, 750 / 11 / {LINE} = 0.533 with plain X-Y. `share` is what all streams "
        "together reach until the last one ends, `slowest` what the slowest one gets while all run. On the mesh streams go in "
        "step: NPUs have room for 64 KiB of each. Not in step, routers do not serve streams alike, and the busiest links "
        "stand idle when only some are left. FRED is shown both ways, too: streams run freely, or in step with the window of the mesh. "
        "Every stream keeps lines of up to 83 and 68 GB/s, 0.648 and 0.531 of 128. "
        "FRED-D has no hot spot at all. The trunks of FRED-B carry 14 or 15 streams from elsewhere over four uplinks of 375 GB/s, of which each stream "
        "takes one: `possible` is the share of four streams on one uplink.", "",
        runs.table(["", "GB/s", "streams", "possible", "share", "slowest"], rows)]), faults
