# SPDX-License-Identifier: Apache-2.0
"""The five wafers of the FRED paper: their configs, runs of one collective, and what is read from a run."""
import dataclasses
import functools

import runs

FABRICS = ["mesh", "A", "B", "C", "D"]
CONFIGS = {"mesh": "configs/mesh-wafer.yaml", **{name: f"configs/fred-{name.lower()}.yaml" for name in "ABCD"}}
NPUS = 20
FLIT = 512


@dataclasses.dataclass
class Point:
    """One finished collective. Times in ns; flits of all NPUs together and of the busiest link between switches."""
    bytes: int
    time: float
    sent_flits: int
    busiest_flits: int
    busiest_use: float

    @property
    def per_byte(self):
        """Time per byte of payload in s x TB/s."""
        return self.time / 1e9 / self.bytes * 1e12

    @property
    def sent_per_byte(self):
        """Bytes that each NPU puts into the fabric, per byte of its data."""
        return self.sent_flits * FLIT / NPUS / self.bytes

    @property
    def effective(self):
        """TB/s that each NPU puts into the fabric on average."""
        return self.sent_per_byte / self.per_byte


def point(options, config, sets):
    """Runs one collective, or one of each group at the same time."""
    summary, tables = runs.run_tables(options.weft, config, sets)
    rows = tables["collectives"]
    if not summary["finished"] or not rows or any(row["finished"] != "true" for row in rows):
        raise RuntimeError(f"{config} with {sets} did not finish: {summary['stop_text']}")
    time = max(float(row["end_ns"]) for row in rows) - min(float(row["start_ns"]) for row in rows)
    ends = ("npu", "io")
    between = [row for row in tables["links"] if not row["from"].startswith(ends) and not row["to"].startswith(ends)]
    busiest = max(between, key=lambda row: int(row["flits"]))
    return Point(int(rows[0]["bytes"]), time, sum(int(row["flits_sent"]) for row in tables["nodes"]),
                 int(busiest["flits"]), float(busiest["utilisation"]))


def points(options, cases, title):
    """{key: Point} of {key: (fabric, sets)}; each point is a process of its own, the slow mesh first."""
    keys = sorted(cases, key=lambda key: FABRICS.index(cases[key][0]))
    tasks = [functools.partial(point, options, CONFIGS[cases[key][0]], cases[key][1]) for key in keys]
    return dict(zip(keys, runs.run_all(tasks, options.jobs, title)))
