# SPDX-License-Identifier: Apache-2.0
"""The first lines in which two canonical forms differ."""
import difflib
import itertools

MOST_LINES = 12
MOST_BYTES = 4_000_000  # beyond this a diff would take minutes


def show(before, after):
    with open(before, errors="replace") as file:
        old = file.read(MOST_BYTES).splitlines()
    with open(after, errors="replace") as file:
        new = file.read(MOST_BYTES).splitlines()
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, new)))
    window = slice(same, same + 200)
    lines = list(difflib.unified_diff(old[window], new[window], lineterm="", n=0))[2:]
    print(f"    from line {same + 1} on:")
    for line in lines[:MOST_LINES]:
        print(f"    {line[:200]}")
