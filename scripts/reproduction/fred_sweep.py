# SPDX-License-Identifier: Apache-2.0
"""This module has the paper's sweep of strategies from the closed form, beside the averages that the paper publishes."""
import math

import fred_iteration
import runs
from fred_closed_form import PAPER, PAPER_SWEEP
from fred_fabric import NPUS, Strategy
from fred_workloads import WORKLOADS, strategies

BOUND = 0.10  # The paper's averages are compared with this distance.
FITTED = "Transformer-17B"
EXPECTED_RATE = (5e15, 6e15)  # This judges the rate at which the sweep of Transformer-17B has the paper's average.
UNALIGNED = Strategy(3, 3, 2)  # It leaves two of the 20 NPUs out.
BEST_IN_PAPER = {"Transformer-17B": Strategy(20, 1, 1), "Transformer-1T": Strategy(5, 1, 4)}


def points(name, rate):
    """It returns the rows of fred_iteration.sweep() for all 18 strategies and for the unaligned one."""
    return fred_iteration.sweep(WORKLOADS[name], rate, among=[*strategies(), UNALIGNED])


def mean(rows):
    return fred_iteration.averages(rows)["mean of speed-ups"]


def rate_of_mean(name, wanted, low=1e14, high=1e19):
    """It returns the rate at which the mean speed-up is `wanted`, or None where no rate gives it."""
    if not mean(points(name, low)) < wanted < mean(points(name, high)):
        return None
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if mean(points(name, middle)) < wanted else (low, middle)
    return math.sqrt(low * high)


def rank(rows, strategy, column):
    """It returns the place of a strategy among all, 1 for the fastest. Column 1 has times on the mesh, 2 on D."""
    ordered = sorted(rows, key=lambda row: row[column])
    return 1 + [row[0] for row in ordered].index(strategy)


def needed_factor(rows, strategy):
    """It returns how much faster than in the best strategy an NPU would have to compute in `strategy` for both to take as long on D."""
    best = min(rows, key=lambda row: row[2])
    other = next(row for row in rows if row[0] == strategy)
    return (other[2] - other[4]) / (best[2] - other[4]) if best[2] > other[4] else math.inf


def judge(rate):
    """It returns the faults of the rate that fits the sweep."""
    low, high = EXPECTED_RATE
    if rate is None or not low <= rate <= high:
        has = "no rate gives" if rate is None else f"{rate / 1e15:.2f} PFLOP/s give"
        return [f"sweep of {FITTED}: {has} the paper's average, expected are {low / 1e15:.0f} to {high / 1e15:.0f}"]
    return []


def averages_table(rates):
    rows = []
    for name, (time, exposed) in PAPER_SWEEP.items():
        for what, rate in rates:
            found = fred_iteration.averages(points(name, rate))
            speed_up, hidden = found["mean of speed-ups"], found["mean of exposed"]
            fitted = what == "sweep" and name == FITTED
            near = "fitted" if fitted else "yes" if abs(speed_up / time - 1) <= BOUND else "no"
            rows.append([name, what, f"{rate / 1e15:.2f}", f"{speed_up:.2f}", time, f"{100 * (speed_up / time - 1):+.1f} %", near,
                         f"{hidden:.2f}", exposed, f"{100 * (hidden / exposed - 1):+.1f} %"])
    return runs.table(["workload", "fitted to", "PFLOP/s", "speed-up", "paper", "distance", "within 10 %", "exposed", "paper", "distance"], rows)


def strategies_table(rate):
    of = {name: {row[0]: row for row in points(name, rate)} for name in PAPER_SWEEP}
    rows = []
    for strategy in [*strategies(), UNALIGNED]:
        cells = [str(strategy)]
        for rows_of in of.values():
            row = rows_of[strategy]
            cells += [*(f"{1e3 * value:.4g}" for value in row[1:]), f"{row[1] / row[2]:.2f}"]
        rows.append(cells)
    return runs.table(["strategy", *(title for short in ("17B", "1T") for title in
                                     (f"{short} mesh", "D", "exposed, mesh", "exposed, D", "speed-up"))], rows)


def best_text(name, rate):
    """It says which places the paper's best strategy gets, and why."""
    rows, strategy = points(name, rate), BEST_IN_PAPER[name]
    first = min(rows, key=lambda row: row[2])
    row = next(row for row in rows if row[0] == strategy)
    factor = needed_factor(rows, strategy)
    return (f"{name}: the paper's best is {strategy}; here it takes place {rank(rows, strategy, 1)} of {len(rows)} on the mesh and "
            f"{rank(rows, strategy, 2)} on D, and {first[0]} is the best on D. A sample takes {1e3 * (row[2] - row[4]):.3g} ms of computing and bubble and "
            f"{1e3 * row[4]:.3g} ms of exposed communication with {strategy}, {1e3 * (first[2] - first[4]):.3g} and {1e3 * first[4]:.3g} ms with {first[0]}. "
            + (f"An NPU would have to compute {factor:.2f} times as fast with it as in that row for both to be equal."
               if factor < math.inf else f"Its communication alone takes longer than all of {first[0]}, so that no rate of computing makes them equal."))


def section():
    """It returns (text, faults)."""
    sweep_rate = rate_of_mean(FITTED, PAPER_SWEEP[FITTED][0])
    faults = judge(sweep_rate)
    if sweep_rate is None:
        return "## Sweep of strategies\n\n" + faults[0] + ".", faults
    rates = [("one iteration", fred_iteration.fit(WORKLOADS[FITTED], "D", PAPER[FITTED]["D"])), ("sweep", sweep_rate)]
    other = "Transformer-1T"
    wanted = rate_of_mean(other, PAPER_SWEEP[other][0])
    text = ("At no rate does the sweep of Transformer-1T have the paper's average." if wanted is None else
            f"The sweep of {other} has the paper's average at {wanted / 1e15:.1f} PFLOP/s.")
    low, high = EXPECTED_RATE
    return "\n".join([
        "## Sweep of strategies", "",
        f"All 18 ordered factorisations of {NPUS} and {UNALIGNED}, which takes 18 of the {NPUS} NPUs, from the closed form alone and without overlap; none is "
        "played. Times are divided by the minibatch, and the mesh takes the placement that suits each strategy best. The speed-up is that of D over "
        "the mesh, `exposed` how much less of its communication is exposed, each as the mean over all strategies. The rate is that at which one "
        f"iteration of {FITTED} has the paper's {PAPER[FITTED]['D']}, or that at which its sweep has {PAPER_SWEEP[FITTED][0]}. "
        f"The second rate is judged: it has to lie between {low / 1e15:.0f} and {high / 1e15:.0f} PFLOP/s. The other rows show what follows, and say "
        f"whether that is within {100 * BOUND:.0f} % of the paper. {text}", "",
        averages_table(rates), "",
        "No rate changes how much less communication is exposed, as nothing overlaps. "
        "At a rate that does not depend on the strategy all strategies without a bubble compute for the same time, so that the one with the least communication "
        "is the best, and that is DP20. " + " ".join(best_text(name, sweep_rate) for name in PAPER_SWEEP)
        + " The paper says neither how well NPUs compute with matrices that MP has split nor what fits into their memory.", "",
        f"These are all strategies at {sweep_rate / 1e15:.2f} PFLOP/s in ms for one sample.", "", strategies_table(sweep_rate)]), faults
