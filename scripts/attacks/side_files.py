# SPDX-License-Identifier: Apache-2.0
"""Files that a configuration names: pools, timings, remote memories, permutations, groups; changed as text, as bytes and as trees."""
import copy
import json
import os

import yaml

import sources

WEIGHT = 70
RUN_SHARE = 0.15
REMOTE = {"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 100, "remote-mem-bw": 128, "num-nodes": 2, "num-npus-per-node": 2}
POOL = """size: 1 GiB
flit: 64 B
packet: 512 B
interleave: 4 KiB
mapping: interleaved
controllers: {count: 4, bandwidth: 128 GB/s}
switches: 2
groups: 2
modules: 2
links:
  controller: {bandwidth: 128 GB/s, latency: 40 ns, buffer: 32 KiB}
  group: {bandwidth: 512 GB/s, latency: 30 ns, buffer: 64 KiB}
  module: {bandwidth: 128 GB/s, latency: 10 ns, buffer: 16 KiB}
module: {latency: 140 ns, bandwidth: 128 GB/s, service: pipelined}
"""
ACCESS = """access:
  page: 64 KiB
  check: 2 ns
  miss: 40 ns
  walkers: 8
  cache: {entries: 1024, ways: 4, replacement: lru}
  line: 64 B
  encryption: 20 ns
  integrity: 10 ns
  tag: 8 B
  engine: 128 GB/s
  on_refused: continue
  log: 1000
grants:
  - {tensor: "a*", of: 0-1, owner: 0, readers: 0-1}
  - {group: "1", owner: 0, readers: all, writers: [0, 2-3]}
"""


def changed(draw, text):
    """The text, changed in one of three ways."""
    kind = draw.random()
    if kind < 0.4:
        return draw.text_changed(text, 3)
    if kind < 0.5:
        return draw.bytes_changed(text.encode(), 4)
    tree = copy.deepcopy(yaml.safe_load(text))
    for _ in range(draw.randint(1, 3)):
        node = tree
        while isinstance(node, (dict, list)) and node:
            key = draw.choice(sorted(node, key=str)) if isinstance(node, dict) else draw.randrange(len(node))
            if not isinstance(node[key], (dict, list)) or draw.chance(0.3):
                change(draw, node, key)
                break
            node = node[key]
    return json.dumps(tree)


def change(draw, node, key):
    kind = draw.randrange(4)
    value = node[key]
    if kind == 0:
        del node[key]
    elif kind == 1 and isinstance(value, str) and " " in value:
        node[key] = f"{draw.choice([draw.number(), '0', '1e-9', '1e30', '1/3', '0.001'])} {draw.choice([value.split(' ')[1], 'ns', 'cycles', 'B', 'GB/s', 'TiB'])}"
    elif kind == 2 and isinstance(node, dict):
        node[str(key) + "x"] = node.pop(key)
    else:
        node[key] = draw.choice([draw.number(), draw.word(), None, [], {}, [value], True, 0.5])


def trace(case):
    """Four ranks that load and store."""
    for rank in range(4):
        graph = [{"Id": 0, "Name": "a", "NodeType": 2, "tensor_size": 8192}, {"Id": 1, "Name": "b", "NodeType": 3, "tensor_size": 4096, "data_deps": [0]}]
        case.write(f"t.{rank}.json", json.dumps({"workload_graph": graph}))
    case.write("groups.json", json.dumps({"1": [0, 1, 2, 3]}))
    return {"trace": {"chakra": "t", "groups": "groups.json"}}


def attack(case):
    draw = case.draw
    which = draw.choice(["pool", "timing", "remote", "permutation", "groups"])
    fabric = {"size": [2, 2]}
    config = {"fabric": fabric, "npu": {"memory_bandwidth": "1 TB/s"}}
    if which == "pool":
        case.write("pool.yaml", changed(draw, POOL + draw.choice(["", ACCESS])))
        fabric["router"] = {"multicast": True, "vcs": 4}
        config.update(memory={"place": "io", "pool": "pool.yaml"}, io={"controllers": 4, "bandwidth": "32 GB/s"}, workload=trace(case))
        config["npu"]["message_classes"] = 2
    elif which == "timing":
        name = draw.choice(["hbm3", "hbm2e", "ddr5"])
        case.write("timing.yaml", changed(draw, sources.file_bytes(f"configs/memory/{name}.yaml").decode()))
        config.update(memory={"timing": "./timing.yaml"}, workload=trace(case))
    elif which == "remote":
        case.write("remote.json", changed(draw, json.dumps(REMOTE, indent=1)))
        config.update(memory={"place": "remote", "remote": "remote.json"}, workload=trace(case))
    elif which == "permutation":
        lines = "# source destination\n" + "".join(f"{node} {(node + 1) % 4}\n" for node in range(4))
        case.write("perm.txt", draw.text_changed(lines, 3) if draw.chance(0.7) else draw.bytes_changed(lines.encode(), 4))
        config["workload"] = {"traffic": {"pattern": "permutation", "file": "perm.txt", "rate": 0.2, "warmup_cycles": 10, "measure_cycles": 200}}
    else:
        config["workload"] = trace(case)
        groups = json.dumps({"1": [0, 1], "2": [2, 3], "dp": [0, 1, 2, 3]})
        case.write("groups.json", changed(draw, groups))
    if draw.chance(0.01):  # a file without end
        name = {"pool": "pool.yaml", "timing": "timing.yaml", "remote": "remote.json", "permutation": "perm.txt", "groups": "groups.json"}[which]
        os.unlink(case.path(name))
        os.symlink("/dev/zero", case.path(name))
    case.write("x.yaml", json.dumps(config))
    case.check_and_run("x.yaml", share=RUN_SHARE, conserved=False)
