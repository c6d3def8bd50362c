# SPDX-License-Identifier: Apache-2.0
"""Collectives that are series of flows: one flow after the other against several at once."""
import fred_runs
import runs

KINDS = ["reduce_scatter", "all_gather", "scatter", "all_to_all"]
PARTS = [(512, "512 B"), (4096, "4 KiB"), (16 << 10, "16 KiB"), (64 << 10, "64 KiB"), (256 << 10, "256 KiB"),
         (1 << 20, "1 MiB")]
ALGORITHMS = ["in_switch_series", "in_switch"]
MOST_LOSS = 0.06  # Several flows at once may cost so much; one round more of an all_to_all than planes costs 66 % with parts of 1 MiB.


def study(options):
    """(text, faults): times on FRED-D by the size of a part."""
    def case(kind, part, algorithm):
        size = part if kind == "all_gather" else part * fred_runs.NPUS
        return "D", {"workload.collective.kind": kind, "workload.collective.algorithm": algorithm,
                     "workload.collective.size": f"{size} B", "workload.collective.chunks": 1,
                     "workload.collective.active_chunks": 1}
    cases = {(kind, part, algorithm): case(kind, part, algorithm)
             for kind in KINDS for part, _ in PARTS for algorithm in ALGORITHMS}
    found = fred_runs.points(options, cases, "series")
    rows, faults = [], []
    for part, name in PARTS:
        row = [name]
        for kind in KINDS:
            series, at_once = (found[kind, part, algorithm].time / 1000 for algorithm in ALGORITHMS)
            row += [f"{series:.3f}", f"{at_once:.3f}"]
            if at_once > series * (1 + MOST_LOSS):
                faults.append(f"{kind} of parts of {name}: {at_once / series - 1:.1%} slower at once")
        rows.append(row)
    headings = ["part", *(f"{kind} {how}" for kind in KINDS for how in ("series", "at once"))]
    return "\n".join([
        "### Series of flows", "",
        "FRED-D, all 20 NPUs, one piece, in us against the size of a part: what one NPU gets of a reduce_scatter, gives to "
        "an all_gather, and what goes from one to another in a scatter and an all_to_all. Series: algorithm "
        "`in_switch_series`, in which each flow waits for the one before, and a unicast until the one before has left its "
        "sender. At once: `in_switch`, with all flows at once, and in an all_to_all as many rounds as a port has planes, 5. "
        "Parts of one packet of 4 KiB then use all planes, one each; in long ones only the way there and back between two "
        "flows is saved. An all_to_all with all rounds at once would be no faster for small parts and a third slower for "
        "those of 1 MiB, because several senders then meet at the ports of the receivers.", "",
        runs.table(headings, rows)]), faults
