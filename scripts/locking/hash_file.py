# SPDX-License-Identifier: Apache-2.0
"""What tests/lock remembers: hashes of files, the keys that there were, and what was renamed since."""
import os

FOLDER = "tests/lock"
HASHES = os.path.join(FOLDER, "hashes.txt")
KEYS = os.path.join(FOLDER, "keys.txt")
RENAMES = os.path.join(FOLDER, "renames.txt")


def _lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def read_hashes():
    """{run/file: hash}."""
    return {key: value for value, key in (line.split(" ", 1) for line in _lines(HASHES))}


def write_hashes(hashes):
    with open(HASHES, "w") as file:
        file.write("# Written by scripts/lock record: the hash of each result file in its canonical form.\n")
        for key in sorted(hashes):
            file.write(f"{hashes[key]} {key}\n")


class Known:
    """The keys, columns and tables that counted when the hashes were recorded, and their new names.

    A key is named `KIND PATH`, for example `summary.json ranks[].finished` or `links.csv flits`.
    """

    def __init__(self, keys, renames):
        self._keys = keys
        # In results a renamed thing has its new name; what is hashed has the old one.
        self._old = {new: old for old, new in renames}
        self._seen = set()

    @classmethod
    def read(cls):
        renames = [tuple(line.split(" -> ")) for line in _lines(RENAMES)]
        return cls(set(_lines(KEYS)), renames)

    @classmethod
    def everything(cls):
        """For a new record: all keys count, under the names that they have."""
        return cls(None, [])

    def old_name(self, name):
        return self._old.get(name, name)

    def counts(self, kind, path):
        """Whether the key counts; remembers it for `write`."""
        key = f"{kind} {path}"
        if self._keys is None:
            self._seen.add(key)
            return True
        return key in self._keys

    def write(self):
        """Writes the keys seen, and an empty table of renames: from now on the new names are the names."""
        with open(KEYS, "w") as file:
            file.write("# Written by scripts/lock record: the keys and columns that count.\n")
            for key in sorted(self._seen):
                file.write(f"{key}\n")
        with open(RENAMES, "w") as file:
            file.write("# OLD -> NEW: what was renamed since the hashes were recorded, and nothing else; one a line.\n")

    def merge(self, seen):
        self._seen |= seen

    def seen(self):
        return self._seen
