# SPDX-License-Identifier: Apache-2.0
"""This module maps the paper's eight ratios over compute rate, sequence length and overlap, from the closed form alone."""
import csv
import dataclasses
import itertools

import fred_iteration
import runs
from fred_closed_form import PAPER
from fred_iteration import OVERLAPS, Options
from fred_workloads import WORKLOADS

TABLE = "docs/reference/fred_map.csv"
RATES = [1e15 * 2 ** (step / 3) for step in range(22)]  # from 1 to 128 PFLOP/s, three points an octave
SEQUENCES = [64 << step for step in range(8)]  # from 64 to 8192 tokens
BOUND = 0.10
RATIOS = [(name, fabric) for name in PAPER for fabric in "CD"]


@dataclasses.dataclass(frozen=True)
class Spot:
    """A point of the map; `off` has the distance from the paper of each of RATIOS, 0.1 for 10 % above it."""
    overlap: str
    rate: float
    sequence: int
    off: dict

    def kept(self):
        """It returns the ratios that lie within the bound."""
        return [ratio for ratio in self.off if abs(self.off[ratio]) <= BOUND]

    def keeps(self, *names):
        """It says whether both ratios of all these workloads lie within the bound."""
        return all(abs(off) <= BOUND for (name, _), off in self.off.items() if name in names)

    def worst(self):
        """It returns the ratio that is furthest from the paper."""
        return max(self.off, key=lambda ratio: abs(self.off[ratio]))


def with_sequence(workload, sequence):
    """It returns the workload with samples of `sequence` tokens; one without tokens is as it was."""
    if not hasattr(workload.model, "sequence"):
        return workload
    return dataclasses.replace(workload, model=dataclasses.replace(workload.model, sequence=sequence))


def spot_at(overlap, rate, sequence):
    """It returns one point. The sequence holds for all three transformers at once."""
    off = {}
    for name, fabric in RATIOS:
        workload = with_sequence(WORKLOADS[name], sequence)
        off[name, fabric] = fred_iteration.speed_up(workload, fabric, rate, Options(overlap=overlap)) / PAPER[name][fabric] - 1
    return Spot(overlap, rate, sequence, off)


def spots():
    """It returns all points of the map."""
    return [spot_at(*axes) for axes in itertools.product(OVERLAPS, RATES, SEQUENCES)]


def best(some):
    """It returns the point whose worst ratio is nearest to the paper."""
    return min(some, key=lambda spot: abs(spot.off[spot.worst()]))


def refined(spot, step=1 / 3, rounds=5):
    """It searches from a point of the map for one between the grid's points whose worst ratio is nearer to the paper."""
    for _ in range(rounds):
        step /= 2
        around = [spot_at(spot.overlap, spot.rate * 2 ** (step * x), max(1, round(spot.sequence * 2 ** (3 * step * y))))
                  for x in (-1, 0, 1) for y in (-1, 0, 1)]
        spot = best([spot, *around])
    return spot


def counts(some):
    """It returns {workload: (points that keep it, points that keep all other workloads)} and the points that keep everything."""
    table = {}
    for name in PAPER:
        others = [other for other in PAPER if other != name]
        table[name] = (sum(spot.keeps(name) for spot in some), sum(spot.keeps(*others) for spot in some))
    return table, sum(spot.keeps(*PAPER) for spot in some)


def own_sequences(some):
    """It returns {(overlap, rate): {workload: sequences that keep it}} of those rates at which every workload has one."""
    table = {}
    for spot in some:
        kept = table.setdefault((spot.overlap, spot.rate), {name: [] for name in PAPER})
        for name in PAPER:
            if spot.keeps(name):
                kept[name].append(spot.sequence)
    return {key: kept for key, kept in table.items() if all(kept.values())}


def write_table(some):
    """It writes the whole map as CSV, a row for each point."""
    with open(TABLE, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["overlap", "pflops", "sequence", *(f"{name} {fabric}" for name, fabric in RATIOS), "kept"])
        for spot in some:
            speed_ups = [f"{PAPER[name][fabric] * (1 + spot.off[name, fabric]):.3f}" for name, fabric in RATIOS]
            writer.writerow([spot.overlap, f"{spot.rate / 1e15:.3f}", spot.sequence, *speed_ups, len(spot.kept())])
    print(f"written: {TABLE}")


def verdict(some):
    """It says in words where all eight lie within the bound, or which workload forbids it."""
    table, whole = counts(some)
    if whole:
        at = [spot for spot in some if spot.keeps(*PAPER)]
        return (f"All eight ratios lie within {100 * BOUND:.0f} % at {whole} of {len(some)} points, from {min(s.rate for s in at) / 1e15:.2f} to "
                f"{max(s.rate for s in at) / 1e15:.2f} PFLOP/s.")
    most = max(len(spot.kept()) for spot in some)
    without = {name: others for name, (_, others) in table.items() if others}
    text = f"Nowhere on these {len(some)} points do all eight ratios lie within {100 * BOUND:.0f} %; at most {most} do. "
    if not without:
        return text + "No single workload forbids it: the other six never lie within it either, whichever is left out."
    named = ", ".join(f"{others} without {name}" for name, others in without.items())
    return (text + f"The other six do where one workload is left out, at these numbers of points: {named}. "
            f"The one that forbids it most often is {max(without, key=without.get)}.")


def own_sequence_table(some):
    """It returns the text on whether a sequence of its own for each model would do, with the least and greatest one of each."""
    found = own_sequences(some)
    if not found:
        return "A sequence of its own for each model does not help either: at no rate does every workload have one."
    names = [name for name in PAPER if hasattr(WORKLOADS[name].model, "sequence")]
    rows = [[overlap, f"{rate / 1e15:.2f}", *(f"{min(kept[name])} to {max(kept[name])}" for name in names)]
            for (overlap, rate), kept in found.items()]
    least = {name: max(max(kept[name]) for kept in found.values()) for name in names}
    shortest = min(least, key=least.get)
    return "\n".join([
        f"Where each model may have a sequence of its own, all eight lie within {100 * BOUND:.0f} % at these rates, with sequences in tokens; {shortest} "
        f"then has at most {least[shortest]}.", "", runs.table(["overlap", "PFLOP/s", *names], rows)])


def section(some):
    """It returns the text of the page."""
    rows = []
    for overlap in [*OVERLAPS, "all points"]:
        part = [spot for spot in some if overlap in (spot.overlap, "all points")]
        table, whole = counts(part)
        rows.append([overlap, len(part), *(f"{kept} / {others}" for kept, others in table.values()),
                     max(len(spot.kept()) for spot in part), whole])
    near = []
    for overlap in OVERLAPS:
        spot = refined(best([spot for spot in some if spot.overlap == overlap]))
        near.append([overlap, f"{spot.rate / 1e15:.2f}", spot.sequence, *(f"{100 * off:+.1f} %" for off in spot.off.values()),
                     " ".join(spot.worst())])
    return "\n".join([
        "## Map of the eight ratios", "",
        "This map comes from the closed form alone; no point of it is played. Its axes are the compute rate from 1 to 128 PFLOP/s, the sequence of all "
        "three transformers from 64 to 8192 tokens, and what overlaps: nothing, gradients that leave beside weights that come in (duplex), streams "
        "beside computing (stream), or also the DP phase and transfers between stages (all). `docs/reference/fred_map.csv` has every "
        "point. It is a study, and nothing in it is judged.", "", verdict(some), "",
        "![Ratios within 10 % over rate, sequence and overlap](plots/fred-map.svg)", "",
        "Each workload has the number of points that keep both of its ratios, and behind the stroke those that keep all ratios of the other three. "
        "`most` is the largest number of ratios that one point keeps.", "",
        runs.table(["overlap", "points", *PAPER, "most", "all eight"], rows), "",
        "For each overlap a search between the points of the grid, from the best of them, finds this rate and sequence, at which the worst of the eight "
        "ratios is nearest to the paper.", "",
        runs.table(["overlap", "PFLOP/s", "tokens", *(f"{name} {fabric}" for name, fabric in RATIOS), "worst"], near), "",
        own_sequence_table(some)])
