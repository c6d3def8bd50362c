# SPDX-License-Identifier: Apache-2.0
"""This module splits the time of the rank that ends last into computing and the communication that it waits for, from a run's log.

The log has what the rank did and when (`log.level: ranks`). While it computes nothing else counts, so that only exposed communication is left
for the phases. A wait for another stage of the pipeline is a transfer or the bubble; the log does not tell them apart.
"""
import json
import os
import sqlite3

import runs

PARTS = ("compute", "mp", "dp", "pp", "other")  # Of what goes on at the same time the first one counts.
TITLES = {"compute": "compute", "mp": "MP", "dp": "DP", "pp": "PP and bubble", "other": "other"}


def split(spans, end):
    """It returns the time of each part from 0 to `end`. `spans` are (part, begin, end)."""
    steps = sorted([(begin, part, 1) for part, begin, _ in spans] + [(stop, part, -1) for part, _, stop in spans])
    found, open_spans, at = dict.fromkeys(PARTS, 0), dict.fromkeys(PARTS, 0), 0
    for time, part, change in [*steps, (end, "other", 0)]:
        running = next((each for each in PARTS if open_spans[each]), "other")
        found[running] += max(0, min(time, end) - at)
        at = max(at, min(time, end))
        open_spans[part] += change
    return found


def phases_of(folder):
    """It returns {group: mp, dp or pp} of the traces in `folder`."""
    with open(os.path.join(folder, "group_phases.json")) as file:
        return {group: phase for phase, groups in json.load(file).items() for group in groups}


def read(results, phases):
    """It returns the shares of the parts in the time of the rank that ends last, from the log in the folder `results`."""
    log = sqlite3.connect(os.path.join(results, "log.sqlite"))
    rank, end = log.execute("SELECT rank, max(end_cycle) FROM activity WHERE rank IS NOT NULL GROUP BY rank ORDER BY 2 DESC, 1 LIMIT 1").fetchone()
    rows = log.execute("SELECT activity.kind, start_cycle, end_cycle, (SELECT comm_group FROM collective WHERE id = activity.collective) FROM activity "
                       "WHERE rank = ? AND kind IN ('compute', 'collective', 'send', 'receive')", (rank,)).fetchall()
    log.close()
    found = split([("compute" if kind == "compute" else phases[group] if kind == "collective" else "pp", begin, stop)
                   for kind, begin, stop, group in rows], end)
    return {part: time / end for part, time in found.items()}


def bars_of(played):
    """It returns [(workload, fabric, {part: its time over all of the mesh's})]. `played` has (name, {fabric: Point})."""
    return [(name, fabric, {part: share * point.total / found["mesh"].total for part, share in point.parts.items()})
            for name, found in played for fabric, point in found.items()]


def of_form(form):
    """It returns the parts of a closed form in ms. The bubble is a wait for another stage."""
    seconds = {"compute": form.compute, "mp": form.mp, "dp": form.dp, "pp": form.pp + form.bubble, "other": form.stream + form.load}
    return {part: 1e3 * time for part, time in seconds.items()}


def section(played, forms):
    """It returns the text of the table. `forms` has {workload: {fabric: closed form}}."""
    meshes = {name: found["mesh"].total for name, found in played}
    rows = []
    for name, fabric, parts in bars_of(played):
        of_this = of_form(forms[name][fabric])
        for title, shares in ((fabric, parts), ("by the form", {part: time / meshes[name] for part, time in of_this.items()})):
            rows.append([name, title, *(f"{100 * shares[part]:.1f}" for part in PARTS), f"{100 * sum(shares.values()):.1f}"])
    return "\n".join([
        "## Parts of the time", "",
        "What the rank that ends last did, in per cent of the iteration on the mesh, as in the paper's Fig. 10. While it computes no communication "
        "counts. `PP and bubble` is its wait for another stage; `other` are moments in which it neither computes nor waits for something of its own, as "
        "another rank of its group has not begun. Neither workload streams weights, and the minibatch is there when an iteration begins. "
        "Below each row is that of the closed form, over the same time of the simulated mesh. Nothing in this table is judged.", "",
        "![Parts of the iterations](plots/fred-iterations.svg)", "",
        runs.table(["workload", "fabric", *TITLES.values(), "total"], rows)])
