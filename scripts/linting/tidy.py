# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over every source of a built tree: tidy.py TREE JOBS

A translation unit that was clean is not looked at again until a file that it includes, or the rules, change. Most of
the minutes go to headers that many sources share, so up to 32 sources of one library are looked at together. Where
together they do not compile, because two of them have a local name in common, each half is tried; where they have
findings, each unit is looked at alone, and what is then found counts.
"""
import collections
import concurrent.futures
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOGETHER = 32
# Each source has to name all that it uses, and clang cannot read what GCC has precompiled.
GCC_ONLY = re.compile(r" -(Winvalid-pch|fpch-preprocess|include \S*cmake_pch\S*)")
# Sources are headers of the file that includes several.
FILTER = re.search(r"HeaderFilterRegex: '(.*)'", (ROOT / ".clang-tidy").read_text())[1].replace(r"\.h$", r"\.(h|cpp)$")
# What other scripts build, some of it outside of this tree, and what stands for a library that this machine has.
ELSEWHERE = {"tests/attack/served.cpp", "tests/fuzz/fuzz_et.cpp", "tests/fuzz/fuzz_yaml.cpp", "tests/fuzz/sc_main.cpp",
             "tests/package/consumer/main.cpp", "tests/rtl/coverage_run.cpp",
             "tests/rtl/lockstep/switch_coverage_run.cpp", "waves/fst/no_fst.cpp"}


class Unit:
    """What the compiler sees at once: a source, or a file of the build that includes several."""

    def __init__(self, file, directory, target, flags, sources, key):
        self.file, self.directory, self.target, self.flags = file, directory, target, flags
        self.sources, self.key = sources, key


def files_of(pattern):
    listed = subprocess.run(["git", "ls-files", *pattern], cwd=ROOT, check=True, capture_output=True, text=True)
    return listed.stdout.split()


def hash_of(*parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(part if isinstance(part, bytes) else part.encode())
    return total.hexdigest()


def dependencies(tree):
    """Files of this checkout that each object of the tree was made of."""
    text = subprocess.run(["ninja", "-C", tree, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    made_of, files = {}, []
    for line in text.splitlines():
        if not line.startswith(" "):
            files = made_of.setdefault(line.split(": #deps")[0], []) if ": #deps" in line else []
        else:
            path = pathlib.Path(tree, line.strip()).resolve()
            if ROOT in path.parents:
                files.append(str(path.relative_to(ROOT)))
    return made_of


def units_of(tree):
    ours = files_of(["*.h", "*.cpp"])
    sums = {name: hash_of((ROOT / name).read_bytes()) for name in ours}
    rules = hash_of(*[(ROOT / name).read_bytes() for name in files_of(["*.clang-tidy"])])
    made_of = dependencies(tree)
    units = []
    for entry in json.loads(pathlib.Path(tree, "compile_commands.json").read_text()):
        words = shlex.split(GCC_ONLY.sub("", entry["command"]))
        files = [name for name in made_of.get(words[words.index("-o") + 1], []) if name in sums]
        sources = [name for name in files if name.endswith(".cpp")]
        if not sources:
            continue
        at = words.index("-o")
        flags = words[:at] + [word for word in words[at + 2:] if word not in ("-c", entry["file"])]
        flags = flags[next(i for i, word in enumerate(flags) if word.endswith("++")):]
        key = hash_of(rules, " ".join(flags), *sorted(sums[name] + name for name in files))
        target = words[at + 1].split(".dir/")[0]
        units.append(Unit(entry["file"], entry["directory"], target, flags, sources, key))
    return units, {name for name in ours if name.endswith(".cpp")}


def rules_of(unit):
    """The nearest rules above a source; a file of the build that includes it stands below others."""
    return next(folder / ".clang-tidy" for folder in (ROOT / unit.sources[0]).parents if (folder / ".clang-tidy").exists())


def groups_of(units):
    """Units of one target with the same flags and rules go together."""
    alike = collections.defaultdict(list)
    for unit in units:
        alike[unit.target, " ".join(unit.flags), rules_of(unit)].append(unit)
    for members in alike.values():
        group = []
        for unit in members:
            if group and sum(len(other.sources) for other in [*group, unit]) > TOGETHER:
                yield group
                group = []
            group.append(unit)
        yield group


def tidy(clean, group, *options):
    """What clang-tidy says of a group: its status and its words."""
    file = group[0].file
    if len(group) > 1:
        path = clean / f"together_{hash_of(*[unit.key for unit in group])[:16]}.cpp"
        path.write_text("".join(f'#include "{unit.file}"\n' for unit in group))
        file = str(path)
    result = subprocess.run(["clang-tidy", "--quiet", f"--config-file={rules_of(group[0])}",
                             f"--header-filter={FILTER}", *options, file, "--", *group[0].flags[1:]],
                            cwd=group[0].directory, capture_output=True, text=True)
    # Where it looked at nothing, it says why on the other stream.
    return result.returncode, result.stdout or result.stderr


def look_at(clean, group):
    """The units of the group with findings."""
    if len(group) > 1 and tidy(clean, group, "--checks=-*,clang-diagnostic-error")[0]:
        half = len(group) // 2
        return look_at(clean, group[:half]) + look_at(clean, group[half:])
    status, words = tidy(clean, group, "--checks=-bugprone-suspicious-include")
    if status and len(group) > 1:
        return [unit for alone in group for unit in look_at(clean, [alone])]
    if status:
        print(words, end="", flush=True)
        return group
    for unit in group:
        (clean / unit.key).touch()
    return []


def main():
    tree, jobs = sys.argv[1], int(sys.argv[2])
    clean = ROOT / tree / "lint"
    clean.mkdir(parents=True, exist_ok=True)
    units, sources = units_of(tree)
    known = [unit for unit in units if (clean / unit.key).exists()]
    groups = list(groups_of([unit for unit in units if not (clean / unit.key).exists()]))
    groups.sort(key=lambda group: -sum(len(unit.sources) for unit in group))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        bad = [unit for found in pool.map(lambda group: look_at(clean, group), groups) for unit in found]
    seen = {name for unit in units for name in unit.sources}
    print(f"clang-tidy: {len(seen)} sources in {len(units)} units, {len(known)} of them unchanged since they were clean, "
          f"{len(bad)} with findings")
    missed = sorted(sources - seen - ELSEWHERE)
    if missed:
        print(f"clang-tidy: {tree} is not built as a whole; without commands: {' '.join(missed)}")
    return 1 if bad or missed else 0


if __name__ == "__main__":
    sys.exit(main())
