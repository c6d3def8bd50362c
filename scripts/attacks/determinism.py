# SPDX-License-Identifier: Apache-2.0
"""Runs configurations in surroundings that must not matter and compares every result file. Called by scripts/determinism."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import sources

# What a run has cost: the only fields that may differ between equal runs.
COST = {"cpu_s", "setup_cpu_s", "output_cpu_s", "wall_s", "peak_rss_bytes", "skipped_cycles"}
# Keys of config.resolved.yaml that a variant sets.
SET_BY_VARIANTS = re.compile(r"^(threads| +form): .*\n", re.MULTILINE)

TRAFFIC = ["workload.traffic.warmup_cycles=100", "workload.traffic.measure_cycles=400"]
PIECES = ["workload.collective.size=64 KiB", "workload.collective.chunks=4", "workload.collective.active_chunks=0", "workload.collective.data=values"]
WAVES = ["waves.file=w.vcd", "waves.to=300 ns"]
DEMO = os.path.join(sources.CONFIGS, "traces", "demo")
TRACE = [f"workload={{trace: {{chakra: {DEMO}/demo, groups: {DEMO}/comm_group.json, algorithm: in_switch, data: values}}}}"]
# Name, file in configs/, settings.
ROWS = [
    ("mesh uniform", "booksim-ref4", TRAFFIC),
    ("mesh hotspot, all packets", "booksim-ref4", [*TRAFFIC, "workload.traffic.rate=0.02", "log.level=packets", "workload.traffic.pattern=hotspot", "workload.traffic.hotspots=[0,9]"]),
    ("mesh saturated, long packets", "booksim-ref4", [*TRAFFIC, "workload.traffic.rate=0.9", "workload.traffic.packet_flits=5", "workload.traffic.drain_cycles=500"]),
    ("mesh valiant", "booksim-ref4", [*TRAFFIC, "fabric.routing=valiant"]),
    ("mesh odd-even, islip", "booksim-ref4", [*TRAFFIC, "fabric.routing=odd_even", "fabric.router.allocator=islip", "fabric.router.allocator_iterations=2"]),
    ("mesh o1turn, speculative", "booksim-ref4", [*TRAFFIC, "fabric.routing=o1turn", "fabric.router.speculative=true"]),
    ("torus", "torus-8x8", TRAFFIC),
    ("routers in a ring, traffic", "switch-8", ["fabric.kind=ring", "workload.collective.data=values"]),
    ("ring all-reduce, values", "astrasim-ring-8", ["workload.collective.size=64 KiB", "workload.collective.data=values"]),
    ("slow links, NPU clock", "astrasim-ring-8", ["workload.collective.size=16 KiB", "npu.clock=1.37 GHz", "fabric.link.bandwidth=7/3 GB/s"]),
    ("hierarchical 2D", "mesh-wafer", PIECES),
    ("all-to-all on a mesh", "mesh-wafer", [*PIECES, "workload.collective.kind=all_to_all", "workload.collective.algorithm=direct", "npu.message_order=round_robin"]),
    ("trace", "demo", WAVES),
    ("trace, values, steps, cut short", "demo", ["waves.file=", "workload.trace.data=values", "log.level=steps", "limits.cycles=8000"]),
    ("set-up routes, chain", "wse-reduce", ["workload.collective.data=values"]),
    ("set-up routes, all-reduce in routers", "wse-reduce", ["fabric.size=[8,8]", "workload.collective.kind=all_reduce", "workload.collective.algorithm=tree"]),
    ("streams of I/O controllers", "mesh-wafer-io", ["workload.io.size=64 KiB", "workload.io.data=values"]),
    ("FRED-A, two-level ring", "fred-a", PIECES),
    ("FRED-B in the switches", "fred-b", PIECES),
    ("FRED-C, two-level ring", "fred-c", PIECES),
    ("FRED-D in the switches", "fred-d", [*PIECES, *WAVES]),
    ("FRED-D, several phases, all-gather", "fred-d", [*PIECES, "fabric.control=several_phases", "workload.collective.kind=all_gather"]),
    ("FRED-D, parallel groups", "fred-d", [*PIECES, "workload.collective.parallelism=[2,5,2]", "workload.collective.phase=dp", "fabric.conflict=serialize"]),
    ("FRED-D, Go-Back-N with errors", "fred-d", [*PIECES, "fabric.link_layer=gbn", "fabric.drop_rate=1e-3", "fabric.bit_error_rate=1e-7"]),
    ("FRED-D, trace with flows, values", "fred-d", [*TRACE, "npu.peak_flops=900 TFLOP/s", "npu.memory_bandwidth=3 TB/s", "log.level=steps"]),
    ("two FRED wafers", "fred-d-two-wafers", PIECES),
    ("weights stream in, cut short", "fred-d-streaming", ["limits.cycles=1500"]),
    ("pool of memory, cut short", "pool-moe", ["limits.cycles=1500"]),
    ("DRAM of an NPU", "hbm-roofline", []),
]


def variants(locales):
    """{name: (settings, environment, command prefix, what else)}; the environment None takes a variable away."""
    table = {"repeat": ([], {}, []), "threads 2": (["threads=2"], {}, []), "threads 3": (["threads=3"], {}, []), "threads 4": (["threads=4"], {}, []),
             "threads 32": (["threads=32"], {}, []), "modules": (["fabric.form=modules"], {}, []), "directory": ([], {}, []),
             "time zone": ([], {"TZ": "Asia/Kathmandu"}, []), "no HOME": ([], {"HOME": None, "XDG_CACHE_HOME": None}, []),
             "fixed addresses": ([], {}, ["setarch", "-R"]), "malloc fill": ([], {"MALLOC_PERTURB_": "165"}, [])}
    for name in ["C", "tr_TR.UTF-8", "de_DE.UTF-8"]:
        table[f"locale {name}"] = ([], {"LC_ALL": name, "LANG": name, **({"LOCPATH": locales} if name != "C" else {})}, [])
    return table


def make_locales(folder):
    """Locales whose numbers and letters differ from C's; says which are missing."""
    os.makedirs(folder, exist_ok=True)
    missing = []
    for name in ["tr_TR", "de_DE"]:
        path = os.path.join(folder, f"{name}.UTF-8")
        if not os.path.isdir(path) and subprocess.run(["localedef", "-i", name, "-f", "UTF-8", path], capture_output=True, check=False).returncode > 1:
            missing.append(f"locale {name}.UTF-8")
    return missing


def contents(folder):
    """{file: digest}; the cost of the run, what the variant has set and the path of the folder are left out."""
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        if name == "summary.json":
            data = json.dumps({key: value for key, value in json.loads(data).items() if key not in COST}).encode()
        elif name == "config.resolved.yaml":
            data = SET_BY_VARIANTS.sub("", data.decode()).replace(folder, "").encode()
        elif name.endswith(".gtkw"):  # GTKWave wants the absolute path of the files that name values
            data = data.decode().replace(folder, "").encode()
        found[name] = hashlib.sha256(data).hexdigest()
    return found


def play(options, row, settings, env, prefix, folder):
    """One run; its files by digest, or the first line of what it said."""
    words = [word for setting in [*row[2], *settings] for word in ("--set", setting)]
    values = {**os.environ, **{key: value for key, value in env.items() if value is not None}}
    for key in [key for key, value in env.items() if value is None]:
        values.pop(key, None)
    out = os.path.join(folder, "o")
    done = subprocess.run([*prefix, options.weft, "run", os.path.join(sources.CONFIGS, row[1] + ".yaml"), *words, "--quiet", "--out", out],
                          capture_output=True, text=True, cwd=folder, env=values, check=False)
    if done.returncode not in (0, 4):  # finished, or cut short by limits.cycles
        return f"exit status {done.returncode}: {done.stderr.strip().splitlines()[0] if done.stderr.strip() else ''}"
    return {"exit status": str(done.returncode), **contents(out)}


def compare(options, row, table):
    """Cells of a row: '.' equal, the names of files that differ, or why there is nothing to compare."""
    cells = {}
    with tempfile.TemporaryDirectory(dir=options.work) as top:
        def run(name, settings, env, prefix):
            folder = os.path.join(top, "deep", "er") if name == "directory" else os.path.join(top, "a")
            os.makedirs(folder, exist_ok=True)
            try:
                return play(options, row, settings, env, prefix, folder)
            finally:
                shutil.rmtree(folder)
        first = run("", [], {}, [])
        if isinstance(first, str):
            return {name: first for name in table}, 0
        for name, (settings, env, prefix) in table.items():
            got = run(name, [*settings, *options.also.get(name, [])], env, prefix)
            if isinstance(got, str):
                cells[name] = "-" if name == "modules" and re.search("gbn|kind=ring", " ".join(row[2])) and "exit status 2" in got else got
            else:
                cells[name] = ", ".join(sorted(file for file in {*first, *got} if first.get(file) != got.get(file))) or "."
    return cells, len(first) - 1


def main():
    parser = argparse.ArgumentParser(prog="scripts/determinism", add_help=False)
    parser.add_argument("--weft", default="build/release/weft")
    parser.add_argument("--only", default="")
    parser.add_argument("--variants", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--also", action="append", default=[], metavar="VARIANT:SETTING")
    options = parser.parse_args()
    options.weft = os.path.abspath(options.weft)
    if not os.access(options.weft, os.X_OK):
        print(f"determinism: there is no program {options.weft}; scripts/demo builds it", file=sys.stderr)
        return 2
    options.work = os.path.join(sources.ROOT, "build", "determinism")
    locales = os.path.join(options.work, "locales")
    missing = make_locales(locales)
    table = {name: how for name, how in variants(locales).items() if name not in missing and options.variants in name}
    also = {}
    for text in options.also:
        name, _, setting = text.partition(":")
        if name not in table:
            print(f"determinism: there is no variant '{name}'; known: {', '.join(table)}", file=sys.stderr)
            return 2
        also.setdefault(name, []).append(setting)
    options.also = also
    rows = [row for row in ROWS if options.only in row[0]]
    if not rows:
        print(f"determinism: no configuration has '{options.only}' in its name; known: {', '.join(row[0] for row in ROWS)}", file=sys.stderr)
        return 2
    width = max(len(row[0]) for row in rows)
    for number, name in enumerate(table):
        print(f"{'':{width}}  {'| ' * number}{name}")
    bad, runs = [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row, (cells, files) in zip(rows, pool.map(lambda row: compare(options, row, table), rows)):
            runs += 1 + len(cells)
            print(f"{row[0]:{width}}  {' '.join(cell if cell in '.-' else 'X' for cell in cells.values())}  {files} files", flush=True)
            bad += [f"{row[0]}, {name}: {cell}" for name, cell in cells.items() if cell not in ".-"]
    print(f"{len(rows)} configurations, {runs} runs, {len(bad)} differences (. equal, - refused by design, X unlike)"
          + "".join(f"; {name} is not here" for name in missing))
    for text in bad:
        print(f"  {text}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
