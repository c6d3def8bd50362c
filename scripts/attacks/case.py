# SPDX-License-Identifier: Apache-2.0
"""One input: its files, the command lines that it is given to, and what was found."""
import os
import re
import shlex
import shutil

import judge
import served
from draw import Draw

# What a run may cost by the program's own estimate; others are only checked.
MOST_CPU_S = 2.0
# The estimate is that of a release build.
SANITIZED_CPU_S = 0.3
MOST_MEMORY = 300e6
# A run that does not end by itself ends here.
MOST_CYCLES = 30_000
SCALE = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}


class Case:
    """An attack writes files with `write`, calls the program with `call`, `check` and `run`, and says what it finds by `finding`."""

    def __init__(self, name, seed, folder, tools):
        self.name, self.seed, self.folder, self.tools = name, seed, folder, tools
        self.draw = Draw(name, seed)
        self.results = []
        self.findings = []
        self.counts = {"check": 0, "run": 0, "other": 0, "process": 0}
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        return name

    def finding(self, text):
        self.findings.append(text)

    def count(self, args, process):
        kind = args[0] if args and args[0] in ("check", "run") else "other"
        self.counts[kind] += 1
        self.counts["process"] += process

    def call(self, *args, allowed=judge.LEGAL, **limits):
        """`weft ARGS` by the server; judged by how it ended. `limits` as served.Server.run has them."""
        self.count(args, False)
        result = self.tools.server.run(list(args), self.folder, **limits)
        self.results.append(result)
        self.findings += [f"{args[0]}: {text}" for text in judge.of_ending(result, allowed)]
        return result

    def start(self, *args, **how):
        """`weft ARGS` as a process of its own, as served.Running takes it; not judged."""
        self.count(args, True)
        return served.Running(self.tools.weft, list(args), self.folder, **how)

    def ended(self, running, allowed=judge.LEGAL):
        """Waits for such a process and judges how it ended."""
        result = running.wait()
        self.results.append(result)
        self.findings += [f"{running.args[0]}: {text}" for text in judge.of_ending(result, allowed)]
        return result

    def check(self, config, *sets):
        return self.call("check", config, *sets)

    def run(self, config, *sets, out="out", conserved=True, cycles=MOST_CYCLES):
        """`weft run`, bounded; the results are judged, too."""
        result = self.call("run", config, *sets, "--set", f"limits.cycles={cycles}", "--set", "waves.file=", "--quiet", "--out", out)
        if result.status in (judge.FINISHED, judge.VIOLATION, judge.LIMIT):
            self.findings += [f"run: {text}" for text in judge.of_results(self.path(out), result.status, conserved)]
        return result

    def check_and_run(self, config, *sets, share=1.0, conserved=True, deadlock=False, refuses=lambda: False):
        """Checks; where that finds nothing and the run is small, runs it with the chance `share`. They have to agree, unless `refuses()`."""
        checked = self.check(config, *sets)
        if checked.status != judge.FINISHED or not self.draw.chance(share) or not self.is_small(checked.out):
            return checked
        result = self.run(config, *sets, conserved=conserved)
        if result.status == judge.BAD_INPUT and not refuses():
            self.finding(f"check accepts what run refuses: {judge.first_line(result.err)}")
        if result.status == judge.VIOLATION and not deadlock:
            self.finding(f"check accepts what ends in a violation: {judge.first_line(result.err)}")
        return result

    def is_small(self, text):
        """True where `weft check` says that a run takes little time and memory."""
        cpu, memory = estimate(text, "s of CPU"), estimate(text, "bytes of memory")
        most = SANITIZED_CPU_S if self.tools.sanitized else MOST_CPU_S
        return (cpu is None or cpu <= most) and (memory is None or memory <= MOST_MEMORY)

    def commands(self):
        return "\n".join(f"weft {' '.join(shlex.quote(word) for word in r.args)}\n"
                         f"  # status {r.status} signal {r.signal} {r.killed} cpu {r.cpu_s:.2f} s wall {r.wall_s:.2f} s memory {r.rss_mib:.0f} MiB\n"
                         + "".join(f"  # {line}\n" for line in r.err.strip().split("\n")[:12]) for r in self.results)


def estimate(text, unit):
    found = re.search(r"about ([0-9.e+-]+) ?([kMGTPE]?) ?" + unit, text)
    return float(found.group(1)) * SCALE[found.group(2)] if found else None
