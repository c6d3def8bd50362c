# SPDX-License-Identifier: Apache-2.0
"""Chakra traces, as protobuf (plain and gzip) and JSON: sound ones, and such as are damaged as graphs or as bytes."""
import gzip
import json
import struct

import judge
import sources

WEIGHT = 230
RUN_SHARE = 0.15
COMPUTE, SEND, RECEIVE, COLLECTIVE, LOAD, STORE, METADATA = 4, 5, 6, 7, 2, 3, 1


def varint(value):
    value &= 2**64 - 1
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """A field of a protobuf message: integers as varints, text and bytes by length, floats as 64 bits."""
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def attribute(draw, name, value):
    if isinstance(value, bool):
        return field(10, field(1, name) + field(27, int(value)))
    if isinstance(value, float):
        return field(10, field(1, name) + field(3, value))
    if isinstance(value, str):
        return field(10, field(1, name) + field(29, value))
    return field(10, field(1, name) + field(draw.choice([7, 9, 11, 13]) if 0 <= value < 2**31 else 13, value))


PLAIN = {"Id": 1, "Name": 2, "NodeType": 3, "runtime": 7}


def encode_node(draw, node):
    out = b"".join(field(PLAIN[key], node[key]) for key in PLAIN if node.get(key))
    for number, key in [(4, "ctrlDeps"), (5, "data_deps")]:
        deps = node.get(key, [])
        if deps and draw.chance(0.5):
            out += field(number, b"".join(varint(dep) for dep in deps))
        else:
            out += b"".join(field(number, dep) for dep in deps)
    for key, value in node.items():
        if key not in PLAIN and key not in ("ctrlDeps", "data_deps"):
            out += attribute(draw, key, value)
    return out


def encode(draw, nodes):
    records = [field(1, "0.0.4")] + [encode_node(draw, node) for node in nodes]
    return b"".join(varint(len(record)) + record for record in records)


def sound(draw, ranks):
    """Nodes of each rank of a trace that ends: events in one order for all, each after the one before at its ranks."""
    nodes = [[] for _ in range(ranks)]
    groups = {}

    def add(rank, **keys):
        number = len(nodes[rank])
        node = {"Id": number, "Name": f"n{number}", **keys}
        if number:
            node["data_deps"] = [number - 1]
        nodes[rank].append(node)

    for event in range(draw.randint(1, 8)):
        kind = draw.randrange(5)
        rank = draw.randrange(ranks)
        if kind == 0:
            add(rank, NodeType=COMPUTE, runtime=draw.randint(1, 3))
        elif kind == 1:
            add(rank, NodeType=COMPUTE, num_ops=draw.randint(1, 10**6), tensor_size=draw.randint(1, 10**5))
        elif kind == 2 and ranks > 1:
            other = draw.choice([r for r in range(ranks) if r != rank])
            size = draw.choice([1, 64, 4097])
            add(rank, NodeType=SEND, comm_src=rank, comm_dst=other, comm_size=size, comm_tag=event)
            add(other, NodeType=RECEIVE, comm_src=rank, comm_dst=other, comm_size=size, comm_tag=event)
        elif kind == 3:
            add(rank, NodeType=draw.choice([LOAD, STORE]), tensor_size=draw.choice([64, 4096]))
        else:
            members = list(range(ranks))
            keys = {"NodeType": COLLECTIVE, "comm_type": draw.choice([0, 2, 5, 6, 7]), "comm_size": draw.choice([64, 1024]) * ranks}
            if ranks > 2 and draw.chance(0.4):
                members = sorted(draw.sample(members, 2))
                groups.setdefault(str(1 + members[0] * ranks + members[1]), members)
                keys["pg_name"] = str(1 + members[0] * ranks + members[1])
            for member in members:
                add(member, **keys)
    for rank in range(ranks):
        if not nodes[rank]:
            add(rank, NodeType=COMPUTE, runtime=1)
    return nodes, groups


def damage(draw, nodes):
    """Changes the graph; gives a sentence's worth of it."""
    for _ in range(draw.randint(1, 3)):
        graph = draw.choice(nodes)
        if not graph:
            continue
        node = draw.choice(graph)
        kind = draw.randrange(7)
        if kind == 0:
            graph.remove(node)
        elif kind == 1:
            graph.append(dict(node))
        elif kind == 2:
            key = draw.choice(sorted(node))
            node[key] = draw.choice([draw.number(), draw.word(), draw.number()]) if key not in ("data_deps", "ctrlDeps") else [draw.number() % 2**64]
        elif kind == 3:
            node[draw.choice(["ctrlDeps", "data_deps"])] = [draw.choice([n["Id"] for n in graph if isinstance(n["Id"], int)] + [draw.number()]) % 2**64
                                                            for _ in range(draw.randrange(4))]
        elif kind == 4:
            node[draw.choice(["comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag", "pg_name", "runtime", "num_ops", "tensor_size",
                              "comm_priority", "is_cpu_op", "involved_dim", "comm_group"])] = draw.choice([draw.number(), draw.word(), True, 1.5])
        elif kind == 5:
            node["NodeType"] = draw.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 255])
        else:
            draw.shuffle(graph)


def write_trace(case, nodes, groups):
    """Files of all ranks in one form; returns the words of the configuration."""
    draw = case.draw
    form = draw.choice(["et", "et", "et.gz", "json"])
    for rank, graph in enumerate(nodes):
        if form == "json":
            content = json.dumps({"workload_graph": graph}).encode("utf-8", "surrogatepass")
        else:
            content = encode(draw, [clean(node) for node in graph])
            content = gzip.compress(content, 1, mtime=0) if form == "et.gz" else content
        case.write(f"t.{rank}.{form}", content)
    if groups or draw.chance(0.1):
        case.write("groups.json", json.dumps(groups))
        return {"chakra": "t", "groups": "groups.json"}
    return {"chakra": "t"}


def clean(node):
    """What a protobuf of this schema can hold."""
    out = {}
    for key, value in node.items():
        if key in ("Id", "NodeType", "runtime") and not isinstance(value, int):
            continue
        if key == "Name" and not isinstance(value, str):
            value = str(value)
        out[key] = value
    return out


def attack(case):
    draw = case.draw
    kind = draw.random()
    ranks = draw.choice([1, 2, 2, 3, 4, 6])
    is_sound = False
    if kind < 0.65:
        nodes, groups = sound(draw, ranks)
        is_sound = kind < 0.1
        if not is_sound:
            damage(draw, nodes)
        trace = write_trace(case, nodes, groups)
        if kind > 0.55:
            damage_file(case, draw.randrange(ranks))
    elif kind < 0.85:
        nodes, groups = sound(draw, ranks)
        trace = write_trace(case, nodes, groups)
        damage_file(case, draw.randrange(ranks))
    else:
        ranks, trace = 20, shipped(case)
    if draw.chance(0.05) and "groups" in trace:
        case.write(trace["groups"], draw.bytes_changed(open(case.path(trace["groups"]), "rb").read()))
        is_sound = False
    algorithms = ["ring", "direct"] + ([] if is_sound else ["halving_doubling", "double_binary_tree"])  # do every kind
    trace.update({"algorithm": draw.choice(algorithms), "data": draw.choice(["timing", "values"])})
    config = {"fabric": {"size": [ranks, 1]}, "npu": {"peak_flops": "1 TFLOP/s", "memory_bandwidth": "1 TB/s"}, "workload": {"trace": trace}}
    case.write("x.yaml", json.dumps(config))
    command = draw.choice(["info", "check", "show", "config", "config", "config"])
    if is_sound or command == "config":
        # Repeated ids and cycles are seen by `weft trace check`, and by a run when it comes to them.
        ended = case.check_and_run("x.yaml", share=1.0 if is_sound else RUN_SHARE, deadlock=not is_sound, refuses=lambda: refused(case, trace))
        if is_sound and ended.status not in (judge.FINISHED, judge.LIMIT):
            case.finding(f"a sound trace ends with status {ended.status}: {judge.first_line(ended.err)}")
    if is_sound or command == "check":
        checked = case.call("trace", "check", "t", *(["--groups", "groups.json"] if "groups" in trace and ranks != 20 else []))
        if is_sound and checked.status != judge.FINISHED:
            case.finding(f"trace check refuses a sound trace: {judge.first_line(checked.out + checked.err)}")
    if command in ("info", "show"):
        case.call("trace", command, "t", *(["--rank", str(draw.randrange(ranks + 1))] if command == "show" else draw.choice([[], ["--json"]])))


def refused(case, trace):
    groups = ["--groups", trace["groups"]] if "groups" in trace else []
    return case.call("trace", "check", "t", *groups).status == judge.BAD_INPUT


def damage_file(case, rank):
    for form in ["et", "et.gz", "json"]:
        try:
            with open(case.path(f"t.{rank}.{form}"), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            continue
        draw = case.draw
        if form == "et.gz" and draw.chance(0.5):
            data = gzip.compress(draw.bytes_changed(gzip.decompress(data)), 1, mtime=0)
        elif draw.chance(0.2):
            data = draw.text_changed(data.decode("latin-1")).encode("latin-1", "replace")
        else:
            data = draw.bytes_changed(data)
        case.write(f"t.{rank}.{form}", data)


def shipped(case):
    """The trace of configs/demo.yaml with one file changed."""
    draw = case.draw
    changed = draw.randrange(20)
    for rank in range(20):
        data = sources.file_bytes(f"configs/traces/demo/demo.{rank}.et")
        case.write(f"t.{rank}.et", draw.bytes_changed(data) if rank == changed else data)
    case.write("groups.json", sources.file_bytes("configs/traces/demo/comm_group.json"))
    return {"chakra": "t", "groups": "groups.json"}
