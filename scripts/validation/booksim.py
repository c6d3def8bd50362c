# SPDX-License-Identifier: Apache-2.0
"""Mean packet latency and accepted throughput against BookSim 2."""
import csv
import functools
import math
import statistics

import runs

REFERENCE = "docs/reference/booksim2.csv"
CYCLES_PER_HOP = {"ref4": 4, "rc1": 5, "tailcredit": 4, "vc1": 4}
VARIANT_SETS = {
    "ref4": {},
    "rc1": {"fabric.router.routing_delay": 1},
    "tailcredit": {"fabric.router.vc_reuse": "tail_credit"},
    "vc1": {"fabric.router.vcs": 1},
}


def pattern_of(row):
    return row["traffic"].split("(")[0]


def hotspots_of(row):
    inner = row["traffic"].split("{{")[1].split("}")[0]
    return [int(node) for node in inner.split(",")]


def destinations(row, source):
    """{destination: probability} of a packet of `source`."""
    k = int(row["k"])
    x, y = source % k, source // k
    name = pattern_of(row)
    if name == "uniform":
        return {node: 1 / (k * k) for node in range(k * k)}
    if name == "hotspot":
        spots = hotspots_of(row)
        return {node: 1 / len(spots) for node in spots}
    target = {"transpose": (y, x), "bitcomp": (k - 1 - x, k - 1 - y), "neighbor": ((x + 1) % k, (y + 1) % k)}[name]
    return {target[1] * k + target[0]: 1.0}


def steps(row, here, there):
    """Signed moves along one dimension with their probabilities: dimension-order routing, shorter way round."""
    k = int(row["k"])
    if row["topology"] == "mesh":
        return [(there - here, 1.0)]
    up = (there - here) % k
    if 2 * up == k:
        return [(up, 0.5), (up - k, 0.5)]
    return [(up if 2 * up < k else up - k, 1.0)]


@functools.lru_cache(None)
def pattern_figures(topology, k, traffic):
    """(mean routers visited, rate at which the busiest link is full), from the pattern and the routes alone."""
    row = {"topology": topology, "k": k, "traffic": traffic}
    k = int(k)
    load, hops = {}, 0.0
    def add(key, share):
        load[key] = load.get(key, 0.0) + share
    for source in range(k * k):
        for destination, share in destinations(row, source).items():
            for dx, px in steps(row, source % k, destination % k):
                for dy, py in steps(row, source // k, destination // k):
                    p = share * px * py
                    hops += p * (abs(dx) + abs(dy) + 1)
                    x, y = source % k, source // k
                    for _ in range(abs(dx)):
                        add((x, y, "x", dx > 0), p)
                        x = (x + (1 if dx > 0 else -1)) % k
                    for _ in range(abs(dy)):
                        add((x, y, "y", dy > 0), p)
                        y = (y + (1 if dy > 0 else -1)) % k
                    add((x, y, "out"), p)
    return hops / (k * k), 1 / max(max(load.values()), 1.0)


def sets_of(row, seed):
    sets = {
        "fabric.kind": row["topology"],
        "fabric.routing": "xy" if row["topology"] == "mesh" else "dimension_order",
        "fabric.size": f"[{row['k']}, {row['k']}]",
        "workload.traffic.pattern": pattern_of(row),
        "workload.traffic.rate": row["rate_flits"],
        "workload.traffic.packet_flits": row["packet_size"],
        "workload.traffic.warmup_cycles": row["warmup_cycles"],
        "workload.traffic.measure_cycles": row["measured_cycles"],
        "seed": seed,
        **VARIANT_SETS[row["variant"]],
    }
    if pattern_of(row) == "hotspot":
        sets["workload.traffic.hotspots"] = str(hotspots_of(row))
    return sets


def saturation_rates(rows):
    """Per curve: accepted rate of its first saturated row, or the pattern's limit."""
    rates = {}
    for row in rows:
        key = curve_of(row)
        if row["status"] == "saturated":
            rates.setdefault(key, float(row["accepted_flits_per_node_cycle"]))
    for row in rows:
        rates.setdefault(curve_of(row), pattern_figures(row["topology"], row["k"], row["traffic"])[1])
    return rates


def curve_of(row):
    return row["variant"], row["topology"], row["k"], row["traffic"], row["packet_size"]


def name_of(row):
    return f"{row['variant']} {row['topology']} {row['k']}x{row['k']} {pattern_of(row)}"


def judge_latency(row, summaries, share):
    """(cells of the table, within bounds or None if the row is not judged)."""
    ours = statistics.mean(summary["latency_cycles"]["mean"] for summary in summaries)
    spread = statistics.stdev(summary["latency_cycles"]["mean"] for summary in summaries) if len(summaries) > 1 else 0
    exact_hops = pattern_figures(row["topology"], row["k"], row["traffic"])[0]
    theirs = float(row["avg_packet_latency"])
    sample = float(row["avg_hops"])
    note = ""
    if abs(sample / exact_hops - 1) > 0.003:
        theirs += CYCLES_PER_HOP[row["variant"]] * (exact_hops - sample)
        note = "hops"
    our_hops = statistics.mean(summary["avg_hops"] for summary in summaries)
    if abs(our_hops / exact_hops - 1) > 0.003:
        ours += CYCLES_PER_HOP[row["variant"]] * (exact_hops - our_hops)
        note = "hops"
    difference = ours / theirs - 1
    bound = 0.01 if share <= 0.6 else 0.05 if share <= 0.9 else None
    good = None if bound is None else abs(difference) <= bound
    # Our mean of n seeds less one seed of theirs scatters by spread * sqrt(1 + 1/n).
    if good is False and abs(ours - theirs) <= 2 * spread * math.sqrt(1 + 1 / len(summaries)):
        note = "spread"
    cells = [f"{theirs:.2f}", f"{ours:.2f}", f"{100 * difference:+.2f} %", f"{spread:.2f}",
             "" if bound is None else f"{100 * bound:.0f} %", note]
    return cells, good, note == "spread"


def judge_accepted(row, summaries):
    ours = statistics.mean(summary["accepted"] for summary in summaries)
    theirs = float(row["accepted_flits_per_node_cycle"])
    difference = ours / theirs - 1
    return [f"{theirs:.4f}", f"{ours:.4f}", f"{100 * difference:+.2f} %", "", "3 %", ""], abs(difference) <= 0.03, False


def validate(options):
    with open(REFERENCE, newline="") as file:
        rows = list(csv.DictReader(file))
    rates = saturation_rates(rows)
    rows = runs.chosen(rows, lambda row: f"{name_of(row)} {row['packet_size']} {row['rate_flits']}", options, "booksim")
    tasks = [functools.partial(runs.run, options.weft, "configs/booksim-ref4.yaml", sets_of(row, seed))
             for row in rows for seed in range(1, options.seeds + 1)]
    results = [summary for summary, _ in runs.run_all(tasks, options.jobs, "booksim")]
    latency, accepted, bad, within_spread = [], [], [], []
    for i, row in enumerate(rows):
        summaries = results[i * options.seeds:(i + 1) * options.seeds]
        share = float(row["rate_flits"]) / rates[curve_of(row)]
        head = [name_of(row), row["packet_size"], row["rate_flits"]]
        if row["status"] == "saturated":
            cells, good, spread = judge_accepted(row, summaries)
            accepted.append(head + cells[:3] + [cells[4]])
        else:
            cells, good, spread = judge_latency(row, summaries, share)
            latency.append(head + [f"{100 * share:.0f} %"] + cells)
        if good is False:
            (within_spread if spread else bad).append(" ".join(head))
    judged = sum(1 for row in latency if row[8]) + len(accepted)
    text = report(latency, accepted, judged, bad, within_spread, options.seeds)
    print(text)
    if not options.only and not options.dry:
        runs.write_part("booksim", text)
    return not bad


def report(latency, accepted, judged, bad, within_spread, seeds):
    good = judged - len(bad) - len(within_spread)
    lines = [f"{len(latency) + len(accepted)} rows, {seeds} seeds each; {good} of {judged} judged rows are within their "
             "bound."]
    if within_spread:
        lines.append("Outside the bound, but by less than two standard deviations of the difference, which the spread over seeds gives (the reference is one seed): "
                     + "; ".join(within_spread) + ".")
    if bad:
        lines.append("Outside the bound: " + "; ".join(bad) + ".")
    lines += ["", "Mean packet latency in cycles. `load` is the rate as a share of the curve's saturation; the bound is 1 %"
              " up to 60 % of it, 5 % up to 90 %, none beyond. `spread` is the standard deviation of our seeds. `hops`"
              " marks rows where a sample of destinations was off by more than 0.3 % in hops and is corrected to the"
              " pattern's exact mean.", "",
              runs.table(["curve", "flits", "rate", "load", "BookSim 2", "Weft", "difference", "spread", "bound", ""],
                         latency), "",
              "Accepted throughput past saturation, flits/node/cycle.", "",
              runs.table(["curve", "flits", "rate", "BookSim 2", "Weft", "difference", "bound"], accepted)]
    return "\n".join(lines)
