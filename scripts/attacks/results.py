# SPDX-License-Identifier: Apache-2.0
"""Damaged results directories, read by report, query, waves and an interrupted sweep that goes on."""
import csv
import os
import shutil

import served
from sources import CONFIGS

WEIGHT = 40
# Results that are made once: name, configuration, settings.
MADE = [("trace", "demo.yaml", ["log.level=steps", "waves.to=500 ns"]),
        ("traffic", "booksim-ref4.yaml", ["fabric.size=[3,3]", "workload.traffic.measure_cycles=200", "workload.traffic.warmup_cycles=50", "log.level=packets",
                                          "waves.file=a.fst", "waves.to=50 ns"]),
        ("fred", "fred-d.yaml", ["workload.collective.size=8 KiB", "workload.collective.chunks=1", "workload.collective.active_chunks=0", "waves.file=a.vcd"])]
QUERIES = ["critical-path", "path", "links", "waits", "late-ranks", "ranks", "collectives", "compute", "slow-messages", "slow-packets", "latency", "phases",
           "schema", "timeline-check", "SELECT * FROM activity", "SELECT name FROM sqlite_master", "DELETE FROM activity", "ATTACH 'x' AS y", "SELECT",
           "PRAGMA journal_mode=WAL", "SELECT load_extension('x')", "SELECT 1/0, 'a' || x'ff', NULL"]


def make(weft, folder):
    """The results that attacks start from, once; `folder` holds them."""
    for name, config, settings in MADE:
        out = os.path.join(folder, name)
        if os.path.exists(os.path.join(out, "report.html")):
            continue
        os.makedirs(folder, exist_ok=True)
        words = [word for setting in settings for word in ("--set", setting)]
        result = served.Running(weft, ["run", os.path.join(CONFIGS, config), *words, "--out", out], folder).wait()
        if result.status != 0:
            raise RuntimeError(f"results for the attacks cannot be made: {result.err}")


def attack(case):
    draw = case.draw
    if draw.chance(0.06):
        sweep(case)
        return
    name = draw.choice(MADE)[0]
    shutil.copytree(os.path.join(case.tools.made, name), case.path("r"))
    for _ in range(draw.choice([0, 1, 1, 1, 2])):
        damage(draw, case.path("r"))
    kind = draw.random()
    if kind < 0.4:
        case.call("report", "r", *draw.choice([[], ["r"], ["absent"], ["--out", "page.html"], ["--quiet", "--out", "absent/page.html"]]))
    elif kind < 0.75:
        words = draw.choice([[], ["--csv"], ["--json"], ["--limit", str(draw.number())]])
        query = draw.choice(QUERIES)
        case.call("query", draw.choice(["r", "r/log.sqlite"]), draw.text_changed(query, 1).replace("\0", "") if draw.chance(0.2) else query, *words)
    else:
        waves(case)


def waves(case):
    draw = case.draw
    files = [f"r/{name}" for name in sorted(os.listdir(case.path("r"))) if name.endswith((".vcd", ".fst"))] or ["r/none.vcd"]
    file = draw.choice(files)
    command = draw.choice([["list", file], ["list", file, "**.stall"], ["diff", file, file], ["layout", file, "--out", "x.gtkw"], ["repair", file]])
    case.call("waves", *command, allowed={0, 1, 2, 3} if command[0] == "diff" else {0, 2, 3})


def damage(draw, folder):
    name = draw.choice(sorted(os.listdir(folder)))
    path = os.path.join(folder, name)
    if not os.path.isfile(path) or os.path.islink(path):
        return
    with open(path, "rb") as file:
        data = file.read()
    kind = draw.random()
    if kind < 0.1:
        os.unlink(path)
    elif kind < 0.15:
        os.unlink(path)
        os.mkdir(path)
    elif kind < 0.2:
        data = b""
    elif kind < 0.35:
        data = data[:draw.randrange(len(data) + 1)]
    elif kind < 0.65 and len(data) < 100_000 and not name.endswith(".sqlite"):
        data = draw.text_changed(data.decode("latin-1")).encode("latin-1", "replace")
    else:
        data = draw.bytes_changed(data)
    if os.path.isfile(path):
        with open(path, "wb") as file:
            file.write(data)


def cut(draw, folder):
    """A file is gone, or its end: another number within it would be nobody's to see."""
    path = os.path.join(folder, draw.choice(sorted(name for name in os.listdir(folder) if os.path.isfile(os.path.join(folder, name)))))
    if draw.chance(0.3):
        os.unlink(path)
    else:
        os.truncate(path, draw.randrange(os.path.getsize(path) + 1))


def sweep(case):
    """A sweep whose points are damaged before it goes on: each point is there in the end, or said to have failed."""
    draw = case.draw
    words = ["sweep", os.path.join(CONFIGS, "booksim-ref4.yaml"), "--set", "fabric.size=[[2,2]]", "--set", "workload.traffic.measure_cycles=50",
             "--set", "workload.traffic.warmup_cycles=0", "--set", "workload.traffic.rate=[0.1,0.2]", "--quiet", "--out", "s"]
    first = case.call(*words)
    if first.status != 0:
        case.finding(f"sweep: status {first.status}: {first.err[:200]}")
        return
    table = open(case.path("s/sweep.csv"), encoding="utf-8").read()
    points = sorted(os.listdir(case.path("s/points")))
    point = case.path(os.path.join("s/points", draw.choice(points)))
    how = draw.randrange(3)
    if how == 0:
        cut(draw, point)
    elif how == 1:
        cut(draw, case.path("s"))
    elif os.path.exists(os.path.join(point, "summary.json")):
        with open(os.path.join(point, "summary.json"), "w", encoding="utf-8") as file:
            file.write(draw.choice(['{"finished": true}', "{}", "[]", "null", '{"finished": 1}', '{"finished": true, "cycles": "x"}']))
    again = case.call(*words)
    if again.status == 0:
        got = open(case.path("s/sweep.csv"), encoding="utf-8").read()
        if cells(got) != cells(table):
            case.finding("sweep: goes on with a damaged point, another table, status 0")


def cells(table):
    """The table without what a point has cost."""
    rows = list(csv.reader(table.splitlines()))
    keep = [i for i, name in enumerate(rows[0]) if not name.startswith(("cpu_s", "wall_s", "peak_rss", "setup_cpu", "output_cpu"))]
    return [[row[i] for i in keep if i < len(row)] for row in rows]
