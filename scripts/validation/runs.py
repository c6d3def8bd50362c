# SPDX-License-Identifier: Apache-2.0
"""Runs of the program, tables in Markdown, and the page that they are written into."""
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile

PAGE = "docs/validation.md"


def run_tables(program, config, sets, read=None):
    """Runs `program` with the overrides `sets` ({path: value}); returns summary.json and {table: rows} of the .csv files. `read` is called with
    the folder of results before it goes."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        command = [program, "run", config, "--quiet", "--out", out]
        for path, value in sets.items():
            command += ["--set", f"{path}={value}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"exit status {done.returncode} of: {' '.join(command)}\n{done.stderr}")
        with open(os.path.join(out, "summary.json")) as file:
            summary = json.load(file)
        tables = {}
        for name in sorted(os.listdir(out)):
            if name.endswith(".csv"):
                with open(os.path.join(out, name), newline="") as file:
                    tables[name[:-4]] = list(csv.DictReader(file))
        if read:
            read(out)
        return summary, tables


def run(program, config, sets):
    """The same, but returns summary.json and the rows of collectives.csv."""
    summary, tables = run_tables(program, config, sets)
    return summary, tables.get("collectives", [])


def run_all(tasks, jobs, title):
    """Calls all tasks, `jobs` at a time; returns their results in order. Says how far it is."""
    results = [None] * len(tasks)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(task): i for i, task in enumerate(tasks)}
        for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
            results[futures[future]] = future.result()
            if sys.stderr.isatty():
                print(f"\r{title}: {count} of {len(tasks)} runs", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return results


def chosen(items, name_of, options, part):
    """Those of `items` whose name contains --only; ends the program with the known names if there are none."""
    found = [item for item in items if options.only in name_of(item)]
    if not found:
        known = [name_of(item) for item in items]
        some = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")
        print(f"scripts/validate: nothing of {part} has '{options.only}' in its name; known: {some}", file=sys.stderr)
        sys.exit(2)
    return found


def table(titles, rows):
    """A Markdown table; numbers to the right."""
    text = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(title), *(len(row[i]) for row in text)) if text else len(title) for i, title in enumerate(titles)]
    numeric = [all(row[i][:1] in "-+0123456789" or row[i] == "" for row in text) for i in range(len(titles))]
    def line(cells):
        return "| " + " | ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(cells, widths, numeric)) + " |"
    rule = "| " + " | ".join("-" * (w - 1) + ":" if n else "-" * w for w, n in zip(widths, numeric)) + " |"
    return "\n".join([line(titles), rule, *(line(row) for row in text)])


def write_part(name, text):
    """Puts `text` between the marks of part `name` in the page."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    with open(PAGE) as file:
        page = file.read()
    before, rest = page.split(begin, 1)
    after = rest.split(end, 1)[1]
    with open(PAGE, "w") as file:
        file.write(f"{before}{begin}\n{text}\n{end}{after}")
    print(f"written: {PAGE}, part {name}")
