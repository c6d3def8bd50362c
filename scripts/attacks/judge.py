# SPDX-License-Identifier: Apache-2.0
"""What is a finding: rules that every command line and every results directory must keep, whatever the input was."""
import csv
import glob
import json
import math
import os
import re
import sqlite3

FINISHED, FAULT, BAD_INPUT, VIOLATION, LIMIT, INTERRUPTED = 0, 1, 2, 3, 4, 130
LEGAL = {FINISHED, BAD_INPUT, VIOLATION, LIMIT}

SANITIZER = re.compile(r"(ERROR: \w+Sanitizer: [\w-]+|runtime error: .*|LeakSanitizer)")
# What libraries say about themselves, which means nothing to a user.
RAW_TEXTS = re.compile(r"json\.exception|yaml-cpp|YAML::|std::|basic_string|vector::|_M_\w+|bad_alloc|terminate called|what\(\):|"
                       r"\bmap::at\b|\bstoul?l?\b|bad conversion|libprotobuf|CHECK failed|Assertion|filesystem error|CLI::|bad optional|"
                       r"bad_variant|sqlite3?_|std::exception|an exception without a text|Error: \(E\d+\)")
# Inputs that are files or their prefix; without one the command or the option is the place.
FILES = re.compile(r"\.(yaml|program)$|^t$")
# file:line, file:line:column, an option, the byte, node or record of a trace, or a whole file.
PLACE = re.compile(r"\S:\d+(:\d+)?: |error: weft[\w ]*: |cannot read '|--[\w-]+|\bPREFIX\b|byte \d+|offset \d+|node \d+|record \d+|\w+\[\d+\]|\.(et|gz|json)\b|"
                   r": (cannot be|no such|is a directory|there is|the file|larger|is empty|is no|not a regular)", re.IGNORECASE)


def without(text, words):
    """The text without the words of the command line, which messages quote."""
    for word in sorted(words, key=len, reverse=True):
        text = text.replace(word, "..") if len(word) > 3 else text
    return text


def of_ending(result, allowed=LEGAL):
    """Findings about how a command line ended."""
    found = []
    report = SANITIZER.search(result.err) or SANITIZER.search(result.out)
    if report:
        found.append(f"sanitizer: {report.group(1)[:160]}")
    elif result.killed:
        found.append(f"limit passed: {result.killed}")
    elif result.signal:
        found.append(f"signal {result.signal}")
    elif result.status not in allowed:
        found.append(f"exit status {result.status}: {first_line(result.err)}")
    if found:
        return found
    raw = RAW_TEXTS.search(without(result.err, result.args))
    if raw:
        found.append(f"words of a library: {raw.group(0)}")
    if result.status != FINISHED and not (result.err + result.out).strip():
        found.append(f"exit status {result.status} without a word")
    if result.status == BAD_INPUT and result.err.strip() and any(map(FILES.search, result.args)) and not PLACE.search(result.err):
        found.append(f"bad input without a place: {first_line(result.err)}")
    return found


def first_line(text):
    lines = [line for line in text.strip().split("\n") if not line.startswith("weft: warning")]
    return lines[0][:200] if lines else ""


def numbers_are_finite(value):
    if isinstance(value, dict):
        return all(numbers_are_finite(item) for item in value.values())
    if isinstance(value, list):
        return all(numbers_are_finite(item) for item in value)
    return not isinstance(value, float) or math.isfinite(value)


def read_table(path):
    """Header and rows; ValueError where the table is torn."""
    with open(path, newline="", encoding="utf-8", errors="strict") as file:
        text = file.read()
    if not text.endswith("\n"):
        raise ValueError("the last line is torn")
    rows = list(csv.reader(text.splitlines(keepends=True)))
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("rows of unlike lengths")
    return rows[0], [dict(zip(rows[0], row)) for row in rows[1:]]


def of_tables(folder):
    """Findings about the .csv files of a run, and their rows by name."""
    found, tables = [], {}
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        name = os.path.basename(path)
        try:
            tables[name[:-4]] = read_table(path)[1]
        except (ValueError, IndexError) as error:
            found.append(f"{name}: {error}")
            continue
        for row in tables[name[:-4]]:
            if any(cell.lower() in ("nan", "inf", "-nan", "-inf") for key, cell in row.items() if key != "name"):
                found.append(f"{name}: a cell that is no number")
                break
            if any(cell[:1] in "=@" for cell in row.values() if cell):
                found.append(f"{name}: a cell that is a formula")
                break
    for row in tables.get("links", []):
        if row["utilisation"] and float(row["utilisation"]) > 1 + 1e-9:
            found.append(f"utilisation above 1: {row['utilisation']} of {row['link']}")
            break
    return found, tables


def of_log(folder):
    path = os.path.join(folder, "log.sqlite")
    if not os.path.exists(path):
        return []
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            answer = connection.execute("PRAGMA integrity_check").fetchone()[0]
        finally:
            connection.close()
    except sqlite3.Error as error:
        return [f"log.sqlite: {error}"]
    return [] if answer == "ok" else [f"log.sqlite: {answer}"]


def of_results(folder, status, conserved):
    """Findings about the results directory of a run that ended with `status`. `conserved`: no packet is copied or summed on its way."""
    try:
        with open(os.path.join(folder, "summary.json"), encoding="utf-8", errors="strict") as file:
            summary = json.load(file)
    except (OSError, ValueError) as error:
        return [f"summary.json: {type(error).__name__}"]
    found, tables = of_tables(folder)
    found += of_log(folder)
    if not numbers_are_finite(summary):
        found.append("summary.json: a number that is not finite")
    if summary["finished"] and status != FINISHED:
        found.append(f"summary.json says finished, the exit status is {status}")
    if status == FINISHED and not summary["finished"] and not summary["saturated"]:
        found.append("exit status 0, summary.json says not finished")
    for name in ["config.resolved.yaml", "links.csv", "nodes.csv"]:
        if not os.path.exists(os.path.join(folder, name)):
            found.append(f"no {name}")
    if glob.glob(os.path.join(folder, "*.part")):
        found.append("a .part file is left")
    timeline = os.path.join(folder, "timeline.json")
    if os.path.exists(timeline):
        try:
            with open(timeline, encoding="utf-8", errors="strict") as file:
                json.load(file)
        except ValueError as error:
            found.append(f"timeline.json: {type(error).__name__}")
    if status == FINISHED and summary["finished"]:
        found += of_finished(summary, tables, conserved)
    return found


def of_finished(summary, tables, conserved):
    found = []
    if any(row["finished"] != "true" for row in tables.get("collectives", [])):
        found.append("finished, but a collective is not")
    if any(not rank["finished"] for rank in summary.get("ranks") or []):
        found.append("finished, but a rank is not")
    nodes = tables.get("nodes", [])
    for what in ["packets", "flits"] if conserved and nodes and not summary["saturated"] else []:
        sent = sum(int(row[f"{what}_sent"]) for row in nodes)
        received = sum(int(row[f"{what}_received"]) for row in nodes)
        # Synthetic traffic ends when the measured packets have arrived: others are still under way.
        if sent < received or (sent != received and tables.get("collectives")):
            found.append(f"{what} not conserved: {sent} sent, {received} received")
    return found


def kind_of(finding):
    """The finding without numbers and names, to count those of one cause together."""
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'|\"[^\"]*\"|\S*/\S*", "..", finding))[:100]
