# SPDX-License-Identifier: Apache-2.0
"""A VCD file as a sorted list of events."""


def _header(lines, known):
    """Reads up to $enddefinitions; returns ({code: [names]}, lines that describe the signals)."""
    names = {}
    scope = []
    described = []
    words = []
    for line in lines:
        words += line.split()
        if "$end" not in words:
            continue
        while "$end" in words:
            end = words.index("$end")
            command, words = words[:end], words[end + 1:]
            if not command:
                continue
            if command[0] == "$scope":
                scope.append(known.old_name(command[2]))
            elif command[0] == "$upscope":
                scope.pop()
            elif command[0] == "$var":
                # FST turns the kinds of variables into its own, so that they are left out.
                name = ".".join(scope + [known.old_name("".join(command[4:]))])
                names.setdefault(command[3], []).append(name)
                described.append(f"signal {name} {command[2]}")
            elif command[0] == "$timescale":
                described.append("timescale " + "".join(command[1:]))
            elif command[0] == "$enddefinitions":
                return names, described
    return names, described


def events(lines, known):
    """All signals and value changes: `TIME NAME VALUE`, of one time sorted by name."""
    lines = iter(lines)
    names, described = _header(lines, known)
    result = sorted(described)
    now = []
    time = "0"
    for line in lines:
        line = line.rstrip("\n")
        if not line or line[0] == "$":
            continue
        if line[0] == "#":
            if line[1:] != time:
                result += sorted(now)
                now = []
                time = line[1:]
            continue
        if line[0] in "bBrRsS":
            value, code = line[1:].rsplit(" ", 1)
        else:
            value, code = line[0], line[1:]
        now += [f"{time} {name} {known.old_name(value)}" for name in names.get(code, [code])]
    return result + sorted(now)
