# SPDX-License-Identifier: Apache-2.0
"""This module has the closed form of an iteration whose weights are streamed layer by layer, as scripts/reproduce streaming plays it.

A stage loads the weights of a layer when it has worked on the one before, works on all of its micro-batches, and goes on to the layer that is
as many layers ahead as there are stages; so stages have no bubble but while they fill. Gradients leave when the weights that are loaded
behind their layer have come. Only bandwidths count, from fred_fabric.py; no figure comes from Weft.
"""
import dataclasses

import fred_fabric
from fred_workloads import BYTES


@dataclasses.dataclass(frozen=True)
class Layer:
    """The parts of the time of one layer on its stage, in seconds: for all micro-batches computing and all-reduces of MP, and for the layer
    what it waits for its weights; `late` is what the reduction of its gradients needs longer than the stage computes meanwhile."""
    compute: float
    mp: float
    load: float
    late: float
    fill: float  # This is what the stages behind the first one wait for the first micro-batch, and the first one for the last gradient.
    store: float  # Gradients of the last layer leave while nothing is computed.

    @property
    def total(self):
        return self.compute + self.mp + self.load + self.late


def load_time(workload, fabric, routing, placement):
    """It returns the time in which the weights of one layer come in. The controllers stream the parts of the MP ranks at the same time,
    each to its replicas, and those of the other stages at other times."""
    strategy, held = workload.strategy, BYTES * workload.model.layer_parameters
    shares = held * fred_fabric.controllers_time(fred_fabric.stream_share(fabric, fred_fabric.each_alone(strategy.ranks), routing, placement))
    gathered = held / strategy.mp * fred_fabric.all_gather(fabric, strategy, "dp", placement, stages=1)
    if fabric.mesh and strategy.dp < strategy.ranks:
        return shares + gathered  # Routers copy streams to all NPUs only. A smaller group gathers its shares when all have come.
    if not fabric.mesh and not fabric.in_switch:
        return max(shares, gathered + held * fred_fabric.shares_on_trunk(fabric))  # One part is gathered while the next one comes in.
    return held * fred_fabric.controllers_time(fred_fabric.stream_share(fabric, stage(strategy), routing, placement))


def stage(strategy):
    """It returns the DP groups of the first stage, which fred_fabric lists first."""
    return fred_fabric.replicas(strategy)[:strategy.mp]


def store_times(workload, fabric, routing, placement):
    """It returns the time in which the gradients of one layer leave, and what of it needs the links on which weights come in. Where switches
    sum them they leave over trunks and controllers alone, which work in both directions at once: a switch sends up one sum for each controller
    elsewhere, as many bytes as weights come down. Else a reduce-scatter comes first, or on FRED in
    parts beside it, over the same trunks; links that shares on their way out and weights on their way in both use are not counted twice."""
    strategy, held = workload.strategy, BYTES * workload.model.layer_parameters
    if fabric.in_switch:
        return held * fred_fabric.controllers_time(fred_fabric.stream_share(fabric, stage(strategy), routing, placement)), 0.0
    out = held * fred_fabric.controllers_time(fred_fabric.stream_share(fabric, fred_fabric.each_alone(strategy.ranks), routing, placement))
    reduced = held / strategy.mp * fred_fabric.reduce_scatter(fabric, strategy, "dp", placement, stages=1)
    if fabric.mesh:
        return reduced + out, reduced
    reduced += held * fred_fabric.shares_on_trunk(fabric)
    return max(reduced, out), reduced


def layer(workload, fabric, rate, routing="straight", placement="columns"):
    """It returns the Layer of a workload with NPUs of `rate` operations per second."""
    strategy, model, microbatches = workload.strategy, workload.model, workload.microbatches
    samples = workload.samples / microbatches
    forward = samples * model.layer_forward() / strategy.mp / rate
    # Of the weights' gradients the last matrix's needs no weights, and each all-reduce of the backward pass runs beside one of them.
    beside = [samples * product / strategy.mp / rate for product in model.weight_gradients()]
    reduced = samples * model.activation_bytes() * fred_fabric.all_reduce(fabric, strategy, "mp", placement)
    forward_mp, backward_mp = 2 * reduced, sum(max(0.0, reduced - product) for product in beside)
    load = load_time(workload, fabric, routing, placement)
    store, reduced = store_times(workload, fabric, routing, placement)
    backward = microbatches * (2 * forward + backward_mp) - beside[0]
    transfer = samples * model.activation_bytes() * fred_fabric.point_to_point(fabric, strategy, placement)
    return Layer(microbatches * 3 * forward, microbatches * (forward_mp + backward_mp), load + max(0.0, load - beside[0]),
                 max(0.0, reduced - backward), (strategy.pp - 1) * (3 * forward + forward_mp + backward_mp + 2 * transfer), store)


def iteration(workload, fabric, rate, routing="straight", placement="columns"):
    """It returns the seconds of one iteration."""
    one = layer(workload, fabric, rate, routing, placement)
    return workload.model.layers / workload.strategy.pp * one.total + one.fill + one.store - one.late
