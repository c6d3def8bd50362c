# SPDX-License-Identifier: Apache-2.0
"""Configurations: the shipped ones changed as text, as bytes, as trees, and by --set."""
import copy
import json

import sources

WEIGHT = 560
RUN_SHARE = 0.2


def attack(case):
    draw = case.draw
    sources.link_shipped(case.folder)
    name = draw.choice(sorted(sources.config_texts()))
    kind = draw.random()
    sets = []
    if kind < 0.35:
        text = draw.text_changed(sources.config_texts()[name])
    elif kind < 0.45:
        text = draw.bytes_changed(sources.config_texts()[name].encode())
    elif kind < 0.85:
        text = as_text(draw, tree_changed(case, name))
    else:
        text = sources.config_texts()[name]
        sets = settings(case)
    case.write("x.yaml", text)
    if draw.chance(0.05):
        sets += settings(case)
    share = 0.0 if builds_rtl(text, sets) else RUN_SHARE
    # A watchdog of few cycles takes every pause for a deadlock.
    impatient = b"watchdog" in all_words(text, sets)
    case.check_and_run("x.yaml", *sets, share=share, conserved=False, deadlock=impatient)


def builds_rtl(text, sets):
    """RTL takes minutes to build."""
    words = all_words(text, sets)
    return b"rtl" in words or b"lockstep" in words


def all_words(text, sets):
    return (text if isinstance(text, bytes) else text.encode("utf-8", "replace")) + " ".join(sets).encode("utf-8", "replace")


def settings(case):
    draw, schema = case.draw, sources.schema(case.tools.weft)
    words = []
    for _ in range(draw.randint(1, 4)):
        path = draw.choice(schema.paths)
        value = schema.value(draw, path)
        text = value if isinstance(value, str) else json.dumps(value)
        if draw.chance(0.1):
            text = draw.word()
        if draw.chance(0.05):
            path = path[:-1] + draw.choice(["", "x", ".y", "[0]", "["])
        words += ["--set", printable(f"{path}={text}")]
    return words


def printable(text):
    """A word of a command line holds no NUL, and JSON to the server no half of a surrogate pair."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def tree_changed(case, name):
    draw, schema = case.draw, sources.schema(case.tools.weft)
    tree = copy.deepcopy(sources.config_trees()[name])
    for _ in range(draw.randint(1, 4)):
        kind = draw.random()
        if kind < 0.6:
            path = draw.choice(schema.paths)
            put(tree, path.split("."), schema.value(draw, path))
        else:
            change(case, tree)
    return tree


def put(tree, path, value):
    for name in path[:-1]:
        below = tree.get(name)
        if not isinstance(below, dict):
            below = tree[name] = {}
        tree = below
    tree[path[-1]] = value


def change(case, tree):
    """One key is taken out, named otherwise, put elsewhere or given another value."""
    draw = case.draw
    places = []

    def collect(node):
        for key, value in (node.items() if isinstance(node, dict) else enumerate(node)):
            places.append((node, key))
            if isinstance(value, (dict, list)):
                collect(value)

    collect(tree)
    if not places:
        return
    node, key = draw.choice(places)
    kind = draw.randrange(6)
    if kind == 0:
        del node[key]
    elif kind == 1 and isinstance(node, dict):
        node[str(key) + draw.choice(["s", "_", " ", "\t", "é", ""])] = node.pop(key)
    elif kind == 2 and isinstance(node, dict):
        other, other_key = draw.choice(places)
        if isinstance(other, dict) and other_key in other:
            node[key] = copy.deepcopy(other[other_key])
    elif kind == 3:
        node[key] = draw.choice([draw.word(), draw.number(), None, [], {}, 1.5, True, [node[key]], {"x": node[key]}])
    elif kind == 4:
        tree["include"] = draw.choice([*sorted(sources.config_texts()), "x.yaml", "absent.yaml", "parts", "parts/fred-wafer.yaml"])
    elif isinstance(node[key], list):
        node[key] = node[key] * draw.randint(0, 40)


def as_text(draw, tree):
    """JSON is YAML; now and then a text that only YAML reads."""
    text = json.dumps(tree, indent=draw.choice([None, 1, 2]), ensure_ascii=draw.chance(0.5))
    if draw.chance(0.1):
        text = draw.choice(["%YAML 1.1\n---\n", "---\n", "\ufeff", "# x\r\n", "\n\n"]) + text + draw.choice(["\n...\n", "\n---\na: 1\n", "\r\n", ""])
    return text
