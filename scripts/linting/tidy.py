# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over every source of a built tree: tidy.py TREE JOBS

A translation unit that was clean is not looked at again until a file that it includes, or the rules, change. Most of
the minutes go to headers that many sources share, so up to eight sources of one library are looked at together; where
together they do not compile or have findings, each is looked at alone, and what is then found counts.
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
TOGETHER = 8
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

    def __init__(self, entry, target, flags, sources, key):
        self.entry, self.target, self.flags, self.sources, self.key = entry, target, flags, sources, key


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
        command = GCC_ONLY.sub("", entry["command"])
        words = shlex.split(command)
        files = [name for name in made_of.get(words[words.index("-o") + 1], []) if name in sums]
        sources = [name for name in files if name.endswith(".cpp")]
        if not sources:
            continue
        at = words.index("-o")
        flags = words[:at] + [word for word in words[at + 2:] if word not in ("-c", entry["file"])]
        flags = flags[next(i for i, word in enumerate(flags) if word.endswith("++")):]
        key = hash_of(rules, " ".join(flags), *sorted(sums[name] + name for name in files))
        target = words[at + 1].split(".dir/")[0]
        units.append(Unit({**entry, "command": command}, target, flags, sources, key))
    return units, {name for name in ours if name.endswith(".cpp")}


def groups_of(units, clean):
    """Units of one target with the same flags go together; the database of commands names each group as one file."""
    alike = collections.defaultdict(list)
    for unit in units:
        target = unit.entry["file"] if len(unit.sources) > 1 else unit.target
        alike[target, " ".join(unit.flags)].append(unit)
    for members in alike.values():
        for first in range(0, len(members), TOGETHER):
            group = members[first:first + TOGETHER]
            if len(group) == 1:
                yield group[0].entry, group
                continue
            path = clean / f"together_{hash_of(*[unit.key for unit in group])[:16]}.cpp"
            path.write_text("".join(f'#include "{unit.entry["file"]}"\n' for unit in group))
            command = shlex.join([*group[0].flags, "-c", str(path)])
            yield {"directory": group[0].entry["directory"], "command": command, "file": str(path)}, group


def rules_of(source):
    """The nearest rules above a source; a file of the build that includes it stands below others."""
    return next(folder / ".clang-tidy" for folder in (ROOT / source).parents if (folder / ".clang-tidy").exists())


def findings_of(clean, file, rules, quiet):
    result = subprocess.run(["clang-tidy", "-p", str(clean), "--quiet", f"--config-file={rules}",
                             "--checks=-bugprone-suspicious-include",
                             f"--header-filter={FILTER}", file], capture_output=True, text=True)
    if result.returncode and not quiet:
        # Where it looked at nothing, it says why on the other stream.
        print(result.stdout or result.stderr, end="", flush=True)
    return result.returncode != 0


def look_at(clean, entry, group):
    """The units of the group with findings."""
    bad = []
    rules = rules_of(group[0].sources[0])
    if findings_of(clean, entry["file"], rules, quiet=len(group) > 1):
        alone = len(group) == 1
        bad = [unit for unit in group if alone or findings_of(clean, unit.entry["file"], rules, quiet=False)]
    for unit in group:
        if unit not in bad:
            (clean / unit.key).touch()
    return bad


def main():
    tree, jobs = sys.argv[1], int(sys.argv[2])
    clean = ROOT / tree / "lint"
    clean.mkdir(parents=True, exist_ok=True)
    units, sources = units_of(tree)
    known = [unit for unit in units if (clean / unit.key).exists()]
    groups = list(groups_of([unit for unit in units if not (clean / unit.key).exists()], clean))
    entries = {entry["file"]: entry for entry, _ in groups} | {unit.entry["file"]: unit.entry for unit in units}
    (clean / "compile_commands.json").write_text(json.dumps(list(entries.values()), indent=1))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        bad = [unit for found in pool.map(lambda group: look_at(clean, *group), groups) for unit in found]
    seen = {name for unit in units for name in unit.sources}
    print(f"clang-tidy: {len(seen)} sources in {len(units)} units, {len(known)} of them unchanged since they were clean, "
          f"{len(bad)} with findings")
    missed = sorted(sources - seen - ELSEWHERE)
    if missed:
        print(f"clang-tidy: {tree} is not built as a whole; without commands: {' '.join(missed)}")
    return 1 if bad or missed else 0


if __name__ == "__main__":
    sys.exit(main())
