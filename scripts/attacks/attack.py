# SPDX-License-Identifier: Apache-2.0
"""Gives the program inputs that were made to break it, and judges what it does. Called by scripts/attack, which explains the options."""
import argparse
import dataclasses
import datetime
import itertools
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback

import case as case_module
import configs
import judge
import processes
import programs
import results
import served
import side_files
import sources
import traces
import words
import yaml_files

CLASSES = {"yaml": yaml_files, "traces": traces, "programs": programs, "side_files": side_files, "results": results, "words": words, "configs": configs,
           "resources": processes.Resources, "concurrency": processes.Concurrency, "signals": processes.Signals}
# Inputs of one kind of finding that are kept.
KEPT = 3
COLUMNS = ["check", "run", "other", "process"]


@dataclasses.dataclass
class Tools:
    weft: str
    server: served.Server
    sanitized: bool
    made: str
    work: str


@dataclasses.dataclass
class Outcome:
    name: str
    seed: int
    counts: dict
    findings: list
    seconds: float


TOOLS = None


def prepare(options):
    """In every worker: its own server and folder."""
    global TOOLS
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    work = os.path.join(options.out, "work", str(os.getpid()))
    os.makedirs(work, exist_ok=True)
    TOOLS = Tools(os.path.abspath(options.weft), served.Server(os.path.abspath(options.served)), options.sanitized, os.path.join(options.out, "made"), work)


def one(task):
    """Makes, plays and judges one input; keeps its folder if there is a finding."""
    name, seed, keep = task
    start = time.monotonic()
    case = case_module.Case(name, seed, os.path.join(TOOLS.work, name), TOOLS)
    try:
        CLASSES[name].attack(case)
    except Exception:  # a fault of the attack must not pass for an input without a finding
        case.finding(f"the attack itself failed: {traceback.format_exc().strip().splitlines()[-1]}\n{traceback.format_exc()}")
    if case.findings and keep:
        save(case, os.path.join(keep, f"{name}-{seed}"))
    return Outcome(name, seed, case.counts, case.findings, time.monotonic() - start)


def save(case, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(case.folder, folder, symlinks=True, ignore=lambda at, names: [n for n in names if not is_plain(os.path.join(at, n))])
    with open(os.path.join(folder, "FINDING"), "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write("\n".join(case.findings) + f"\n\nscripts/attack --repeat {case.name}:{case.seed}\n\n" + case.commands())


def is_plain(path):
    return os.path.islink(path) or os.path.isdir(path) or os.path.isfile(path)


def plan(options):
    """{class: number of inputs}, by their weights."""
    weights = {name: CLASSES[name].WEIGHT for name in options.classes}
    total = sum(weights.values())
    counts = {name: int(options.inputs * weight / total) for name, weight in weights.items()}
    for name in itertools.islice(itertools.cycle(options.classes), options.inputs - sum(counts.values())):
        counts[name] += 1
    return counts


def tasks_of(options, counts):
    """All inputs, the classes mixed, so that a run that is cut short has had something of each."""
    order = [((i + 0.5) / count, name, options.seed + i) for name, count in counts.items() for i in range(count)]
    return [(name, seed, options.findings) for _, name, seed in sorted(order)]


class Tally:
    """What has been done so far, by class."""

    def __init__(self, names):
        self.inputs = {name: 0 for name in names}
        self.bad = {name: 0 for name in names}
        self.seconds = {name: 0.0 for name in names}
        self.counts = {name: dict.fromkeys(COLUMNS, 0) for name in names}
        self.kinds = {}

    def add(self, outcome, folder):
        name = outcome.name
        self.inputs[name] += 1
        self.seconds[name] += outcome.seconds
        for column in COLUMNS:
            self.counts[name][column] += outcome.counts[column]
        if not outcome.findings:
            return
        self.bad[name] += 1
        kind = f"{name}: {judge.kind_of(outcome.findings[0].splitlines()[0])}"
        seen = self.kinds.setdefault(kind, [])
        seen.append(outcome.seed)
        if len(seen) > KEPT:
            shutil.rmtree(os.path.join(folder, f"{name}-{outcome.seed}"), ignore_errors=True)
        if len(seen) == 1:
            print(f"finding in {name}:{outcome.seed}: {outcome.findings[0].splitlines()[0]}", flush=True)

    def table(self):
        head = ["class", "inputs", "check", "run", "other", "of these own process", "findings", "s"]
        rows = [[name, self.inputs[name], *(self.counts[name][c] for c in COLUMNS), self.bad[name], round(self.seconds[name])] for name in self.inputs]
        rows.append(["all", *(sum(row[i] for row in rows) for i in range(1, len(head)))])
        widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
        return "\n".join("  ".join(str(cell).ljust(w) if i == 0 else str(cell).rjust(w) for i, (cell, w) in enumerate(zip(row, widths))).rstrip()
                         for row in [head, *rows])


def commit():
    """The commit of the checkout, with a mark where it has changes."""
    described = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"], capture_output=True, text=True, cwd=sources.ROOT)
    return described.stdout.strip() or "unknown"


def totals(path):
    """Lines of the running total: date, commit, build, first and last seed, inputs, findings."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split(",") for line in file if line.strip() and not line.startswith("date")]


def add_total(path, options, tally):
    new = not os.path.exists(path)
    with open(path, "a", encoding="utf-8") as file:
        if new:
            file.write("date,commit,build,first_seed,last_seed,inputs,findings\n")
        last = options.seed + max(tally.inputs.values(), default=0) - 1
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        file.write(f"{date},{commit()},{options.build},{options.seed},{last},{sum(tally.inputs.values())},{sum(tally.bad.values())}\n")
    lines = totals(path)
    print(f"so far in {os.path.relpath(path, sources.ROOT)}: {sum(int(line[5]) for line in lines)} inputs in {len(lines)} runs, "
          f"{sum(int(line[6]) for line in lines)} of them with a finding")


def repeat(options):
    name, seed = options.repeat.split(":")
    prepare(options)
    outcome_case = case_module.Case(name, int(seed), os.path.join(options.out, "repeat"), TOOLS)
    try:
        CLASSES[name].attack(outcome_case)
    finally:
        TOOLS.server.stop()
        print(outcome_case.commands(), end="")
        print(f"the input lies in {outcome_case.folder}")
    for text in outcome_case.findings:
        print(f"finding: {text}")
    return 1 if outcome_case.findings else 0


def try_server(options):
    """Ends here, not with findings, where the server does not serve."""
    server = served.Server(os.path.abspath(options.served))
    folder = os.path.join(options.out, "made")
    said = server.run(["version"], folder)
    server.stop()
    if said.status != 0 or not said.out.startswith("weft"):
        raise RuntimeError(f"{options.served} does not serve: status {said.status}, {said.out}{said.err}")


def attack(options):
    counts = plan(options)
    tally = Tally(counts)
    # Findings of earlier runs stay only in the total.
    shutil.rmtree(options.findings, ignore_errors=True)
    os.makedirs(options.findings)
    end = time.monotonic() + 60 * options.minutes if options.minutes else None
    tasks = tasks_of(options, counts)
    shown = time.monotonic()
    # What a run has done counts, though it is ended.
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with multiprocessing.Pool(options.jobs, prepare, (options,)) as pool:
        waiting = (task for task in tasks if not ended.is_set() and (end is None or time.monotonic() < end))
        for outcome in pool.imap_unordered(one, slow_feed(waiting, options.jobs), chunksize=1):
            tally.add(outcome, options.findings)
            FEED.release()
            if time.monotonic() - shown > 60:
                shown = time.monotonic()
                print(f"{sum(tally.inputs.values())} of {len(tasks)} inputs, {sum(tally.bad.values())} with a finding", flush=True)
    shutil.rmtree(os.path.join(options.out, "work"), ignore_errors=True)
    return tally


FEED = None


def slow_feed(tasks, jobs):
    """Hands on tasks as they are done, so that the end of the time ends the feed."""
    for task in tasks:
        FEED.acquire()
        yield task


def whole(text):
    value = float(text)
    if value != int(value) or value < 1:
        raise argparse.ArgumentTypeError("a whole number such as 2000 or 1e5")
    return int(value)


def main():
    global FEED
    parser = argparse.ArgumentParser(prog="scripts/attack", add_help=False)
    parser.add_argument("--inputs", type=whole, default=100_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--classes", default=",".join(CLASSES))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--repeat")
    parser.add_argument("--build", required=True)
    parser.add_argument("--weft", required=True)
    parser.add_argument("--served", required=True)
    options = parser.parse_args()
    options.classes = options.classes.split(",")
    unknown = [name for name in options.classes if name not in CLASSES] + ([options.repeat] if options.repeat and options.repeat.split(":")[0] not in CLASSES else [])
    if unknown:
        sys.exit(f"attack: there is no class {unknown[0]}; known: {', '.join(CLASSES)}")
    options.sanitized = options.build == "asan"
    options.out = os.path.join(sources.ROOT, "build", "attack")
    options.findings = os.path.join(options.out, "findings")
    total = os.path.join(options.out, "total.csv")
    options.seed = max((int(line[4]) for line in totals(total)), default=0) + 1 if options.seed == "next" else int(options.seed)
    os.makedirs(options.out, exist_ok=True)
    results.make(os.path.abspath(options.weft), os.path.join(options.out, "made"))
    try_server(options)
    if options.repeat:
        return repeat(options)
    FEED = multiprocessing.Semaphore(4 * options.jobs)
    start = time.monotonic()
    tally = attack(options)
    print(f"\nseeds from {options.seed}, {(time.monotonic() - start) / 60:.1f} minutes, build {options.build}, commit {commit()}")
    for kind, seeds in sorted(tally.kinds.items()):
        print(f"  {len(seeds):6d} x {kind} (seeds {', '.join(map(str, sorted(seeds)[:KEPT]))})")
    if tally.kinds:
        print(f"inputs and commands of findings: {os.path.relpath(options.findings, sources.ROOT)}")
    print(tally.table())
    add_total(total, options, tally)
    return 1 if tally.kinds else 0


if __name__ == "__main__":
    sys.exit(main())
