# SPDX-License-Identifier: Apache-2.0
"""Times of collectives on rings, fully connected networks and switches against ASTRA-sim's analytical backends."""
import astrasim_judge
import astrasim_runs
import astrasim_study
import runs

NAMED = astrasim_judge.NAMED


def counted(verdicts):
    """Rows by reason, in words."""
    count = {}
    for verdict in verdicts:
        if verdict.good and verdict.reason:
            count[verdict.reason] = count.get(verdict.reason, 0) + 1
    return "; ".join(f"{reason} {number}" for reason, number in sorted(count.items(), key=lambda item: -item[1]))


def tables(keys, times, theirs, verdicts):
    """One table per topology and algorithm; a line has the rows of both backends."""
    parts = []
    for topology, algorithm in dict.fromkeys((key.topology, key.algorithm) for key in keys):
        cells = []
        for key in keys:
            if (key.topology, key.algorithm) != (topology, algorithm):
                continue
            line = [key.npus, key.kind, astrasim_study.size_text(key.size), key.splits, key.active, f"{times[key]:.0f}"]
            for backend in astrasim_runs.BACKENDS:
                verdict, time = verdicts.get((key, backend)), theirs[key][backend]
                line += [f"{time:.0f}", astrasim_study.difference(times[key], time), verdict.text()] if verdict else ["", "", ""]
            cells.append(line)
        parts.append(f"Topology {topology}, algorithm {algorithm}:\n\n" + runs.table(
            ["NPUs", "collective", "size", "splits", "active", "Weft", "unaware", "difference", "reason", "aware", "difference",
             "reason"], cells))
    return parts


def introduction(verdicts):
    close = sum(verdict.good and not verdict.reason for verdict in verdicts)
    bad = sum(not verdict.good for verdict in verdicts)
    most = max((abs(verdict.check) for verdict in verdicts if verdict.good), default=0)
    return f"""\
{len(verdicts)} rows are judged: {close} are within {100 * NAMED:.0f} % of ASTRA-sim's time, {len(verdicts) - close - bad} are \
further apart and have a reason that another time confirms, {bad} are unexplained.

Times are in ns, from issue to the last rank's end. `unaware` and `aware` are ASTRA-sim's congestion-unaware and congestion-aware \
backends; a difference is that of Weft from the time beside it. `splits` is the number of chunks, `active` the number of them that \
run at once. ASTRA-sim computes times of whole messages; Weft moves flits through routers and links, cycle by cycle. A Ring is a \
torus of one row. A Switch is one router whose links to the NPUs have 50 GiB/s and 500 ns, so that a path has two hops. Packets \
have 4 KiB and flits 512 B. In ASTRA-sim, routers and their ports take no time and queues have no end. For `direct` and \
`halvingDoubling` the routers of Ring and FullyConnected therefore have fast ports to their NPUs and buffers for whole messages, \
and those of FullyConnected have a clock of 8 GHz. With these, and for `ring` on FullyConnected, packets have one flit: 4 KiB, or \
512 B where messages are shorter than 64 KiB and NPUs fewer than 64 or the algorithm is `ring`. FullyConnected and Switch have one VC. These settings are made for the comparison and matter: with the \
routers of `configs/astrasim-ring-8.yaml` (4 VCs of 128 flits, ports of 512 GB/s) a direct all_gather of 1 MiB on a Ring of 64 NPUs \
takes 29.1 ms instead of 10.0 (aware: 10.3), and `direct` all_gathers on FullyConnected of 8 NPUs take 55 % longer than aware.

A row that is further apart than {100 * NAMED:.0f} % names its reason, and behind the colon stands the figure that confirms it. The \
figure is the difference of Weft from another time, and the row is unexplained if it is above {100 * NAMED:.0f} % (the greatest is \
{100 * most:.2f} %).

- `contention`: The congestion-unaware backend lets several active chunks use a link at once, each at full rate. The figure is the \
difference of the same run from the congestion-aware backend.
- `in turn`: Packets of several active chunks take turns on Weft's links, and ASTRA-sim's links carry one message behind the other. \
The figure is the difference of a second run from the congestion-aware backend. The second run has `npu.message_order: \
oldest_first` and the fewest VCs that the fabric takes, 2 on Ring and 1 otherwise, which puts messages one behind the other.
- Other reasons are confirmed by a model of links and messages in `scripts/validation/astrasim_model.py`, which knows the \
parameters of the network and no result of Weft. With ASTRA-sim's assumptions it must give ASTRA-sim's time within \
{100 * astrasim_judge.SAME_MODEL:.1f} %; two rows have a formula that is not known and differ by 1 and 2 %, all_reduce of 16 MiB by \
`direct` on a Ring of 4 and of 8 without congestion. Then one assumption after the other is changed into Weft's. The reason names \
those that move the model by more than {100 * astrasim_judge.MOVES:.0f} %, and the figure is the difference of Weft from the model \
with all of them changed:
  - `shared links`: Messages that meet on a link share it; the congestion-unaware backend gives each of them the full rate.
  - `cut-through`: A packet goes on when its first flit has come, and packets of several messages take turns; the congestion-aware \
backend stores a whole message before it goes on.
  - `both ways`: On a ring, half of the packets for the opposite NPU go in each direction, by a coin for each packet; ASTRA-sim sends \
all of them clockwise.
  - `shared VCs`: Packets of an NPU in both directions wait in the same 4 VCs of its router, each behind the one before it.
  - `other partners`: Halving and doubling for reduce_scatter and all_gather exchanges the largest messages with the farthest NPU; \
ASTRA-sim does so with the nearest.
  - `first reduction`: Weft reduces what each step of halving and doubling brings; ASTRA-sim does not reduce what the first one \
brings."""


def not_taken(rows):
    """The rows of the reference that no table has, with the reason."""
    switches = sum(row["topology"] == "Ring_Switch" for row in rows)
    exchanges = sum(row["topology"] == "Ring_Ring" and row["collective"] == "all_to_all" for row in rows)
    long = 2 * sum(map(astrasim_runs.too_long, astrasim_runs.reference_times()))
    return "\n".join([
        "These rows of `docs/reference/astrasim.csv` are not compared:", "",
        f"- {switches} rows of topology Ring_Switch: no fabric of Weft joins rings by switches.",
        f"- {exchanges} rows of topology Ring_Ring with all_to_all: `hierarchical_2d` has no all_to_all.",
        f"- {long} rows of an all_gather of 16 MiB by `direct` on 64 NPUs, topologies Ring and FullyConnected: each run takes minutes. "
        "Those of 1 MiB are in the tables."])


def validate(options):
    theirs = astrasim_runs.reference_times()
    judged = [(key, backend) for key in theirs for backend in astrasim_runs.BACKENDS
              if key.algorithm != "doubleBinaryTree" and not astrasim_runs.too_long(key)]
    rows = runs.chosen(judged, lambda row: astrasim_runs.name_of(*row), options, "astrasim")
    keys = list(dict.fromkeys(key for key, backend in rows))
    trees = [] if options.only else [key for key in theirs if key.algorithm == "doubleBinaryTree"]
    times = astrasim_runs.times_of(options, keys + trees, "astrasim")
    verdicts = astrasim_judge.judge(options, rows, times, theirs)
    parts = [introduction(verdicts.values()), *tables(keys, times, theirs, verdicts)]
    if not options.only:
        parts += [astrasim_study.double_binary_trees(theirs, times), astrasim_study.two_rings(options),
                  not_taken(astrasim_runs.reference_rows())]
    text = "\n\n".join(parts)
    print(text)
    print(f"rows by reason: {counted(verdicts.values())}")
    if not options.only and not options.dry:
        runs.write_part("astrasim", text)
    unexplained = [name for name, verdict in verdicts.items() if not verdict.good]
    for key, backend in unexplained:
        print(f"scripts/validate astrasim: {astrasim_runs.name_of(key, backend)}: {verdicts[key, backend].text()}")
    return not unexplained
