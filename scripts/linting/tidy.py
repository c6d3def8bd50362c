# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over every source of a built tree: tidy.py TREE JOBS

A translation unit that was clean is not looked at again until a file that it includes, the rules or clang-tidy change:
what was clean in one clone is so in all others of this user. Most of the minutes go to headers that many sources share,
so up to 64 sources are looked at together, those of several targets, too, as long as they seem to have no local name in
common and no macro of their command lines has two values. Where they do not compile together all the same, those with
errors are looked at apart. Where they have findings, the units that these concern are looked at alone, and what is then
found counts.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOGETHER = 64
# Empty files, whose names say what was clean.
CLEAN = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "weft" / "clean_units"
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

    def __init__(self, file, directory, flags, files, key):
        self.file, self.directory, self.flags = file, directory, flags
        self.files, self.key = files, key
        self.sources = [name for name in files if name.endswith(".cpp")]


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
    version = subprocess.run(["clang-tidy", "--version"], check=True, capture_output=True).stdout
    rules = hash_of(version, *[(ROOT / name).read_bytes() for name in files_of(["*.clang-tidy"])])
    made_of = dependencies(tree)
    units = []
    for entry in json.loads(pathlib.Path(tree, "compile_commands.json").read_text()):
        words = shlex.split(GCC_ONLY.sub("", entry["command"]))
        files = [name for name in made_of.get(words[words.index("-o") + 1], []) if name in sums]
        if not any(name.endswith(".cpp") for name in files):
            continue
        at = words.index("-o")
        flags = words[:at] + [word for word in words[at + 2:] if word not in ("-c", entry["file"])]
        flags = flags[next(i for i, word in enumerate(flags) if word.endswith("++")):]
        key = hash_of(rules, " ".join(flags).replace(str(ROOT), "."), *sorted(sums[name] + name for name in files))
        units.append(Unit(entry["file"], entry["directory"], flags, files, key))
    return units, {name for name in ours if name.endswith(".cpp")}


def rules_of(unit):
    """The nearest rules above a source; a file of the build that includes it stands below others."""
    return next(folder / ".clang-tidy" for folder in (ROOT / unit.sources[0]).parents if (folder / ".clang-tidy").exists())


def words_of(flags):
    """Flags, each with its operand where it has one."""
    words = []
    for flag in flags:
        if words and words[-1] in (("-isystem",), ("-include",), ("-I",), ("-D",)):
            words[-1] += (flag,)
        else:
            words.append((flag,))
    return words


# Types at the beginning of a line, and what else a source may define outside of classes and functions.
TYPE = re.compile(r"^(?:(?:class|struct|enum class|enum|union) (?:\w+::)*(\w+)|using (\w+) =)", re.M)
LOCAL = re.compile(r"^(?:#define (\w+)|namespace (\w+) =|[A-Za-z][^\n;={}()#]*?(?<!:)\b(\w+)(?:\[[^\]\n]*\])?(?: =|\{|\())",
                   re.M)
TESTS = ("TEST", "TEST_F", "TEST_P", "RC_GTEST_PROP")
TEST = re.compile(rf"^(?:{'|'.join(TESTS)})\((\w+),\s*(\w+)", re.M)
ENUM = re.compile(r"^enum[^{;]*\{([^}]*)\}", re.M)


def names_of(text):
    """Names that a source seems to define: two with the same are not put together."""
    names = {name for each in (TYPE, LOCAL) for several in each.findall(text) for name in several if name}
    names |= {"".join(pair) for pair in TEST.findall(text)}
    names |= {name for body in ENUM.findall(text) for name in re.findall(r"\w+", body)}
    return names - {*TESTS, "INSTANTIATE_TEST_SUITE_P", "namespace", "weft"}


def nested_test_headers():
    """Headers with a namespace `test` or `testing` of one folder, which hides those of all tests and of GoogleTest."""
    return {name for name in files_of(["tests/*.h"])
            if re.search(r"^namespace weft::\w+::test(?:ing)? \{", (ROOT / name).read_text(), re.M)}


def traits_of(source, text, nested):
    """Whether a source may include Verilator's headers, which SystemC's before them disturb, opens a namespace, and
    includes one of the headers `nested`: sources go together only where these are the same."""
    return (source.startswith("tests/rtl/"), re.search(r"^using namespace weft\b", text, re.M) is not None,
            not nested.isdisjoint(re.findall(r'^#include "([^"]+)"', text, re.M)))


class Part:
    """One source of a unit."""

    def __init__(self, unit, source, nested):
        text = (ROOT / source).read_text()
        self.unit, self.source, self.names, self.traits = unit, source, names_of(text), traits_of(source, text, nested)
        self.words = words_of(unit.flags)
        self.macros = dict((word[0][2:].split("=", 1) + [""])[:2] for word in self.words if word[0].startswith("-D"))


class Group:
    """Sources that are looked at together with the flags of all of them."""

    def __init__(self, parts=()):
        self.parts, self.words, self.macros, self.names = [], [], {}, set()
        for part in parts:
            self.add(part)

    def takes(self, part):
        return (len(self.parts) < TOGETHER and not self.names & part.names and
                all(self.macros.get(name, value) == value for name, value in part.macros.items()))

    def add(self, part):
        self.parts.append(part)
        self.words += [word for word in part.words if word not in self.words]
        self.macros.update(part.macros)
        self.names |= part.names


def groups_of(units):
    """Sources of units with the same rules go together where names and flags allow it."""
    groups, nested = collections.defaultdict(list), nested_test_headers()
    for unit in units:
        for source in unit.sources:
            part = Part(unit, source, nested)
            several = groups[rules_of(unit), part.traits]
            group = next((group for group in several if group.takes(part)), None)
            if group is None:
                group = Group()
                several.append(group)
            group.add(part)
    return [group for several in groups.values() for group in several]


def tidy(unit, file, flags):
    """What clang-tidy says of a file: its status and its words."""
    result = subprocess.run(["clang-tidy", "--quiet", f"--config-file={rules_of(unit)}", f"--header-filter={FILTER}",
                             "--checks=-bugprone-suspicious-include", file, "--", *flags[1:]],
                            cwd=unit.directory, capture_output=True, text=True)
    # Where it looked at nothing, it says why on the other stream.
    return result.returncode, result.stdout or result.stderr


def concerned(group, words):
    """The units of a group that have files with findings, or all where that is unclear."""
    paths = map(pathlib.Path, re.findall(r"^(/[^:\n]+):\d+:\d+: (?:error|warning)", words, re.M))
    named = {str(path.relative_to(ROOT)) for path in paths if ROOT in path.parents}
    units = list(dict.fromkeys(part.unit for part in group.parts))
    return [unit for unit in units if named.intersection(unit.files)] or units


def look_together(folder, group):
    """The units of the group that have to be looked at alone; `folder` takes a file that includes the group."""
    unit = group.parts[0].unit
    path = folder / f"together_{hash_of(*[part.unit.key + part.source for part in group.parts])[:16]}.cpp"
    path.write_text("".join(f'#include "{ROOT / part.source}"\n' for part in group.parts))
    status, words = tidy(unit, str(path), [flag for word in group.words for flag in word])
    if not status:
        return []
    wrong = set(re.findall(r"^([^:\n]+):\d+:\d+: error: .*\[clang-diagnostic-error\]$", words, re.M))
    if wrong and len(group.parts) > 1:
        apart = [part for part in group.parts if str(ROOT / part.source) in wrong]
        if not 0 < len(apart) < len(group.parts):
            apart = group.parts[:len(group.parts) // 2]
        rest = [part for part in group.parts if part not in apart]
        return look_together(folder, Group(rest)) + look_together(folder, Group(apart))
    return concerned(group, words)


def look_alone(unit):
    """Whether a unit has findings, which are printed."""
    status, words = tidy(unit, unit.file, unit.flags)
    if status:
        print(words, end="", flush=True)
    return status != 0


def main():
    tree, jobs = sys.argv[1], int(sys.argv[2])
    folder = ROOT / tree / "lint"
    for each in (folder, CLEAN):
        each.mkdir(parents=True, exist_ok=True)
    units, sources = units_of(tree)
    known = [unit for unit in units if (CLEAN / unit.key).exists()]
    new = [unit for unit in units if unit not in known]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        groups = sorted(groups_of(new), key=lambda group: -len(group.parts))
        doubtful = {unit for found in pool.map(lambda group: look_together(folder, group), groups) for unit in found}
        alone = [unit for unit in new if unit in doubtful]
        bad = [unit for unit, is_bad in zip(alone, pool.map(look_alone, alone)) if is_bad]
    for unit in new:
        if unit not in bad:
            (CLEAN / unit.key).touch()
    seen = {name for unit in units for name in unit.sources}
    print(f"clang-tidy: {len(seen)} sources in {len(units)} units, {len(known)} of them unchanged since they were clean, "
          f"{len(bad)} with findings")
    missed = sorted(sources - seen - ELSEWHERE)
    if missed:
        print(f"clang-tidy: {tree} is not built as a whole; without commands: {' '.join(missed)}")
    return 1 if bad or missed else 0


if __name__ == "__main__":
    sys.exit(main())
