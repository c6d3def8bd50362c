# SPDX-License-Identifier: Apache-2.0
"""Weight streaming: the model comes in over 18 I/O controllers, gradients go out, on the mesh and on FRED-D."""
import functools
import os
import subprocess
import tempfile

import runs

CONFIGS = {"mesh": "configs/mesh-streaming.yaml", "FRED-D": "configs/fred-d-streaming.yaml"}
MAKE = ["trace", "gen", "weight-streaming", "--model", "gpt3-like", "--layers", "4", "--npus", "20", "--batch", "20"]
SCALES = (100, 50)  # what bytes and operations are divided by
SHORT = 256  # tokens of a sample, so few that I/O bounds the step
LONGER = (512, 1024, 2048)
CASES = [(scale, SHORT) for scale in SCALES] + [(SCALES[0], tokens) for tokens in LONGER]
PAPER = 1.34  # FRED-D over the mesh, GPT-3 with MP2-DP5-PP2: end to end
HOT_SPOT = 9 * 128 / 750  # the most that loads gain where no link has to carry 9 streams
WIDTH, WORDS = 12288, 51200  # of the model: width of a layer, words of the vocabulary
LAYER, EMBEDDING = 12 * WIDTH ** 2 * 2, WORDS * WIDTH * 2  # bytes of weights, 2 each
POSSIBLE = {"mesh": 750 / 9 / 128, "FRED-D": 1}  # 9 streams of 128 GB/s meet on links of 750 GB/s
REACHED = 0.95  # of what is possible, while nothing is stored
STABLE = 0.10  # change of the ratio of times when everything is twice as large
RATE = 1000e12  # operations per second of an NPU
SMALL_PIECES = "64 KiB"  # half of what the configurations have; shown beside them, since layers divided by 100 have few pieces
BY_DIRECTION = {"fabric.router.vcs": 16, "npu.injection_vcs": "by_direction"}  # a faster mesh, whose loads get less of the lines; shown, too


def operations(tokens):
    """Operations of a step on one NPU: a sample goes forward through 4 layers and the head, and backward, which is twice as much."""
    layer = 2 * 12 * WIDTH ** 2 * tokens + 4 * tokens ** 2 * WIDTH
    return 3 * (4 * layer + 2 * WIDTH * WORDS * tokens)


def elements(value, scale):
    """Bytes divided by the scale, rounded up to whole elements of 2 bytes."""
    return -(-value // (2 * scale)) * 2


def study(options):
    """(text, faults)."""
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for scale, tokens in CASES:
            prefix = os.path.join(folder, f"{scale}-{tokens}", "t")
            subprocess.run([options.weft, *MAKE, "--scale", str(scale), "--seq", str(tokens), "--out", prefix], check=True,
                           stdout=subprocess.DEVNULL)
            sets = {"workload.trace.chakra": prefix,
                    "workload.trace.groups": os.path.join(os.path.dirname(prefix), "comm_group.json")}
            cases += [(scale, tokens, name, functools.partial(runs.run_tables, options.weft, config, sets))
                      for name, config in CONFIGS.items()]
            if (scale, tokens) == CASES[0]:
                shown = [functools.partial(runs.run_tables, options.weft, config, {**sets, "memory.piece": SMALL_PIECES})
                         for config in CONFIGS.values()]
                shown.append(functools.partial(runs.run_tables, options.weft, CONFIGS["mesh"], {**sets, **BY_DIRECTION}))
        results = runs.run_all([*(task for *_, task in cases), *shown], options.jobs, "streaming")
    mesh, fred, by_direction = (summary["time_ns"] / 1000 for summary, _ in results[len(cases):])
    loads = results[-1][0]["io_memory"]["line_share_before_stores"]
    rows, faults, times = [], [], {}
    for (scale, tokens, name, _), (summary, _) in zip(cases, results):
        memory = summary["io_memory"]
        times[scale, tokens, name] = summary["time_ns"] / 1000
        bytes_in = 8 * elements(LAYER, scale) + 2 * elements(EMBEDDING, scale)
        bytes_out = 4 * elements(LAYER, scale) + 2 * elements(EMBEDDING, scale)
        if (memory["bytes_in"], memory["bytes_out"]) != (bytes_in, bytes_out):
            faults.append(f"{name}: {memory['bytes_in']} bytes in and {memory['bytes_out']} out, not {bytes_in} and "
                          f"{bytes_out}")
        least = operations(tokens) / scale / RATE * 1e6
        if times[scale, tokens, name] < least:
            faults.append(f"{name}: {tokens} tokens take {times[scale, tokens, name]:.1f} us, less than their operations")
        if tokens != SHORT:
            continue
        share = memory["line_share_before_stores"]
        if not REACHED * POSSIBLE[name] <= share <= POSSIBLE[name]:
            faults.append(f"{name}: loads reach {share:.3f} of the lines, possible are {POSSIBLE[name]:.3f}")
        rows.append([name, f"1/{scale}", f"{memory['bytes_in'] / 1e6:.1f}", f"{memory['bytes_out'] / 1e6:.1f}",
                     f"{POSSIBLE[name]:.3f}", f"{share:.3f}", f"{memory['line_share']:.3f}",
                     f"{times[scale, tokens, name]:.1f}"])
    ratios = [times[scale, tokens, "mesh"] / times[scale, tokens, "FRED-D"] for scale, tokens in CASES]
    if abs(ratios[1] / ratios[0] - 1) > STABLE:
        faults.append(f"the mesh takes {ratios[0]:.2f} and {ratios[1]:.2f} times as long as FRED-D")
    by_tokens = []
    for (scale, tokens), ratio in zip(CASES, ratios):
        if scale == SCALES[0]:
            by_tokens.append([tokens, f"{operations(tokens) / scale / RATE * 1e6:.1f}",
                              *(f"{times[scale, tokens, name]:.1f}" for name in CONFIGS), f"{ratio:.3f}"])
    return "\n".join([
        "### Weight streaming", "",
        "A step of 4 layers of a model like GPT-3 on 20 replicas, whose weights come in over 18 I/O controllers in both passes "
        "and whose gradients go out (`configs/fred-d-streaming.yaml`, `configs/mesh-streaming.yaml`), with bytes and operations "
        "divided by the scale. `in` and `out`: MB over all controllers, equal to the hand calculation. `loads`: the share of "
        "all lines of 128 GB/s that loads get before the first gradient leaves; `possible` as in the hot spot above. `both "
        "passes`: the same over all the time in which loads were under way; on the mesh the reduce-scatter of gradients takes "
        f"the same links. The mesh takes {ratios[0]:.2f} times as long as FRED-D, with everything twice as large "
        f"{ratios[1]:.2f} times.", "",
        runs.table(["", "scale", "in", "out", "possible", "loads", "both passes", "time us"], rows), "",
        f"The ratio depends on how much there is to compute. The table has the same step, divided by {SCALES[0]}, with more tokens "
        "in a sample; `operations` is the time of the operations of an NPU at 1000 TFLOP/s, by hand, which no step may fall below. "
        f"The paper has {PAPER} end to end for GPT-3 with MP2-DP5-PP2 and says neither tokens nor compute rate, so that it stands "
        f"beside the table and is not judged by it. Loads alone gain at most {HOT_SPOT:.3f} where no link carries 9 streams; the "
        "reduce-scatter of gradients takes the same links of the mesh and adds to that. The ratio also depends on pieces: layers divided "
        f"by {SCALES[0]} have few of them. With pieces of {SMALL_PIECES} instead of 128 KiB the mesh takes {mesh:.1f} us and FRED-D "
        f"{fred:.1f} us, a ratio of {mesh / fred:.3f} at {SHORT} tokens. And it depends on the VCs of the mesh, of which the configuration has 4. With two for each "
        "direction of an NPU's packets in each of two classes (`fabric.router.vcs: 16`, `npu.injection_vcs: by_direction`) what waits for one link holds up "
        f"no other: the mesh takes {by_direction:.1f} us, a ratio of {by_direction / times[SCALES[0], SHORT, 'FRED-D']:.3f}, though loads get {loads:.3f} of "
        "the lines before the first gradient leaves.", "",
        runs.table(["tokens", "operations us", "mesh us", "FRED-D us", "mesh / FRED-D"], by_tokens)]), faults
