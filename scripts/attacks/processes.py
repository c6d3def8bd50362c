# SPDX-License-Identifier: Apache-2.0
"""Processes of their own: full disks and other lack of resources, runs side by side, signals at random times."""
import glob
import json
import os
import re
import signal
import stat
import subprocess
import time

import judge
from sources import CONFIGS

REF4 = os.path.join(CONFIGS, "booksim-ref4.yaml")
SMALL = ["--set", "fabric.size=[3,3]", "--set", "workload.traffic.warmup_cycles=50", "--set", "workload.traffic.measure_cycles=300"]
DEMO = os.path.join(CONFIGS, "demo.yaml")


def summary_of(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


def resolved_seed(folder):
    with open(os.path.join(folder, "config.resolved.yaml"), encoding="utf-8") as file:
        found = re.search(r"^seed: (\d+)$", file.read(), re.MULTILINE)
    return int(found.group(1)) if found else None


class Resources:
    """What is lost is said, with status 1; status 0 means that everything is there."""
    WEIGHT = 3

    @staticmethod
    def attack(case):
        draw = case.draw
        kinds = ["full_disk", "open_files", "file_size", "closed_output", "full_output", "device", "symlink"]
        if os.geteuid() != 0:
            kinds.remove("full_disk")
            kinds.remove("device")
        if case.tools.sanitized:  # checks of types open files
            kinds.remove("open_files")
        else:  # sanitizers want all of the address space
            kinds.append("address_space")
        getattr(Resources, draw.choice(kinds))(case)

    @staticmethod
    def run(case, prefix=(), out="o", stdout=None, before=lambda: None):
        words = draw_run(case.draw)
        running = case.start("run", *words, "--out", out, prefix=prefix, stdout=stdout)
        before()
        result = case.ended(running, allowed={0, 1, 2, 3, 4, 130})
        if result.status == 0:
            case.findings += [f"status 0: {text}" for text in judge.of_results(case.path(out), 0, True)]
        elif result.status == judge.FAULT and not result.err.strip():
            case.finding("status 1 without a word")
        return result

    @staticmethod
    def full_disk(case):
        os.mkdir(case.path("disk"))
        size = case.draw.choice([8, 16, 40, 80, 160, 320, 640, 1280, 5000])
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", case.path("disk")], check=True)
        try:
            if case.draw.chance(0.1):
                subprocess.run(["mount", "-o", "remount,ro", case.path("disk")], check=True)
            Resources.run(case, out="disk/o")
        finally:
            subprocess.run(["umount", "-l", case.path("disk")], check=True)

    @staticmethod
    def open_files(case):
        Resources.run(case, prefix=["prlimit", f"--nofile={case.draw.randint(4, 20)}"])

    @staticmethod
    def file_size(case):
        # What the program says goes into a file, too, and needs a little room.
        Resources.run(case, prefix=["prlimit", f"--fsize={case.draw.choice([100, 4096, 20000, 100000])}"])

    @staticmethod
    def address_space(case):
        Resources.run(case, prefix=["prlimit", f"--as={case.draw.choice([60, 80, 100, 150, 250]) * 1_000_000}"])

    @staticmethod
    def closed_output(case):
        read, write = os.pipe()
        os.close(read)
        try:
            # Who reads no longer ends the program by SIGPIPE, as everywhere.
            words = case.draw.choice([["schema"], ["check", REF4], ["trace", "info", os.path.join(CONFIGS, "traces/demo/demo")], ["run", *draw_run(case.draw), "--out", "o"]])
            running = case.start(*words, stdout=write)
            result = running.wait()
            case.results.append(result)
            if result.signal not in (0, signal.SIGPIPE) or result.status in (99,) or judge.SANITIZER.search(result.err):
                case.finding(f"closed output: {judge.first_line(result.err)}")
        finally:
            os.close(write)

    @staticmethod
    def full_output(case):
        with open("/dev/full", "wb") as full:
            words = case.draw.choice([["schema"], ["check", REF4], ["cosim", "--list"], ["trace", "show", os.path.join(CONFIGS, "traces/demo/demo")]])
            result = case.ended(case.start(*words, stdout=full), allowed={1})
        if result.status == 1 and "output" not in result.err:
            case.finding(f"full output: {judge.first_line(result.err)}")

    @staticmethod
    def device(case):
        """A device that is named as an output stays one."""
        os.mknod(case.path("null"), 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        case.ended(case.start("run", *draw_run(case.draw), "--out", "o"))
        case.ended(case.start("report", "o", "--quiet", "--out", case.path("null")), allowed={0, 1, 2})
        if not stat.S_ISCHR(os.stat(case.path("null")).st_mode):
            case.finding("report --out has replaced a device")

    @staticmethod
    def symlink(case):
        """A link in a results directory leads nowhere else."""
        case.write("precious", "mine\n")
        os.mkdir(case.path("o"))
        name = case.draw.choice(["config.resolved.yaml", "summary.json", "report.html", "links.csv", "nodes.csv", "summary.json.part", "log.sqlite", "timeline.json",
                                 "links.csv.part"])
        os.symlink("../precious", case.path(f"o/{name}"))
        result = case.ended(case.start("run", *draw_run(case.draw), "--out", "o"), allowed={0, 1, 2})
        with open(case.path("precious"), encoding="utf-8", errors="replace") as file:
            if file.read() != "mine\n":
                case.finding(f"a link {name} in the results directory was followed")
        if os.path.islink(case.path(f"o/{name}")):
            os.unlink(case.path(f"o/{name}"))  # not a name of the run's results: nobody has to take it away
        if result.status == 0:
            case.findings += [f"status 0: {text}" for text in judge.of_results(case.path("o"), 0, True)]


def draw_run(draw):
    """A run of a second or less."""
    if draw.chance(0.4):
        return [DEMO, "--set", draw.choice(["waves.file=", "waves.to=100 ns"]), "--set", f"log.level={draw.choice(['off', 'ranks', 'packets'])}"]
    return [REF4, *SMALL, "--set", f"seed={draw.randrange(100)}", *draw.choice([[], ["--quiet"], ["--set", "log.level=packets"]])]


class Concurrency:
    """Runs side by side keep all their results, or say that they do not run."""
    WEIGHT = 1.5

    @staticmethod
    def attack(case):
        if case.draw.chance(0.5):
            Concurrency.default_directories(case)
        else:
            Concurrency.one_directory(case)

    @staticmethod
    def default_directories(case):
        count = case.draw.randint(2, 8)
        running = [case.start("run", REF4, *SMALL, "--set", f"seed={seed}", "--quiet", tag=f"{seed}.") for seed in range(count)]
        good = sum(case.ended(one).status == 0 for one in running)
        folders = glob.glob(case.path("results/*"))
        seeds = sorted(summary_of(folder)["seed"] for folder in folders if os.path.exists(os.path.join(folder, "summary.json")))
        if good != count or seeds != list(range(count)):
            case.finding(f"{count} runs in one directory, {good} with status 0, results of seeds {seeds}")
        for folder in folders:
            case.findings += judge.of_results(folder, 0, True)

    @staticmethod
    def one_directory(case):
        draw = case.draw
        running = []
        for seed in range(draw.randint(2, 4)):
            measured = draw.choice([100, 2000, 10000])
            running.append(case.start("run", REF4, *SMALL, "--set", f"seed={seed}", "--set", f"workload.traffic.measure_cycles={measured}", "--quiet", "--out", "o",
                                      tag=f"{seed}."))
            time.sleep(draw.choice([0, 0.01, 0.1, 0.5]))
        statuses = [case.ended(one, allowed={0, 1, 2}).status for one in running]
        if 0 not in statuses:
            case.finding(f"runs into one directory end with {statuses}: none was done")
            return
        case.findings += judge.of_results(case.path("o"), 0, True)
        if summary_of(case.path("o"))["seed"] != resolved_seed(case.path("o")):
            case.finding("runs into one directory: numbers of one beside the configuration of another")


class Signals:
    """A signal that asks a run to end leaves complete results of what there is."""
    WEIGHT = 3
    ASKING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGXCPU]

    @staticmethod
    def attack(case):
        draw = case.draw
        words = draw.choice([[DEMO, "--set", "fabric.link.bandwidth=100 MB/s", "--set", "waves.to=100 ns"],
                             [REF4, "--set", "workload.traffic.measure_cycles=10000000", "--set", f"threads={draw.choice([1, 2])}"],
                             [os.path.join(CONFIGS, "fred-d.yaml")]])
        number = draw.choice(Signals.ASKING)
        running = case.start("run", *words, *draw.choice([[], ["--quiet"]]), "--out", "o")
        # As soon as the run has made its directory, or some time later.
        end = time.monotonic() + 60
        while not os.path.exists(case.path("o/config.resolved.yaml")) and running.process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        time.sleep(draw.choice([0.2, 0.3, 0.5, 1.0]) + draw.random() * 0.2)
        running.send(number)
        result = case.ended(running, allowed={0, 130, 128 + number})
        if result.status > 0:
            case.findings += [f"after signal {number}: {text}" for text in judge.of_results(case.path("o"), result.status, False)]
            if "interrupted" not in result.err:
                case.finding(f"after signal {number}: says {judge.first_line(result.err)!r}")
