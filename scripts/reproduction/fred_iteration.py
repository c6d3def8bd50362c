# SPDX-License-Identifier: Apache-2.0
"""This module has the time of an iteration as a sum of parts, the rate that gives a speed-up, and the sweep of strategies."""
import dataclasses
import math

import fred_fabric
from fred_fabric import FABRICS
from fred_workloads import BYTES, strategies, sweep_workload

# With none all parts follow one another, with duplex gradients leave while weights come in, with stream both run beside
# computing, and with all so do the DP phase and transfers between stages. All-reduces of MP never do, since the next matrix
# needs their result.
OVERLAPS = {"none": (), "duplex": ("duplex",), "stream": ("stream",), "all": ("stream", "dp", "pp")}


@dataclasses.dataclass(frozen=True)
class Options:
    """The paper leaves these choices open."""
    overlap: str = "none"
    placement: str = "best"  # The mesh has this one of fred_fabric.PLACEMENTS, or the fastest.
    routing: str = "straight"  # Streams on the mesh go straight in first (0.651 of line rate) or are xy (0.533).
    streams_to: str = "all"  # Every stream goes to all NPUs, or to the "replicas" that need it.
    mesh_sums: str = "trees"  # On the mesh gradients are summed along the trees of the streams, or as "shards" by DP.
    gradients: str = "all_reduce"  # With zero2 there is a reduce-scatter of gradients, then an all-gather of weights.
    recompute: bool = False  # The forward pass is carried out once more in the backward pass.
    load: bool = False  # The minibatch comes in before the iteration, not during the one before.
    weights_beside_mp: bool = False  # All-reduces of MP in the backward pass run beside the product for the gradients of weights.
    whole_layers: bool = True  # A stage has whole layers, so that the one with the most decides.


@dataclasses.dataclass(frozen=True)
class Parts:
    """All are seconds; all but `compute` and `bubble` are exposed communication."""
    compute: float
    bubble: float
    mp: float
    pp: float
    dp: float
    stream: float
    load: float

    @property
    def exposed(self):
        return self.mp + self.pp + self.dp + self.stream + self.load

    @property
    def total(self):
        return self.compute + self.bubble + self.exposed


def stage_layers(workload, options):
    """It returns the layers of the stage that has the most, for which the other stages wait."""
    share = workload.model.layers / workload.strategy.pp
    return math.ceil(share) if options.whole_layers else share


def gradient_time(workload, fabric, layers, options):
    """It returns the time of the DP phase where weights stay. An NPU has the gradients of its MP part of its stage's layers."""
    strategy, model = workload.strategy, workload.model
    held = BYTES * (layers * model.layer_parameters + model.outer_parameters) / strategy.mp
    arguments = (fabric, strategy, "dp", options.placement)
    if options.gradients == "zero2":
        return held * (fred_fabric.reduce_scatter(*arguments) + fred_fabric.all_gather(*arguments))
    return held * fred_fabric.all_reduce(*arguments)


def stream_times(workload, fabric, options):
    """It returns (in, out). Weights come in twice per iteration, for both passes, and gradients leave once (paper)."""
    where = (options.routing, options.placement)
    sets = fred_fabric.everyone() if options.streams_to == "all" else fred_fabric.replicas(workload.strategy)
    per_byte = fred_fabric.controllers_time(fred_fabric.stream_share(fabric, sets, *where))
    held = BYTES * workload.parameters
    # B and D sum in the switches, and the mesh in the NPUs along the streams' trees turned round, so that gradients leave
    # at the rate of the streams in (paper: gradients are reduced on the way out). A and C have no sums in the switches.
    on_the_way = fabric.in_switch or fabric.mesh and options.mesh_sums == "trees"
    out = per_byte if on_the_way else fred_fabric.shards_out(fabric, workload.strategy, *where)
    return 2 * held * per_byte, held * out


def iteration(workload, fabric, rate, options=Options()):
    """It returns the parts of an iteration with NPUs of `rate` operations per second."""
    if options.placement == "best":
        # FRED has one placement only.
        names = fred_fabric.PLACEMENTS if fabric.mesh else ["columns"]
        return min((iteration(workload, fabric, rate, dataclasses.replace(options, placement=name)) for name in names),
                   key=lambda parts: parts.total)
    strategy, model, hidden = workload.strategy, workload.model, OVERLAPS[options.overlap]
    layers, stages, microbatches = stage_layers(workload, options), strategy.pp, workload.microbatches
    samples = workload.samples / microbatches  # These are the samples of a replica in one microbatch.
    # MP splits every matrix evenly. The last stage also makes the logits.
    forward = samples * (layers * model.layer_forward() + model.outer_forward()) / strategy.mp / rate
    backward = (3 if options.recompute else 2) * forward
    # Megatron's split has two all-reduces per layer and pass, of all activations of the microbatch (paper, methodology).
    passes = 3 if options.recompute else 2
    reduced = passes * 2 * layers * samples * model.activation_bytes()
    mp = reduced * fred_fabric.all_reduce(fabric, strategy, "mp", options.placement)
    if options.weights_beside_mp and strategy.mp > 1:
        one = mp / (passes * 2 * layers)
        mp -= layers * sum(min(one, samples * product / strategy.mp / rate) for product in model.weight_gradients())
    transfer = samples * model.activation_bytes() * fred_fabric.point_to_point(fabric, strategy, options.placement)
    # In GPipe the last of M microbatches leaves the first of P stages after M steps and passes P - 1 further ones, so a
    # pass has M + P - 1 steps, of which P - 1 are the bubble.
    steps = microbatches + stages - 1
    # A sender that waits for its transfer lengthens every step but the last one of the last stage; in one that sends
    # beside its next step only the P - 1 transfers of the last microbatch count. Both passes have them.
    transfers = 0 if stages == 1 else stages - 1 if "pp" in hidden else steps - 1
    found = {"compute": microbatches * (forward + backward), "bubble": (stages - 1) * (forward + backward),
             "mp": steps * mp, "pp": 2 * transfers * transfer, "dp": 0.0, "stream": 0.0, "load": 0.0}
    if not workload.streaming:
        found["dp"] = gradient_time(workload, fabric, layers, options)
        if "dp" in hidden:
            # A layer's gradients are complete in the backward pass of the last microbatch, and can hide behind it.
            found["dp"] = max(0.0, found["dp"] - backward)
    if options.load:
        # Each sample crosses one controller once and goes to one NPU.
        share = fred_fabric.stream_share(fabric, fred_fabric.each_alone(strategy.ranks), options.routing, options.placement)
        found["load"] = strategy.dp * workload.samples * model.sample_bytes * fred_fabric.controllers_time(share)
    if workload.streaming:
        stream_in, stream_out = stream_times(workload, fabric, options)
        if "stream" in hidden:
            # Both directions of a link work at once, and what outlasts all else is exposed. This is a lower bound on the
            # mesh, where streams and all-reduces share links.
            found["stream"] = max(0.0, max(stream_in, stream_out) - sum(found.values()))
        else:
            found["stream"] = max(stream_in, stream_out) if "duplex" in hidden else stream_in + stream_out
    return Parts(**found)


def speed_up(workload, name, rate, options=Options()):
    """It returns the time on the mesh over the time on FRED `name`."""
    return iteration(workload, FABRICS["mesh"], rate, options).total / iteration(workload, FABRICS[name], rate, options).total


def fit(workload, name, wanted, options=Options(), low=1e12, high=1e20):
    """It returns the rate with which FRED `name` is `wanted` times as fast as the mesh, or None where none gives it. Bisection
    on the logarithm suffices, as faster NPUs make communication, and with it the speed-up, count for more."""
    if not speed_up(workload, name, low, options) < wanted < speed_up(workload, name, high, options):
        return None
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if speed_up(workload, name, middle, options) < wanted else (low, middle)
    return math.sqrt(low * high)


def sweep(workload, rate, options=Options(), among=None):
    """It returns [(strategy, time on the mesh, on D, exposed time on the mesh, on D)], times divided by the minibatch (paper). Without
    `among` the strategies are all that take 20 ranks."""
    rows = []
    for strategy in among or strategies():
        point = sweep_workload(workload, strategy)
        found = [iteration(point, FABRICS[name], rate, options) for name in ("mesh", "D")]
        minibatch = strategy.dp * point.samples
        rows.append((strategy, *(parts.total / minibatch for parts in found), *(parts.exposed / minibatch for parts in found)))
    return rows


def averages(rows):
    """It returns ratios of the mesh over D, as the mean of the ratios of all strategies and as the ratio of the sums of their
    times. Strategies without exposed communication on D have no ratio of it."""
    exposed = [row[3] / row[4] for row in rows if row[4] > 0]
    sums = [sum(row[column] for row in rows) for column in range(1, 5)]
    return {"mean of speed-ups": sum(row[1] / row[2] for row in rows) / len(rows), "speed-up of sums": sums[0] / sums[1],
            "mean of exposed": sum(exposed) / len(exposed) if exposed else math.nan,
            "exposed of sums": sums[2] / sums[3] if sums[3] else math.nan}
