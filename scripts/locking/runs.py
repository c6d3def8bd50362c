# SPDX-License-Identifier: Apache-2.0
"""The runs of tests/lock/runs.txt: reads them, plays them side by side, hashes what they leave."""
import concurrent.futures
import hashlib
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass

import hash_file
import canonical

RUNS = "tests/lock/runs.txt"
SECONDS = 300  # for one run; the longest takes some seconds


@dataclass(frozen=True)
class Run:
    """One line: how weft is called, and the name under which its files are locked."""
    name: str
    verb: str
    words: tuple


def read_runs():
    runs = []
    with open(RUNS) as file:
        for number, line in enumerate(file, 1):
            words = shlex.split(line, comments=line.startswith("#"))
            if not words:
                continue
            if len(words) < 3 or words[0] not in ("run", "call") or words[1] in {run.name for run in runs}:
                sys.exit(f"{RUNS}:{number}: expected 'run NAME CONFIG ...' or 'call NAME ARGUMENT ...' with a new name")
            runs.append(Run(words[1], words[0], tuple(words[2:])))
    return runs


def run_of(key):
    return key.split("/", 1)[0]


class Player:
    """Plays runs with one program into one folder."""

    def __init__(self, program, folder, known):
        self._program = program
        self._folder = folder
        self._known = known

    def play_all(self, chosen, jobs):
        """{run/file: (hash, path of the canonical form)}. What makes traces goes first."""
        first = [run for run in chosen if run.name.startswith("gen-")]
        rest = [run for run in chosen if not run.name.startswith("gen-")]
        found = {}
        with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
            for group in (first, rest):
                for hashes, seen in pool.map(self._play, group):
                    found.update(hashes)
                    self._known.merge(seen)
        return found

    def _play(self, run):
        out = os.path.join(self._folder, "out", run.name)
        os.makedirs(out)
        done = subprocess.run(self._command(run, out), capture_output=True, text=True, timeout=SECONDS, errors="replace")
        files = {"status": [str(done.returncode)]}
        if run.verb == "call":
            files["output"] = self._named(done.stdout.splitlines(), out)
        if done.returncode not in (0, 4):
            files["error"] = self._named(done.stderr.splitlines(), out)
            print(f"{run.name}: exit status {done.returncode}: {done.stderr.strip()[:400]}", file=sys.stderr)
        for folder, folders, names in os.walk(out):
            # A sweep names the folders of its points after hashes of all keys; its tables have their figures.
            folders[:] = [name for name in folders if name != "points"]
            for name in names:
                path = os.path.join(folder, name)
                relative = os.path.relpath(path, out)
                files[relative] = canonical.canonical(path, name, self._known, self._places(out))
        hashes = {f"{run.name}/{name}": self._keep(run.name, name, lines) for name, lines in files.items()}
        return hashes, self._known.seen()

    def _command(self, run, out):
        words = [word.replace("{gen}", os.path.relpath(os.path.join(self._folder, "out"))).replace("{out}", out)
                 for word in run.words]
        if run.verb == "call":
            return [self._program, *words]
        command = [self._program, "run", words[0], "--out", out]
        command += ["--quiet"] if "--report" not in words else []
        for word in words[1:]:
            if word.startswith("--"):
                command += [word] if word != "--report" else []
            else:
                command += ["--set", word]
        return command

    def _places(self, out):
        return [(out, "OUT"), (os.path.relpath(self._folder), "LOCK"), (self._folder, "LOCK"), (os.getcwd(), "ROOT")]

    def _named(self, lines, out):
        for place, name in self._places(out):
            lines = [line.replace(place, name) for line in lines]
        return lines

    def _keep(self, run, name, lines):
        path = os.path.join(self._folder, "canonical", run, name + ".txt")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        text = "\n".join(lines) + "\n"
        with open(path, "w", errors="surrogateescape") as file:
            file.write(text)
        return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16], path
