# SPDX-License-Identifier: Apache-2.0
"""Keys of configurations and values for them, from `weft schema`."""
import json
import re


def walk(node, path=""):
    for name, value in node.get("properties", {}).items():
        below = f"{path}.{name}" if path else name
        if "properties" in value:
            yield from walk(value, below)
        else:
            yield below, value


class Schema:
    """All keys that a file may have."""

    def __init__(self, text):
        self.keys = dict(walk(json.loads(text)))
        self.keys.pop("include", None)
        self.paths = sorted(self.keys)

    def value(self, draw, path):
        """A value for a key: mostly legal, often at a border, sometimes of another type."""
        if draw.chance(0.08):
            return draw.choice([draw.word(), draw.number(), None, [], {}, [draw.number()], {"a": 1}, True, 0.5, 1e308])
        return value_of(draw, self.keys[path])


def value_of(draw, node):
    if "anyOf" in node:
        return value_of(draw, draw.choice(node["anyOf"]))
    if "enum" in node:
        return draw.choice(node["enum"])
    kind = node.get("type")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "boolean":
        return draw.chance(0.5)
    if kind in ("integer", "number"):
        low, high = int(node.get("minimum", 0)), int(node.get("maximum", 2**64 - 1))
        value = draw.choice([low, high, low - 1, high + 1, draw.randint(low, min(high, low + 40)), draw.randint(low, min(high, low + 40)),
                             draw.randint(low, min(high, low + 40)), draw.randint(low, high)])
        return value if kind == "integer" or draw.chance(0.5) else draw.choice([draw.random(), 1e-9, value / 3])
    if kind == "array":
        few = draw.choice([node.get("minItems", 0), node.get("maxItems", 3), draw.randrange(5)])
        return [value_of(draw, node["items"]) for _ in range(few)]
    if kind == "object":
        return {name: value_of(draw, below) for name, below in node["properties"].items()
                if name in node.get("required", []) or draw.chance(0.4)}
    if "pattern" in node:
        return quantity(draw, re.findall(r"[\w/]+", node["pattern"].rsplit("(", 1)[1]))
    return draw.word() if draw.chance(0.5) else draw.choice(["traces/demo/demo", "memory/pool.yaml", "memory/hbm3.yaml", "hbm3", "perm.txt"])


def quantity(draw, units):
    number = draw.choice([str(draw.randint(1, 64)), str(draw.randint(1, 2000)), "0", "1", "1e-9", "1e9", "1e30", "0.5", "1/3", "375/256", "1.5e3",
                          str(draw.number()), "1." + "3" * draw.randrange(1, 60), "-1", ""])
    return number + draw.choice([" ", " ", " ", "", "  "]) + (draw.choice(units) if draw.chance(0.97) else draw.word())
