# SPDX-License-Identifier: Apache-2.0
"""This module holds the paper's eight ratios beside those at one rate, which is fitted to ResNet-152 on FRED-D without overlap."""
import fred_iteration
import runs
from fred_closed_form import PAPER
from fred_simulated import MAXIMUM
from fred_workloads import WORKLOADS

FITTED = "ResNet-152"
BOUND = 0.10  # This judges the played ratios that are not fitted.


def closed_form_rate():
    """It returns the rate at which the closed form of ResNet-152 has the paper's D over the mesh."""
    return fred_iteration.fit(WORKLOADS[FITTED], "D", PAPER[FITTED]["D"])


def percent(found, wanted):
    return f"{100 * (found / wanted - 1):+.1f} %"


def played_rows(found):
    """It returns (rows, faults) of the simulated ResNet-152. `found` has a Point for each fabric, at the fitted rate."""
    rows, faults = [], []
    for name in ("C", MAXIMUM, "D"):
        paper, speed_up = PAPER[FITTED][name.split(",")[0]], found["mesh"].total / found[name].total
        fitted = name == "D"
        rows.append([FITTED, f"{name}, greedy" if name == "C" else name, f"{speed_up:.3f}", f"{paper:.2f}", percent(speed_up, paper),
                     "fitted" if fitted else f"{100 * BOUND:.0f} %"])
        if not fitted and abs(speed_up / paper - 1) > BOUND:
            faults.append(f"{FITTED} on {name} at one rate: {speed_up:.3f} times the mesh, in the paper {paper:.2f}")
    return rows, faults


def form_rows(rates):
    """It returns rows of all eight ratios from the closed form, with a pair of columns for each rate."""
    rows = []
    for name, paper in PAPER.items():
        for fabric in "CD":
            speed_ups = [fred_iteration.speed_up(WORKLOADS[name], fabric, rate) for rate in rates]
            rows.append([name, fabric, f"{paper[fabric]:.2f}", *(cell for each in speed_ups for cell in
                                                                   (f"{each:.3f}", percent(each, paper[fabric])))])
    return rows


def section(played):
    """It returns (text, faults); `played` is (fitted rate, {fabric: Point}) of the simulated ResNet-152."""
    rate, found = played
    rows, faults = played_rows(found)
    form_rate = closed_form_rate()
    titles = [title for each in (form_rate, rate) for title in (f"{each / 1e15:.2f} PFLOP/s", "distance")]
    return "\n".join([
        "## One rate for all", "",
        f"With one rate for all four workloads, fitted to {FITTED} on FRED-D without overlap, the simulation implies {rate / 1e15:.2f} PFLOP/s "
        f"per NPU and the closed form {form_rate / 1e15:.2f}. They differ because the simulated mesh takes longer than its bandwidths alone. "
        "Nothing else is tuned. This table is played and judged by the bound in its last column.", "",
        runs.table(["workload", "fabric", "speed-up", "paper", "distance", "bound"], rows), "",
        "The closed form has all eight ratios at both rates. It knows no matching of unicasts, so that it has one figure for C. Nothing in this "
        "table is judged: it shows how far one rate carries.", "",
        runs.table(["workload", "fabric", "paper", *titles], form_rows((form_rate, rate)))]), faults
