# SPDX-License-Identifier: Apache-2.0
"""All groups of a phase of MP(2)-DP(5)-PP(2) doing an all-reduce at the same time, and all-reduces of few bytes."""
import fred_runs
import runs

PHASES = {"mp": 2, "pp": 2, "dp": 5}  # ranks of a group
PAPER = {  # GB/s per NPU
    "mp": {"mesh": 750, "A": 3000, "B": 3000, "C": 3000, "D": 3000},
    "pp": {"mesh": 750, "A": 3000, "B": 3000, "C": 3000, "D": 3000},
    "dp": {"mesh": 750, "A": 375, "B": 375, "C": 3000, "D": 3000},
}
IN_SWITCH = "BD"
LINK = 750  # GB/s of the mesh
BOUND = 0.10
# Rings on the busiest link of the mesh, by hand from PLACEMENT: a pair of neighbours in a column or a row of its own has a link
# to itself; of the two PP pairs of a column, (row 0, row 2) and (row 1, row 3), both pass the link between rows 1 and 2.
FLOWS = {"mp": 1, "pp": 2, "dp": 1}
# Rank r = MP + 2 PP + 4 DP sits in column r / 4 and row r % 4 of the mesh: a DP group is a row.
PLACEMENT = [rank % 4 * 5 + rank // 4 for rank in range(fred_runs.NPUS)]


def case_of(fabric, phase):
    sets = {"workload.collective.parallelism": "[2,2,5]", "workload.collective.phase": phase,
            "workload.collective.size": "16 MiB"}
    if fabric == "mesh":
        sets.update({"workload.collective.algorithm": "ring", "npu.placement": str(PLACEMENT)})
    return fabric, sets


def study(options):
    """(text, faults)."""
    cases = {(fabric, phase): case_of(fabric, phase) for phase in PHASES for fabric in fred_runs.FABRICS}
    found = fred_runs.points(options, cases, "phases")
    rows, faults = [], []
    for phase, ranks in PHASES.items():
        for fabric in fred_runs.FABRICS:
            point = found[fabric, phase]
            flows, expected = "", PAPER[phase][fabric]
            if fabric == "mesh":
                # A ring sends 2 (n - 1) / n of the data over each of its links.
                flow = 2 * (ranks - 1) / ranks * point.bytes / fred_runs.FLIT
                flows = round(point.busiest_flits / flow)
                expected = LINK / FLOWS[phase]
                if flows != FLOWS[phase]:
                    faults.append(f"mesh {phase}: {flows} rings on the busiest link, by hand {FLOWS[phase]}")
            reached = 1000 * point.effective
            if abs(reached / expected - 1) > BOUND:
                faults.append(f"{fabric} {phase}: {reached:.0f} GB/s, expected {expected:.0f}")
            rows.append([phase, fabric, f"{point.time / 1000:.2f}", f"{point.sent_per_byte:.3f}", f"{reached:.0f}",
                         PAPER[phase][fabric], flows, f"{expected:.0f}", f"{100 * (reached / expected - 1):+.1f} %"])
    if found["A", "dp"].time <= found["mesh", "dp"].time:
        faults.append("A is not slower than the mesh in phase dp")
    saved = [1 - found[b, "dp"].sent_flits / found[a, "dp"].sent_flits for a, b in ("AB", "CD")]
    if any(abs(share - 0.375) > 0.005 for share in saved):
        faults.append(f"B and D send {saved} less than A and C in phase dp, not 37.5 %")
    ratio = found["A", "dp"].time / found["mesh", "dp"].time
    return text(rows, saved, ratio), faults


def text(rows, saved, ratio):
    return "\n".join([
        "### MP(2)-DP(5)-PP(2)", "",
        "All groups of a phase all-reduce 16 MiB each at the same time. On FRED ranks are placed MP first, then PP, then DP. "
        "On the mesh rank r = MP + 2 PP + 4 DP sits in column r / 4 and row r % 4, so that each DP group is a row and each "
        "MP and PP group is within a column. The two PP pairs of a column must then share its middle link, whatever the order "
        "of the four ranks in it; five 2x2 blocks, in which they would not, do not fit into 5x4.", "",
        "`GB/s` is what each NPU puts into the fabric, divided by the time. `flows` on the busiest link are counted: its "
        "flits, divided by those of one group's ring. They have to be those of the placement by hand, 1, 2 and 1, and on the mesh "
        "750 GB/s divided by these is expected. The paper's 750 for PP on the mesh need a placement that 5x4 does not have, so that "
        "375 are judged instead; all other rows are judged by what is published.", "",
        runs.table(["phase", "", "us", "sent", "GB/s", "paper", "flows", "expected", "difference"], rows), "",
        f"In phase DP A takes {ratio:.2f} times as long as the mesh: four groups share each trunk of 1.5 TB/s. "
        f"Flits that NPUs put into the fabric in phase DP: {100 * saved[0]:.1f} % less in B than in A, "
        f"{100 * saved[1]:.1f} % less in D than in C (1 - 1 / 1.6 = 37.5 %)."])


SIZES = [(512, "512 B"), (4096, "4 KiB"), (32 << 10, "32 KiB"), (128 << 10, "128 KiB"), (512 << 10, "512 KiB"),
         (1 << 20, "1 MiB")]


def latency(options):
    """(text, faults): small all-reduces, with pieces of at least 32 KiB."""
    def case(fabric, size):
        return fabric, {"workload.collective.size": f"{size} B",
                        "workload.collective.chunks": min(32, max(1, size >> 15)),
                        "workload.collective.active_chunks": 0}
    found = fred_runs.points(options, {(fabric, size): case(fabric, size) for fabric in fred_runs.FABRICS
                                       for size, _ in SIZES}, "latency")
    rows = [[name, *(f"{found[fabric, size].time / 1000:.3f}" for fabric in fred_runs.FABRICS)] for size, name in SIZES]
    faults = [f"{fabric}: {name} takes less time than the size before"
              for fabric in fred_runs.FABRICS for (size, name), (before, _) in zip(SIZES[1:], SIZES)
              if found[fabric, size].time < found[fabric, before].time]
    return "\n".join([
        "### Small all-reduces", "",
        "Time of a wafer-wide all-reduce in us against its size; 512 B are one flit. One piece up to 32 KiB, then pieces of "
        "32 KiB. B and D need one path up and one path down; the endpoints' algorithms take 14 steps of the mesh's two "
        "dimensions or of the two levels' rings.", "",
        runs.table(["size", *(name if name == "mesh" else f"FRED-{name}" for name in fred_runs.FABRICS)], rows)]), faults
