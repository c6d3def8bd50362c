# SPDX-License-Identifier: Apache-2.0
"""Canonical forms of result files: text that is the same exactly when the result is.

`canonical(path, kind, known, places)` returns the lines of one file. Left out are figures of the machine, the version, and keys that
did not exist when the hashes were recorded; `places` are paths of this machine and what stands for them.
"""
import base64
import csv
import gzip
import json
import os
import re
import sqlite3
import subprocess

import yaml

import wave_events

# Fields that differ between two runs of one program, and those that name the program.
FIGURES = ("cpu_s", "setup_cpu_s", "output_cpu_s", "wall_s", "peak_rss_bytes")
MACHINE = {"version", "commit", *FIGURES, *(f"{name}.ci95" for name in FIGURES)}


def _plain(name):
    """A key without the numbers in it: `levels[3]` and `12` are the same key for all numbers."""
    return re.sub(r"\d+", "#", name)


def _flatten(value, kind, known, path, lines):
    if isinstance(value, dict):
        for key in value:
            if key in MACHINE:
                continue
            old = known.old_name(str(key))
            below = f"{path}.{_plain(old)}" if path else _plain(old)
            if known.counts(kind, below):
                _flatten(value[key], kind, known, below, child := [])
                lines.extend(f"{old}: {line}" if line[:1] != "." else f"{old}{line}" for line in child)
        if not value:
            lines.append("{}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _flatten(item, kind, known, path + "[]", child := [])
            lines.extend(f"[{index}] {line}" for line in child)
        if not value:
            lines.append("[]")
    elif isinstance(value, str):
        lines.append(known.old_name(value))
    else:
        lines.append(json.dumps(value))


def _tree(value, kind, known):
    lines = []
    _flatten(value, kind, known, "", lines)
    return sorted(lines)


def _json(path, kind, known):
    with open(path) as file:
        return _tree(json.load(file), kind, known)


def _yaml(path, kind, known):
    with open(path) as file:
        return _tree(yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)), kind, known)


def _csv(path, kind, known):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    names = [known.old_name(name) for name in rows[0]]
    left_out = MACHINE | ({"results"} if kind in ("sweep.csv", "runs.csv") else set())  # names of a sweep's folders
    counted = [i for i, name in enumerate(names) if name not in left_out and known.counts(kind, _plain(name))]
    lines = [",".join(names[i] for i in counted)]
    for row in rows[1:]:
        lines.append(",".join(known.old_name(row[i]) if i < len(row) else "" for i in counted))
    return lines


def _sqlite(path, kind, known):
    lines = []
    log = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    for table, in log.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
        columns = [row[1] for row in log.execute(f"PRAGMA table_info({table})")]
        old_table = known.old_name(table)
        counted = [i for i, name in enumerate(columns) if known.counts(kind, f"{old_table}.{known.old_name(name)}")]
        if not counted:
            continue
        rows = [[row[i] for i in counted] for row in log.execute(f"SELECT * FROM {table}")]
        if table == "run":
            rows = [row for row in rows if row[0] not in MACHINE and known.counts(kind, f"run[{known.old_name(row[0])}]")]
        names = ",".join(known.old_name(columns[i]) for i in counted)
        lines += sorted(f"{old_table}({names}): " + "|".join(_cell(value, known) for value in row) for row in rows)
    log.close()
    return lines


def _cell(value, known):
    return known.old_name(value) if isinstance(value, str) else repr(value)


def _page(path, kind, known):
    """Only the data of the page: its looks are not a result."""
    with open(path) as file:
        text = file.read()
    found = re.search(r'<script id="weft-data" type="application/json">(.*?)</script>', text, re.S)
    return _tree(json.loads(found.group(1)), kind, known) if found else ["there is no data in this page"]


def _vcd(path, kind, known):
    with open(path, errors="replace") as file:
        return wave_events.events(file, known)


def _fst(path, kind, known):
    # fst2vcd belongs to GTKWave.
    with subprocess.Popen(["fst2vcd", path], stdout=subprocess.PIPE, text=True, errors="replace") as reader:
        lines = wave_events.events(reader.stdout, known)
    return lines


def _text(path, kind, known):
    with open(path, errors="replace") as file:
        return file.read().splitlines()


def _bytes(path, kind, known):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        data = file.read()
    return [base64.b64encode(data[i:i + 57]).decode() for i in range(0, len(data), 57)]


FORMS = {".json": _json, ".yaml": _yaml, ".csv": _csv, ".sqlite": _sqlite, ".html": _page, ".vcd": _vcd, ".fst": _fst,
         ".et": _bytes, ".gz": _bytes}


def canonical(path, kind, known, places):
    """The lines of the file; `kind` names it in the list of keys (`summary.json`)."""
    form = FORMS.get(os.path.splitext(path)[1], _text)
    lines = form(path, kind, known)
    if form is not _bytes:
        for place, name in places:
            lines = [line.replace(place, name) for line in lines]
    return lines
