# SPDX-License-Identifier: Apache-2.0
"""Chakra traces of 8 and 16 ranks on FRED-D and on the mesh: all ranks finish, and what communication is exposed."""
import functools
import os

import fred_runs
import runs

RANKS = (8, 16)
FABRICS = {"mesh": "ring", "D": "in_switch"}


def traces(folder):
    """[(name, prefix, ranks, file of groups or None)] of the folders below `folder` that hold <prefix>.<rank>.et of 8 or 16 ranks."""
    found = []
    for path, folders, files in os.walk(folder):
        folders.sort()
        groups = os.path.join(path, "comm_group.json")
        for prefix in sorted(file[:-len(".0.et")] for file in files if file.endswith(".0.et")):
            ranks = sum(file.startswith(prefix + ".") and file.endswith(".et") for file in files)
            if ranks in RANKS:
                found.append((os.path.relpath(path, folder), os.path.join(path, prefix), ranks,
                              groups if os.path.exists(groups) else None))
    return found


def play(options, fabric, prefix, groups):
    # Nodes without a recorded duration take a roofline of 900 TFLOP/s and 3 TB/s, the NPU of the paper's kind.
    sets = {"workload.trace.chakra": os.path.abspath(prefix), "workload.trace.algorithm": FABRICS[fabric],
            "npu.peak_flops": "900 TFLOP/s", "npu.memory_bandwidth": "3 TB/s"}
    if groups:
        sets["workload.trace.groups"] = os.path.abspath(groups)
    return runs.run_tables(options.weft, fred_runs.CONFIGS[fabric], sets)[0]


def study(options):
    """(text, faults)."""
    title = ["### Traces", ""]
    if not options.traces:
        return "\n".join([*title, "No folder of traces was given (`--traces` or WEFT_TRACES), so none was played."]), []
    cases = [(trace, fabric) for trace in traces(options.traces) for fabric in FABRICS]
    tasks = [functools.partial(play, options, fabric, prefix, groups) for (_, prefix, _, groups), fabric in cases]
    found = dict(zip(cases, runs.run_all(tasks, options.jobs, "traces")))
    rows, faults = [], []
    for trace in traces(options.traces):
        cells = [trace[0], trace[2]]
        for fabric in FABRICS:
            summary = found[trace, fabric]
            if not summary["finished"] or len(summary["ranks"]) != trace[2]:
                faults.append(f"{trace[0]} on {fabric}: {summary['stop_text']}")
            cells += [f"{summary['time_ns'] / 1000:.1f}", f"{max(r['exposed_comm_ns'] for r in summary['ranks']) / 1000:.1f}"]
        cells.append(f"{found[trace, 'mesh']['time_ns'] / found[trace, 'D']['time_ns']:.2f}")
        rows.append(cells)
    return "\n".join([
        *title, "Training steps and workloads of 8 and 16 ranks, on the first NPUs of each wafer; collectives as rings on the mesh, "
        "in the switches of FRED-D. Times in us; `exposed` is the most communication that one rank could not hide behind "
        "compute. Compute without a recorded time takes 900 TFLOP/s and 3 TB/s.", "",
        runs.table(["trace", "ranks", "mesh", "exposed", "FRED-D", "exposed", "mesh / D"], rows)]), faults
