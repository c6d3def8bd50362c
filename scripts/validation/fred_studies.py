# SPDX-License-Identifier: Apache-2.0
"""Studies of FRED: buffers against the links' round trip, and the parameters that the paper does not give."""
import fred_plot
import fred_runs
import runs

KIB = [4, 8, 12, 16, 20, 24, 28, 32, 48, 64]
PACKET = 4  # KiB, 8 flits
STAGES = 7  # of a Fred_3(12)
# Cycles of a link of 20 ns out of a switch: as `weft check` has it for the link, and one for each further stage.
ROUND_TRIP = 59 + STAGES - 1
LINE = 3.0  # TB/s
BOUND = 0.05


def buffer(options):
    """(text, faults): all-reduce of 16 MiB in fred-d with other buffers."""
    def case(kib):
        return "D", {"workload.collective.size": "16 MiB",
                     **{f"fabric.levels[{level}].buffer": f"{kib} KiB" for level in (0, 1)}}
    found = fred_runs.points(options, {kib: case(kib) for kib in KIB}, "buffers")
    rows, faults, ours, predicted = [], [], [], []
    for kib in KIB:
        reached = found[kib].effective
        limit = min(LINE, LINE * (kib // PACKET) * 8 / ROUND_TRIP)
        ours.append(reached)
        predicted.append(limit)
        if abs(reached / limit - 1) > BOUND:
            faults.append(f"{kib} KiB: {reached:.2f} TB/s, expected {limit:.2f}")
        rows.append([kib, kib // PACKET, f"{reached:.3f}", f"{limit:.3f}", f"{100 * (reached / limit - 1):+.1f} %"])
    knee = ROUND_TRIP / 8 * PACKET
    if not options.only and not options.dry:
        fred_plot.buffers(KIB, ours, predicted, knee)
    return "\n".join([
        "### Buffers against a link of 20 ns", "", "![Throughput against buffers](plots/fred-buffer.svg)", "",
        "FRED-D, wafer-wide all-reduce of 16 MiB with `buffer` of each plane and traffic class changed at both levels. The room of a "
        "packet is used again 59 cycles after its first flit was sent into a switch (24 cycles each way, 8 flits, and the "
        f"registers between), and {ROUND_TRIP} on a link out of a switch, because a packet takes its credits before it "
        f"enters the {STAGES} stages of Fred_3(12), not behind them. So k packets of 8 flits carry 8 k / {ROUND_TRIP} of the "
        f"line rate until they cover it: the knee is at {knee:.1f} KiB per plane. The paper's 24 KiB per port are one "
        "packet of 4 KiB in each of 5 planes, and 4 KiB are left over.", "",
        runs.table(["KiB", "packets", "TB/s", "expected", "difference"], rows)]), faults


STUDY = {
    "as configured": {},
    "6 planes of 500 GB/s": {"clock": "976.5625 MHz", "fabric.levels[0].planes": 6},
    "3 planes of 1 TB/s": {"clock": "1953.125 MHz", "fabric.levels[0].planes": 3},
    "clock 2x, 5 planes": {"clock": "2343.75 MHz"},
    "clock 1/2, flits of 1 KiB": {"clock": "585.9375 MHz", "fabric.flit_bytes": "1 KiB"},
    "reduce_cycles 4": {"fabric.reduce_cycles": 4},
    "reduce_cycles 16": {"fabric.reduce_cycles": 16},
    "reconfig_cycles 0": {"reconfig": 0},
    "reconfig_cycles 10": {"reconfig": 10},
    "reconfig_cycles 100": {"reconfig": 100},
    "reconfig_cycles 1000": {"reconfig": 1000},
    "m 2": {"fabric.m": 2},
    "m 4": {"fabric.m": 4},
    "control several_phases": {"fabric.control": "several_phases"},
    "control one_tree": {"fabric.control": "one_tree"},
    "matching maximum": {"fabric.matching": "maximum"},
    "stage skid": {"fabric.stage": "skid"},
    "NPU links of 1 ns": {"fabric.local.latency": "1 ns"},
    "NPU links of 100 ns": {"fabric.local.latency": "100 ns"},
}


def parameters(options):
    """(text, faults): the chosen parameters of B and D, one at a time, and of C where they touch unicasts."""
    def sets(changes):
        changed = {path: value for path, value in changes.items() if path != "reconfig"}
        if "reconfig" in changes:
            changed.update({f"fabric.levels[{level}].reconfig_cycles": changes["reconfig"] for level in (0, 1)})
        return {"workload.collective.size": "16 MiB", **changed}
    cases = {(fabric, name): (fabric, sets(changes)) for name, changes in STUDY.items() for fabric in "BCD"}
    found = fred_runs.points(options, cases, "parameters")
    rows = []
    for name in STUDY:
        cells = [name]
        for fabric in "BCD":
            point, base = found[fabric, name], found[fabric, "as configured"]
            cells += [f"{point.time / 1000:.2f}", f"{100 * (point.time / base.time - 1):+.1f} %"]
        rows.append(cells)
    return "\n".join([
        "### Study: parameters that the paper does not give", "",
        "Nothing is judged here; the table shows what hangs on the choice of each.", "",
        "Wafer-wide all-reduce of 16 MiB in us, one parameter changed at a time. Buffers stay as they are, so that what makes a "
        "round trip longer than they cover costs throughput: adders of 16 cycles (a packet takes its credits before it "
        "enters the stages) and NPU links of 100 ns. In B the flow is striped over four uplinks with a stored setting "
        "each, between which a switch changes at the packet border; in D one uplink carries all of it.", "",
        runs.table(["", "B", "change", "C", "change", "D", "change"], rows)]), []
