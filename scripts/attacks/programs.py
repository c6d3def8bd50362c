# SPDX-License-Identifier: Apache-2.0
"""Collective programs: exported ones and MSCCL's XML, changed as text, as bytes and as trees."""
import json

import yaml

import sources

WEIGHT = 70
RUN_SHARE = 0.3
EXPORTS = [("ring", "all_reduce", 4), ("direct", "all_to_all", 3), ("halving_doubling", "all_reduce", 4), ("ring", "all_gather", 3), ("direct", "reduce_scatter", 2),
           ("double_binary_tree", "all_reduce", 4), ("chain", "reduce", 3), ("star", "broadcast", 4)]


def msccl(ranks):
    """A ring all-gather in MSCCL's form."""
    lines = [f'<algo name="ring" proto="Simple" nchannels="1" ngpus="{ranks}" coll="allgather" inplace="1">']
    for rank in range(ranks):
        lines.append(f'  <gpu id="{rank}" i_chunks="1" o_chunks="{ranks}" s_chunks="0">')
        lines.append(f'    <tb id="0" send="{(rank + 1) % ranks}" recv="{(rank - 1) % ranks}" chan="0">')
        for step in range(2 * (ranks - 1)):
            owner = (rank - (step + 1) // 2) % ranks
            kind = "s" if step % 2 == 0 else "r"
            lines.append(f'      <step s="{step}" type="{kind}" srcbuf="o" srcoff="{owner}" dstbuf="o" dstoff="{owner}" cnt="1" depid="-1" deps="-1" hasdep="0"/>')
        lines += ["    </tb>", "  </gpu>"]
    return "\n".join([*lines, "</algo>", ""])


def attack(case):
    draw = case.draw
    algorithm, kind, ranks = draw.choice(EXPORTS)
    text = sources.output(case.tools.weft, "program", "export", "--algorithm", algorithm, "--kind", kind, "--ranks", str(ranks))
    form = draw.random()
    if form < 0.35:
        ranks, kind = draw.randint(2, 4), "all_gather"
        text = msccl(ranks)
    if form > 0.7:
        text = json.dumps(tree_changed(draw, yaml.safe_load(sources.output(case.tools.weft, "program", "export", "--algorithm", algorithm, "--kind", kind,
                                                                           "--ranks", str(ranks)))))
    elif draw.chance(0.7):
        text = draw.text_changed(text, 3)
    elif draw.chance(0.9):
        text = draw.bytes_changed(text.encode(), 4)
    case.write("p.program", text)
    command = draw.choice(["check", "show", "export", "config", "config"])
    if command != "config":
        case.call("program", command, "p.program", allowed={0, 2, 3})
        return
    case.write("x.yaml", json.dumps({"fabric": {"size": [ranks, 1]}, "workload": {"collective": {
        "kind": kind, "size": "1200 B", "algorithm": "file", "algorithm_file": "p.program", "data": "values"}}}))
    case.check_and_run("x.yaml", share=RUN_SHARE)


def tree_changed(draw, tree):
    for _ in range(draw.randint(1, 3)):
        steps = draw.choice(tree["sequences"]) if isinstance(tree.get("sequences"), list) and tree["sequences"] else None
        if steps and isinstance(steps, list) and draw.chance(0.8):
            step = draw.choice(steps)
            kind = draw.randrange(5)
            if kind == 0:
                steps.remove(step)
            elif kind == 1:
                steps.insert(draw.randrange(len(steps) + 1), dict(step) if isinstance(step, dict) else step)
            elif isinstance(step, dict) and kind == 2:
                step[draw.choice(["op", "to", "from", "src", "dst", "tag", "deps", "flow", "path", "priority", "colour", "recv_tag"])] = draw.choice(
                    [draw.number(), draw.word(), [draw.number()], "input[0..3]", f"output[{draw.number()}]", "scratch[0]", "recv", "send", "copy", "reduce"])
            elif isinstance(step, dict) and step and kind == 3:
                del step[draw.choice(sorted(step))]
            else:
                draw.shuffle(steps)
        else:
            tree[draw.choice(["kind", "ranks", "root", "share", "scratch", "in_place", "weft_program", "sequences", "merges"])] = draw.choice(
                [draw.number(), draw.word(), [], True, {}])
    return tree
