# SPDX-License-Identifier: Apache-2.0
"""Memory of NPUs and outside the wafer: the roofline of HBM3 and experts from a pool, at two sizes each."""
import functools
import json
import os
import subprocess
import tempfile

import runs

ROOFLINE, MOE = "configs/hbm-roofline.yaml", "configs/pool-moe.yaml"
# GB/s: 32 channels of 32 bytes in 2 cycles of 1.6 GHz, less (tRP + tRFC + tRCD) of every tREFI
DRAM = 819.2 * (1 - (14 + 350 + 12) / 3900)
FLOPS = 128e12
MAKE = ["trace", "gen", "moe", "--layers", "2", "--d-model", "1024", "--d-ff", "4096", "--seq", "512", "--batch", "20",
        "--npus", "20", "--experts", "20", "--top-k", "2", "--experts-from-pool"]
STABLE = 0.05


def roofline_trace(prefix, size):
    """12 pieces of work that move `size` bytes each; their time in us by hand."""
    nodes = [{"Id": k, "Name": f"intensity_{2 ** k}", "NodeType": 4, "num_ops": size * 2 ** k, "tensor_size": size,
              **({"data_deps": [k - 1]} if k else {})} for k in range(12)]
    os.makedirs(os.path.dirname(prefix))
    with open(f"{prefix}.0.json", "w") as file:
        json.dump({"workload_graph": nodes}, file)
    return sum(max(size / DRAM / 1e3, size * 2 ** k / FLOPS * 1e6) for k in range(12))


def study(options):
    """(text, faults)."""
    rows, faults, tasks, hands = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for size in (4 << 20, 8 << 20):
            prefix = os.path.join(folder, f"roofline{size}", "t")
            hands.append(roofline_trace(prefix, size))
            tasks.append(functools.partial(runs.run_tables, options.weft, ROOFLINE, {"workload.trace.chakra": prefix}))
        for scale in (8, 4):
            prefix = os.path.join(folder, f"moe{scale}", "t")
            subprocess.run([options.weft, *MAKE, "--scale", str(scale), "--out", prefix], check=True,
                           stdout=subprocess.DEVNULL)
            sets = {"workload.trace.chakra": prefix,
                    "workload.trace.groups": os.path.join(os.path.dirname(prefix), "comm_group.json")}
            tasks.append(functools.partial(runs.run_tables, options.weft, MOE, sets))
        results = [summary for summary, _ in runs.run_all(tasks, options.jobs, "memory")]
    times = [summary["time_ns"] / 1000 for summary in results]
    for size, time, hand in zip(("4 MiB", "8 MiB"), times, hands):
        if abs(time / hand - 1) > 0.01:
            faults.append(f"roofline of {size}: {time:.1f} us, by hand {hand:.1f}")
        rows.append([f"hbm-roofline, {size}", f"{time:.1f}", f"{hand:.1f}", f"{time / hand:.3f}"])
    for scale, time, summary in zip((8, 4), times[2:], results[2:]):
        wanted = 20 * 4 * (2 * 1024 * 4096 * 2 // scale)
        if summary["io_memory"]["bytes_in"] != wanted:
            faults.append(f"pool-moe: {summary['io_memory']['bytes_in']} bytes in, not {wanted}")
        rows.append([f"pool-moe, 1/{scale}", f"{time:.1f}", "", f"{summary['io_memory']['line_share']:.3f}"])
    growth = times[3] / times[2]
    if abs(growth / 2 - 1) > STABLE:
        faults.append(f"pool-moe of twice the size takes {growth:.2f} times as long")
    return "\n".join([
        "### Memory", "",
        f"Work of 1 to 2048 operations per byte on one NPU with HBM3, against both roofs by hand (128 TFLOP/s, {DRAM:.0f} GB/s: "
        "the peak of 819 less (tRP + tRFC + tRCD) / tREFI); `ratio` is time / hand. A mixture of experts on FRED-D whose experts are loaded from the "
        "pool before every use; `ratio` is the share of all lines while loads are under way. Bytes in are those of the hand "
        f"calculation. Twice the size takes {growth:.2f} times as long.", "",
        runs.table(["", "time us", "by hand", "ratio"], rows)]), faults
