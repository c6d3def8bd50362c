# SPDX-License-Identifier: Apache-2.0
"""This module runs every comparison with published figures and makes one table of reference, points, worst difference and verdict.

Each comparison is a program of its own, which prints its tables and says by its exit status whether all it judges is within its bounds.
What is counted here are the differences in those tables that have a bound, a closed form or a confirmed reason beside them.
"""
import dataclasses
import re
import subprocess
import sys

import runs

DIFFERENCES = ("difference", "distance", "from the form")  # endings of titles
FORMS = ("form", "expected", "derived")  # A difference behind one of these is judged by a bound that the text gives.
FIGURES = {"Weft", "us", "total", "load", "BookSim 2", "speed-up", "one way", "PFLOP/s"}  # The names of a row stand before the first of these.
PERCENT = re.compile(r"[-+][0-9.]+(?= %)")


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    reference: str
    command: tuple
    quick: tuple  # words of --quick, for a few rows
    stated: str = ""  # finds the number of judged rows that the program itself gives


PARTS = (
    Part("fred, iterations", "FRED (ISCA 2025), training iterations", ("scripts/reproduce", "fred", "--dry"), ("--quick",)),
    Part("fred, streaming", "FRED (ISCA 2025), weight streaming", ("scripts/reproduce", "streaming", "--dry"), ("--quick",)),
    Part("fred", "FRED (ISCA 2025), collectives and streams", ("scripts/validate", "fred", "--dry"), ("--only", "all-reduce")),
    Part("wafer-reduce", "Near-Optimal Wafer-Scale Reduce (HPDC 2024)", ("scripts/validate", "wafer-reduce", "--dry"), ("--only", "64 256"),
         r"^(\d+) points:"),
    Part("booksim", "BookSim 2", ("scripts/validate", "booksim", "--dry"), ("--only", "mesh 8x8 uniform 1 0.1", "--seeds", "1"),
         r"of (\d+) judged rows"),
    Part("astrasim", "ASTRA-sim 2, analytical backends", ("scripts/validate", "astrasim", "--dry"), ("--only", " 4 NPUs reduce_scatter 1048576 4"),
         r"^(\d+) rows are judged"),
)


def tables(text):
    """It returns (titles, rows) of each Markdown table."""
    found, before = [], None
    for line in text.splitlines():
        if not line.startswith("|"):
            before = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if before is None:
            found.append((cells, []))
        elif not set("".join(cells)) <= set("-: "):
            found[-1][1].append(cells)
        before = cells
    return found


def is_judged(titles, cells, column):
    """It says whether the difference in this column has a bound, a form or a reason beside it."""
    behind = titles[column + 1:column + 3]
    if "bound" in behind:
        return "%" in cells[column + 1 + behind.index("bound")]
    return behind[:1] == ["reason"] or titles[column - 1] in FORMS or titles[column].endswith("from the form")


def differences(text):
    """It returns [(difference in per cent, row in words)] of all that is judged in the tables. Where a reason is given, the difference from
    the time that confirms it counts."""
    found = []
    for titles, rows in tables(text):
        for cells in rows:
            for column, title in enumerate(titles):
                if not title.endswith(DIFFERENCES) or not cells[column] or not is_judged(titles, cells, column):
                    continue
                reason = cells[column + 1] if titles[column + 1:column + 2] == ["reason"] else ""
                number = PERCENT.search(reason) or PERCENT.search(cells[column])
                names = next((place for place, each in enumerate(titles) if each in FIGURES), 1)
                found.append((float(number[0]), " ".join(cell for cell in cells[:names] if cell)))
    return found


def row_of(part, status, text):
    """It returns (row of the table, whether it is good) of what a program printed and its exit status."""
    found = differences(text)
    stated = re.search(part.stated, text, re.M) if part.stated else None
    verdict = {0: "within its bounds", 1: "outside its bounds"}.get(status, f"did not run, exit status {status}")
    if status in (0, 1) and part.stated and (stated is None or int(stated[1]) != len(found)):
        verdict += f", but {len(found)} rows were read of {stated[1] if stated else 'an unknown number'}"
    elif status in (0, 1) and not found:
        verdict += ", but no difference was read"
    worst, where = max(found, key=lambda each: abs(each[0]), default=(None, ""))
    row = [part.reference, len(found), "" if worst is None else f"{worst:+.2f} %", where, verdict]
    return row, verdict == "within its bounds"


def run(part, options):
    words = [*part.command, *(part.quick if options.quick else ()), "--weft", options.weft, "--jobs", str(options.jobs)]
    print(f"{part.name}: {' '.join(words)}", file=sys.stderr)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr, end="")
    return row_of(part, done.returncode, done.stdout)


def study(options):
    """It prints the page, and returns whether everything is within its bounds."""
    found = [run(part, options) for part in PARTS]
    print("\n".join([
        "# Published references", "",
        "`points` are the differences in the tables of each comparison that are judged one by one, `worst` is the largest of them, wherever its bound "
        "lies. The verdict is that of the whole comparison, which judges more than these. A difference from ASTRA-sim that has a reason is "
        "that from the time which confirms the reason.", "",
        runs.table(["reference", "points", "worst", "of", "verdict"], [row for row, _ in found])]))
    return all(good for _, good in found)
