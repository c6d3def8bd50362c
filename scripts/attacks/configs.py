# SPDX-License-Identifier: Apache-2.0
"""Legal configurations at random: what is legal ends, with the right data, and alike in every variant that may not matter."""
import json
import os

import judge

WEIGHT = 25
COLLECTIVES = ["all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast", "reduce", "gather", "scatter", "barrier"]
ENDPOINT = ["ring", "direct", "halving_doubling", "double_binary_tree", "hierarchical_2d", "star", "chain", "tree", "two_phase"]
# Settings that must not change any result; None: as the file has it. With packets, log.level adds to summary.json.
VARIANTS = [["threads=2"], ["fabric.form=modules"], ["log.level=packets"], ["log.level=off"], ["threads=3", "fabric.form=modules"],
            ["log.windows=7"], []]
# What may differ between runs of one input.
COST = {"cpu_s", "setup_cpu_s", "output_cpu_s", "wall_s", "peak_rss_bytes", "critical_path", "skipped_cycles"}
TABLES = ["links.csv", "nodes.csv", "collectives.csv", "latency.csv", "io.csv", "memory.csv"]


def attack(case):
    draw = case.draw
    config = fred(draw) if draw.chance(0.4) else graph(draw) if draw.chance(0.25) else mesh(draw)
    case.write("x.yaml", json.dumps(config, indent=1))
    if case.check("x.yaml").status != judge.FINISHED:
        return
    router = config["fabric"].get("router", {})
    multicast = router.get("multicast", False) or router.get("colours", 0) > 0  # which copy on their way
    algorithm = config["workload"].get("collective", {}).get("algorithm", "")
    in_fabric = multicast or algorithm in ("in_switch", "in_switch_series", "in_router", "multicast") or "io" in config["workload"]
    first = case.run("x.yaml", out="first", conserved=not in_fabric, cycles=1_000_000)
    if first.status not in (judge.FINISHED, judge.LIMIT):
        case.finding(f"check accepts what ends with status {first.status}: {judge.first_line(first.err)}")
    if first.status != judge.FINISHED:
        return
    expected = outcome(case, "first")
    for number, settings in enumerate(draw.sample(VARIANTS, 2)):
        words = [word for setting in settings for word in ("--set", setting)]
        out = f"variant{number}"
        again = case.run("x.yaml", *words, out=out, conserved=not in_fabric, cycles=1_000_000)
        if again.status == judge.BAD_INPUT and ("link_layer" in again.err or "is one module" in again.err):
            continue  # Go-Back-N links and graphs of routers are not cut into modules
        if again.status != first.status:
            case.finding(f"unlike with {settings}: exit status {again.status} instead of {first.status}")
            continue
        got = outcome(case, out)
        for name in expected:
            if expected[name] != got.get(name) and not (name == "summary.json" and settings == ["log.level=off"] and fewer(expected, got)):
                case.finding(f"unlike with {settings}: {name}")


def fewer(expected, got):
    """Without a log the summary may say less, but nothing else."""
    a, b = json.loads(expected["summary.json"]), json.loads(got["summary.json"])
    return all(a[key] == b[key] for key in a if key in b and b[key] is not None)


def outcome(case, out):
    """What a run has found, without what it cost."""
    found = {}
    for name in TABLES:
        path = case.path(os.path.join(out, name))
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                found[name] = file.read()
    with open(case.path(os.path.join(out, "summary.json")), encoding="utf-8") as file:
        summary = json.load(file)
    found["summary.json"] = json.dumps({key: value for key, value in summary.items() if key not in COST})
    return found


def bandwidth(draw):
    return draw.choice(["750 GB/s", "333 MB/s", "1 GB/s", "50 GiB/s", "3 TB/s", "7/3 GB/s", "100 GB/s", "1.5 TB/s"])


def latency(draw):
    return draw.choice([1, 1, 2, 5, 20, "20 ns", "3.7 ns", "101 ns", "1/3 ns"])


def clock(draw):
    return draw.choice(["1 GHz", "1 GHz", "976.5625 MHz", "850 MHz", "1.37 GHz", "10 MHz", "3 GHz"])


def some(draw, part):
    """A part of the keys."""
    return {key: value for key, value in part.items() if draw.chance(0.4)}


def workload(draw, nodes, algorithms):
    kind = draw.choice(COLLECTIVES)
    dtype = draw.choice(["fp32", "int32", "fp16", "bf16"])
    collective = {"kind": kind, "algorithm": draw.choice(algorithms), "size": draw.choice(["1 KiB", "12 B", "4 KiB", "100 B", "0 B", f"{4 * nodes} B", f"{64 * nodes} B",
                                                                                         f"{16 * nodes * nodes} B", "20 KiB", "3 KiB"])}
    collective.update(some(draw, {"chunks": draw.choice([2, 3, 8]), "active_chunks": draw.randint(0, 3), "op": draw.choice(["sum", "min", "max"]),
                                  "dtype": dtype}))
    collective["data"] = "values"
    if kind in ("broadcast", "reduce", "gather", "scatter") and draw.chance(0.5):
        collective["root"] = draw.randrange(nodes)
    if nodes > 2 and draw.chance(0.2):
        collective["group"] = draw.sample(range(nodes), draw.randint(2, nodes))
        collective.pop("root", None)
    return {"collective": collective}


def traffic(draw, nodes):
    what = {"pattern": draw.choice(["uniform", "transpose", "bitcomp", "neighbor", "tornado", "hotspot"]), "rate": draw.choice([0.01, 0.1, 0.3, 0.9, 1, 3]),
            "packet_flits": draw.choice([1, 1, 2, 5, 17]), "warmup_cycles": draw.choice([0, 100]), "measure_cycles": draw.choice([1, 200, 400]),
            "drain_cycles": draw.choice([0, 300, 20000])}
    if what["pattern"] == "hotspot":
        what["hotspots"] = draw.sample(range(nodes), draw.randint(1, min(nodes, 3)))
    return {"traffic": what}


def npu(draw):
    return some(draw, {"packet_bytes": draw.choice(["64 B", "512 B", "100 B", "4 KiB", "1 KiB"]), "endpoint_delay": latency(draw), "reduce_bandwidth": bandwidth(draw),
                       "clock": clock(draw), "injectors": draw.randint(0, 3), "message_order": draw.choice(["round_robin", "oldest_first"]),
                       "add_cycles": draw.randint(0, 3), "order": draw.choice(["fifo", "lifo"])})


def mesh(draw):
    size = [draw.randint(1, 5), draw.randint(1, 4)]
    nodes = size[0] * size[1]
    kind = draw.choice(["mesh", "mesh", "torus"])
    router = some(draw, {"vcs": draw.randint(2, 8), "buffer_flits": draw.choice([1, 2, 8, 24, 64]), "routing_delay": draw.randint(0, 2), "vc_alloc_delay": draw.randint(1, 2),
                         "switch_alloc_delay": draw.randint(1, 2), "traversal_delay": draw.randint(1, 3), "credit_delay": draw.randint(0, 4),
                         "hop_cycles": draw.randint(0, 3), "turn_cycles": draw.randint(0, 3), "vc_reuse": draw.choice(["tail_sent", "tail_credit"]),
                         "speculative": draw.chance(0.5), "allocator": draw.choice(["separable_input_first", "islip"]), "multicast": draw.chance(0.3)})
    fabric = {"kind": kind, "size": size, "flit_bytes": draw.choice([4, 32, 64, "512 B"]), "link": some(draw, {"bandwidth": bandwidth(draw), "latency": latency(draw)}),
              "local": some(draw, {"bandwidth": bandwidth(draw), "latency": latency(draw)}), "router": router}
    if kind == "mesh" and draw.chance(0.5):
        fabric["routing"] = draw.choice(["xy", "yx", "o1turn", "odd_even", "valiant"])
    if draw.chance(0.2):
        fabric["link_y"] = some(draw, {"bandwidth": bandwidth(draw), "latency": latency(draw)})
    config = {"name": "legal", "seed": draw.randrange(1000), "clock": clock(draw), "fabric": fabric, "npu": npu(draw)}
    if draw.chance(0.15):  # routes that are set up before the run
        router.update(colours=24, buffer_flits=draw.choice([8, 32]))
        fabric.update(kind="mesh", flit_bytes=4, routing="xy")
        config["npu"].update(packet_bytes="4 B")
        config["workload"] = workload(draw, nodes, ["star", "chain", "tree", "two_phase", "auto_gen", "snake", "in_router"])
        config["workload"]["collective"].update(kind=draw.choice(["reduce", "all_reduce", "broadcast"]), size=draw.choice(["4 B", "64 B", "256 B"]))
        return config
    config["workload"] = traffic(draw, nodes) if draw.chance(0.35) else workload(draw, nodes, [*ENDPOINT, "multicast"])
    if kind == "mesh" and draw.chance(0.1):
        config["io"] = {"controllers": draw.randint(1, 2 * sum(size))}
        config["workload"] = {"io": {"size": draw.choice(["1 KiB", "10 KiB"]), "data": "values", "window": draw.choice(["0 B", "8 KiB"])}}
    return config


def graph(draw):
    """As a mesh, with routers joined in another way."""
    config = mesh(draw)
    fabric = config["fabric"]
    nodes = draw.randint(1, 12)
    fabric.update(kind=draw.choice(["ring", "fully_connected", "switch"]), size=nodes)
    for key in ["routing", "link_y"]:
        fabric.pop(key, None)
    for key in ["turn_cycles", "speculative", "multicast", "colours"]:
        fabric["router"].pop(key, None)
    for key in ["clock", "injection_vcs"]:
        config["npu"].pop(key, None)
    config.pop("io", None)
    config["workload"] = traffic(draw, nodes) if draw.chance(0.35) else workload(draw, nodes, ENDPOINT)
    return config


def fred(draw):
    groups = draw.choice([1, 1, 2, 3, 4])
    nodes = groups * draw.choice([2, 3, 4])
    planes = draw.choice([1, 1, 2, 3])
    common = some(draw, {"latency": latency(draw), "reconfig_cycles": draw.randint(0, 5), "bandwidth": bandwidth(draw)})
    levels = [{"groups": 1, "planes": planes}] if groups == 1 else [{"groups": groups, "planes": planes, "uplinks": draw.choice([1, 2, 4]), **common}, {"groups": 1}]
    if groups == 4 and draw.chance(0.3):
        levels.insert(1, {"groups": 2, "uplinks": draw.choice([1, 2]), "latency": 3})
    fabric = {"kind": "fred", "flit_bytes": draw.choice([16, 32, 64, "512 B"]), "levels": levels, "local": some(draw, {"bandwidth": bandwidth(draw), "latency": latency(draw)})}
    fabric.update(some(draw, {"m": draw.randint(2, 4), "accumulate": draw.choice(["element", "fp32"]), "lanes": draw.choice([0, 1, 2, 4]),
                              "reduce_cycles": draw.randint(1, 3), "stage": draw.choice(["register", "skid"]), "register_every": draw.randint(1, 3),
                              "control": draw.choice(["one_phase", "several_phases", "one_tree"]), "matching": draw.choice(["maximum", "greedy"]),
                              "conflict": draw.choice(["serialize", "decompose", "replace", "refuse"]), "stay_packets": draw.choice([0, 1, 3]),
                              "header": draw.choice(["0 B", "6 B", "100 B"]), "flow_control": draw.choice(["cut_through", "wormhole"]),
                              "output_packets": draw.randint(1, 3)}))
    if draw.chance(0.15):
        fabric.update(link_layer="gbn", drop_rate=draw.choice([0, 1e-3, 1e-2]), bit_error_rate=draw.choice([0, 1e-6]))
    config = {"name": "legal", "seed": draw.randrange(1000), "clock": clock(draw), "fabric": fabric, "npu": {"count": nodes, **npu(draw)}}
    config["npu"].pop("message_order", None)
    config["workload"] = workload(draw, nodes, ["in_switch", "in_switch", "in_switch", "in_switch_series", "direct", "ring", "two_level_ring"])
    if draw.chance(0.1):
        config["io"] = {"controllers": draw.randint(1, 6)}
        config["workload"] = {"io": {"size": "4 KiB", "data": "values"}}
    return config
